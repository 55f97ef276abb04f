//! What of an entry in the books may be modified under its number: communication `A1` (order HFP/417/2017, article 3).
//! An entry under another number or day is another entry.

use einvoice_es::amend;
use einvoice_plugin::{Amend, AmendDescription, Amendment, Context, Document, Faults};

use crate::codes::{EXT_ARTICLE_7, EXT_PRODUCT, EXT_REGIME};
use crate::{EsSii, convert};

/// How the agency classifies an invoice: members of `ext` by their short names, beside their full ones.
const ALLOWED_EXT: [&str; 6] =
    ["regime", EXT_REGIME, "product", EXT_PRODUCT, "simplified-art7273", EXT_ARTICLE_7];

impl Amend for EsSii {
    fn amendable() -> AmendDescription {
        amend::description(&ALLOWED_EXT)
    }

    // The provider sends it as a modification (A1), because the entry has a record that the agency accepted.
    fn convert_amendment(amendment: &Amendment, context: &Context) -> Result<Document, Faults> {
        convert::convert(&amendment.amended, context)
    }
}
