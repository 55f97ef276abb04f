//! Rejection strategy B while the invoice data service is elsewhere: the same as `invoicing::corrective`, one call after
//! the other. The strategy is the setting of finance's workspace; the invoice data service keeps its own at A.

use super::ReadError;
use super::intent::{Call, Plan, Record};
use crate::Gateway;
use gateway_domain::access::{Acting, Actor};
use gateway_domain::finance::FinanceEvent;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Credited, DocumentKind, Invoice, Status, credit_note};
use gateway_domain::workspace::RejectionStrategy;
use gateway_storage::correctives::ELSEWHERE;
use gateway_storage::{StoreError, Tx, intents, workspaces};
use jiff::tz::TimeZone;

/// What a verdict leads to, as far as it had to be read elsewhere.
#[derive(Debug, Default)]
pub(crate) struct FollowUp {
    /// Corrective drafts that may go now, by the original they correct.
    released: Vec<(InvoiceId, Invoice)>,
    /// A document that is written beside the one of the verdict.
    beside: Option<(Invoice, Record)>,
}

impl Gateway {
    /// What follows from a document that has just become issued or rejected.
    pub(crate) async fn follow_up(&self, now: &Invoice) -> Result<FollowUp, ReadError> {
        let mut follow_up = FollowUp::default();
        match (now.state.status(), now.content.document_type) {
            (Status::Issued, DocumentKind::CreditNote) => {
                for original in &now.content.referenced_document_ids {
                    let waiting = ELSEWHERE.of(self.db(), *original).await?;
                    let Some(waiting) = waiting.filter(|corrective| corrective.blocked) else { continue };
                    let draft = self.invoice(&Acting::gateway(), waiting.document).await?;
                    follow_up.released.extend(draft.map(|draft| (*original, draft)));
                }
            }
            (Status::Issued, DocumentKind::Invoice) => {
                let corrective = ELSEWHERE.of(self.db(), now.id).await?;
                if corrective.is_some_and(|corrective| corrective.blocked) {
                    let note = self.full_credit(now).await?;
                    follow_up.beside = note.map(|note| (note, Record::Reversed { at: None }));
                }
            }
            (Status::Rejected, DocumentKind::Invoice) => {
                let draft = self.corrective_draft(now).await?;
                follow_up.beside = draft.map(|draft| (draft, Record::Corrective));
            }
            _ => {}
        }
        Ok(follow_up)
    }

    /// Records what follows; the document whose intent goes on, if any.
    pub(crate) async fn apply_follow_up(
        &self,
        tx: &mut Tx,
        now: &Invoice,
        follow_up: FollowUp,
    ) -> Result<Option<InvoiceId>, StoreError> {
        let acting = Acting::gateway();
        for (original, draft) in &follow_up.released {
            if ELSEWHERE.release(tx, *original, self.now()).await? {
                self.append_finance(tx, FinanceEvent::CorrectiveReleased, draft, &acting.actor).await?;
            }
        }
        let Some((beside, record)) = follow_up.beside else { return Ok(None) };
        let call = Call::Save { content: Box::new(beside.content), seen: None };
        let plan = Plan::new(now, beside.id, call, record);
        let intent = self.intend_call(tx, &acting, now, plan).await?;
        if intent.is_none() {
            tracing::warn!(document.id = %now.id, "Nothing follows for {}: a command on it is on its way", now.id);
        }
        Ok(intent.map(|intent| intent.document))
    }

    /// The draft beside a rejected invoice, where it has none yet.
    async fn corrective_draft(&self, rejected: &Invoice) -> Result<Option<Invoice>, StoreError> {
        let strategy =
            workspaces::find(self.db(), rejected.workspace).await?.map(|found| found.rejection_strategy);
        let drafted = ELSEWHERE.of(self.db(), rejected.id).await?.is_some();
        if strategy != Some(RejectionStrategy::B)
            || drafted
            || ELSEWHERE.is_blocked(self.db(), rejected.id).await?
        {
            return Ok(None);
        }
        let mut content = rejected.content.clone();
        content.issue_date = None;
        Ok(Some(self.fresh_document(rejected, content, rejected.totals.clone())))
    }

    /// The credit note for all of an invoice, unless somebody credited it in part already.
    async fn full_credit(&self, issued: &Invoice) -> Result<Option<Invoice>, ReadError> {
        let notes = self.credited_by_finance(&Acting::gateway(), issued).await?;
        let zone = workspaces::find(self.db(), issued.workspace)
            .await?
            .map_or(TimeZone::UTC, |found| found.time_zone);
        match credit_note(issued, &notes, None, zone.to_datetime(self.now()).date()) {
            Ok((content, totals)) => Ok(Some(self.fresh_document(issued, content, totals))),
            Err(error) => {
                tracing::warn!(document.id = %issued.id, "{} is not credited by itself: {error}", issued.id);
                Ok(None)
            }
        }
    }

    /// The credit notes that finance wrote for a document, as they are now. Credit notes that others write at the
    /// invoice data service are not among them: it refuses to issue more than the original itself.
    pub(super) async fn credited_by_finance(
        &self,
        acting: &Acting,
        original: &Invoice,
    ) -> Result<Vec<Credited>, ReadError> {
        let mut credited = Vec::new();
        for id in intents::notes(self.db(), original.id, original.workspace).await? {
            let by = Acting { actor: Actor(acting.actor.0.clone()), ..Acting::gateway() };
            let note = self.invoice(&by, id).await?;
            credited.extend(note.map(|note| Credited { id, totals: note.totals }));
        }
        Ok(credited)
    }
}
