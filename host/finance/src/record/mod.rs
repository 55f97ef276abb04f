//! What finance writes down, in a transaction that somebody else began: its events, submissions and their steps, and the
//! record of a plan whose call is carried out.

mod request;
mod step;
mod verdict;

pub(crate) use request::numbered;
pub(crate) use step::{Effect, Step, step_point};

use crate::consumers::DocumentAge;
use crate::context::Context;
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Actor, Workspaces};
use gateway_domain::ids::ProviderJobId;
use gateway_domain::invoicing::{Acceptance, Invoice};
use gateway_domain_finance::{AuthorityRecord, FinanceEvent, Record};
use gateway_events::Source;
use gateway_invoicing::Related;
use gateway_storage::credits::{self, Refund};
use gateway_storage::{Tx, attempts, events};

/// Writes down what finance did. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Recorder {
    pub(crate) context: Context,
}

impl Recorder {
    pub(crate) const fn new(context: Context) -> Self {
        Self { context }
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
        for told in told.iter().filter(|told| told.kind == event.as_str()) {
            if events::data::<DocumentAge>(told)?.age() == now {
                return Ok(true);
            }
        }
        Ok(false)
    }
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
