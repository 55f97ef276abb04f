//! A step of a submission as it is stored, with everything that commits beside it.

use super::Recorder;
use crate::jobs::{SubmitDocument, WatchAttempts};
use gateway_domain::StoreError;
use gateway_domain::access::{Actor, RequestKey};
use gateway_domain::ids::{EntryId, InvoiceId, ProviderJobId};
use gateway_domain::invoicing::{Acceptance, Invoice};
use gateway_domain_finance::{
    AttemptEnd, AuthorityMessage, AuthorityRecord, FinanceEvent, Stage, Submission,
};
use gateway_jobs::{Job as _, Outcome};
use gateway_storage::{Tx, attempts, idempotency, jobs, messages, submissions};
use jiff::{SignedDuration, Timestamp};

/// When the provider is asked how an attempt ended, where its polls are configured longer than a duration holds.
const WATCH_AFTER: SignedDuration = SignedDuration::from_mins(1);

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

impl Recorder {
    /// Stores a step with everything that commits beside it; `false` when somebody else moved the submission.
    pub(crate) async fn store(&self, step: Step, version: i64, actor: &Actor) -> Result<bool, StoreError> {
        let stage = step.submission.stage();
        let mut tx = self.context.db().begin().await?;
        let stored = self.store_in(&mut tx, step, version, actor).await?;
        if stored {
            tx.commit_at(step_point(stage)).await?;
        }
        Ok(stored)
    }

    /// [`Recorder::store`] as part of a transaction, which is rolled back when the answer is `false`.
    pub(crate) async fn store_in(
        &self,
        tx: &mut Tx,
        step: Step,
        version: i64,
        actor: &Actor,
    ) -> Result<bool, StoreError> {
        let now = self.context.now();
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
    pub(super) async fn insert_in(&self, tx: &mut Tx, step: Step, actor: &Actor) -> Result<bool, StoreError> {
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
        let now = self.context.now();
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
        SubmitDocument(document).enqueue(tx, self.context.ids(), at).await
    }

    /// Takes a document's submission out of the queue.
    pub(crate) async fn unschedule(&self, tx: &mut Tx, document: InvoiceId) -> Result<(), StoreError> {
        jobs::remove(tx, SubmitDocument::NAME, &document.to_string()).await?;
        Ok(())
    }

    /// Makes sure that the provider is asked how the attempts of a document end that count no more.
    pub(crate) async fn watch_attempts(&self, tx: &mut Tx, document: InvoiceId) -> Result<(), StoreError> {
        let wait = SignedDuration::try_from(self.context.settings().poll_after).unwrap_or(WATCH_AFTER);
        WatchAttempts(document).enqueue(tx, self.context.ids(), self.context.after(wait)).await
    }
}
