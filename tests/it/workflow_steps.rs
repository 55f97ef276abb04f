//! Which step of the provider's workflow decides: the authority's own rejects a document, and the validation of the format
//! before it; a fault of any other step waits for somebody.

use gateway_tests::{Engine, Options, Outcome, Route, ScriptedProvider, World, on_every, until};
use serde_json::{Value, json};

/// How a job ends.
struct Job {
    steps: Vec<Value>,
    faults: Value,
    stamped: bool,
}

impl Job {
    fn failed(steps: impl Into<Vec<Value>>, faults: Value) -> Self {
        Self { steps: steps.into(), faults, stamped: false }
    }

    fn with_stamps(self) -> Self {
        Self { stamped: true, ..self }
    }

    fn outcome(&self, status: &'static str) -> Outcome {
        let (intents, faults) = (Value::from(self.steps.clone()), self.faults.clone());
        Outcome::Ended { status, intents, faults, stamped: self.stamped }
    }
}

fn step(provider: &str, status: &str, code: &str, message: &str) -> Value {
    json!({"id": "01990000-0000-7000-8000-000000000001", "name": "A step", "provider": provider, "completed": true,
        "events": [{"index": 0, "status": "RUN"}, {"index": 1, "status": status, "code": code, "message": message}]})
}

fn sent() -> Value {
    step("verifactu.send", "OK", "", "")
}

fn pdf_fault() -> Value {
    json!({"provider": "pdf", "code": "PDF-1", "message": "render failed"})
}

async fn world(engine: Engine, provider: &ScriptedProvider) -> World {
    let options = Options::provider(&provider.url()).variable("GATEWAY_PROVIDER__POLL_AFTER_S", "1");
    World::with(engine, options).await
}

/// Issues a document whose job ends like this and leaves it issuing; what the alert says.
async fn issue_until_alert(world: &World, provider: &ScriptedProvider, job: &Job) -> String {
    provider.outcome(job.outcome("KO"));
    let uuid = world.issue(&world.document()).await;
    let submission = world.until_alert(&uuid, "verdictUndecided").await;
    let message = submission["alert"]["message"].as_str().unwrap().to_owned();
    let document = world.read(&uuid).await;
    assert_eq!(document["status"], "issuing", "{message}");
    assert!(document["issuing_at"].is_string() && document["rejection_reason"].is_null(), "{document}");
    let advice = ": look at the job at the provider, then retry the submission";
    assert!(message.ends_with(advice) && message.matches("look at").count() == 1, "{message}");
    message
}

/// Issues a document whose job ends like this; the reason of its rejection and the faults of the attempt.
async fn issue_until_rejected(world: &World, provider: &ScriptedProvider, job: &Job) -> (String, Value) {
    provider.outcome(job.outcome("KO"));
    let uuid = world.issue(&world.document()).await;
    let document = world.until(&uuid, "rejected").await;
    let attempt = world.submission(&uuid).await["attempts"][0].clone();
    assert_eq!(attempt["outcome"], "rejected");
    (document["rejection_reason"].as_str().unwrap().to_owned(), attempt["faults"].clone())
}

#[tokio::test]
async fn a_job_that_failed_in_its_pdf_step_leaves_the_document_issuing() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        let world = world(engine, &provider).await;
        let steps = || vec![sent(), step("pdf", "KO", "PDF-1", "render failed")];
        let by_fault = || Job::failed(steps(), json!([pdf_fault()]));
        for job in [by_fault(), by_fault().with_stamps(), Job::failed(steps(), json!([]))] {
            let message = issue_until_alert(&world, &provider, &job).await;
            assert!(
                message.starts_with("The provider's step pdf failed: render failed (PDF-1): "),
                "{message}"
            );
        }
        let unnamed = json!([{"code": "PDF-1", "message": "render failed"}]);
        let message = issue_until_alert(&world, &provider, &Job::failed(steps(), unnamed)).await;
        assert!(message.contains("step pdf failed"), "{message}");
        let alone = Job::failed([], json!([pdf_fault()]));
        assert!(issue_until_alert(&world, &provider, &alone).await.contains("render failed (PDF-1)"));
    })
    .await;
}

#[tokio::test]
async fn a_failed_step_with_only_a_message_is_understood() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        let world = world(engine, &provider).await;
        for code in ["", " "] {
            let job = Job::failed([sent(), step("pdf", "KO", code, "render failed")], json!([]));
            let message = issue_until_alert(&world, &provider, &job).await;
            assert!(message.starts_with("The provider's step pdf failed: render failed: "), "{message}");

            let job = Job::failed([step("verifactu.send", "KO", code, "the census is closed")], json!([]));
            let (reason, faults) = issue_until_rejected(&world, &provider, &job).await;
            assert_eq!(reason, "tax authority: the census is closed");
            let fault = json!({"code": "AUTHORITY", "path": "", "message": "the census is closed", "severity": "error"});
            assert_eq!(faults, json!([fault]), "{code:?}");

            let faults = json!([{"provider": "verifactu", "code": code, "message": "the census is closed"}]);
            let job = Job::failed([step("verifactu.send", "KO", "", "")], faults);
            assert_eq!(issue_until_rejected(&world, &provider, &job).await.0, reason, "{code:?}");
        }
        let silent = Job::failed([], json!([{"provider": "pdf"}]));
        let message = issue_until_alert(&world, &provider, &silent).await;
        assert!(message.starts_with("The provider's step pdf failed without saying why: "), "{message}");
    })
    .await;
}

#[tokio::test]
async fn a_job_that_failed_without_code_and_message_failed_without_a_reason() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        let world = world(engine, &provider).await;
        for faults in [json!([]), json!([{"provider": "verifactu", "code": " ", "message": ""}]), json!([{}])]
        {
            let job = Job::failed([step("verifactu.send", "KO", " ", "")], faults);
            provider.outcome(job.outcome("KO"));
            let uuid = world.issue(&world.document()).await;
            world.until_alert(&uuid, "failedWithoutReason").await;
            assert_eq!(world.read(&uuid).await["status"], "issuing");
        }
    })
    .await;
}

#[tokio::test]
async fn a_remark_of_a_job_that_failed_without_stamps_is_no_success() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        let world = world(engine, &provider).await;
        let remark = json!([{"provider": "verifactu", "code": "2001", "message": "remark"}]);
        let job = Job::failed([step("verifactu.send", "KO", "2001", "remark")], remark);
        let message = issue_until_alert(&world, &provider, &job).await;
        for part in ["failed", "2001", "census", "no verification address"] {
            assert!(message.contains(part), "{message}");
        }
        assert!(!message.contains("reports success") && !message.contains("author"), "{message}");
    })
    .await;
}

#[tokio::test]
async fn of_several_faults_the_authoritys_decides_then_the_formats_and_the_reason_says_whose() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        let world = world(engine, &provider).await;
        let format = json!({"provider": "gobl", "code": "GOBL-1", "message": "no customer", "paths": ["$.doc.customer"]});
        let office = json!({"provider": "Verifactu.Send", "code": "1110", "message": "unknown NIF"});
        let of = |faults: &[&Value]| Job::failed([], json!(faults));

        let (reason, faults) = issue_until_rejected(&world, &provider, &of(&[&pdf_fault(), &format, &office])).await;
        assert!(reason.starts_with("tax authority: ") && reason.ends_with("(AEAT 1110)"), "{reason}");
        let codes: Vec<_> = faults.as_array().unwrap().iter().map(|fault| fault["code"].clone()).collect();
        assert_eq!(codes, ["1110", "GOBL-1"]);
        let (reason, _) = issue_until_rejected(&world, &provider, &of(&[&pdf_fault(), &office]).with_stamps()).await;
        assert!(reason.starts_with("tax authority: ") && reason.contains("1110"), "{reason}");

        let (reason, _) = issue_until_rejected(&world, &provider, &of(&[&pdf_fault(), &format])).await;
        assert_eq!(reason, "provider's validation: no customer at $.doc.customer (GOBL-1)");
        let message = issue_until_alert(&world, &provider, &of(&[&format]).with_stamps()).await;
        assert!(message.contains("step gobl failed: no customer (GOBL-1)"), "{message}");
        let unnamed = json!([{"code": "GOBL-1", "message": "no customer"}]);
        let job = Job::failed([step("gobl", "KO", "GOBL-1", "no customer")], unnamed);
        assert_eq!(issue_until_rejected(&world, &provider, &job).await.0, "provider's validation: no customer (GOBL-1)");
    })
    .await;
}

#[tokio::test]
async fn a_fault_that_names_nobody_is_the_authoritys_where_no_other_step_failed() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        let world = world(engine, &provider).await;
        for (code, ending) in [("1110", "(AEAT 1110)"), ("X-1", "no (X-1)")] {
            let faults = json!([{"code": code, "message": "no"}]);
            for steps in [vec![], vec![step("verifactu.send", "KO", "", "")]] {
                let (reason, _) =
                    issue_until_rejected(&world, &provider, &Job::failed(steps, faults.clone())).await;
                assert!(reason.starts_with("tax authority: ") && reason.ends_with(ending), "{reason}");
            }
            let remote_service = Job::failed([sent(), step("pdf", "TIMEOUT", "", "")], faults);
            assert!(issue_until_alert(&world, &provider, &remote_service).await.contains("step pdf failed"));
        }
    })
    .await;
}

#[tokio::test]
async fn a_fault_of_another_step_of_a_job_that_went_well_is_a_warning() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        let world = world(engine, &provider).await;
        let job = Job::failed([sent(), step("pdf", "OK", "", "")], json!([pdf_fault()])).with_stamps();
        provider.outcome(job.outcome("OK"));
        let uuid = world.issue(&world.document()).await;
        let issued = world.until(&uuid, "issued").await;
        let warning =
            json!({"code": "PDF-1", "message": "The provider's step pdf failed: render failed (PDF-1)"});
        assert_eq!(issued["acceptance"]["warnings"], json!([warning]));
    })
    .await;
}

#[tokio::test]
async fn a_retry_starts_another_job_only_where_nothing_was_sent() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        let world = world(engine, &provider).await;
        let pdf = || Job::failed([step("pdf", "KO", "", "render failed")], json!([]));
        provider.outcome(pdf().outcome("KO"));
        let unsent = world.issue(&world.document()).await;
        world.until_alert(&unsent, "verdictUndecided").await;
        let after_sending = Job::failed([sent(), step("pdf", "KO", "", "render failed")], json!([]));
        let mut maybe_sent = Vec::new();
        for job in [pdf().with_stamps(), after_sending] {
            provider.outcome(job.outcome("KO"));
            let uuid = world.issue(&world.document()).await;
            let submission = world.until_alert(&uuid, "verdictUndecided").await;
            maybe_sent.push((uuid, submission["alert"]["message"].clone()));
        }

        provider.outcome(Outcome::Accepted(json!([])));
        world.retry(&unsent).await;
        world.until(&unsent, "issued").await;
        let attempts = world.submission(&unsent).await["attempts"].clone();
        let outcomes: Vec<_> =
            attempts.as_array().unwrap().iter().map(|attempt| attempt["outcome"].clone()).collect();
        assert_eq!(outcomes, ["failed", "accepted"]);

        for (uuid, message) in &maybe_sent {
            let looks = provider.calls_for(uuid, Route::GetJob).len();
            world.retry(uuid).await;
            until("the job is looked at again", || async {
                (provider.calls_for(uuid, Route::GetJob).len() > looks).then_some(())
            })
            .await;
            let again = world.until_alert(uuid, "verdictUndecided").await;
            assert_eq!(&again["alert"]["message"], message);
            assert_eq!(provider.calls_for(uuid, Route::PutJob).len(), 1, "it may be with the authority");
            assert_eq!(world.read(uuid).await["status"], "issuing");
        }
    })
    .await;
}

/// The provider signs an entry before the authority is asked (`silo.close`), so a signature says nothing of that.
#[tokio::test]
async fn a_signed_entry_that_was_never_sent_is_sent_by_a_retry() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        provider.show("/sigs", json!(["eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl"]));
        let world = world(engine, &provider).await;
        let job = Job::failed(
            [step("silo.close", "OK", "", ""), step("pdf", "KO", "", "render failed")],
            json!([]),
        );
        provider.outcome(job.outcome("KO"));
        let uuid = world.issue(&world.document()).await;
        world.until_alert(&uuid, "verdictUndecided").await;
        assert_eq!(world.submission(&uuid).await["attempts"][0]["authority_record"], "nothing");
        provider.outcome(Outcome::Accepted(json!([])));
        world.retry(&uuid).await;
        world.until(&uuid, "issued").await;
        assert_eq!(provider.calls_for(&uuid, Route::PutJob).len(), 2);
    })
    .await;
}
