//! What is written down of an amendment, each in one transaction with its events and its job.

use crate::Amendments;
use crate::job::AmendDocument;
use crate::notice;
use async_trait::async_trait;
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Actor, Workspaces};
use gateway_domain::invoicing::{Invoice, Totals};
use gateway_domain::regime::Stamp;
use gateway_domain_amendment::{Amendment, AmendmentStage};
use gateway_domain_finance::{
    AcceptedVerdict, AuthorityMessage, ExpectedVersion, FinanceEvent, Submission, errors_notice,
};
use gateway_events::{Source, append_notice, append_notice_after};
use gateway_finance::{CommandError, RecordUnderLock};
use gateway_invoicing::{Related, StepError};
use gateway_jobs::Job as _;
use gateway_storage::{Tx, amendments, attempts, invoices, jobs, messages, submissions};
use jiff::Timestamp;

/// Why the end of an amendment was not written down: it is tried again.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RecordError {
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The document is no longer what was amended.
    #[error(transparent)]
    Step(#[from] StepError),
}

const MOVED: StoreError = StoreError::Moved { table: "amendment" };

/// A new amendment with its attempt, its event and its job.
pub(crate) struct Begin<'a> {
    pub(crate) amendments: &'a Amendments,
    pub(crate) acting: &'a Acting,
    /// That the amendment was decided from.
    pub(crate) submission: &'a Submission,
    pub(crate) amendment: &'a Amendment,
}

#[async_trait]
impl RecordUnderLock for Begin<'_> {
    fn commit_point(&self) -> &'static str {
        "amending"
    }

    async fn record(&self, tx: &mut Tx, held: &Invoice) -> Result<(), CommandError> {
        let Self { amendments, acting, submission, amendment } = self;
        let (now, ids) = (amendments.now(), amendments.0.ids.as_ref());
        let sent = submissions::lock(tx, held.id, &Workspaces::All).await?;
        if sent.is_none_or(|sent| sent.version != submission.version)
            || !amendments::insert(tx, amendment).await?
        {
            return Err(CommandError::InProgress);
        }
        // The attempt stands among those of the submission, which itself is about the accepted record.
        let filed = Submission::clone(submission).under(amendment.filing.attempt()).ok_or(MOVED)?;
        attempts::start(tx, &filed, amendment.filing.job, now);
        amendments.append(tx, FinanceEvent::Amending, held, &acting.actor).await?;
        AmendDocument(held.id).enqueue(tx, ids, now);
        Ok(())
    }
}

/// An amendment that somebody gave up.
pub(crate) struct Withdraw<'a> {
    pub(crate) amendments: &'a Amendments,
    pub(crate) acting: &'a Acting,
    pub(crate) withdrawn: &'a Amendment,
}

#[async_trait]
impl RecordUnderLock for Withdraw<'_> {
    fn commit_point(&self) -> &'static str {
        "amendment-withdrawn"
    }

    async fn record(&self, tx: &mut Tx, held: &Invoice) -> Result<(), CommandError> {
        let Self { amendments, acting, withdrawn } = self;
        // Its job took a step meanwhile.
        if !amendments::update(tx, withdrawn).await? {
            return Err(CommandError::InProgress);
        }
        end_attempt(tx, withdrawn, None, amendments.now())?;
        jobs::remove(tx, AmendDocument::NAME, &held.id.to_string()).await?;
        Ok(amendments.append(tx, FinanceEvent::AmendmentWithdrawn, held, &acting.actor).await?)
    }
}

impl Amendments {
    /// A step that changes nothing but the amendment. Of one that waits for long somebody hears once a day.
    pub(crate) async fn store(&self, amendment: &Amendment) -> Result<(), StoreError> {
        let mut tx = self.0.db.begin().await?;
        update(&mut tx, amendment).await?;
        if let Some(digest) = &amendment.filing.digest {
            attempts::set_entry_digest(&mut tx, amendment.filing.job, digest);
        }
        let now = self.now();
        if let Some(notice) = notice::waiting(amendment, now) {
            // What was said before it was asked for was of another one.
            let repeat_after = notice::REPEATED_AFTER.min(now.duration_since(amendment.created_at));
            append_notice_after(&mut tx, self.0.ids.as_ref(), now, &notice, repeat_after).await?;
        }
        tx.commit_at("amendment-step").await
    }

    /// The authority accepted it: the document is what it says, with the proof, and so is its submission.
    pub(crate) async fn end_accepted(
        &self,
        open: Amendment,
        verdict: AcceptedVerdict,
        stamps: Vec<Stamp>,
        message: Option<AuthorityMessage>,
    ) -> Result<(), RecordError> {
        let (now, by) = (self.now(), Acting { actor: Actor(open.actor.clone()), ..Acting::gateway() });
        let taken_at = taken_at(&open);
        let mut tx = self.0.db.begin().await?;
        let held = invoices::lock(&mut tx, open.document, &Workspaces::All).await?.ok_or(StepError::Gone)?;
        let submission = submissions::lock(&mut tx, open.document, &Workspaces::All).await?.ok_or(MOVED)?;
        let expected = ExpectedVersion::from(&submission);
        let filed = submission
            .amended(open.filing.attempt(), taken_at, verdict.clone(), stamps.clone(), now)
            .ok_or(MOVED)?;
        let totals = Totals::rounded(&open.content, held.totals.rounding).map_err(|_| MOVED)?;
        let ended = open.accepted(&verdict, stamps, now);
        let content = (ended.content.clone(), totals);
        let amended = self.0.documents.amend_in(&mut tx, &by, held, content, verdict.acceptance).await?;
        if !submissions::update(&mut tx, &filed).await? {
            return Err(StoreError::Moved { table: "submission" }.into());
        }
        for notice in expected.notice(&filed).into_iter().chain(errors_notice(&amended)) {
            append_notice(&mut tx, self.0.ids.as_ref(), now, &notice).await?;
        }
        self.end(&mut tx, &ended, message, now).await?;
        self.append(&mut tx, FinanceEvent::Amended, &amended, &by.actor).await?;
        Ok(tx.commit_at("amended").await?)
    }

    /// It was refused: the record before is in force, and the document as it was.
    pub(crate) async fn end_refused(
        &self,
        refused: &Amendment,
        message: Option<AuthorityMessage>,
    ) -> Result<(), RecordError> {
        let mut tx = self.0.db.begin().await?;
        let held = invoices::lock(&mut tx, refused.document, &Workspaces::All).await?;
        let held = held.ok_or(StepError::Gone)?;
        self.end(&mut tx, refused, message, self.now()).await?;
        let by = Actor(refused.actor.clone());
        self.append(&mut tx, FinanceEvent::AmendmentRefused, &held, &by).await?;
        Ok(tx.commit_at("amendment-refused").await?)
    }

    async fn end(
        &self,
        tx: &mut Tx,
        ended: &Amendment,
        message: Option<AuthorityMessage>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        update(tx, ended).await?;
        end_attempt(tx, ended, message, now)
    }

    async fn append(
        &self,
        tx: &mut Tx,
        event: FinanceEvent,
        document: &Invoice,
        actor: &Actor,
    ) -> Result<(), StoreError> {
        let kind = (Source::Finance, event.as_str());
        Related::default().append(&self.0.events, tx, kind, document, actor).await
    }
}

async fn update(tx: &mut Tx, amendment: &Amendment) -> Result<(), StoreError> {
    if amendments::update(tx, amendment).await? { Ok(()) } else { Err(MOVED) }
}

/// When the provider took the job.
fn taken_at(amendment: &Amendment) -> Option<Timestamp> {
    match amendment.open()?.stage {
        AmendmentStage::Waiting { taken_at } => Some(taken_at),
        AmendmentStage::Uploading | AmendmentStage::Starting => None,
    }
}

/// Ends the attempt of an amendment that came to an end, with what was sent to the authority, as far as that is known.
fn end_attempt(
    tx: &mut Tx,
    ended: &Amendment,
    message: Option<AuthorityMessage>,
    now: Timestamp,
) -> Result<(), StoreError> {
    if let Some(message) = message {
        messages::keep(tx, ended.filing.job, &message, now);
    }
    match ended.attempt_end() {
        Some(end) => attempts::end(tx, &end, now),
        None => Ok(()),
    }
}
