use super::{Integrator, REGISTRATIONS, as_integrator, start};
use gateway_tests::{Options, Receiver, World, on_both};
use serde_json::json;

#[tokio::test]
async fn a_webhook_is_registered_listed_changed_and_deleted() {
    on_both(|engine| async move {
        let (world, receiver) = start(engine).await;
        let integrator = as_integrator(&world);
        let answer = integrator.post("", &json!({"notification_url": receiver.url("/a")})).await.expect(201);
        let made = &answer["webhook_registration"];
        let (id, secret) = (made["id"].as_str().unwrap(), made["secret"].as_str().unwrap());
        assert!(secret.starts_with("whsec_") && made["notification_url"] == receiver.url("/a"), "{made}");
        assert_eq!((&made["events"], &made["enabled"]), (&json!([]), &json!(true)));
        let (second, _) = integrator.register(&receiver.url("/b"), &["task.changed"]).await;
        let page = integrator.get("?perPage=1&page=2").await;
        let rest = &page.expect(200)["webhook_registrations"];
        assert_eq!((&rest[0]["id"], rest.as_array().unwrap().len()), (&json!(second), 1));
        assert_eq!(page.header("x-total-count"), "2");
        assert!(page.header("link").contains("rel=\"prev\"") && page.header("deprecation").starts_with('@'));
        assert!(!page.text.contains("whsec_") && !page.text.contains("secret\":"), "{}", page.text);
        let view = integrator.get(&format!("/{id}")).await.expect(200);
        assert_eq!(view["webhook_registration"]["id"], id);
        let changed =
            integrator.patch(id, &json!({"events": ["booking.changed"], "enabled": false})).await.expect(200);
        let changed = &changed["webhook_registration"];
        assert_eq!((&changed["events"], &changed["enabled"]), (&json!(["booking.changed"]), &json!(false)));
        assert_eq!(changed["disabled_reason"], "owner");
        let path = format!("{REGISTRATIONS}/{id}");
        let gone = integrator.call("DELETE", &path, None).await;
        assert_eq!((gone.status, gone.text.as_str()), (204, ""));
        assert_eq!(integrator.call("DELETE", &path, None).await.fields(404), ["id"]);
        assert_eq!(
            integrator.get("").await.expect(200)["webhook_registrations"].as_array().unwrap().len(),
            1
        );
        assert!(!world.gateway.log().contains(secret), "the log keeps no secret");
    })
    .await;
}

#[tokio::test]
async fn a_webhook_that_cannot_be_registered_is_refused_with_its_wrong_members() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let receiver = Receiver::start().await;
        let integrator = as_integrator(&world);
        for url in [
            receiver.url("/"),
            "http://localhost/".to_owned(),
            "http://127.1/".to_owned(),
            "http://0x7f000001/".to_owned(),
            "http://[::ffff:127.0.0.1]/".to_owned(),
            "http://169.254.169.254/latest/meta-data".to_owned(),
            "https://user:password@example.com/".to_owned(),
            "ftp://example.com/".to_owned(),
            "example.com".to_owned(),
            format!("https://example.com/{}", "x".repeat(2048)),
        ] {
            let answer = integrator.post("", &json!({"notification_url": url})).await;
            assert_eq!(answer.fields(422), ["notification_url"], "{url}");
        }
        let mail = integrator.post("", &json!({"notification_url": "https://example.com:25/"})).await;
        let other = "notification_url: use another port: 25 belongs to another protocol than HTTP";
        assert_eq!(mail.errors(422), [other]);
        let answer =
            integrator.post("", &json!({"notification_url": "x", "events": ["task.changed", "y"]})).await;
        assert_eq!(answer.fields(422), ["notification_url", "events[1]"]);
        assert_eq!(integrator.post("", &json!({})).await.status, 422);
        assert_eq!(
            integrator.post("", &json!({"notification_url": "https://a.example/", "x": 1})).await.fields(422),
            ["x"]
        );
        assert_eq!(integrator.get("?nonsense=1").await.fields(422), ["nonsense"]);
        for (rest, status) in [("/nonsense", 400), ("/00000000-0000-0000-0000-000000000001", 404)] {
            for call in ["", "/deliveries"] {
                assert_eq!(integrator.get(&format!("{rest}{call}")).await.fields(status), ["id"]);
            }
            for call in ["/test", "/rotate_secret"] {
                assert_eq!(
                    integrator.post(&format!("{rest}{call}"), &json!({})).await.fields(status),
                    ["id"]
                );
            }
            let body = json!({"from": "2026-01-01T00:00:00Z"});
            assert_eq!(integrator.post(&format!("{rest}/replay"), &body).await.fields(status), ["id"]);
            let path = rest.trim_start_matches('/');
            assert_eq!(integrator.patch(path, &json!({"enabled": true})).await.fields(status), ["id"]);
        }
        // A name that nobody knows now may be known later.
        let (id, _) = integrator.register("https://nobody.invalid/", &[]).await;
        for (body, field) in [
            (json!({}), "delivery_id"),
            (json!({"delivery_id": "x"}), "delivery_id"),
            (json!({"from": "yesterday"}), "from"),
            (json!({"from": "2026-01-02", "to": "2026-01-01"}), "to"),
            (json!({"from": "2026-01-02", "delivery_id": id}), "delivery_id"),
        ] {
            assert_eq!(integrator.post(&format!("/{id}/replay"), &body).await.fields(422), [field], "{body}");
        }
        assert_eq!(integrator.get(&format!("/{id}/deliveries?status=lost")).await.fields(422), ["status"]);
        for (method, rest) in [("POST", "/test"), ("POST", "/rotate_secret"), ("DELETE", "")] {
            let path = format!("{REGISTRATIONS}/{id}{rest}?nonsense=1");
            assert_eq!(integrator.call(method, &path, None).await.fields(422), ["nonsense"]);
        }
    })
    .await;
}

#[tokio::test]
async fn webhooks_of_another_workspace_are_not_there() {
    on_both(|engine| async move {
        let (world, receiver) = start(engine).await;
        let (id, _) = as_integrator(&world).register(&receiver.url("/a"), &[]).await;
        let other = world.another_workspace(&[]).await;
        let stranger = world.another_client(&["legacy"], &[&other.to_string()]).await;
        let there = Integrator { gateway: &world.gateway, credentials: &stranger, workspace: other };
        assert_eq!(there.get("").await.expect(200)["webhook_registrations"], json!([]));
        assert_eq!(there.get(&format!("/{id}")).await.fields(404), ["id"]);
        assert_eq!(there.patch(&id, &json!({"enabled": false})).await.fields(404), ["id"]);
        assert_eq!(there.post(&format!("/{id}/test"), &json!({})).await.fields(404), ["id"]);
        assert_eq!(there.call("DELETE", &format!("{REGISTRATIONS}/{id}"), None).await.fields(404), ["id"]);
        there.change_tasks(1).await;
        as_integrator(&world).change_tasks(1).await;
        let arrived = receiver.until("/a", 1).await;
        assert_eq!(arrived[0].body["data"]["workspace_id"], world.workspace);
    })
    .await;
}
