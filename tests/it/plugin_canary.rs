//! A version of a plugin that serves a share of the documents beside the version in force.

use crate::plugins::{PluginFolder, name, text};
use aws_lc_rs::digest::{SHA256, digest};
use gateway_tests::{
    COMPANY, Document, Engine, Options, Outcome, PROVIDER_TOKEN, ScriptedProvider, WORKFLOW, World,
    another_hostile_component, fresh_uuid, hostile_component, line, on_both, reaching_component_for_spain,
    until,
};
use serde_json::{Value, json};

/// How often a plugin is stopped before it is blocked.
const STOPS: usize = 10;

/// The share of the documents, in percent, from which on a canary serves this one: written here once more, so that no release
/// changes it unnoticed.
fn hundredth(uuid: &str) -> u64 {
    let id = u128::from_str_radix(&uuid.replace('-', ""), 16).unwrap();
    let digest = digest(&SHA256, &id.to_be_bytes());
    u64::from_be_bytes(*digest.as_ref().first_chunk().unwrap()) % 100
}

/// A fresh id that a share of a half includes, or does not.
fn id_in_share(is_included: bool) -> String {
    loop {
        let uuid = fresh_uuid();
        if (hundredth(&uuid) < 50) == is_included {
            return uuid;
        }
    }
}

async fn share(world: &World, version: &str, percent: i64) -> Value {
    let path = format!("/admin/plugins/{version}/activate");
    world.api.post(&path, &json!({"share": percent})).await.expect(200)
}

/// Saves a document under an id and issues it.
async fn issue(world: &World, uuid: &str, document: &Document) {
    world.put_draft(uuid, document).await.expect(201);
    world.command(uuid, "issue", &json!({})).await.expect(200);
}

/// The version that converted a document.
async fn version(world: &World, uuid: &str) -> Value {
    world.submission(uuid).await["attempts"][0]["plugin_version"].clone()
}

/// Issues the document under an id; the version that converted it.
async fn converting_version(world: &World, uuid: &str) -> Value {
    issue(world, uuid, &world.document()).await;
    world.until(uuid, "issued").await;
    version(world, uuid).await
}

async fn plugin_view(world: &World, id: &str) -> Value {
    let list = world.api.get("/admin/plugins").await.expect(200);
    let all = list["plugins"].as_array().unwrap();
    all.iter().find(|plugin| plugin["id"] == id).cloned().unwrap_or_else(|| panic!("no {id} in {list}"))
}

/// How often a version was called for a function.
async fn calls(world: &World, plugin: &str, function: &str) -> u64 {
    let metrics = world.gateway.internal().get("/metrics").await.text;
    let counts = metrics.lines().filter_map(|line| {
        let (series, count) = line.rsplit_once(' ')?;
        let counted = series.starts_with("plugin_call_duration_seconds_count{")
            && series.contains(&format!("plugin=\"{plugin}\""))
            && series.contains(&format!("function=\"{function}\""));
        counted.then(|| count.parse::<u64>().unwrap())
    });
    counts.sum()
}

#[tokio::test]
async fn a_canary_serves_the_documents_of_its_share_until_it_is_put_in_force_or_taken_back() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let folder = PluginFolder::of(&world.gateway).await;
        let (old, new) = (folder.version.clone(), folder.later('7'));
        let file = folder.variant(&new, &[]);
        world.gateway.cli(&["plugin", "install", text(&file)]).await.succeeded();
        let activate = format!("/admin/plugins/{}/activate", name(&new));
        for percent in [0, 100] {
            assert_eq!(world.api.post(&activate, &json!({"share": percent})).await.fields(422), ["share"]);
        }
        let in_force = format!("/admin/plugins/{}/activate", name(&old));
        assert_eq!(world.api.post(&in_force, &json!({"share": 10})).await.fields(409), ["id"]);

        let started = share(&world, &name(&new), 50).await;
        assert_eq!((&started["share"], &started["replaced"]), (&json!(50), &json!(old)), "{started}");
        let view = plugin_view(&world, &name(&new)).await;
        let shares = json!([{"workspace_id": null, "percent": 50}]);
        assert_eq!(
            (&view["state"], &view["default"], &view["canaries"]),
            (&json!("active"), &json!(false), &shares)
        );
        for is_included in [true, false, true, false] {
            let uuid = id_in_share(is_included);
            let expected = if is_included { &new } else { &old };
            world.put_draft(&uuid, &world.document()).await.expect(201);
            let dry_run = world.command(&uuid, "issue?dry_run=true", &json!({})).await.expect(200);
            assert_eq!(dry_run["identity"]["plugin_version"], json!(expected), "{dry_run}");
            world.command(&uuid, "issue", &json!({})).await.expect(200);
            world.until(&uuid, "issued").await;
            assert_eq!(version(&world, &uuid).await, json!(expected), "{uuid} of {}", hundredth(&uuid));
        }
        let metrics = world.gateway.internal().get("/metrics").await.text;
        let percent = format!("plugin_canary_percent{{plugin=\"{}\",workspace=\"*\"}} 50", name(&new));
        assert!(metrics.contains(&percent), "{metrics}");

        let back = world.api.post("/admin/plugins/es-verifactu/rollback", &json!({})).await.expect(200);
        assert_eq!((&back["version"], &back["replaced"]), (&json!(old), &json!(new)), "{back}");
        assert_eq!(converting_version(&world, &id_in_share(true)).await, json!(old));
        share(&world, &name(&new), 50).await;
        let promoted = world.api.post(&activate, &json!({})).await.expect(200);
        let ended = json!([{"workspace_id": null, "version": new, "percent": 50}]);
        assert_eq!((&promoted["share"], &promoted["ended_canaries"]), (&Value::Null, &ended), "{promoted}");
        assert_eq!(converting_version(&world, &id_in_share(false)).await, json!(new));
    })
    .await;
}

#[tokio::test]
async fn a_canary_of_one_workspace_is_printed_and_its_end_too() {
    let world = World::start(Engine::Sqlite).await;
    let gateway = &world.gateway;
    let folder = PluginFolder::of(gateway).await;
    let (old, new) = (folder.version.clone(), folder.later('7'));
    gateway.cli(&["plugin", "install", text(&folder.variant(&new, &[]))]).await.succeeded();
    let printed = async |arguments: &[&str]| gateway.cli(arguments).await.succeeded().stdout.clone();
    let (old_name, new_name, id) = (name(&old), name(&new), world.workspace.to_string());

    let own = ["plugin", "activate", &new_name, "--share", "25", "--workspace", &id];
    let follows = "every process follows within two seconds.\n";
    let started =
        format!("{new_name} serves 25 % of the documents of workspace {id}, {old} the rest; {follows}");
    assert_eq!(printed(&own).await, started);
    let list = printed(&["plugin", "list"]).await;
    let row = list.lines().find(|line| line.starts_with(&new_name)).unwrap();
    assert!(row.contains("active") && row.contains(&format!("25 % of workspace {id}")), "{list}");
    let ended = format!("The canary {new} is over, which served 25 % of the documents of workspace {id}.\n");
    let back = printed(&["plugin", "rollback", "es-verifactu", "--workspace", &id]).await;
    assert_eq!(back, format!("{old_name} serves workspace {id}; {follows}{ended}"));

    let own = printed(&own).await;
    assert_eq!(own, started);
    let promoted = printed(&["plugin", "activate", &new_name]).await;
    assert_eq!(promoted, format!("{new_name} serves everybody instead of {old}; {follows}{ended}"));
    let wrong = gateway.cli(&["plugin", "activate", &old_name, "--share", "100"]).await;
    assert!(wrong.code == 2 && wrong.stderr.contains("give a percent from 1 to 99"), "{wrong:?}");
}

#[tokio::test]
async fn the_version_that_converted_a_document_explains_what_became_of_it() {
    on_both(|engine| async move {
        let provider = ScriptedProvider::start().await;
        let options = Options::provider(&provider.url()).variable("GATEWAY_PROVIDER__POLL_AFTER_S", "1");
        let world = World::with(engine, options).await;
        let folder = PluginFolder::of(&world.gateway).await;
        let (old, new) = (folder.version.clone(), folder.later('7'));
        let file = folder.variant(&new, &[]);
        world.gateway.cli(&["plugin", "install", text(&file)]).await.succeeded();
        provider.outcome(Outcome::Running);
        let uuid = id_in_share(true);
        issue(&world, &uuid, &world.document()).await;
        until("the document is with the provider", || async {
            Some(world.submission(&uuid).await).filter(|submission| submission["state"] == "waiting")
        })
        .await;
        share(&world, &name(&new), 50).await;
        provider.outcome(Outcome::Accepted(json!([])));
        world.until(&uuid, "issued").await;
        assert_eq!(version(&world, &uuid).await, json!(old));
        let interpreted =
            async |version: &str| calls(&world, &format!("es-verifactu {version}"), "interpret").await;
        assert!(interpreted(&old).await > 0);
        assert_eq!(interpreted(&new).await, 0, "what it did not convert it does not explain");
        let uuid = id_in_share(true);
        issue(&world, &uuid, &world.document()).await;
        world.until(&uuid, "issued").await;
        assert!(interpreted(&new).await > 0);
    })
    .await;
}

#[tokio::test]
async fn a_canary_that_breaks_on_a_document_leaves_it_to_the_version_in_force() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let folder = PluginFolder::of(&world.gateway).await;
        let (old, wrong) = (folder.version.clone(), "9.0.0");
        let wasm = [("content-type", "application/wasm")];
        let component = Some(reaching_component_for_spain());
        world.api.send("POST", "/admin/plugins", &wasm, component).await.expect(201);
        share(&world, &name(wrong), 50).await;
        let uuid = id_in_share(true);
        issue(&world, &uuid, &world.document().with("notes", json!("TRAP"))).await;
        world.until(&uuid, "issued").await;
        assert_eq!(version(&world, &uuid).await, json!(old));
        let sentence = format!("The canary es-verifactu {wrong} leaves a document to es-verifactu {old}: ");
        assert!(world.gateway.log().contains(&sentence), "{}", world.gateway.log());
        assert_eq!(plugin_view(&world, &name(wrong)).await["state"], "active", "a few stops block nobody");
    })
    .await;
}

#[tokio::test]
async fn a_canary_that_is_blocked_serves_nobody_and_the_version_in_force_every_document() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let wasm = [("content-type", "application/wasm")];
        let install = async |query: &str, component: Vec<u8>| {
            world
                .api
                .send("POST", &format!("/admin/plugins{query}"), &wasm, Some(component))
                .await
                .expect(201);
        };
        install("?activate=true", hostile_component()).await;
        install("", another_hostile_component()).await;
        let unlucky = world.another_workspace(&["--tax-id", "B12345674"]).await;
        let id = unlucky.to_string();
        let mut set = vec!["workspace", "e-invoicing", "set", "--workspace", &id, "--regime", "hostile"];
        set.extend(["--company-id", COMPANY, "--workflow-id", WORKFLOW, "--token-file", "-", "--json"]);
        world.gateway.cli_with(&set, &[], PROVIDER_TOKEN).await.json();
        let document = |notes: &str| {
            let night = line("Night", "1", "121.00", "21.0");
            Document::of(unlucky).with("lines", json!([night])).with("notes", json!(notes))
        };
        share(&world, "hostile@2.0.0", 50).await;
        let sound = id_in_share(false);
        world.put_draft(&sound, &document("SOUND")).await.expect(201);
        for _ in 0..STOPS {
            // Both versions trap on each of these; the version in force answers for another document in between.
            let bad = id_in_share(true);
            world.put_draft(&bad, &document("TRAP")).await.expect(201);
            world.command(&bad, "issue", &json!({})).await.expect(422);
            world.command(&sound, "issue?dry_run=true", &json!({})).await.expect(200);
        }
        until("the canary is blocked", || async {
            let view = plugin_view(&world, "hostile@2.0.0").await;
            (view["state"] == "blocked" && view["canaries"][0]["percent"] == 50).then_some(())
        })
        .await;
        until("the log says so", || async {
            world.gateway.log().contains("hostile@2.0.0 is blocked: ").then_some(())
        })
        .await;
        let metrics = world.gateway.internal().get("/metrics").await.text;
        let blocked =
            |line: &str| line.starts_with("plugin_blocked{plugin=\"hostile@2.0.0\"") && line.ends_with(" 1");
        assert!(metrics.lines().any(blocked), "{metrics}");
        assert_eq!(plugin_view(&world, "hostile@1.2.3").await["state"], "active");
        let uuid = id_in_share(true);
        issue(&world, &uuid, &document("SOUND")).await;
        until("the version in force converted it", || async {
            (version(&world, &uuid).await == "1.2.3").then_some(())
        })
        .await;
    })
    .await;
}
