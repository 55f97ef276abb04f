//! Commands and verdicts by hand whose calls to the service fail, get lost or are refused.

use super::{event_types, until_events};
use gateway_tests::{Fault, Options, Outcome, Rpc, ScriptedProvider, World, line, on_both_remote, until};
use serde_json::{Value, json};

const ACCEPT: &str = "mark_as_accepted_by_tax_authority";
const REJECT: &str = "mark_as_rejected_by_tax_authority";
const ISSUED_AT: &str = "2026-11-01T10:00:00Z";

/// What the invoice data service tells of a document, once it has told as much.
async fn changes(world: &World, uuid: &str, count: usize) -> Vec<(String, String)> {
    let text = |event: &Value, name: &str| event[name].as_str().unwrap_or_default().to_owned();
    until("every change is in the feed", || async {
        let feed = world.api.get("/invoicing/rpc/events?limit=500").await.expect(200);
        let events = feed["events"].as_array().unwrap().iter();
        let of: Vec<_> = events
            .filter(|event| event["subject"] == *uuid)
            .map(|event| (text(event, "type"), text(event, "actor")))
            .collect();
        (of.len() >= count).then_some(of)
    })
    .await
}

#[tokio::test]
async fn lost_answers_of_the_service_change_nothing() {
    on_both_remote(|engine| async move {
        let world = World::start(engine).await;
        let proxy = &world.remote_service().proxy;
        for rpc in [Rpc::Issuing, Rpc::Issue] {
            proxy.fail(rpc, 1, Fault::Lost);
        }
        let accepted = world.draft(&world.document()).await;
        let answer = world.command(&accepted, "issue", &json!({})).await.expect(200);
        assert_eq!(answer["document"]["status"], "issuing");
        let issued = world.until(&accepted, "issued").await;
        assert_eq!(issued["display_invoice_number"], world.number(&issued, 1));
        until_events(&world, &accepted, &["Issuing", "AcceptedByTaxAuthority", "Issued"]).await;
        proxy.fail(Rpc::Issuing, 1, Fault::Lost);
        proxy.fail(Rpc::Reject, 1, Fault::Lost);
        let rejected = world.issue(&world.document().named("Jane SANDBOX-REJECT-1110")).await;
        let document = world.until(&rejected, "rejected").await;
        assert_eq!(document["display_invoice_number"], world.number(&document, 2), "one number each");
        until_events(&world, &rejected, &["Issuing", "RejectedByTaxAuthority"]).await;
        let kinds: Vec<_> = changes(&world, &rejected, 3).await.into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(kinds, ["DocumentSaved", "DocumentIssuing", "DocumentRejected"]);
    })
    .await;
}

#[tokio::test]
async fn failures_of_the_service_only_delay_documents() {
    on_both_remote(|engine| async move {
        let world = World::start(engine).await;
        let proxy = &world.remote_service().proxy;
        let faults = [
            Fault::Status(500, json!({})),
            Fault::Status(503, json!({})),
            Fault::Later(1),
            Fault::Closed,
            Fault::Garbage,
        ];
        for (position, fault) in (1..).zip(faults) {
            proxy.fail(Rpc::Issue, 1, fault.clone());
            let uuid = world.issue(&world.document()).await;
            if matches!(fault, Fault::Garbage) {
                // Nobody knows what it means, so it waits until somebody looks, or half a minute.
                world.until_alert(&uuid, "invoicingProtocol").await;
                let retry = format!("/finance/rpc/submissions/{uuid}/retry");
                world.api.post(&retry, &json!({})).await.expect(200);
            }
            let issued = world.until(&uuid, "issued").await;
            assert_eq!(issued["display_invoice_number"], world.number(&issued, position), "{fault:?}");
            until_events(&world, &uuid, &["Issuing", "AcceptedByTaxAuthority", "Issued"]).await;
        }
        // A command whose call found nobody is answered so, and carried out later.
        for fault in [Fault::Status(502, json!({})), Fault::Closed] {
            proxy.fail(Rpc::Issuing, 1, fault);
            let uuid = world.draft(&world.document()).await;
            let answer = world.command(&uuid, "issue", &json!({})).await;
            assert_eq!(answer.errors(503).len(), 1);
            assert_eq!(answer.header("retry-after"), "2");
            world.until(&uuid, "issued").await;
            until_events(&world, &uuid, &["Issuing", "AcceptedByTaxAuthority", "Issued"]).await;
        }
        // What cannot be read is not touched.
        let uuid = world.draft(&world.document()).await;
        proxy.fail(Rpc::Read, 1, Fault::Status(500, json!({})));
        assert_eq!(world.command(&uuid, "issue", &json!({})).await.status, 503);
        assert_eq!(world.read(&uuid).await["status"], "draft");
        world.api.get("/readyz").await.expect(200);
    })
    .await;
}

#[tokio::test]
async fn every_command_that_writes_documents_works_and_is_recorded_in_the_callers_name() {
    on_both_remote(|engine| async move {
        let world = World::unconfigured(engine, Options::sandbox()).await;
        let uuid = world.draft(&world.document()).await;
        let extra = line("Cleaning", "1", "50.00", "10.0");
        let added = json!({"transaction_id": "t1", "line": extra});
        let answer = world.command(&uuid, "add_transaction", &added).await.expect(200);
        assert_eq!(answer["document"]["totals"]["payable"], "160.00");
        let recipient = json!({"recipient": {"type": "company", "name": "Client", "tax_number": "A58818501", "country": "ES"}});
        world.command(&uuid, "update_recipient", &recipient).await.expect(200);
        world.command(&uuid, "remove_transaction", &json!({"transaction_id": "t1"})).await.expect(200);
        let answer = world.command(&uuid, "issue", &json!({"at": ISSUED_AT})).await.expect(200);
        assert_eq!(answer["document"]["status"], "issued");
        assert!(answer["document"]["issued_at"].as_str().unwrap().starts_with("2026-11-01T10:00:00"));
        let part = json!({"at": ISSUED_AT, "lines": [line("Back", "1", "40.00", "10.0")]});
        let note = world.command(&uuid, "credit", &part).await.expect(200)["document"].clone();
        assert_eq!((&note["status"], &note["document_type"]), (&json!("draft"), &json!("credit_note")));
        let beyond = json!({"at": ISSUED_AT, "lines": [line("Back", "1", "70.01", "10.0")]});
        assert_eq!(world.command(&uuid, "credit", &beyond).await.expect(422)["code"], "creditRefused");
        world.command(note["uuid"].as_str().unwrap(), "delete", &json!({})).await.expect(200);
        world.command(&uuid, "refund", &json!({"at": ISSUED_AT, "amount": "60.00"})).await.expect(200);
        let refused = world.command(&uuid, "refund", &json!({"at": ISSUED_AT, "amount": "50.01"})).await.expect(422);
        assert_eq!(refused["code"], "refundRefused");
        let reversed = world.command(&uuid, "reverse", &json!({"at": ISSUED_AT})).await.expect(200);
        assert_eq!(reversed["document"]["status"], "issued");
        assert!(reversed["document"]["display_invoice_number"].as_str().unwrap().starts_with("R-"));
        assert_eq!(
            event_types(&world, &uuid).await,
            ["TransactionAdded", "RecipientUpdated", "TransactionRemoved", "Issued", "Credited", "Refunded", "Reversed"]
        );
        let edits = changes(&world, &uuid, 5).await;
        let by_finance: Vec<_> = edits.iter().skip(1).map(|(_, actor)| actor.clone()).collect();
        assert_eq!(by_finance, vec![world.client.id.clone(); 4], "{edits:?}");
        let dry = "commands/add_transaction?dry_run=true";
        let draft = world.draft(&world.document()).await;
        let preview = world.api.post(&format!("/finance/rpc/documents/{draft}/{dry}"), &added).await.expect(200);
        assert_eq!((&preview["dry_run"], &preview["document"]["totals"]["payable"]), (&json!(true), &json!("160.00")));
        assert_eq!(world.read(&draft).await["version"], 1);
    })
    .await;
}

#[tokio::test]
async fn refusals_of_the_service_are_refusals_of_the_command() {
    on_both_remote(|engine| async move {
        let world = World::unconfigured(engine, Options::sandbox()).await;
        let receipt = world.draft(&world.document().with("document_type", json!("receipt"))).await;
        let failure = world.command(&receipt, "issue", &json!({})).await.expect(422);
        assert_eq!(failure["code"], "invoiceInvalidDocumentType", "{failure}");
        let empty = world.draft(&world.document().with("lines", json!([]))).await;
        let failure = world.command(&empty, "issue", &json!({})).await.expect(422);
        assert_eq!(failure["code"], "documentWithoutLines", "{failure}");
        let unknown = world.command(&gateway_tests::fresh_uuid(), "issue", &json!({})).await;
        assert_eq!(unknown.fields(410), ["uuid"]);
        let stale = world.draft(&world.document()).await;
        let path = format!("/finance/rpc/documents/{stale}/commands/delete");
        let answer = world.api.send("POST", &path, &[("if-match", "\"9\"")], None).await;
        assert_eq!(answer.fields(412), ["version"]);
        // A caller who may not see the workspace finds nothing, although finance's own client there may.
        let other = world.as_client(&["finance.rpc"], &["99"]).await;
        let hidden = other.post(&format!("/finance/rpc/documents/{stale}/commands/issue"), &json!({})).await;
        assert_eq!(hidden.fields(410), ["uuid"]);
        assert_eq!(world.read(&stale).await["status"], "draft");
    })
    .await;
}

#[tokio::test]
async fn verdicts_by_hand_survive_lost_answers() {
    on_both_remote(|engine| async move {
        let provider = ScriptedProvider::start().await;
        provider.outcome(Outcome::Running);
        let world = World::with(engine, Options::provider(&provider.url())).await;
        let proxy = &world.remote_service().proxy;
        let waiting = async || {
            let uuid = world.issue(&world.document()).await;
            until("the provider works", || async {
                (world.submission(&uuid).await["state"] == "waiting").then_some(())
            })
            .await;
            uuid
        };
        let accepted = waiting().await;
        proxy.fail(Rpc::Issue, 1, Fault::Lost);
        let proof =
            json!({"qr_url": "https://verify.example/1", "tax_system_hash": "ABC", "accepted_at": ISSUED_AT});
        let answer = world.command(&accepted, ACCEPT, &proof).await.expect(200);
        assert_eq!(answer["document"]["acceptance"]["qr_url"], proof["qr_url"]);
        assert_eq!(event_types(&world, &accepted).await, ["Issuing", "AcceptedByTaxAuthority", "Issued"]);
        let rejected = waiting().await;
        proxy.fail(Rpc::Reject, 1, Fault::Status(500, json!({})));
        let answer = world.command(&rejected, REJECT, &json!({"reason": "by hand"})).await;
        assert_eq!(answer.status, 503);
        let document = world.until(&rejected, "rejected").await;
        assert_eq!(document["rejection_reason"], "by hand");
        until_events(&world, &rejected, &["Issuing", "RejectedByTaxAuthority"]).await;
        for uuid in [accepted, rejected] {
            assert_eq!(world.submission(&uuid).await["state"], "superseded");
        }
    })
    .await;
}

#[tokio::test]
async fn credentials_that_are_refused_are_an_alert_until_they_are_mended() {
    on_both_remote(|engine| async move {
        let world = World::start(engine).await;
        let proxy = &world.remote_service().proxy;
        let uuid = world.issue(&world.document().named("Jane SANDBOX-SLOW-0.5")).await;
        proxy.fail(Rpc::Issue, 99, Fault::Status(403, json!({})));
        let waiting = world.until_alert(&uuid, "invoicingUnauthorised").await;
        let message = waiting["alert"]["message"].as_str().unwrap();
        assert!(message.contains("finance.invoicing_client_id"), "{message}");
        assert!(waiting["next_step_at"].is_string());
        proxy.mend();
        world.retry(&uuid).await;
        world.until(&uuid, "issued").await;
        let draft = world.draft(&world.document()).await;
        proxy.fail(Rpc::Read, 2, Fault::Status(401, json!({})));
        assert_eq!(world.command(&draft, "issue", &json!({})).await.errors(502).len(), 1);
        assert!(!world.gateway.log().contains("client_secret\":\""), "no secret is logged");
    })
    .await;
}

#[tokio::test]
async fn a_repeated_command_is_carried_out_once() {
    on_both_remote(|engine| async move {
        let world = World::unconfigured(engine, Options::sandbox()).await;
        let uuid = world.draft(&world.document()).await;
        let path = format!("/finance/rpc/documents/{uuid}/commands/add_transaction");
        let body = json!({"transaction_id": "t1", "line": line("x", "1", "1.00", "10.0")}).to_string();
        let headers = [("content-type", "application/json"), ("idempotency-key", "once")];
        let proxy = &world.remote_service().proxy;
        proxy.fail(Rpc::Save, 1, Fault::Status(500, json!({})));
        let send = || world.api.send("POST", &path, &headers, Some(body.clone().into_bytes()));
        assert_eq!(send().await.status, 503);
        until_events(&world, &uuid, &["TransactionAdded"]).await;
        let again = send().await.expect(200);
        assert_eq!(again["document"]["lines"].as_array().unwrap().len(), 2);
        assert_eq!(event_types(&world, &uuid).await, ["TransactionAdded"]);
    })
    .await;
}
