//! Rejection strategy B while the invoice data service is elsewhere: the same as `invoicing::corrective`, one call after
//! the other. The strategy is the setting of finance's workspace; the invoice data service keeps its own at A.

use super::ReadError;
use super::plan::{Call, Plan, Record};
use crate::Gateway;
use gateway_domain::access::Acting;
use gateway_domain::finance::FinanceEvent;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Credited, DocumentKind, Invoice, Status, credit_note, credited_on};
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
    beside: Option<Beside>,
}

/// A document that a verdict leads to.
#[derive(Debug)]
struct Beside {
    document: Invoice,
    record: Record,
    /// The credit notes that were counted for it, when it is one itself.
    counted: Option<Vec<InvoiceId>>,
}

/// What became of what follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Followed {
    /// It is recorded.
    Done,
    /// It is recorded, and the intent of this document goes on.
    Intent(InvoiceId),
    /// Another command on the document is on its way, or changed what was counted.
    Waits,
}

impl Followed {
    pub(super) const fn intent(self) -> Option<InvoiceId> {
        match self {
            Self::Intent(document) => Some(document),
            Self::Done | Self::Waits => None,
        }
    }
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
                    follow_up.beside = self.full_credit(now).await?;
                }
            }
            (Status::Rejected, DocumentKind::Invoice) => {
                let draft = self.corrective_draft(now).await?;
                follow_up.beside =
                    draft.map(|document| Beside { document, record: Record::Corrective, counted: None });
            }
            _ => {}
        }
        Ok(follow_up)
    }

    /// Records what follows. A caller that did not take the document's turn rolls back when it has to wait for it.
    pub(crate) async fn apply_follow_up(
        &self,
        tx: &mut Tx,
        now: &Invoice,
        follow_up: FollowUp,
    ) -> Result<Followed, StoreError> {
        let acting = Acting::gateway();
        for (original, draft) in &follow_up.released {
            if ELSEWHERE.release(tx, *original, self.now()).await? {
                self.append_finance(tx, FinanceEvent::CorrectiveReleased, draft, &acting.actor).await?;
            }
        }
        let Some(Beside { document, record, counted }) = follow_up.beside else { return Ok(Followed::Done) };
        let call = Call::Save { content: Box::new(document.content), seen: None };
        let plan = Plan { counted, ..Plan::new(now, document.id, call, record) };
        let intent = self.intend_call(tx, &acting, now, plan).await?;
        Ok(intent.map_or(Followed::Waits, |intent| Followed::Intent(intent.document)))
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
        Ok(Some(self.documents().draft_beside(rejected, content, rejected.totals.clone())))
    }

    /// The credit note for all of an invoice, unless somebody credited it in part already, or is about to.
    async fn full_credit(&self, issued: &Invoice) -> Result<Option<Beside>, ReadError> {
        let counted = intents::notes(self.db(), issued.id, issued.workspace).await?;
        let notes = self.credited(&Acting::gateway(), &counted).await?;
        if notes.len() < counted.len() {
            tracing::warn!(document.id = %issued.id, "{} is not credited by itself: another credit note is on its way", issued.id);
            return Ok(None);
        }
        let zone = workspaces::find(self.db(), issued.workspace)
            .await?
            .map_or(TimeZone::UTC, |found| found.time_zone);
        let today = zone.to_datetime(self.now()).date();
        match credit_note(issued, &notes, None, credited_on(issued, today)) {
            Ok((content, totals)) => Ok(Some(Beside {
                document: self.documents().draft_beside(issued, content, totals),
                record: Record::Reversed { at: None },
                counted: Some(counted),
            })),
            Err(error) => {
                tracing::warn!(document.id = %issued.id, "{} is not credited by itself: {error}", issued.id);
                Ok(None)
            }
        }
    }

    /// The credit notes that finance wrote for a document, as they are now; one that was deleted is left out. Credit
    /// notes that others write at the invoice data service are not among them: it refuses to issue more than the
    /// original itself.
    pub(super) async fn credited(
        &self,
        acting: &Acting,
        notes: &[InvoiceId],
    ) -> Result<Vec<Credited>, ReadError> {
        let by = Acting { actor: acting.actor.clone(), ..Acting::gateway() };
        let mut credited = Vec::new();
        for &id in notes {
            let note = self.invoice(&by, id).await?;
            credited.extend(note.map(|note| Credited { id, totals: note.totals }));
        }
        Ok(credited)
    }
}
