//! Rates, exemptions, document types and settings.

use einvoice_eu::check::{Rules, TOTAL_DIGITS_MAX};
use einvoice_eu::payment::{Means, Payment};
use einvoice_eu::settings;
use einvoice_eu::taxes::{Exemption, Rate, exempt_by, exemption, in_force, rate};
use einvoice_gobl::date::Date;
use einvoice_gobl::ext::ExtKey;
use einvoice_plugin::{Amount, DocumentKind, Invoice};
use serde::Deserialize;

use crate::fa3;

/// The row of the declaration a tax belongs to (`P_13_x`).
pub const EXT_TAX_CATEGORY: &str = "pl-favat-tax-category";
/// KSeF's document type (`RodzajFaktury`).
pub const EXT_INVOICE_TYPE: &str = "pl-favat-invoice-type";
/// That the recipient accounts for the tax (`P_18`).
pub const EXT_REVERSE_CHARGE: &str = "pl-favat-reverse-charge";
/// That the tax is due with the payment (`P_16`).
pub const EXT_CASH_ACCOUNTING: &str = "pl-favat-cash-accounting";
/// That the recipient issues the document (`P_17`).
pub const EXT_SELF_BILLING: &str = "pl-favat-self-billing";
/// That the tax is paid to an account of its own (`P_18A`).
pub const EXT_SPLIT_PAYMENT: &str = "pl-favat-split-payment";
/// Of what the margin is taxed (`P_PMarzy`).
pub const EXT_MARGIN_SCHEME: &str = "pl-favat-margin-scheme";
/// On what an exemption is based (`P_19A` to `P_19C`).
pub const EXT_EXEMPTION: &str = "pl-favat-exemption";
/// When a correction takes effect (`TypKorekty`).
pub const EXT_EFFECTIVE_DATE: &str = "pl-favat-effective-date";
/// How it is paid (`FormaPlatnosci`).
pub const EXT_PAYMENT_MEANS: &str = "pl-favat-payment-means";

/// Who an identity of the recipient is (`Rola`).
pub const EXT_ROLE: &str = "pl-favat-third-party-role";

/// What a recipient may be besides, which KSeF is told with another number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Membership {
    /// Says whether it is, 1 or 2.
    pub key: &'static str,
    /// Says the number.
    pub code_key: &'static str,
    /// The number's role.
    pub role: &'static str,
}

/// A unit of local government (`JST`), and a member of a VAT group (`GV`).
pub const MEMBERSHIPS: [Membership; 2] = [
    Membership { key: "pl-favat-jst", code_key: "jst-code", role: "8" },
    Membership { key: "pl-favat-group-vat", code_key: "group-vat-code", role: "10" },
];

/// What documents, lines and recipients may say in `ext`.
pub const EXT: &[ExtKey] = &[
    ExtKey::of_document(
        &[EXT_INVOICE_TYPE, "doc-type"],
        "Type of the document at KSeF: VAT, ZAL, KOR and others",
    ),
    ExtKey::of_document(&[EXT_EFFECTIVE_DATE, "effective-date"], "When a correction takes effect: 1, 2 or 3"),
    ExtKey::of_tax(
        &[EXT_TAX_CATEGORY, "tax-category"],
        "Row of the declaration, as the line's rate or exemption says it: 1, 6.1, 7 and others",
    ),
    ExtKey::of_recipient(&["pl-favat-jst", "jst"], "Whether it is a unit of local government: 1 (yes) or 2"),
    ExtKey::of_recipient(&["jst-code"], "Number of the unit of local government"),
    ExtKey::of_recipient(
        &["pl-favat-group-vat", "group-vat"],
        "Whether it is a member of a VAT group: 1 (yes) or 2",
    ),
    ExtKey::of_recipient(&["group-vat-code"], "Number of the member of the VAT group"),
];

const SINCE_2011: Option<Date> = Some(Date::new(2011, 1, 1));
const SINCE_2000: Option<Date> = Some(Date::new(2000, 9, 4));

/// VAT by date.
pub const RATES: &[Rate] = &[
    rate("general", "Base rate", 23, SINCE_2011),
    rate("general", "Base rate", 22, Some(Date::new(1993, 7, 8))),
    rate("reduced", "First reduced rate", 8, SINCE_2011),
    rate("reduced", "First reduced rate", 7, SINCE_2000),
    rate("super-reduced", "Second reduced rate", 5, SINCE_2011),
    rate("super-reduced", "Second reduced rate", 3, SINCE_2000),
];

/// Why no VAT is charged. Nought per cent is a rate, not an exemption.
pub const EXEMPTIONS: &[Exemption] = &[
    exemption("exempt", "Exempt (zw)", "exempt", "7"),
    exemption("intra_community", "Intra-Community supply of goods, 0 %", "intra-community", "6.2"),
    exemption("export", "Export of goods, 0 %", "export", "6.3"),
    exemption("outside_scope", "Supply outside Poland (np)", "outside-scope", "8"),
    exemption(
        "reverse_charge",
        "Service in another member state, the recipient accounts for the tax",
        "reverse-charge",
        "9",
    ),
];

/// The declaration's row of a rate or an exemption. None when there is no such row.
pub fn tax_category(
    percent: Option<Amount>,
    exemption: Option<&str>,
    day: Option<Date>,
) -> Option<&'static str> {
    let Some(percent) = percent else { return Some(exempt_by(EXEMPTIONS, exemption?)?.code) };
    if exemption.is_some() {
        return None;
    }
    if percent.is_zero() {
        return Some("6.1");
    }
    let named = day.and_then(|day| in_force(RATES, percent, day));
    match named {
        Some("general") => return Some("1"),
        Some("reduced") => return Some("2"),
        Some("super-reduced") => return Some("3"),
        Some(_) | None => {}
    }
    let rows = [("1", [23, 22]), ("2", [8, 7]), ("3", [5, 5]), ("4", [4, 3])];
    let same = |whole: i64| percent.same_value(Amount::new(whole, 0));
    rows.into_iter().find(|(_, percents)| percents.iter().any(|whole| same(*whole))).map(|(row, _)| row)
}

fn rate_refused(percent: Amount) -> Option<String> {
    let known = tax_category(Some(percent), None, None).is_some();
    (!known).then(|| format!("KSeF has no row for VAT of {percent} %; use 23, 8, 5, 4 (taxi) or 0."))
}

/// What KSeF demands of any document.
pub const RULES: Rules = Rules {
    country: "PL",
    system: "KSeF",
    currency: Some("PLN"),
    kinds: &[DocumentKind::Invoice, DocumentKind::SimplifiedInvoice, DocumentKind::CreditNote],
    name_chars_max: 512,
    description_chars_max: 512,
    // The format's codes are shorter than KSeF's 256 characters.
    number_chars_max: 64,
    notes_chars_max: 3500,
    total_digits_max: TOTAL_DIGITS_MAX,
    latin1: false,
    first_issue_date: Some(Date::new(2006, 1, 1)),
    future_refused: true,
    supplier_address: Some(&["street", "country"]),
    recipient_address: None,
    anonymous: is_simplified,
    rates: RATES,
    rate_refused,
    exemptions: EXEMPTIONS,
    retentions: &[],
};

/// A simplified invoice, or a credit note for such.
pub fn is_simplified(invoice: &Invoice) -> bool {
    let simplified = |kind| kind == DocumentKind::SimplifiedInvoice;
    match invoice.kind {
        DocumentKind::CreditNote => {
            !invoice.preceding.is_empty() && invoice.preceding.iter().all(|one| simplified(one.kind))
        }
        kind => simplified(kind),
    }
}

/// A document type of KSeF.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocType {
    /// `RodzajFaktury`.
    pub code: &'static str,
    /// Of which kind of document it is.
    pub kind: DocumentKind,
    /// From which the format derives it.
    pub tag: Option<&'static str>,
}

const fn doc_type(code: &'static str, kind: DocumentKind, tag: Option<&'static str>) -> DocType {
    DocType { code, kind, tag }
}

/// All types; the first of a kind is the usual one.
pub const DOC_TYPES: &[DocType] = &[
    doc_type("VAT", DocumentKind::Invoice, None),
    doc_type("ZAL", DocumentKind::Invoice, Some("partial")),
    doc_type("ROZ", DocumentKind::Invoice, Some("settlement")),
    doc_type("UPR", DocumentKind::SimplifiedInvoice, Some("simplified")),
    doc_type("KOR", DocumentKind::CreditNote, None),
    doc_type("KOR_ZAL", DocumentKind::CreditNote, Some("partial")),
    doc_type("KOR_ROZ", DocumentKind::CreditNote, Some("settlement")),
];

/// Means of payment with KSeF's codes.
pub const MEANS: Means = &[("cash", "1"), ("card", "2"), ("cheque", "4"), ("credit-transfer", "6")];

/// On what the exemption of a supply is based.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub enum Basis {
    /// A Polish act.
    #[default]
    A,
    /// Directive 2006/112/EC.
    B,
    /// Something else.
    C,
}

impl Basis {
    /// As KSeF writes it.
    pub const fn code(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
        }
    }
}

/// A workspace's settings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Treats every warning as an error.
    pub refuse_warnings: bool,
    /// On what exemptions are based.
    pub exemption_basis: Basis,
    /// The provision that exempts.
    pub exemption_text: Option<String>,
    /// How the workspace wants to be paid.
    pub payment: Option<Payment>,
}

impl settings::Settings for Settings {
    fn refuse_warnings(&self) -> bool {
        self.refuse_warnings
    }

    fn validate(&self) -> Result<(), String> {
        let fits =
            |text: &str| (fa3::TEXT.allows)(&fa3::token(text)) && fa3::refused_character(text).is_none();
        if self.exemption_text.as_deref().is_some_and(|text| !fits(text)) {
            return Err("exemption_text has not 1 to 256 printable characters".to_owned());
        }
        let Some(payment) = &self.payment else { return Ok(()) };
        payment.validate(MEANS)?;
        if payment.account_name.as_deref().is_some_and(|name| !fits(name)) {
            return Err("payment.account_name has not 1 to 256 printable characters".to_owned());
        }
        if payment.bic.as_deref().is_some_and(|bic| !(fa3::BIC.allows)(&fa3::bic(bic))) {
            return Err("payment.bic is no BIC".to_owned());
        }
        Ok(())
    }
}

/// The provision when the workspace names none.
pub const EXEMPTION_TEXT: &str = "Zwolnienie na podstawie art. 43 ust. 1 ustawy o VAT";

/// JSON Schema of [`Settings`].
pub const SCHEMA: &str = r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","title":"KSeF","properties":{"refuse_warnings":{"type":"boolean","title":"Refuse warnings","description":"Treat every warning as an error: an invoice KSeF may object to is not issued.","default":false},"exemption_basis":{"type":"string","enum":["A","B","C"],"title":"Basis of exemptions","description":"On what an exemption from VAT is based: A (Polish act), B (Directive 2006/112/EC) or C (other).","default":"A"},"exemption_text":{"type":"string","minLength":1,"maxLength":256,"pattern":"[^ \\t\\n\\r]","title":"Provision that exempts","description":"Printed on invoices with exempt lines.","default":"Zwolnienie na podstawie art. 43 ust. 1 ustawy o VAT"},"payment":{"type":"object","title":"Payment","description":"How the workspace wants to be paid.","properties":{"means":{"type":"string","enum":["cash","card","cheque","credit-transfer"],"title":"Means"},"iban":{"type":"string","minLength":15,"maxLength":42,"title":"IBAN"},"bic":{"type":"string","minLength":8,"maxLength":11,"pattern":"^[A-Za-z]{6}([A-Za-z0-9]{2}|[A-Za-z0-9]{5})$","title":"BIC"},"account_name":{"type":"string","minLength":1,"maxLength":256,"pattern":"[^ \\t\\n\\r]","title":"Account holder"}},"required":["means"],"additionalProperties":false}},"additionalProperties":false}"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rate_and_exemption_has_its_row() {
        let day = "2026-11-20".parse().ok();
        let row = |percent| tax_category(Some(Amount::new(percent, 0)), None, day);
        assert_eq!([23, 8, 5, 4, 0, 22, 7].map(row), ["1", "2", "3", "4", "6.1", "1", "2"].map(Some));
        assert_eq!([6, 21].map(row), [None, None]);
        let old = "2010-12-31".parse().ok();
        assert_eq!(tax_category(Some(Amount::new(30, 1)), None, old), Some("3"));
        assert_eq!(tax_category(None, Some("export"), day), Some("6.3"));
        assert_eq!(tax_category(Some(Amount::new(23, 0)), Some("export"), day), None);
        assert_eq!(tax_category(None, None, day), None);
    }
}
