//! Signals that change a gateway while it serves.

use gateway_tests::{Engine, Gateway, Options, World, until};
use serde_json::json;
use std::fs;

async fn logged(gateway: &Gateway, text: &str) {
    until(&format!("'{text}' is logged"), || async { gateway.log().contains(text).then_some(()) }).await;
}

fn reload(gateway: &Gateway, configuration: &str) {
    fs::write(gateway.folder().join("gateway.toml"), configuration).unwrap();
    gateway.signal("HUP");
}

#[tokio::test]
async fn a_hangup_reloads_what_can_be_reloaded_and_says_what_changed() {
    let world = World::start(Engine::Sqlite).await;
    let limited = async || {
        let answer = world
            .gateway
            .public()
            .with_token(world.api.token())
            .post("/v1", &json!({"query": "{ __typename }"}))
            .await;
        answer.header("ratelimit-limit").to_owned()
    };
    assert_eq!(limited().await, "100");
    reload(
        &world.gateway,
        "[limits]\nrequests_per_s = 7\n[log]\nfilter = \"debug\"\n[oauth]\ntoken_lifetime_s = 60\n",
    );
    logged(
        &world.gateway,
        "SIGHUP: changed limits.requests_per_s, log.filter; at the next start oauth.token_lifetime_s",
    )
    .await;
    assert_eq!(limited().await, "14");
    logged(&world.gateway, "DEBUG").await;

    reload(&world.gateway, "[limits]\nrequests_per_s = \"many\"\n");
    logged(&world.gateway, "SIGHUP: the configuration stays as it was").await;
    assert_eq!(limited().await, "14");
}

#[tokio::test]
async fn a_hangup_changes_the_keys_that_plugins_must_be_signed_with() {
    let world = World::start(Engine::Sqlite).await;
    let key = world.gateway.folder().join("signing.key").display().to_string();
    let made = world.gateway.cli(&["plugin", "keygen", "--key", &key, "--json"]).await.json();
    let public = made["public_key"].as_str().unwrap();
    reload(&world.gateway, &format!("[plugins]\ntrusted_keys = [\"{public}\"]\n"));
    logged(&world.gateway, "SIGHUP: changed plugins.trusted_keys").await;
    let bytes = gateway_tests::hostile_component();
    let refused =
        world.api.send("POST", "/admin/plugins", &[("content-type", "application/wasm")], Some(bytes)).await;
    assert!(refused.status == 422 && refused.text.contains("sign"), "{refused:?}");
}

#[tokio::test]
async fn more_is_logged_for_a_while_without_a_restart() {
    let gateway = Gateway::start(Engine::Sqlite, Options::sandbox()).await;
    gateway.internal().get("/readyz").await.expect(200);
    assert!(!gateway.log().contains("DEBUG"), "{}", gateway.log());
    gateway.signal("USR1");
    logged(&gateway, "SIGUSR1").await;
    gateway.internal().get("/readyz").await.expect(200);
    logged(&gateway, "GET /readyz answered 200").await;
    gateway.signal("USR2");
    logged(&gateway, "What is logged is as configured again").await;
    let lines = gateway.log().matches("GET /readyz answered 200").count();
    gateway.internal().get("/readyz").await.expect(200);
    gateway.internal().get("/readyz").await.expect(200);
    assert_eq!(gateway.log().matches("GET /readyz answered 200").count(), lines);
}
