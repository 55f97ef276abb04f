//! Runs jobs side by side, those of one chain of records one after the other, in any order. What a job changes is one commit: a
//! killed process repeats the job or finds it done, and the authority files nothing twice.

use crate::at_hand::AtHand;
use crate::chains::ChainLock;
use crate::context::{Context, IDLE_TIMEOUT};
use crate::document;
use crate::entry::{Answer, Category, Entry, File, Settlement};
use crate::job::{Event, Intent, Job, status};
use crate::steering::Steering;
use crate::views::Notification;
use gateway_domain::StoreError;
use gateway_domain::ports::ConverterError;
use gateway_domain::regime::{
    AuthorityAnswer, AuthorityOutcome, AuthoritySubmission, Filing, ProviderFault, RegimeKey, Stamp,
};
use gateway_storage::sandbox::{self as store, ChainRow, JobRow};
use gateway_storage::{Corrupt, Id, Topic, Ts, Tx, attempts};
use jiff::Timestamp;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Jobs that run side by side.
const AT_HAND_MAX: usize = 8;
/// Others are looked for when no more than so many run: one look for several of them.
const AT_HAND_FEW: usize = 4;
/// Wait after trouble, and before a busy authority is asked again.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// The step's provider when no authority answered. Regimes know nobody of this name, so that it rejects nothing.
const SANDBOX_PROVIDER: &str = "sandbox";

/// Runs jobs until stopped; those at hand are finished first.
pub(crate) async fn run(sandbox: Arc<Context>, stop: CancellationToken) {
    let mut at_hand = AtHand::of("Job");
    let changed = sandbox.db.wakeups(Topic::SandboxJobs);
    while !stop.is_cancelled() {
        let pause = match start_due(&sandbox, &mut at_hand, &stop).await {
            Ok(pause) => pause,
            Err(error) => {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "The sandbox's jobs could not be read"
                );
                RETRY_DELAY
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            () = changed.notified() => {}
            () = tokio::time::sleep(pause) => {}
            Some(()) = at_hand.ended() => {}
        }
    }
    while at_hand.ended().await.is_some() {}
}

/// Starts what is due and says how long there is nothing to start.
async fn start_due(
    sandbox: &Arc<Context>,
    at_hand: &mut AtHand,
    stop: &CancellationToken,
) -> Result<Duration, StoreError> {
    if at_hand.running() > AT_HAND_FEW {
        return Ok(IDLE_TIMEOUT);
    }
    // Those at hand are among them, so there are as many others as may run, if there are any.
    let most = at_hand.len().saturating_add(AT_HAND_MAX);
    for row in store::open_jobs(&sandbox.db, i64::try_from(most).unwrap_or(i64::MAX)).await? {
        let id = row.id.0;
        if at_hand.contains(id) {
            continue;
        }
        if at_hand.running() >= AT_HAND_MAX || stop.is_cancelled() {
            break;
        }
        let due_at = row.run_at.map(|at| at.0).unwrap_or_default();
        if due_at > sandbox.clock.now() {
            return Ok(sandbox.until(due_at));
        }
        at_hand.start(id, run_or_postpone(Arc::clone(sandbox), row, stop.clone()));
    }
    Ok(IDLE_TIMEOUT)
}

/// Runs a job. One that cannot run comes again behind those that are due: in its place it would keep it from them.
async fn run_or_postpone(sandbox: Arc<Context>, row: JobRow, stop: CancellationToken) {
    let id = row.id.0;
    let run = async { run_one(&sandbox, Job::try_from(row)?).await };
    if let Err(error) = run.await {
        tracing::error!(
            job.id = %id, error = &error as &dyn std::error::Error, "The sandbox could not run job {id}"
        );
        if let Err(error) = postpone(&sandbox, id).await {
            tracing::error!(
                job.id = %id, error = &error as &dyn std::error::Error, "The sandbox could not postpone job {id}"
            );
            stop.run_until_cancelled(tokio::time::sleep(RETRY_DELAY)).await;
        }
    }
}

async fn postpone(sandbox: &Context, job: Uuid) -> Result<(), StoreError> {
    let mut tx = sandbox.db.begin().await?;
    store::postpone_job(&mut tx, Id(job), Ts(sandbox.after(RETRY_DELAY)));
    tx.commit_at("sandbox-job-postponed").await
}

async fn run_one(sandbox: &Context, mut job: Job) -> Result<(), StoreError> {
    let row = store::entry(&sandbox.db, Id(job.body.request.silo_entry_id)).await?;
    let row = row.ok_or_else(|| Corrupt::new("sandbox_job", job.id, "entry_id", "an unknown entry"))?;
    let mut entry = Entry::try_from(row)?;
    let steering = Steering::of(&entry.body.document);
    let Some(result) = ask(sandbox, &entry, &steering).await? else {
        return postpone(sandbox, job.id).await;
    };
    let now = sandbox.clock.now();
    complete(sandbox, &mut job, &result, now);
    let filed_record = result.filed_record;
    entry.settle(result.settlement, now);
    let mut tx = sandbox.db.begin().await?;
    store::finish_job(&mut tx, Id(job.id), &job.row()?.body);
    store::update_entry(&mut tx, &entry.row()?);
    if let Some(filed) = &filed_record {
        filed.store(&mut tx);
    }
    if sandbox.notifies && !steering.no_webhook {
        let body = StoreError::json(&Notification::new(sandbox.ids.next(), &job, &entry))?;
        for _ in 0..if steering.duplicate_webhook { 2 } else { 1 } {
            store::insert_delivery(&mut tx, Id(sandbox.ids.next()), &body, Ts(now));
        }
    }
    match tx.commit_at("sandbox-job-run").await {
        Ok(()) => {
            tracing::info!(job.id = %job.id, status = job.body.status, "The sandbox ran job {}", job.id);
            Ok(())
        }
        // Somebody patched the entry, or another process was faster: the next run starts from what is there.
        Err(StoreError::Moved { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

/// What a job came to.
struct JobResult {
    provider: String,
    outcome: Event,
    settlement: Settlement,
    filed_record: Option<FiledRecord>,
}

/// What the authority and the issuer's system keep of a record, accepted or not.
struct FiledRecord {
    regime: RegimeKey,
    filing: Filing,
    record: String,
    end: Option<ChainRow>,
    /// Held until the record is stored.
    _chain_lock: ChainLock,
}

impl FiledRecord {
    /// Files it, unless the chain went on meanwhile.
    fn store(&self, tx: &mut Tx) {
        let (regime, Filing { chain, record_key }) = (self.regime.as_str(), &self.filing);
        store::put_record(tx, regime, record_key, &self.record);
        store::extend_chain(tx, regime, chain, &self.record, self.end.as_ref());
    }
}

/// Asks the authority; none when it is busy.
async fn ask(sandbox: &Context, entry: &Entry, steering: &Steering) -> Result<Option<JobResult>, StoreError> {
    let document = &entry.body.document;
    let Some(regime) = regime(sandbox, document).await? else {
        let message = "no tax regime of this document has an authority here: nobody answered";
        return Ok(Some(JobResult::without_answer(message.to_owned())));
    };
    let (id, text) = (document::invoice_id(document), document.to_string());
    let filing = match sandbox.authority.file(&regime, id, &text).await {
        Ok(filing) => filing,
        Err(error) => return Ok(JobResult::failed(&regime, error)),
    };
    let chain_lock = sandbox.chains.lock(&regime, &filing.chain).await;
    let end = store::chain(&sandbox.db, regime.as_str(), &filing.chain).await?;
    let submission = AuthoritySubmission {
        document: text,
        now: sandbox.clock.now().to_zoned(sandbox.time_zone.clone()),
        previous: end.as_ref().map(|end| end.record.clone()),
        registered: store::record(&sandbox.db, regime.as_str(), &filing.record_key).await?,
        amends: entry.body.accepted_record.clone(),
        forced_code: steering.reject.clone(),
    };
    let outcome = match sandbox.authority.submit(&regime, id, &submission).await {
        Ok(outcome) => outcome,
        Err(error) => return Ok(JobResult::failed(&regime, error)),
    };
    Ok(match sandbox.authority.answers(&regime, id, &submission, &outcome).await {
        Ok(answers) => {
            let filed = outcome.record.clone().map(|record| FiledRecord {
                regime: regime.clone(),
                filing: filing.clone(),
                record,
                end,
                _chain_lock: chain_lock,
            });
            Some(JobResult::from_outcome(sandbox, &regime, filing, filed, outcome, answers))
        }
        Err(error) => JobResult::failed(&regime, error),
    })
}

/// The tax regime whose authority is asked: one that the document declares, else the one that converted it, because not every
/// regime has an add-on of the format to be declared by.
pub(crate) async fn regime(sandbox: &Context, document: &Value) -> Result<Option<RegimeKey>, StoreError> {
    let serves = |key: &RegimeKey| sandbox.authority.serves(key);
    if let Some(declared) = document::regimes(document).into_iter().find(serves) {
        return Ok(Some(declared));
    }
    let Some(id) = document::invoice_id(document) else { return Ok(None) };
    let attempts = attempts::of_document(&sandbox.db, id).await?;
    let plugins = attempts.into_iter().rev().filter_map(|attempt| attempt.plugin);
    Ok(plugins.map(|plugin| plugin.key).find(serves))
}

impl JobResult {
    fn from_outcome(
        sandbox: &Context,
        regime: &RegimeKey,
        filing: Filing,
        filed_record: Option<FiledRecord>,
        outcome: AuthorityOutcome,
        answers: Vec<AuthorityAnswer>,
    ) -> Self {
        let codes = outcome.faults.iter().filter_map(|fault| fault.code.clone()).collect();
        let answer = Answer { accepted: outcome.accepted, codes };
        let request = outcome.payload.map(|payload| request_file(sandbox, payload, answer));
        let responses = answers.into_iter().map(|answer| response_file(sandbox, answer));
        let settlement = Settlement {
            accepted: outcome.accepted,
            stamps: outcome.stamps,
            faults: outcome.faults,
            files: request.into_iter().chain(responses).collect(),
            record_key: Some(filing.record_key),
        };
        let ended = if settlement.accepted { status::OK } else { status::KO };
        let first = settlement.faults.first().filter(|_| !settlement.accepted);
        let outcome_event = Event {
            status: ended.to_owned(),
            code: first.and_then(|fault| fault.code.clone()),
            message: first.and_then(|fault| fault.message.clone()),
        };
        let provider = regime.to_string();
        Self { provider, outcome: outcome_event, settlement, filed_record }
    }

    /// The authority gave no answer; none when it may give one in a moment.
    fn failed(regime: &RegimeKey, error: ConverterError) -> Option<Self> {
        match error {
            ConverterError::Busy => None,
            ConverterError::UnknownRegime(_) => Some(Self::without_answer(error.to_string())),
            ConverterError::Broken(fault) => Some(Self::without_answer(fault.message)),
            ConverterError::Faults(faults) => {
                let provider = regime.to_string();
                let mut result = Self::without_answer(error_sentence(&faults));
                result.provider.clone_from(&provider);
                result.outcome.code = faults.first().map(|fault| fault.code.clone());
                result.settlement.faults = faults
                    .into_iter()
                    .map(|fault| ProviderFault {
                        provider: Some(provider.clone()),
                        code: Some(fault.code),
                        message: Some(fault.message),
                        paths: vec![fault.path],
                    })
                    .collect();
                Some(result)
            }
        }
    }

    /// Trouble that is not the document's: a failed step without faults, which is not the authority's.
    fn without_answer(message: String) -> Self {
        let stamps: Vec<Stamp> = Vec::new();
        Self {
            provider: SANDBOX_PROVIDER.to_owned(),
            outcome: Event { status: status::KO.to_owned(), code: None, message: Some(message) },
            settlement: Settlement {
                accepted: false,
                stamps,
                faults: Vec::new(),
                files: Vec::new(),
                record_key: None,
            },
            filed_record: None,
        }
    }
}

fn error_sentence(faults: &[gateway_domain::fault::Fault]) -> String {
    faults.first().map_or_else(String::new, |fault| fault.message.clone())
}

fn request_file(sandbox: &Context, data: String, answer: Answer) -> File {
    let (extension, mime) = match data.trim_start().chars().next() {
        Some('<') => ("xml", "application/xml"),
        Some('{' | '[') => ("json", "application/json"),
        Some(_) | None => ("txt", "text/plain; charset=utf-8"),
    };
    File {
        id: sandbox.ids.next(),
        category: Category::Request,
        name: format!("request.{extension}"),
        mime: mime.to_owned(),
        data,
        created_at: sandbox.clock.now(),
        answer: Some(answer),
    }
}

fn response_file(sandbox: &Context, answer: AuthorityAnswer) -> File {
    File {
        id: sandbox.ids.next(),
        category: Category::Response,
        name: answer.name,
        mime: answer.media_type,
        data: answer.body,
        created_at: sandbox.clock.now(),
        answer: None,
    }
}

/// Ends the job: first the step that stored the state, then the one that asked the authority.
fn complete(sandbox: &Context, job: &mut Job, result: &JobResult, now: Timestamp) {
    let stored = Event { status: status::OK.to_owned(), code: None, message: None };
    let step = |name: &str, provider: &str, outcome: Event| Intent {
        id: sandbox.ids.next(),
        name: name.to_owned(),
        provider: provider.to_owned(),
        at: now,
        outcome,
    };
    job.body.intents = vec![
        step("Set state", "silo", stored),
        step("Submit to the tax authority", &result.provider, result.outcome.clone()),
    ];
    job.body.status.clone_from(&result.outcome.status);
    job.body.faults.clone_from(&result.settlement.faults);
    job.body.updated_at = now;
    job.body.completed_at = Some(now);
}
