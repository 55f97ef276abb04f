//! The steps of a submission, one at a time.
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

pub use earlier::WATCHED_FOR;
pub(crate) use provider_call::ProviderGate;

use crate::commands::Finance;
use crate::context::Context;
use crate::record::{Recorder, Step};
use crate::{CommandError, ReadError};
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Actor};
use gateway_domain::ids::{InvoiceId, NotVersion7};
use gateway_domain::ports::ConverterError;
use gateway_domain_finance::ports::{InvoiceDataError, ProviderError};
use gateway_domain_finance::{
    Alert, AlertCode, CallError, JITTER_PART, Open, OpenStage, RETRY_WAIT_MAX, Submission, Unsent, backoff_s,
};
use gateway_jobs::Outcome;
use gateway_storage::submissions;
use jiff::SignedDuration;
use tokio::time::Instant;

/// How often a submission that waits for an operator is looked at again, because it may have been mended.
const RECHECK_AFTER: SignedDuration = SignedDuration::from_secs(30);

/// Why a step could not be taken: nothing is stored, the job is tried again.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AdvanceError {
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

/// Takes the steps of submissions. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct SubmissionSteps {
    context: Context,
    recorder: Recorder,
    /// Where documents are, who converts them, and the check of a command that died before it was answered.
    finance: Finance,
    gate: ProviderGate,
}

impl SubmissionSteps {
    pub(crate) fn new(recorder: Recorder, finance: Finance) -> Self {
        Self { context: recorder.context.clone(), recorder, finance, gate: ProviderGate::default() }
    }

    /// In front of the provider, for every submission of this process.
    pub(crate) fn gate(&self) -> ProviderGate {
        self.gate.clone()
    }

    /// Takes the next step of a document's submission.
    pub(crate) async fn advance(&self, document: InvoiceId) -> Result<Outcome, AdvanceError> {
        let acting = Acting::gateway();
        let read_at = Instant::now();
        let Some(submission) = submissions::find(self.context.db(), document, &acting.workspaces).await?
        else {
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
        if self.recorder.store(step, version, actor).await? { Ok(next) } else { Ok(Outcome::Continue) }
    }

    /// Waits for an operator.
    fn alert(&self, submission: impl Into<Submission>, code: AlertCode, message: impl Into<String>) -> Step {
        let submission = submission.into().alerted(Alert { code, message: message.into() });
        let next = if code.heals_itself() {
            Outcome::Again(self.context.after(RECHECK_AFTER))
        } else {
            Outcome::Done
        };
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
        let failed = CallError { class: error.class(), message, at: self.context.now() };
        let submission = submission.call_failed(failed);
        let retries = submission.progress.calls.retries;
        match error {
            ProviderError::Unavailable { retry_after_s, .. } => {
                if retries >= self.context.settings().retries_max {
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
                let next = Outcome::Again(self.context.after(wait.saturating_add(self.jitter(wait))));
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
        let [.., low] = *self.context.ids().next().as_bytes();
        let quarter_ms = i64::try_from((wait / JITTER_PART).as_millis()).unwrap_or(0);
        SignedDuration::from_millis(quarter_ms.saturating_mul(i64::from(low)) / 256)
    }
}
