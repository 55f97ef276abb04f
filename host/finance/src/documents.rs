//! Documents as finance shows them: of the invoice data service, wherever it is, or finance's copy.

use crate::ReadError;
use crate::commands::Finance;
use crate::invoice_data::InvoiceData;
use crate::regime::{ForRegime, IdentityError};
use async_trait::async_trait;
use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::ids::{BookingId, InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{Balance, DocumentFilter, DocumentPageKey, Invoice, InvoiceNumber};
use gateway_domain::regime::IdentityMapping;
use gateway_domain_events::StoredEvent;
use gateway_domain_finance::BookingDocument;
use gateway_events::Source;
use gateway_invoicing::{
    DocumentView, Documents, ListedDocuments, Listing, ListingFormat, Page, TimelineEntry,
};
use gateway_read_models::DocumentAge;
use gateway_storage::finance_documents::{self, Age};
use gateway_storage::{booking_documents, events};
use std::collections::HashMap;
use std::sync::Arc;

/// How finance's copies of documents fare: what could not be brought up to date since the process started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FinanceStats {
    /// Copies that could not be brought up to date by the issue flow.
    pub syncs_failed: u64,
    /// Times the event feed of a remote invoice data service could not be read.
    pub feed_failures: u64,
}

/// Documents in lists, wherever they are kept: those of a remote invoice data service are finance's copies of them, which may
/// be late, and nothing is asked of the service. Cheap to clone.
#[derive(Debug, Clone)]
pub struct DocumentLists {
    documents: Documents,
    invoice_data: Arc<dyn InvoiceData>,
}

impl DocumentLists {
    pub(crate) const fn new(documents: Documents, invoice_data: Arc<dyn InvoiceData>) -> Self {
        Self { documents, invoice_data }
    }

    /// A page of documents in the order that the filter says; at most [`gateway_invoicing::PAGE_MAX`].
    pub async fn page(
        &self,
        acting: &Acting,
        filter: &DocumentFilter,
        after: Option<DocumentPageKey>,
        first: usize,
    ) -> Result<Page, StoreError> {
        Ok(Page::of(self.invoice_data.page(acting, filter, after, Page::limit(first)).await?, first))
    }

    /// A list as a file, from its first document to its last.
    pub fn listing(&self, acting: Acting, filter: DocumentFilter, format: ListingFormat) -> Listing {
        Listing::new(Arc::new(self.clone()), acting, filter, format)
    }

    /// How many documents all pages of a list have together.
    pub async fn count(&self, acting: &Acting, filter: &DocumentFilter) -> Result<i64, StoreError> {
        self.invoice_data.count(acting, filter).await
    }

    /// Documents by their ids; those that do not exist for the caller are absent.
    pub async fn by_ids(
        &self,
        acting: &Acting,
        ids: &[InvoiceId],
    ) -> Result<HashMap<InvoiceId, Invoice>, StoreError> {
        let found = self.invoice_data.by_ids(acting, ids).await?;
        Ok(found.into_iter().map(|document| (document.id, document)).collect())
    }

    /// What was given back of documents, and what is left of them. Those of a remote invoice data service are absent: it tells
    /// that itself.
    pub async fn balances(
        &self,
        acting: &Acting,
        ids: &[InvoiceId],
    ) -> Result<HashMap<InvoiceId, Balance>, StoreError> {
        self.invoice_data.balances(&self.invoice_data.by_ids(acting, ids).await?).await
    }

    /// What happened to several documents, at the invoice data service and in the finance service, in order.
    pub async fn timelines(
        &self,
        acting: &Acting,
        ids: &[InvoiceId],
    ) -> Result<HashMap<InvoiceId, Vec<TimelineEntry>>, StoreError> {
        self.documents.timelines(acting, ids).await
    }
}

#[async_trait]
impl ListedDocuments for DocumentLists {
    async fn listed(
        &self,
        acting: &Acting,
        filter: &DocumentFilter,
        after: Option<DocumentPageKey>,
        limit: usize,
    ) -> Result<Vec<Invoice>, StoreError> {
        self.invoice_data.page(acting, filter, after, limit).await
    }

    async fn balances(&self, documents: &[Invoice]) -> Result<HashMap<InvoiceId, Balance>, StoreError> {
        self.invoice_data.balances(documents).await
    }
}

impl Finance {
    /// A document of the invoice data service that finance works with, wherever that is, if the caller may see it.
    pub async fn invoice(&self, acting: &Acting, id: InvoiceId) -> Result<Option<Invoice>, ReadError> {
        self.invoice_data.document(acting, id).await
    }

    /// The last documents of a workspace that got a number, the newest first, without asking a remote service.
    pub async fn last_numbered(
        &self,
        workspace: WorkspaceId,
        limit: i64,
    ) -> Result<Vec<Invoice>, StoreError> {
        self.invoice_data.last_numbered(workspace, limit).await
    }

    /// A document as finance knows it, JSON. The copy may lag behind the invoice data service, but never behind what
    /// finance itself has told of the document: then, and when there is none, the invoice data service is asked.
    pub async fn finance_document(
        &self,
        acting: &Acting,
        id: InvoiceId,
    ) -> Result<Option<String>, ReadError> {
        let copy = finance_documents::find(self.context.db(), id, &acting.workspaces).await?;
        let copied_age = self.copied_age(id).await?;
        let fresh = copy
            .filter(|(age, _)| copied_age.is_none_or(|recorded| *age >= recorded))
            .and_then(|(_, data)| data);
        if let Some(fresh) = fresh {
            return Ok(Some(self.invoice_data.completed(fresh).await?));
        }
        let Some(document) = self.invoice(acting, id).await? else { return Ok(None) };
        self.copies.sync(&document).await;
        Ok(Some(StoreError::json(&DocumentView::from(&document))?))
    }

    /// Finance's events of a document, in order.
    pub async fn finance_events(
        &self,
        acting: &Acting,
        id: InvoiceId,
    ) -> Result<Vec<StoredEvent>, StoreError> {
        events::of_subject(self.context.db(), &acting.workspaces, Source::Finance.as_str(), id).await
    }

    /// The documents of a booking that the caller may see, oldest first; none of a booking that nobody knows.
    pub async fn booking_documents(
        &self,
        acting: &Acting,
        booking: BookingId,
    ) -> Result<Vec<BookingDocument>, StoreError> {
        booking_documents::of_booking(self.context.db(), booking, &acting.workspaces).await
    }

    /// How the recipient of a document is identified to the tax authority of its workspace: what the plugin in force there now
    /// says, whatever the state of the document.
    pub async fn identity(&self, acting: &Acting, id: InvoiceId) -> Result<IdentityMapping, IdentityError> {
        let document = self.invoice_data.document(acting, id).await?.ok_or(IdentityError::Gone)?;
        self.regimes.identity_of(&document).await
    }

    /// A document as its tax regime receives it, without asking a remote service; none when the workspace has no
    /// regime, or no regime takes documents of this kind.
    pub async fn regime_input(
        &self,
        document: &Invoice,
        number: Option<InvoiceNumber>,
    ) -> Result<Option<ForRegime>, ReadError> {
        let referenced = self.invoice_data.referenced_at_hand(document).await?;
        let Some(facts) = self.regimes.facts(document).await? else { return Ok(None) };
        Ok(self.regimes.for_regime(document, &referenced, number, facts).await?)
    }

    /// How finance's copies fare, for the metrics.
    pub fn stats(&self) -> FinanceStats {
        FinanceStats { syncs_failed: self.copies.failures(), feed_failures: self.feed.failures() }
    }

    /// The state of a document that finance last told of.
    async fn copied_age(&self, id: InvoiceId) -> Result<Option<Age>, StoreError> {
        let last = events::last_of_subject(self.context.db(), Source::Finance.as_str(), id).await?;
        let last = last.as_ref().map(events::data::<DocumentAge>).transpose()?;
        Ok(last.map(|document| document.age()))
    }
}
