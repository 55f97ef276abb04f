//! Booking documents read model, from the events of both services (specification, Events 4).
//!
//! Every event carries the document as it is after it, so the newest one tells a row whole:
//!
//! | event | `issuing_started_at` | rejection time and reason |
//! |---|---|---|
//! | Issuing | set | cleared |
//! | AcceptedByTaxAuthority, Issued | cleared | cleared |
//! | RejectedByTaxAuthority | cleared | set |
//!
//! The invoice data service tells the same of documents that are moved without finance.

use crate::document::{self, EventDocument};
use async_trait::async_trait;
use gateway_domain::StoreError;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::DocumentEvent;
use gateway_domain_events::{DocumentRange, EventSelection, StoredEvent};
use gateway_domain_finance::BookingDocument;
use gateway_domain_finance::FinanceEvent;
use gateway_events::{Consumer, Events, ReadModel, Source};
use gateway_storage::Tx;
use gateway_storage::booking_documents;

/// Keeps the booking documents.
#[derive(Debug)]
pub struct BookingDocuments(Events);

impl BookingDocuments {
    /// Under which its position is kept.
    pub const NAME: &'static str = "booking-documents";

    /// Reads this log.
    pub const fn new(events: Events) -> Self {
        Self(events)
    }
}

#[async_trait]
impl Consumer for BookingDocuments {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn selection(&self) -> EventSelection {
        EventSelection::Documents
    }

    async fn handle(&self, tx: &mut Tx, events: &[StoredEvent]) -> Result<(), StoreError> {
        let documents: Vec<_> = events.iter().filter_map(|event| document_of(&self.0, event)).collect();
        booking_documents::keep(tx, &documents).await.map(drop)
    }

    fn read_model(&self) -> Option<&dyn ReadModel> {
        Some(self)
    }
}

#[async_trait]
impl ReadModel for BookingDocuments {
    async fn clear(&self, tx: &mut Tx, documents: DocumentRange) -> Result<(), StoreError> {
        booking_documents::clear(tx, documents).await
    }
}

/// The document of an event that tells of one.
fn document_of(log: &Events, event: &StoredEvent) -> Option<BookingDocument> {
    if !is_of_document(event) {
        return None;
    }
    let read = document::read::<EventDocument>(log, event)?;
    let deleted = event.kind == DocumentEvent::Deleted.as_str();
    let rejected = read.rejected_by_tax_authority_at.zip(read.rejection_reason);
    Some(BookingDocument {
        document: InvoiceId(event.subject),
        workspace: event.workspace,
        booking: read.booking_id.filter(|_| !deleted),
        document_type: read.document_type,
        status: read.status,
        number: read.display_document_number,
        issue_date: read.issue_date,
        currency: read.currency,
        payable: read.totals.payable,
        issuing_started_at: read.issuing_at.filter(|_| rejected.is_none()),
        issued_at: read.issued_at,
        rejected_by_tax_authority: rejected,
        version: read.version,
        created_at: read.created_at,
        updated_at: read.updated_at,
    })
}

/// The invoice data service tells of documents and nothing else; finance tells of other things too.
fn is_of_document(event: &StoredEvent) -> bool {
    let told_by_finance = [
        FinanceEvent::Issuing,
        FinanceEvent::Issued,
        FinanceEvent::AcceptedByTaxAuthority,
        FinanceEvent::RejectedByTaxAuthority,
    ];
    event.source == Source::Invoicing.as_str()
        || (event.source == Source::Finance.as_str()
            && told_by_finance.iter().any(|kind| kind.as_str() == event.kind))
}
