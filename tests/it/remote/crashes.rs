//! `kill -9` of the service or of finance: at any moment, and at every commit of finance.

use super::{event_types, until_events};
use gateway_tests::{Fault, Rpc, World, line, on_both_remote, until, with_fail_points};
use serde_json::json;

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

#[tokio::test]
async fn finance_recovers_from_a_crash_at_the_commits_of_an_issue() {
    with_fail_points();
    on_both_remote(|engine| async move {
        let mut world = World::start(engine).await;
        for point in ["before-requested", "after-requested", "before-to-converting", "after-to-converting"] {
            let uuid = world.draft(&world.document()).await;
            start_again_and_sign_in(&mut world, Some(point)).await;
            let path = format!("/finance/rpc/documents/{uuid}/commands/issue");
            let headers = [("content-type", "application/json"), ("idempotency-key", uuid.as_str())];
            let send =
                async |world: &World| world.api.try_send("POST", &path, &headers, Some(b"{}".to_vec())).await;
            // Its answer is lost where the process ends before it is sent.
            let _ = send(&world).await;
            until_dead(&world, point).await;
            start_again_and_sign_in(&mut world, None).await;
            let again = send(&world).await.unwrap();
            // What was begun goes on by itself, and the document is locked meanwhile.
            assert!(again.status == 200 || again.text.contains("documentLockedWhileIssuing"), "{again:?}");
            world.until(&uuid, "issued").await;
            let events = ["Issuing", "AcceptedByTaxAuthority", "Issued"];
            until_events(&world, &uuid, &events).await;
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
