//! Finance with an invoice data service elsewhere: answers that are lost, 5xx, and `kill -9` of either side. The flows
//! themselves run with both in `finance`, `verdicts_by_hand`, `submission_calls` and `provider_failures`.

use gateway_tests::{
    Fault, Options, Outcome, Rpc, ScriptedProvider, World, line, on_both_remote, until, with_fail_points,
};
use serde_json::{Value, json};

const ACCEPT: &str = "mark_as_accepted_by_tax_authority";
const REJECT: &str = "mark_as_rejected_by_tax_authority";
const ISSUED_AT: &str = "2026-11-01T10:00:00Z";

async fn event_types(world: &World, uuid: &str) -> Vec<String> {
    let body = world.api.get(&format!("/finance/rpc/documents/{uuid}/events")).await.expect(200);
    let events = body["events"].as_array().unwrap();
    events.iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
}

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

/// Waits until finance has told all of this of a document.
async fn until_events(world: &World, uuid: &str, expected: &[&str]) {
    until(&format!("{uuid} has {expected:?}"), || async {
        (event_types(world, uuid).await == expected).then_some(())
    })
    .await;
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
async fn graphql_shows_the_documents_of_the_service_without_asking_it() {
    on_both_remote(|engine| async move {
        let world = World::start(engine).await;
        let uuid = world.issue(&world.document()).await;
        let issued = world.until(&uuid, "issued").await;
        let draft = world.draft(&world.document()).await;
        let proxy = &world.remote_service().proxy;
        let public = world.gateway.public().with_token(world.api.token());
        let query = format!(
            "{{ invoicing {{ document(id: \"{uuid}\") {{ ...shown }} all: documents {{ totalCount nodes {{ ...shown }} }} \
             issued: documents(filters: {{status: ISSUED, workspaceId: \"{}\"}}) {{ totalCount nodes {{ id }} }} }} }} \
             fragment shown on InvoiceDocument {{ id status displayInvoiceNumber totals {{ gross }} acceptance {{ qrUrl }} \
             timeline {{ event }} submission {{ state }} }}",
            world.workspace
        );
        // The copies follow the feed of the service.
        let data = until("both documents are copied as they are", || async {
            let body = public.post("/v1", &json!({"query": query})).await.expect(200);
            let found = body["data"]["invoicing"].clone();
            let is_late = found["all"]["totalCount"] != 2 || found["issued"]["totalCount"] != 1;
            (!is_late && found["document"]["status"] == "ISSUED").then_some(found)
        })
        .await;
        let document = &data["document"];
        assert_eq!(document["displayInvoiceNumber"], issued["display_invoice_number"]);
        assert_eq!(document["totals"]["gross"], issued["totals"]["gross"]);
        assert!(document["acceptance"]["qrUrl"].is_string(), "{document}");
        assert_eq!(document["submission"]["state"], "accepted");
        let events: Vec<_> = document["timeline"].as_array().unwrap().iter().map(|entry| &entry["event"]).collect();
        assert!(events.contains(&&json!("DocumentIssued")), "{events:?}");
        assert_eq!(data["issued"]["nodes"], json!([{"id": uuid}]));
        let ids: Vec<_> = data["all"]["nodes"].as_array().unwrap().iter().map(|node| &node["id"]).collect();
        assert!(ids.contains(&&json!(uuid)) && ids.contains(&&json!(draft)), "{ids:?}");

        let read = proxy.calls(Rpc::Read);
        public.post("/v1", &json!({"query": query})).await.expect(200);
        assert_eq!(proxy.calls(Rpc::Read), read, "finance's copies answer");
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
async fn commands_and_verdicts_survive_a_kill_of_the_service() {
    on_both_remote(|engine| async move {
        let mut world = World::start(engine).await;
        let draft = world.draft(&world.document()).await;
        let slow = world.document().named("Jane SANDBOX-SLOW-12");
        let on_its_way = world.issue(&slow).await;
        let refused = world.issue(&world.document().named("Jane SANDBOX-SLOW-12 SANDBOX-REJECT-1110")).await;
        until("both are at the authority", || async {
            let states = [world.submission(&on_its_way).await, world.submission(&refused).await];
            states.iter().all(|submission| submission["state"] == "waiting").then_some(())
        })
        .await;
        world.kill_service();
        let nobody = world.command(&draft, "issue", &json!({})).await;
        assert_eq!(nobody.status, 503, "{nobody:?}");
        until("finance learned the verdicts", || async {
            let states = [world.submission(&on_its_way).await, world.submission(&refused).await];
            states.iter().all(|submission| submission["state"] == "settling").then_some(())
        })
        .await;
        world.serve_service_again().await;
        assert_eq!(world.read(&draft).await["status"], "draft", "nothing was promised");
        world.until(&on_its_way, "issued").await;
        world.until(&refused, "rejected").await;
        until_events(&world, &on_its_way, &["Issuing", "AcceptedByTaxAuthority", "Issued"]).await;
        until_events(&world, &refused, &["Issuing", "RejectedByTaxAuthority"]).await;
        world.command(&draft, "issue", &json!({})).await.expect(200);
        let issued = world.until(&draft, "issued").await;
        assert_eq!(issued["display_invoice_number"], world.number(&issued, 3));
    })
    .await;
}

#[tokio::test]
async fn finance_recovers_when_killed_between_a_call_and_its_record() {
    on_both_remote(|engine| async move {
        let mut world = World::start(engine).await;
        let proxy = &world.remote_service().proxy;
        let invoice = world.issue(&world.document()).await;
        let at = world.until(&invoice, "issued").await["issued_at"].clone();
        until_events(&world, &invoice, &["Issuing", "AcceptedByTaxAuthority", "Issued"]).await;
        let (draft, edited) = (world.draft(&world.document()).await, world.draft(&world.document()).await);
        // Each of these is carried out by the service, and finance cannot find out.
        proxy.fail(Rpc::Issuing, 1, Fault::Lost);
        proxy.fail(Rpc::Save, 2, Fault::Lost);
        let added = json!({"transaction_id": "t1", "line": line("x", "1", "1.00", "10.0")});
        let commands = [
            (&draft, "issue", json!({}), 2),
            (&edited, "add_transaction", added, 1),
            (&invoice, "credit", json!({"at": at}), 1),
        ];
        for (uuid, command, body, reads) in &commands {
            // The command's own reads of the document go well, those after the lost answer do not.
            proxy.pass(Rpc::Read, *reads);
            proxy.fail(Rpc::Read, 99, Fault::Closed);
            let answer = world.command(uuid, command, body).await;
            assert_eq!(answer.status, 503, "{command}: {answer:?}");
            proxy.mend_only(Rpc::Read);
        }
        world.gateway.kill9();
        world.remote_service().proxy.mend();
        world.serve_again().await;
        world.until(&draft, "issued").await;
        until_events(&world, &draft, &["Issuing", "AcceptedByTaxAuthority", "Issued"]).await;
        until_events(&world, &edited, &["TransactionAdded"]).await;
        until_events(&world, &invoice, &["Issuing", "AcceptedByTaxAuthority", "Issued", "Credited"]).await;
        let page = world.api.get("/invoicing/rpc/documents").await.expect(200);
        let notes = page["nodes"].as_array().unwrap().iter();
        assert_eq!(notes.filter(|found| found["document_type"] == "credit_note").count(), 1);
    })
    .await;
}

#[tokio::test]
async fn finance_recovers_from_a_crash_at_every_commit_of_a_command() {
    with_fail_points();
    on_both_remote(|engine| async move {
        let mut world = World::start(engine).await;
        let promised = [
            ("before-intended", false),
            ("after-concluded", true),
            ("before-concluded", true),
            ("after-intended", true),
        ];
        let mut drafts = Vec::new();
        for (point, added) in promised {
            drafts.push((crash_while_adding_a_line(&mut world, point, None).await, added));
        }
        start_again_and_sign_in(&mut world, None).await;
        for (uuid, added) in drafts {
            ensure_line_added(&world, &uuid, added).await;
        }
    })
    .await;
}

#[tokio::test]
async fn finance_recovers_from_a_crash_after_a_call_that_was_not_carried_out() {
    with_fail_points();
    on_both_remote(|engine| async move {
        let mut world = World::start(engine).await;
        let refused = || Fault::Status(422, json!({"errors": [{"field": "lines", "message": "too many"}]}));
        let unheard = [
            ("after-withdrawn", refused(), false),
            // The refusal is forgotten with the process: the call is made again, and taken.
            ("before-withdrawn", refused(), true),
            ("before-postponed", Fault::Closed, true),
            ("after-postponed", Fault::Closed, true),
        ];
        for (point, fault, added) in unheard {
            let uuid = crash_while_adding_a_line(&mut world, point, Some(fault)).await;
            start_again_and_sign_in(&mut world, None).await;
            ensure_line_added(&world, &uuid, added).await;
        }
    })
    .await;
}

/// A draft whose command finds a process that ends at this point, with the service failing its call like this.
async fn crash_while_adding_a_line(world: &mut World, point: &str, fault: Option<Fault>) -> String {
    let uuid = world.draft(&world.document()).await;
    start_again_and_sign_in(world, Some(point)).await;
    if let Some(fault) = fault {
        world.remote_service().proxy.fail(Rpc::Save, 1, fault);
    }
    let path = format!("/finance/rpc/documents/{uuid}/commands/add_transaction");
    let body = json!({"transaction_id": "t1", "line": line("x", "1", "1.00", "10.0")});
    let json = [("content-type", "application/json")];
    let answer = world.api.try_send("POST", &path, &json, Some(body.to_string().into_bytes())).await;
    assert!(answer.is_err(), "{point}: {answer:?}");
    uuid
}

async fn ensure_line_added(world: &World, uuid: &str, added: bool) {
    if added {
        until_events(world, uuid, &["TransactionAdded"]).await;
    } else {
        assert_eq!(event_types(world, uuid).await, [""; 0], "{uuid}");
    }
    let lines = world.read(uuid).await["lines"].as_array().unwrap().len();
    assert_eq!(lines, if added { 2 } else { 1 }, "{uuid}");
}

#[tokio::test]
async fn finance_recovers_from_a_crash_at_the_commit_of_a_verdict() {
    with_fail_points();
    on_both_remote(|engine| async move {
        let mut world = World::start(engine).await;
        let accepted = ["Issuing", "AcceptedByTaxAuthority", "Issued"].as_slice();
        let rejected = ["Issuing", "RejectedByTaxAuthority"].as_slice();
        for (name, points, event_types) in [
            ("Jane Roe", ["before-to-accepted", "after-to-accepted"], accepted),
            ("Jane SANDBOX-REJECT-1110", ["before-to-rejected", "after-to-rejected"], rejected),
        ] {
            let [before, after] = points;
            start_again_and_sign_in(&mut world, Some(before)).await;
            let uuid = world.issue(&world.document().named(name)).await;
            until_dead(&world, before).await;
            // It may die of the verdict before it listens.
            if start_again(&mut world, Some(after)).await {
                until_dead(&world, after).await;
            }
            start_again_and_sign_in(&mut world, None).await;
            until_events(&world, &uuid, event_types).await;
        }
    })
    .await;
}

async fn until_dead(world: &World, point: &str) {
    until(&format!("it died {point}"), || async {
        world.gateway.internal().try_send("GET", "/healthz", &[], None).await.is_err().then_some(())
    })
    .await;
}

/// Finance's process ends, if it has not yet, and starts again, to end at a point if one is given; whether it serves.
async fn start_again(world: &mut World, point: Option<&str>) -> bool {
    world.gateway.kill9();
    world.gateway.die_at(point);
    world.gateway.try_serve().await
}

/// [`start_again`], when nothing is left to die of, with a fresh token.
async fn start_again_and_sign_in(world: &mut World, point: Option<&str>) {
    assert!(start_again(world, point).await, "it serves");
    world.sign_in().await;
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

#[tokio::test]
async fn finance_follows_the_feed_of_the_service() {
    on_both_remote(|engine| async move {
        let mut world = World::start(engine).await;
        let booking = gateway_tests::fresh_uuid();
        let of_booking = format!("/finance/rpc/bookings/{booking}/documents");
        let booking_documents = async |world: &World| {
            let body = world.api.get(&of_booking).await.expect(200);
            body["documents"].as_array().unwrap().clone()
        };
        world.remote_service().proxy.fail(Rpc::Feed, 2, Fault::Garbage);
        world.remote_service().proxy.fail(Rpc::Feed, 1, Fault::Closed);
        let billed = world.document().with("booking_id", json!(booking));
        let uuid = world.draft(&billed).await;
        until("the booking shows the draft that finance never heard of", || async {
            booking_documents(&world).await.iter().any(|found| found["status"] == "draft").then_some(())
        })
        .await;
        let metrics = world.gateway.internal().get("/metrics").await.text;
        assert!(metrics.contains("invoicing_feed_failures_total 3"), "{metrics}");
        world.gateway.kill9();
        world.serve_again().await;
        world.command(&uuid, "issue", &json!({})).await.expect(200);
        world.until(&uuid, "issued").await;
        until("the booking shows the issued document", || async {
            booking_documents(&world).await.iter().any(|found| found["status"] == "issued").then_some(())
        })
        .await;
        assert_eq!(booking_documents(&world).await.len(), 1);
        // Whoever asked there is named here.
        let feed = world.api.get("/invoicing/rpc/events?limit=500").await.expect(200);
        let events = feed["events"].as_array().unwrap().iter();
        let saved: Vec<_> =
            events.filter(|event| event["subject"] == *uuid && event["type"] == "DocumentSaved").collect();
        let [saved] = &*saved else { panic!("{feed:#}") };
        assert!(saved["client"].is_string(), "{saved:#}");
        let here = world.as_client(&["invoicing.rpc"], &["*"]).await;
        let kept = here.get("/invoicing/rpc/events?limit=500").await.expect(200);
        let kept = kept["events"].as_array().unwrap().iter().find(|event| event["id"] == saved["id"]);
        assert_eq!(kept.map(|event| &event["client"]), Some(&saved["client"]), "{kept:#?}");
    })
    .await;
}
