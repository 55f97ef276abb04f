//! What a treasury demands of an invoice.

use einvoice_es::nif::Nif;
use einvoice_es::stored::{Invoice, Party, Reference};

use crate::answers::{BIZKAIA_FIELD_MISSING, FIELD_MISSING};
use crate::codes::{EXT_CORRECTION, EXT_IDENTITY_TYPE, EXT_SIMPLIFIED, Region};

/// The code of the first rule that an invoice breaks.
pub(super) fn violation(invoice: &Invoice, region: Option<Region>) -> Option<&'static str> {
    let in_bizkaia = region == Some(Region::Bizkaia);
    let missing = if in_bizkaia { BIZKAIA_FIELD_MISSING } else { FIELD_MISSING };
    let customer = invoice.customer.as_ref();
    let simplified = invoice.code_of(EXT_SIMPLIFIED) == Some("S");
    let corrects = invoice.corrects();
    let is_dated_with_code =
        |reference: &Reference| reference.issue_date.is_some() && reference.ext.contains_key(EXT_CORRECTION);
    if region.is_none() || invoice.description().is_none() {
        return Some(missing);
    }
    if !simplified && !customer.is_some_and(is_identified) {
        return Some(missing);
    }
    if customer.and_then(Party::nif).is_some_and(|nif| Nif::parse(nif).is_err()) {
        return Some(if in_bizkaia { "B4_2000011" } else { "011" });
    }
    if corrects && invoice.preceding.is_empty() {
        return Some(if in_bizkaia { "B4_2000045" } else { missing });
    }
    if !corrects && !invoice.preceding.is_empty() {
        return Some(if in_bizkaia { "B4_2000016" } else { "011" });
    }
    if !invoice.preceding.iter().all(is_dated_with_code) {
        return Some(missing);
    }
    if invoice.lines.is_empty() {
        return Some(if in_bizkaia { missing } else { "003" });
    }
    None
}

fn is_identified(party: &Party) -> bool {
    party.nif().is_some()
        || party.tax_id.as_ref().is_some_and(|tax_id| !tax_id.country.is_empty())
        || party.identities.iter().any(|identity| identity.ext.contains_key(EXT_IDENTITY_TYPE))
}
