//! The token endpoint (specification, Authentication; decisions, Tokens).

use crate::jwt;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gateway_tests::{Answer, Credentials, Engine, Options, World, on_both, until};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

const TOKEN: &str = "/v1/oauth2/token";

fn token_request(client: &Credentials) -> Value {
    json!({"grant_type": "client_credentials", "client_id": client.id, "client_secret": client.secret})
}

/// A good token answer; its claims.
#[track_caller]
fn claims(answer: &Answer) -> Value {
    let body = answer.expect(200);
    let members: BTreeSet<_> = body.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(members, BTreeSet::from(["access_token", "expires_in", "token_type"]));
    assert_eq!((&body["token_type"], &body["expires_in"]), (&json!("Bearer"), &json!(3600)));
    assert!(answer.header("cache-control").contains("no-store"), "{answer:?}");
    assert!(answer.header("content-type").starts_with("application/json"), "{answer:?}");
    jwt::parts(body["access_token"].as_str().unwrap()).1
}

/// A refusal as RFC 6749 §5.2 shapes it.
#[track_caller]
fn assert_refused(answer: &Answer, status: u16, error: &str) {
    let body = answer.expect(status);
    assert_eq!(body["error"], error, "{body}");
    assert!(answer.header("cache-control").contains("no-store"), "{answer:?}");
    assert!(answer.header("content-type").starts_with("application/json"), "{answer:?}");
    assert_eq!(answer.header("www-authenticate").is_empty(), status != 401, "{answer:?}");
    let known = ["error", "error_description", "error_uri"];
    assert!(body.as_object().unwrap().keys().all(|name| known.contains(&name.as_str())), "{body}");
}

#[tokio::test]
async fn a_token_carries_the_claims_of_the_specification_and_is_signed_by_a_published_key() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        for listener in [world.gateway.public(), world.gateway.internal()] {
            let answer = listener.post(TOKEN, &token_request(&world.client)).await;
            let claims = claims(&answer);
            let token = answer.json()["access_token"].as_str().unwrap().to_owned();
            let header = jwt::parts(&token).0;
            assert_eq!((&header["alg"], &header["typ"]), (&json!("ES256"), &json!("at+jwt")));
            assert_eq!(claims["sub"], world.client.id);
            assert_eq!(claims["client_id"], claims["sub"]);
            assert_eq!(claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap(), 3600);
            assert_eq!(claims["auth_time"], claims["iat"]);
            assert_eq!((&claims["token_use"], &claims["scope"]), (&json!("access"), &json!("platform")));
            assert_eq!(claims["version"], json!(2));
            assert!(!claims["jti"].as_str().unwrap().is_empty());
            let public = world.gateway.public().base().to_owned();
            assert_eq!((&claims["iss"], &claims["aud"]), (&json!(public), &json!(public)));
            assert!(claims.get("act").is_none(), "{claims}");
            let jwks = world.gateway.public().get("/.well-known/jwks.json").await.expect(200);
            assert!(jwt::is_signed_by(&token, &jwks));
            assert!(jwks["keys"].as_array().unwrap().iter().all(|key| key.get("d").is_none()), "{jwks}");
        }
    })
    .await;
}

#[tokio::test]
async fn the_metadata_names_the_endpoint_and_the_keys() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let public = world.gateway.public();
        let metadata = public.get("/.well-known/oauth-authorization-server").await.expect(200);
        assert_eq!(metadata["issuer"], public.base());
        assert_eq!(metadata["token_endpoint"], format!("{}{TOKEN}", public.base()));
        assert_eq!(metadata["jwks_uri"], format!("{}/.well-known/jwks.json", public.base()));
        assert_eq!(metadata["grant_types_supported"], json!(["client_credentials"]));
        let methods = &metadata["token_endpoint_auth_methods_supported"];
        assert_eq!(methods, &json!(["client_secret_post", "client_secret_basic"]));
        // Required by RFC 8414 §2, and §3.2 allows no empty list.
        assert_eq!(metadata["response_types_supported"], json!(["none"]));
        assert_eq!(metadata["scopes_supported"], json!(["platform"]));
        let named = public.get("/.well-known/oauth-authorization-server").await;
        assert!(named.header("content-type").starts_with("application/json"), "{named:?}");
        for (name, value) in metadata.as_object().unwrap() {
            let empty = value.as_str().is_some_and(str::is_empty) || value.is_null();
            assert!(!empty, "{name} has no value");
        }
    })
    .await;
}

#[tokio::test]
async fn json_forms_and_basic_credentials_give_the_same_token() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let (public, client) = (world.gateway.public(), &world.client);
        let form = ("content-type", "application/x-www-form-urlencoded");
        let basic = format!("Basic {}", STANDARD.encode(format!("{}:{}", client.id, client.secret)));
        // RFC 6749 §2.3.1: both parts are form-encoded, and a client may encode more than it has to.
        let every = |text: &str| {
            let bytes: Vec<_> = text.bytes().map(|byte| format!("%{byte:02x}")).collect();
            bytes.concat()
        };
        let percent =
            format!("basic {}", STANDARD.encode(format!("{}:{}", every(&client.id), every(&client.secret))));
        let in_body =
            format!("grant_type=client_credentials&client_id={}&client_secret={}", client.id, client.secret);
        let with_charset = ("content-type", "application/x-www-form-urlencoded; charset=utf-8");
        for answer in [
            public.send("POST", TOKEN, &[form], Some(in_body.clone().into_bytes())).await,
            public.send("POST", TOKEN, &[with_charset], Some(in_body.into_bytes())).await,
            public
                .send(
                    "POST",
                    TOKEN,
                    &[form, ("authorization", &basic)],
                    Some(b"grant_type=client_credentials".to_vec()),
                )
                .await,
            public
                .send(
                    "POST",
                    TOKEN,
                    &[form, ("authorization", &percent)],
                    Some(b"grant_type=client_credentials&scope=platform".to_vec()),
                )
                .await,
            public
                .send(
                    "POST",
                    TOKEN,
                    &[("content-type", "application/json; charset=utf-8"), ("authorization", &basic)],
                    Some(br#"{"grant_type":"client_credentials"}"#.to_vec()),
                )
                .await,
        ] {
            assert_eq!(claims(&answer)["sub"], client.id);
        }
    })
    .await;
}

#[tokio::test]
async fn the_actor_of_a_token_is_kept_without_its_other_members() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let public = world.gateway.public();
        let with = |act: Value| {
            let mut body = token_request(&world.client);
            body["act"] = act;
            body
        };
        let answer = public.post(TOKEN, &with(json!({"sub": "user-7 ü", "name": "x", "sub2": 1}))).await;
        assert_eq!(claims(&answer)["act"], json!({"sub": "user-7 ü"}));
        for act in
            [json!({}), json!({"sub": ""}), json!({"sub": 7}), json!({"sub": null}), json!("user"), json!([])]
        {
            assert_refused(&public.post(TOKEN, &with(act)).await, 400, "invalid_request");
        }
    })
    .await;
}

#[tokio::test]
async fn the_audit_trail_names_the_actor_of_a_token() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let mut body = token_request(&world.client);
        body["act"] = json!({"sub": "user-7"});
        let token = world.gateway.internal().post(TOKEN, &body).await.expect(200);
        let uuid = world.draft(&world.document()).await;
        let api = world.gateway.internal().with_token(token["access_token"].as_str().unwrap());
        api.put_empty(&format!("/invoicing/rpc/documents/{uuid}/issue")).await.expect(200);
        let actor = until("the change feed shows who issued the document", || async {
            let feed = world.api.get("/invoicing/rpc/events").await.expect(200);
            let events = feed["events"].as_array().unwrap().clone();
            events
                .into_iter()
                .find(|event| event["subject"] == json!(uuid) && event["type"] == "DocumentIssued")
        })
        .await["actor"]
            .clone();
        assert!(actor.to_string().contains("user-7"), "{actor}");
    })
    .await;
}

#[tokio::test]
async fn every_bad_request_has_the_error_of_the_rfc() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let (public, good) = (world.gateway.public(), token_request(&world.client));
        let without = |member: &str| {
            let mut body = good.clone();
            body.as_object_mut().unwrap().remove(member);
            body
        };
        let with = |member: &str, value: Value| {
            let mut body = good.clone();
            body[member] = value;
            body
        };
        for body in [
            without("grant_type"),
            without("client_id"),
            without("client_secret"),
            with("grant_type", json!(7)),
            with("client_id", json!(["x"])),
            with("client_secret", json!({})),
            with("grant_type", json!("")),
            json!([]),
            json!("x"),
        ] {
            assert_refused(&public.post(TOKEN, &body).await, 400, "invalid_request");
        }
        for grant in ["password", "authorization_code", "CLIENT_CREDENTIALS"] {
            assert_refused(
                &public.post(TOKEN, &with("grant_type", json!(grant))).await,
                400,
                "unsupported_grant_type",
            );
        }
        for body in [
            with("client_secret", json!("wrong")),
            with("client_id", json!("nobody")),
            with("client_id", json!("0193a1b2-0000-7000-8000-000000000000")),
            with("client_id", json!("' OR 1=1 --")),
        ] {
            assert_refused(&public.post(TOKEN, &body).await, 401, "invalid_client");
        }
        let json_type = ("content-type", "application/json");
        for (headers, body) in [
            (vec![json_type], "{".as_bytes().to_vec()),
            (vec![json_type], Vec::new()),
            (vec![json_type], vec![0xff, 0xfe]),
            (vec![("content-type", "text/plain")], good.to_string().into_bytes()),
            (vec![], good.to_string().into_bytes()),
        ] {
            assert_refused(&public.send("POST", TOKEN, &headers, Some(body)).await, 400, "invalid_request");
        }
        let bad_basic = [json_type, ("authorization", "Basic !!!")];
        let answer =
            public.send("POST", TOKEN, &bad_basic, Some(br#"{"grant_type":"client_credentials"}"#.to_vec()));
        assert_refused(&answer.await, 401, "invalid_client");
        assert_eq!(public.get(TOKEN).await.status, 405);
    })
    .await;
}

#[tokio::test]
async fn disabling_a_client_ends_its_tokens_within_two_seconds() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let doomed = world.another_client(&["invoicing.rpc"], &["*"]).await;
        let api = world.authenticated(&doomed).await;
        let list = "/invoicing/rpc/documents";
        api.get(list).await.expect(200);
        world.gateway.cli(&["client", "disable", &doomed.id]).await.succeeded();
        let disabled = Instant::now();
        let mut last_success = disabled;
        let answer = loop {
            let began = Instant::now();
            let answer = api.get(list).await;
            if answer.status == 401 {
                break answer;
            }
            answer.expect(200);
            last_success = began;
        };
        let lived = last_success.duration_since(disabled);
        assert!(lived < Duration::from_secs(2), "{lived:?}");
        assert!(answer.header("www-authenticate").contains("invalid_token"), "{answer:?}");
        assert_refused(
            &world.gateway.public().post(TOKEN, &token_request(&doomed)).await,
            401,
            "invalid_client",
        );
        assert_eq!(world.gateway.cli(&["client", "rotate-secret", &doomed.id]).await.code, 1);
    })
    .await;
}

#[tokio::test]
async fn rotating_a_secret_keeps_the_last_one_alive() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let public = world.gateway.public();
        let rotated =
            world.gateway.cli(&["client", "rotate-secret", &world.client.id, "--json"]).await.json();
        let second = rotated["client_secret"].as_str().unwrap().to_owned();
        assert_ne!(second, world.client.secret);
        let of = |secret: &str| {
            token_request(&Credentials { id: world.client.id.clone(), secret: secret.to_owned() })
        };
        claims(&public.post(TOKEN, &of(&world.client.secret)).await);
        claims(&public.post(TOKEN, &of(&second)).await);
        let rotated =
            world.gateway.cli(&["client", "rotate-secret", &world.client.id, "--json"]).await.json();
        claims(&public.post(TOKEN, &of(rotated["client_secret"].as_str().unwrap())).await);
        claims(&public.post(TOKEN, &of(&second)).await);
        assert_refused(&public.post(TOKEN, &of(&world.client.secret)).await, 401, "invalid_client");
        world.api.get("/invoicing/rpc/documents").await.expect(200);
    })
    .await;
}

#[tokio::test]
async fn a_secret_is_shown_once_and_a_client_without_grants_is_told_so() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let made = world.gateway.cli(&["client", "create", "--name", "bare"]).await;
        let said = format!("{}{}", made.succeeded().stdout, made.stderr).to_lowercase();
        assert!(said.contains("permission") && said.contains("workspace"), "{said}");
        let list = world.gateway.cli(&["client", "list", "--json"]).await;
        assert!(
            list.stdout.contains(&world.client.id) && !list.stdout.contains(&world.client.secret),
            "{list:?}"
        );
        let bare = world.as_client(&[], &[]).await;
        let refused = bare.get("/invoicing/rpc/documents").await;
        assert_eq!(refused.fields(403).len(), 1);
    })
    .await;
}

#[tokio::test]
async fn disabling_a_client_ends_its_tokens_on_every_replica() {
    let world = World::unconfigured(Engine::Postgres, Options::default()).await;
    let mut replica = world.gateway.replica();
    replica.serve().await;
    let doomed = world.another_client(&["invoicing.rpc"], &["*"]).await;
    let api = world.authenticated(&doomed).await;
    let list = "/invoicing/rpc/documents";
    let apis = [api.clone(), replica.internal().with_token(api.token())];
    for api in &apis {
        api.get(list).await.expect(200);
    }
    replica.cli(&["client", "disable", &doomed.id]).await.succeeded();
    let disabled = Instant::now();
    for api in &apis {
        let mut last_success = disabled;
        loop {
            let began = Instant::now();
            if api.get(list).await.status == 401 {
                break;
            }
            last_success = began;
        }
        let lived = last_success.duration_since(disabled);
        assert!(lived < Duration::from_secs(2), "{lived:?}");
    }
    for listener in [world.gateway.public(), replica.public()] {
        assert_refused(&listener.post(TOKEN, &token_request(&doomed)).await, 401, "invalid_client");
    }
}

#[tokio::test]
async fn repeated_wrong_secrets_are_refused_without_a_check() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let victim = world.another_client(&["invoicing.rpc"], &["*"]).await;
        let wrong = token_request(&Credentials { id: victim.id.clone(), secret: "gws_wrong".to_owned() });
        let (public, internal) = (world.gateway.public(), world.gateway.internal());
        for _ in 0..10 {
            assert_refused(&public.post(TOKEN, &wrong).await, 401, "invalid_client");
        }
        let basic = format!("Basic {}", STANDARD.encode(format!("{}:{}", victim.id, victim.secret)));
        let headers = [("content-type", "application/x-www-form-urlencoded"), ("authorization", &basic)];
        let form = Some(b"grant_type=client_credentials".to_vec());
        for answer in [
            public.post(TOKEN, &wrong).await,
            public.post(TOKEN, &token_request(&victim)).await,
            internal.post(TOKEN, &token_request(&victim)).await,
            public.send("POST", TOKEN, &headers, form).await,
        ] {
            assert_refused(&answer, 429, "slow_down");
            let wait: u32 = answer.header("retry-after").parse().unwrap();
            assert!((1..=60).contains(&wait), "{wait}");
        }
        claims(&public.post(TOKEN, &token_request(&world.client)).await);
        // The tokens it has are not touched.
        world.api.get("/invoicing/rpc/documents").await.expect(200);
    })
    .await;
}
