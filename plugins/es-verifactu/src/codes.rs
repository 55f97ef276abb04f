//! The add-on's codes of tax rows, and what documents and lines may say under them.

use einvoice_es::identification::IdentityTerms;
use einvoice_gobl::ext::{self, ExtKey};
use einvoice_plugin::{Ext, Invoice};

use crate::doc_type::EXT_DOC_TYPE;

/// The agency's list L9: how a taxed operation, or one outside the scope, is classified.
pub const EXT_OP_CLASS: &str = "es-verifactu-op-class";
/// The agency's list L10: why an operation is exempt.
pub const EXT_EXEMPT: &str = "es-verifactu-exempt";
/// The agency's list L8: the special regime.
pub const EXT_REGIME: &str = "es-verifactu-regime";
/// The agency's list L7: the type of a recipient's identity document.
pub const EXT_IDENTITY_TYPE: &str = "es-verifactu-identity-type";
/// The extension that marks an invoice without the recipient's full data (articles 7.2 and 7.3).
pub const EXT_ARTICLE_7: &str = "es-verifactu-simplified-art7273";

/// How records identify recipients.
pub(crate) const IDENTITY_TERMS: IdentityTerms =
    IdentityTerms { type_key: EXT_IDENTITY_TYPE, vat_number_has_country: false };

/// The general regime.
pub const GENERAL: &str = "01";
/// The regime of exports.
pub const EXPORT: &str = "02";
/// The regime of the equivalence surcharge.
pub const SURCHARGE: &str = "18";

/// The regimes of list L8 that the format knows.
const REGIMES: &[&str] = &[
    GENERAL, EXPORT, "03", "04", "05", "06", "07", "08", "09", "10", "11", "14", "15", "17", SURCHARGE, "19",
    "20",
];

const REGIME_NAMES: &[&str] = &[EXT_REGIME, "regime"];
const ARTICLE_7_NAMES: &[&str] = &[EXT_ARTICLE_7, "simplified-art7273"];

/// What documents and lines may say in `ext`.
pub const EXT: &[ExtKey] = &[
    ExtKey::of_document(
        &[EXT_DOC_TYPE, "doc-type"],
        "Type of the document in list L2: F1, F2, F3 or R1 to R5",
    ),
    ExtKey::of_document(
        ARTICLE_7_NAMES,
        "Invoice of articles 7.2 and 7.3, without the recipient's full data: S or N",
    ),
    ExtKey::of_any_tax(REGIME_NAMES, "Regime of list L8: 01, 05 and others"),
    ExtKey::of_tax(
        &[EXT_OP_CLASS, "op-class"],
        "Class of list L9, as the line's tax says it: S1, S2, N1 or N2",
    ),
    ExtKey::of_tax(&[EXT_EXEMPT, "exempt"], "Why the line is exempt, as its exemption says it: E1 to E6"),
];

/// The regime of a code.
pub fn regime(code: &str) -> Option<&'static str> {
    REGIMES.iter().find(|known| **known == code).copied()
}

/// The regime that `ext` names.
pub fn find_regime(ext: &[Ext]) -> Option<&Ext> {
    ext::find_ext(ext, REGIME_NAMES)
}

/// The mark of articles 7.2 and 7.3.
pub fn find_article_7(invoice: &Invoice) -> Option<&Ext> {
    ext::find_ext(&invoice.ext, ARTICLE_7_NAMES)
}
