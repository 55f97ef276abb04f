//! What finance writes down once a plan's call is carried out, under the lock or the turn of the command.

use crate::Finance;
use crate::consumers::DocumentAge;
use crate::submission::{ended, settled};
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Actor, Workspaces};
use gateway_domain::ids::{InvoiceId, ProviderJobId};
use gateway_domain::invoicing::{Acceptance, Invoice, Status};
use gateway_domain_finance::{
    AuthorityRecord, FinanceEvent, Open, OpenStage, Record, Stage, Submission, is_accepted_after_all,
};
use gateway_events::Source;
use gateway_invoicing::Related;
use gateway_storage::credits::{self, Refund};
use gateway_storage::{Tx, attempts, events, submissions};

impl Finance {
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
                let (id, now) = (self.ids().next(), self.now());
                credits::add_refund(tx, id, before.id, before.workspace, &refund, now).await?;
                let related = Related::refund(*amount, reference.clone(), *at);
                self.append_with(tx, FinanceEvent::Refunded, before, actor, related).await
            }
            Record::Submitted => self.record_submitted(tx, acting, now).await,
            Record::Verdict => self.record_verdict(tx, acting, before, now).await,
            Record::Settled => self.record_settled(tx, now).await,
            Record::EarlierAccepted { jobs, acceptance } => {
                keep(tx, jobs, AuthorityRecord::Accepted, Some(acceptance)).await?;
                self.record_verdict(tx, acting, before, now).await?;
                self.settle_alert(tx, acting, before.id).await
            }
            Record::EarlierRefuted { jobs } => {
                keep(tx, jobs, AuthorityRecord::Nothing, None).await?;
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
        self.append_with(tx, event, invoice, actor, Related::default()).await
    }

    /// [`Finance::append`], with what the event says besides the document.
    async fn append_with(
        &self,
        tx: &mut Tx,
        event: FinanceEvent,
        invoice: &Invoice,
        actor: &Actor,
        related: Related,
    ) -> Result<(), StoreError> {
        related.append(self.events(), tx, (Source::Finance, event.as_str()), invoice, actor).await
    }

    /// A verdict by hand, unless the submission came to one by itself: then that one is told already. `before` is the document
    /// as it waited for the verdict.
    async fn record_verdict(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        before: &Invoice,
        now: &Invoice,
    ) -> Result<(), StoreError> {
        let submission = submissions::lock(tx, now.id, &Workspaces::All).await?;
        if submission.as_ref().is_some_and(|submission| shows_verdict(submission, now)) {
            return Ok(());
        }
        let open = submission.and_then(Submission::into_open);
        if let Some(open) = &open {
            self.append_issuing(tx, open, before).await?;
        }
        let mut events = Vec::new();
        for event in FinanceEvent::of_verdict(now.state.status()) {
            if !self.is_recorded(tx, *event, now).await? {
                events.push(*event);
            }
        }
        let Some(open) = open else {
            for event in events {
                self.append(tx, event, now, &acting.actor).await?;
            }
            return Ok(());
        };
        let version = open.version;
        let step = ended(open.superseded_by_hand(), &events, now);
        if !self.store_in(tx, step, version, &acting.actor).await? {
            return Err(StoreError::Moved { table: "submission" });
        }
        self.unschedule(tx, now.id).await
    }

    /// The provider's verdict, which the document shows now, or which came too late for it.
    async fn record_settled(&self, tx: &mut Tx, now: &Invoice) -> Result<(), StoreError> {
        let moved = || StoreError::Moved { table: "submission" };
        let found = submissions::lock(tx, now.id, &Workspaces::All).await?;
        let settling = found.and_then(Submission::into_settling).ok_or_else(moved)?;
        let version = settling.version;
        let step = settled(settling, now).ok_or_else(moved)?;
        if self.store_in(tx, step, version, &Actor::gateway()).await? { Ok(()) } else { Err(moved()) }
    }

    /// Whoever moved the document to issuing may have died before that was told.
    async fn append_issuing(
        &self,
        tx: &mut Tx,
        submission: &Submission<Open>,
        before: &Invoice,
    ) -> Result<(), StoreError> {
        match submission.open_stage() {
            OpenStage::Requested(_) => {}
            OpenStage::Converting(_)
            | OpenStage::Uploading(_)
            | OpenStage::Starting(_)
            | OpenStage::Waiting(_)
            | OpenStage::Unsent(_)
            | OpenStage::Settling(_) => return Ok(()),
        }
        if before.state.status() != Status::Issuing
            || self.is_recorded(tx, FinanceEvent::Issuing, before).await?
        {
            return Ok(());
        }
        let by = Actor(submission.actor.clone());
        self.append(tx, FinanceEvent::Issuing, before, &by).await
    }

    /// Takes the alert back that an earlier number is in the authority's books, and lets the submission go on.
    async fn settle_alert(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        document: InvoiceId,
    ) -> Result<(), StoreError> {
        let found = submissions::lock(tx, document, &acting.workspaces).await?;
        let Some(found) = found.filter(is_accepted_after_all) else { return Ok(()) };
        let is_open = !found.has_ended();
        let settled = Submission { alert: None, updated_at: self.now(), ..found };
        if !submissions::update(tx, &settled).await? {
            return Err(StoreError::Moved { table: "submission" });
        }
        if is_open { self.schedule(tx, document, self.now()).await } else { Ok(()) }
    }

    /// Whether finance told this of this very state of the document: two verdicts at once are one.
    pub(crate) async fn is_recorded(
        &self,
        tx: &mut Tx,
        event: FinanceEvent,
        document: &Invoice,
    ) -> Result<bool, StoreError> {
        let told =
            events::of_subject(&mut *tx, &Workspaces::All, Source::Finance.as_str(), document.id).await?;
        let now = (document.created_at, document.version);
        Ok(told.iter().any(|told| {
            let age = serde_json::from_str::<DocumentAge>(&told.data).map(|told| told.age());
            told.kind == event.as_str() && age.is_ok_and(|age| age == now)
        }))
    }
}

/// Whether a submission ended with the verdict that the document shows, which told it.
fn shows_verdict(submission: &Submission, document: &Invoice) -> bool {
    let is_same = matches!(
        (submission.stage(), document.state.status()),
        (Stage::Accepted, Status::Issued) | (Stage::Rejected, Status::Rejected)
    );
    is_same && submission.number() == document.state.number()
}

/// Keeps what the authority holds of jobs.
async fn keep(
    tx: &mut Tx,
    jobs: &[ProviderJobId],
    held: AuthorityRecord,
    acceptance: Option<&Acceptance>,
) -> Result<(), StoreError> {
    for job in jobs {
        attempts::record(tx, *job, held, acceptance).await?;
    }
    Ok(())
}
