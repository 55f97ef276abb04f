//! Finance's own copy of each document, from the events of the invoice data service (specification, Events 1).

use super::told::{self, ToldAge};
use crate::Gateway;
use crate::events::Source;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::DocumentEvent;
use gateway_storage::events::StoredEvent;
use gateway_storage::finance_documents::{self, DocumentCopy};
use gateway_storage::{StoreError, Tx};

/// Every event of the invoice data service carries the document as it is after it.
pub(super) async fn handle(gateway: &Gateway, tx: &mut Tx, event: &StoredEvent) -> Result<(), StoreError> {
    if event.source != Source::Invoicing.as_str() {
        return Ok(());
    }
    let Some(told) = told::read::<ToldAge>(gateway, event) else { return Ok(()) };
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
