//! What was filed from here against what the provider holds.

use gateway_tests::{
    Browser, Engine, Fault, Gateway, MovableClock, Options, Outcome, Route, ScriptedProvider, World,
    fresh_uuid, on_both, on_every, until,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Before everything that the provider lists.
const FROM: &str = "2019-01-01";

/// A gateway that asks the provider as often as it likes.
fn options(provider: &ScriptedProvider) -> Options {
    Options::provider(&provider.url())
        .variable("GATEWAY_RECONCILIATION__REQUESTS_PER_MIN", "60000")
        .variable("GATEWAY_RECONCILIATION__NIGHTLY_AT", "off")
        .variable("GATEWAY_PROVIDER__POLL_AFTER_S", "1")
}

async fn world(engine: Engine) -> (World, ScriptedProvider) {
    let provider = ScriptedProvider::start().await;
    let world = World::with(engine, options(&provider)).await;
    (world, provider)
}

/// Documents that are issued.
async fn issued(world: &World, count: usize) -> Vec<String> {
    let mut documents = Vec::new();
    for _ in 0..count {
        let uuid = world.issue(&world.document()).await;
        world.until(&uuid, "issued").await;
        documents.push(uuid);
    }
    documents
}

/// A run through the whole of time, once it ended.
async fn reconciled(world: &World) -> Value {
    let form = json!({"workspace_id": world.workspace, "from": format!("{FROM}T00:00:00Z")});
    let begun = world.api.post("/admin/reconciliations", &form).await.expect(202);
    ended(world, begun["id"].as_str().unwrap()).await
}

async fn ended(world: &World, id: &str) -> Value {
    until("the run ends", || async {
        let report = world.api.get(&format!("/admin/reconciliations/{id}")).await.expect(200);
        let state = report["reconciliation"]["state"].clone();
        (state == "ended" || state == "failed").then_some(report)
    })
    .await
}

/// What somebody hears: the kind and what it says.
fn kinds_and_data(notices: Vec<Value>) -> Vec<(String, Value)> {
    let kind = |event: &Value| event["type"].as_str().unwrap().to_owned();
    notices.into_iter().map(|event| (kind(&event), event["data"].clone())).collect()
}

/// What somebody hears of a document by runs.
async fn document_notices(world: &World, uuid: &str) -> Vec<(String, Value)> {
    let mut notices = world.notices().await;
    notices.retain(|event| event["subject"] == *uuid);
    kinds_and_data(notices).into_iter().filter(|(kind, _)| kind.starts_with("reconciliation.")).collect()
}

/// What was found of each entry beside what matches.
fn outcomes(report: &Value) -> BTreeMap<String, String> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let entries = report["entries"].as_array().unwrap();
    entries.iter().map(|entry| (text(&entry["entry_id"]), text(&entry["outcome"]))).collect()
}

fn counts(report: &Value) -> [u64; 5] {
    let counts = &report["reconciliation"]["counts"];
    ["matching", "settling", "different", "only_here", "only_there"]
        .map(|name| counts[name].as_u64().unwrap())
}

#[tokio::test]
async fn documents_that_provider_and_gateway_both_have_match() {
    on_every(|engine| async move {
        let (world, provider) = world(engine).await;
        issued(&world, 5).await;
        let mut runs = 1;
        let mut report = reconciled(&world).await;
        // The finance service hears a moment later what another service has done.
        while counts(&report)[1] > 0 && runs < 20 {
            runs += 1;
            report = reconciled(&world).await;
        }
        assert_eq!((counts(&report), &report["entries"]), ([5, 0, 0, 0, 0], &json!([])), "{report}");
        let pages =
            provider.calls_of(Route::ListEntries).iter().filter(|call| call.id.contains("ascending")).count();
        assert_eq!(pages, 3 * runs, "a page is asked for once in a run");
        let metrics = world.gateway.internal().get("/metrics").await.text;
        assert!(metrics.contains("einvoicing_reconciliation_open{outcome=\"different\"} 0"), "{metrics}");
    })
    .await;
}

#[tokio::test]
async fn what_only_one_side_has_and_what_differs_is_named_with_what_settles_it() {
    on_both(|engine| async move {
        let (world, provider) = world(engine).await;
        let documents = issued(&world, 4).await;
        let mut entries = Vec::new();
        for uuid in &documents {
            entries.push(world.submission(uuid).await["entry_id"].as_str().unwrap().to_owned());
        }
        // Made void there, lost there, and filed by somebody else.
        provider.label(&entries[1], "void");
        provider.forget(&entries[2]);
        let foreign = "0197f4f2-0000-7000-8000-00000000f0e1";
        provider.store(foreign, &json!({"$schema": "https://gobl.org/draft-0/bill/invoice", "code": "X-1"}));
        let party = "0197f4f2-0000-7000-8000-00000000f0e2";
        provider.store(party, &json!({"$schema": "https://gobl.org/draft-0/org/party", "name": "Guest"}));
        let report = reconciled(&world).await;
        let expected = BTreeMap::from([
            (entries[1].clone(), "different".to_owned()),
            (entries[2].clone(), "only_here".to_owned()),
            (foreign.to_owned(), "only_there".to_owned()),
        ]);
        assert_eq!((outcomes(&report), counts(&report)), (expected, [2, 0, 1, 1, 1]), "{report}");
        let entry = |id: &str| {
            report["entries"]
                .as_array()
                .unwrap()
                .iter()
                .find(|entry| entry["entry_id"] == id)
                .unwrap()
                .clone()
        };
        let void = entry(&entries[1]);
        assert_eq!(void["divergences"], json!([{"member": "state", "here": "issued", "there": "void"}]));
        assert!(void["next_step"].as_str().unwrap().contains("/commands/credit"), "{void}");
        assert_eq!(entry(foreign)["number"], "X-1");
        assert_eq!(world.read(&documents[1]).await["status"], "issued", "nothing else settles itself");
        // The same at the command line, as a table and as CSV.
        let id = report["reconciliation"]["id"].as_str().unwrap();
        let csv = world.gateway.cli(&["reconcile", "--show", id, "--csv"]).await.succeeded().stdout.clone();
        assert_eq!(csv.lines().count(), 4, "{csv}");
        assert!(csv.starts_with("entry_id,document_id,number,outcome,divergences,next_step"), "{csv}");
        let again = world.gateway.cli(&["reconcile", "--workspace", "1", "--from", FROM, "--json"]).await;
        assert_eq!(again.code, 1, "{again:?}");
        assert!(again.stderr.contains("3 entries are somebody's to settle"), "{again:?}");
        // Of what is about no document somebody hears by the run, and not again of the same.
        let notices = kinds_and_data(world.run_notices().await);
        let [(kind, notice)] = notices.as_slice() else { panic!("{notices:?}") };
        assert_eq!((kind.as_str(), &notice["code"]), ("reconciliation.different", &json!("only_there")));
        assert_eq!(notice["message"], "the provider has 1 invoice that nobody filed from here");
        assert_eq!(notice["next_command"], format!("gateway reconcile --show {id}"));
    })
    .await;
}

#[tokio::test]
async fn the_console_begins_a_run_and_shows_what_it_found() {
    on_both(|engine| async move {
        let (world, provider) = world(engine).await;
        let documents = issued(&world, 1).await;
        let entry = world.submission(&documents[0]).await["entry_id"].as_str().unwrap().to_owned();
        provider.label(&entry, "void");
        let operator = world.another_client(&["console.read", "admin"], &["*"]).await;
        let browser = Browser::signed_in(world.gateway.internal().base(), &operator).await;
        let workspace = world.workspace.to_string();
        let form = [("workspace_id", workspace.as_str())];
        let begun = browser.submit("/console/reconciliations", &form).await;
        assert_eq!(begun.status, 303, "{}", begun.text);
        let page = begun.header("location").to_owned();
        until("the run ends", || async { browser.get(&page).await.text.contains("ended").then_some(()) })
            .await;
        let text = browser.get(&page).await.text;
        assert!(text.contains("issued here, void there") && text.contains("/commands/credit"), "{text}");
        let csv = browser.get(&format!("{page}/csv")).await;
        assert!(csv.text.contains(&entry) && csv.header("content-type").starts_with("text/csv"), "{csv:?}");
        assert!(browser.get("/console/reconciliations").await.text.contains(&page));
        let reader = world.another_client(&["console.read"], &["*"]).await;
        let reader = Browser::signed_in(world.gateway.internal().base(), &reader).await;
        assert_eq!(reader.submit("/console/reconciliations", &form).await.status, 403);
        assert_eq!(reader.get(&page).await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn a_document_that_waits_is_settled_by_an_exact_match_and_by_nothing_else() {
    on_both(|engine| async move {
        // Nobody asks how the document is, but the reconciliation.
        let provider = ScriptedProvider::start().await;
        let unasked = options(&provider).variable("GATEWAY_PROVIDER__POLL_AFTER_S", "3600");
        let world = World::with(engine, unasked).await;
        provider.outcome(Outcome::Running);
        let uuid = world.issue(&world.document()).await;
        until("the provider works", || async {
            (world.submission(&uuid).await["state"] == "waiting").then_some(())
        })
        .await;
        let entry = world.submission(&uuid).await["entry_id"].as_str().unwrap().to_owned();
        provider.label(&entry, "processing");
        assert_eq!(counts(&reconciled(&world).await), [1, 0, 0, 0, 0], "both wait");
        // Its webhook never comes, and what it shows is not what was sent.
        provider.outcome(Outcome::Accepted(json!([])));
        provider.label(&entry, "sent");
        provider.restate("/totals/payable", json!("1.00"));
        let report = reconciled(&world).await;
        assert_eq!(counts(&report), [0, 0, 1, 0, 0], "{report}");
        assert_eq!(world.read(&uuid).await["status"], "issuing");
        provider.restate("/none", json!(null));
        let report = reconciled(&world).await;
        assert_eq!(counts(&report), [0, 1, 0, 0, 0], "{report}");
        world.until(&uuid, "issued").await;
    })
    .await;
}

#[tokio::test]
async fn a_document_whose_job_failed_and_finished_late_is_settled() {
    on_both(|engine| async move {
        let (world, provider) = world(engine).await;
        // The close of the batch failed with 500, although everything was accepted, and finished later.
        provider.outcome(Outcome::Failed(json!([])));
        let uuid = world.issue(&world.document()).await;
        world.until_alert(&uuid, "failedWithoutReason").await;
        provider.end_all(Outcome::Accepted(json!([])));
        assert_eq!(counts(&reconciled(&world).await), [0, 1, 0, 0, 0]);
        world.until(&uuid, "issued").await;
        assert_eq!(provider.entries().len(), 1, "it was filed once");
    })
    .await;
}

#[tokio::test]
async fn a_cancellation_there_is_noticed_by_the_next_run_however_late() {
    on_both(|engine| async move {
        let (world, provider) = world(engine).await;
        let documents = issued(&world, 1).await;
        assert_eq!(counts(&reconciled(&world).await), [1, 0, 0, 0, 0]);
        let entry = world.submission(&documents[0]).await["entry_id"].as_str().unwrap().to_owned();
        provider.label(&entry, "void");
        let report = reconciled(&world).await;
        assert_eq!(counts(&report), [0, 0, 1, 0, 0], "{report}");
        assert!(world.gateway.log().contains("found 1 entries that somebody has to settle"));
        let runs = world.api.get("/admin/reconciliations").await.expect(200);
        let counted: Vec<_> =
            runs["reconciliations"].as_array().unwrap().iter().map(|run| &run["counts"]).collect();
        assert_eq!(counted.len(), 2);
        assert_eq!(counted[1]["matching"], 1, "what an earlier run counted stays: {runs}");
    })
    .await;
}

#[tokio::test]
async fn a_document_rejected_here_and_accepted_there_is_noticed_a_month_later() {
    const MONTH_S: i64 = 30 * 86_400;
    on_both(|engine| async move {
        let (provider, clock) = (ScriptedProvider::start().await, MovableClock::start());
        let unasked = clock.of(options(&provider)).variable("GATEWAY_PROVIDER__POLL_AFTER_S", "3600");
        let mut world = World::with(engine, unasked).await;
        provider.outcome(Outcome::Running);
        let uuid = world.issue(&world.document()).await;
        until("the provider works", || async {
            (world.submission(&uuid).await["state"] == "waiting").then_some(())
        })
        .await;
        let entry = world.submission(&uuid).await["entry_id"].as_str().unwrap().to_owned();
        provider.label(&entry, "processing");
        let reject = json!({"reason": "the customer cancelled"});
        world.command(&uuid, "mark_as_rejected_by_tax_authority", &reject).await.expect(200);
        let number = world.read(&uuid).await["display_invoice_number"].as_str().unwrap().to_owned();
        assert_eq!(counts(&reconciled(&world).await), [1, 0, 0, 0, 0], "nothing is known of it there yet");
        // Whoever watches the attempt gets no answer, so only the list shows what became of it.
        provider.fail(Route::GetJob, usize::MAX, Fault::Status(503, json!({})));
        provider.end_all(Outcome::Accepted(json!([])));
        provider.label(&entry, "sent");
        clock.set_offset_s(MONTH_S);
        world.sign_in().await;

        let report = reconciled(&world).await;
        assert_eq!(counts(&report), [0, 0, 1, 0, 0], "{report}");
        let found = &report["entries"][0];
        assert_eq!((&found["document_id"], &found["number"]), (&json!(uuid), &json!(number)), "{report}");
        let divergences = json!([{"member": "state", "here": "rejected", "there": "sent"}]);
        assert_eq!(found["divergences"], divergences, "{report}");
        let next_step = found["next_step"].as_str().unwrap();
        let command = format!("/finance/rpc/documents/{uuid}/commands/mark_as_accepted_by_tax_authority");
        assert!(next_step.contains(&command) && next_step.contains(&number), "{next_step}");
        let notices = until("somebody hears of it", || async {
            Some(document_notices(&world, &uuid).await).filter(|found| !found.is_empty())
        })
        .await;
        let [(kind, notice)] = notices.as_slice() else { panic!("{notices:?}") };
        assert_eq!(
            (kind.as_str(), &notice["code"]),
            ("reconciliation.different", &json!("different")),
            "{notice}"
        );
        assert_eq!(notice["message"], "state is rejected here and sent there", "{notice}");
        let id = report["reconciliation"]["id"].as_str().unwrap();
        assert_eq!(notice["next_command"], format!("gateway reconcile --show {id}"));
        assert_eq!(world.read(&uuid).await["status"], "rejected", "a run gives no verdict");
    })
    .await;
}

#[tokio::test]
async fn a_provider_that_is_away_is_asked_again_and_one_that_refuses_ends_the_run_with_a_reason() {
    on_both(|engine| async move {
        let (world, provider) = world(engine).await;
        issued(&world, 3).await;
        provider.fail(Route::ListEntries, 1, Fault::Status(500, json!({})));
        assert_eq!(counts(&reconciled(&world).await), [3, 0, 0, 0, 0]);
        provider.fail(Route::ListEntries, 1, Fault::Status(401, json!({})));
        let report = reconciled(&world).await;
        assert_eq!(report["reconciliation"]["state"], "failed");
        let reason = report["reconciliation"]["reason"].as_str().unwrap();
        assert!(reason.contains("refused the token"), "{reason}");
        let notices = kinds_and_data(world.run_notices().await);
        let [(kind, notice)] = notices.as_slice() else { panic!("{notices:?}") };
        assert_eq!((kind.as_str(), notice["message"].as_str()), ("reconciliation.failed", Some(reason)));
    })
    .await;
}

#[tokio::test]
async fn a_run_that_is_killed_at_any_point_goes_on_and_reports_the_same() {
    gateway_tests::with_fail_points();
    on_both(|engine| async move {
        let (mut world, provider) = world(engine).await;
        let documents = issued(&world, 5).await;
        let entry = world.submission(&documents[4]).await["entry_id"].as_str().unwrap().to_owned();
        provider.forget(&entry);
        for point in ["reconciliation-started", "reconciliation-advanced", "reconciliation-ended"] {
            for side in ["before", "after"] {
                world.gateway.kill9();
                world.gateway.die_at(Some(&format!("{side}-{point}")));
                world.serve_again().await;
                let form = json!({"workspace_id": world.workspace, "from": format!("{FROM}T00:00:00Z")});
                let json = [("content-type", "application/json")];
                let body = form.to_string().into_bytes();
                // Whether the answer arrives depends on where it dies.
                let _ = world.api.try_send("POST", "/admin/reconciliations", &json, Some(body)).await;
                until("it died", || std::future::ready((!world.gateway.runs()).then_some(()))).await;
                world.gateway.kill9();
                world.gateway.die_at(None);
                world.serve_again().await;
                let report = reconciled(&world).await;
                assert_eq!(counts(&report), [4, 0, 0, 1, 0], "{point} {side}: {report}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_fresh_installation_with_live_credentials_does_not_begin_at_one_again() {
    on_both(|engine| async move {
        let (world, provider) = world(engine).await;
        let year = world.read(&world.draft(&world.document()).await).await["created_at"].as_str().unwrap()
            [..4]
            .to_owned();
        let filed = |number: &str| {
            json!({"$schema": "https://gobl.org/draft-0/bill/invoice", "code": number,
                "supplier": {"tax_id": {"country": "ES", "code": "B98602642"}}})
        };
        for (entry, position) in [(1, 41), (2, 42), (3, 7)] {
            let entry = format!("0197f4f2-0000-7000-8000-00000000f0e{entry}");
            provider.store(&entry, &filed(&format!("F-{year}-{position:06}")));
        }
        let uuid = world.draft(&world.document()).await;
        let refused = world.command(&uuid, "issue", &json!({})).await.expect(422);
        assert_eq!(refused["code"], "invoiceNumbersFiledBefore", "{refused}");
        assert!(
            refused["message"].as_str().is_some_and(|said| said.contains("--next-number 43")),
            "{refused}"
        );
        assert_eq!(world.read(&uuid).await["status"], "draft");
        let workspace = world.workspace.to_string();
        world
            .gateway
            .cli(&["workspace", "set", "--workspace", &workspace, "--next-number", "43"])
            .await
            .succeeded();
        world.command(&uuid, "issue", &json!({})).await.expect(200);
        let issued = world.until(&uuid, "issued").await;
        assert_eq!(issued["display_invoice_number"], format!("F-{year}-000043"));
        let requests = provider.calls_of(Route::ListEntries).len();
        world.until(&world.issue(&world.document()).await, "issued").await;
        assert_eq!(
            provider.calls_of(Route::ListEntries).len(),
            requests,
            "the provider is asked before the first number alone"
        );
    })
    .await;
}

#[tokio::test]
async fn credit_notes_do_not_begin_at_one_again_either_and_other_suppliers_of_the_account_hide_nothing() {
    on_both(|engine| async move {
        let (world, provider) = world(engine).await;
        let uuid = world.issue(&world.document()).await;
        let invoice = world.until(&uuid, "issued").await;
        let year = invoice["created_at"].as_str().unwrap()[..4].to_owned();
        let filed = |number: &str, supplier: &str| {
            json!({"$schema": "https://gobl.org/draft-0/bill/invoice", "code": number,
                "supplier": {"tax_id": {"country": "ES", "code": supplier}}})
        };
        let entry = |number: usize| format!("0197f4f2-0000-7000-8000-0000000{number:05x}");
        provider.store(&entry(1), &filed(&format!("R-{year}-000007"), "B98602642"));
        // More of another supplier's than a page has.
        for number in 2..=10 {
            provider.store(&entry(number), &filed(&format!("R-{year}-{number:06}"), "B17002288"));
        }
        let credit = world.command(&uuid, "credit", &json!({"at": invoice["issued_at"]})).await.expect(200);
        let credit = credit["document"]["uuid"].as_str().unwrap().to_owned();
        let refused = world.command(&credit, "issue", &json!({})).await.expect(422);
        let message = refused["message"].as_str().unwrap();
        assert!(message.contains(&format!("R-{year}-000007")), "{refused}");
        assert!(message.contains("--next-credit-number 8"), "{refused}");
        let workspace = world.workspace.to_string();
        let set = ["workspace", "set", "--workspace", &workspace, "--next-credit-number", "8"];
        world.gateway.cli(&set).await.succeeded();
        world.command(&credit, "issue", &json!({})).await.expect(200);
        let issued = world.until(&credit, "issued").await;
        assert_eq!(issued["display_invoice_number"], format!("R-{year}-000008"));
        let again = world.gateway.cli(&set).await;
        assert!(again.code == 1 && again.stderr.contains("the credit note series"), "{again:?}");
    })
    .await;
}

#[tokio::test]
async fn a_run_is_asked_for_within_what_the_client_may_see() {
    on_both(|engine| async move {
        let (world, _provider) = world(engine).await;
        let other = world.another_workspace(&[]).await;
        let client = world.as_client(&["admin"], &[&world.workspace.to_string()]).await;
        let form = |workspace: i64| json!({"workspace_id": workspace});
        assert_eq!(client.post("/admin/reconciliations", &form(other)).await.fields(422), ["workspace_id"]);
        assert_eq!(client.post("/admin/reconciliations", &form(999)).await.fields(422), ["workspace_id"]);
        let backwards = json!({"workspace_id": world.workspace, "from": "2026-01-02T00:00:00Z", "to": "2026-01-01T00:00:00Z"});
        assert_eq!(client.post("/admin/reconciliations", &backwards).await.fields(422), ["to"]);
        let unknown = client.get(&format!("/admin/reconciliations/{}", fresh_uuid())).await;
        assert_eq!(unknown.fields(404), ["id"]);
        let begun = client.post("/admin/reconciliations", &form(world.workspace)).await.expect(202);
        let of_others = world.as_client(&["admin"], &[&other.to_string()]).await;
        let hidden = of_others.get(&format!("/admin/reconciliations/{}", begun["id"].as_str().unwrap())).await;
        assert_eq!(hidden.fields(404), ["id"]);
    })
    .await;
}

#[tokio::test]
async fn without_a_gateway_that_serves_the_command_says_so_or_leaves_the_run_to_it() {
    on_both(|engine| async move {
        let gateway = Gateway::prepared(engine, Options::default()).await;
        let none = gateway.cli(&["reconcile", "--json"]).await;
        assert_eq!(none.json()["reconciliations"], json!([]), "{none:?}");
        let unknown = gateway.cli(&["reconcile", "--workspace", "7"]).await;
        assert!(unknown.code == 1 && unknown.stderr.contains("there is no workspace 7"), "{unknown:?}");
    })
    .await;
}
