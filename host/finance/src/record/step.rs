//! Steps of a submission, with what commits beside each.

use gateway_domain::access::RequestKey;
use gateway_domain::ids::{EntryId, ProviderJobId};
use gateway_domain::invoicing::{Acceptance, Invoice};
use gateway_domain_finance::{
    AttemptEnd, AuthorityMessage, AuthorityRecord, FinanceEvent, Open, Requested, Stage, Submission,
};
use gateway_jobs::Outcome;

/// What a step came to: the submission as it should be stored, with what commits beside it.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) submission: Submission,
    pub(crate) next: Outcome,
    pub(crate) effects: Vec<Effect>,
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

/// The number is known: finance tells that the document is issuing, and converts it next.
pub(crate) fn numbered(submission: Submission<Open<Requested>>, document: Invoice) -> Step {
    let step = match document.state.number().cloned() {
        Some(number) => Step::to(submission.step(|requested| requested.numbered(number))),
        // A remote service said that it moved the document, and shows a draft.
        None => Step::to(submission.end(Requested::superseded)),
    };
    step.with(Effect::Event(FinanceEvent::Issuing, Box::new(document)))
}
