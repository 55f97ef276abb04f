//! The add-on's codes, and where a document says them.

use einvoice_es::identification::IdentityTerms;
use einvoice_gobl::ext::ExtKey;
use einvoice_plugin::Ext;
use serde::Deserialize;

/// The extension that carries the document's type (list L2).
pub const EXT_DOC_TYPE: &str = "es-sii-doc-type";
/// The extension that says how a correction corrects (list L5).
pub const EXT_CORRECTION_TYPE: &str = "es-sii-correction-type";
/// The extension that marks an invoice without the recipient's full data (articles 7.2 and 7.3).
pub const EXT_ARTICLE_7: &str = "es-sii-simplified-art7273";
/// The extension that carries the special regime of a row (list L3.1).
pub const EXT_REGIME: &str = "es-sii-regime";
/// The extension that says why a row is exempt (list L9).
pub const EXT_EXEMPT: &str = "es-sii-exempt";
/// The extension that says why a row is outside the scope.
pub const EXT_OUTSIDE_SCOPE: &str = "es-sii-outside-scope";
/// The extension that says what a row sells.
pub const EXT_PRODUCT: &str = "es-sii-product";
/// The extension that carries the type of an identity document (list L4).
pub const EXT_IDENTITY_TYPE: &str = "es-sii-identity-type";

/// How records identify recipients.
pub(crate) const IDENTITY_TERMS: IdentityTerms =
    IdentityTerms { type_key: EXT_IDENTITY_TYPE, vat_number_has_country: false };

/// What documents and lines may say in `ext`.
pub const EXT: &[ExtKey] = &[
    ExtKey::of_document(
        &[EXT_DOC_TYPE, "doc-type"],
        "Type of the document in list L2: F1, F2, F3 or R1 to R5",
    ),
    ExtKey::of_document(
        &[EXT_ARTICLE_7, "simplified-art7273"],
        "Invoice of articles 7.2 and 7.3, without the recipient's full data: S or N",
    ),
    ExtKey::of_any_tax(
        &[EXT_REGIME, "regime"],
        "Regime of list L3.1, one for the whole document: 01, 05 and others",
    ),
    ExtKey::of_any_tax(&[EXT_PRODUCT, "product"], "What is sold, of all lines or of none: goods or services"),
    ExtKey::of_tax(&[EXT_EXEMPT, "exempt"], "Why the line is exempt, as its exemption says it: E1 to E6"),
    ExtKey::of_tax(
        &[EXT_OUTSIDE_SCOPE, "outside-scope"],
        "Why the line is outside the scope, as its exemption says it: other or location",
    ),
];

/// The general regime.
pub const GENERAL: &str = "01";
/// The regime of exports.
pub const EXPORT: &str = "02";
/// The regime of what IPSI or IGIC is charged on, in the books of VAT.
pub const OTHER_TAXES: &str = "08";

/// What is sold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Product {
    /// Delivery of goods.
    Goods,
    /// Provision of services.
    Services,
}

impl Product {
    /// The add-on's code, which is the format's key of such an item too.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Goods => "goods",
            Self::Services => "services",
        }
    }

    /// The product of a code.
    pub fn of_code(code: &str) -> Option<Self> {
        [Self::Goods, Self::Services].into_iter().find(|known| known.code() == code)
    }
}

/// Whether something is goods at the agency. What nobody calls goods or services is what its tax says it must be; a stay, and
/// anything else, is a service.
pub fn is_of_goods(product: Option<Product>, surcharged: bool, exempt: Option<&str>) -> bool {
    match product {
        Some(product) => product == Product::Goods,
        None => surcharged || matches!(exempt, Some("E2" | "E3" | "E4" | "E5")),
    }
}

/// The agency's list of regimes for issued invoices (L3.1).
pub const REGIMES: &[&str] = &[
    GENERAL, EXPORT, "03", "04", "05", "06", "07", "08", "09", "10", "11", "12", "13", "14", "15", "16", "17",
];

/// The regime of a code.
pub fn regime(code: &str) -> Option<&'static str> {
    REGIMES.iter().find(|known| **known == code).copied()
}

/// What `ext` says under one of the add-on's keys, or under the same key without `es-sii-`.
pub fn find_ext<'a>(ext: &'a [Ext], key: &str) -> Option<&'a Ext> {
    let short = key.strip_prefix("es-sii-").unwrap_or(key);
    ext.iter().find(|ext| ext.key == key).or_else(|| ext.iter().find(|ext| ext.key == short))
}
