//! Rates, exemptions and settings.

use einvoice_en16931::codes;
use einvoice_eu::check::{Rules, TOTAL_DIGITS_MAX};
use einvoice_eu::payment::{Means, Payment};
use einvoice_eu::settings;
use einvoice_eu::taxes::{Exemption, Rate, exemption, rate};
use einvoice_gobl::date::Date;
use einvoice_gobl::email::is_email;
use einvoice_gobl::ext::ExtKey;
use einvoice_plugin::DocumentKind;
use serde::Deserialize;

use crate::wire::is_terms;

/// The document type (UNTDID 1001).
pub const EXT_DOCUMENT_TYPE: &str = "untdid-document-type";
/// The VAT category (UNTDID 5305).
pub const EXT_TAX_CATEGORY: &str = "untdid-tax-category";
/// How it is paid (UNTDID 4461).
pub const EXT_PAYMENT_MEANS: &str = "untdid-payment-means";
/// What a note is about (UNTDID 4451).
pub const EXT_TEXT_SUBJECT: &str = "untdid-text-subject";

/// What documents and lines may say in `ext`.
pub const EXT: &[ExtKey] = &[
    ExtKey::of_document(
        &[EXT_DOCUMENT_TYPE, "doc-type"],
        "Type of the document (UNTDID 1001): 380, 326 or 381",
    ),
    ExtKey::of_document_or_recipient(&["buyer-reference"], "The buyer's reference, such as a Leitweg-ID"),
    ExtKey::of_document_or_recipient(
        &["inbox"],
        "Electronic address of the recipient: scheme and code (0204:991-12345-73) or an address for electronic mail",
    ),
    ExtKey::of_tax(
        &[EXT_TAX_CATEGORY, "tax-category"],
        "VAT category (UNTDID 5305), as the line's rate or exemption says it: S, Z, E, AE, K, G or O",
    ),
];

/// VAT by date.
pub const RATES: &[Rate] = &[
    rate("general", "General rate", 19, Some(Date::new(2021, 1, 1))),
    rate("general", "General rate", 16, Some(Date::new(2020, 7, 1))),
    rate("general", "General rate", 19, Some(Date::new(2007, 1, 1))),
    rate("general", "General rate", 16, Some(Date::new(1998, 4, 1))),
    rate("general", "General rate", 15, Some(Date::new(1993, 1, 1))),
    rate("reduced", "Reduced rate", 7, Some(Date::new(2021, 1, 1))),
    rate("reduced", "Reduced rate", 5, Some(Date::new(2020, 7, 1))),
    rate("reduced", "Reduced rate", 7, Some(Date::new(1983, 7, 1))),
];

/// Why no VAT is charged, by VAT category.
pub const EXEMPTIONS: &[Exemption] = &[
    exemption("exempt", "Exempt from VAT", "exempt", "E"),
    exemption("reverse_charge", "Reverse charge: the recipient accounts for the tax", "reverse-charge", "AE"),
    exemption("intra_community", "Intra-Community supply", "intra-community", "K"),
    exemption("export", "Export", "export", "G"),
    exemption("outside_scope", "Outside the scope of VAT", "outside-scope", "O"),
];

const ADDRESS_MEMBERS: &[&str] = &["locality", "postcode", "country"];

/// What XRechnung demands of any document.
pub const RULES: Rules = Rules {
    country: "DE",
    system: "XRechnung",
    currency: None,
    kinds: &[DocumentKind::Invoice, DocumentKind::CreditNote],
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
    rates: RATES,
    rate_refused: |_| None,
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

/// Whom recipients ask.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contact {
    /// A given name, a surname, or both.
    pub given: Option<String>,
    /// See `given`.
    pub surname: Option<String>,
    /// A telephone number.
    pub phone: String,
    /// The workspace's own when absent.
    pub email: Option<String>,
}

/// An electronic address of a scheme (EAS).
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inbox {
    /// Four digits.
    pub scheme: String,
    /// The identifier in the scheme.
    pub code: String,
}

/// In which syntax documents go out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WireSyntax {
    /// OASIS UBL 2.1.
    #[default]
    Ubl,
    /// UN/CEFACT CII D16B.
    Cii,
}

/// What credit notes say of their amount where nothing else is said (BR-CO-25).
pub const CREDIT_TERMS: &str = "Der Betrag wird verrechnet oder erstattet.";

/// What invoices say beside lines without VAT.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExemptionTexts {
    exempt: Option<String>,
    reverse_charge: Option<String>,
    intra_community: Option<String>,
    export: Option<String>,
    outside_scope: Option<String>,
}

impl ExemptionTexts {
    /// The text of an exemption.
    pub fn of(&self, exemption: &Exemption) -> &str {
        let (own, usual) = match exemption.code {
            "AE" => (&self.reverse_charge, "Reverse Charge / Umkehr der Steuerschuld."),
            "K" => (&self.intra_community, "Steuerfreie innergemeinschaftliche Lieferung."),
            "G" => (&self.export, "Steuerfreie Ausfuhrlieferung."),
            "O" => (&self.outside_scope, "Nicht im Inland steuerbare Leistung."),
            _ => (&self.exempt, "Steuerfreie Leistung nach § 4 UStG."),
        };
        own.as_deref().unwrap_or(usual)
    }

    fn all(&self) -> [&Option<String>; 5] {
        [&self.exempt, &self.reverse_charge, &self.intra_community, &self.export, &self.outside_scope]
    }
}

/// A workspace's settings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Treats every warning as an error.
    pub refuse_warnings: bool,
    /// Whom recipients ask.
    pub contact: Option<Contact>,
    /// The supplier's electronic address.
    pub inbox: Option<Inbox>,
    /// For documents that name none.
    pub buyer_reference: Option<String>,
    /// For invoices that name none.
    pub payment_terms: Option<String>,
    /// For credit notes that name none: what becomes of the amount.
    pub credit_terms: Option<String>,
    /// In which syntax documents go out.
    pub syntax: WireSyntax,
    /// What invoices say beside lines without VAT.
    pub exemption_texts: ExemptionTexts,
    /// How the workspace wants to be paid.
    pub payment: Option<Payment>,
}

impl settings::Settings for Settings {
    fn refuse_warnings(&self) -> bool {
        self.refuse_warnings
    }

    fn validate(&self) -> Result<(), String> {
        let blank = |text: &Option<String>| text.as_ref().is_some_and(|text| text.trim().is_empty());
        let texts = self.exemption_texts.all();
        if texts
            .into_iter()
            .chain([&self.buyer_reference, &self.payment_terms, &self.credit_terms])
            .any(blank)
        {
            return Err("a text is empty".to_owned());
        }
        let terms = [&self.payment_terms, &self.credit_terms].into_iter().flatten();
        if !terms.into_iter().all(|terms| is_terms(terms)) {
            return Err(
                "a line of payment terms that starts with # is no Skonto (#SKONTO#TAGE=14#PROZENT=2.00#)"
                    .to_owned(),
            );
        }
        if let Some(contact) = &self.contact {
            let named = contact.given.is_some() || contact.surname.is_some();
            let empty = blank(&contact.given) || blank(&contact.surname) || contact.phone.trim().len() < 3;
            if !named || empty || contact.email.as_deref().is_some_and(|email| !is_email(email)) {
                return Err("contact wants given or surname, phone and perhaps email".to_owned());
            }
        }
        if self.inbox.as_ref().is_some_and(|inbox| !is_scheme(&inbox.scheme) || inbox.code.trim().is_empty())
        {
            return Err("inbox wants scheme (four digits, of the list EAS) and code".to_owned());
        }
        self.payment.as_ref().map_or(Ok(()), |payment| payment.validate(MEANS))
    }
}

/// Whether a text is a scheme of electronic addresses: four digits, of the list EAS (BR-CL-25).
pub fn is_scheme(text: &str) -> bool {
    text.len() == 4 && text.bytes().all(|b| b.is_ascii_digit()) && codes::is_scheme(text)
}

/// JSON Schema of [`Settings`].
pub const SCHEMA: &str = r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","title":"XRechnung","properties":{"refuse_warnings":{"type":"boolean","title":"Refuse warnings","description":"Treat every warning as an error: an invoice a receiver may object to is not issued.","default":false},"contact":{"type":"object","title":"Contact","description":"Whom recipients ask (BR-DE-5 to BR-DE-7); every invoice names a person and a telephone.","properties":{"given":{"type":"string","minLength":1,"maxLength":200,"title":"Given name"},"surname":{"type":"string","minLength":1,"maxLength":200,"title":"Surname"},"phone":{"type":"string","minLength":3,"maxLength":30,"title":"Telephone"},"email":{"type":"string","format":"email","maxLength":254,"title":"Electronic mail","description":"The workspace's own when absent."}},"required":["phone"],"anyOf":[{"required":["given"]},{"required":["surname"]}],"additionalProperties":false},"inbox":{"type":"object","title":"Electronic address","description":"Of the supplier; its electronic mail when absent.","properties":{"scheme":{"type":"string","pattern":"^[0-9]{4}$","title":"Scheme (EAS)"},"code":{"type":"string","minLength":1,"maxLength":64,"title":"Identifier"}},"required":["scheme","code"],"additionalProperties":false},"buyer_reference":{"type":"string","minLength":1,"maxLength":64,"title":"Buyer reference","description":"For documents that name none."},"payment_terms":{"type":"string","minLength":1,"maxLength":1000,"title":"Payment terms","description":"For invoices that name none."},"credit_terms":{"type":"string","minLength":1,"maxLength":1000,"title":"Terms of credit notes","description":"What becomes of the amount, for credit notes that do not say it."},"syntax":{"type":"string","enum":["ubl","cii"],"title":"Syntax","description":"In which syntax documents go out: UBL 2.1 or CII D16B.","default":"ubl"},"exemption_texts":{"type":"object","title":"Reasons of exemptions","description":"What invoices say beside lines without VAT.","properties":{"exempt":{"type":"string","minLength":1,"maxLength":1000,"title":"Exempt"},"reverse_charge":{"type":"string","minLength":1,"maxLength":1000,"title":"Reverse charge"},"intra_community":{"type":"string","minLength":1,"maxLength":1000,"title":"Intra-Community supply"},"export":{"type":"string","minLength":1,"maxLength":1000,"title":"Export"},"outside_scope":{"type":"string","minLength":1,"maxLength":1000,"title":"Outside the scope"}},"additionalProperties":false},"payment":{"type":"object","title":"Payment","description":"How the workspace wants to be paid (BR-DE-1); every document says so.","properties":{"means":{"type":"string","enum":["credit-transfer","credit-transfer+sepa","debit-transfer","cash","cheque","bank-draft","promissory-note","online","netting"],"title":"Means"},"iban":{"type":"string","minLength":15,"maxLength":42,"title":"IBAN"},"bic":{"type":"string","minLength":8,"maxLength":11,"title":"BIC"},"account_name":{"type":"string","minLength":1,"maxLength":200,"title":"Account holder"}},"required":["means"],"additionalProperties":false}},"additionalProperties":false}"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_offers_what_the_tables_have() {
        let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap();
        let means = schema.pointer("/properties/payment/properties/means/enum").unwrap().as_array().unwrap();
        assert_eq!(means.len(), MEANS.len());
        let texts = schema.pointer("/properties/exemption_texts/properties").unwrap().as_object().unwrap();
        assert!(EXEMPTIONS.iter().all(|exemption| texts.contains_key(exemption.key)));
    }
}
