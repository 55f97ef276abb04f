//! The beginning and the end of every conversion.

use einvoice_plugin::{Document, Fault, Faults, Invoice};

use crate::codes::{KIND, NUMBER_MISSING, full_code};
use crate::format;

/// The number that was reserved for a document, or the fault of one that has none. `prefix` goes before the code.
pub fn issued_number<'a>(invoice: &'a Invoice, prefix: &str) -> Result<&'a str, Faults> {
    invoice.number.as_deref().ok_or_else(|| {
        let message = "The invoice has no number yet; issue it, which reserves one, and convert it then.";
        vec![Fault::error(full_code(prefix, NUMBER_MISSING), "/display_document_number", message)]
    })
}

/// A finished document, as a plugin hands it over. `prefix` goes before the code of its fault.
pub fn json_document(
    document: &format::Invoice<'_>,
    invoice: &Invoice,
    prefix: &str,
) -> Result<Document, Faults> {
    let json = crate::write(document).map_err(|error| {
        let message = format!("The document cannot be written as JSON: {error}.");
        vec![Fault::error(full_code(prefix, KIND), "", message)]
    })?;
    Ok(Document::json(json, invoice.totals.payable))
}
