//! What follows from a verdict or an issue elsewhere: read before the transaction that records it, planned as an intent in it.

use super::{InvoiceData as _, RemoteInvoiceData};
use crate::error::ReadError;
use crate::follow_up::{FollowUpDraft, released_by};
use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::Invoice;
use gateway_domain_finance::Plan;
use gateway_storage::correctives::REMOTE;
use gateway_storage::{Tx, intents};

/// What follows, as far as it had to be read elsewhere.
#[derive(Debug, Default)]
pub(super) struct FollowUp {
    /// Corrective drafts that may go now, by the original they correct.
    released: Vec<(InvoiceId, Invoice)>,
    /// A document that is written beside the one that moved, and the credit notes that were counted for it.
    follow_up: Option<(Plan, Vec<InvoiceId>)>,
}

/// What became of what follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FollowUpResult {
    /// It is recorded.
    Done,
    /// It is recorded, and the intent of this document goes on.
    Intent(InvoiceId),
    /// Another command on the document is on its way, or changed what was counted.
    Waits,
}

impl FollowUpResult {
    /// The document whose intent goes on.
    pub(super) const fn intent(self) -> Option<InvoiceId> {
        match self {
            Self::Intent(document) => Some(document),
            Self::Done | Self::Waits => None,
        }
    }
}

impl RemoteInvoiceData<'_> {
    /// What follows from a document that has just become issued or rejected.
    pub(super) async fn follow_up(&self, moved: &Invoice) -> Result<FollowUp, ReadError> {
        let (finance, by) = (self.finance, Acting::gateway());
        let mut follow_up = FollowUp::default();
        for original in released_by(moved) {
            let waiting = REMOTE.of(finance.db(), *original).await?;
            let Some(waiting) = waiting.filter(|corrective| corrective.blocked) else { continue };
            let draft = self.document(&by, waiting.document).await?;
            follow_up.released.extend(draft.map(|draft| (*original, draft)));
        }
        let Some(wanted) = finance.follow_up_of(finance.db(), REMOTE, moved).await? else {
            return Ok(follow_up);
        };
        let (mut counted, mut credited) = (Vec::new(), Vec::new());
        if wanted == FollowUpDraft::CreditNote {
            counted = intents::notes(finance.db(), moved.id, moved.workspace).await?;
            credited = self.credited(&by, &counted).await?;
        }
        if credited.len() < counted.len() {
            tracing::warn!(document.id = %moved.id, "{} is not credited by itself: another credit note is on its way", moved.id);
            return Ok(follow_up);
        }
        let plan = finance.follow_up_plan(finance.db(), moved, wanted, &credited).await?;
        follow_up.follow_up = plan.map(|plan| (plan, counted));
        Ok(follow_up)
    }

    /// Records what follows. A caller that did not lock the document rolls back when it has to wait for the lock.
    pub(super) async fn apply_follow_up(
        &self,
        tx: &mut Tx,
        moved: &Invoice,
        FollowUp { released, follow_up }: FollowUp,
    ) -> Result<FollowUpResult, StoreError> {
        for (original, draft) in &released {
            self.finance.release(tx, REMOTE, *original, Some(draft)).await?;
        }
        let Some((plan, counted)) = follow_up else { return Ok(FollowUpResult::Done) };
        let by = Acting::gateway();
        let Some(mut lock) = self.begin_lock(tx, &by, moved).await? else { return Ok(FollowUpResult::Waits) };
        if intents::notes(&mut *tx, moved.id, moved.workspace).await? != counted {
            self.release_lock(tx, &lock).await?;
            return Ok(FollowUpResult::Waits);
        }
        self.intend(tx, &by, &mut lock, plan).await?;
        Ok(FollowUpResult::Intent(moved.id))
    }
}
