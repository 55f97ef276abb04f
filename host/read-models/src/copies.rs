//! Finance's own copy of each document, from the events of the invoice data service (specification, Events 1).

use crate::document::{self, DocumentAge};
use async_trait::async_trait;
use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{DocumentEvent, Invoice};
use gateway_domain_events::{DocumentRange, EventSelection, StoredEvent};
use gateway_events::{Consumer, Events, ReadModel, Source};
use gateway_invoicing::DocumentView;
use gateway_storage::finance_documents::{self, DocumentCopy, UnlistedCopy};
use gateway_storage::{Db, Tx, invoices};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Keeps finance's copies of documents.
#[derive(Debug)]
pub struct FinanceDocuments(Events);

impl FinanceDocuments {
    /// Under which its position is kept.
    pub const NAME: &'static str = "finance-documents";

    /// Reads this log.
    pub const fn new(events: Events) -> Self {
        Self(events)
    }
}

#[async_trait]
impl Consumer for FinanceDocuments {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn selection(&self) -> EventSelection {
        EventSelection::Documents
    }

    async fn handle(&self, tx: &mut Tx, events: &[StoredEvent]) -> Result<(), StoreError> {
        let copies: Vec<_> = events.iter().filter_map(|event| copy_of(&self.0, event)).collect();
        finance_documents::keep(tx, &copies).await.map(drop)
    }

    fn read_model(&self) -> Option<&dyn ReadModel> {
        Some(self)
    }
}

#[async_trait]
impl ReadModel for FinanceDocuments {
    async fn clear(&self, tx: &mut Tx, documents: DocumentRange) -> Result<(), StoreError> {
        finance_documents::clear(tx, documents).await
    }
}

/// What happens to a document without any change of its content. An issue may change it: an authority may hold an earlier state.
const WITH_THE_SAME_RECIPIENT: [&str; 2] =
    [DocumentEvent::Issuing.as_str(), DocumentEvent::Rejected.as_str()];

/// Every event of the invoice data service carries the document as it is after it.
fn copy_of(log: &Events, event: &StoredEvent) -> Option<DocumentCopy> {
    if event.source != Source::Invoicing.as_str() {
        return None;
    }
    let state = document::read::<DocumentAge>(log, event)?;
    let deleted = event.kind == DocumentEvent::Deleted.as_str();
    let data = (!deleted).then(|| event.data.clone());
    Some(DocumentCopy {
        document: InvoiceId(event.subject),
        workspace: event.workspace,
        age: state.age(),
        listed_by: data.as_deref().and_then(document::listed_by),
        data,
        recipient_may_differ: !WITH_THE_SAME_RECIPIENT.contains(&event.kind.as_str()),
        updated_at: event.time,
    })
}

/// What lists find the copies by that a process of an older release keeps while replicas are replaced: it knows no such values.
/// Says how many copies it was, at most `limit`.
pub async fn list_copies(db: &Db, limit: i64) -> Result<usize, StoreError> {
    let unlisted = finance_documents::unlisted(db, limit).await?;
    if unlisted.is_empty() {
        return Ok(0);
    }
    let mut tx = db.begin().await?;
    for copy in &unlisted {
        let UnlistedCopy { data, .. } = copy;
        let listed_by = data.as_deref().and_then(document::listed_by);
        finance_documents::list(&mut tx, copy, listed_by.as_ref()).await?;
    }
    tx.commit_at("copies-listed").await?;
    Ok(unlisted.len())
}

/// The same of documents that are kept here.
pub async fn list_documents(db: &Db, limit: i64) -> Result<usize, StoreError> {
    let found = invoices::without_filters(db, limit).await?;
    if found.is_empty() {
        return Ok(0);
    }
    let mut tx = db.begin().await?;
    for document in &found {
        invoices::set_filters(&mut tx, document).await?;
    }
    tx.commit_at("documents-listed").await?;
    Ok(found.len())
}

/// Finance's copies of documents, beside the event feed. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Copies {
    db: Db,
    failures: Arc<AtomicU64>,
}

impl Copies {
    /// The copies in `db`.
    pub fn new(db: Db) -> Self {
        Self { db, failures: Arc::default() }
    }

    /// How often a copy could not be brought up to date by [`Copies::sync`] since the process started.
    pub fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    /// Brings finance's copy up to date with what was just read. Best effort: a failure is logged and counted, and
    /// the event feed makes up for it.
    pub async fn sync(&self, document: &Invoice) {
        if let Err(error) = self.keep(document).await {
            self.failures.fetch_add(1, Ordering::Relaxed);
            tracing::warn!(
                error = &error as &dyn std::error::Error, document.id = %document.id,
                "Finance's copy of {} was not brought up to date, its events will do that: {error}", document.id
            );
        }
    }

    async fn keep(&self, document: &Invoice) -> Result<(), StoreError> {
        let age = (document.created_at, document.version);
        let found = finance_documents::find(&self.db, document.id, &Acting::gateway().workspaces).await?;
        if found.is_some_and(|(copied, _)| copied >= age) {
            return Ok(());
        }
        let data = StoreError::json(&DocumentView::from(document))?;
        let copy = DocumentCopy {
            document: document.id,
            workspace: document.workspace,
            age,
            listed_by: document::listed_by(&data),
            data: Some(data),
            recipient_may_differ: true,
            updated_at: document.updated_at,
        };
        let mut tx = self.db.begin().await?;
        finance_documents::keep(&mut tx, &[copy]).await?;
        tx.commit_at("copy-kept").await
    }
}
