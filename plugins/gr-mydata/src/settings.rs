//! A workspace's settings.

use einvoice_eu::payment::Payment;
use einvoice_eu::settings;
use serde::Deserialize;

use crate::tables::MEANS;

/// What a workspace may earn its income from, unless a line says otherwise: goods, own products, services.
pub const USUAL_CATEGORIES: [&str; 3] = ["category1_1", "category1_2", SERVICES];
/// Income from services.
pub const SERVICES: &str = "category1_3";

/// What stands for no series.
pub const NO_SERIES: &str = "0";
/// Characters of a series.
const SERIES_CHARS_MAX: usize = 50;

/// A workspace's settings.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Treats every warning as an error.
    pub refuse_warnings: bool,
    /// The series of all its documents.
    pub series: String,
    /// What the income is from.
    pub income_category: String,
    /// How the workspace wants to be paid.
    pub payment: Option<Payment>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            refuse_warnings: false,
            series: NO_SERIES.to_owned(),
            income_category: SERVICES.to_owned(),
            payment: None,
        }
    }
}

impl Settings {
    /// Whether documents are about goods, unless they say otherwise.
    pub fn sells_goods(&self) -> bool {
        self.income_category != SERVICES
    }
}

impl settings::Settings for Settings {
    fn refuse_warnings(&self) -> bool {
        self.refuse_warnings
    }

    fn validate(&self) -> Result<(), String> {
        let is_series = (1..=SERIES_CHARS_MAX).contains(&self.series.len())
            && self.series.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !is_series {
            return Err("series is not 1 to 50 letters and digits".to_owned());
        }
        if !USUAL_CATEGORIES.contains(&self.income_category.as_str()) {
            return Err("income_category is none of category1_1, category1_2, category1_3".to_owned());
        }
        self.payment.as_ref().map_or(Ok(()), |payment| payment.validate(MEANS))
    }
}

/// JSON Schema of [`Settings`].
pub const SCHEMA: &str = r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","title":"myDATA","properties":{"refuse_warnings":{"type":"boolean","title":"Refuse warnings","description":"Treat every warning as an error: an invoice myDATA may object to is not issued.","default":false},"series":{"type":"string","minLength":1,"maxLength":50,"pattern":"^[A-Za-z0-9]+$","title":"Series","description":"The series that all documents are numbered in; 0 stands for none.","default":"0"},"income_category":{"type":"string","enum":["category1_1","category1_2","category1_3"],"title":"Source of income","description":"What lines are, unless they say otherwise: category1_1 goods, category1_2 own products, category1_3 services. It decides between documents of goods (1.1, 11.1) and of services (2.1, 11.2) too.","default":"category1_3"},"payment":{"type":"object","title":"Payment","description":"How documents are paid, unless they say otherwise; without it they are on credit.","properties":{"means":{"type":"string","enum":["credit-transfer","credit-transfer+foreign","cash","cheque","promissory-note","online","card"],"title":"Means"},"iban":{"type":"string","minLength":15,"maxLength":42,"title":"IBAN"},"bic":{"type":"string","minLength":8,"maxLength":11,"title":"BIC"},"account_name":{"type":"string","minLength":1,"maxLength":200,"title":"Account holder"}},"required":["means"],"additionalProperties":false}},"additionalProperties":false}"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_offers_what_the_tables_have() {
        let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap();
        let offered = |pointer: &str| schema.pointer(pointer).unwrap().as_array().unwrap().clone();
        assert_eq!(offered("/properties/income_category/enum"), USUAL_CATEGORIES);
        let means: Vec<_> = MEANS.iter().map(|(key, _)| *key).collect();
        assert_eq!(offered("/properties/payment/properties/means/enum"), means);
    }
}
