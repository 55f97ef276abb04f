//! What the agency demands of a document type: references, recipient, limits.

use einvoice_plugin::Amount;

use super::Filed;
use super::document::Party;
use crate::doc_type::DocType;

/// What a simplified invoice to a named recipient may come to, in euro.
const SIMPLIFIED_MAX: Amount = Amount::new(3000, 0);

/// The code of the first rule of its type that a document breaks.
pub(super) fn broken(filed: &Filed) -> Option<&'static str> {
    let Some(doc_type) = DocType::of_code(&filed.document_type) else { return Some("1106") };
    let invoice = &filed.invoice;
    let customer = invoice.customer.as_ref();
    let identified = customer.is_some_and(Party::is_identified);
    let identified_as = |types: &[&str]| customer.is_some_and(|customer| customer.is_identified_as(types));
    let over_limit = filed.total.parse().is_ok_and(|total: Amount| total.cmp_value(SIMPLIFIED_MAX).is_gt());
    match (doc_type.is_correction(), invoice.tax.ext.correction_type.as_deref()) {
        (true, None) => return Some("1114"),
        (true, Some("S" | "I")) | (false, None) => {}
        (true, Some(_)) => return Some("1107"),
        (false, Some(_)) => return Some("1115"),
    }
    match doc_type {
        DocType::F2 | DocType::R5 if identified => Some("1190"),
        DocType::F2 if over_limit && customer.is_some() => Some("1150"),
        DocType::F2 | DocType::R5 => None,
        _ if !identified => Some("1189"),
        DocType::R2 if !identified_as(&["02", "07"]) => Some("1192"),
        DocType::R3 if !identified_as(&["07"]) => Some("1191"),
        DocType::F1 | DocType::F3 | DocType::R1 | DocType::R2 | DocType::R3 | DocType::R4 => None,
    }
}
