//! The legal clock: until when a document has to be filed, what it carries that is filed in an outage, the evidence of outages, and
//! who hears of a limit before it.

use crate::plugins::until_replicas_follow;
use gateway_storage::{Db, testing};
use gateway_tests::{
    COMPANY, Document, Engine, Fault, MovableClock, OnChange, Options, Outcome, PROVIDER_TOKEN, Route,
    ScriptedProvider, WORKFLOW, World, built_plugins, line, on_both, until,
};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

const OUTAGES: &str = "/admin/outages";

/// Calls that fail for a second are an outage.
async fn world(engine: Engine, provider: &ScriptedProvider) -> World {
    let options = Options::provider(&provider.url())
        .variable("GATEWAY_PROVIDER__POLL_AFTER_S", "1")
        .variable("GATEWAY_PROVIDER__OUTAGE_AFTER_S", "1");
    World::with(engine, options).await
}

async fn outages(world: &World) -> Vec<Value> {
    world.api.get(OUTAGES).await.expect(200)["outages"].as_array().unwrap().clone()
}

fn instant(value: &Value) -> Timestamp {
    value.as_str().unwrap().parse().unwrap()
}

/// The marks of the documents that a provider was sent for one of ours, one for each call.
fn marks(provider: &ScriptedProvider, uuid: &str) -> Vec<Value> {
    let mark = |body: &Value| {
        let body = body.pointer("/data").unwrap_or(body);
        let document = body.get("doc").unwrap_or(body);
        document.pointer("/meta/es-verifactu-incident").cloned().unwrap_or_default()
    };
    provider.calls_for(uuid, Route::PutEntry).iter().map(|call| mark(&call.body)).collect()
}

#[tokio::test]
async fn a_submission_says_until_when_it_has_to_be_filed() {
    on_both(|engine| async move {
        let provider = ScriptedProvider::start().await;
        provider.outcome(Outcome::Running);
        let world = world(engine, &provider).await;
        let uuid = world.issue(&world.document()).await;
        let submission = until("the plugin was asked", || async {
            Some(world.submission(&uuid).await).filter(|submission| submission["file_by"].is_string())
        })
        .await;
        let issued_at = instant(&world.read(&uuid).await["issuing_at"]);
        let limit = instant(&submission["file_by"]);
        // Four minutes, in whole seconds.
        assert!((limit.duration_since(issued_at) - SignedDuration::from_mins(4)).as_secs().abs() <= 1);
        assert!((1..=240).contains(&submission["due_in_s"].as_i64().unwrap()), "{submission}");
        assert_eq!(submission["filing_mark"], Value::Null);
        let listed = world.gateway.cli(&["submission", "show", &uuid]).await;
        assert!(listed.succeeded().stdout.contains("due in"), "{}", listed.stdout);
        // When half of the time has passed it goes before others that are due.
        let db =
            Db::connect(&world.gateway.database_url(), &gateway_storage::Options::default()).await.unwrap();
        let urgent_at = until("its job has a time from which it is urgent", || async {
            testing::urgent_at(&db, "submission", &uuid).await
        })
        .await;
        assert!((limit.duration_since(urgent_at) - SignedDuration::from_mins(2)).as_secs().abs() <= 1);
        provider.end_all(Outcome::Accepted(json!([])));
        world.until(&uuid, "issued").await;
        let over = world.submission(&uuid).await;
        assert_eq!((&over["due_in_s"], instant(&over["file_by"])), (&Value::Null, limit));
        assert_eq!(marks(&provider, &uuid), [Value::Null]);
        assert_eq!(outages(&world).await, Vec::<Value>::new());
    })
    .await;
}

#[tokio::test]
async fn what_is_converted_in_an_outage_carries_the_mark_and_the_outage_is_kept_as_evidence() {
    on_both(|engine| async move {
        let provider = ScriptedProvider::start().await;
        provider.fail(Route::PutEntry, 9_999, Fault::Status(503, json!({})));
        let world = world(engine, &provider).await;
        let before = world.issue(&world.document()).await;
        until("the outage counts", || async { (!outages(&world).await.is_empty()).then_some(()) }).await;
        let within = world.issue(&world.document()).await;
        until("another document was converted in the outage", || async {
            (!provider.calls_for(&within, Route::PutEntry).is_empty()).then_some(())
        })
        .await;
        let lasts = outages(&world).await;
        assert_eq!((lasts.len(), &lasts[0]["until"], &lasts[0]["intact"]), (1, &Value::Null, &json!(true)));

        provider.mend();
        for uuid in [&before, &within] {
            world.retry(uuid).await;
            world.until(uuid, "issued").await;
        }
        // The document stays as it was sent first, whatever became of the calls.
        let (before_marks, within_marks) = (marks(&provider, &before), marks(&provider, &within));
        assert!(before_marks.len() >= 2 && before_marks.iter().all(Value::is_null), "{before_marks:?}");
        assert!(within_marks.iter().all(|mark| mark == "S"), "{within_marks:?}");
        assert_eq!(world.submission(&before).await["filing_mark"], Value::Null);
        assert_eq!(world.submission(&within).await["filing_mark"], json!("incidencia"));

        let over = until("the outage has ended", || async {
            outages(&world).await.into_iter().find(|outage| outage["until"].is_string())
        })
        .await;
        assert_eq!((&over["side"], &over["call"]), (&json!("provider"), &json!("put_entry")));
        assert!(over["failures"].as_i64() >= Some(2) && instant(&over["since"]) < instant(&over["until"]));
        assert!(over["last_error"].as_str().unwrap().contains("503"), "{over}");
        // An hour from its end on.
        let limit = instant(&world.submission(&within).await["file_by"]);
        let left = limit.duration_since(instant(&over["until"]));
        assert!((left - SignedDuration::from_hours(1)).as_secs().abs() <= 1, "{limit} {over}");
        let subject = format!("outage:{}", over["id"].as_str().unwrap());
        let audit = world.api.get(&format!("/admin/audit?subject={subject}")).await.expect(200).to_string();
        assert!(audit.contains("outage.begin") && audit.contains("outage.end"), "{audit}");
        let listed = world.gateway.cli(&["submission", "outages"]).await.succeeded().stdout.clone();
        assert!(listed.contains("put_entry") && listed.contains("intact"), "{listed}");
        world.api.get(&format!("{OUTAGES}?limit=0")).await.expect(422);

        // Whoever shortens it past the gateway is found out.
        let db =
            Db::connect(&world.gateway.database_url(), &gateway_storage::Options::default()).await.unwrap();
        testing::shorten_outages(&db).await;
        assert_eq!(outages(&world).await[0]["intact"], json!(false));
    })
    .await;
}

/// What a process knew of an outage is in the database: another one goes on with it.
#[tokio::test]
async fn a_gateway_that_is_killed_in_an_outage_keeps_the_outage_its_evidence_and_the_mark() {
    on_both(|engine| async move {
        let provider = ScriptedProvider::start().await;
        provider.fail(Route::PutEntry, 9_999, Fault::Status(503, json!({})));
        let mut world = world(engine, &provider).await;
        world.issue(&world.document()).await;
        until("the outage counts", || async { (!outages(&world).await.is_empty()).then_some(()) }).await;
        let before = outages(&world).await.remove(0);
        world.gateway.kill9();
        world.serve_again().await;
        let within = world.issue(&world.document()).await;
        until("a document was converted after the restart", || async {
            (!provider.calls_for(&within, Route::PutEntry).is_empty()).then_some(())
        })
        .await;
        let lasts = outages(&world).await;
        assert_eq!(lasts.len(), 1, "one outage, not one for each process: {lasts:?}");
        for member in ["id", "since", "call", "side"] {
            assert_eq!(lasts[0][member], before[member], "{lasts:?}");
        }

        provider.mend();
        world.retry(&within).await;
        world.until(&within, "issued").await;
        assert!(marks(&provider, &within).iter().all(|mark| mark == "S"));
        assert_eq!(world.submission(&within).await["filing_mark"], json!("incidencia"));
        let over = until("the outage has ended", || async {
            outages(&world).await.into_iter().find(|outage| outage["until"].is_string())
        })
        .await;
        assert_eq!((&over["id"], &over["intact"]), (&before["id"], &json!(true)));
        assert!(over["failures"].as_i64() > before["failures"].as_i64(), "{over}");
    })
    .await;
}

/// Its first attempt was stored and sent nothing. The provider may keep what it has under an entry: then what is filed has another.
#[tokio::test]
async fn a_new_attempt_in_an_outage_files_the_document_with_its_mark_and_never_what_the_entry_had() {
    on_both(|engine| async move {
        for on_change in [OnChange::Conflicts, OnChange::Replaces] {
            let provider = ScriptedProvider::start().await;
            provider.on_change(on_change);
            provider.show("/sigs", json!(["eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl"]));
            let failed = json!([{"provider": "pdf", "completed": true, "events": [
                {"index": 0, "status": "RUN"}, {"index": 1, "status": "KO", "message": "render failed"}]}]);
            provider.outcome(Outcome::Ended {
                status: "KO",
                intents: failed,
                faults: json!([]),
                stamped: false,
            });
            let world = world(engine, &provider).await;
            let uuid = world.issue(&world.document()).await;
            world.until_alert(&uuid, "verdictUndecided").await;
            assert_eq!(marks(&provider, &uuid), [Value::Null]);

            provider.fail(Route::PutEntry, 9_999, Fault::Status(503, json!({})));
            world.issue(&world.document()).await;
            until("the outage counts", || async { (!outages(&world).await.is_empty()).then_some(()) }).await;
            provider.mend();
            provider.outcome(Outcome::Accepted(json!([])));
            world.retry(&uuid).await;
            world.until(&uuid, "issued").await;

            let submission = world.submission(&uuid).await;
            assert_eq!(
                (&submission["filing_mark"], &submission["alert"]),
                (&json!("incidencia"), &Value::Null)
            );
            let entry = |attempt: usize| submission["attempts"][attempt]["entry_id"].as_str().unwrap();
            assert_eq!(entry(0) == entry(1), on_change == OnChange::Replaces, "{submission}");
            let document = provider.document(entry(1));
            assert_eq!(document["meta"]["es-verifactu-incident"], json!("S"), "{document}");
        }
    })
    .await;
}

#[tokio::test]
async fn an_outage_that_the_authority_announced_is_declared_and_marks_what_is_issued_until_its_end() {
    on_both(|engine| async move {
        let provider = ScriptedProvider::start().await;
        let world = world(engine, &provider).await;
        let mark_of = async |uuid: &str| {
            world.until(uuid, "issued").await;
            world.submission(uuid).await["filing_mark"].clone()
        };
        let form =
            json!({"side": "authority", "since": "2026-01-01T00:00:00Z", "reason": "announced by the agency"});
        let declared = world.api.post(OUTAGES, &form).await.expect(201);
        assert_eq!((&declared["call"], &declared["until"]), (&json!("declared"), &Value::Null));
        assert_eq!(world.api.post(OUTAGES, &form).await.expect(409)["errors"][0]["field"], "side");
        let within = world.issue(&world.document()).await;
        assert_eq!(mark_of(&within).await, json!("incidencia"));
        assert_eq!(outages(&world).await.len(), 1, "no answer of the provider ends it");

        let end = format!("{OUTAGES}/{}/end", declared["id"].as_str().unwrap());
        assert_eq!(world.api.post(&end, &json!({"until": "2025-12-31T00:00:00Z"})).await.fields(422), ["until"]);
        assert!(world.api.post(&end, &json!({})).await.expect(200)["until"].is_string());
        assert_eq!(world.api.post(&end, &json!({})).await.fields(404), ["id"]);
        let after = world.issue(&world.document()).await;
        assert_eq!(mark_of(&after).await, Value::Null);

        let planned = ["--side", "issuer", "--since", "2026-01-01", "--reason", "the line was cut"];
        let listed = world.gateway.cli(&[&["submission", "declare-outage"], &planned[..]].concat()).await;
        let listed = listed.succeeded().stdout.clone();
        assert!(listed.contains("issuer") && listed.contains("the line was cut"), "{listed}");
        let lasts = outages(&world).await.into_iter().find(|outage| outage["until"].is_null()).unwrap();
        let ended = world.gateway.cli(&["submission", "end-outage", lasts["id"].as_str().unwrap()]).await;
        assert!(ended.succeeded().stdout.contains("intact"));
        assert!(outages(&world).await.iter().all(|outage| outage["intact"] == true));
        let subject = format!("outage:{}", lasts["id"].as_str().unwrap());
        let audit = world.api.get(&format!("/admin/audit?subject={subject}")).await.expect(200).to_string();
        assert!(audit.contains("outage.declare") && audit.contains("outage.end"), "{audit}");
    })
    .await;
}

#[tokio::test]
async fn one_call_without_an_answer_is_no_outage() {
    on_both(|engine| async move {
        let provider = ScriptedProvider::start().await;
        provider.fail(Route::PutEntry, 1, Fault::Status(503, json!({})));
        let world = world(engine, &provider).await;
        let uuid = world.issue(&world.document()).await;
        world.until(&uuid, "issued").await;
        assert_eq!(marks(&provider, &uuid), [Value::Null, Value::Null]);
        assert_eq!(outages(&world).await, Vec::<Value>::new());
    })
    .await;
}

#[tokio::test]
async fn somebody_is_told_of_a_limit_before_it_and_once() {
    on_both(|engine| async move {
        let provider = ScriptedProvider::start().await;
        provider.outcome(Outcome::Running);
        let clock = MovableClock::start();
        let options =
            clock.of(Options::provider(&provider.url())).variable("GATEWAY_PROVIDER__POLL_AFTER_S", "1");
        let world = World::with(engine, options).await;
        let reader = world.as_client(&["invoicing.rpc", "notices.read"], &["*"]).await;
        let uuid = world.issue(&world.document()).await;
        until("the plugin was asked", || async {
            world.submission(&uuid).await["file_by"].is_string().then_some(())
        })
        .await;
        let notices = async || -> Vec<Value> {
            let events = reader.get("/invoicing/rpc/events?source=notices").await.expect(200);
            let events = events["events"].as_array().unwrap().clone();
            events.into_iter().filter(|event| event["type"] == json!("submission.due")).collect()
        };
        assert_eq!(notices().await, Vec::<Value>::new(), "half of the four minutes has not passed");
        clock.set_offset_s(150);
        let first = until("the limit is in the feed", || async { notices().await.into_iter().next() }).await;
        assert_eq!((&first["subject"], &first["data"]["code"]), (&json!(uuid), &json!("dueSoon")));
        assert_eq!(first["data"]["next_command"], json!(format!("gateway submission show {uuid}")));
        clock.set_offset_s(400);
        until("it is overdue", || async {
            (world.submission(&uuid).await["due_in_s"].as_i64() < Some(0)).then_some(())
        })
        .await;
        provider.end_all(Outcome::Accepted(json!([])));
        world.until(&uuid, "issued").await;
        assert_eq!(notices().await.len(), 1);
    })
    .await;
}

/// A tax system that counts days.
struct DayCount {
    regime: &'static str,
    /// Arguments of the command that makes its workspace.
    workspace: &'static [&'static str],
    zone: &'static str,
    currency: &'static str,
    rate: &'static str,
    /// Days of issue, each with the last day of its limit; the earliest first.
    days: [(&'static str, &'static str); 2],
}

const DAY_COUNTS: [DayCount; 2] = [
    // Four days; the second time a weekend and the Immaculate Conception are not counted.
    DayCount {
        regime: "es-sii",
        workspace: &["--tax-id", "A58818501"],
        zone: "Europe/Madrid",
        currency: "EUR",
        rate: "10.0",
        days: [("2026-11-16", "2026-11-20"), ("2026-12-03", "2026-12-10")],
    },
    // The next working day; the second time Christmas Eve, Christmas and a weekend come first.
    DayCount {
        regime: "pl-favat",
        workspace: &[
            "--country",
            "PL",
            "--tax-id",
            "9876543210",
            "--time-zone",
            "Europe/Warsaw",
            "--street",
            "ul. Testowa 1",
            "--locality",
            "Warszawa",
            "--postcode",
            "00-001",
        ],
        zone: "Europe/Warsaw",
        currency: "PLN",
        rate: "8.0",
        days: [("2026-11-16", "2026-11-17"), ("2026-12-23", "2026-12-28")],
    },
];

/// A workspace that sends its documents to this tax system.
async fn workspace_of(world: &World, system: &DayCount) -> i64 {
    let file = built_plugins().join(format!("{}.wasm", system.regime));
    world.gateway.cli(&["plugin", "install", file.to_str().unwrap(), "--activate"]).await.succeeded();
    let registry = world.api.get("/admin/plugins").await.expect(200);
    until_replicas_follow(world, 1, &registry["generation"]).await;
    let workspace = world.another_workspace(system.workspace).await;
    let id = workspace.to_string();
    let mut set = vec!["workspace", "e-invoicing", "set", "--workspace", &id, "--regime", system.regime];
    set.extend(["--company-id", COMPANY, "--workflow-id", WORKFLOW, "--token-file", "-", "--json"]);
    world.gateway.cli_with(&set, &[], PROVIDER_TOKEN).await.succeeded();
    workspace
}

#[tokio::test]
async fn systems_that_count_days_give_until_the_end_of_the_last_one_where_the_supplier_is() {
    on_both(|engine| async move {
        for system in &DAY_COUNTS {
            let (clock, zone) = (MovableClock::start(), TimeZone::get(system.zone).unwrap());
            let at = |day: &str, hour: &str| -> Timestamp { format!("{day}T{hour}:00:00Z").parse().unwrap() };
            clock.set(at(system.days[0].0, "08"));
            let mut world = World::unconfigured(engine, clock.of(Options::sandbox())).await;
            let workspace = workspace_of(&world, system).await;
            for (issued, last) in system.days {
                // Always forward: what is in force already stays so.
                clock.set(at(issued, "10"));
                world.sign_in().await;
                let document = Document::of(workspace)
                    .with("currency", json!(system.currency))
                    .with("lines", json!([line("Night", "1", "110.00", system.rate)]));
                let uuid = world.issue(&document).await;
                assert_eq!(world.until(&uuid, "issued").await["issue_date"], issued, "{}", system.regime);
                let submission = world.submission(&uuid).await;
                let day_after: Date = last.parse::<Date>().unwrap().tomorrow().unwrap();
                let end = day_after.to_zoned(zone.clone()).unwrap().timestamp();
                let left = end.duration_since(instant(&submission["file_by"]));
                assert_eq!(left, SignedDuration::from_secs(1), "{} {issued}: {submission}", system.regime);
                assert_eq!(submission["filing_mark"], Value::Null, "{submission}");
            }
        }
    })
    .await;
}
