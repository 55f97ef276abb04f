//! A submission: the way of one document to the tax authority and back, in steps that each commit on their own.
//!
//! Each stage holds exactly what exists in it ([`OpenStage`], [`EndedStage`]); what outlives the stages stands beside it. A step
//! takes a submission in one stage and gives it in another, so it cannot make one that lacks what its stage must have.

mod data;
mod ended;
mod ending;
mod notices;
mod open;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;

pub use data::{StageData, VerdictRef};
pub use ended::{EndedStage, LaterAttempt, Superseded};
pub use ending::{AttemptEnd, Ending};
pub use notices::{ExpectedVersion, errors_notice};
pub use open::{
    CallHistory, Converting, Open, OpenStage, Requested, Settling, Starting, Unsent, Uploading, Waiting,
};

use super::{Alert, AlertCode, CallError, Stage};
use gateway_domain::ids::{EntryId, InvoiceId, ProviderJobId, WorkspaceId};
use gateway_domain::invoicing::{Invoice, InvoiceNumber, State, Status};
use gateway_domain::regime::{PluginRef, Stamp};
use jiff::Timestamp;
use std::sync::Arc;

/// The submission of one document; `P` says how far it is. Its job ids and faults are kept per attempt beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct Submission<P = Progress> {
    /// Which document.
    pub document: InvoiceId,
    /// Whose.
    pub workspace: WorkspaceId,
    /// How far it is, with what exists then.
    pub progress: P,
    /// What provider and authority attached to the document, by the last report on it.
    pub stamps: Vec<Stamp>,
    /// Why somebody has to look.
    pub alert: Option<Alert>,
    /// Grows by one with every change; a step that finds another version has lost the race.
    pub version: i64,
    /// Who asked for it.
    pub actor: String,
    /// First requested.
    pub created_at: Timestamp,
    /// Last changed.
    pub updated_at: Timestamp,
}

/// Whether something is left to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// Something is.
    Open(Open),
    /// Nothing is.
    Ended(EndedStage),
}

/// A structured document and the provider's entry that it is stored under. An entry id is minted once per number, so that a
/// late upload of an earlier number reaches only its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryDocument {
    /// The provider's entry.
    pub entry: EntryId,
    /// Whether its id was renewed for the present number; it is renewed once at most.
    pub is_renewed: bool,
    /// SHA-256 of the canonical document that the provider showed when it last stored the entry, lower-case hex. None: it
    /// stored none yet, or did so before digests were kept.
    pub digest: Option<String>,
    /// The structured document as sent.
    pub structured: Arc<str>,
}

/// An attempt that ended without a verdict, while its number stays: another one follows under the same entry. Its job is
/// kept with the attempts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedAttempt {
    /// What was stored.
    pub document: EntryDocument,
    /// Which plugin made it.
    pub plugin: PluginRef,
    /// The provider took its job then.
    pub taken_at: Option<Timestamp>,
}

/// The attempt that a verdict is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurrentAttempt {
    /// The number of the document.
    pub number: InvoiceNumber,
    /// The provider's job; one that it never heard of where the document could not be converted.
    pub job: ProviderJobId,
    /// Which plugin made the document, or refused to; none: no plugin is there any more to be named.
    pub plugin: Option<PluginRef>,
    /// The last document that was made under this number; none: none could be made.
    pub document: Option<EntryDocument>,
    /// The provider took the job then; none: the authority cannot have heard of it.
    pub taken_at: Option<Timestamp>,
}

impl Submission<Open<Requested>> {
    /// The intent to submit, before the invoice data service is called.
    pub fn intent(document: InvoiceId, workspace: WorkspaceId, actor: String, now: Timestamp) -> Self {
        Self {
            document,
            workspace,
            progress: Open::new(Requested { check_earlier_attempts: false }),
            stamps: Vec::new(),
            alert: None,
            version: 0,
            actor,
            created_at: now,
            updated_at: now,
        }
    }
}

impl Submission {
    /// [`Submission::intent`], as it is kept.
    pub fn requested(document: InvoiceId, workspace: WorkspaceId, actor: String, now: Timestamp) -> Self {
        Submission::intent(document, workspace, actor, now).into()
    }

    /// The same invoice again, after it was rejected: stamps are kept, everything else starts afresh. The entry too: a
    /// request of the attempt before that arrives late overwrites, or starts a job on, an entry that nobody looks at.
    pub fn requested_again(&self, actor: String, now: Timestamp) -> Submission<Open<Requested>> {
        let before = self.data();
        let check_earlier_attempts = before.check_earlier_attempts || before.job.is_some();
        Submission {
            progress: Open::new(Requested { check_earlier_attempts }),
            stamps: self.stamps.clone(),
            version: self.version,
            created_at: self.created_at,
            ..Submission::intent(self.document, self.workspace, actor, now)
        }
    }

    /// Whether it ended with the verdict that the document shows, which was told then.
    pub fn shows_verdict_of(&self, document: &Invoice) -> bool {
        let is_same = matches!(
            (self.stage(), document.state.status()),
            (Stage::Accepted, Status::Issued) | (Stage::Rejected, Status::Rejected)
        );
        is_same && self.number() == document.state.number()
    }

    /// Adds to a document of a remote invoice data service what that may know nothing of: that finance submits it
    /// under its number, and the authority's proof.
    pub fn add_to(&self, document: &mut Invoice) {
        let data = self.data();
        let number = document.state.number();
        let is_requested = data.stage == Stage::Requested && document.state.status() == Status::Issuing;
        if number.is_none() || (number != data.number && !is_requested) {
            return;
        }
        document.send_to_tax_authority = true;
        if let (State::Issued { acceptance: proof @ None, .. }, Some(VerdictRef::Accept(verdict))) =
            (&mut document.state, data.verdict)
        {
            *proof = Some(verdict.acceptance.clone());
        }
    }

    /// The submission with what is left to do; none when it ended.
    pub fn into_open(self) -> Option<Submission<Open>> {
        let (progress, rest) = self.split();
        match progress {
            Progress::Open(open) => Some(rest.at(open)),
            Progress::Ended(_) => None,
        }
    }

    /// The submission with a verdict that is to be told; none when it has none, or was told it.
    pub fn into_settling(self) -> Option<Submission<Open<Settling>>> {
        let (Open { stage, calls }, rest) = self.into_open()?.split();
        match stage {
            OpenStage::Settling(stage) => Some(rest.at(Open { stage, calls })),
            OpenStage::Requested(_)
            | OpenStage::Converting(_)
            | OpenStage::Uploading(_)
            | OpenStage::Starting(_)
            | OpenStage::Waiting(_)
            | OpenStage::Unsent(_) => None,
        }
    }

    /// Somebody has to look.
    #[must_use]
    pub fn alerted(mut self, alert: Alert) -> Self {
        self.alert = Some(alert);
        match &mut self.progress {
            Progress::Open(open) => open.calls.held_until = None,
            Progress::Ended(_) => {}
        }
        self
    }
}

impl<P> Submission<P> {
    /// How far it is, and the rest.
    pub fn split(self) -> (P, Submission<()>) {
        let Self { document, workspace, progress, stamps, alert, version, actor, created_at, updated_at } =
            self;
        let rest = Submission {
            document,
            workspace,
            progress: (),
            stamps,
            alert,
            version,
            actor,
            created_at,
            updated_at,
        };
        (progress, rest)
    }

    /// The same submission at another point of its way.
    pub fn at<Q>(self, progress: Q) -> Submission<Q> {
        let Self { document, workspace, stamps, alert, version, actor, created_at, updated_at, .. } = self;
        Submission { document, workspace, progress, stamps, alert, version, actor, created_at, updated_at }
    }
}

impl<S> Submission<Open<S>> {
    /// Moves on to the stage that `next` makes of this one: failures of this one are forgotten, and why somebody had to
    /// look.
    pub fn step<T>(self, next: impl FnOnce(S) -> T) -> Submission<Open<T>> {
        let (open, rest) = self.split();
        Submission { alert: None, ..rest.at(Open::new(next(open.stage))) }
    }

    /// Ends as `end` makes of this stage.
    pub fn end(self, end: impl FnOnce(S) -> EndedStage) -> Submission<EndedStage> {
        let (open, rest) = self.split();
        Submission { alert: None, ..rest.at(end(open.stage)) }
    }

    /// The stage as it is, its value otherwise.
    pub fn map<T>(self, change: impl FnOnce(S) -> T) -> Submission<Open<T>> {
        let (Open { stage, calls }, rest) = self.split();
        rest.at(Open { stage: change(stage), calls })
    }

    /// What is to be done.
    pub const fn open_stage(&self) -> &S {
        &self.progress.stage
    }

    /// The call waits with those of others: no try of this submission is used up.
    #[must_use]
    pub fn hold_until(mut self, until: Timestamp) -> Self {
        self.progress.calls.held_until = Some(until);
        self
    }

    /// A call to the provider failed.
    #[must_use]
    pub fn call_failed(mut self, error: CallError) -> Self {
        self.progress.calls.last_error = Some(error);
        self.progress.calls.held_until = None;
        self
    }

    /// The call to the provider is repeated. Of an alert stays only that the verdict is overdue, until it comes.
    #[must_use]
    pub fn repeated(self) -> Self {
        let alert = self.overdue_alert();
        Self { alert, ..self }.count_retry()
    }

    /// The call to the invoice data service is repeated.
    #[must_use]
    pub fn repeated_remotely(self) -> Self {
        Self { alert: None, ..self }.count_retry()
    }

    /// The alert that the verdict is overdue, if that is why somebody has to look.
    pub fn overdue_alert(&self) -> Option<Alert> {
        self.alert.clone().filter(|alert| alert.code == AlertCode::VerdictOverdue)
    }

    fn count_retry(mut self) -> Self {
        let calls = &mut self.progress.calls;
        calls.retries = calls.retries.saturating_add(1);
        self
    }
}

impl Submission<Open> {
    /// The operator's retry: forgets the alert and takes the step again; a job that ended is followed by another one.
    #[must_use]
    pub fn retried(self) -> Self {
        let new_job = self.alert.as_ref().is_some_and(|alert| alert.code.retry_needs_new_job());
        self.step(|stage| stage.retried(new_job))
    }
}

impl<S: Into<OpenStage>> From<Submission<Open<S>>> for Submission {
    fn from(submission: Submission<Open<S>>) -> Self {
        let (Open { stage, calls }, rest) = submission.split();
        rest.at(Progress::Open(Open { stage: stage.into(), calls }))
    }
}

impl From<Submission<EndedStage>> for Submission {
    fn from(submission: Submission<EndedStage>) -> Self {
        let (ended, rest) = submission.split();
        rest.at(Progress::Ended(ended))
    }
}
