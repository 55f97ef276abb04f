//! Verdicts given by hand, and the operator's view of submissions.

use gateway_tests::{Options, Outcome, ScriptedProvider, World, fresh_uuid, on_every, until};
use serde_json::{Value, json};

const ACCEPT: &str = "mark_as_accepted_by_tax_authority";
const REJECT: &str = "mark_as_rejected_by_tax_authority";

/// A document that waits for an authority that never answers.
async fn document_at_the_authority(engine: gateway_tests::Engine) -> (World, ScriptedProvider, String) {
    let provider = ScriptedProvider::start().await;
    provider.outcome(Outcome::Running);
    let world = World::with(engine, Options::provider(&provider.url())).await;
    let uuid = world.issue(&world.document()).await;
    until("the provider works", || async {
        (world.submission(&uuid).await["state"] == "waiting").then_some(())
    })
    .await;
    (world, provider, uuid)
}

#[tokio::test]
async fn an_acceptance_by_hand_issues_and_closes_the_submission() {
    on_every(|engine| async move {
        let (world, provider, uuid) = document_at_the_authority(engine).await;
        let number = world.read(&uuid).await["display_invoice_number"].clone();
        let proof = json!({"qr_url": "https://verify.example/1", "tax_system_hash": "ABC", "accepted_at": "2026-11-01T10:00:00Z"});
        let answer = world.command(&uuid, ACCEPT, &proof).await.expect(200);
        let event_types: Vec<_> = answer["events"].as_array().unwrap().iter().map(|event| event["type"].clone()).collect();
        assert_eq!(event_types, ["AcceptedByTaxAuthority", "Issued"]);
        let issued = world.read(&uuid).await;
        assert_eq!((&issued["status"], &issued["display_invoice_number"]), (&json!("issued"), &number));
        assert_eq!((&issued["acceptance"]["qr_url"], &issued["acceptance"]["tax_system_hash"]), (&proof["qr_url"], &proof["tax_system_hash"]));
        assert!(issued["acceptance"]["accepted_at"].as_str().unwrap().starts_with("2026-11-01T10:00:00"));
        let submission = world.submission(&uuid).await;
        assert_eq!((&submission["state"], &submission["attempts"][0]["outcome"]), (&json!("superseded"), &json!("superseded")));
        // What the provider says later counts no more.
        provider.outcome(Outcome::Failed(json!([{"code": "1110", "message": "late"}])));
        let entry = submission["entry_id"].clone();
        assert_eq!(world.gateway.public().post("/webhooks/provider", &json!({"id": entry})).await.status, 204);
        world.issue(&world.document()).await;
        assert_eq!(world.read(&uuid).await["status"], "issued");
        assert_eq!(world.command(&uuid, ACCEPT, &proof).await.expect(422)["result"], "failure");
        let retried = world.api.post(&format!("/finance/rpc/submissions/{uuid}/retry"), &json!({})).await;
        assert_eq!(retried.fields(422), ["state"]);
    })
    .await;
}

#[tokio::test]
async fn an_acceptance_by_hand_says_what_the_proof_is_or_that_there_is_none() {
    on_every(|engine| async move {
        let (world, _provider, uuid) = document_at_the_authority(engine).await;
        let hash = json!({"tax_system_hash": "ABC"});
        for (body, missing) in [
            (json!({}), vec!["qr_url", "tax_system_hash"]),
            (json!({"accepted_at": "2026-11-01T10:00:00Z"}), vec!["qr_url", "tax_system_hash"]),
            (hash, vec!["qr_url"]),
        ] {
            let failure = world.command(&uuid, ACCEPT, &body).await.expect(422);
            let named: Vec<_> = failure["errors"].as_object().unwrap().keys().map(String::as_str).collect();
            assert_eq!(named, missing, "{body}");
        }
        assert_eq!(world.read(&uuid).await["status"], "issuing");
        world.command(&uuid, ACCEPT, &json!({"qr_url": null, "tax_system_hash": null})).await.expect(200);
        assert_eq!(world.read(&uuid).await["status"], "issued");
    })
    .await;
}

#[tokio::test]
async fn a_rejection_by_hand_needs_a_reason_and_is_idempotent() {
    on_every(|engine| async move {
        let (world, _provider, uuid) = document_at_the_authority(engine).await;
        for body in
            [json!({}), json!({"reason": ""}), json!({"reason": 7}), json!({"reason": "x", "surprise": 1})]
        {
            let failure = world.command(&uuid, REJECT, &body).await.expect(422);
            assert_eq!(
                (&failure["result"], &failure["tag"]),
                (&json!("failure"), &json!("validation_error")),
                "{body}"
            );
        }
        let answer =
            world.command(&uuid, REJECT, &json!({"reason": "they called", "code": "4104"})).await.expect(200);
        assert_eq!(answer["events"][0]["type"], "RejectedByTaxAuthority");
        let rejected = world.read(&uuid).await;
        let reason = rejected["rejection_reason"].as_str().unwrap();
        assert!(
            rejected["status"] == "rejected" && reason.contains("they called") && reason.contains("4104"),
            "{rejected}"
        );
        let again = world.command(&uuid, REJECT, &json!({"reason": "again"})).await.expect(200);
        assert_eq!(
            (&again["events"], &again["document"]["rejection_reason"]),
            (&json!([]), &rejected["rejection_reason"])
        );
        assert_eq!(world.submission(&uuid).await["state"], "superseded");
    })
    .await;
}

#[tokio::test]
async fn a_verdict_on_anything_else_is_refused() {
    on_every(|engine| async move {
        let world = World::start(engine).await;
        let draft = world.draft(&world.document()).await;
        for (command, body) in [(ACCEPT, json!({})), (REJECT, json!({"reason": "x"}))] {
            let failure = world.command(&draft, command, &body).await.expect(422);
            assert_eq!(failure["result"], "failure", "{failure}");
            assert_eq!(world.command(&fresh_uuid(), command, &body).await.fields(410), ["uuid"]);
        }
        assert_eq!(world.read(&draft).await["status"], "draft");
    })
    .await;
}

#[tokio::test]
async fn operators_list_show_and_retry_submissions_beside_the_server() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        provider.outcome(Outcome::Failed(json!([])));
        let world = World::with(
            engine,
            Options::provider(&provider.url()).variable("GATEWAY_PROVIDER__POLL_AFTER_S", "1"),
        )
        .await;
        let uuid = world.issue(&world.document()).await;
        world.until_alert(&uuid, "failedWithoutReason").await;
        let gateway = &world.gateway;
        let list = gateway.cli(&["submission", "list"]).await;
        assert!(
            list.succeeded().stdout.contains(&uuid) && list.stdout.contains("failedWithoutReason"),
            "{list:?}"
        );
        let listed = gateway.cli(&["submission", "list", "--state", "waiting", "--json"]).await.json();
        assert_eq!(listed["submissions"][0]["document_id"], json!(uuid));
        let listed = gateway.cli(&["submission", "list", "--state", "accepted", "--json"]).await.json();
        assert_eq!(listed["submissions"], json!([]));
        let show = gateway.cli(&["submission", "show", &uuid, "--json"]).await.json();
        assert_eq!(
            (&show["alert"]["code"], &show["state"]),
            (&json!("failedWithoutReason"), &json!("waiting"))
        );
        // How long is left is counted down between the two.
        let without_countdown = |mut view: Value| {
            view.as_object_mut().unwrap().remove("due_in_s");
            view
        };
        assert_eq!(without_countdown(show), without_countdown(world.submission(&uuid).await));
        let output = gateway.cli(&["submission", "show", &uuid]).await.succeeded().stdout.clone();
        let lines = ["alert", "failedWithoutReason:", "waiting", "es-verifactu@", "JOB"];
        assert!(!output.starts_with('{') && lines.iter().all(|line| output.contains(line)), "{output}");
        provider.outcome(Outcome::Accepted(json!([])));
        gateway.cli(&["submission", "retry", &uuid]).await.succeeded();
        world.until(&uuid, "issued").await;
        let ended = gateway.cli(&["submission", "retry", &uuid]).await;
        assert_eq!((ended.code, ended.stderr.trim().lines().count()), (1, 1), "{ended:?}");
        assert_eq!(gateway.cli(&["submission", "show", &fresh_uuid()]).await.code, 1);
        assert_eq!(gateway.cli(&["submission", "show", "x"]).await.code, 2);
        assert_eq!(gateway.cli(&["submission", "list", "--state", "nowhere"]).await.code, 2);
    })
    .await;
}

#[tokio::test]
async fn every_document_at_the_authority_has_a_next_step_or_an_alert() {
    on_every(|engine| async move {
        let world = World::start(engine).await;
        for name in ["SANDBOX-SLOW-1", "SANDBOX-FAIL-1", "Jane"] {
            world.issue(&world.document().named(name)).await;
        }
        let list = world.gateway.cli(&["submission", "list", "--json"]).await.json();
        for submission in list["submissions"].as_array().unwrap() {
            let ended = ["accepted", "rejected", "superseded", "withdrawn"]
                .contains(&submission["state"].as_str().unwrap());
            let next = submission["next_step_at"].is_string() || submission["alert"] != Value::Null;
            assert!(ended || next, "{submission}");
        }
    })
    .await;
}
