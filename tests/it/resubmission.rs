//! An accepted record is never joined by a second one: what was rejected by hand, failed without a reason or answered with
//! "duplicate" is looked at again before anything else is sent.

use gateway_tests::{Call, Engine, Options, Outcome, Route, ScriptedProvider, World, on_every, until};
use serde_json::{Value, json};

const ACCEPT: &str = "mark_as_accepted_by_tax_authority";
const REJECT: &str = "mark_as_rejected_by_tax_authority";

pub(super) async fn world(engine: Engine, provider: &ScriptedProvider) -> World {
    let options = Options::provider(&provider.url()).variable("GATEWAY_PROVIDER__POLL_AFTER_S", "1");
    World::with(engine, options).await
}

/// A document at the authority, rejected by hand and edited since; with its first number.
pub(super) async fn rejected_by_hand(world: &World, provider: &ScriptedProvider) -> (String, String) {
    provider.outcome(Outcome::Running);
    let uuid = world.issue(&world.document().named("Jane Roe")).await;
    until("the provider works", || async {
        (world.submission(&uuid).await["state"] == "waiting").then_some(())
    })
    .await;
    world.command(&uuid, REJECT, &json!({"reason": "the provider is silent"})).await.expect(200);
    assert_eq!(world.submission(&uuid).await["state"], "superseded");
    world.put_draft(&uuid, &world.document().named("Jane Doe")).await.expect(200);
    let number = world.read(&uuid).await["display_invoice_number"].as_str().unwrap().to_owned();
    (uuid, number)
}

fn names(calls: &[Call]) -> Vec<&Value> {
    calls.iter().map(|call| &call.body["data"]["customer"]["name"]).collect()
}

/// Issued under the first number, as it was sent then, and only that was ever started.
pub(super) async fn assert_settled(world: &World, provider: &ScriptedProvider, uuid: &str, number: &str) {
    let issued = world.until(uuid, "issued").await;
    assert_eq!(issued["display_invoice_number"], number);
    assert_eq!(issued["recipient"]["name"], "Jane Roe", "what the authority holds");
    assert!(issued["acceptance"]["qr_url"].as_str().unwrap().contains(number), "{issued}");
    assert_eq!(provider.calls_of(Route::PutJob).len(), 1, "never two records of one sale");
    assert_eq!(world.submission(uuid).await["alert"], Value::Null);
}

#[tokio::test]
async fn an_acceptance_after_a_rejection_by_hand_raises_an_alert_and_nothing_is_sent_again() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        let world = world(engine, &provider).await;
        let (uuid, number) = rejected_by_hand(&world, &provider).await;
        provider.outcome(Outcome::Accepted(json!([])));
        let alerted = world.until_alert(&uuid, "acceptedAfterAll").await;
        let message = alerted["alert"]["message"].as_str().unwrap();
        let proof = &alerted["attempts"][0]["acceptance"];
        assert!(
            message.contains(&number) && message.contains(proof["qr_url"].as_str().unwrap()),
            "{message}"
        );
        assert_eq!(alerted["attempts"][0]["authority_record"], "accepted");
        let failure = world.command(&uuid, "issue", &json!({})).await.expect(422);
        assert_eq!(failure["code"], "acceptedAfterAll");
        assert_eq!(world.read(&uuid).await["display_invoice_number"], number.as_str(), "no number was used");
        let unknown = world.command(&uuid, ACCEPT, &json!({"number": "F-1999-000001"})).await.expect(422);
        assert_eq!(unknown["code"], "invoiceNumberUnknown");
        let answer = world.command(&uuid, ACCEPT, &json!({"number": number})).await.expect(200);
        let event_types: Vec<_> =
            answer["events"].as_array().unwrap().iter().map(|event| &event["type"]).collect();
        assert_eq!(event_types, ["AcceptedByTaxAuthority", "Issued"]);
        assert_settled(&world, &provider, &uuid, &number).await;
    })
    .await;
}

#[tokio::test]
async fn a_document_waits_for_the_end_of_its_earlier_attempt_and_is_not_sent_when_that_is_accepted() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        let world = world(engine, &provider).await;
        let (uuid, number) = rejected_by_hand(&world, &provider).await;
        world.command(&uuid, "issue", &json!({})).await.expect(200);
        world.until_alert(&uuid, "earlierAttemptOpen").await;
        provider.outcome(Outcome::Accepted(json!([])));
        let entry = world.submission(&uuid).await["attempts"][0]["entry_id"].clone();
        world.gateway.public().post("/webhooks/provider", &json!({"id": entry})).await;
        world.until_alert(&uuid, "acceptedAfterAll").await;
        assert_eq!(names(&provider.calls_of(Route::PutEntry)), ["Jane Roe"]);
        world.command(&uuid, ACCEPT, &json!({"number": number})).await.expect(200);
        assert_settled(&world, &provider, &uuid, &number).await;
    })
    .await;
}

#[tokio::test]
async fn a_document_goes_on_by_itself_once_its_earlier_attempt_was_refused() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        let world = world(engine, &provider).await;
        let (uuid, number) = rejected_by_hand(&world, &provider).await;
        world.command(&uuid, "issue", &json!({})).await.expect(200);
        world.until_alert(&uuid, "earlierAttemptOpen").await;
        provider
            .outcome(Outcome::Failed(json!([{"provider": "verifactu", "code": "1110", "message": "no"}])));
        provider.outcome_of_next(Outcome::Accepted(json!([])));
        let entry = world.submission(&uuid).await["attempts"][0]["entry_id"].clone();
        world.gateway.public().post("/webhooks/provider", &json!({"id": entry})).await;
        let issued = world.until(&uuid, "issued").await;
        assert_ne!(issued["display_invoice_number"], number.as_str());
        assert_eq!(names(&provider.calls_of(Route::PutEntry)), ["Jane Roe", "Jane Doe"]);
        assert_eq!(world.submission(&uuid).await["attempts"][0]["authority_record"], "refused");
    })
    .await;
}

#[tokio::test]
async fn an_earlier_attempt_that_ended_without_a_clear_answer_needs_an_operator() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        let world = world(engine, &provider).await;
        let (uuid, number) = rejected_by_hand(&world, &provider).await;
        provider.outcome(Outcome::AcceptedWithoutStamps);
        world.until_alert(&uuid, "acceptedAfterAll").await;
        assert_eq!(world.command(&uuid, "issue", &json!({})).await.expect(422)["code"], "acceptedAfterAll");
        let nothing = world.command(&uuid, REJECT, &json!({"number": number})).await.expect(200);
        assert_eq!(nothing["events"], json!([]));
        assert_eq!(world.submission(&uuid).await["attempts"][0]["authority_record"], "nothing");
        provider.outcome(Outcome::Accepted(json!([])));
        world.command(&uuid, "issue", &json!({})).await.expect(200);
        assert_ne!(world.until(&uuid, "issued").await["display_invoice_number"], number.as_str());
    })
    .await;
}

#[tokio::test]
async fn a_rejection_after_an_acceptance_by_hand_raises_an_alert() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        provider.outcome(Outcome::Running);
        let world = world(engine, &provider).await;
        let uuid = world.issue(&world.document()).await;
        until("the provider works", || async {
            (world.submission(&uuid).await["state"] == "waiting").then_some(())
        })
        .await;
        world.command(&uuid, ACCEPT, &json!({"qr_url": null, "tax_system_hash": null})).await.expect(200);
        provider
            .outcome(Outcome::Failed(json!([{"provider": "verifactu", "code": "1110", "message": "no"}])));
        world.until_alert(&uuid, "rejectedAfterAll").await;
        assert_eq!(world.read(&uuid).await["status"], "issued");
        let path = format!("/finance/rpc/submissions/{uuid}/acknowledge");
        assert_eq!(world.api.post(&path, &json!({})).await.expect(200)["alert"], Value::Null);
        assert_eq!(world.api.post(&path, &json!({})).await.fields(422), ["state"]);
    })
    .await;
}

#[tokio::test]
async fn a_record_that_was_accepted_after_its_job_failed_without_a_reason_is_not_sent_again() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        provider.outcome(Outcome::Failed(json!([])));
        let world = world(engine, &provider).await;
        let uuid = world.issue(&world.document()).await;
        world.until_alert(&uuid, "failedWithoutReason").await;
        provider.end_all(Outcome::Accepted(json!([])));
        world.retry(&uuid).await;
        let issued = world.until(&uuid, "issued").await;
        assert!(issued["acceptance"]["qr_url"].is_string());
        assert_eq!(provider.calls_of(Route::PutJob).len(), 1, "the first job's record is the one");
    })
    .await;
}

#[tokio::test]
async fn a_job_that_runs_again_for_a_rejected_number_keeps_the_next_one_from_being_sent() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        provider
            .outcome(Outcome::Failed(json!([{"provider": "verifactu", "code": "1110", "message": "no"}])));
        let world = world(engine, &provider).await;
        let uuid = world.issue(&world.document().named("Jane Roe")).await;
        let number =
            world.until(&uuid, "rejected").await["display_invoice_number"].as_str().unwrap().to_owned();
        provider.end_all(Outcome::Accepted(json!([])));
        world.put_draft(&uuid, &world.document().named("Jane Doe")).await.expect(200);
        world.command(&uuid, "issue", &json!({})).await.expect(200);
        world.until_alert(&uuid, "acceptedAfterAll").await;
        world.command(&uuid, ACCEPT, &json!({"number": number})).await.expect(200);
        assert_settled(&world, &provider, &uuid, &number).await;
    })
    .await;
}

#[tokio::test]
async fn a_duplicate_that_cannot_be_compared_is_no_rejection() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        provider.outcome(Outcome::Failed(
            json!([{"provider": "verifactu", "code": "3000", "message": "Registro de facturación duplicado"}]),
        ));
        let world = world(engine, &provider).await;
        let uuid = world.issue(&world.document()).await;
        world.until_alert(&uuid, "duplicateRecord").await;
        assert_eq!(world.read(&uuid).await["status"], "issuing");
    })
    .await;
}

const DUPLICATE: &str =
    r#"[{"provider": "verifactu", "code": "3000", "message": "Registro de facturación duplicado"}]"#;

fn duplicate() -> Outcome {
    Outcome::Failed(serde_json::from_str(DUPLICATE).unwrap())
}

/// The verdict is given by hand while the call that starts the job is still on its way.
#[tokio::test]
async fn a_job_that_is_being_started_keeps_the_next_number_from_being_sent() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        let late = provider.hold(Route::PutJob);
        let world = world(engine, &provider).await;
        let uuid = world.issue(&world.document().named("Jane Roe")).await;
        late.arrived().await;
        world.command(&uuid, REJECT, &json!({"reason": "the provider is silent"})).await.expect(200);
        let number = world.read(&uuid).await["display_invoice_number"].as_str().unwrap().to_owned();
        world.put_draft(&uuid, &world.document().named("Jane Doe")).await.expect(200);
        world.command(&uuid, "issue", &json!({})).await.expect(200);
        world.until_alert(&uuid, "earlierAttemptOpen").await;
        late.release();
        until("the job is started", || async { (provider.calls_of(Route::PutJob).len() == 1).then_some(()) })
            .await;
        let entry = world.submission(&uuid).await["attempts"][0]["entry_id"].clone();
        world.gateway.public().post("/webhooks/provider", &json!({"id": entry})).await;
        world.until_alert(&uuid, "acceptedAfterAll").await;
        world.command(&uuid, ACCEPT, &json!({"number": number})).await.expect(200);
        assert_settled(&world, &provider, &uuid, &number).await;
    })
    .await;
}

#[tokio::test]
async fn a_verdict_by_hand_before_the_job_was_started_does_not_delay_the_next_attempt() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        let late = provider.hold(Route::PutEntry);
        let world = world(engine, &provider).await;
        let uuid = world.issue(&world.document().named("Jane Roe")).await;
        late.arrived().await;
        world.command(&uuid, REJECT, &json!({"reason": "the provider is silent"})).await.expect(200);
        assert_eq!(world.submission(&uuid).await["attempts"][0]["authority_record"], "nothing");
        world.put_draft(&uuid, &world.document().named("Jane Doe")).await.expect(200);
        world.command(&uuid, "issue", &json!({})).await.expect(200);
        world.until(&uuid, "issued").await;
        late.release();
        assert_eq!(provider.calls_of(Route::PutJob).len(), 1);
    })
    .await;
}

/// The provider sends the record again by itself, because the answer to the first time was lost.
#[tokio::test]
async fn an_earlier_attempt_that_ended_as_a_duplicate_needs_an_operator() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        let world = world(engine, &provider).await;
        let (uuid, _) = rejected_by_hand(&world, &provider).await;
        provider.outcome(duplicate());
        world.until_alert(&uuid, "acceptedAfterAll").await;
        assert_eq!(world.command(&uuid, "issue", &json!({})).await.expect(422)["code"], "acceptedAfterAll");
        assert_eq!(provider.calls_of(Route::PutJob).len(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_duplicate_that_was_compared_and_accepted_by_hand_is_no_contradiction() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        provider.outcome(duplicate());
        let world = world(engine, &provider).await;
        let uuid = world.issue(&world.document()).await;
        world.until_alert(&uuid, "duplicateRecord").await;
        world.command(&uuid, ACCEPT, &json!({"qr_url": null, "tax_system_hash": null})).await.expect(200);
        until("the watch has ended", || async {
            (world.submission(&uuid).await["attempts"][0]["authority_record"] == "accepted").then_some(())
        })
        .await;
        assert_eq!(world.submission(&uuid).await["alert"], Value::Null);
    })
    .await;
}

/// The first answer was lost on its way, the second job is told of the first one's record.
#[tokio::test]
async fn a_duplicate_of_what_an_earlier_job_of_the_same_entry_sent_is_its_acceptance() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        provider.outcome(Outcome::Failed(json!([])));
        let world = world(engine, &provider).await;
        let uuid = world.issue(&world.document()).await;
        world.until_alert(&uuid, "failedWithoutReason").await;
        let faults = serde_json::from_str(DUPLICATE).unwrap();
        let intents = json!([{"id": "01990000-0000-7000-8000-000000000001", "name": "Send", "provider": "verifactu.send",
            "completed": true, "events": [{"index": 0, "status": "KO", "code": "3000", "message": "duplicado"}]}]);
        provider.outcome_of_next(Outcome::Ended { status: "KO", intents, faults, stamped: true });
        world.retry(&uuid).await;
        let issued = world.until(&uuid, "issued").await;
        assert!(issued["acceptance"]["qr_url"].is_string(), "{issued}");
        assert_eq!(provider.calls_of(Route::PutJob).len(), 2);
    })
    .await;
}

#[tokio::test]
async fn a_repeated_rejection_by_hand_of_a_number_forgets_nothing() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        provider.outcome(Outcome::Running);
        let world = world(engine, &provider).await;
        let uuid = world.issue(&world.document()).await;
        until("the provider works", || async {
            (world.submission(&uuid).await["state"] == "waiting").then_some(())
        })
        .await;
        let number = world.read(&uuid).await["display_invoice_number"].clone();
        let body = json!({"reason": "the provider is silent", "number": number});
        for _ in 0..2 {
            world.command(&uuid, REJECT, &body).await.expect(200);
            assert_eq!(world.submission(&uuid).await["attempts"][0]["authority_record"], Value::Null);
        }
        let early = world.command(&uuid, REJECT, &json!({"number": number})).await.expect(422);
        assert_eq!(early["code"], "earlierAttemptOpen", "nobody asked, and the job still runs");
        provider.outcome(Outcome::Accepted(json!([])));
        world.until_alert(&uuid, "acceptedAfterAll").await;
        let proven = world.command(&uuid, REJECT, &json!({"number": number})).await.expect(422);
        assert_eq!(proven["code"], "acceptedAfterAll", "what is proven is not denied");
        world.command(&uuid, ACCEPT, &json!({"number": number})).await.expect(200);
        assert_eq!(world.read(&uuid).await["status"], "issued");
    })
    .await;
}

/// An address that is none of the authority's is no proof, whenever the provider shows it.
#[tokio::test]
async fn a_late_acceptance_is_checked_as_strictly_as_one_in_time() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        let world = world(engine, &provider).await;
        let (uuid, number) = rejected_by_hand(&world, &provider).await;
        let address = format!("http://evil.example/ValidarQR?nif=B98602642&numserie={number}");
        provider.stamps(json!([{"prv": "verifactu-qr", "val": address}, {"prv": "verifactu-hash", "val": "A".repeat(64)}]));
        provider.outcome(Outcome::Accepted(json!([])));
        let alerted = world.until_alert(&uuid, "acceptedAfterAll").await;
        assert!(!alerted["alert"]["message"].as_str().unwrap().contains("evil"), "{alerted}");
        assert!(!alerted["attempts"][0]["acceptance"].to_string().contains("evil"), "{alerted}");
    })
    .await;
}

#[tokio::test]
async fn a_job_that_failed_without_a_reason_is_watched_after_a_rejection_by_hand() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        provider.outcome(Outcome::Failed(json!([])));
        let world = world(engine, &provider).await;
        let uuid = world.issue(&world.document()).await;
        world.until_alert(&uuid, "failedWithoutReason").await;
        provider.end_all(Outcome::Accepted(json!([])));
        world.command(&uuid, REJECT, &json!({"reason": "nobody says why"})).await.expect(200);
        world.until_alert(&uuid, "acceptedAfterAll").await;
        assert_eq!(world.submission(&uuid).await["attempts"][0]["authority_record"], "accepted");
    })
    .await;
}
