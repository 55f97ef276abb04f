//! The steps of a submission, one at a time.
//!
//! A step reads the submission, does one thing (perhaps over the network, never inside a transaction), and stores
//! what came of it if nobody else moved the submission meanwhile. A process may die between any two of them: the
//! next one takes the same step again, and every step can be taken twice.

mod convert;
mod earlier;
mod filing;
mod job;
mod provider;
mod provider_call;
mod request;
mod settle;
mod verdict;

pub use earlier::WATCHED_FOR;
pub(crate) use provider_call::ProviderGate;
pub use provider_call::authority_message;

use crate::commands::Finance;
use crate::context::Context;
use crate::record::{Recorder, Step};
use crate::{CommandError, ReadError};
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Actor};
use gateway_domain::ids::{InvoiceId, NotVersion7, WorkspaceId};
use gateway_domain::ports::ConverterError;
use gateway_domain_finance::ports::{InvoiceDataError, ProviderError};
use gateway_domain_finance::{
    Alert, AlertCode, CallError, ExpectedVersion, Open, OpenStage, Submission, Unsent, jitter, retry_wait,
};
use gateway_jobs::{Attempt, JobLease, Outcome};
use gateway_storage::submissions;
use gateway_workspaces::WorkspaceWithAccess;
use jiff::SignedDuration;
use std::time::Duration;
use tokio::time::Instant;

/// How often a submission that waits for an operator is looked at again, because it may have been mended.
const RECHECK_AFTER: SignedDuration = SignedDuration::from_secs(30);

/// How long the steps of one run go by what they read of their workspace: a token that was changed is heeded soon.
const WORKSPACE_VALID_FOR: Duration = Duration::from_secs(1);

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

/// One run of a job about a document: what one of its steps leaves for the next.
#[derive(Debug, Default)]
pub(crate) struct Run {
    /// Ends with the last step; none for a job that stores no steps.
    lease: Option<JobLease>,
    stored: Option<StoredSubmission>,
    workspace: Option<ReadWorkspace>,
}

/// A submission as it is stored, unless somebody moves it from now on, which its version tells.
#[derive(Debug)]
struct StoredSubmission {
    submission: Submission,
    /// When it was read, or just before it was stored.
    read_at: Instant,
}

/// A workspace as it was read.
#[derive(Debug)]
struct ReadWorkspace {
    found: WorkspaceWithAccess,
    read_at: Instant,
}

impl Run {
    fn of(attempt: &Attempt) -> Self {
        Self { lease: Some(attempt.lease.clone()), ..Self::default() }
    }

    /// The workspace of the document of this run, with how it sends its invoices; none when it is gone.
    async fn workspace(
        &mut self,
        context: &Context,
        id: WorkspaceId,
    ) -> Result<Option<&WorkspaceWithAccess>, StoreError> {
        let is_young = |read: &ReadWorkspace| read.read_at.elapsed() < WORKSPACE_VALID_FOR;
        if !self.workspace.as_ref().is_some_and(is_young) {
            let read_at = Instant::now();
            let found = context.workspaces().with_provider_access(id).await?;
            self.workspace = found.map(|found| ReadWorkspace { found, read_at });
        }
        Ok(self.workspace.as_ref().map(|read| &read.found))
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

    /// Takes the next step of a document's submission, in a run of its job.
    pub(crate) async fn advance(&self, document: InvoiceId, run: &mut Run) -> Result<Outcome, AdvanceError> {
        let stored = match run.stored.take() {
            Some(stored) => stored,
            None => match self.stored(document).await? {
                Some(stored) => stored,
                None => return Ok(Outcome::Done),
            },
        };
        let StoredSubmission { submission, read_at } = stored;
        // An alert that does not heal by itself waits for the operator's retry, which forgets it.
        if submission.waits_for_somebody() {
            return Ok(Outcome::Done);
        }
        let Some(submission) = submission.into_open() else { return Ok(Outcome::Done) };
        let expected = ExpectedVersion::from(&submission);
        let actor = Actor(submission.actor.clone());
        let before = submission.clone();
        let (Open { stage, calls }, rest) = submission.split();
        let taken = match stage {
            OpenStage::Requested(stage) => match self.request(rest.at(Open { stage, calls }), run).await {
                Ok(next) => return Ok(next),
                Err(error) => Err(error),
            },
            OpenStage::Converting(stage) => self.convert(rest.at(Open { stage, calls }), run).await,
            OpenStage::Uploading(stage) if stage.check_earlier_attempts => {
                self.check_earlier(rest.at(Open { stage, calls }), run).await
            }
            OpenStage::Uploading(stage) => self.upload(rest.at(Open { stage, calls }), run, read_at).await,
            OpenStage::Starting(stage) => self.start(rest.at(Open { stage, calls }), run, read_at).await,
            OpenStage::Waiting(stage) => self.poll(rest.at(Open { stage, calls }), run).await,
            OpenStage::Unsent(stage) => Ok(Step::to(rest.at(Open { stage, calls }).step(Unsent::retried))),
            OpenStage::Settling(stage) => {
                match self.settle(rest.at(Open { stage, calls }), None, run).await {
                    Ok(next) => return Ok(next),
                    Err(error) => Err(error),
                }
            }
        };
        let step = match taken {
            Err(AdvanceError::InvoiceData(error)) => self.unreached(before, &error),
            Err(error @ AdvanceError::StoodStill) => {
                tracing::warn!(document.id = %document, "Nothing of {document} was sent: {error}");
                return Ok(Outcome::Continue);
            }
            taken => taken?,
        };
        if let Some(settled) = self.settle_at_once(&step, &expected, run).await {
            return Ok(settled);
        }
        self.end_step(step, expected, &actor, run).await
    }

    async fn stored(&self, document: InvoiceId) -> Result<Option<StoredSubmission>, StoreError> {
        let read_at = Instant::now();
        let found = submissions::find(self.context.db(), document, &Acting::gateway().workspaces).await?;
        Ok(found.map(|submission| StoredSubmission { submission, read_at }))
    }

    /// Stores a step, and says when the next one is taken.
    async fn end_step(
        &self,
        step: Step,
        expected: ExpectedVersion,
        actor: &Actor,
        run: &mut Run,
    ) -> Result<Outcome, AdvanceError> {
        let (next, read_at) = (step.next, Instant::now());
        let stored = self.recorder.store(step, expected, actor, run.lease.as_ref()).await?;
        run.stored = stored.map(|submission| StoredSubmission { submission, read_at });
        Ok(match next {
            _ if run.stored.is_some() => next,
            Outcome::Continue => next,
            // The lease may be gone: whoever has it goes on, and this run ends.
            Outcome::Again(_) | Outcome::Done => Outcome::Again(self.context.now()),
        })
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
                let wait = retry_wait(*retry_after_s, retries);
                tracing::warn!(
                    document.id = %submission.document,
                    "The submission of {} is repeated in {} s: {error}", submission.document, wait.as_secs()
                );
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

    fn jitter(&self, wait: SignedDuration) -> SignedDuration {
        let [.., low] = *self.context.ids().next().as_bytes();
        jitter(wait, low)
    }
}
