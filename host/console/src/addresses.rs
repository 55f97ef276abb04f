//! What the parts of an address name.

use crate::errors::PageError;
use gateway_domain::ids::InvoiceId;

/// The document that a path names.
pub(crate) fn document_id(text: &str) -> Result<InvoiceId, PageError> {
    text.parse().map_err(|_| PageError::not_found("there is no such document"))
}
