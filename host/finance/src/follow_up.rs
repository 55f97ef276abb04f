//! What follows from a document that has just become issued or rejected: rejection strategy B (specification, Rules 6). A
//! rejected invoice gets a corrective draft beside it. The rejected invoice is mended until it is issued, then it is credited
//! in full, and only then the corrective may be issued.

use crate::context::Context;
use crate::record::Recorder;
use gateway_domain::StoreError;
use gateway_domain::access::Actor;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{
    CreditNoteTotals, DocumentKind, Invoice, NotCreditable, Status, credit_date,
};
use gateway_domain::workspace::RejectionStrategy;
use gateway_domain_finance::{FinanceEvent, FollowUpDraft, Plan};
use gateway_storage::correctives::Correctives;
use gateway_storage::{Executor, Tx, workspaces};

/// What is known of a document that has just moved, where documents are kept: what follows is decided from it.
#[derive(Debug, Default)]
pub(crate) struct FollowUpFacts {
    /// The correctives that may go now, by the original that they correct; with the draft, if it is still there.
    pub(crate) released: Vec<(InvoiceId, Option<Invoice>)>,
    /// What is to be written beside it.
    pub(crate) draft: Option<FollowUpDraft>,
    /// What its credit notes take of it, where one is to be written.
    pub(crate) credited: Vec<CreditNoteTotals>,
}

/// Sets correctives free that waited for a credit note which has just become issued.
pub(crate) async fn release_correctives(
    recorder: &Recorder,
    tx: &mut Tx,
    correctives: &Correctives,
    released: &[(InvoiceId, Option<Invoice>)],
) -> Result<(), StoreError> {
    for (original, draft) in released {
        if correctives.release(tx, *original, recorder.context.now()).await?
            && let Some(draft) = draft
        {
            let event = FinanceEvent::CorrectiveReleased;
            recorder.append(tx, event, draft, &Actor::gateway()).await?;
        }
    }
    Ok(())
}

/// What is written beside a document that has just moved. An invoice that somebody credited in part already is left to that
/// somebody: issuing the rest of the credit notes sets the corrective free.
pub(crate) async fn follow_up_plan(
    context: &Context,
    on: impl Into<Executor<'_>>,
    moved: &Invoice,
    facts: &FollowUpFacts,
) -> Result<Option<Plan>, StoreError> {
    let new_document = || InvoiceId(context.ids().next());
    match facts.draft {
        Some(FollowUpDraft::Corrective) => Ok(Some(Plan::corrective(moved, new_document(), context.now()))),
        Some(FollowUpDraft::CreditNote) => {
            let workspace = workspaces::find(on, moved.workspace).await?;
            let today = context.documents().issue_day(None, workspace.as_ref()).day();
            let day = credit_date(moved, today);
            let plan = Plan::full_credit_note(moved, &facts.credited, day, new_document(), context.now());
            Ok(plan.inspect_err(|error| not_credited(moved, error)).ok())
        }
        None => Ok(None),
    }
}

fn not_credited(moved: &Invoice, error: &NotCreditable) {
    tracing::warn!(document.id = %moved.id, "{} is not credited by itself: {error}", moved.id);
}

/// What is to be written beside a document that has just moved.
pub(crate) async fn follow_up_of(
    on: impl Into<Executor<'_>>,
    correctives: &Correctives,
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
        (Status::Draft | Status::Issuing, _)
        | (_, DocumentKind::CreditNote | DocumentKind::Proforma | DocumentKind::Receipt) => Ok(None),
    }
}
