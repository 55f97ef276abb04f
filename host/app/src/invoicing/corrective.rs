//! Rejection strategy B (specification, Rules 6): a rejected invoice gets a corrective draft beside it. The rejected
//! invoice is mended until it is issued, then it is credited in full, and only then the corrective may be issued.

use super::Related;
use crate::Gateway;
use gateway_domain::access::{Acting, Actor, Workspaces};
use gateway_domain::finance::{FinanceEvent, Route};
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{
    Credited, DocumentEvent, DocumentKind, Invoice, IssueDay, IssueError, State, credit_note, credited_on,
};
use gateway_domain::workspace::RejectionStrategy;
use gateway_storage::correctives::HERE;
use gateway_storage::{StoreError, Tx, credits, invoices, places, workspaces};

use super::StepError;
use super::issue::number_is_free;

impl Gateway {
    /// A corrective draft waits for the invoice it corrects.
    pub(super) async fn not_blocked(&self, tx: &mut Tx, id: InvoiceId) -> Result<(), StepError> {
        if HERE.is_blocked(tx, id).await? { Err(IssueError::Blocked.into()) } else { Ok(()) }
    }

    /// What a rejection leads to: under strategy B a corrective draft with the same content, blocked.
    pub(crate) async fn after_rejection(&self, tx: &mut Tx, rejected: &Invoice) -> Result<(), StoreError> {
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
        let mut draft = self.fresh_document(rejected, content, rejected.totals.clone());
        let actor = Actor::gateway();
        self.insert_document(tx, &mut draft, &actor).await?;
        HERE.keep(tx, draft.id, rejected.id).await?;
        let related = Related::document("corrective_id", draft.id);
        self.append_finance_with(tx, FinanceEvent::CorrectiveDrafted, rejected, &actor, related).await
    }

    /// What an issue leads to: an invoice with a blocked corrective is credited, and a credit note sets the
    /// correctives of what it credits free.
    pub(crate) async fn after_issue(&self, tx: &mut Tx, issued: &Invoice) -> Result<(), StepError> {
        match issued.content.document_type {
            DocumentKind::CreditNote => self.release_correctives(tx, issued).await,
            DocumentKind::Invoice => match HERE.of(&mut *tx, issued.id).await? {
                Some(corrective) if corrective.blocked => self.credit_in_full(tx, issued).await,
                Some(_) | None => Ok(()),
            },
            DocumentKind::Proforma | DocumentKind::Receipt => Ok(()),
        }
    }

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
        let today = self.today(tx, issued.workspace).await?;
        let (content, totals) = match credit_note(issued, &notes, None, credited_on(issued, today)) {
            Ok(made) => made,
            Err(error) => {
                tracing::warn!(document.id = %issued.id, "{} is not credited by itself: {error}", issued.id);
                return Ok(());
            }
        };
        let mut note = self.fresh_document(issued, content, totals);
        let acting = Acting::gateway();
        self.insert_document(tx, &mut note, &acting.actor).await?;
        let related = Related::document("credit_note_id", note.id);
        self.append_finance_with(tx, FinanceEvent::Reversed, issued, &acting.actor, related).await?;
        match self.route_on(&mut *tx, &note).await? {
            Route::TaxAuthority => {
                self.intend(tx, &acting, &note, self.now()).await?;
                Ok(())
            }
            Route::Standard => {
                let workspace = workspaces::find(&mut *tx, note.workspace).await?;
                let ready = note.clone().ready_for_standard_issue(IssueDay::today(today))?;
                match number_is_free(tx, &ready, workspace.as_ref()).await {
                    Ok(()) => {}
                    Err(StepError::Issue(error)) => {
                        // The invoice is final all the same; whoever mends the pattern issues the note.
                        tracing::warn!(document.id = %note.id, "{} stays a draft: {error}", note.id);
                        return Ok(());
                    }
                    Err(error) => return Err(error),
                }
                let issued = self.issue_in(tx, &acting, note.id, None, None, None).await?;
                self.append_finance(tx, FinanceEvent::Issued, &issued, &acting.actor).await?;
                self.release_correctives(tx, &issued).await
            }
        }
    }

    /// A draft of another document's workspace, not stored yet.
    pub(crate) fn fresh_document(
        &self,
        beside: &Invoice,
        content: gateway_domain::invoicing::Content,
        totals: gateway_domain::invoicing::Totals,
    ) -> Invoice {
        let now = self.now();
        Invoice {
            id: InvoiceId(self.ids().next()),
            workspace: beside.workspace,
            content,
            totals,
            state: State::Draft,
            send_to_tax_authority: false,
            version: 1,
            created_at: now,
            updated_at: now,
        }
    }

    /// Stores a fresh draft with its references and its event, behind all documents there are.
    pub(crate) async fn insert_document(
        &self,
        tx: &mut Tx,
        draft: &mut Invoice,
        actor: &Actor,
    ) -> Result<(), StoreError> {
        let at = places::next_document(tx, draft.created_at).await?;
        (draft.created_at, draft.updated_at) = (at, at);
        if !invoices::insert(tx, draft).await? {
            return Err(StoreError::Moved { table: "invoice" });
        }
        credits::set_references(tx, draft.id, &draft.content.referenced_document_ids).await?;
        self.append(tx, DocumentEvent::Saved, draft, actor).await
    }
}
