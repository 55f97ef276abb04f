//! `Idempotency-Key`: a request that may be repeated is carried out once and answered alike.

use gateway_tests::{Answer, Engine, Options, World, on_both};
use serde_json::json;

async fn send_with_key(world: &World, method: &str, path: &str, key: &str, body: &str) -> Answer {
    let headers = [("content-type", "application/json"), ("idempotency-key", key)];
    world.api.send(method, path, &headers, Some(body.as_bytes().to_vec())).await
}

#[tokio::test]
async fn the_same_key_and_body_answer_the_same() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        for call in ["issuing", "issue"] {
            let uuid = world.draft(&world.document()).await;
            let path = format!("/invoicing/rpc/documents/{uuid}/{call}");
            let first = send_with_key(&world, "PUT", &path, &uuid, "").await.expect(200);
            assert_eq!(send_with_key(&world, "PUT", &path, &uuid, "").await.expect(200), first, "{call}");
            assert_eq!(
                world.rpc(&uuid, call).await.fields(422),
                ["status"],
                "without the key it is another request"
            );
        }
        let next = world.draft(&world.document()).await;
        let number = world.rpc(&next, "issue").await.expect(200)["display_invoice_number"].to_string();
        assert!(number.contains("-000003"), "a repeated request uses no number: {number}");
    })
    .await;
}

#[tokio::test]
async fn the_same_key_with_another_body_is_a_conflict() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let uuid = world.draft(&world.document()).await;
        world.rpc(&uuid, "issuing").await.expect(200);
        let path = format!("/invoicing/rpc/documents/{uuid}/reject");
        let first = send_with_key(&world, "PUT", &path, "k-1", r#"{"reason":"first"}"#).await.expect(200);
        send_with_key(&world, "PUT", &path, "k-1", r#"{"reason":"second"}"#).await.errors(409);
        assert_eq!(
            send_with_key(&world, "PUT", &path, "k-1", r#"{"reason":"first"}"#).await.expect(200),
            first
        );
        assert_eq!(world.read(&uuid).await["rejection_reason"], "first");
    })
    .await;
}

#[tokio::test]
async fn a_repeated_issue_command_submits_once() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let uuid = world.draft(&world.document()).await;
        let path = format!("/finance/rpc/documents/{uuid}/commands/issue");
        let first = send_with_key(&world, "POST", &path, "k-2", "{}").await.expect(200);
        let second = send_with_key(&world, "POST", &path, "k-2", "{}").await.expect(200);
        assert_eq!(second["document"]["display_invoice_number"], first["document"]["display_invoice_number"]);
        send_with_key(&world, "POST", &path, "k-2", r#"{"at":"2026-01-01T00:00:00Z"}"#).await.errors(409);
        world.until(&uuid, "issued").await;
        let events = world.api.get(&format!("/finance/rpc/documents/{uuid}/events")).await.expect(200);
        assert_eq!(events["events"].as_array().unwrap().len(), 3, "{events}");
        let submission = world.submission(&uuid).await;
        assert_eq!(
            (submission["attempts"].as_array().unwrap().len(), &submission["state"]),
            (1, &json!("accepted"))
        );
    })
    .await;
}

#[tokio::test]
async fn the_same_request_at_the_same_moment_is_answered_alike() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let drafts = [world.draft(&world.document()).await, world.draft(&world.document()).await];
        let calls = [
            ("PUT", format!("/invoicing/rpc/documents/{}/issuing", drafts[0])),
            ("POST", format!("/finance/rpc/documents/{}/commands/issue", drafts[1])),
        ];
        for (method, path) in &calls {
            let requests = (0..8).map(|index| {
                // Members in another order, and none at all, ask for the same.
                let body = if index % 2 == 0 { "" } else { "{}" };
                send_with_key(&world, method, path, path, body)
            });
            let mut answers = futures::future::join_all(requests).await.into_iter();
            let first = answers.next().unwrap().expect(200);
            for other in answers {
                assert_eq!(other.expect(200), first, "{method} {path}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_rejection_that_changes_nothing_is_repeated_and_never_rejects_the_next_attempt() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let uuid = world.draft(&world.document()).await;
        world.rpc(&uuid, "issuing").await.expect(200);
        world.rpc(&uuid, "reject").await.expect(200);
        let path = format!("/invoicing/rpc/documents/{uuid}/reject");
        let first = send_with_key(&world, "PUT", &path, "again", "").await.expect(200);
        world.rpc(&uuid, "issuing").await.expect(200);
        assert_eq!(send_with_key(&world, "PUT", &path, "again", "{}").await.expect(200), first);
        assert_eq!(world.read(&uuid).await["status"], "issuing");
        send_with_key(&world, "PUT", &path, "again", r#"{"reason":"other"}"#).await.errors(409);
    })
    .await;
}

#[tokio::test]
async fn two_keys_on_one_request_are_refused_and_nothing_is_carried_out() {
    let world = World::unconfigured(Engine::Sqlite, Options::default()).await;
    let uuid = world.draft(&world.document()).await;
    let keys = [("content-type", "application/json"), ("idempotency-key", "a"), ("idempotency-key", "b")];
    for (method, path) in [
        ("PUT", format!("/invoicing/rpc/documents/{uuid}/issuing")),
        ("PUT", format!("/invoicing/rpc/documents/{uuid}/issue")),
        ("POST", format!("/finance/rpc/documents/{uuid}/commands/issue")),
        ("POST", format!("/finance/rpc/documents/{uuid}/commands/issue?dry_run=true")),
    ] {
        let refused = world.api.send(method, &path, &keys, Some(b"{}".to_vec())).await;
        assert_eq!(refused.status, 400, "{path}: {refused:?}");
        assert!(
            refused.text.contains("is given twice: give one key for each request"),
            "{path}: {refused:?}"
        );
    }
    assert_eq!(world.read(&uuid).await["status"], "draft");
}
