//! Keys that are rotated while everybody works.

use crate::jwt;
use futures::future::join_all;
use gateway_tests::{
    Api, Credentials, Engine, Gateway, Options, PROVIDER_TOKEN, Route, ScriptedProvider, World, on_both,
    until,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

const TOKEN: &str = "/v1/oauth2/token";
const LIST: &str = "/invoicing/rpc/documents";

fn token_request(client: &Credentials) -> Value {
    json!({"grant_type": "client_credentials", "client_id": client.id, "client_secret": client.secret})
}

async fn kids(public: &Api) -> BTreeSet<String> {
    let jwks = public.get("/.well-known/jwks.json").await.expect(200);
    jwks["keys"].as_array().unwrap().iter().map(|key| key["kid"].as_str().unwrap().to_owned()).collect()
}

/// Tokens are issued here and used there until `done`; the ids of the keys that signed them.
async fn traffic(
    issuer: Api,
    users: Vec<Api>,
    client: Credentials,
    done: &AtomicBool,
    used: &AtomicUsize,
) -> BTreeSet<String> {
    let mut signed_by = BTreeSet::new();
    let mut kept: Vec<String> = Vec::new();
    let mut last = false;
    while !last {
        // Once more after the last rotation.
        last = done.load(Ordering::Acquire);
        let answer = issuer.post(TOKEN, &token_request(&client)).await.expect(200);
        let token = answer["access_token"].as_str().unwrap().to_owned();
        let kid = jwt::parts(&token).0["kid"].as_str().unwrap().to_owned();
        // The first token of every key is used to the end.
        if signed_by.insert(kid) {
            kept.push(token.clone());
        }
        for token in kept.iter().chain([&token]) {
            for user in &users {
                user.with_token(token).get(LIST).await.expect(200);
                used.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
    signed_by
}

/// Three rotations under traffic through all of `gateways`; nothing is ever refused.
async fn rotates_under_traffic(world: &World, gateways: &[&Gateway]) {
    let (done, used) = (AtomicBool::new(false), AtomicUsize::new(0));
    let users: Vec<Api> = gateways.iter().map(|gateway| gateway.internal()).collect();
    let hands = gateways.iter().flat_map(|gateway| [gateway.public(), gateway.internal()]);
    let working =
        join_all(hands.map(|issuer| traffic(issuer, users.clone(), world.client.clone(), &done, &used)));
    let rotating = async {
        let first = kids(&world.gateway.public()).await;
        assert_eq!(first.len(), 1);
        let (mut expected, mut newest) = (first.clone(), String::new());
        for round in 0..3 {
            let before = used.load(Ordering::Relaxed);
            let rotated = world.gateway.cli(&["keys", "rotate", "signing", "--json"]).await.json();
            let kid = rotated["kid"].as_str().unwrap().to_owned();
            expected.insert(kid.clone());
            newest.clone_from(&kid);
            assert!(rotated["old_published_until"].as_str() > rotated["signs_from"].as_str(), "{rotated}");
            for gateway in gateways {
                until("the new key is published beside the old ones", || async {
                    (kids(&gateway.public()).await == expected).then_some(())
                })
                .await;
            }
            // The last rotation overtakes the one before it: that key may never sign.
            if round == 1 {
                continue;
            }
            for gateway in gateways {
                until("the new key signs", || async {
                    let answer =
                        gateway.public().post(TOKEN, &token_request(&world.client)).await.expect(200);
                    let token = answer["access_token"].as_str().unwrap().to_owned();
                    (jwt::parts(&token).0["kid"] == json!(kid)).then_some(())
                })
                .await;
            }
            until("there is traffic", || async {
                (used.load(Ordering::Relaxed) > before + 20).then_some(())
            })
            .await;
        }
        done.store(true, Ordering::Release);
        (first, expected, newest)
    };
    let (signed_by, (first, expected, newest)) = futures::future::join(working, rotating).await;
    for signed_by in &signed_by {
        assert!(signed_by.is_superset(&first) && signed_by.is_subset(&expected), "{signed_by:?}");
        assert!(signed_by.contains(&newest), "the last key signs at the end: {signed_by:?}");
    }
    let all: BTreeSet<_> = signed_by.into_iter().flatten().collect();
    assert!(all.len() >= 3, "the keys between signed too: {all:?}");
}

#[tokio::test]
async fn a_signing_key_is_rotated_without_one_refused_request_on_two_replicas() {
    // Replicas go by one name.
    let options = Options::default().variable("GATEWAY_OAUTH__ISSUER", "https://gateway.example");
    let world = World::unconfigured(Engine::Postgres, options).await;
    let mut replica = world.gateway.replica();
    replica.serve().await;
    rotates_under_traffic(&world, &[&world.gateway, &replica]).await;
}

#[tokio::test]
async fn a_signing_key_is_rotated_without_one_refused_request_in_one_process() {
    let world = World::unconfigured(Engine::Sqlite, Options::default()).await;
    rotates_under_traffic(&world, &[&world.gateway]).await;
    let rotated = world.gateway.cli(&["keys", "rotate", "signing"]).await;
    assert!(rotated.succeeded().stdout.contains("signs from"), "{rotated:?}");
}

const WEBHOOK_TOKEN: &str = "webhook-token-1f2e3d4c5b6a";

/// Configures the workspace with a webhook token too.
async fn configure_webhook(world: &World) {
    let file = world.gateway.folder().join("webhook.token");
    std::fs::write(&file, WEBHOOK_TOKEN).unwrap();
    world.configure(world.workspace, &["--webhook-token-file", file.to_str().unwrap()]).await;
    std::fs::remove_file(&file).unwrap();
}

/// Tokens, webhooks and submissions work, now.
async fn everything_works(world: &World, provider: &ScriptedProvider) {
    world.gateway.public().post(TOKEN, &token_request(&world.client)).await.expect(200);
    world.api.get(LIST).await.expect(200);
    webhooks_work(world).await;
    let uuid = world.issue(&world.document()).await;
    world.until(&uuid, "issued").await;
    let calls = provider.calls_for(&uuid, Route::PutEntry);
    assert_eq!(calls[0].authorization, format!("Bearer {PROVIDER_TOKEN}"));
}

async fn webhooks_work(world: &World) {
    let webhook = |token: &'static str| {
        let public = world.gateway.public().with_token(token);
        async move { public.post("/webhooks/provider", &json!({"id": gateway_tests::fresh_uuid()})).await }
    };
    webhook(WEBHOOK_TOKEN).await.expect(204);
    assert_eq!(webhook("another").await.status, 401);
}

fn line_of(world: &World, id: &str) -> (String, String) {
    let path = world.gateway.folder().join("master.key");
    let text = std::fs::read_to_string(path).unwrap();
    let line = text.lines().find(|line| line.starts_with(id)).unwrap().to_owned();
    (text, line)
}

#[tokio::test]
async fn a_master_key_is_rotated_while_everybody_works_and_the_old_one_can_go() {
    on_both(|engine| async move {
        let provider = ScriptedProvider::start().await;
        let options = Options::provider(&provider.url()).variable("GATEWAY_PROVIDER__POLL_AFTER_S", "1");
        let mut world = World::with(engine, options).await;
        configure_webhook(&world).await;
        everything_works(&world, &provider).await;
        let done = AtomicBool::new(false);
        let working = async {
            while !done.load(Ordering::Acquire) {
                world.gateway.internal().post(TOKEN, &token_request(&world.client)).await.expect(200);
                world.api.get(LIST).await.expect(200);
                webhooks_work(&world).await;
            }
        };
        let rotating = async {
            let uuid = world.issue(&world.document()).await;
            let mut last = Value::Null;
            for _ in 0..2 {
                last = world.gateway.cli(&["keys", "rotate", "master", "--json"]).await.json();
                assert_eq!((&last["fresh"], &last["damaged"]), (&json!(true), &json!([])), "{last}");
            }
            world.until(&uuid, "issued").await;
            everything_works(&world, &provider).await;
            done.store(true, Ordering::Release);
            last
        };
        let ((), rotated) = futures::future::join(working, rotating).await;
        assert_eq!(rotated["resealed"], json!(3), "two tokens and a signing key: {rotated}");
        let keys = rotated["keys"].as_array().unwrap();
        assert_eq!(keys.len(), 3);
        for older in &keys[1..] {
            assert_eq!(older["state"], "older");
            for kind in ["provider_tokens", "webhook_tokens", "signing_keys"] {
                assert_eq!(older[kind], json!(0), "{older}");
            }
        }
        // The client showed its secret meanwhile, so nothing depends on the old keys, and doctor says so.
        for older in &keys[1..] {
            let id = older["id"].as_str().unwrap();
            let doctor = world.gateway.cli(&["doctor"]).await;
            assert!(doctor.stdout.contains(&format!("Nothing depends on master key {id}")), "{doctor:?}");
            let (text, line) = line_of(&world, id);
            let path = world.gateway.folder().join("master.key");
            std::fs::write(&path, text.replace(&format!("{line}\n"), "")).unwrap();
        }
        everything_works(&world, &provider).await;
        world.gateway.kill9();
        world.serve_again().await;
        everything_works(&world, &provider).await;
        assert!(!world.gateway.log().contains(line_of(&world, keys[0]["id"].as_str().unwrap()).1.as_str()));
    })
    .await;
}

#[tokio::test]
async fn a_staged_key_reaches_another_host_before_it_is_used() {
    let provider = ScriptedProvider::start().await;
    let options = Options::provider(&provider.url()).variable("GATEWAY_PROVIDER__POLL_AFTER_S", "1");
    let world = World::with(Engine::Postgres, options).await;
    configure_webhook(&world).await;
    // Another host has a file of its own.
    let (here, there) = (world.gateway.folder().join("master.key"), world.gateway.folder().join("there.key"));
    std::fs::copy(&here, &there).unwrap();
    let mut replica = world.gateway.replica();
    let options = replica.options().clone();
    replica.reconfigure(options.variable("GATEWAY_SECRETS__MASTER_KEY_FILE", there.to_str().unwrap()));
    replica.serve().await;
    let staged = world.gateway.cli(&["keys", "rotate", "master", "--stage", "--json"]).await.json();
    std::fs::copy(&here, &there).unwrap();
    let rotated = world.gateway.cli(&["keys", "rotate", "master", "--json"]).await.json();
    assert_eq!(rotated["active"], staged["staged"]);
    // The other host opens everything, and seals with the key that is active there.
    let public = replica.public();
    public.post(TOKEN, &token_request(&world.client)).await.expect(200);
    let webhook = public.with_token(WEBHOOK_TOKEN);
    webhook.post("/webhooks/provider", &json!({"id": gateway_tests::fresh_uuid()})).await.expect(204);
    let remote_service = replica.cli(&["keys", "rotate", "signing", "--json"]).await.json();
    assert!(remote_service["kid"].is_string());
    // When it has the new file too, what it sealed meanwhile is sealed anew.
    std::fs::copy(&here, &there).unwrap();
    let finished = replica.cli(&["keys", "rotate", "master", "--finish", "--json"]).await.json();
    assert_eq!((&finished["fresh"], &finished["resealed"]), (&json!(false), &json!(1)), "{finished}");
    public.post(TOKEN, &token_request(&world.client)).await.expect(200);
}

#[tokio::test]
async fn a_rotation_that_is_killed_is_finished_by_the_next_one() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        // As a rotation leaves it that died right after the file: another key is active, nothing is sealed with it.
        let path = world.gateway.folder().join("master.key");
        let text = std::fs::read_to_string(&path).unwrap();
        let rotated = world.gateway.cli(&["keys", "rotate", "master", "--stage", "--json"]).await.json();
        let (_, line) = line_of(&world, rotated["staged"].as_str().unwrap());
        std::fs::write(&path, format!("{}\n{text}", line.trim_end_matches(" staged"))).unwrap();
        world.gateway.public().post(TOKEN, &token_request(&world.client)).await.expect(200);
        let finished = world.gateway.cli(&["keys", "rotate", "master", "--json"]).await.json();
        assert_eq!((&finished["fresh"], &finished["resealed"]), (&json!(false), &json!(1)), "{finished}");
        assert_eq!(finished["active"], rotated["staged"]);
        until("the gateway has the new key", || async {
            world.gateway.public().post(TOKEN, &token_request(&world.client)).await.expect(200);
            world.gateway.log().contains("Read the master keys again").then_some(())
        })
        .await;
        // A broken file is said once, and the gateway goes on with the keys it has.
        let good = std::fs::read_to_string(&path).unwrap();
        // In one step, so that there is one broken state to be told of.
        let put = |text: &str| {
            let draft = world.gateway.folder().join("draft.key");
            std::fs::write(&draft, text).unwrap();
            std::fs::rename(&draft, &path).unwrap();
        };
        put("half of a li");
        until("the broken file is noticed", || async {
            world.gateway.public().post(TOKEN, &token_request(&world.client)).await.expect(200);
            world.gateway.log().contains("Goes on with the master keys").then_some(())
        })
        .await;
        put(&good);
        world.gateway.cli(&["keys", "rotate", "signing"]).await.succeeded();
        world.gateway.public().post(TOKEN, &token_request(&world.client)).await.expect(200);
        assert_eq!(world.gateway.log().matches("Goes on with the master keys").count(), 1);
    })
    .await;
}
