//! What follows from a verdict or an issue at a remote service: read before the transaction that records it, planned as an
//! intent in it.

use super::{InvoiceData as _, RemoteInvoiceData};
use crate::error::ReadError;
use crate::follow_up::{FollowUpFacts, follow_up_of, follow_up_plan, release_correctives};
use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::Invoice;
use gateway_domain_finance::{FollowUpDraft, released_by};
use gateway_storage::correctives::REMOTE;
use gateway_storage::{Tx, intents};

/// What follows, as far as it had to be read at the service.
#[derive(Debug, Default)]
pub(super) struct RemoteFollowUp {
    facts: FollowUpFacts,
    /// The credit notes that were counted for the document.
    counted: Vec<InvoiceId>,
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

impl RemoteInvoiceData {
    /// Reads what decides about what follows from a document that has just become issued or rejected.
    pub(super) async fn follow_up_facts(&self, moved: &Invoice) -> Result<RemoteFollowUp, ReadError> {
        let by = Acting::gateway();
        let mut read = RemoteFollowUp::default();
        for original in released_by(moved) {
            let waiting = REMOTE.of(self.context.db(), *original).await?;
            let Some(waiting) = waiting.filter(|corrective| corrective.blocked) else { continue };
            if let Some(draft) = self.document(&by, waiting.document).await? {
                read.facts.released.push((*original, Some(draft)));
            }
        }
        let mut draft = follow_up_of(self.context.db(), &REMOTE, moved).await?;
        if draft == Some(FollowUpDraft::CreditNote) {
            read.counted = intents::notes(self.context.db(), moved.id, moved.workspace).await?;
            read.facts.credited = self.credited(&by, &read.counted).await?;
            if read.facts.credited.len() < read.counted.len() {
                tracing::warn!(document.id = %moved.id, "{} is not credited by itself: another credit note is on its way", moved.id);
                draft = None;
            }
        }
        read.facts.draft = draft;
        Ok(read)
    }

    /// Records what follows. A caller that did not lock the document rolls back when it has to wait for the lock.
    pub(super) async fn follow(
        &self,
        tx: &mut Tx,
        moved: &Invoice,
        read: &RemoteFollowUp,
    ) -> Result<FollowUpResult, StoreError> {
        release_correctives(&self.recorder, tx, &REMOTE, &read.facts.released).await?;
        let plan = follow_up_plan(&self.context, &mut *tx, moved, &read.facts).await?;
        let Some(plan) = plan else { return Ok(FollowUpResult::Done) };
        let by = Acting::gateway();
        let Some(mut lock) = self.begin_lock(tx, &by, moved).await? else { return Ok(FollowUpResult::Waits) };
        if intents::notes(&mut *tx, moved.id, moved.workspace).await? != read.counted {
            self.release_lock(tx, &lock).await?;
            return Ok(FollowUpResult::Waits);
        }
        self.write_intent(tx, &by, &mut lock, plan).await?;
        Ok(FollowUpResult::Intent(moved.id))
    }
}
