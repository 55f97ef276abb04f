//! Against a provider that does what the test says: ids, keys, and the way of every call.

use gateway_tests::{
    Call, Fault, OnChange, Options, Outcome, PROVIDER_TOKEN, Route, ScriptedProvider, WORKFLOW, World,
    on_every, record_hash, until,
};
use serde_json::{Value, json};

async fn world(engine: gateway_tests::Engine, provider: &ScriptedProvider) -> World {
    World::with(engine, Options::provider(&provider.url()).variable("GATEWAY_PROVIDER__POLL_AFTER_S", "1"))
        .await
}

/// The structured document of an upload.
fn document(call: &Call) -> &Value {
    call.body["data"].get("doc").unwrap_or(&call.body["data"])
}

fn ids(calls: &[Call]) -> Vec<&str> {
    calls.iter().map(|call| call.id.as_str()).collect()
}

#[tokio::test]
async fn a_submission_stores_an_entry_starts_a_job_and_reads_both() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        let world = world(engine, &provider).await;
        let uuid = world.issue(&world.document()).await;
        let issued = world.until(&uuid, "issued").await;
        let entry = world.submission(&uuid).await["entry_id"].as_str().unwrap().to_owned();
        assert_eq!(
            (&issued["acceptance"]["sandbox"], &issued["acceptance"]["tax_system_hash"]),
            (&json!(false), &json!(record_hash(&entry)))
        );
        let calls = provider.calls();
        // A reconciliation may begin in between, and lists entries without naming one.
        for call in calls.iter().filter(|call| call.route != Route::ListEntries) {
            assert_eq!(call.authorization, format!("Bearer {PROVIDER_TOKEN}"));
            assert!(["PUT", "GET"].contains(&call.method.as_str()), "never PATCH, never POST: {call:?}");
            assert_ne!(call.route, Route::Other, "{call:?}");
            assert_eq!(call.id.as_bytes()[14], b'7', "UUID v7: {call:?}");
        }
        let [puts, jobs] = [Route::PutEntry, Route::PutJob].map(|route| provider.calls_of(route));
        assert_eq!((puts.len(), jobs.len()), (1, 1));
        let number = issued["display_invoice_number"].as_str().unwrap();
        assert_eq!(puts[0].body["key"], format!("{uuid}-{number}"));
        let sent = document(&puts[0]);
        assert_eq!((&sent["uuid"], &sent["code"]), (&json!(uuid), &json!(number)));
        assert_eq!(sent["supplier"]["uuid"], gateway_tests::COMPANY);
        assert_eq!(sent["totals"]["payable"], issued["totals"]["payable"]);
        assert!(!puts[0].body.to_string().contains("bypass"), "{sent}");
        assert_eq!(
            (&jobs[0].body["workflow_id"], &jobs[0].body["silo_entry_id"]),
            (&json!(WORKFLOW), &json!(puts[0].id))
        );
        let submission = world.submission(&uuid).await;
        assert_eq!(
            (&submission["entry_id"], &submission["attempts"][0]["job_id"]),
            (&json!(puts[0].id), &json!(jobs[0].id))
        );
    })
    .await;
}

#[tokio::test]
async fn a_list_shows_each_submission_with_what_is_its_own() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        let world = world(engine, &provider).await;
        let mut issued = Vec::new();
        for _ in 0..2 {
            issued.push(world.issue(&world.document()).await);
        }
        for uuid in &issued {
            world.until(uuid, "issued").await;
        }
        provider.outcome(Outcome::Running);
        let open = world.issue(&world.document()).await;
        let started = || async { provider.calls_for(&open, Route::PutJob).into_iter().next() };
        let job = until("the attempt starts", started).await;

        let list = world.api.get("/admin/submissions").await.expect(200);
        let views = list["submissions"].as_array().unwrap();
        assert_eq!(views.len(), 3, "{list}");
        let view_of = |uuid: &str| views.iter().find(|view| view["document_id"] == json!(uuid)).unwrap();
        for uuid in &issued {
            assert_eq!(*view_of(uuid), world.submission(uuid).await);
        }
        let waiting = view_of(&open);
        assert!(waiting["next_step_at"].is_string(), "{waiting}");
        assert_eq!(waiting["attempts"][0]["job_id"], job.id);
    })
    .await;
}

#[tokio::test]
async fn a_conflict_about_the_same_content_is_taken_as_success() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        provider.on_change(OnChange::AlwaysConflicts);
        provider.fail(Route::PutEntry, 1, Fault::Lost);
        let world = world(engine, &provider).await;
        let uuid = world.issue(&world.document()).await;
        world.until(&uuid, "issued").await;
        let puts = provider.calls_of(Route::PutEntry);
        assert!(puts.len() == 2 && puts[0].id == puts[1].id, "{puts:?}");
        assert_eq!(provider.calls_of(Route::PutJob).len(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_resubmission_has_an_entry_of_its_own_whether_or_not_content_is_replaced() {
    on_every(|engine| async move {
        for on_change in [OnChange::Replaces, OnChange::Conflicts] {
            let provider = ScriptedProvider::start().await;
            provider.on_change(on_change);
            let (world, uuid) = rejected_once(engine, &provider).await;
            let [puts, jobs] = [Route::PutEntry, Route::PutJob].map(|route| provider.calls_of(route));
            assert!(puts.len() == 2 && puts[0].id != puts[1].id, "{:?}", ids(&puts));
            assert!(jobs.len() == 2 && jobs[0].id != jobs[1].id, "{:?}", ids(&jobs));
            assert_ne!(puts[0].body["key"], puts[1].body["key"], "another number, another key");
            assert_eq!(jobs[1].body["silo_entry_id"], puts[1].id);
            let submission = world.submission(&uuid).await;
            assert_eq!(submission["entry_id"], puts[1].id);
            let entries = [0, 1].map(|at| submission["attempts"][at]["entry_id"].clone());
            assert_eq!(entries, [json!(puts[0].id), json!(puts[1].id)]);
        }
    })
    .await;
}

/// An invoice that was rejected, edited and accepted.
async fn rejected_once(engine: gateway_tests::Engine, provider: &ScriptedProvider) -> (World, String) {
    provider.outcome(Outcome::Failed(
        json!([{"provider": "verifactu", "code": "1110", "message": "unknown NIF"}]),
    ));
    let world = world(engine, provider).await;
    let uuid = world.issue(&world.document()).await;
    world.until(&uuid, "rejected").await;
    provider.outcome(Outcome::Accepted(json!([])));
    world.put_draft(&uuid, &world.document().named("Jane Doe")).await.expect(200);
    world.command(&uuid, "issue", &json!({})).await.expect(200);
    world.until(&uuid, "issued").await;
    (world, uuid)
}

#[tokio::test]
async fn a_conflict_twice_is_an_alert() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        let world = world(engine, &provider).await;
        let uuid = world.draft(&world.document()).await;
        provider.fail(Route::PutEntry, 2, Fault::Status(409, json!({"code": "conflict"})));
        provider.fail(Route::GetEntry, 9, Fault::Status(404, json!({})));
        world.command(&uuid, "issue", &json!({})).await.expect(200);
        world.until_alert(&uuid, "entryConflict").await;
        let puts = provider.calls_of(Route::PutEntry);
        assert!(puts.len() == 2 && puts[0].id != puts[1].id, "once more under another id: {:?}", ids(&puts));
        provider.mend();
        world.api.post(&format!("/finance/rpc/submissions/{uuid}/retry"), &json!({})).await.expect(200);
        world.until(&uuid, "issued").await;
    })
    .await;
}

#[tokio::test]
async fn the_job_of_the_attempt_decides_and_stamps_alone_do_not() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        provider.outcome(Outcome::RunningWithStamps);
        let world = world(engine, &provider).await;
        let uuid = world.issue(&world.document()).await;
        until("the provider was asked twice", || async {
            (provider.calls_of(Route::GetJob).len() >= 2).then_some(())
        })
        .await;
        let waiting = world.read(&uuid).await;
        assert_eq!((&waiting["status"], &waiting["acceptance"]), (&json!("issuing"), &Value::Null));
        provider.outcome(Outcome::Failed(
            json!([{"provider": "verifactu", "code": "1110", "message": "unknown NIF"}]),
        ));
        let rejected = world.until(&uuid, "rejected").await;
        assert!(rejected["rejection_reason"].as_str().unwrap().contains("1110"), "{rejected}");
    })
    .await;
}

#[tokio::test]
async fn a_job_that_failed_with_remarks_only_is_accepted_with_warnings() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        provider.outcome(Outcome::Accepted(
            json!([{"provider": "verifactu", "code": "2001", "message": "remark"}]),
        ));
        let world = world(engine, &provider).await;
        let uuid = world.issue(&world.document()).await;
        let issued = world.until(&uuid, "issued").await;
        assert_eq!(issued["acceptance"]["warnings"][0]["code"], "2001");
    })
    .await;
}

#[tokio::test]
async fn another_amount_at_the_provider_stops_the_document_before_the_authority() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        provider.restate("/totals/payable", json!("110.01"));
        let world = world(engine, &provider).await;
        let uuid = world.issue(&world.document()).await;
        let rejected = world.until(&uuid, "rejected").await;
        let reason = rejected["rejection_reason"].as_str().unwrap();
        assert!(reason.contains("110.01") && reason.contains("110.00"), "{reason}");
        assert_eq!(provider.calls_of(Route::PutJob).len(), 0, "nothing was sent to the authority");
    })
    .await;
}

#[tokio::test]
async fn a_provider_that_lost_the_job_gets_it_again() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        provider.outcome(Outcome::Running);
        let world = world(engine, &provider).await;
        let uuid = world.issue(&world.document()).await;
        until("the job runs", || async { (!provider.calls_of(Route::GetJob).is_empty()).then_some(()) })
            .await;
        provider.forget_jobs();
        provider.outcome(Outcome::Accepted(json!([])));
        world.until(&uuid, "issued").await;
        let jobs = provider.calls_of(Route::PutJob);
        assert!(jobs.len() == 2 && jobs[0].id == jobs[1].id, "{:?}", ids(&jobs));
    })
    .await;
}
