//! A document for whoever looks.

use crate::errors::PageError;
use crate::session::Viewer;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::Invoice;
use gateway_finance::Finance;

/// The document for whoever may see it.
pub(crate) async fn find(finance: &Finance, viewer: &Viewer, id: InvoiceId) -> Result<Invoice, PageError> {
    finance.invoice(&viewer.acting(), id).await?.ok_or_else(|| {
        PageError::not_found("there is no such document, or your client may not see its workspace")
    })
}
