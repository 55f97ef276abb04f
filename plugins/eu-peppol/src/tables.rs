//! Exemptions, codes, and what is demanded of any document.

use einvoice_eu::check::{Rules, TOTAL_DIGITS_MAX};
use einvoice_eu::payment::Means;
use einvoice_eu::taxes::{Exemption, exemption};
use einvoice_gobl::ext::ExtKey;
use einvoice_plugin::DocumentKind;

/// The document type (UNTDID 1001).
pub const EXT_DOCUMENT_TYPE: &str = "untdid-document-type";
/// The VAT category (UNTDID 5305).
pub const EXT_TAX_CATEGORY: &str = "untdid-tax-category";
/// How it is paid (UNTDID 4461).
pub const EXT_PAYMENT_MEANS: &str = "untdid-payment-means";
/// What a note is about (UNTDID 4451).
pub const EXT_TEXT_SUBJECT: &str = "untdid-text-subject";
/// Why no VAT is charged (VATEX).
pub const EXT_VATEX: &str = "cef-vatex";
/// The register of a party's number (ISO/IEC 6523).
pub const EXT_ISO_SCHEME: &str = "iso-scheme-id";

/// What documents, lines and recipients may say in `ext`.
pub const EXT: &[ExtKey] = &[
    ExtKey::of_document(
        &[EXT_DOCUMENT_TYPE, "doc-type"],
        "Type of the document (UNTDID 1001): 380, 386, 381 or 383",
    ),
    ExtKey::of_document(
        &[EXT_VATEX, "vatex"],
        "Why lines are exempt (VATEX), such as VATEX-EU-132-1I; of the exemption 'exempt'",
    ),
    ExtKey::of_document(&["order-reference"], "The buyer's number of the order"),
    ExtKey::of_document_or_recipient(&["buyer-reference"], "The buyer's reference"),
    ExtKey::of_document_or_recipient(
        &["inbox"],
        "Electronic address of the recipient: scheme (EAS) and number, such as 0088:5790000435968",
    ),
    ExtKey::of_document_or_recipient(
        &["legal-id"],
        "What the recipient is registered under: scheme (ISO/IEC 6523) and number, such as 0007:5567037485",
    ),
    ExtKey::of_tax(
        &[EXT_TAX_CATEGORY, "tax-category"],
        "VAT category (UNTDID 5305), as the line's rate or exemption says it: S, Z, E, AE, K, G or O",
    ),
];

/// Why no VAT is charged, by VAT category.
pub const EXEMPTIONS: &[Exemption] = &[
    exemption("exempt", "Exempt from VAT", "exempt", "E"),
    exemption("reverse_charge", "Reverse charge: the recipient accounts for the tax", "reverse-charge", "AE"),
    exemption("intra_community", "Intra-Community supply", "intra-community", "K"),
    exemption("export", "Export", "export", "G"),
    exemption("outside_scope", "Outside the scope of VAT", "outside-scope", "O"),
];

/// VATEX of VAT category E.
const VATEX_OF_EXEMPT: &str = "VATEX-EU-132 VATEX-EU-132-1A VATEX-EU-132-1B VATEX-EU-132-1C VATEX-EU-132-1D VATEX-EU-132-1E \
    VATEX-EU-132-1F VATEX-EU-132-1G VATEX-EU-132-1H VATEX-EU-132-1I VATEX-EU-132-1J \
    VATEX-EU-132-1K VATEX-EU-132-1L VATEX-EU-132-1M VATEX-EU-132-1N VATEX-EU-132-1O \
    VATEX-EU-132-1P VATEX-EU-132-1Q VATEX-EU-143 VATEX-EU-143-1A VATEX-EU-143-1B VATEX-EU-143-1C \
    VATEX-EU-143-1D VATEX-EU-143-1E VATEX-EU-143-1F VATEX-EU-143-1FA VATEX-EU-143-1G \
    VATEX-EU-143-1H VATEX-EU-143-1I VATEX-EU-143-1J VATEX-EU-143-1K VATEX-EU-143-1L VATEX-EU-144 \
    VATEX-EU-146-1E VATEX-EU-148 VATEX-EU-148-A VATEX-EU-148-B VATEX-EU-148-C VATEX-EU-148-D \
    VATEX-EU-148-E VATEX-EU-148-F VATEX-EU-148-G VATEX-EU-151 VATEX-EU-151-1A VATEX-EU-151-1AA \
    VATEX-EU-151-1B VATEX-EU-151-1C VATEX-EU-151-1D VATEX-EU-151-1E VATEX-EU-153 VATEX-EU-159 \
    VATEX-EU-309 VATEX-EU-79-C VATEX-EU-D VATEX-EU-F VATEX-EU-I VATEX-EU-J \
    VATEX-FR-298SEXDECIESA VATEX-FR-CGI261-1 VATEX-FR-CGI261-2 VATEX-FR-CGI261-3 \
    VATEX-FR-CGI261-4 VATEX-FR-CGI261-5 VATEX-FR-CGI261-7 VATEX-FR-CGI261-8 VATEX-FR-CGI261A \
    VATEX-FR-CGI261B VATEX-FR-CGI261C-1 VATEX-FR-CGI261C-2 VATEX-FR-CGI261C-3 VATEX-FR-CGI261D-1 \
    VATEX-FR-CGI261D-1BIS VATEX-FR-CGI261D-2 VATEX-FR-CGI261D-3 VATEX-FR-CGI261D-4 \
    VATEX-FR-CGI261E-1 VATEX-FR-CGI261E-2 VATEX-FR-CGI275 VATEX-FR-CGI277A VATEX-FR-CGI295 \
    VATEX-FR-CNWVAT VATEX-FR-FRANCHISE";

/// The reason (BT-121) of an exempt line, if the list has it.
pub fn vatex_of_exempt(code: &str) -> Option<&'static str> {
    VATEX_OF_EXEMPT.split(' ').find(|known| *known == code)
}

/// Currencies of the standard's list that are no more, and that OpenPEPPOL does not take (PEPPOL-EN16931-CL007).
const CURRENCIES_ABOLISHED: [&str; 3] = ["ANG", "BGN", "STD"];

/// A currency that both the standard and OpenPEPPOL take.
pub fn currency(code: &str) -> Option<&'static str> {
    einvoice_en16931::codes::currency(code).filter(|known| !CURRENCIES_ABOLISHED.contains(known))
}

/// Registers of legal entities (ISO/IEC 6523, BR-CL-11): 0002 to 0240, but for a few numbers that were never given.
pub fn is_register(scheme: &str) -> bool {
    const NEVER_GIVEN: [u16; 4] = [92, 103, 181, 182];
    let number = scheme.parse::<u16>().ok().filter(|_| crate::schemes::digits_of(scheme, 4));
    number.is_some_and(|number| (2..=240).contains(&number) && !NEVER_GIVEN.contains(&number))
}

/// What an address of a party without national rules has.
pub const ADDRESS_MEMBERS: &[&str] = &["country"];

/// What is demanded of any document; the country's own stands in `crate::countries` and `crate::national`.
pub const RULES: Rules = Rules {
    // A sentence about suppliers of other countries ends with it.
    country: "a country that sends Peppol BIS Billing 3",
    system: "Peppol",
    currency: None,
    kinds: &[DocumentKind::Invoice, DocumentKind::CreditNote, DocumentKind::DebitNote],
    name_chars_max: 500,
    description_chars_max: 1000,
    // The format's codes.
    number_chars_max: 64,
    notes_chars_max: 4000,
    total_digits_max: TOTAL_DIGITS_MAX,
    latin1: false,
    first_issue_date: None,
    future_refused: false,
    supplier_address: Some(ADDRESS_MEMBERS),
    recipient_address: Some(ADDRESS_MEMBERS),
    anonymous: |_| false,
    rates: &[],
    rate_refused: |_| None,
    exemptions: EXEMPTIONS,
    retentions: &[],
};

/// Means of payment with their codes. Cards and direct debits need details the workspace does not have.
pub const MEANS: Means = &[
    ("credit-transfer", "30"),
    ("credit-transfer+sepa", "58"),
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
    fn codes_are_found_as_they_are_written_in_their_lists() {
        assert_eq!(vatex_of_exempt("VATEX-EU-132-1I"), Some("VATEX-EU-132-1I"));
        assert_eq!(["VATEX-EU-IC", "vatex-eu-132", ""].map(vatex_of_exempt), [None; 3]);
        assert_eq!((currency("DKK"), currency("BGN"), currency("")), (Some("DKK"), None, None));
        assert!(is_register("0007") && is_register("0240"));
        assert!(!is_register("0001") && !is_register("0092") && !is_register("9930") && !is_register("7"));
    }

    #[test]
    fn every_country_declares_its_tax_in_a_currency_of_the_list() {
        for country in ["AT", "CH", "CZ", "DK", "GB", "HU", "IS", "NO", "PL", "RO", "RS", "SE", "TR"] {
            assert!(crate::countries::find(country).is_some_and(|home| currency(home.currency).is_some()));
        }
    }
}
