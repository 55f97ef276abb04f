//! Finance's own copy of each document, from the events of the invoice data service (specification, Events 1).

use super::document::{self, DocumentAge};
use async_trait::async_trait;
use gateway_domain::StoreError;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::DocumentEvent;
use gateway_domain_platform::events::{DocumentRange, EventSelection, StoredEvent};
use gateway_events::{Consumer, Events, ReadModel, Source};
use gateway_storage::Tx;
use gateway_storage::finance_documents::{self, DocumentCopy};

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
        for event in events {
            keep(&self.0, tx, event).await?;
        }
        Ok(())
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

/// Every event of the invoice data service carries the document as it is after it.
async fn keep(log: &Events, tx: &mut Tx, event: &StoredEvent) -> Result<(), StoreError> {
    if event.source != Source::Invoicing.as_str() {
        return Ok(());
    }
    let Some(told) = document::read::<DocumentAge>(log, event) else { return Ok(()) };
    let deleted = event.kind == DocumentEvent::Deleted.as_str();
    let copy = DocumentCopy {
        document: InvoiceId(event.subject),
        workspace: event.workspace,
        age: told.age(),
        data: (!deleted).then(|| event.data.clone()),
        updated_at: event.time,
    };
    finance_documents::keep(tx, &copy).await?;
    Ok(())
}
