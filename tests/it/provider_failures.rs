//! Every class of provider failure ends as the decisions say: retried, rejected, or waiting with an alert.

use gateway_tests::{Engine, Fault, Options, Outcome, Route, ScriptedProvider, World, on_both, until};
use serde_json::{Value, json};

fn poll_every_second(provider: &ScriptedProvider) -> Options {
    Options::provider(&provider.url()).variable("GATEWAY_PROVIDER__POLL_AFTER_S", "1")
}

async fn world(engine: Engine, provider: &ScriptedProvider) -> World {
    World::with(engine, poll_every_second(provider)).await
}

/// Still issuing, with a next step or an alert that says what to do.
fn assert_waits_for_somebody(submission: &Value) {
    let message = submission["alert"]["message"].as_str().unwrap_or_default();
    assert!(message.len() > 10, "{submission}");
    assert!(!message.contains(gateway_tests::PROVIDER_TOKEN), "{submission}");
}

/// Issues a document about which the next `times` calls of a kind go wrong.
async fn issue_with(
    world: &World,
    provider: &ScriptedProvider,
    route: Route,
    times: usize,
    fault: Fault,
) -> String {
    let uuid = world.draft(&world.document()).await;
    provider.fail_for(&uuid, route, times, fault);
    world.command(&uuid, "issue", &json!({})).await.expect(200);
    uuid
}

#[tokio::test]
async fn unavailability_of_every_kind_is_retried() {
    on_both(|engine| async move {
        let provider = &ScriptedProvider::start().await;
        let world = &world(engine, provider).await;
        let kinds = [
            Fault::Status(500, json!({"message": "oops"})),
            Fault::Status(503, json!({})),
            Fault::Status(408, json!({})),
            Fault::Later(1),
            Fault::Closed,
            Fault::Lost,
        ];
        let routes = [Route::PutEntry, Route::PutJob, Route::GetJob, Route::GetEntry];
        let cases = kinds.iter().flat_map(|fault| routes.map(|route| (fault.clone(), route)));
        let runs = cases.map(|(fault, route)| async move {
            let uuid = issue_with(world, provider, route, 1, fault.clone()).await;
            world.until(&uuid, "issued").await;
            let calls = provider.calls_for(&uuid, route);
            assert!(calls.len() >= 2 && calls[0].id == calls[1].id, "{fault:?}: {calls:?}");
            assert_eq!(calls[0].body, calls[1].body, "{fault:?}");
            assert_eq!(world.submission(&uuid).await["attempts"].as_array().unwrap().len(), 1, "{fault:?}");
        });
        futures::future::join_all(runs).await;
    })
    .await;
}

#[tokio::test]
async fn exhausted_retries_are_an_alert_and_an_operator_goes_on() {
    on_both(|engine| async move {
        let provider = ScriptedProvider::start().await;
        provider.fail(Route::PutEntry, 99, Fault::Status(502, json!({})));
        let world =
            World::with(engine, poll_every_second(&provider).variable("GATEWAY_PROVIDER__RETRY_MAX", "1"))
                .await;
        let uuid = world.issue(&world.document()).await;
        let waiting = world.until_alert(&uuid, "retriesExhausted").await;
        assert_waits_for_somebody(&waiting);
        assert_eq!(world.read(&uuid).await["status"], "issuing");
        assert_eq!(provider.calls_of(Route::PutEntry).len(), 2);
        provider.mend();
        world.retry(&uuid).await;
        world.until(&uuid, "issued").await;
        let puts = provider.calls_of(Route::PutEntry);
        assert!(puts.iter().all(|put| put.id == puts[0].id), "{puts:?}");
    })
    .await;
}

#[tokio::test]
async fn a_refused_token_keeps_the_document_issuing_until_it_is_mended() {
    on_both(|engine| async move {
        let provider = &ScriptedProvider::start().await;
        let world = &world(engine, provider).await;
        let runs =
            [(401, Route::PutEntry), (403, Route::PutJob), (401, Route::GetJob), (403, Route::GetEntry)];
        let runs = runs.map(|(status, route)| async move {
            let uuid =
                issue_with(world, provider, route, 99, Fault::Status(status, json!({"message": "no"}))).await;
            assert_waits_for_somebody(&world.until_alert(&uuid, "providerUnauthorised").await);
            assert_eq!(world.read(&uuid).await["status"], "issuing", "{route:?}");
            uuid
        });
        let waiting = futures::future::join_all(runs).await;
        provider.mend();
        for uuid in &waiting {
            world.retry(uuid).await;
            world.until(uuid, "issued").await;
        }
    })
    .await;
}

#[tokio::test]
async fn an_unknown_workflow_keeps_the_document_issuing() {
    on_both(|engine| async move {
        let provider = &ScriptedProvider::start().await;
        let world = &world(engine, provider).await;
        let runs = [
            Fault::Status(404, json!({"message": "workflow not found"})),
            Fault::Status(422, json!({"key": "validation", "fields": {"workflow_id": "unknown"}})),
        ]
        .map(|fault| async move {
            let uuid = issue_with(world, provider, Route::PutJob, 99, fault).await;
            assert_waits_for_somebody(&world.until_alert(&uuid, "workflowUnknown").await);
            assert_eq!(world.read(&uuid).await["status"], "issuing");
            uuid
        });
        let waiting = futures::future::join_all(runs).await;
        provider.mend();
        for uuid in &waiting {
            world.retry(uuid).await;
            world.until(uuid, "issued").await;
        }
    })
    .await;
}

#[tokio::test]
async fn content_the_provider_refuses_rejects_the_document_with_code_and_path() {
    on_both(|engine| async move {
        let provider = &ScriptedProvider::start().await;
        let world = &world(engine, provider).await;
        let old = json!({"key": "validation", "message": "validation", "fields": {"data": {"doc": {"customer": {"tax_id": {"code": "unknown type"}}}}}});
        let new = json!({"code": "validation", "faults": [{"code": "GOBL-ES-07", "paths": ["$.doc.customer.tax_id.code"], "message": "bad code"}]});
        let runs = [(old, "unknown type"), (new, "GOBL-ES-07"), (json!({"message": "no such schema"}), "no such schema")];
        let runs = runs.map(|(body, code)| async move {
            let uuid = issue_with(world, provider, Route::PutEntry, 1, Fault::Status(422, body.clone())).await;
            let rejected = world.until(&uuid, "rejected").await;
            let reason = rejected["rejection_reason"].as_str().unwrap();
            assert!(reason.contains("provider") && reason.contains(code), "{reason}");
            assert!(!body.to_string().contains("tax_id") || reason.contains("tax_id"), "{reason}");
            assert!(rejected["display_invoice_number"].is_string() && rejected["issuing_at"].is_null());
            let attempt = world.submission(&uuid).await["attempts"][0].clone();
            assert_eq!(attempt["outcome"], "rejected");
            assert_eq!(attempt["faults"].as_array().unwrap().len(), 1, "{attempt}");
            assert_eq!(provider.calls_for(&uuid, Route::PutJob).len(), 0);
            // It is mended and sent again.
            world.command(&uuid, "issue", &json!({})).await.expect(200);
            world.until(&uuid, "issued").await;
        });
        futures::future::join_all(runs).await;
    })
    .await;
}

#[tokio::test]
async fn a_job_that_failed_with_faults_rejects_the_document() {
    on_both(|engine| async move {
        let provider = ScriptedProvider::start().await;
        provider.outcome(Outcome::Failed(json!([{"provider": "verifactu", "code": 4104, "message": "name and NIF differ", "paths": ["$.doc.supplier"]}])));
        let world = world(engine, &provider).await;
        let uuid = world.issue(&world.document()).await;
        let rejected = world.until(&uuid, "rejected").await;
        assert!(rejected["rejection_reason"].as_str().unwrap().contains("4104"), "{rejected}");
        let faults = world.submission(&uuid).await["attempts"][0]["faults"].clone();
        assert_eq!((&faults[0]["code"], faults.as_array().unwrap().len()), (&json!("4104"), 1), "{faults}");
    })
    .await;
}

#[tokio::test]
async fn a_job_that_failed_without_a_reason_waits_for_somebody_and_gets_another_job() {
    on_both(|engine| async move {
        let provider = ScriptedProvider::start().await;
        provider.outcome(Outcome::Failed(json!([])));
        let world = world(engine, &provider).await;
        let uuid = world.issue(&world.document()).await;
        assert_waits_for_somebody(&world.until_alert(&uuid, "failedWithoutReason").await);
        assert_eq!(world.read(&uuid).await["status"], "issuing");
        provider.outcome(Outcome::Accepted(json!([])));
        world.retry(&uuid).await;
        world.until(&uuid, "issued").await;
        let jobs = provider.calls_of(Route::PutJob);
        assert!(jobs.len() == 2 && jobs[0].id != jobs[1].id, "{jobs:?}");
        let attempts = world.submission(&uuid).await["attempts"].clone();
        let outcomes: Vec<_> =
            attempts.as_array().unwrap().iter().map(|attempt| attempt["outcome"].clone()).collect();
        assert_eq!(outcomes, ["failed", "accepted"]);
    })
    .await;
}

#[tokio::test]
async fn a_success_without_proof_is_no_verdict() {
    on_both(|engine| async move {
        let provider = ScriptedProvider::start().await;
        provider.outcome(Outcome::AcceptedWithoutStamps);
        let world = world(engine, &provider).await;
        let uuid = world.issue(&world.document()).await;
        assert_waits_for_somebody(&world.until_alert(&uuid, "verdictUndecided").await);
        assert_eq!(world.read(&uuid).await["status"], "issuing");
    })
    .await;
}

#[tokio::test]
async fn garbage_from_the_provider_is_an_alert_and_no_crash() {
    on_both(|engine| async move {
        let provider = &ScriptedProvider::start().await;
        let world = &world(engine, provider).await;
        let kinds = [
            Fault::Garbage,
            Fault::Status(200, json!([])),
            Fault::Status(200, json!({"id": 7})),
            Fault::Status(302, json!({})),
        ];
        let routes = [Route::PutEntry, Route::PutJob, Route::GetJob, Route::GetEntry];
        let cases = kinds.iter().flat_map(|fault| routes.map(|route| (fault.clone(), route)));
        let runs = cases.map(|(fault, route)| async move {
            let uuid = issue_with(world, provider, route, 99, fault).await;
            assert_waits_for_somebody(&world.until_alert(&uuid, "providerProtocol").await);
            assert_eq!(world.read(&uuid).await["status"], "issuing");
        });
        futures::future::join_all(runs).await;
        world.api.get("/readyz").await.expect(200);
    })
    .await;
}

#[tokio::test]
async fn without_a_provider_submissions_wait_with_an_alert_and_go_on_once_there_is_one() {
    on_both(|engine| async move {
        let mut world = World::with(engine, Options::default()).await;
        assert!(!world.gateway.has_sandbox(), "the sandbox never runs by accident");
        let uuid = world.issue(&world.document()).await;
        assert_waits_for_somebody(&world.until_alert(&uuid, "providerNotConfigured").await);
        assert_eq!(world.read(&uuid).await["status"], "issuing");
        let provider = ScriptedProvider::start().await;
        world.gateway.kill9();
        world.gateway.reconfigure(poll_every_second(&provider));
        world.serve_again().await;
        world.retry(&uuid).await;
        world.until(&uuid, "issued").await;
    })
    .await;
}

#[tokio::test]
async fn a_workspace_whose_configuration_was_cleared_waits_with_an_alert() {
    on_both(|engine| async move {
        let provider = ScriptedProvider::start().await;
        provider.outcome(Outcome::Running);
        let world = world(engine, &provider).await;
        let uuid = world.issue(&world.document()).await;
        until("the job runs", || async { (!provider.calls_of(Route::GetJob).is_empty()).then_some(()) })
            .await;
        let id = world.workspace.to_string();
        world.gateway.cli(&["workspace", "e-invoicing", "clear", "--workspace", &id]).await.succeeded();
        assert_waits_for_somebody(&world.until_alert(&uuid, "workspaceNotConfigured").await);
        assert_eq!(world.read(&uuid).await["status"], "issuing");
        provider.outcome(Outcome::Accepted(json!([])));
        world.configure(world.workspace, &[]).await;
        world.retry(&uuid).await;
        world.until(&uuid, "issued").await;
    })
    .await;
}

#[tokio::test]
async fn a_regime_without_a_plugin_is_named() {
    on_both(|engine| async move {
        let empty = tempfile::tempdir().unwrap();
        let provider = ScriptedProvider::start().await;
        let world = World::with(
            engine,
            Options { plugins: Some(empty.path().to_owned()), ..poll_every_second(&provider) },
        )
        .await;
        let uuid = world.draft(&world.document()).await;
        let failure = world.command(&uuid, "issue", &json!({})).await.expect(422);
        assert!(failure.to_string().contains("es-verifactu"), "{failure}");
        assert_eq!(world.read(&uuid).await["status"], "draft");
    })
    .await;
}
