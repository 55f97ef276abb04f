//! Versions of plugins that come in force at a time.

use crate::plugins::{PluginFolder, name, text};
use gateway_tests::{World, on_both, until};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

async fn scheduled(world: &World) -> Value {
    world.api.get("/admin/plugins").await.expect(200)["scheduled"].clone()
}

#[expect(clippy::disallowed_methods, reason = "the program that is tested has the system's clock")]
fn in_seconds(seconds: i64) -> String {
    (Timestamp::now() + SignedDuration::from_secs(seconds)).to_string()
}

#[tokio::test]
async fn a_version_that_is_scheduled_converts_the_documents_that_are_issued_from_then_on() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let folder = PluginFolder::of(&world.gateway).await;
        let new = folder.later('6');
        let file = folder.variant(&new, &[]);
        world.gateway.cli(&["plugin", "install", text(&file)]).await.succeeded();
        let issued = async || {
            let uuid = world.issue(&world.document()).await;
            world.until(&uuid, "issued").await;
            world.submission(&uuid).await["attempts"][0]["plugin_version"].clone()
        };
        let schedule = async |at: &str| {
            let ordered = world.gateway.cli(&["plugin", "activate", &name(&new), "--at", at]).await;
            let output = &ordered.succeeded().stdout;
            assert!(output.contains("comes in force for everybody at"), "{output}");
        };
        schedule("2999-01-01").await;
        assert_eq!(scheduled(&world).await[0]["id"], json!(name(&new)));
        let listed = world.gateway.cli(&["plugin", "list", "--json"]).await;
        assert!(listed.succeeded().stdout.contains("due_at"), "{listed:?}");
        assert_eq!(issued().await, json!(folder.version));

        world.gateway.cli(&["plugin", "unschedule", &name(&new)]).await.succeeded();
        // A slow machine must hear of the time before it is over.
        schedule(&in_seconds(8)).await;
        until("the version is in force", async || (scheduled(&world).await == json!([])).then_some(())).await;
        assert_eq!(issued().await, json!(new));
    })
    .await;
}

#[tokio::test]
async fn what_is_scheduled_is_refused_where_it_never_comes_in_force_and_is_taken_back() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let folder = PluginFolder::of(&world.gateway).await;
        let path = |step: &str| format!("/admin/plugins/{}/{step}", name(&folder.version));
        for at in ["", "tomorrow", "2020-01-01", "2026-11-20T00:00:00"] {
            let refused = world.api.post(&path("schedule"), &json!({"at": at})).await;
            assert_eq!(refused.fields(422), ["at"], "{at}");
        }
        let someday = json!({"at": "2999-01-01"});
        let unknown = world.api.post("/admin/plugins/es-verifactu@9.9.9/schedule", &someday).await;
        assert_eq!(unknown.fields(404), ["id"]);

        let done = world.api.post(&path("schedule"), &someday).await.expect(201);
        assert_eq!(done["id"], json!(name(&folder.version)), "{done}");
        world.api.post(&path("unschedule"), &json!({})).await.expect(204);
        assert_eq!(world.api.post(&path("unschedule"), &json!({})).await.fields(409), ["id"]);
        assert_eq!(scheduled(&world).await, json!([]));
    })
    .await;
}

#[tokio::test]
async fn a_version_that_breaks_an_issued_document_is_not_scheduled() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let folder = PluginFolder::of(&world.gateway).await;
        let uuid = world.issue(&world.document()).await;
        world.until(&uuid, "issued").await;
        // Its documents state no amount due.
        let wrong = folder.later('8');
        let file = folder.variant(&wrong, &[("retained_taxpayable", "retained_taxpayabel")]);
        world.gateway.cli(&["plugin", "install", text(&file)]).await.succeeded();
        let path = format!("/admin/plugins/{}/schedule", name(&wrong));
        let refused = world.api.post(&path, &json!({"at": "2999-01-01"})).await;
        let first = refused.errors(409).remove(0);
        assert!(first.contains("it breaks on invoice F-"), "{first}");
        assert_eq!(scheduled(&world).await, json!([]));
    })
    .await;
}
