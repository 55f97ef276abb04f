//! What was accepted here against the tax authority's own list.

use gateway_tests::{
    Browser, Engine, ListedInvoice, Options, ScriptedAuthority, ScriptedProvider, World, on_both, until,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A gateway that asks as often as it likes.
fn hurried(options: Options) -> Options {
    options
        .variable("GATEWAY_RECONCILIATION__REQUESTS_PER_MIN", "60000")
        .variable("GATEWAY_RECONCILIATION__NIGHTLY_AT", "off")
        .variable("GATEWAY_PROVIDER__POLL_AFTER_S", "1")
}

async fn scripted(engine: Engine) -> (World, ScriptedProvider, ScriptedAuthority) {
    let (provider, authority) = (ScriptedProvider::start().await, ScriptedAuthority::start().await);
    let urls = format!("es-verifactu={}", authority.url());
    let options =
        Options::provider(&provider.url()).variable("GATEWAY_RECONCILIATION__AUTHORITY_URLS", &urls);
    (World::with(engine, hurried(options)).await, provider, authority)
}

/// Documents that are issued, as they are read.
async fn issued(world: &World, names: &[&str]) -> Vec<Value> {
    let mut documents = Vec::new();
    for name in names {
        let uuid = world.issue(&world.document().named(name)).await;
        documents.push(world.until(&uuid, "issued").await);
    }
    documents
}

/// A run over the last two days, once it ended.
async fn reconciled(world: &World) -> Value {
    let begun = world.api.post("/admin/reconciliations", &form(world).await).await.expect(202);
    let id = begun["id"].as_str().unwrap().to_owned();
    until("the run ends", || async {
        let report = world.api.get(&format!("/admin/reconciliations/{id}")).await.expect(200);
        let state = report["reconciliation"]["state"].clone();
        (state == "ended" || state == "failed").then_some(report)
    })
    .await
}

async fn form(world: &World) -> Value {
    let now = world.read(&world.draft(&world.document()).await).await["created_at"].clone();
    let now: jiff::Timestamp = now.as_str().unwrap().parse().unwrap();
    json!({"workspace_id": world.workspace, "from": now - jiff::SignedDuration::from_hours(48)})
}

fn counts(report: &Value) -> [u64; 5] {
    let counts = &report["reconciliation"]["counts"];
    ["matching", "settling", "different", "only_here", "only_there"]
        .map(|name| counts[name].as_u64().unwrap())
}

/// Numbers and outcomes of what was found in the authority's list.
fn found(report: &Value) -> BTreeMap<String, String> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let entries = report["entries"].as_array().unwrap().iter();
    let of_authority = entries.filter(|entry| entry["source"] == "authority");
    of_authority.map(|entry| (text(&entry["number"]), text(&entry["outcome"]))).collect()
}

fn entry<'a>(report: &'a Value, number: &Value) -> &'a Value {
    report["entries"].as_array().unwrap().iter().find(|entry| entry["number"] == *number).unwrap()
}

#[tokio::test]
async fn what_the_stand_in_accepted_is_compared_with_what_it_lists() {
    on_both(|engine| async move {
        let options =
            Options::sandbox().variable("GATEWAY_RECONCILIATION__AUTHORITY_URLS", "es-verifactu=sandbox");
        let world = World::with(engine, hurried(options)).await;
        let names = ["Jane Roe", "Jane SANDBOX-UNLISTED Roe", "Jane SANDBOX-LISTED-WITH-1.00 Roe"];
        let documents = issued(&world, &names).await;
        let report = reconciled(&world).await;
        assert_eq!(counts(&report), [4, 0, 1, 1, 0], "three entries and a record match: {report}");
        let [_, unlisted, other] = &documents[..] else { panic!("{documents:?}") };
        let (unlisted, other) = (&unlisted["display_invoice_number"], &other["display_invoice_number"]);
        let (missing, different) = (entry(&report, unlisted), entry(&report, other));
        assert_eq!((&missing["source"], &missing["outcome"]), (&json!("authority"), &json!("only_here")));
        let step = missing["next_step"].as_str().unwrap();
        assert!(step.contains("gateway submission show") && step.contains("/commands/credit"), "{step}");
        let total = json!([{"member": "total", "here": "110.00", "there": "1.00"}]);
        assert_eq!((&different["outcome"], &different["divergences"]), (&json!("different"), &total));
        let id = report["reconciliation"]["id"].as_str().unwrap();
        let again = reconciled(&world).await;
        assert_eq!(counts(&again), counts(&report), "nothing settled itself");
        let csv = world.gateway.cli(&["reconcile", "--show", id, "--csv"]).await.succeeded().stdout.clone();
        assert!(csv.lines().next().unwrap().ends_with(",source"), "{csv}");
        assert_eq!(csv.lines().filter(|line| line.ends_with(",authority")).count(), 2, "{csv}");
        let table = world.gateway.cli(&["reconcile", "--show", id]).await.succeeded().stdout.clone();
        assert!(table.contains("authority"), "{table}");
        let metrics = world.gateway.internal().get("/metrics").await.text;
        assert!(metrics.contains("einvoicing_reconciliation_open{outcome=\"only_here\"} 1"), "{metrics}");
        let operator = world.another_client(&["console.read"], &["*"]).await;
        let browser = Browser::signed_in(world.gateway.internal().base(), &operator).await;
        let page = browser.get(&format!("/console/reconciliations/{id}")).await.text;
        assert!(page.contains("<td>authority</td>") && page.contains("110.00 here, 1.00 there"), "{page}");
    })
    .await;
}

#[tokio::test]
async fn an_authority_that_lists_others_or_cannot_be_read_costs_nothing_of_what_was_found_before() {
    on_both(|engine| async move {
        let (world, _provider, authority) = scripted(engine).await;
        let documents = issued(&world, &["Jane Roe", "Jane Roe", "Jane Roe"]).await;
        let mut records: Vec<_> = documents.iter().map(ListedInvoice::of).collect();
        // The first is cancelled there, the second is not there, and somebody else filed X-1; a day long ago is not asked for.
        "Anulado".clone_into(&mut records[0].state);
        let lost = records.remove(1);
        records.push(ListedInvoice { number: "X-1".to_owned(), ..lost.clone() });
        records.push(ListedInvoice { number: "X-0".to_owned(), date: "2020-01-01".to_owned(), ..lost.clone() });
        authority.list(records.clone());
        authority.reply(503, "");
        let report = reconciled(&world).await;
        let expected = [(&records[0].number, "different"), (&lost.number, "only_here"), (&"X-1".to_owned(), "only_there")];
        let expected = expected.map(|(number, outcome)| (number.clone(), outcome.to_owned()));
        assert_eq!((found(&report), counts(&report)), (BTreeMap::from(expected), [4, 0, 1, 1, 1]), "{report}");
        assert_eq!(entry(&report, &json!(records[0].number))["divergences"][0]["there"], "cancelled");
        assert!(authority.questions()[0].contains("<sum:NIF>"), "{:?}", authority.questions());
        assert!(world.gateway.log().contains("waits for the tax authority"), "{}", world.gateway.log());

        let fault = "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body><e:Fault><faultcode>e:Client\
            </faultcode><faultstring>Codigo[4104].NIF</faultstring></e:Fault></e:Body></e:Envelope>";
        let bomb = "<!DOCTYPE a [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;\">]><a>&b;&b;&b;</a>";
        let huge = "x".repeat(13 << 20);
        for (status, body, words) in [
            (500, fault, "Codigo[4104].NIF"),
            (200, "<html>Mantenimiento</html>", "no XML of its service"),
            (200, bomb, "no XML of its service"),
            (403, "", "status 403"),
            (200, huge.as_str(), "larger than 12 MiB"),
        ] {
            authority.reply(status, body);
            let report = reconciled(&world).await;
            assert_eq!(report["reconciliation"]["state"], "failed", "{report}");
            let reason = report["reconciliation"]["reason"].as_str().unwrap();
            assert!(reason.contains(words) && reason.contains("begin another run"), "{reason}");
            assert_eq!(counts(&report), [3, 0, 0, 0, 0], "what was found at the provider stays: {report}");
        }
        authority.never_end(true);
        let report = reconciled(&world).await;
        let reason = report["reconciliation"]["reason"].as_str().unwrap();
        assert!(reason.contains("does not move on"), "{reason}");
        authority.never_end(false);
        authority.list(documents.iter().map(ListedInvoice::of).collect());
        assert_eq!(counts(&reconciled(&world).await), [6, 0, 0, 0, 0]);
    })
    .await;
}

#[tokio::test]
async fn a_run_that_is_killed_at_the_authority_goes_on_there_and_reports_the_same() {
    gateway_tests::with_fail_points();
    on_both(|engine| async move {
        let (mut world, _provider, authority) = scripted(engine).await;
        let documents = issued(&world, &["Jane Roe", "Jane Roe"]).await;
        authority.list(vec![ListedInvoice::of(&documents[0])]);
        let form = form(&world).await;
        // One side on each database is enough: what is written is the same.
        let side = if engine == Engine::Sqlite { "before" } else { "after" };
        world.gateway.kill9();
        world.gateway.die_at(Some(&format!("{side}-authority-list-advanced")));
        world.serve_again().await;
        let json = [("content-type", "application/json")];
        let body = form.to_string().into_bytes();
        // Whether the answer arrives depends on where it dies.
        let _ = world.api.try_send("POST", "/admin/reconciliations", &json, Some(body)).await;
        until("it died", || std::future::ready((!world.gateway.runs()).then_some(()))).await;
        world.gateway.kill9();
        world.gateway.die_at(None);
        world.serve_again().await;
        let report = reconciled(&world).await;
        assert_eq!(counts(&report), [3, 0, 0, 1, 0], "{side}: {report}");
    })
    .await;
}
