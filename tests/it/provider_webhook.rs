//! The provider's notification: answered at once, never trusted.

use gateway_tests::{Options, Outcome, ScriptedProvider, World, fresh_uuid, on_both, until};
use serde_json::json;

const HOOK: &str = "/webhooks/provider";
const JSON: (&str, &str) = ("content-type", "application/json");

/// A gateway that does not poll while the test lasts, and a job that runs.
async fn document_with_running_job(
    engine: gateway_tests::Engine,
) -> (World, ScriptedProvider, String, String) {
    let provider = ScriptedProvider::start().await;
    provider.outcome(Outcome::Running);
    let world = World::with(
        engine,
        Options::provider(&provider.url()).variable("GATEWAY_PROVIDER__POLL_AFTER_S", "3600"),
    )
    .await;
    let uuid = world.issue(&world.document()).await;
    let entry = until("the provider works", || async {
        let submission = world.submission(&uuid).await;
        (submission["state"] == "waiting").then(|| submission["entry_id"].as_str().unwrap().to_owned())
    })
    .await;
    (world, provider, uuid, entry)
}

#[tokio::test]
async fn both_shapes_of_the_notification_are_understood() {
    on_both(|engine| async move {
        for full in [false, true] {
            let (world, provider, uuid, entry) = document_with_running_job(engine).await;
            provider.outcome(Outcome::Accepted(json!([])));
            let body = if full {
                json!({"id": fresh_uuid(), "event": "x", "transform_job_id": fresh_uuid(), "silo_entry_id": entry, "owner_id": "", "key": "k", "args": {}, "faults": []})
            } else {
                json!({"id": entry})
            };
            let answer = world.gateway.public().post(HOOK, &body).await;
            assert_eq!((answer.status, answer.text.as_str()), (204, ""));
            world.until(&uuid, "issued").await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_notification_that_lies_changes_nothing() {
    on_both(|engine| async move {
        let (world, provider, uuid, entry) = document_with_running_job(engine).await;
        let lie = json!({"silo_entry_id": entry, "event": "job-completed", "status": "OK", "state": "sent",
            "data": {"head": {"stamps": [{"prv": "verifactu-qr", "val": "https://evil.example"}]}},
            "faults": [{"provider": "verifactu", "code": "1110", "message": "x"}]});
        // Lies that come close together are one reason to look.
        until("the provider was asked twice", || async {
            assert_eq!(world.gateway.public().post(HOOK, &lie).await.status, 204);
            (provider.calls_of(gateway_tests::Route::GetJob).len() >= 2).then_some(())
        })
        .await;
        assert_eq!(world.read(&uuid).await["status"], "issuing");
        provider.outcome(Outcome::Accepted(json!([])));
        // Early, twice and at once: the last one finds the verdict.
        let public = world.gateway.public();
        let body = json!({"id": entry});
        let answers = futures::future::join_all((0..10).map(|_| public.post(HOOK, &body))).await;
        assert!(answers.iter().all(|answer| answer.status == 204));
        world.until(&uuid, "issued").await;
        assert_eq!(public.post(HOOK, &body).await.status, 204);
        let events = world.api.get(&format!("/finance/rpc/documents/{uuid}/events")).await.expect(200);
        assert_eq!(events["events"].as_array().unwrap().len(), 3, "{events}");
    })
    .await;
}

#[tokio::test]
async fn hundreds_of_notifications_about_one_invoice_are_one_verdict_and_few_calls() {
    on_both(|engine| async move {
        let (world, provider, uuid, entry) = document_with_running_job(engine).await;
        provider.outcome(Outcome::Accepted(json!([])));
        let (public, body) = (world.gateway.public(), json!({"id": entry}));
        for _ in 0..17 {
            let answers = futures::future::join_all((0..51).map(|_| public.post(HOOK, &body))).await;
            assert!(answers.iter().all(|answer| answer.status == 204));
        }
        world.until(&uuid, "issued").await;
        let events = world.api.get(&format!("/finance/rpc/documents/{uuid}/events")).await.expect(200);
        assert_eq!(events["events"].as_array().unwrap().len(), 3, "{events}");
        let looks = provider.calls_of(gateway_tests::Route::GetJob).len();
        assert!(looks < 50, "the provider was asked {looks} times for 867 notifications");
    })
    .await;
}

#[tokio::test]
async fn every_notification_is_answered_204() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let public = world.gateway.public();
        let bodies: Vec<Vec<u8>> = vec![
            Vec::new(),
            b"{".to_vec(),
            b"null".to_vec(),
            b"[]".to_vec(),
            b"{}".to_vec(),
            br#"{"id":7}"#.to_vec(),
            br#"{"id":"x"}"#.to_vec(),
            br#"{"id":""}"#.to_vec(),
            br#"{"silo_entry_id":{},"id":[]}"#.to_vec(),
            vec![0xff; 300],
            "[".repeat(50_000).into_bytes(),
            json!({"id": fresh_uuid()}).to_string().into_bytes(),
            json!({"silo_entry_id": "0193a1b2-0000-7000-8000-0000000f1000"}).to_string().into_bytes(),
        ];
        for body in bodies {
            for headers in [&[JSON][..], &[], &[("content-type", "text/plain")]] {
                let answer = public.send("POST", HOOK, headers, Some(body.clone())).await;
                assert_eq!(
                    (answer.status, answer.text.as_str()),
                    (204, ""),
                    "{}",
                    String::from_utf8_lossy(&body)
                );
            }
        }
        assert_eq!(public.get(HOOK).await.status, 405);
        // A bearer nobody asked for does no harm.
        assert_eq!(public.with_token("any").post(HOOK, &json!({"id": fresh_uuid()})).await.status, 204);
    })
    .await;
}

#[tokio::test]
async fn once_a_workspace_has_a_webhook_token_every_notification_shows_one() {
    on_both(|engine| async move {
        let provider = ScriptedProvider::start().await;
        provider.outcome(Outcome::Running);
        let world = World::unconfigured(
            engine,
            Options::provider(&provider.url()).variable("GATEWAY_PROVIDER__POLL_AFTER_S", "3600"),
        )
        .await;
        let token = world.gateway.folder().join("webhook.token");
        std::fs::write(&token, "webhook-token-1c8d4f02aa\n").unwrap();
        let configuration =
            world.configure(world.workspace, &["--webhook-token-file", token.to_str().unwrap()]).await;
        assert!(!configuration.to_string().contains("webhook-token-1c8d4f02aa"), "{configuration}");
        let uuid = world.issue(&world.document()).await;
        let entry = until("the provider works", || async {
            let submission = world.submission(&uuid).await;
            (submission["state"] == "waiting").then(|| submission["entry_id"].as_str().unwrap().to_owned())
        })
        .await;
        provider.outcome(Outcome::Accepted(json!([])));
        let public = world.gateway.public();
        until("the token is demanded", || async {
            (public.post(HOOK, &json!({"id": fresh_uuid()})).await.status == 401).then_some(())
        })
        .await;
        for api in [
            public.clone(),
            public.with_token("wrong"),
            public.with_token("webhook-token-1c8d4f02a"),
            public.with_token(world.api.token()),
        ] {
            for body in [json!({"id": entry}), json!({"id": fresh_uuid()}), json!({})] {
                let answer = api.post(HOOK, &body).await;
                assert_eq!(answer.status, 401, "{answer:?}");
                assert!(answer.header("www-authenticate").starts_with("Bearer"), "{answer:?}");
            }
        }
        assert_eq!(world.read(&uuid).await["status"], "issuing");
        // Another API token does not open the webhook.
        let configuration = world.configure(world.workspace, &[]).await;
        assert_eq!(configuration["webhook_token"], "set", "{configuration}");
        assert_eq!(public.post(HOOK, &json!({"id": entry})).await.status, 401);
        let good = public.with_token("webhook-token-1c8d4f02aa");
        assert_eq!(good.send("POST", HOOK, &[JSON], Some(b"{".to_vec())).await.status, 204);
        assert_eq!(good.post(HOOK, &json!({"id": entry})).await.status, 204);
        world.until(&uuid, "issued").await;
        assert!(!world.gateway.log().contains("webhook-token-1c8d4f02aa"));
    })
    .await;
}

#[tokio::test]
async fn a_webhook_token_opens_only_its_own_workspace() {
    on_both(|engine| async move {
        let provider = ScriptedProvider::start().await;
        provider.outcome(Outcome::Running);
        let world = World::unconfigured(
            engine,
            Options::provider(&provider.url()).variable("GATEWAY_PROVIDER__POLL_AFTER_S", "3600"),
        )
        .await;
        let other = world.another_workspace(&["--tax-id", "A58818501"]).await;
        for (workspace, text) in
            [(world.workspace, "webhook-token-of-the-first"), (other, "webhook-token-of-the-other")]
        {
            let file = world.gateway.folder().join(text);
            std::fs::write(&file, text).unwrap();
            world.configure(workspace, &["--webhook-token-file", file.to_str().unwrap()]).await;
        }
        let uuid = world.issue(&world.document()).await;
        let entry = until("the provider works", || async {
            let submission = world.submission(&uuid).await;
            (submission["state"] == "waiting").then(|| submission["entry_id"].as_str().unwrap().to_owned())
        })
        .await;
        provider.outcome(Outcome::Accepted(json!([])));
        let public = world.gateway.public();
        let looks = provider.calls_of(gateway_tests::Route::GetJob).len();
        until("the other's token is known", || async {
            (public.with_token("webhook-token-of-the-other").post(HOOK, &json!({"id": entry})).await.status
                == 204)
                .then_some(())
        })
        .await;
        // It is another workspace's invoice, and nobody looks at it.
        world.command(&fresh_uuid(), "issue", &json!({})).await.errors(410);
        assert_eq!(provider.calls_of(gateway_tests::Route::GetJob).len(), looks);
        until("the own token is known", || async {
            (public.with_token("webhook-token-of-the-first").post(HOOK, &json!({"id": entry})).await.status
                == 204)
                .then_some(())
        })
        .await;
        world.until(&uuid, "issued").await;
    })
    .await;
}
