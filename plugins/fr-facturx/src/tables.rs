//! Rates, what documents may say in `ext`, means of payment, and what is demanded of any document.

use einvoice_eu::check::{Rules, TOTAL_DIGITS_MAX};
use einvoice_eu::payment::Means;
use einvoice_eu::taxes::Rate;
use einvoice_gobl::date::Date;
use einvoice_gobl::ext::ExtKey;
use einvoice_plugin::{Amount, DocumentKind};

use crate::exemptions::EXEMPTIONS;
use crate::numbers::NUMBER_CHARS_MAX;

/// The document type (UNTDID 1001).
pub const EXT_DOCUMENT_TYPE: &str = "untdid-document-type";
/// The VAT category (UNTDID 5305).
pub const EXT_TAX_CATEGORY: &str = "untdid-tax-category";
/// Why no VAT is charged (VATEX).
pub const EXT_EXEMPTION: &str = "cef-vatex";
/// How it is paid (UNTDID 4461).
pub const EXT_PAYMENT_MEANS: &str = "untdid-payment-means";
/// What a note is about (UNTDID 4451).
pub const EXT_TEXT_SUBJECT: &str = "untdid-text-subject";
/// In which scheme a number is (ISO 6523).
pub const EXT_SCHEME_ID: &str = "iso-scheme-id";

/// What documents and lines may say in `ext`.
pub const EXT: &[ExtKey] = &[
    ExtKey::of_document(
        &[EXT_DOCUMENT_TYPE, "doc-type"],
        "Type of the document (UNTDID 1001): 380, 386 or 381",
    ),
    ExtKey::of_document(
        &["business-process"],
        "Business process (BT-23): B goods, S services, M both; 1 an ordinary invoice, 4 after a payment on account",
    ),
    ExtKey::of_document_or_recipient(
        &["treatment"],
        "How the platform handles it (note BAR): B2B, B2BINT, B2C, B2CINT, OUTOFSCOPE or ARCHIVEONLY",
    ),
    ExtKey::of_document_or_recipient(&["buyer-reference"], "The buyer's reference, such as a service code"),
    ExtKey::of_document_or_recipient(
        &["inbox"],
        "Electronic address of the recipient: scheme and code (0225:732829320_SERVICE) or an address for electronic mail",
    ),
    ExtKey::of_tax(
        &[EXT_TAX_CATEGORY, "tax-category"],
        "VAT category (UNTDID 5305), as the line's rate or exemption says it: S, Z, E, AE, K, G or O",
    ),
    ExtKey::of_tax(&[EXT_EXEMPTION, "vatex"], "Why the line is not taxed (VATEX), as its exemption says it"),
];

const fn rate(key: &'static str, title: &'static str, percent: Amount, since: Option<Date>) -> Rate {
    Rate { key, title, percent, since }
}

const SINCE_2014: Option<Date> = Some(Date::new(2014, 1, 1));
const GENERAL: Rate = rate("general", "General rate", Amount::new(20, 0), SINCE_2014);
const INTERMEDIATE: Rate = rate("intermediate", "Intermediate rate", Amount::new(10, 0), SINCE_2014);
const REDUCED: Rate = rate("reduced", "Reduced rate", Amount::new(55, 1), SINCE_2014);
const SUPER_REDUCED: Rate = rate("super-reduced", "Super-reduced rate", Amount::new(21, 1), SINCE_2014);

/// The rates that the format has names for.
pub const NAMED_RATES: &[Rate] = &[GENERAL, INTERMEDIATE, REDUCED, SUPER_REDUCED];

/// VAT: of the mainland; in Guadeloupe, Martinique and Réunion; in Corsica.
pub const RATES: &[Rate] = &[
    GENERAL,
    INTERMEDIATE,
    REDUCED,
    SUPER_REDUCED,
    rate("overseas", "Guadeloupe, Martinique, Réunion: general rate", Amount::new(85, 1), None),
    rate("overseas-livestock", "Guadeloupe, Martinique, Réunion: live animals", Amount::new(175, 2), None),
    rate("overseas-press", "Guadeloupe, Martinique, Réunion: press", Amount::new(105, 2), None),
    rate("corsica", "Corsica: petroleum products", Amount::new(13, 0), None),
    rate("corsica-livestock", "Corsica: live animals and shows", Amount::new(9, 1), None),
];

/// The rates that platforms take (BR-FR-16), those of former years among them.
const FRENCH_RATES: [Amount; 15] = [
    Amount::new(0, 0),
    Amount::new(10, 0),
    Amount::new(13, 0),
    Amount::new(20, 0),
    Amount::new(85, 1),
    Amount::new(196, 1),
    Amount::new(21, 1),
    Amount::new(55, 1),
    Amount::new(7, 0),
    Amount::new(206, 1),
    Amount::new(105, 2),
    Amount::new(9, 1),
    Amount::new(175, 2),
    Amount::new(92, 1),
    Amount::new(96, 1),
];

/// Whether platforms take a rate (BR-FR-16, G1.24).
pub fn is_french_rate(percent: Amount) -> bool {
    FRENCH_RATES.into_iter().any(|known| known.same_value(percent))
}

fn rate_refused(percent: Amount) -> Option<String> {
    let message =
        format!("VAT of {percent} % is no rate of France; use 20, 10, 5.5, 2.1 or that of its region.");
    (!is_french_rate(percent)).then_some(message)
}

/// What is demanded of any document.
pub const RULES: Rules = Rules {
    country: "FR",
    system: "Factur-X",
    // A document in another currency states its VAT in euro too (BR-FR-CO-12), which the platform's does not.
    currency: Some("EUR"),
    kinds: &[DocumentKind::Invoice, DocumentKind::SimplifiedInvoice, DocumentKind::CreditNote],
    name_chars_max: 500,
    description_chars_max: 1000,
    number_chars_max: NUMBER_CHARS_MAX,
    notes_chars_max: 4000,
    total_digits_max: TOTAL_DIGITS_MAX,
    latin1: false,
    first_issue_date: None,
    future_refused: false,
    supplier_address: Some(&["locality", "postcode", "country"]),
    recipient_address: Some(&["country"]),
    anonymous: |invoice| matches!(invoice.kind, DocumentKind::SimplifiedInvoice),
    rates: RATES,
    rate_refused,
    exemptions: EXEMPTIONS,
    retentions: &[],
};

/// Means of payment with their codes. Cards and direct debits need details the workspace does not have.
pub const MEANS: Means = &[
    ("credit-transfer", "30"),
    ("credit-transfer+sepa", "58"),
    ("debit-transfer", "31"),
    ("cash", "10"),
    ("cheque", "20"),
    ("bank-draft", "21"),
    ("promissory-note", "60"),
    ("online", "68"),
    ("netting", "97"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn platforms_take_every_rate_that_is_offered() {
        assert!(RATES.iter().all(|rate| is_french_rate(rate.percent)));
        assert!(is_french_rate(Amount::new(1960, 2)) && !is_french_rate(Amount::new(19, 0)));
    }
}
