//! Notices over HTTP: told to a webhook that names them, of a client that may read them.

use super::{assert_documented, is_signed, start};
use gateway_tests::{Api, World, on_both};
use serde_json::{Value, json};

const WEBHOOKS: &str = "/v1/webhooks";

/// Calls of the public listener by a client with these permissions everywhere.
async fn as_client(world: &World, permissions: &[&str]) -> Api {
    let inside = world.as_client(permissions, &["*"]).await;
    world.gateway.public().with_token(inside.token())
}

fn registration(world: &World, url: &str, events: &[&str]) -> Value {
    json!({"workspace_id": world.workspace, "notification_url": url, "events": events})
}

#[tokio::test]
async fn a_document_accepted_with_errors_is_told_to_the_webhook_that_names_it_and_to_no_other() {
    on_both(|engine| async move {
        let (world, receiver) = start(engine).await;
        let named = registration(&world, &receiver.url("/named"), &["accepted_with_errors"]);
        let powerless = as_client(&world, &["webhooks.write"]).await;
        assert_eq!(powerless.post(WEBHOOKS, &named).await.fields(422), ["events[0]"]);
        let reader = as_client(&world, &["webhooks.write", "notices.read"]).await;
        let made = reader.post(WEBHOOKS, &named).await.expect(201)["webhook"].clone();
        let everything = registration(&world, &receiver.url("/everything"), &[]);
        reader.post(WEBHOOKS, &everything).await.expect(201);

        let clean = world.issue(&world.document()).await;
        let with_errors = world.issue(&world.document().named("Jane SANDBOX-REJECT-2001")).await;
        for uuid in [&clean, &with_errors] {
            world.until(uuid, "issued").await;
        }
        let arrived = receiver.until("/named", 1).await;
        assert!(is_signed(&arrived[0], made["secret"].as_str().unwrap()), "{arrived:?}");
        assert_documented(&world, &arrived).await;
        let (kind, data) = (&arrived[0].body["type"], &arrived[0].body["data"]);
        assert_eq!((kind, &data["id"]), (&json!("accepted_with_errors"), &json!(with_errors)));
        let document = world.read(&with_errors).await;
        assert_eq!(
            (&data["document_id"], &data["document_number"], &data["workspace_id"]),
            (&json!(with_errors), &document["display_document_number"], &json!(world.workspace))
        );
        let remark = &document["acceptance"]["warnings"][0];
        assert_eq!((&data["code"], &data["message"]), (&json!("2001"), &remark["message"]), "{data}");
        assert_eq!(data["next_command"], format!("gateway invoice show {with_errors}"));

        // Three of each document, and no notice among them.
        let others = receiver.until("/everything", 6).await;
        assert!(
            others.iter().all(|one| one.body["type"].as_str().unwrap().starts_with("invoice.")),
            "{others:?}"
        );
        assert_eq!(receiver.arrived("/named").len(), 1, "of the clean one there is nothing to be told");
    })
    .await;
}
