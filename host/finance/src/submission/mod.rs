//! A document's way to the tax authority and back, one step at a time.
//!
//! A step reads the submission, does one thing (perhaps over the network, never inside a transaction), and stores
//! what came of it if nobody else moved the submission meanwhile. A process may die between any two of them: the
//! next one takes the same step again, and every step can be taken twice.

mod convert;
mod earlier;
mod job;
mod provider;
mod provider_call;
mod request;
mod settle;
mod verdict;
mod webhook;

pub(crate) use earlier::WATCHED_FOR;
pub(crate) use job::{SubmitDocument, WatchAttempts};
pub(crate) use request::numbered;
pub(crate) use settle::{ended, settled};
pub use webhook::Notified;

use crate::{CommandError, Finance, ReadError};
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Actor, RequestKey};
use gateway_domain::fault::Fault;
use gateway_domain::ids::{EntryId, InvoiceId, NotVersion7, ProviderJobId};
use gateway_domain::invoicing::{Acceptance, Invoice};
use gateway_domain::ports::ConverterError;
use gateway_domain_finance::ports::{InvoiceDataError, ProviderError};
use gateway_domain_finance::{
    Alert, AlertCode, AttemptEnd, AuthorityMessage, AuthorityRecord, CallError, FinanceEvent, JITTER_PART,
    Open, OpenStage, RETRY_WAIT_MAX, RejectedVerdict, Stage, Submission, Unsent, backoff_s, bounded_text,
    rejection_reason,
};
use gateway_jobs::{Job as _, Outcome};
use gateway_storage::{Tx, attempts, idempotency, jobs, messages, submissions};
use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

/// How often a submission that waits for an operator is looked at again, because it may have been mended.
const HEAL_AFTER: SignedDuration = SignedDuration::from_secs(30);

/// What a step came to: the submission as it should be stored, with what commits beside it.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) submission: Submission,
    pub(crate) next: Outcome,
    effects: Vec<Effect>,
}

/// What commits together with a step.
#[derive(Debug)]
pub(crate) enum Effect {
    /// An entry id, before it is used.
    KeepEntry(EntryId),
    /// An attempt begins.
    StartAttempt(ProviderJobId),
    /// What an attempt sent to the authority.
    KeepMessage(ProviderJobId, AuthorityMessage),
    /// The digest of what the provider shows of an attempt after its upload.
    SetEntryDigest(ProviderJobId, String),
    /// An attempt goes on under another entry.
    MoveAttempt(ProviderJobId, EntryId),
    /// An attempt ended.
    EndAttempt(AttemptEnd),
    /// What the authority holds of an attempt that had ended before.
    Record(ProviderJobId, AuthorityRecord, Option<Acceptance>),
    /// The provider is asked how an attempt ends that counts no more.
    WatchAttempts,
    /// The background takes the next step at once.
    Wake,
    /// The request of this key was refused.
    FreeKey(RequestKey),
    /// Something finance tells.
    Event(FinanceEvent, Box<Invoice>),
}

impl Step {
    /// The submission in its next stage, which is taken at once.
    pub(crate) fn to(submission: impl Into<Submission>) -> Self {
        let submission = submission.into();
        let next = if submission.has_ended() { Outcome::Done } else { Outcome::Continue };
        Self { submission, next, effects: Vec::new() }
    }

    pub(crate) fn with(mut self, effect: Effect) -> Self {
        self.effects.push(effect);
        self
    }
}

/// Why a step could not be taken: nothing is stored, the job is tried again.
#[derive(Debug, thiserror::Error)]
pub enum AdvanceError {
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The source of identifiers gave one that the provider does not take.
    #[error(transparent)]
    Ids(NotVersion7),
    /// The verdict, or what follows from it, was refused.
    #[error(transparent)]
    Settle(Box<CommandError>),
    /// The remote invoice data service: the step is taken again, and an alert says so when that lasts.
    #[error(transparent)]
    InvoiceData(InvoiceDataError),
    /// Too many conversions at once.
    #[error(transparent)]
    Busy(ConverterError),
    /// The process stood still between reading the submission and calling the provider: others may have gone on meanwhile,
    /// so nothing is sent and the submission is read again.
    #[error("the process stood still before it called the provider: the submission is read again")]
    StoodStill,
}

impl From<ReadError> for AdvanceError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Store(error) => Self::Store(error),
            ReadError::InvoiceData(error) => Self::InvoiceData(error),
        }
    }
}

/// The failpoint at the commit of a step to a stage, or of one that stays in it.
pub(crate) const fn step_point(stage: Stage) -> &'static str {
    match stage {
        Stage::Requested => "to-requested",
        Stage::Converting => "to-converting",
        Stage::Uploading => "to-uploading",
        Stage::Starting => "to-starting",
        Stage::Waiting => "to-waiting",
        Stage::Settling => "to-settling",
        Stage::Accepted => "to-accepted",
        Stage::Rejected => "to-rejected",
        Stage::Superseded => "to-superseded",
        Stage::Withdrawn => "to-withdrawn",
    }
}

impl Finance {
    /// Takes the next step of a document's submission.
    pub(crate) async fn advance(&self, document: InvoiceId) -> Result<Outcome, AdvanceError> {
        let acting = Acting::gateway();
        let read_at = Instant::now();
        let Some(submission) = submissions::find(self.db(), document, &acting.workspaces).await? else {
            return Ok(Outcome::Done);
        };
        // An alert that does not heal by itself waits for the operator's retry, which forgets it.
        if submission.alert.as_ref().is_some_and(|alert| !alert.code.heals_itself()) {
            return Ok(Outcome::Done);
        }
        let Some(submission) = submission.into_open() else { return Ok(Outcome::Done) };
        let version = submission.version;
        let actor = Actor(submission.actor.clone());
        let before = submission.clone();
        let (Open { stage, calls }, rest) = submission.split();
        let taken = match stage {
            OpenStage::Requested(stage) => match self.request(rest.at(Open { stage, calls })).await {
                Ok(next) => return Ok(next),
                Err(error) => Err(error),
            },
            OpenStage::Converting(stage) => self.convert(rest.at(Open { stage, calls })).await,
            OpenStage::Uploading(stage) if stage.check_earlier_attempts => {
                self.check_earlier(rest.at(Open { stage, calls })).await
            }
            OpenStage::Uploading(stage) => self.upload(rest.at(Open { stage, calls }), read_at).await,
            OpenStage::Starting(stage) => self.start(rest.at(Open { stage, calls }), read_at).await,
            OpenStage::Waiting(stage) => self.poll(rest.at(Open { stage, calls })).await,
            OpenStage::Unsent(stage) => Ok(Step::to(rest.at(Open { stage, calls }).step(Unsent::retried))),
            OpenStage::Settling(stage) => match self.settle(rest.at(Open { stage, calls })).await {
                Ok(next) => return Ok(next),
                Err(error) => Err(error),
            },
        };
        let step = match taken {
            Err(AdvanceError::InvoiceData(error)) => self.unreached(before, &error),
            Err(error @ AdvanceError::StoodStill) => {
                tracing::warn!(document.id = %document, "Nothing of {document} was sent: {error}");
                return Ok(Outcome::Continue);
            }
            taken => taken?,
        };
        self.end_step(step, version, &actor).await
    }

    /// Stores a step, and says when the next one is taken.
    async fn end_step(&self, step: Step, version: i64, actor: &Actor) -> Result<Outcome, AdvanceError> {
        let next = step.next;
        if self.store(step, version, actor).await? { Ok(next) } else { Ok(Outcome::Continue) }
    }

    /// Stores a step with everything that commits beside it; `false` when somebody else moved the submission.
    pub(crate) async fn store(&self, step: Step, version: i64, actor: &Actor) -> Result<bool, StoreError> {
        let stage = step.submission.stage();
        let mut tx = self.db().begin().await?;
        let stored = self.store_in(&mut tx, step, version, actor).await?;
        if stored {
            tx.commit_at(step_point(stage)).await?;
        }
        Ok(stored)
    }

    /// [`Finance::store`] as part of a transaction, which is rolled back when the answer is `false`.
    pub(crate) async fn store_in(
        &self,
        tx: &mut Tx,
        step: Step,
        version: i64,
        actor: &Actor,
    ) -> Result<bool, StoreError> {
        let now = self.now();
        let mut submission = step.submission;
        submission.version = version;
        submission.updated_at = now;
        if let Some(alert) = &submission.alert {
            tracing::error!(
                document.id = %submission.document, alert = alert.code.as_str(),
                "The submission of {} needs somebody: {}", submission.document, alert.message
            );
        }
        if !submissions::update(tx, &submission).await? {
            return Ok(false);
        }
        self.take_effect(tx, &submission, step.effects, actor).await?;
        Ok(true)
    }

    /// Stores the first step of a submission that was not there before; `false` when there is one by now.
    async fn insert_in(&self, tx: &mut Tx, step: Step, actor: &Actor) -> Result<bool, StoreError> {
        if !submissions::insert(tx, &step.submission).await? {
            return Ok(false);
        }
        self.take_effect(tx, &step.submission, step.effects, actor).await?;
        Ok(true)
    }

    async fn take_effect(
        &self,
        tx: &mut Tx,
        submission: &Submission,
        effects: Vec<Effect>,
        actor: &Actor,
    ) -> Result<(), StoreError> {
        let now = self.now();
        for effect in effects {
            match effect {
                Effect::KeepEntry(entry) => {
                    submissions::keep_entry(tx, entry, submission.document, now).await?;
                }
                Effect::StartAttempt(job) => attempts::start(tx, submission, job, now).await?,
                Effect::SetEntryDigest(job, digest) => attempts::set_entry_digest(tx, job, &digest).await?,
                Effect::MoveAttempt(job, entry) => attempts::move_to(tx, job, entry).await?,
                Effect::KeepMessage(job, message) => messages::keep(tx, job, &message, now).await?,
                Effect::EndAttempt(end) => attempts::end(tx, &end, now).await?,
                Effect::Record(job, record, acceptance) => {
                    attempts::record(tx, job, record, acceptance.as_ref()).await?;
                }
                Effect::WatchAttempts => self.watch_attempts(tx, submission.document).await?,
                Effect::FreeKey(RequestKey { scope, key, .. }) => {
                    idempotency::release(tx, &scope, &key).await?;
                }
                Effect::Wake => self.schedule(tx, submission.document, now).await?,
                Effect::Event(event, invoice) => self.append(tx, event, &invoice, actor).await?,
            }
        }
        Ok(())
    }

    /// Makes sure that a document's submission is looked at no later than `at`.
    pub(crate) async fn schedule(
        &self,
        tx: &mut Tx,
        document: InvoiceId,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        SubmitDocument(document).enqueue(tx, self.ids(), at).await
    }

    /// Takes a document's submission out of the queue.
    pub(crate) async fn unschedule(&self, tx: &mut Tx, document: InvoiceId) -> Result<(), StoreError> {
        jobs::remove(tx, SubmitDocument::NAME, &document.to_string()).await?;
        Ok(())
    }

    /// Waits for an operator.
    fn alert(&self, submission: impl Into<Submission>, code: AlertCode, message: impl Into<String>) -> Step {
        let submission = submission.into().alerted(Alert { code, message: message.into() });
        let next = if code.heals_itself() { Outcome::Again(self.after(HEAL_AFTER)) } else { Outcome::Done };
        Step { submission, next, effects: Vec::new() }
    }

    /// A call to the provider failed: again later, or an operator has to look, by the class of the error. What the
    /// document caused is `Refused`, which the caller deals with first.
    fn failed_call<S: Into<OpenStage>>(
        &self,
        submission: Submission<Open<S>>,
        error: &ProviderError,
    ) -> Step {
        let message = error.to_string();
        let failed = CallError { class: error.class(), message, at: self.now() };
        let submission = submission.call_failed(failed);
        let retries = submission.progress.calls.retries;
        match error {
            ProviderError::Unavailable { retry_after_s, .. } => {
                if retries >= self.settings().retries_max {
                    let message = format!(
                        "{error}; {} tries failed: check the provider and run 'gateway submission retry {}'",
                        retries.saturating_add(1),
                        submission.document
                    );
                    return self.alert(submission, AlertCode::RetriesExhausted, message);
                }
                let wait = retry_after_s.unwrap_or(0).max(u64::from(backoff_s(retries)));
                tracing::warn!(
                    document.id = %submission.document,
                    "The submission of {} is repeated in {wait} s: {error}", submission.document
                );
                let wait =
                    SignedDuration::from_secs(i64::try_from(wait).unwrap_or(i64::MAX)).min(RETRY_WAIT_MAX);
                let next = Outcome::Again(self.after(wait.saturating_add(self.jitter(wait))));
                Step { submission: submission.repeated().into(), next, effects: Vec::new() }
            }
            ProviderError::Unauthorised { .. } => {
                self.alert(submission, AlertCode::ProviderUnauthorised, error.to_string())
            }
            ProviderError::Refused { .. } | ProviderError::NotFound => {
                let message =
                    format!("{error}: check the workspace's workflow id, then retry the submission");
                self.alert(submission, AlertCode::WorkflowUnknown, message)
            }
            ProviderError::Conflict | ProviderError::Protocol { .. } => {
                let message = format!("{error}: check the provider, then retry the submission");
                self.alert(submission, AlertCode::ProviderProtocol, message)
            }
        }
    }

    /// Up to a quarter of the wait, so that documents that failed together do not return together.
    fn jitter(&self, wait: SignedDuration) -> SignedDuration {
        let [.., low] = *self.ids().next().as_bytes();
        let quarter_ms = i64::try_from((wait / JITTER_PART).as_millis()).unwrap_or(0);
        SignedDuration::from_millis(quarter_ms.saturating_mul(i64::from(low)) / 256)
    }
}

/// What a refusal of the document for `faults`, by `source`, says.
fn refusal(source: &str, faults: Vec<Fault>) -> RejectedVerdict {
    let reason = rejection_reason(source, &faults);
    RejectedVerdict { reason: bounded_text(&reason), faults, left_out: Vec::new() }
}
