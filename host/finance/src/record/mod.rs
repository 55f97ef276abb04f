//! What finance writes down, in a transaction that somebody else began: its events, submissions and their steps, and the
//! record of a plan whose call is carried out.

mod request;
mod verdict;

pub(crate) use verdict::UnstoredVerdict;

use crate::context::Context;
use crate::jobs::{SubmitDocument, WatchAttempts};
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Actor, RequestKey, Workspaces};
use gateway_domain::ids::{EntryId, InvoiceId, ProviderJobId};
use gateway_domain::invoicing::{Acceptance, Invoice};
use gateway_domain_deadline::FilingDeadline;
use gateway_domain_finance::{
    AttemptEnd, AuthorityMessage, AuthorityRecord, ExpectedVersion, Facts, FinanceEvent, Open, Record,
    Requested, Submission, errors_notice,
};
use gateway_events::{Source, append_notice};
use gateway_invoicing::Related;
use gateway_jobs::{Job as _, JobLease, Outcome};
use gateway_storage::credits::{self, Refund};
use gateway_storage::{Tx, attempts, idempotency, jobs, messages, submissions};
use jiff::{SignedDuration, Timestamp};

/// When the provider is asked how an attempt ended, where its polls are configured longer than a duration holds.
const WATCH_AFTER: SignedDuration = SignedDuration::from_mins(1);

/// Writes down what finance did. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Recorder {
    pub(crate) context: Context,
}

impl Recorder {
    pub(crate) const fn new(context: Context) -> Self {
        Self { context }
    }

    /// Whether what finance itself keeps of a document is as it was read; the submission is held from here on where the
    /// command names a number, so that nothing is sent under the present one meanwhile.
    pub(crate) async fn is_unchanged(&self, tx: &mut Tx, facts: &Facts) -> Result<bool, StoreError> {
        let document = &facts.document;
        if let Some(before) = facts.command.refunded()
            && credits::refunded(&mut *tx, document.id, document.workspace).await? != *before
        {
            return Ok(false);
        }
        let Some(sent) = facts.command.sent() else { return Ok(true) };
        let held = submissions::lock(tx, document.id, &Workspaces::All).await?;
        let version = |found: &Option<Submission>| found.as_ref().map(|found| found.version);
        Ok(version(&held) == version(&sent.submission))
    }

    /// Writes a record down. `before` is the document of the command as it was, `now` the document of the call as it is.
    pub(crate) async fn record(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        before: &Invoice,
        record: &Record,
        now: &Invoice,
    ) -> Result<(), StoreError> {
        let actor = &acting.actor;
        match record {
            Record::Nothing => Ok(()),
            Record::Event(event) => self.append(tx, *event, now, actor).await,
            Record::Credited => {
                let related = Related::credit_note(now.id);
                self.append_with(tx, FinanceEvent::Credited, before, actor, related).await
            }
            Record::Reversed => {
                let related = Related::credit_note(now.id);
                self.append_with(tx, FinanceEvent::Reversed, before, actor, related).await
            }
            Record::Corrective => {
                let related = Related::corrective(now.id);
                self.append_with(tx, FinanceEvent::CorrectiveDrafted, before, actor, related).await
            }
            Record::Refunded { amount, reference, at } => {
                let refund =
                    Refund { amount: *amount, reference: reference.clone(), at: *at, actor: actor.clone() };
                let (id, now) = (self.context.ids().next(), self.context.now());
                credits::add_refund(tx, id, before.id, before.workspace, &refund, now).await?;
                let related = Related::refund(*amount, reference.clone(), *at);
                self.append_with(tx, FinanceEvent::Refunded, before, actor, related).await
            }
            Record::Submitted => self.record_submitted(tx, acting, now).await,
            Record::Verdict => self.record_verdict(tx, acting, before, now).await,
            Record::Settled => self.record_settled(tx, now).await,
            Record::EarlierAccepted { jobs, acceptance } => {
                for job in jobs {
                    attempts::record(tx, *job, AuthorityRecord::Accepted, Some(acceptance))?;
                }
                self.record_verdict(tx, acting, before, now).await?;
                self.settle_alert(tx, acting, before.id).await
            }
            Record::EarlierRefuted { jobs } => {
                for job in jobs {
                    attempts::record(tx, *job, AuthorityRecord::Nothing, None)?;
                }
                self.settle_alert(tx, acting, before.id).await
            }
        }
    }

    /// Appends what finance did with a document to the event log.
    pub(crate) async fn append(
        &self,
        tx: &mut Tx,
        event: FinanceEvent,
        invoice: &Invoice,
        actor: &Actor,
    ) -> Result<(), StoreError> {
        self.append_with(tx, event, invoice, actor, Related::default()).await?;
        let notice = errors_notice(invoice).filter(|_| event == FinanceEvent::AcceptedByTaxAuthority);
        if let Some(notice) = notice {
            append_notice(tx, self.context.ids(), self.context.now(), &notice).await?;
        }
        Ok(())
    }

    /// [`Recorder::append`], with what the event says besides the document.
    async fn append_with(
        &self,
        tx: &mut Tx,
        event: FinanceEvent,
        invoice: &Invoice,
        actor: &Actor,
        related: Related,
    ) -> Result<(), StoreError> {
        related.append(self.context.events(), tx, (Source::Finance, event.as_str()), invoice, actor).await
    }

    /// A submission that starts afresh.
    fn restarted(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        existing: &Submission,
    ) -> Result<Submission<Open<Requested>>, StoreError> {
        let now = self.context.now();
        // Still open although the document is not issuing: it was moved without finance.
        if let Some(job) = existing.job().filter(|_| !existing.has_ended()) {
            attempts::end(tx, &AttemptEnd::superseded(job, None), now)?;
        }
        Ok(existing.requested_again(acting.actor.0.clone(), now))
    }

    /// Records that a document was moved to issuing, in the transaction that moved it: its submission has its number, and the
    /// background takes the next step at once.
    async fn record_submitted(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        issuing: &Invoice,
    ) -> Result<(), StoreError> {
        let actor = acting.actor.0.clone();
        let first = Submission::intent(issuing.id, issuing.workspace, actor, self.context.now());
        let step = numbered(first, issuing.clone()).with(Effect::Wake);
        // Most documents are submitted once.
        if submissions::insert(tx, &step.submission).await? {
            return self.take_effect(tx, &step.submission, step.effects, &acting.actor).await;
        }
        let moved = || StoreError::Moved { table: "submission" };
        let existing = submissions::lock(tx, issuing.id, &Workspaces::All).await?.ok_or_else(moved)?;
        let again = self.restarted(tx, acting, &existing)?;
        let step = numbered(again, issuing.clone()).with(Effect::Wake);
        self.store_in(tx, step, (&existing).into(), &acting.actor).await.map(drop)
    }

    /// Stores a step with everything that commits beside it, and gives the submission as it is stored; none when somebody else
    /// moved it, or goes on with its job. A `lease` ends with the step, where nothing is left to do at once.
    pub(crate) async fn store(
        &self,
        step: Step,
        expected: ExpectedVersion,
        actor: &Actor,
        lease: Option<&JobLease>,
    ) -> Result<Option<Submission>, StoreError> {
        let stored = async {
            let (stage, next) = (step.submission.stage(), step.next);
            let mut tx = self.context.db().begin().await?;
            let stored = self.store_in(&mut tx, step, expected, actor).await?;
            let lease = lease.filter(|_| next != Outcome::Continue);
            let ending = JobLease::end_any(lease, &mut tx, next).await?;
            tx.commit_at(stage.commit_point()).await?;
            ending.committed();
            Ok(stored)
        };
        match stored.await {
            Ok(stored) => Ok(Some(stored)),
            Err(StoreError::Moved { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// [`Recorder::store`] as part of a transaction.
    ///
    /// # Errors
    /// [`StoreError::Moved`], perhaps of a later statement or the commit, when somebody else moved the submission.
    pub(crate) async fn store_in(
        &self,
        tx: &mut Tx,
        step: Step,
        expected: ExpectedVersion,
        actor: &Actor,
    ) -> Result<Submission, StoreError> {
        let mut submission = step.submission;
        submission.version = expected.version;
        submission.updated_at = self.context.now();
        if let Some(alert) = &submission.alert {
            tracing::error!(
                document.id = %submission.document, alert = alert.code.as_str(),
                "The submission of {} needs somebody: {}", submission.document, alert.message
            );
        }
        submissions::update_later(tx, &submission)?;
        if let Some(notice) = expected.notice(&submission) {
            append_notice(tx, self.context.ids(), self.context.now(), &notice).await?;
        }
        self.take_effect(tx, &submission, step.effects, actor).await?;
        submission.version = expected.version.saturating_add(1);
        Ok(submission)
    }

    /// Stores a submission, with a notice where its alert is another one; `false` when somebody else moved it.
    pub(crate) async fn update(
        &self,
        tx: &mut Tx,
        expected: &ExpectedVersion,
        submission: &Submission,
    ) -> Result<bool, StoreError> {
        let is_stored = submissions::update(tx, submission).await?;
        if let Some(notice) = expected.notice(submission).filter(|_| is_stored) {
            append_notice(tx, self.context.ids(), self.context.now(), &notice).await?;
        }
        Ok(is_stored)
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
                    submissions::keep_entry(tx, entry, submission.document, now);
                }
                Effect::StartAttempt(job) => attempts::start(tx, submission, job, now),
                Effect::SetEntryDigest(job, digest) => attempts::set_entry_digest(tx, job, &digest),
                Effect::MoveAttempt(job, entry) => attempts::move_to(tx, job, entry),
                Effect::KeepMessage(job, message) => messages::keep(tx, job, &message, now),
                Effect::EndAttempt(end) => attempts::end(tx, &end, now)?,
                Effect::Record(job, record, acceptance) => {
                    attempts::record(tx, job, record, acceptance.as_ref())?;
                }
                Effect::KeepFiling(filing) => {
                    self.context.deadlines().keep(tx, &filing, SubmitDocument::NAME);
                }
                Effect::WatchAttempts => self.watch_attempts(tx, submission.document),
                Effect::FreeKey(RequestKey { scope, key, .. }) => {
                    idempotency::release(tx, &scope, &key).await?;
                }
                Effect::Wake => self.schedule(tx, submission.document, now),
                Effect::Event(event, invoice) => self.append(tx, event, &invoice, actor).await?,
            }
        }
        Ok(())
    }

    /// Makes sure that a document's submission is looked at no later than `at`.
    pub(crate) fn schedule(&self, tx: &mut Tx, document: InvoiceId, at: Timestamp) {
        SubmitDocument(document).enqueue(tx, self.context.ids(), at);
    }

    /// Takes a document's submission out of the queue.
    pub(crate) async fn unschedule(&self, tx: &mut Tx, document: InvoiceId) -> Result<(), StoreError> {
        jobs::remove(tx, SubmitDocument::NAME, &document.to_string()).await?;
        Ok(())
    }

    /// Makes sure that the provider is asked how the attempts of a document end that count no more.
    pub(crate) fn watch_attempts(&self, tx: &mut Tx, document: InvoiceId) {
        let wait = SignedDuration::try_from(self.context.settings().poll_after).unwrap_or(WATCH_AFTER);
        WatchAttempts(document).enqueue(tx, self.context.ids(), self.context.after(wait));
    }
}

/// What a step came to: the submission as it should be stored, with what commits beside it.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) submission: Submission,
    pub(crate) next: Outcome,
    pub(crate) effects: Vec<Effect>,
}

/// What commits together with a step.
#[derive(Debug, Clone)]
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
    /// What the plugin said of the filing.
    KeepFiling(Box<FilingDeadline>),
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

/// The number is known: finance tells that the document is issuing, and converts it next.
pub(crate) fn numbered(submission: Submission<Open<Requested>>, document: Invoice) -> Step {
    let step = match document.state.number().cloned() {
        Some(number) => Step::to(submission.step(|requested| requested.numbered(number))),
        // A remote service said that it moved the document, and shows a draft.
        None => Step::to(submission.end(Requested::superseded)),
    };
    step.with(Effect::Event(FinanceEvent::Issuing, Box::new(document)))
}
