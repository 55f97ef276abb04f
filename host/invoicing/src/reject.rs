//! Reject, the third of the RPC calls (specification, "Invoice data service RPC endpoints").

use crate::{Documents, Invoicing};
use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Invoice, NotRejectable, Rejection};
use gateway_storage::{Tx, idempotency, invoices};

/// Why a document was not rejected.
#[derive(Debug, thiserror::Error)]
pub enum RejectError {
    /// There is no such document.
    #[error("there is no such document")]
    Gone,
    /// It is in the wrong state.
    #[error(transparent)]
    NotRejectable(#[from] NotRejectable),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Invoicing {
    /// Moves an issuing document to rejected. Idempotent: a second call keeps the first reason and time.
    pub async fn reject(
        &self,
        acting: &Acting,
        id: InvoiceId,
        reason: String,
    ) -> Result<Invoice, RejectError> {
        let mut tx = self.documents.db().begin().await?;
        let document = invoices::lock(&mut tx, id, &acting.workspaces).await?.ok_or(RejectError::Gone)?;
        let invoice = self.documents.reject_in(&mut tx, acting, document, reason).await?;
        self.follow_ups.after_rejection(&mut tx, &invoice).await?;
        tx.commit_at("rejected").await?;
        Ok(invoice)
    }
}

impl Documents {
    /// [`Invoicing::reject`] as part of a transaction that holds the document. What follows from it is left to the caller, who
    /// first tells that the document is rejected.
    pub async fn reject_in(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        document: Invoice,
        reason: String,
    ) -> Result<Invoice, RejectError> {
        let before = document.clone();
        let now = self.now();
        match document.reject(reason, now)? {
            Rejection::Before => {
                idempotency::claim_request(tx, acting.request.as_ref(), now).await?;
                Ok(before)
            }
            Rejection::Now(rejected) => {
                idempotency::claim_request(tx, acting.request.as_ref(), now).await?;
                Ok(self.put_transition(tx, *rejected, before.version, &acting.actor).await?)
            }
        }
    }
}
