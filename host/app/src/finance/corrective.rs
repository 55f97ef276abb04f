//! Rejection strategy B (specification, Rules 6): a rejected invoice gets a corrective draft beside it. The rejected
//! invoice is mended until it is issued, then it is credited in full, and only then the corrective may be issued.

use crate::Gateway;
use async_trait::async_trait;
use gateway_domain::access::{Acting, Actor, Workspaces};
use gateway_domain::finance::{FinanceEvent, Route};
use gateway_domain::invoicing::{Credited, DocumentKind, Invoice, credit_note, credited_on};
use gateway_domain::workspace::RejectionStrategy;
use gateway_invoicing::{FollowUps, Issue, Related, StepError};
use gateway_storage::correctives::HERE;
use gateway_storage::{StoreError, Tx, credits, invoices, workspaces};

#[async_trait]
impl FollowUps for Gateway {
    /// An invoice with a blocked corrective is credited, and a credit note sets the correctives of what it credits free.
    async fn after_issue(&self, tx: &mut Tx, issued: &Invoice) -> Result<(), StepError> {
        match issued.content.document_type {
            DocumentKind::CreditNote => self.release_correctives(tx, issued).await,
            DocumentKind::Invoice => match HERE.of(&mut *tx, issued.id).await? {
                Some(corrective) if corrective.blocked => self.credit_in_full(tx, issued).await,
                Some(_) | None => Ok(()),
            },
            DocumentKind::Proforma | DocumentKind::Receipt => Ok(()),
        }
    }

    /// Under strategy B a corrective draft with the same content is made, blocked.
    async fn after_rejection(&self, tx: &mut Tx, rejected: &Invoice) -> Result<(), StoreError> {
        if rejected.content.document_type != DocumentKind::Invoice {
            return Ok(());
        }
        let strategy =
            workspaces::find(&mut *tx, rejected.workspace).await?.map(|found| found.rejection_strategy);
        let drafted = HERE.of(&mut *tx, rejected.id).await?.is_some();
        if strategy != Some(RejectionStrategy::B) || drafted || HERE.is_blocked(&mut *tx, rejected.id).await?
        {
            return Ok(());
        }
        let mut content = rejected.content.clone();
        content.issue_date = None;
        let mut draft = self.documents().draft_beside(rejected, content, rejected.totals.clone());
        let actor = Actor::gateway();
        self.documents().insert_in(tx, &mut draft, &actor).await?;
        HERE.keep(tx, draft.id, rejected.id).await?;
        let related = Related::corrective(draft.id);
        self.append_finance_with(tx, FinanceEvent::CorrectiveDrafted, rejected, &actor, related).await
    }
}

impl Gateway {
    async fn release_correctives(&self, tx: &mut Tx, note: &Invoice) -> Result<(), StepError> {
        let visible = Workspaces::Only(vec![note.workspace]);
        for original in &note.content.referenced_document_ids {
            let Some(corrective) = HERE.of(&mut *tx, *original).await? else { continue };
            if !HERE.release(tx, *original, self.now()).await? {
                continue;
            }
            if let Some(draft) = invoices::find(&mut *tx, corrective.document, &visible).await? {
                self.append_finance(tx, FinanceEvent::CorrectiveReleased, &draft, &Actor::gateway()).await?;
            }
        }
        Ok(())
    }

    /// A credit note for all of the invoice, on its way at once. An invoice that somebody credited in part already is
    /// left to that somebody: issuing the rest of the credit notes sets the corrective free.
    async fn credit_in_full(&self, tx: &mut Tx, issued: &Invoice) -> Result<(), StepError> {
        let notes: Vec<Credited> = credits::credit_notes(&mut *tx, issued.id, issued.workspace)
            .await?
            .into_iter()
            .map(|(_, credited)| credited)
            .collect();
        let workspace = workspaces::find(&mut *tx, issued.workspace).await?;
        let today = self.documents().issue_day(None, workspace.as_ref()).day();
        let (content, totals) = match credit_note(issued, &notes, None, credited_on(issued, today)) {
            Ok(made) => made,
            Err(error) => {
                tracing::warn!(document.id = %issued.id, "{} is not credited by itself: {error}", issued.id);
                return Ok(());
            }
        };
        let mut note = self.documents().draft_beside(issued, content, totals);
        let acting = Acting::gateway();
        self.documents().insert_in(tx, &mut note, &acting.actor).await?;
        let related = Related::credit_note(note.id);
        self.append_finance_with(tx, FinanceEvent::Reversed, issued, &acting.actor, related).await?;
        match self.route_on(&mut *tx, &note).await? {
            Route::TaxAuthority => {
                self.intend(tx, &acting, &note, self.now()).await?;
                Ok(())
            }
            Route::Standard => {
                match self.documents().ensure_number_is_free(tx, &note).await {
                    Ok(()) => {}
                    Err(StepError::Issue(error)) => {
                        // The invoice is final all the same; whoever mends the pattern issues the note.
                        tracing::warn!(document.id = %note.id, "{} stays a draft: {error}", note.id);
                        return Ok(());
                    }
                    Err(error) => return Err(error),
                }
                let issued = self.documents().issue_in(tx, &acting, note.id, Issue::default()).await?;
                self.append_finance(tx, FinanceEvent::Issued, &issued, &acting.actor).await?;
                self.release_correctives(tx, &issued).await
            }
        }
    }
}
