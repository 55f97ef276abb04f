//! What myDATA, and the structured format with its add-on, demand of any document.

use einvoice_eu::check::Rules;
use einvoice_plugin::{Amount, DocumentKind, Invoice};

use crate::tables::{EXEMPTIONS, RATES, vat_category};
use crate::types::corrects_receipts;

fn rate_refused(percent: Amount) -> Option<String> {
    if vat_category(percent).is_some() {
        return None;
    }
    let message = if percent.is_zero() {
        "Greece has no VAT of 0 %; name the exemption instead."
    } else {
        "myDATA takes VAT of 24, 13 and 6 %, and of 17, 9 and 4 % on islands; correct the rate."
    };
    Some(message.to_owned())
}

/// Whether a document goes out without recipient: retail.
fn anonymous(invoice: &Invoice) -> bool {
    invoice.kind == DocumentKind::SimplifiedInvoice || corrects_receipts(invoice)
}

/// What myDATA demands of any document; [`RETAIL_RULES`] of those to consumers.
pub(crate) const RULES: Rules = Rules {
    country: "GR",
    system: "myDATA",
    currency: Some("EUR"),
    kinds: &[
        DocumentKind::Invoice,
        DocumentKind::SimplifiedInvoice,
        DocumentKind::CreditNote,
        DocumentKind::DebitNote,
    ],
    name_chars_max: 200,
    description_chars_max: 1000,
    number_chars_max: 64,
    notes_chars_max: 1000,
    // `AmountType`.
    total_digits_max: 13,
    latin1: false,
    first_issue_date: None,
    future_refused: true,
    supplier_address: Some(&["street", "locality", "postcode", "country"]),
    recipient_address: Some(&["locality", "postcode", "country"]),
    anonymous,
    rates: RATES,
    rate_refused,
    exemptions: EXEMPTIONS,
    retentions: &[],
};

/// Nobody asks for a consumer's address.
pub(crate) const RETAIL_RULES: Rules = Rules { recipient_address: None, ..RULES };
