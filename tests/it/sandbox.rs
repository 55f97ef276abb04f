//! The steering names of the built-in provider, and what the gateway makes of each.

use gateway_tests::{Options, World, on_both};
use serde_json::{Value, json};

fn poll_every_second() -> Options {
    Options::sandbox().variable("GATEWAY_PROVIDER__POLL_AFTER_S", "1")
}

#[tokio::test]
async fn a_webhook_that_never_comes_is_made_up_for_by_polling() {
    on_both(|engine| async move {
        let world = World::with(engine, poll_every_second()).await;
        let uuid = world.issue(&world.document().named("SANDBOX-NO-WEBHOOK")).await;
        world.until(&uuid, "issued").await;
        assert_eq!(world.submission(&uuid).await["attempts"].as_array().unwrap().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_webhook_ends_the_wait_long_before_the_poll() {
    on_both(|engine| async move {
        let world =
            World::with(engine, Options::sandbox().variable("GATEWAY_PROVIDER__POLL_AFTER_S", "3600")).await;
        let uuid = world.issue(&world.document()).await;
        world.until(&uuid, "issued").await;
        let uuid = world.issue(&world.document().named("SANDBOX-DUPLICATE-WEBHOOK SANDBOX-SLOW-0.5")).await;
        world.until(&uuid, "issued").await;
        let body = world.api.get(&format!("/finance/rpc/documents/{uuid}/events")).await.expect(200);
        assert_eq!(body["events"].as_array().unwrap().len(), 3, "told once: {body}");
    })
    .await;
}

#[tokio::test]
async fn a_slow_authority_keeps_the_document_issuing_with_a_next_step() {
    on_both(|engine| async move {
        let world = World::with(engine, poll_every_second()).await;
        let uuid = world.issue(&world.document().named("SANDBOX-SLOW-8")).await;
        let waiting = gateway_tests::until("the provider works", || async {
            Some(world.submission(&uuid).await).filter(|submission| submission["state"] == "waiting")
        })
        .await;
        assert!(waiting["next_step_at"].is_string() && waiting["alert"].is_null(), "{waiting}");
        assert_eq!(world.read(&uuid).await["status"], "issuing");
        world.until(&uuid, "issued").await;
    })
    .await;
}

#[tokio::test]
async fn an_unavailable_provider_is_called_again_under_the_same_ids() {
    on_both(|engine| async move {
        let world = World::with(engine, poll_every_second()).await;
        let uuid = world.issue(&world.document().named("SANDBOX-FAIL-2")).await;
        let retrying = gateway_tests::until("a call is repeated", || async {
            Some(world.submission(&uuid).await).filter(|submission| submission["retries"] != json!(0))
        })
        .await;
        assert!(retrying["next_step_at"].is_string(), "{retrying}");
        world.until(&uuid, "issued").await;
        let done = world.submission(&uuid).await;
        assert_eq!(done["entry_id"], retrying["entry_id"]);
        assert_eq!(done["attempts"].as_array().unwrap().len(), 1, "retries stay inside an attempt");
        assert_eq!(done["attempts"][0]["job_id"], retrying["attempts"][0]["job_id"]);
    })
    .await;
}

#[tokio::test]
async fn markers_combine() {
    on_both(|engine| async move {
        let world = World::with(engine, poll_every_second()).await;
        let uuid = world
            .issue(&world.document().named("Jane SANDBOX-REJECT-3000 SANDBOX-NO-WEBHOOK SANDBOX-SLOW-0.5"))
            .await;
        let rejected = world.until(&uuid, "rejected").await;
        assert!(rejected["rejection_reason"].as_str().unwrap().contains("3000"), "{rejected}");
    })
    .await;
}

#[tokio::test]
async fn what_the_sandbox_accepted_is_marked_and_the_authority_remembers_it() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        assert!(world.gateway.has_sandbox());
        let uuid = world.issue(&world.document()).await;
        let issued = world.until(&uuid, "issued").await;
        assert_eq!(issued["acceptance"]["sandbox"], json!(true));
        let number = issued["display_invoice_number"].as_str().unwrap();
        let entry =
            world.gateway.sandbox().get(&format!("/silo/v1/entries/key/{uuid}-{number}")).await.expect(200);
        assert_eq!(entry["id"], world.submission(&uuid).await["entry_id"]);
        assert_eq!(entry["data"]["doc"]["code"], number);
        let stamps = entry["data"]["head"]["stamps"].as_array().unwrap();
        let stamp =
            |name: &str| stamps.iter().find(|stamp| stamp["prv"] == name).map(|stamp| stamp["val"].clone());
        assert_eq!(stamp("verifactu-qr"), Some(issued["acceptance"]["qr_url"].clone()));
        assert_eq!(stamp("verifactu-hash"), Some(issued["acceptance"]["tax_system_hash"].clone()));
    })
    .await;
}

#[tokio::test]
async fn a_sandbox_of_its_own_process_serves_a_gateway_elsewhere() {
    on_both(|engine| async move {
        let mut world = World::with(
            engine,
            Options::provider("http://127.0.0.1:9").variable("GATEWAY_PROVIDER__POLL_AFTER_S", "1"),
        )
        .await;
        let hook = format!("{}/webhooks/provider", world.gateway.public().base());
        let alone = gateway_tests::Gateway::standalone_sandbox(
            engine,
            &["--addr", "127.0.0.1:0", "--webhook-url", &hook, "--token", gateway_tests::PROVIDER_TOKEN],
        )
        .await;
        world.gateway.kill9();
        let options =
            Options::provider(alone.sandbox().base()).variable("GATEWAY_PROVIDER__POLL_AFTER_S", "1");
        world.gateway.reconfigure(options);
        world.serve_again().await;
        let uuid = world.issue(&world.document()).await;
        let issued = world.until(&uuid, "issued").await;
        assert_eq!(
            issued["acceptance"]["sandbox"],
            json!(false),
            "nobody told this gateway that it is a sandbox"
        );
        let refused = alone.sandbox().with_token("wrong").get("/utils/v1/ping").await;
        assert_eq!(refused.status, 401);
        assert_ne!(issued["acceptance"]["qr_url"], Value::Null);
    })
    .await;
}
