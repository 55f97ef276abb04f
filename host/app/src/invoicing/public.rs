//! What the public API shows of documents besides the documents themselves, for many at once.

use crate::Gateway;
use gateway_domain::access::{Acting, Actor};
use gateway_domain::finance::Submission;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::Invoice;
use gateway_storage::invoices::Filter;
use gateway_storage::{StoreError, events, invoices, submissions};
use jiff::Timestamp;
use std::collections::HashMap;

/// Something that happened to a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// When.
    pub at: Timestamp,
    /// What: the CloudEvents type.
    pub event: String,
    /// By whom.
    pub actor: Actor,
}

impl Gateway {
    /// How many documents all pages of a list have together.
    pub async fn documents_count(&self, acting: &Acting, filter: &Filter) -> Result<i64, StoreError> {
        invoices::count(self.db(), &acting.workspaces, filter).await
    }

    /// Documents by their ids; those that do not exist for the caller are absent. One statement.
    pub async fn documents_by_ids(
        &self,
        acting: &Acting,
        ids: &[InvoiceId],
    ) -> Result<HashMap<InvoiceId, Invoice>, StoreError> {
        let found = invoices::by_ids(self.db(), &acting.workspaces, ids).await?;
        Ok(found.into_iter().map(|invoice| (invoice.id, invoice)).collect())
    }

    /// What happened to several documents, at the invoice data service and in finance, in order. One statement.
    pub async fn timelines(
        &self,
        acting: &Acting,
        ids: &[InvoiceId],
    ) -> Result<HashMap<InvoiceId, Vec<Told>>, StoreError> {
        let mut timelines: HashMap<InvoiceId, Vec<Told>> = HashMap::new();
        for event in events::of_subjects(self.db(), &acting.workspaces, ids).await? {
            let told = Told { at: event.time, event: event.kind, actor: event.actor };
            timelines.entry(InvoiceId(event.subject)).or_default().push(told);
        }
        Ok(timelines)
    }

    /// The submissions of several documents. One statement.
    pub async fn submissions_of(
        &self,
        acting: &Acting,
        ids: &[InvoiceId],
    ) -> Result<HashMap<InvoiceId, Submission>, StoreError> {
        let found = submissions::of_documents(self.db(), ids, &acting.workspaces).await?;
        Ok(found.into_iter().map(|submission| (submission.document, submission)).collect())
    }
}
