//! Webhooks managed with a bearer token, without the legacy API.

use super::fast_retries;
use gateway_tests::{Api, Engine, Receiver, World, fresh_uuid, until};
use serde_json::json;

const WEBHOOKS: &str = "/v1/webhooks";

#[tokio::test]
async fn a_client_manages_the_webhooks_of_its_workspaces_with_its_token() {
    let receiver = Receiver::start().await;
    let world = World::with(Engine::Sqlite, fast_retries()).await;
    let own = world.workspace;
    let other = world.another_workspace(&[]).await;
    let api = as_client(&world, &["webhooks.write"], &[&own.to_string()]).await;

    let registered =
        api.post(WEBHOOKS, &json!({"notification_url": receiver.url("/hook"), "events": []})).await;
    let made = registered.expect(201)["webhook"].clone();
    assert_eq!((&made["workspace_id"], &made["enabled"]), (&json!(own), &json!(true)), "{made}");
    assert!(made["secret"].as_str().unwrap().starts_with("whsec_"));
    let one = format!("{WEBHOOKS}/{}", made["id"].as_str().unwrap());

    let page = api.get(WEBHOOKS).await.expect(200);
    assert_eq!((&page["total"], &page["webhooks"][0]["id"]), (&json!(1), &made["id"]), "{page}");
    assert!(page["webhooks"][0].get("secret").is_none());
    let none = api.get(&format!("{WEBHOOKS}?workspace_id={other}")).await.expect(200);
    assert_eq!(none, json!({"webhooks": [], "total": 0}));

    let delivery = api.post(&format!("{one}/test"), &json!({})).await.expect(202);
    assert_eq!(delivery["delivery"]["type"], "webhook.test");
    until("the test arrived", || async {
        let log = api.get(&format!("{one}/deliveries?status=delivered")).await.expect(200);
        (log["total"] == 1).then_some(())
    })
    .await;
    let again = json!({"delivery_id": delivery["delivery"]["id"]});
    assert_eq!(api.post(&format!("{one}/replay"), &again).await.expect(202)["replayed"], 1);

    let disabled = json!({"enabled": false}).to_string().into_bytes();
    let changed = api.send("PATCH", &one, &[("content-type", "application/json")], Some(disabled)).await;
    let changed = changed.expect(200);
    assert_eq!(changed["webhook"]["disabled_reason"], "owner");
    let rotated = api.post(&format!("{one}/rotate_secret"), &json!({})).await.expect(200);
    assert_ne!(rotated["webhook"]["secret"], made["secret"]);
    assert_eq!(api.get(&one).await.expect(200)["webhook"]["id"], made["id"]);
    for answer in [api.get(WEBHOOKS).await, api.get(&one).await] {
        for name in ["deprecation", "sunset", "link"] {
            assert_eq!(answer.header(name), "", "{name}");
        }
        assert!(!answer.header("ratelimit-limit").is_empty());
    }
    api.delete(&one).await.expect(204);
    api.get(&one).await.fields(404);
}

#[tokio::test]
async fn nobody_manages_webhooks_without_the_permission_or_of_a_workspace_that_is_not_theirs() {
    let world = World::with(Engine::Sqlite, fast_retries()).await;
    let other = world.another_workspace(&[]).await;
    let theirs = as_client(&world, &["webhooks.write"], &[&other.to_string()]).await;
    let registration = json!({"notification_url": "http://127.0.0.1:9/", "workspace_id": world.workspace});
    assert_eq!(theirs.post(WEBHOOKS, &registration).await.fields(404), ["workspace_id"]);
    let powerless = as_client(&world, &["bookings.read"], &["*"]).await;
    powerless.post(WEBHOOKS, &json!("no body is looked at")).await.expect(403);
    let all = as_client(&world, &["webhooks.write"], &["*"]).await;
    let unnamed = json!({"notification_url": "http://127.0.0.1:9/"});
    assert_eq!(all.post(WEBHOOKS, &unnamed).await.fields(422), ["workspace_id"]);
    let made = all.post(WEBHOOKS, &registration).await.expect(201)["webhook"].clone();
    let path = format!("{WEBHOOKS}/{}", made["id"].as_str().unwrap());
    theirs.get(&path).await.expect(404);
    theirs.delete(&path).await.expect(404);
    all.get(&format!("{WEBHOOKS}/{}", fresh_uuid())).await.expect(404);
    all.get(&path).await.expect(200);
}

/// Calls of the public listener with the token of a client with these permissions.
async fn as_client(world: &World, permissions: &[&str], workspaces: &[&str]) -> Api {
    let inside = world.as_client(permissions, workspaces).await;
    world.gateway.public().with_token(inside.token())
}
