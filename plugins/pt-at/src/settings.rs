//! A workspace's settings.

use einvoice_eu::payment::Payment;
use einvoice_eu::settings;
use serde::Deserialize;

use crate::number::is_validation_code;
use crate::tables::{DOC_TYPES, MAINLAND, MEANS, PRODUCT_TYPES, REGIONS};

/// The highest number of a certificate that is read.
const CERTIFICATE_MAX: u32 = 99_999_999;
/// Series that may be registered.
const SERIES_MAX: usize = 100;

/// A series of documents that is registered with the AT.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// Of which documents: `FT`.
    #[serde(rename = "type")]
    pub doc_type: String,
    /// What stands between type and slash.
    pub series: String,
    /// The validation code that the AT gave for it.
    pub code: String,
}

/// A workspace's settings.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Treats every warning as an error.
    pub refuse_warnings: bool,
    /// The number under which the AT certified the provider's program; nought without a certificate.
    pub certificate_number: u32,
    /// The series, one for each type of document at least.
    pub series: Vec<Series>,
    /// Where taxes are due unless a document says otherwise.
    pub region: String,
    /// What is sold unless a document says otherwise (`ProductType`).
    pub product_type: String,
    /// Whether the workspace is a retailer, whose simplified invoices may come to more.
    pub retail: bool,
    /// Whether VAT is due when it is paid (`CashVATSchemeIndicator`).
    pub cash_vat: bool,
    /// How the workspace wants to be paid.
    pub payment: Option<Payment>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            refuse_warnings: false,
            certificate_number: 0,
            series: Vec::new(),
            region: MAINLAND.to_owned(),
            product_type: "S".to_owned(),
            retail: false,
            cash_vat: false,
            payment: None,
        }
    }
}

impl Settings {
    /// The validation code of a series.
    pub fn validation_code(&self, doc_type: &str, series: &str) -> Option<&str> {
        let is_it = |one: &&Series| one.doc_type == doc_type && one.series == series;
        self.series.iter().find(is_it).map(|one| one.code.as_str())
    }

    /// Whether a type of document has any series.
    pub fn has_series_of(&self, doc_type: &str) -> bool {
        self.series.iter().any(|one| one.doc_type == doc_type)
    }
}

impl settings::Settings for Settings {
    fn refuse_warnings(&self) -> bool {
        self.refuse_warnings
    }

    fn validate(&self) -> Result<(), String> {
        if self.certificate_number > CERTIFICATE_MAX {
            return Err("certificate_number has more than eight digits".to_owned());
        }
        if !REGIONS.contains(&self.region.as_str()) {
            return Err("region is none of PT, PT-AC and PT-MA".to_owned());
        }
        if !PRODUCT_TYPES.contains(&self.product_type.as_str()) {
            return Err("product_type is none of P, S, O, E and I".to_owned());
        }
        if self.series.len() > SERIES_MAX {
            return Err("series has more than a hundred entries".to_owned());
        }
        for (at, one) in self.series.iter().enumerate() {
            if !DOC_TYPES.contains(&one.doc_type.as_str())
                || !is_series(&one.series)
                || !is_validation_code(&one.code)
            {
                return Err(format!("series/{at} wants type, series and the validation code of the AT"));
            }
        }
        self.payment.as_ref().map_or(Ok(()), |payment| payment.validate(MEANS))
    }
}

/// Whether a text names a series: up to 35 letters, digits, dots, hyphens and underscores.
fn is_series(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    (1..=35).contains(&text.len()) && text.bytes().all(plain)
}

/// JSON Schema of [`Settings`].
pub const SCHEMA: &str = r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","title":"AT","properties":{"refuse_warnings":{"type":"boolean","title":"Refuse warnings","description":"Treat every warning as an error: an invoice the AT may object to is not issued.","default":false},"certificate_number":{"type":"integer","minimum":0,"maximum":99999999,"title":"Certificate number","description":"The number under which the AT certified the program that signs the documents; 0 without a certificate.","default":0},"series":{"type":"array","maxItems":100,"title":"Series","description":"The series that are registered with the AT: one for each type of document at least.","items":{"type":"object","properties":{"type":{"type":"string","enum":["FT","FS","FR","NC","ND"],"title":"Type of document"},"series":{"type":"string","pattern":"^[A-Za-z0-9._-]{1,35}$","title":"Series","description":"What stands between type and slash: A2026 in FT A2026/1."},"code":{"type":"string","pattern":"^[A-Z0-9]{8,16}$","title":"Validation code","description":"The code that the AT gave for the series."}},"required":["type","series","code"],"additionalProperties":false}},"region":{"type":"string","enum":["PT","PT-AC","PT-MA"],"title":"Tax region","description":"Where taxes are due unless a document says otherwise: the mainland, the Azores or Madeira.","default":"PT"},"product_type":{"type":"string","enum":["P","S","O","E","I"],"title":"What is sold","description":"ProductType unless a document says otherwise: S services, P goods, O other, E excise duties, I fees.","default":"S"},"retail":{"type":"boolean","title":"Retailer","description":"Simplified invoices of retailers may come to 1000 EUR, those of others to 100 EUR.","default":false},"cash_vat":{"type":"boolean","title":"VAT on cash","description":"VAT is due when it is paid (regime de IVA de caixa).","default":false},"payment":{"type":"object","title":"Payment","description":"How the workspace wants to be paid; an invoice-receipt was paid so unless it says otherwise.","properties":{"means":{"type":"string","enum":["card","card+debit","cash","cheque","credit-transfer","debit-transfer","direct-debit","netting","online","promissory-note","other"],"title":"Means"},"iban":{"type":"string","minLength":15,"maxLength":42,"title":"IBAN"},"bic":{"type":"string","minLength":8,"maxLength":11,"title":"BIC"},"account_name":{"type":"string","minLength":1,"maxLength":200,"title":"Account holder"}},"required":["means"],"additionalProperties":false}},"additionalProperties":false}"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_offers_what_the_tables_have() {
        let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap();
        let offered = |pointer: &str| -> Vec<String> {
            serde_json::from_value(schema.pointer(pointer).unwrap().clone()).unwrap()
        };
        assert_eq!(offered("/properties/series/items/properties/type/enum"), DOC_TYPES);
        assert_eq!(offered("/properties/region/enum"), REGIONS);
        assert_eq!(offered("/properties/product_type/enum"), PRODUCT_TYPES);
        let means: Vec<_> = MEANS.iter().map(|(key, _)| *key).collect();
        assert_eq!(offered("/properties/payment/properties/means/enum"), means);
    }
}
