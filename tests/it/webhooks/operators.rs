use super::{as_integrator, start};
use gateway_tests::{Reaction, on_both, until};
use serde_json::json;

#[tokio::test]
async fn operators_see_every_webhook_and_switch_them() {
    on_both(|engine| async move {
        let (world, receiver) = start(engine).await;
        let integrator = as_integrator(&world);
        receiver.reacts("/a", Reaction::Refuses(500));
        let (id, secret) = integrator.register(&receiver.url("/a"), &[]).await;
        integrator.change_tasks(3).await;
        receiver.until("/a", 1).await;
        let view = until("it fails", async || {
            let all = world.api.get("/admin/webhooks").await;
            let view = all.expect(200)["webhooks"][0].clone();
            assert!(!all.text.contains(&secret));
            view["failing_since"].is_string().then_some(view)
        })
        .await;
        assert_eq!((&view["id"], &view["workspace_id"]), (&json!(id), &json!(world.workspace)));
        assert_eq!(view["backlog"], 3);
        let log = world.api.get(&format!("/admin/webhooks/{id}/deliveries?limit=2")).await.expect(200);
        assert_eq!((&log["total"], log["deliveries"].as_array().unwrap().len()), (&json!(3), 2));
        let metrics = world.gateway.internal().get("/metrics").await.text;
        for line in [
            "webhook_deliveries_total{outcome=\"http_500\"}",
            "webhook_backlog 3",
            "webhook_oldest_due_seconds ",
        ] {
            assert!(metrics.contains(line), "{line}: {metrics}");
        }
        let off = world.api.post(&format!("/admin/webhooks/{id}/disable"), &json!({})).await.expect(200);
        assert_eq!(off["webhook"]["disabled_reason"], "operator");
        assert_eq!(integrator.patch(&id, &json!({"enabled": true})).await.fields(422), ["enabled"]);
        receiver.reacts("/a", Reaction::Takes);
        let listed = world.gateway.cli(&["webhook", "list"]).await;
        assert!(listed.succeeded().stdout.contains("disabled by an operator"), "{}", listed.stdout);
        world.gateway.cli(&["webhook", "enable", &id]).await.succeeded();
        integrator.until_deliveries(&id, "delivered", 3).await;
        let audit = world
            .gateway
            .cli(&["webhook", "deliveries", &id, "--status", "delivered", "--json"])
            .await
            .json();
        assert_eq!(audit["total"], 3);
        world.gateway.cli(&["webhook", "disable", &id]).await.succeeded();
        assert_eq!(
            integrator.get(&format!("/{id}")).await.expect(200)["webhook_registration"]["enabled"],
            false
        );
        let unknown = world.gateway.cli(&["webhook", "enable", "00000000-0000-0000-0000-000000000001"]).await;
        assert!(
            unknown.code == 1 && unknown.stderr.contains("there is no webhook registration"),
            "{unknown:?}"
        );
        let other = world.another_workspace(&[]).await;
        let remote_service = world.as_client(&["admin"], &[&other.to_string()]).await;
        assert_eq!(remote_service.get("/admin/webhooks").await.expect(200)["webhooks"], json!([]));
        let refused = remote_service.post(&format!("/admin/webhooks/{id}/enable"), &json!({})).await;
        assert_eq!(refused.fields(404), ["id"]);
        assert_eq!(remote_service.get(&format!("/admin/webhooks/{id}/deliveries")).await.fields(404), ["id"]);
        assert_eq!(world.api.post("/admin/webhooks/nonsense/enable", &json!({})).await.fields(400), ["id"]);
    })
    .await;
}
