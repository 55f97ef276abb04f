//! Accepted documents filed again under their numbers, where their tax system takes that.

use crate::plugins::until_replicas_follow;
use futures::StreamExt as _;
use futures::stream;
use gateway_tests::{
    Browser, COMPANY, Engine, MovableClock, Options, PROVIDER_TOKEN, WORKFLOW, World, built_plugins, on_both,
    on_both_remote, until, until_within, with_fail_points,
};
use serde_json::{Value, json};
use std::time::Duration;

/// Where the transactions of amendments commit, each with the name that leads there and the state that it ends in.
const COMMITS: [(&str, &str, &str); 5] = [
    ("amending", "Joan Roe", "accepted"),
    ("amendment-step", "Joan Roe", "accepted"),
    ("amended", "Joan Roe", "accepted"),
    ("amendment-refused", "Jane SANDBOX-REJECT-1100", "refused"),
    ("amendment-withdrawn", "Jane SANDBOX-FAIL-1000", "withdrawn"),
];
/// Longest from a restart until an amendment ended.
const TIMEOUT: Duration = Duration::from_mins(2);
/// Gateways that die and come back at the same time.
const CONCURRENT_GATEWAYS: usize = 4;

/// A world whose workspace sends its documents to this tax system.
async fn world_of(engine: Engine, regime: &str, settings: &Value) -> World {
    let world = World::unconfigured(engine, Options::sandbox()).await;
    let (id, file) = (world.workspace.to_string(), built_plugins().join(format!("{regime}.wasm")));
    world.gateway.cli(&["plugin", "install", file.to_str().unwrap(), "--activate"]).await.succeeded();
    let registry = world.api.get("/admin/plugins").await.expect(200);
    until_replicas_follow(&world, 1, &registry["generation"]).await;
    let place = tempfile::tempdir().unwrap();
    let settings_file = place.path().join("settings.json");
    std::fs::write(&settings_file, settings.to_string()).unwrap();
    let mut set = vec!["workspace", "e-invoicing", "set", "--workspace", &id, "--regime", regime];
    set.extend(["--company-id", COMPANY, "--workflow-id", WORKFLOW, "--token-file", "-", "--json"]);
    set.extend(["--settings", settings_file.to_str().unwrap()]);
    world.gateway.cli_with(&set, &[], PROVIDER_TOKEN).await.succeeded();
    world
}

/// A document that the authority accepted.
async fn accepted(world: &World, name: &str) -> String {
    let uuid = world.issue(&world.document().named(name)).await;
    world.until(&uuid, "issued").await;
    uuid
}

fn named(name: &str) -> Value {
    json!({"changes": {"recipient": {"name": name}}})
}

/// The codes of the remarks that want a document amended.
async fn demanded(world: &World, uuid: &str) -> Vec<String> {
    let list = world.api.get(&format!("/finance/rpc/documents/{uuid}/amendments")).await.expect(200);
    let demanded = list["demanded"].as_array().unwrap();
    demanded.iter().map(|demand| text(demand, "/code").to_owned()).collect()
}

async fn amendments(world: &World, uuid: &str) -> Vec<Value> {
    let list = world.api.get(&format!("/finance/rpc/documents/{uuid}/amendments")).await.expect(200);
    list["amendments"].as_array().unwrap().clone()
}

/// The last amendment of a document once it ended.
async fn ended(world: &World, uuid: &str, state: &str) -> Value {
    let last = until_within(TIMEOUT, "the amendment ends", || async {
        amendments(world, uuid).await.last().filter(|last| !last["ended_at"].is_null()).cloned()
    })
    .await;
    assert_eq!(last["state"], state, "{last}");
    last
}

fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("no {pointer} in {value}"))
}

/// The elements of a record without their prefixes.
fn has(record: &str, element: &str, content: &str) -> bool {
    let end = format!("{element}>{content}</");
    record.contains(&format!("<{end}")) || record.contains(&format!(":{end}"))
}

async fn events(world: &World, uuid: &str) -> Vec<String> {
    let recorded = world.api.get(&format!("/finance/rpc/documents/{uuid}/events")).await.expect(200);
    recorded["events"].as_array().unwrap().iter().map(|event| text(event, "/type").to_owned()).collect()
}

#[tokio::test]
async fn a_record_accepted_with_errors_is_amended_under_its_number_and_accepted() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let uuid = accepted(&world, "Jane SANDBOX-REJECT-2001").await;
        let before = world.read(&uuid).await;
        assert!(!before["acceptance"]["warnings"].as_array().unwrap().is_empty(), "{before}");
        assert_eq!(demanded(&world, &uuid).await, ["2001"]);
        let listed = world.gateway.cli(&["invoice", "amendments", &uuid]).await.succeeded().stdout.clone();
        assert!(listed.contains("The remark 2001 wants an amendment"), "{listed}");
        let path = format!("/finance/rpc/documents/{uuid}/commands/amend");
        let body = serde_json::to_vec(&named("Jane Roe")).unwrap();
        let trial = world.api.post(&format!("{path}?dry_run=true"), &named("Jane Roe")).await.expect(200);
        assert_eq!(trial, json!({"dry_run": true, "changes": ["/recipient/name"]}));
        assert_eq!(amendments(&world, &uuid).await, Vec::<Value>::new(), "a dry run does nothing");
        let key = [("Idempotency-Key", "amend-1"), ("Content-Type", "application/json")];
        let first = world.api.send("POST", &path, &key, Some(body.clone())).await.expect(200);
        let again = world.api.send("POST", &path, &key, Some(body)).await.expect(200);
        assert_eq!(first, again, "once for its key");

        let amendment = ended(&world, &uuid, "accepted").await;
        assert_eq!(amendments(&world, &uuid).await.len(), 1);
        assert_eq!(amendment["changes"], json!(["/recipient/name"]));
        let (own, replaced) = (text(&amendment, "/record/body"), text(&amendment, "/replaced/record/body"));
        assert!(has(own, "Subsanacion", "S") && !own.contains("RechazoPrevio"), "{own}");
        assert!(!replaced.contains("Subsanacion"), "{replaced}");
        assert!(text(&amendment, "/structured").contains("Jane Roe"));
        assert!(text(&amendment, "/replaced/structured").contains("SANDBOX-REJECT-2001"));
        for stamps in [&amendment["stamps"], &amendment["replaced"]["stamps"]] {
            let hash = |stamp: &Value| stamp["provider"] == "verifactu-hash";
            assert!(stamps.as_array().unwrap().iter().any(hash), "{stamps}");
        }
        let after = world.read(&uuid).await;
        assert_eq!(after["recipient"]["name"], "Jane Roe");
        assert_eq!(after["display_document_number"], before["display_document_number"]);
        assert_eq!(after["issued_at"], before["issued_at"]);
        assert_eq!((&after["status"], &after["acceptance"]["warnings"]), (&json!("issued"), &json!([])));
        assert_ne!(after["acceptance"]["tax_system_hash"], before["acceptance"]["tax_system_hash"]);
        assert_eq!(demanded(&world, &uuid).await, Vec::<String>::new());
        let submission = world.submission(&uuid).await;
        let attempts = submission["attempts"].as_array().unwrap();
        assert_eq!((attempts.len(), &attempts[1]["job_id"]), (2, &amendment["job_id"]), "{submission}");
        assert!(attempts.iter().all(|attempt| attempt["outcome"] == "accepted"), "{submission}");
        let structured =
            world.api.get(&format!("/finance/rpc/documents/{uuid}/structured")).await.expect(200);
        assert_eq!(structured["customer"]["name"], "Jane Roe", "what the authority holds");
        let recorded = events(&world, &uuid).await;
        assert_eq!(recorded.iter().filter(|event| event.ends_with("Amending")).count(), 1, "{recorded:?}");
        assert!(recorded.last().unwrap().ends_with("Amended"), "{recorded:?}");
        let view = world.gateway.cli(&["invoice", "show", &uuid, "--json"]).await.json();
        let timeline = view["timeline"].to_string();
        assert!(timeline.contains("Amending") && timeline.contains("DocumentAmended"), "{timeline}");
        let unchanged = world.api.post(&path, &named("Jane Roe")).await;
        assert_eq!(unchanged.expect(422)["code"], "amendUnchanged");
    })
    .await;
}

#[tokio::test]
async fn what_may_not_be_amended_is_refused_with_the_way_to_go() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let uuid = accepted(&world, "Jane Roe").await;
        let before = world.read(&uuid).await;
        let mut line = before["lines"][0].clone();
        line["quantity"] = json!("2");
        for (changes, refused, way) in [
            (json!({"lines": [line]}), "lines[0].quantity", "credit what was billed wrong"),
            (json!({"issue_date": "2026-01-02"}), "issue_date", "issue a corrective invoice"),
            (json!({"recipient": null}), "recipient", "cancel the document"),
            (json!({"workspace_id": 4711}), "workspace_id", "issue a corrective invoice"),
        ] {
            let answer = world.command(&uuid, "amend", &json!({"changes": changes})).await;
            assert_eq!(answer.expect(422)["code"], "amendPathRefused", "{changes}");
            assert!(answer.text.contains(refused) && answer.text.contains(way), "{}", answer.text);
        }
        let unreadable = world.command(&uuid, "amend", &json!({"changes": {"notes": 5}})).await;
        assert_eq!(unreadable.expect(422)["errors"], json!({"notes": ["must be a text"]}));
        let draft = world.draft(&world.document()).await;
        let refused = world.command(&draft, "amend", &named("Joan Roe")).await.expect(422);
        assert_eq!(refused["code"], "documentNotIssued", "{refused}");
        let mistaken = world.command(&draft, "amend", &json!({"changes": {"notes": 5}})).await.expect(422);
        assert_eq!(
            mistaken["code"], "documentNotIssued",
            "the state is recorded before the members: {mistaken}"
        );
        let unknown = "0197f4f2-0000-7000-8000-0000000000ff";
        world.command(unknown, "amend", &named("Joan Roe")).await.expect(410);
        assert_eq!((world.read(&uuid).await, amendments(&world, &uuid).await), (before, Vec::new()));
        let waiting = world.command(&uuid, "withdraw-amendment", &json!({})).await.expect(422);
        assert_eq!(waiting["code"], "amendmentNotWaiting");
    })
    .await;
}

#[tokio::test]
async fn an_amendment_that_the_authority_refuses_leaves_the_accepted_record_in_force() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let uuid = accepted(&world, "Jane Roe").await;
        let before = world.read(&uuid).await;
        world.command(&uuid, "amend", &named("Jane SANDBOX-REJECT-1100")).await.expect(200);
        let refused = ended(&world, &uuid, "refused").await;
        assert!(text(&refused, "/reason").contains("1100"), "{refused}");
        assert_eq!(world.read(&uuid).await, before, "nothing of it changed");
        assert!(events(&world, &uuid).await.last().unwrap().ends_with("AmendmentRefused"));
        // The authority knows of the refusal, and the next record says so.
        let changes = serde_json::to_string(&named("Joan Roe")["changes"]).unwrap();
        let typed = ["invoice", "amend", &uuid, "--changes", "-"];
        let begun = world.gateway.cli_with(&typed, &[], &changes).await;
        assert!(begun.succeeded().stdout.contains("is on its way"), "{begun:?}");
        let accepted = ended(&world, &uuid, "accepted").await;
        let record = text(&accepted, "/record/body");
        assert!(has(record, "Subsanacion", "S") && has(record, "RechazoPrevio", "S"), "{record}");
        assert_eq!(world.read(&uuid).await["recipient"]["name"], "Joan Roe");
        let list = world.gateway.cli(&["invoice", "amendments", &uuid]).await;
        let rows: Vec<_> = list.succeeded().stdout.lines().collect();
        assert!(rows.len() == 3 && rows[1].contains("refused") && rows[2].contains("accepted"), "{list:?}");
    })
    .await;
}

#[tokio::test]
async fn an_amendment_that_waits_is_given_up_and_another_takes_its_place() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let uuid = accepted(&world, "Jane Roe").await;
        let before = world.read(&uuid).await;
        let [amend, withdraw] = ["amend", "withdraw-amendment"]
            .map(|command| format!("/finance/rpc/documents/{uuid}/commands/{command}"));
        let send = async |path: &str, key: &str, body: &Value| {
            let headers = [("Idempotency-Key", key), ("Content-Type", "application/json")];
            world.api.send("POST", path, &headers, Some(serde_json::to_vec(body).unwrap())).await
        };
        let unreachable = named("Jane SANDBOX-FAIL-1000");
        send(&amend, "amend", &unreachable).await.expect(200);
        let other = send(&amend, "amend", &named("Joan Roe")).await.expect(409);
        assert_eq!(other["errors"][0]["code"], "idempotencyKeyReused");
        let another = world.api.post(&amend, &named("Joan Roe")).await.expect(422);
        assert_eq!(another["code"], "amendUnderWay");
        until("the amendment says why it waits", || async {
            let waiting = amendments(&world, &uuid).await;
            waiting[0]["problem"].is_string().then_some(())
        })
        .await;
        let reused = send(&withdraw, "amend", &json!({})).await.expect(409);
        assert_eq!(reused["errors"][0]["code"], "idempotencyKeyReused");
        let given_up = send(&withdraw, "withdraw", &json!({})).await.expect(200);
        assert_eq!(given_up["amendment"]["state"], "withdrawn", "{given_up}");
        assert_eq!(send(&withdraw, "withdraw", &json!({})).await.expect(200), given_up, "once for its key");
        assert_eq!(world.read(&uuid).await, before, "nothing of it changed");
        world.command(&uuid, "amend", &named("Joan Roe")).await.expect(200);
        ended(&world, &uuid, "accepted").await;
        assert_eq!(world.read(&uuid).await["recipient"]["name"], "Joan Roe");
    })
    .await;
}

#[tokio::test]
async fn an_entry_in_the_books_is_modified_and_a_system_without_amendments_says_so() {
    on_both(|engine| async move {
        let world = world_of(engine, "es-sii", &json!({})).await;
        let uuid = accepted(&world, "Jane Roe").await;
        world.command(&uuid, "amend", &named("Joan Roe")).await.expect(200);
        let amendment = ended(&world, &uuid, "accepted").await;
        let record = text(&amendment, "/record/body");
        assert!(has(record, "TipoComunicacion", "A1"), "{record}");
        let replaced = text(&amendment, "/replaced/record/body");
        assert!(has(replaced, "TipoComunicacion", "A0"), "{replaced}");

        let world = world_of(engine, "es-tbai", &json!({"region": "BI", "description": "Stays"})).await;
        let uuid = accepted(&world, "Jane Roe").await;
        let refused = world.command(&uuid, "amend", &named("Joan Roe")).await;
        assert_eq!(refused.expect(422)["code"], "amendNotOffered");
        assert!(
            refused.text.contains("the tax system of the document takes no amendment"),
            "{}",
            refused.text
        );
        let typed = ["invoice", "amend", &uuid, "--changes", "-"];
        let refused = world.gateway.cli_with(&typed, &[], r#"{"notes": "Late"}"#).await;
        assert!(refused.code == 1 && refused.stderr.contains("takes no amendment"), "{refused:?}");
    })
    .await;
}

#[tokio::test]
async fn documents_of_a_remote_invoice_data_service_and_those_without_a_record_are_not_amended() {
    on_both_remote(|engine| async move {
        let world = World::start(engine).await;
        let uuid = accepted(&world, "Jane Roe").await;
        let refused = world.command(&uuid, "amend", &named("Joan Roe")).await;
        assert_eq!(refused.expect(422)["code"], "amendNotOffered");
        assert!(refused.text.contains("kept by a remote invoice data service"), "{}", refused.text);
    })
    .await;
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::sandbox()).await;
        let uuid = accepted(&world, "Jane Roe").await;
        let refused = world.command(&uuid, "amend", &named("Joan Roe")).await;
        assert_eq!(refused.expect(422)["code"], "amendNotOffered");
        assert!(refused.text.contains("issued without a tax authority"), "{}", refused.text);
    })
    .await;
}

/// Sends a command to a process that ends at `point`, and again, with the same key, to the one that takes its place.
async fn sent_through_a_crash(world: &mut World, uuid: &str, command: &str, body: &Value, point: &str) {
    let path = format!("/finance/rpc/documents/{uuid}/commands/{command}");
    let headers = [("Idempotency-Key", command), ("Content-Type", "application/json")];
    let body = serde_json::to_vec(body).unwrap();
    world.gateway.kill9();
    world.gateway.die_at(Some(point));
    world.serve_again().await;
    // Its answer is lost where the process ends before it is sent.
    let _ = world.api.try_send("POST", &path, &headers, Some(body.clone())).await;
    until_within(TIMEOUT, &format!("the process ends {point}"), || async {
        world.gateway.internal().try_send("GET", "/healthz", &[], None).await.is_err().then_some(())
    })
    .await;
    world.gateway.kill9();
    world.gateway.die_at(None);
    world.serve_again().await;
    world.api.send("POST", &path, &headers, Some(body)).await.expect(200);
}

async fn amended_through_a_crash(engine: Engine, side: &str, (commit, name, state): (&str, &str, &str)) {
    let mut world = World::start(engine).await;
    let uuid = accepted(&world, "Jane Roe").await;
    let before = world.read(&uuid).await;
    let point = format!("{side}-{commit}");
    if state == "withdrawn" {
        world.command(&uuid, "amend", &named(name)).await.expect(200);
        until("the amendment says why it waits", || async {
            amendments(&world, &uuid).await[0]["problem"].is_string().then_some(())
        })
        .await;
        sent_through_a_crash(&mut world, &uuid, "withdraw-amendment", &json!({}), &point).await;
    } else {
        sent_through_a_crash(&mut world, &uuid, "amend", &named(name), &point).await;
    }
    let amendment = ended(&world, &uuid, state).await;
    assert_eq!(amendments(&world, &uuid).await.len(), 1, "{point}: {amendment}");
    let after = world.read(&uuid).await;
    if state == "accepted" {
        assert_eq!(after["recipient"]["name"], name, "{point}");
    } else {
        assert_eq!(after, before, "{point}: nothing of it changed");
    }
    let attempts = world.submission(&uuid).await["attempts"].as_array().unwrap().len();
    assert_eq!(attempts, 2, "{point}");
    let ends = ["Amended", "AmendmentRefused", "AmendmentWithdrawn"];
    let recorded = events(&world, &uuid).await;
    let ended = recorded.iter().filter(|event| ends.iter().any(|end| event.ends_with(end)));
    assert_eq!(ended.count(), 1, "{point}: {recorded:?}");
}

#[tokio::test]
async fn killed_before_and_after_each_commit_an_amendment_ends_once() {
    with_fail_points();
    on_both(|engine| async move {
        let moments = COMMITS.iter().flat_map(|commit| [("before", *commit), ("after", *commit)]);
        let runs = stream::iter(moments).map(|(side, commit)| amended_through_a_crash(engine, side, commit));
        runs.buffer_unordered(CONCURRENT_GATEWAYS).collect::<()>().await;
    })
    .await;
}

#[tokio::test]
async fn an_amendment_that_waits_is_on_the_page_of_its_document_and_told_after_an_hour() {
    on_both(|engine| async move {
        let clock = MovableClock::start();
        let mut world = World::with(engine, clock.of(Options::sandbox())).await;
        let uuid = accepted(&world, "Jane Roe").await;
        world.command(&uuid, "amend", &named("Jane SANDBOX-FAIL-1000")).await.expect(200);
        let problem = until("the amendment says why it waits", || async {
            amendments(&world, &uuid).await[0]["problem"].as_str().map(str::to_owned)
        })
        .await;
        let page = document_page(&world, &uuid).await;
        for part in ["Amendments</h2>", "/recipient/name", "<p class=\"problem\">"] {
            assert!(page.contains(part), "{part} is not on {page}");
        }
        let metrics = world.gateway.internal().get("/metrics").await.text;
        let mut open = metrics.lines().filter(|line| line.starts_with("einvoicing_amendments_open{"));
        assert!(open.any(|line| line.ends_with(" 1")), "{metrics}");
        let notices = async |world: &World| -> Vec<Value> {
            world.notices().await.into_iter().filter(|event| event["subject"] == json!(uuid)).collect()
        };
        assert_eq!(notices(&world).await, Vec::<Value>::new(), "a moment is no reason to call somebody");

        clock.set_offset_s(7200);
        world.api = world.authenticated(&world.client).await;
        let notice =
            until("somebody hears of it", || async { notices(&world).await.into_iter().next() }).await;
        assert_eq!(notice["type"], json!("submission.alerted"));
        assert_eq!(notice["data"]["code"], json!("amendmentWaits"));
        assert_eq!(notice["data"]["next_command"], json!(format!("gateway invoice amendments {uuid}")));
        assert!(text(&notice, "/data/message").contains(&problem), "{notice}");
        world.command(&uuid, "withdraw-amendment", &json!({})).await.expect(200);
        let page = document_page(&world, &uuid).await;
        assert!(page.contains("given up") && page.contains("the record before counts"), "{page}");
    })
    .await;
}

/// The page of a document for somebody who signs in now.
async fn document_page(world: &World, uuid: &str) -> String {
    let browser = Browser::signed_in(world.gateway.internal().base(), &world.client).await;
    browser.get(&format!("/console/invoices/{uuid}")).await.text
}
