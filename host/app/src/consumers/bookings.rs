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

use super::told::{self, ToldDocument};
use crate::Gateway;
use crate::events::Source;
use gateway_domain::finance::FinanceEvent;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::DocumentEvent;
use gateway_storage::booking_documents::{self, BookingDocument};
use gateway_storage::events::StoredEvent;
use gateway_storage::{StoreError, Tx};

pub(super) async fn handle(gateway: &Gateway, tx: &mut Tx, event: &StoredEvent) -> Result<(), StoreError> {
    if !tells_of_document(event) {
        return Ok(());
    }
    let Some(told) = told::read::<ToldDocument>(gateway, event) else { return Ok(()) };
    let deleted = event.kind == DocumentEvent::Deleted.as_str();
    let rejected = told.rejected_by_tax_authority_at.zip(told.rejection_reason);
    let document = BookingDocument {
        document: InvoiceId(event.subject),
        workspace: event.workspace,
        booking: told.booking_id.filter(|_| !deleted),
        document_type: told.document_type,
        status: told.status,
        number: told.display_document_number,
        issue_date: told.issue_date,
        currency: told.currency,
        payable: told.totals.payable,
        issuing_started_at: told.issuing_at.filter(|_| rejected.is_none()),
        issued_at: told.issued_at,
        rejected_by_tax_authority: rejected,
        version: told.version,
        created_at: told.created_at,
        updated_at: told.updated_at,
    };
    booking_documents::keep(tx, &document).await?;
    Ok(())
}

/// The invoice data service tells of documents and nothing else; finance tells of other things too.
fn tells_of_document(event: &StoredEvent) -> bool {
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
