//! Documents as they are read: one, a page, many at once, and what happened to them.

use crate::{Documents, Listing, ListingFormat};
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Actor};
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{
    Balance, DocumentFilter, DocumentPageKey, Invoice, RateReportRow, ReportRow, ReportScope, Status,
};
use gateway_storage::credits::CreditsAndRefunds;
use gateway_storage::{Corrupt, credits, events, invoice_lists, invoices, reports};
use jiff::Timestamp;
use std::collections::HashMap;
use std::sync::Arc;

/// Most documents of one page.
pub const PAGE_MAX: usize = 25;

/// Documents of a page, and whether there are more behind them.
#[derive(Debug, Clone)]
pub struct Page {
    /// In the order of the list, at most [`PAGE_MAX`].
    pub nodes: Vec<Invoice>,
    /// Whether another page follows.
    pub has_next: bool,
}

impl Page {
    /// How many documents a page is read from that shows at most `first`, and at most [`PAGE_MAX`]: one more than it shows.
    pub fn limit(first: usize) -> usize {
        first.clamp(1, PAGE_MAX).saturating_add(1)
    }

    /// A page of the first documents of a list, of which [`Page::limit`] were read.
    pub fn of(mut nodes: Vec<Invoice>, first: usize) -> Self {
        let has_next = nodes.len() >= Self::limit(first);
        nodes.truncate(first.clamp(1, PAGE_MAX));
        Self { nodes, has_next }
    }

    /// Where the next page starts.
    pub fn end(&self) -> Option<DocumentPageKey> {
        self.nodes.last().map(|last| (last.created_at, last.id))
    }
}

/// Something that happened to a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimelineEntry {
    /// CloudEvents time, UTC.
    pub at: Timestamp,
    /// What: the CloudEvents type.
    pub event: String,
    /// The end user, the client or the gateway itself.
    pub actor: Actor,
}

/// How many documents of a workspace are in a state, and since when the oldest waits for the authority.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentCount {
    /// The workspace of the documents.
    pub workspace: WorkspaceId,
    /// The state, as storage has it: a process of a later release may have written one that this one does not know.
    pub status: String,
    /// How many of its documents are in this state.
    pub documents: i64,
    /// When the first of those in Issuing entered it.
    pub issuing_since: Option<Timestamp>,
}

impl From<invoice_lists::DocumentCount> for DocumentCount {
    fn from(stored: invoice_lists::DocumentCount) -> Self {
        let invoice_lists::DocumentCount { workspace, status, documents, issuing_since } = stored;
        Self { workspace, status, documents, issuing_since }
    }
}

impl Documents {
    /// A document, if the caller may see it.
    pub async fn find(&self, acting: &Acting, id: InvoiceId) -> Result<Option<Invoice>, StoreError> {
        invoices::find(self.db(), id, &acting.workspaces).await
    }

    /// A page of documents in the order that the filter says; at most [`PAGE_MAX`].
    pub async fn page(
        &self,
        acting: &Acting,
        filter: &DocumentFilter,
        after: Option<DocumentPageKey>,
        first: usize,
    ) -> Result<Page, StoreError> {
        Ok(Page::of(self.listed(acting, filter, after, Page::limit(first)).await?, first))
    }

    /// At most `limit` documents after a place, in the order that the filter says.
    pub async fn listed(
        &self,
        acting: &Acting,
        filter: &DocumentFilter,
        after: Option<DocumentPageKey>,
        limit: usize,
    ) -> Result<Vec<Invoice>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        invoice_lists::page(self.db(), &acting.workspaces, filter, after, limit).await
    }

    /// A list as a file, from its first document to its last.
    pub fn listing(&self, acting: Acting, filter: DocumentFilter, format: ListingFormat) -> Listing {
        Listing::new(Arc::new(self.clone()), acting, filter, format)
    }

    /// How many documents all pages of a list have together.
    pub async fn count(&self, acting: &Acting, filter: &DocumentFilter) -> Result<i64, StoreError> {
        invoice_lists::count(self.db(), &acting.workspaces, filter).await
    }

    /// Documents by their ids; those that do not exist for the caller are absent. One statement.
    pub async fn by_ids(&self, acting: &Acting, ids: &[InvoiceId]) -> Result<Vec<Invoice>, StoreError> {
        invoices::by_ids(self.db(), &acting.workspaces, ids).await
    }

    /// The last documents of a workspace that got a number, the newest first.
    pub async fn last_numbered(
        &self,
        workspace: WorkspaceId,
        limit: i64,
    ) -> Result<Vec<Invoice>, StoreError> {
        invoice_lists::numbered(self.db(), workspace, limit).await
    }

    /// What happened to several documents, here and in the finance service, in order. One statement.
    pub async fn timelines(
        &self,
        acting: &Acting,
        ids: &[InvoiceId],
    ) -> Result<HashMap<InvoiceId, Vec<TimelineEntry>>, StoreError> {
        let mut timelines: HashMap<InvoiceId, Vec<TimelineEntry>> = HashMap::new();
        for event in events::of_subjects(self.db(), &acting.workspaces, ids).await? {
            let entry = TimelineEntry { at: event.time, event: event.kind, actor: event.actor };
            timelines.entry(InvoiceId(event.subject)).or_default().push(entry);
        }
        Ok(timelines)
    }

    /// What is left of several documents that the caller may see. Two statements; none where nothing was ever issued.
    pub async fn balances(&self, documents: &[Invoice]) -> Result<HashMap<InvoiceId, Balance>, StoreError> {
        let issued = documents.iter().filter(|document| document.state.status() == Status::Issued);
        let ids: Vec<InvoiceId> = issued.map(|document| document.id).collect();
        let given = if ids.is_empty() {
            CreditsAndRefunds::default()
        } else {
            credits::credits_and_refunds(self.db(), &ids).await?
        };
        let of = |document: &Invoice| {
            let key = (document.id, document.workspace);
            let (notes, refunds) = (given.credit_notes.get(&key), given.refunds.get(&key));
            let balance = Balance::of(
                document,
                notes.map(Vec::as_slice).unwrap_or_default(),
                refunds.map(Vec::as_slice).unwrap_or_default(),
            );
            // Amounts that were summed before, in the same way, when they were given back.
            let damaged = |error| Corrupt::new("invoice", document.id, "totals", error);
            Ok::<_, StoreError>((document.id, balance.map_err(damaged)?))
        };
        documents.iter().map(of).collect()
    }

    /// What the issued documents of a workspace come to, month by month. A workspace that the caller may not see has none.
    pub async fn totals_by_month(
        &self,
        acting: &Acting,
        scope: ReportScope,
    ) -> Result<Vec<ReportRow>, StoreError> {
        if !acting.workspaces.contain(scope.workspace) {
            return Ok(Vec::new());
        }
        reports::by_month(self.db(), scope).await
    }

    /// What all documents of a workspace come to, state by state, likewise.
    pub async fn totals_by_status(
        &self,
        acting: &Acting,
        scope: ReportScope,
    ) -> Result<Vec<ReportRow>, StoreError> {
        if !acting.workspaces.contain(scope.workspace) {
            return Ok(Vec::new());
        }
        reports::by_status(self.db(), scope).await
    }

    /// What the breakdowns of the issued documents of a workspace come to, likewise.
    pub async fn totals_by_rate(
        &self,
        acting: &Acting,
        scope: ReportScope,
    ) -> Result<Vec<RateReportRow>, StoreError> {
        if !acting.workspaces.contain(scope.workspace) {
            return Ok(Vec::new());
        }
        reports::by_rate(self.db(), scope).await
    }

    /// How many documents are in which state, for the metrics.
    pub async fn counts_by_status(&self) -> Result<Vec<DocumentCount>, StoreError> {
        let counts = invoice_lists::counts_by_status(self.db()).await?;
        Ok(counts.into_iter().map(DocumentCount::from).collect())
    }
}
