//! Rates, exemptions, document types and settings.

use einvoice_eu::check::Rules;
use einvoice_eu::payment::{Means, Payment};
use einvoice_eu::settings;
use einvoice_eu::taxes::{Exemption, Rate, exemption, rate};
use einvoice_gobl::date::Date;
use einvoice_gobl::ext::ExtKey;
use einvoice_plugin::{Amount, DocumentKind, Invoice};
use serde::Deserialize;

/// The document type (`TipoDocumento`).
pub const EXT_DOCUMENT_TYPE: &str = "it-sdi-document-type";
/// Whether the recipient is an administration (`FormatoTrasmissione`).
pub const EXT_FORMAT: &str = "it-sdi-format";
/// Why there is no VAT (`Natura`).
pub const EXT_EXEMPT: &str = "it-sdi-exempt";
/// Why a tax is withheld (`CausalePagamento`).
pub const EXT_RETAINED: &str = "it-sdi-retained";
/// The supplier's regime (`RegimeFiscale`).
pub const EXT_FISCAL_REGIME: &str = "it-sdi-fiscal-regime";
/// How it is paid (`ModalitaPagamento`).
pub const EXT_PAYMENT_MEANS: &str = "it-sdi-payment-means";

/// When the VAT is due (`EsigibilitaIVA`).
pub const EXT_VAT_LIABILITY: &str = "it-sdi-vat-liability";

/// What documents and lines may say in `ext`.
pub const EXT: &[ExtKey] = &[
    ExtKey::of_document(&[EXT_DOCUMENT_TYPE, "doc-type"], "Type of the document: TD01, TD24 and others"),
    ExtKey::of_document_or_recipient(
        &["it-sdi-code", "sdi-code"],
        "Where SdI delivers to: six characters for an administration, else seven",
    ),
    ExtKey::of_document_or_recipient(
        &["it-sdi-pec", "sdi-pec"],
        "Certified electronic mail address of the recipient",
    ),
    ExtKey::of_document_or_recipient(&["b2g"], "Whether the recipient is an administration: true or false"),
    ExtKey::of_any_tax(
        &[EXT_VAT_LIABILITY, "vat-liability"],
        "When the VAT is due: I at once, D when it is paid, S never to the supplier (split payment)",
    ),
    ExtKey::of_tax(&[EXT_EXEMPT, "exempt"], "Why there is no VAT, as the line's exemption says it: N1 to N7"),
];

/// What they may say of [`EXT_VAT_LIABILITY`] (`EsigibilitaIVAType`).
pub const LIABILITIES: [&str; 3] = ["I", "D", SPLIT_PAYMENT];
/// The administration pays the VAT itself.
pub const SPLIT_PAYMENT: &str = "S";

/// VAT (IVA).
pub const RATES: &[Rate] = &[
    rate("general", "Ordinary rate", 22, None),
    rate("intermediate", "Intermediate rate", 10, None),
    rate("reduced", "Reduced rate", 5, None),
    rate("super-reduced", "Minimum rate", 4, None),
];

/// The format's key of what is excluded: the only exemption that has a percent, of nought.
pub const ZERO: &str = "zero";

/// Why no VAT is charged (`Natura`).
pub const EXEMPTIONS: &[Exemption] = &[
    exemption("n1", "Excluded, article 15 DPR 633/72", ZERO, "N1"),
    exemption("n2_1", "Not subject, articles 7 to 7-septies DPR 633/72", "outside-scope", "N2.1"),
    exemption("n2_2", "Not subject, other cases", "outside-scope", "N2.2"),
    exemption("n3_1", "Not taxable: exports", "export", "N3.1"),
    exemption("n3_2", "Not taxable: intra-Community supplies", "intra-community", "N3.2"),
    exemption("n3_3", "Not taxable: supplies to San Marino", "export", "N3.3"),
    exemption("n3_4", "Not taxable: operations assimilated to exports", "export", "N3.4"),
    exemption("n3_5", "Not taxable: declaration of intent", "export", "N3.5"),
    exemption("n3_6", "Not taxable: other operations", "intra-community", "N3.6"),
    exemption("n4", "Exempt, article 10 DPR 633/72", "exempt", "N4"),
    exemption("n5", "Margin scheme, VAT not shown", "exempt", "N5"),
    exemption("n6_1", "Reverse charge: scrap", "reverse-charge", "N6.1"),
    exemption("n6_2", "Reverse charge: gold and silver", "reverse-charge", "N6.2"),
    exemption("n6_3", "Reverse charge: subcontracting in construction", "reverse-charge", "N6.3"),
    exemption("n6_4", "Reverse charge: buildings", "reverse-charge", "N6.4"),
    exemption("n6_5", "Reverse charge: mobile telephones", "reverse-charge", "N6.5"),
    exemption("n6_6", "Reverse charge: electronic products", "reverse-charge", "N6.6"),
    exemption("n6_7", "Reverse charge: services in construction", "reverse-charge", "N6.7"),
    exemption("n6_8", "Reverse charge: energy", "reverse-charge", "N6.8"),
    exemption("n6_9", "Reverse charge: other cases", "reverse-charge", "N6.9"),
    exemption("n7", "VAT paid in another member state", "outside-scope", "N7"),
];

/// Taxes and contributions a recipient withholds, each with the `TipoRitenuta` that the format's converter knows. It knows
/// none for other social security contributions (`CP`).
pub const RETENTIONS: &[(&str, &str)] = &[
    ("IRPEF", "Income tax of natural persons (RT01)"),
    ("IRES", "Income tax of companies (RT02)"),
    ("INPS", "Contribution to INPS (RT03)"),
    ("ENASARCO", "Contribution to ENASARCO (RT04)"),
    ("ENPAM", "Contribution to ENPAM (RT05)"),
];

/// SdI refuses a rate of nought without a reason (error 00400), one below 1 % (00424), and one with a third decimal, which
/// has no place in the file (00200).
fn rate_refused(percent: Amount) -> Option<String> {
    let message = if percent.is_zero() {
        "Italy has no VAT of 0 %; name the exemption (Natura) instead."
    } else if percent.cmp_value(Amount::new(1, 0)).is_lt() {
        "SdI refuses rates between 0 and 1 (error 00424); write 22 for 22 %."
    } else if has_more_decimals(percent, 2) {
        "FatturaPA has rates of two decimals; round the rate."
    } else {
        return None;
    };
    Some(message.to_owned())
}

/// Whether a figure has no place in so many decimals.
pub fn has_more_decimals(figure: Amount, decimals: u8) -> bool {
    figure.canonical(0).scale > decimals
}

/// What SdI demands of any document.
pub const RULES: Rules = Rules {
    country: "IT",
    system: "SdI",
    currency: Some("EUR"),
    kinds: &[
        DocumentKind::Invoice,
        DocumentKind::SimplifiedInvoice,
        DocumentKind::CreditNote,
        DocumentKind::DebitNote,
    ],
    name_chars_max: 80,
    description_chars_max: 1000,
    number_chars_max: 20,
    notes_chars_max: 1000,
    // `Amount2DecimalType`.
    total_digits_max: 11,
    latin1: true,
    // `DataFatturaType`.
    first_issue_date: Some(Date::new(1970, 1, 1)),
    future_refused: true,
    supplier_address: Some(&["street", "locality", "country"]),
    recipient_address: Some(&["street", "locality", "country"]),
    anonymous: |_| false,
    rates: RATES,
    rate_refused,
    exemptions: EXEMPTIONS,
    retentions: RETENTIONS,
};

/// A document type of SdI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocType {
    /// `TipoDocumento`.
    pub code: &'static str,
    /// Of which kind of document it is.
    pub kind: DocumentKind,
    /// From which the format derives it.
    pub tags: &'static [&'static str],
}

impl DocType {
    /// Whether supplier and recipient must not be the same (error 00471).
    pub fn is_for_others(self) -> bool {
        ["TD01", "TD02", "TD03", "TD06", "TD24", "TD25"].contains(&self.code)
    }
}

const fn doc_type(code: &'static str, kind: DocumentKind, tags: &'static [&'static str]) -> DocType {
    DocType { code, kind, tags }
}

const SIMPLIFIED: &[&str] = &["simplified"];

/// All types; the first of a sort is the usual one.
pub const DOC_TYPES: &[DocType] = &[
    doc_type("TD01", DocumentKind::Invoice, &[]),
    doc_type("TD02", DocumentKind::Invoice, &["partial"]),
    doc_type("TD03", DocumentKind::Invoice, &["partial", "freelance"]),
    doc_type("TD06", DocumentKind::Invoice, &["freelance"]),
    doc_type("TD24", DocumentKind::Invoice, &["deferred"]),
    doc_type("TD25", DocumentKind::Invoice, &["deferred", "third-period"]),
    doc_type("TD26", DocumentKind::Invoice, &["depreciable-assets"]),
    doc_type("TD04", DocumentKind::CreditNote, &[]),
    doc_type("TD05", DocumentKind::DebitNote, &[]),
    doc_type("TD07", DocumentKind::SimplifiedInvoice, SIMPLIFIED),
    doc_type("TD08", DocumentKind::CreditNote, SIMPLIFIED),
    doc_type("TD09", DocumentKind::DebitNote, SIMPLIFIED),
];

/// Whether a type is one of a simplified document, which has a format of its own (FSM10).
pub fn is_simplified(code: &str) -> bool {
    DOC_TYPES.iter().any(|one| one.code == code && one.tags == SIMPLIFIED)
}

/// The types a document may have, the usual one first.
pub fn doc_types(invoice: &Invoice) -> Vec<DocType> {
    let of_simplified = invoice.kind == DocumentKind::SimplifiedInvoice
        || (!invoice.preceding.is_empty()
            && invoice.preceding.iter().all(|one| one.kind == DocumentKind::SimplifiedInvoice));
    let correction = matches!(invoice.kind, DocumentKind::CreditNote | DocumentKind::DebitNote);
    let is_valid = |one: &&DocType| !correction || (one.tags == SIMPLIFIED) == of_simplified;
    DOC_TYPES.iter().filter(|one| one.kind == invoice.kind).filter(is_valid).copied().collect()
}

/// Means of payment with SdI's codes.
pub const MEANS: Means = &[
    ("cash", "MP01"),
    ("cheque", "MP02"),
    ("bank-draft", "MP03"),
    ("credit-transfer", "MP05"),
    ("promissory-note", "MP06"),
    ("card", "MP08"),
    ("online", "MP08"),
    ("debit-transfer", "MP13"),
    ("direct-debit", "MP16"),
    ("netting", "MP22"),
];

/// The regime whose simplified invoices have no limit.
pub const FLAT_RATE_REGIME: &str = "RF19";

/// Regimes of suppliers.
pub const FISCAL_REGIMES: &[&str] = &[
    "RF01", "RF02", "RF04", "RF05", "RF06", "RF07", "RF08", "RF09", "RF10", "RF11", "RF12", "RF13", "RF14",
    "RF15", "RF16", "RF17", "RF19", "RF18",
];

/// Why a tax is withheld.
const RETENTION_REASONS: &[&str] = &[
    "A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "L1", "M", "M1", "M2", "N", "O", "O1", "P",
    "Q", "R", "S", "T", "U", "V", "V1", "V2", "W", "X", "Y", "ZO",
];

/// Those of them that have a place in the file (`CausalePagamentoType`).
pub const RETENTION_REASONS_OF_FILES: &[&str] = &[
    "A", "B", "C", "D", "E", "G", "H", "I", "L", "L1", "M", "M1", "M2", "N", "O", "O1", "P", "Q", "R", "S",
    "T", "U", "V", "V1", "W", "X", "Y", "Z", "ZO",
];

/// The workspace in the business register.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Registration {
    /// The province of the office.
    pub office: String,
    /// The number there.
    pub entry: String,
    /// The share capital, in euro.
    pub capital: Option<String>,
}

/// A workspace's settings.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Treats every warning as an error.
    pub refuse_warnings: bool,
    /// The supplier's regime.
    pub fiscal_regime: String,
    /// Why taxes are withheld.
    pub retention_reason: String,
    /// The workspace in the business register.
    pub registration: Option<Registration>,
    /// How the workspace wants to be paid.
    pub payment: Option<Payment>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            refuse_warnings: false,
            fiscal_regime: "RF01".to_owned(),
            retention_reason: "A".to_owned(),
            registration: None,
            payment: None,
        }
    }
}

impl settings::Settings for Settings {
    fn refuse_warnings(&self) -> bool {
        self.refuse_warnings
    }

    fn validate(&self) -> Result<(), String> {
        if !FISCAL_REGIMES.contains(&self.fiscal_regime.as_str()) {
            return Err("fiscal_regime is none of SdI's".to_owned());
        }
        if !RETENTION_REASONS.contains(&self.retention_reason.as_str()) {
            return Err("retention_reason is none of SdI's".to_owned());
        }
        if let Some(registration) = &self.registration {
            let office =
                registration.office.len() == 2 && registration.office.bytes().all(|b| b.is_ascii_uppercase());
            let capital = registration.capital.as_deref().map(str::parse::<Amount>);
            let sound = capital
                .is_none_or(|amount| amount.is_ok_and(|amount| !amount.is_negative() && amount.scale <= 2));
            let entry = registration.entry.trim();
            let entry = (1..=20).contains(&entry.len()) && entry.bytes().all(|b| matches!(b, b' '..=b'~'));
            if !office || !entry || !sound {
                return Err("registration wants office (two letters), entry and perhaps capital".to_owned());
            }
        }
        self.payment.as_ref().map_or(Ok(()), |payment| payment.validate(MEANS))
    }
}

/// JSON Schema of [`Settings`].
pub const SCHEMA: &str = r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","title":"FatturaPA","properties":{"refuse_warnings":{"type":"boolean","title":"Refuse warnings","description":"Treat every warning as an error: an invoice SdI may object to is not issued.","default":false},"fiscal_regime":{"type":"string","enum":["RF01","RF02","RF04","RF05","RF06","RF07","RF08","RF09","RF10","RF11","RF12","RF13","RF14","RF15","RF16","RF17","RF19","RF18"],"title":"Fiscal regime","description":"The supplier's regime (RegimeFiscale): RF01 is the ordinary one, RF19 the flat rate.","default":"RF01"},"retention_reason":{"type":"string","enum":["A","B","C","D","E","F","G","H","I","J","K","L","L1","M","M1","M2","N","O","O1","P","Q","R","S","T","U","V","V1","V2","W","X","Y","ZO"],"title":"Reason of withheld taxes","description":"CausalePagamento of every tax the recipient withholds.","default":"A"},"registration":{"type":"object","title":"Business register (REA)","properties":{"office":{"type":"string","pattern":"^[A-Z]{2}$","title":"Province of the office"},"entry":{"type":"string","minLength":1,"maxLength":20,"pattern":"^[ -~]*[!-~][ -~]*$","title":"Number"},"capital":{"type":"string","pattern":"^[0-9]{1,15}(\\.[0-9]{1,2})?$","title":"Share capital in euro"}},"required":["office","entry"],"additionalProperties":false},"payment":{"type":"object","title":"Payment","description":"How the workspace wants to be paid; needed for invoices with a due date.","properties":{"means":{"type":"string","enum":["cash","cheque","bank-draft","credit-transfer","promissory-note","card","online","debit-transfer","direct-debit","netting"],"title":"Means"},"iban":{"type":"string","minLength":15,"maxLength":42,"title":"IBAN"},"bic":{"type":"string","minLength":8,"maxLength":11,"title":"BIC"},"account_name":{"type":"string","minLength":1,"maxLength":200,"title":"Account holder"}},"required":["means"],"additionalProperties":false}},"additionalProperties":false}"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_exemption_has_its_own_code() {
        let codes: Vec<_> = EXEMPTIONS.iter().map(|exemption| exemption.code).collect();
        assert_eq!(codes.len(), 21);
        assert!(codes.iter().enumerate().all(|(at, code)| !codes[..at].contains(code)));
        let key = |code: &str| code.to_lowercase().replace('.', "_");
        assert!(EXEMPTIONS.iter().all(|exemption| exemption.key == key(exemption.code)));
    }

    #[test]
    fn the_schema_offers_what_the_tables_have() {
        let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap();
        let offered = |pointer: &str| schema.pointer(pointer).unwrap().as_array().unwrap().len();
        assert_eq!(offered("/properties/fiscal_regime/enum"), FISCAL_REGIMES.len());
        assert_eq!(offered("/properties/retention_reason/enum"), RETENTION_REASONS.len());
        assert_eq!(offered("/properties/payment/properties/means/enum"), MEANS.len());
    }
}
