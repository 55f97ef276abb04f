//! What of an entry in the books may be modified under its number: communication `A1` (order HFP/417/2017, article 3).

use einvoice_plugin::{Amend, AmendDescription, Amendment, Context, Document, Faults};

use crate::codes::{EXT_ARTICLE_7, EXT_PRODUCT, EXT_REGIME};
use crate::{EsSii, convert};

/// Everything that the books say of an invoice, as far as it is no figure: whom it is for, what for, when, and how the agency
/// classifies it. An entry under another number or day is another entry, and other figures are a corrective invoice's.
const ALLOWED_PATHS: [&str; 12] = [
    "/notes",
    "/payment",
    "/operation_date",
    "/recipient/name",
    "/recipient/identity_document",
    "/recipient/tax_number",
    "/recipient/country",
    "/recipient/address",
    "/recipient/email",
    "/lines/*/description",
    "/lines/*/period",
    "/lines/*/ext",
];

/// Members of `ext` by their short names, beside their full ones.
const ALLOWED_EXT: [&str; 6] =
    ["regime", EXT_REGIME, "product", EXT_PRODUCT, "simplified-art7273", EXT_ARTICLE_7];

impl Amend for EsSii {
    fn amendable() -> AmendDescription {
        let ext = ALLOWED_EXT.iter().map(|key| format!("/ext/{key}"));
        let allowed_paths = ALLOWED_PATHS.iter().map(|path| (*path).to_owned()).chain(ext).collect();
        AmendDescription { allowed_paths }
    }

    // The provider sends it as a modification (A1), because the entry has a record that the agency accepted.
    fn convert_amendment(amendment: &Amendment, context: &Context) -> Result<Document, Faults> {
        convert::convert(&amendment.amended, context)
    }
}
