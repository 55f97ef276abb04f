//! What the agency demands of an invoice.

use einvoice_es::doc_type::DocType;
use einvoice_es::nif::Nif;
use einvoice_es::stored::{Invoice, Party, Rate};

use crate::answers::{FIELD_MISSING, WRONG_VALUE};
use crate::codes::{EXT_CORRECTION_TYPE, EXT_DOC_TYPE, EXT_EXEMPT, EXT_IDENTITY_TYPE, EXT_REGIME, GENERAL};

/// The code of the first rule that an invoice breaks.
pub(super) fn violation(invoice: &Invoice) -> Option<&'static str> {
    let Some(code) = invoice.code_of(EXT_DOC_TYPE) else { return Some(FIELD_MISSING) };
    let Some(doc_type) = DocType::of_code(code) else { return Some(WRONG_VALUE) };
    match (doc_type.is_correction(), invoice.code_of(EXT_CORRECTION_TYPE)) {
        (true, None) => return Some(FIELD_MISSING),
        (true, Some("S" | "I")) | (false, None) => {}
        (true | false, Some(_)) => return Some(WRONG_VALUE),
    }
    if doc_type.is_correction() != invoice.corrects() {
        return Some(WRONG_VALUE);
    }
    let customer = invoice.customer.as_ref();
    if !doc_type.is_simplified() && !customer.is_some_and(is_identified) {
        return Some(FIELD_MISSING);
    }
    if customer.and_then(Party::nif).is_some_and(|nif| Nif::parse(nif).is_err()) {
        return Some(WRONG_VALUE);
    }
    if invoice.lines.is_empty() {
        return Some(FIELD_MISSING);
    }
    regimes(invoice)
}

/// One regime for the whole invoice, and not the general one for exports.
fn regimes(invoice: &Invoice) -> Option<&'static str> {
    let regime = |row: &Rate| row.ext.get(EXT_REGIME).cloned();
    let exported = |row: &Rate| row.ext.get(EXT_EXEMPT).is_some_and(|code| code == "E2" || code == "E3");
    let mut regimes = invoice.rows().filter_map(regime);
    let first = regimes.next();
    let mixed = regimes.any(|other| Some(&other) != first.as_ref());
    let wrong = mixed || (first.as_deref() == Some(GENERAL) && invoice.rows().any(exported));
    wrong.then_some(WRONG_VALUE)
}

fn is_identified(party: &Party) -> bool {
    party.tax_id.as_ref().is_some_and(|tax_id| !tax_id.code.trim().is_empty())
        || party.identities.iter().any(|identity| identity.ext.contains_key(EXT_IDENTITY_TYPE))
}
