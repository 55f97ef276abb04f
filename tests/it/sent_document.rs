//! A verdict is about the document that was sent: what the provider shows of another one is believed of none.

use futures::future::join_all;
use gateway_tests::{
    Engine, Fault, OnChange, Options, Outcome, Route, ScriptedProvider, World, on_both, on_every, until,
    with_fail_points,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const REJECTION_FAULTS: &str = r#"[{"provider": "verifactu", "code": "1110", "message": "unknown NIF"}]"#;

async fn world(engine: Engine, provider: &ScriptedProvider) -> World {
    World::with(engine, poll_every_second(provider)).await
}

fn poll_every_second(provider: &ScriptedProvider) -> Options {
    Options::provider(&provider.url()).variable("GATEWAY_PROVIDER__POLL_AFTER_S", "1")
}

fn rejection() -> Outcome {
    Outcome::Failed(serde_json::from_str(REJECTION_FAULTS).unwrap())
}

/// Still issuing, with an alert that says which document the provider shows.
async fn assert_other_document_alert(world: &World, uuid: &str) -> String {
    let submission = world.until_alert(uuid, "providerShowsAnotherDocument").await;
    let document = world.read(uuid).await;
    assert_eq!(
        (&document["status"], &document["acceptance"], &document["rejection_reason"]),
        (&json!("issuing"), &Value::Null, &Value::Null)
    );
    submission["alert"]["message"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_verdict_on_an_entry_that_holds_another_document_is_not_applied() {
    on_every(|engine| async move {
        for (pointer, value) in [
            ("/doc/code", json!("F-2026-999999")),
            ("/doc/totals/payable", json!("1.00")),
            ("/doc/customer/name", json!("Somebody Else")),
            ("/doc/lines/0/item/name", json!("Another stay")),
        ] {
            for outcome in [Outcome::Accepted(json!([])), rejection()] {
                let provider = ScriptedProvider::start().await;
                provider.outcome(outcome);
                provider.show(pointer, value.clone());
                let world = world(engine, &provider).await;
                let uuid = world.issue(&world.document()).await;
                let message = assert_other_document_alert(&world, &uuid).await;
                assert!(message.contains(pointer.trim_start_matches("/doc")), "{message}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn members_that_the_provider_adds_to_a_document_change_no_verdict() {
    on_both(|engine| async move {
        let provider = ScriptedProvider::start().await;
        provider.show("/doc/$addons", json!(["eu-en16931-v2017", "es-verifactu-v1"]));
        provider.show("/doc/totals/due", json!("110.0"));
        let world = world(engine, &provider).await;
        let uuid = world.issue(&world.document()).await;
        world.until(&uuid, "issued").await;
    })
    .await;
}

#[tokio::test]
async fn a_verdict_of_a_job_on_another_entry_is_not_applied() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        let other = "01930c5c-f1f0-7000-8000-0000000000ee";
        provider.claim(other);
        let world = world(engine, &provider).await;
        let uuid = world.issue(&world.document()).await;
        assert!(assert_other_document_alert(&world, &uuid).await.contains(other));
    })
    .await;
}

#[tokio::test]
async fn an_acceptance_whose_verification_address_has_another_number_is_not_applied() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        let address = "https://prewww2.aeat.es/wlpl/TIKE-CONT/ValidarQR?nif=B98602642&numserie=F-2026-999999";
        provider.stamps(json!([{"prv": "verifactu-qr", "val": address}]));
        let world = world(engine, &provider).await;
        let uuid = world.issue(&world.document()).await;
        assert!(assert_other_document_alert(&world, &uuid).await.contains("F-2026-999999"));
    })
    .await;
}

/// A replica sends the upload of a number that is refused meanwhile; it arrives when the document is on its way under the
/// next number, at a provider that replaces what an entry holds.
#[tokio::test]
async fn an_upload_that_arrives_late_does_not_change_the_next_attempt() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        provider.on_change(OnChange::Replaces);
        provider.outcome(rejection());
        let late = provider.hold(Route::PutEntry);
        let mut world = world(engine, &provider).await;
        let uuid = world.issue(&world.document()).await;
        late.arrived().await;
        world.gateway.kill9();
        world.serve_again().await;
        let first = world.until(&uuid, "rejected").await["display_invoice_number"].clone();

        provider.outcome(Outcome::Running);
        world.put_draft(&uuid, &world.document().named("Jane Doe")).await.expect(200);
        world.command(&uuid, "issue", &json!({})).await.expect(200);
        until("the next job runs", || async { (provider.calls_of(Route::PutJob).len() == 2).then_some(()) })
            .await;
        let uploads = provider.calls_of(Route::PutEntry).len();
        late.release();
        until("the late upload arrived", || async {
            (provider.calls_of(Route::PutEntry).len() > uploads).then_some(())
        })
        .await;
        provider.outcome(Outcome::Accepted(json!([])));
        let issued = world.until(&uuid, "issued").await;
        assert_ne!(issued["display_invoice_number"], first);
        let job = provider.calls_of(Route::PutJob).pop().unwrap();
        let filed = provider.document(job.body["silo_entry_id"].as_str().unwrap());
        assert_eq!(filed["code"], issued["display_invoice_number"], "what is issued is what was filed");
        assert_eq!(filed["customer"]["name"], "Jane Doe");
    })
    .await;
}

/// The same with a process that stands still just before it sends: the operating system pauses it, its lease ends, and
/// another replica takes the submission through a refusal to the next number.
#[tokio::test]
async fn a_suspended_replica_sends_nothing_of_submissions_that_others_ended() {
    on_both(|engine| async move {
        if engine == Engine::Sqlite {
            return; // One process serves a SQLite file.
        }
        let provider = ScriptedProvider::start().await;
        provider.outcome(rejection());
        // The first answer comes late: the process is paused while it waits for it, and tries again when it goes on.
        let first_try = provider.hold(Route::PutEntry);
        let mut world = world(engine, &provider).await;
        let uuid = world.issue(&world.document()).await;
        first_try.arrived().await;
        let mut other = world.gateway.replica();
        other.serve().await;
        world.gateway.pause();
        world.api = other.internal().with_token(world.api.token());
        world.until(&uuid, "rejected").await;
        provider.outcome(Outcome::Accepted(json!([])));
        world.put_draft(&uuid, &world.document().named("Jane Doe")).await.expect(200);
        world.command(&uuid, "issue", &json!({})).await.expect(200);
        let issued = world.until(&uuid, "issued").await;
        let calls = provider.calls().len();
        first_try.release();
        world.gateway.go_on();
        until("the late upload arrived", || async { (provider.calls().len() > calls).then_some(()) }).await;
        world.api.get("/readyz").await.expect(200);
        let jobs = provider.calls_of(Route::PutJob);
        assert_eq!(jobs.len(), 2, "one job for each number: {jobs:?}");
        assert_eq!(world.read(&uuid).await["display_invoice_number"], issued["display_invoice_number"]);
        let filed = provider.document(jobs[1].body["silo_entry_id"].as_str().unwrap());
        assert_eq!(filed["code"], issued["display_invoice_number"]);
    })
    .await;
}

/// The system suspends the process at the worst moments, just before it calls the provider; its lease ends, and another
/// replica takes the submission through a refusal to the next number.
#[tokio::test]
async fn a_replica_suspended_just_before_a_call_changes_nothing_of_the_next_attempt() {
    with_fail_points();
    on_both(|engine| async move {
        if engine == Engine::Sqlite {
            return; // One process serves a SQLite file.
        }
        let moments = ["upload-read", "upload", "start-read", "start"];
        join_all(moments.map(|moment| suspend_and_resume_at(engine, moment))).await;
    })
    .await;
}

async fn suspend_and_resume_at(engine: Engine, moment: &str) {
    let provider = ScriptedProvider::start().await;
    provider.on_change(OnChange::Replaces);
    provider.outcome(rejection());
    // Its calls fail until the command was answered: a process that stands still answers nobody.
    let route = if moment.starts_with("upload") { Route::PutEntry } else { Route::PutJob };
    provider.fail(route, 9_999, Fault::Status(503, json!({"message": "try again"})));
    let folder = tempfile::tempdir().unwrap();
    let stop = folder.path().join("stop");
    let order = format!("{moment}:{}", stop.display());
    let options = poll_every_second(&provider).variable("GATEWAY_TEST_STOP_AT", &order);
    let mut world = World::with(engine, options).await;
    let uuid = world.issue(&world.document()).await;
    std::fs::write(&stop, "").unwrap();
    until("the process stands still", || async { world.gateway.is_suspended().then_some(()) }).await;
    provider.mend();
    let mut other = world.gateway.replica();
    other.reconfigure(other.options().clone().variable("GATEWAY_TEST_STOP_AT", ""));
    other.serve().await;
    world.api = other.internal().with_token(world.api.token());
    world.until(&uuid, "rejected").await;
    provider.outcome(Outcome::Running);
    world.put_draft(&uuid, &world.document().named("Jane Doe")).await.expect(200);
    world.command(&uuid, "issue", &json!({})).await.expect(200);
    let started = || -> BTreeMap<_, _> {
        let jobs = provider.calls_of(Route::PutJob).into_iter();
        jobs.map(|call| (call.id, call.body["silo_entry_id"].clone())).collect()
    };
    until("the next job runs", || async { (started().len() == 2).then_some(()) }).await;

    // The first attempt's calls alone: those of the next may be repeated, by whichever replica holds it.
    let calls = |route| {
        let calls = provider.calls_of(route);
        calls.iter().filter(|call| call.id == calls[0].id).count()
    };
    let sent = (calls(Route::PutEntry), calls(Route::PutJob));
    world.gateway.go_on();
    // Whatever it did with the call, it finds that its lease is gone when it gives the job back.
    until(&format!("its turn has ended ({moment})"), || async {
        world.gateway.log().contains("took longer than its lease").then_some(())
    })
    .await;
    let since = (calls(Route::PutEntry), calls(Route::PutJob));
    match moment {
        "upload" => assert!(since.0 > sent.0, "{moment}: the late call arrived"),
        // Its connection may have been closed meanwhile.
        "start" => assert_eq!(since.0, sent.0, "{moment}: no other call was made"),
        _ => {
            assert!(world.gateway.log().contains("stood still"), "{moment}: it noticed");
            assert_eq!(since, sent, "{moment}: what was read too long ago is not sent");
        }
    }
    provider.outcome(Outcome::Accepted(json!([])));
    let issued = world.until(&uuid, "issued").await;
    let jobs = started();
    assert_eq!(jobs.len(), 2, "{moment}: one job for each number: {jobs:?}");
    let filed = |entry: &Value| provider.document(entry.as_str().unwrap());
    let filed: Vec<_> = jobs.values().map(|entry| filed(entry)["code"].clone()).collect();
    assert_ne!(filed[0], filed[1], "{moment}: each entry keeps the number it was made for");
    assert_eq!(filed[1], issued["display_invoice_number"], "{moment}: what is issued is what was filed");
}

/// The provider does what it is asked and says that it failed, for every document at once.
#[tokio::test]
async fn calls_that_were_carried_out_but_answered_with_a_failure_make_one_record_and_one_verdict() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        provider.outcome(Outcome::Running);
        let trouble = json!({"message": "batch failed"});
        provider.fail(Route::PutEntry, 4, Fault::Done(500, trouble.clone()));
        provider.fail(Route::PutJob, 3, Fault::Done(500, trouble.clone()));
        provider.fail(Route::PutJob, 1, Fault::Lost);
        let world = world(engine, &provider).await;
        let mut documents = Vec::new();
        for _ in 0..4 {
            documents.push(world.issue(&world.document()).await);
        }
        for uuid in &documents {
            until("the provider has the job", || async {
                (world.submission(uuid).await["state"] == "waiting").then_some(())
            })
            .await;
        }
        provider.fail(Route::GetJob, 2, Fault::Status(500, trouble));
        provider.outcome(Outcome::Accepted(json!([])));
        for uuid in &documents {
            world.until(uuid, "issued").await;
            let submission = world.submission(uuid).await;
            assert_eq!(submission["attempts"].as_array().unwrap().len(), 1, "{submission}");
            for route in [Route::PutEntry, Route::PutJob] {
                let calls = provider.calls_for(uuid, route);
                assert!(
                    calls.iter().all(|call| call.id == calls[0].id && call.body == calls[0].body),
                    "{calls:?}"
                );
            }
            let events = world.api.get(&format!("/finance/rpc/documents/{uuid}/events")).await.expect(200);
            let event_types: Vec<_> =
                events["events"].as_array().unwrap().iter().map(|event| &event["type"]).collect();
            assert_eq!(event_types, ["Issuing", "AcceptedByTaxAuthority", "Issued"]);
        }
    })
    .await;
}

#[tokio::test]
async fn calls_that_get_no_answer_are_repeated_under_the_same_ids() {
    on_both(|engine| async move {
        let provider = ScriptedProvider::start().await;
        let (upload, start) = (provider.hold(Route::PutEntry), provider.hold(Route::PutJob));
        let options = poll_every_second(&provider).variable("GATEWAY_PROVIDER__TIMEOUT_S", "2");
        let world = World::with(engine, options).await;
        let uuid = world.issue(&world.document()).await;
        upload.arrived().await;
        start.arrived().await;
        world.until(&uuid, "issued").await;
        upload.release();
        start.release();
        until("the late calls arrived", || async {
            (provider.calls_of(Route::PutEntry).len() >= 2 && provider.calls_of(Route::PutJob).len() >= 2)
                .then_some(())
        })
        .await;
        for route in [Route::PutEntry, Route::PutJob] {
            let calls = provider.calls_of(route);
            assert!(calls.iter().all(|call| call.id == calls[0].id), "{calls:?}");
        }
        assert_eq!(world.submission(&uuid).await["attempts"].as_array().unwrap().len(), 1);
    })
    .await;
}
