//! What follows from a document that has just become issued or rejected: rejection strategy B (specification, Rules 6). A
//! rejected invoice gets a corrective draft beside it. The rejected invoice is mended until it is issued, then it is credited
//! in full, and only then the corrective may be issued.

use crate::Finance;
use gateway_domain::StoreError;
use gateway_domain::access::Actor;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Credited, DocumentKind, Invoice, Status, credit_note, credited_on};
use gateway_domain::workspace::RejectionStrategy;
use gateway_domain_finance::{FinanceEvent, NextStep, Plan, Record, follow_up_draft};
use gateway_storage::correctives::Correctives;
use gateway_storage::{Executor, Tx, workspaces};

/// A document that is written beside the one that moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FollowUpDraft {
    /// A corrective draft with the same content, blocked.
    Corrective,
    /// A credit note for all of it, on its way at once.
    CreditNote,
}

/// The documents whose correctives an issued credit note sets free.
pub(crate) fn released_by(moved: &Invoice) -> &[InvoiceId] {
    match (moved.state.status(), moved.content.document_type) {
        (Status::Issued, DocumentKind::CreditNote) => &moved.content.referenced_document_ids,
        _ => &[],
    }
}

impl Finance {
    /// Sets the corrective of a document free, which waits as `draft`.
    pub(crate) async fn release(
        &self,
        tx: &mut Tx,
        correctives: Correctives,
        original: InvoiceId,
        draft: Option<&Invoice>,
    ) -> Result<(), StoreError> {
        if !correctives.release(tx, original, self.now()).await? {
            return Ok(());
        }
        match draft {
            Some(draft) => {
                self.append_finance(tx, FinanceEvent::CorrectiveReleased, draft, &Actor::gateway()).await
            }
            None => Ok(()),
        }
    }

    /// What is to be written beside a document that has just moved.
    pub(crate) async fn follow_up_of(
        &self,
        on: impl Into<Executor<'_>>,
        correctives: Correctives,
        moved: &Invoice,
    ) -> Result<Option<FollowUpDraft>, StoreError> {
        let mut on = on.into();
        match (moved.state.status(), moved.content.document_type) {
            (Status::Issued, DocumentKind::Invoice) => {
                let corrective = correctives.of(on.reborrow(), moved.id).await?;
                Ok(corrective.filter(|corrective| corrective.blocked).map(|_| FollowUpDraft::CreditNote))
            }
            (Status::Rejected, DocumentKind::Invoice) => {
                let workspace = workspaces::find(on.reborrow(), moved.workspace).await?;
                let strategy = workspace.map(|found| found.rejection_strategy);
                let is_wanted = strategy == Some(RejectionStrategy::B)
                    && correctives.of(on.reborrow(), moved.id).await?.is_none()
                    && !correctives.is_blocked(on, moved.id).await?;
                Ok(is_wanted.then_some(FollowUpDraft::Corrective))
            }
            _ => Ok(None),
        }
    }

    /// The plan for it. An invoice that somebody credited in part already is left to that somebody: issuing the rest of the
    /// credit notes sets the corrective free.
    pub(crate) async fn follow_up_plan(
        &self,
        on: impl Into<Executor<'_>>,
        moved: &Invoice,
        wanted: FollowUpDraft,
        credited: &[Credited],
    ) -> Result<Option<Plan>, StoreError> {
        let fresh = InvoiceId(self.ids().next());
        match wanted {
            FollowUpDraft::Corrective => {
                let mut content = moved.content.clone();
                content.issue_date = None;
                let draft = follow_up_draft(moved, fresh, content, moved.totals.clone(), self.now());
                Ok(Some(Plan::follow_up(moved.clone(), draft, Record::Corrective, None)))
            }
            FollowUpDraft::CreditNote => {
                let workspace = workspaces::find(on, moved.workspace).await?;
                let today = self.documents().issue_day(None, workspace.as_ref()).day();
                match credit_note(moved, credited, None, credited_on(moved, today)) {
                    Ok((content, totals)) => {
                        let note = follow_up_draft(moved, fresh, content, totals, self.now());
                        let then = Some(NextStep::Issue { at: None });
                        Ok(Some(Plan::follow_up(moved.clone(), note, Record::Reversed, then)))
                    }
                    Err(error) => {
                        tracing::warn!(document.id = %moved.id, "{} is not credited by itself: {error}", moved.id);
                        Ok(None)
                    }
                }
            }
        }
    }
}
