//! What the tests share.

use einvoice_plugin::{Address, Context, Supplier, harness};
use serde_json::{Value, json};

/// A French hotel on 20 November 2026.
pub(crate) fn context() -> Context {
    let text = |text: &str| Some(text.to_owned());
    Context {
        settings: settings().to_string(),
        supplier: Supplier {
            legal_name: "Hôtel des Arts SAS".to_owned(),
            tax_id: "FR44732829320".to_owned(),
            country: "FR".to_owned(),
            address: Some(Address {
                street: text("12 rue de la Paix"),
                locality: text("Paris"),
                region: None,
                postcode: text("75002"),
                country: text("FR"),
            }),
            email: text("facturation@example.fr"),
            ext: Vec::new(),
        },
        ..harness::context()
    }
}

/// The settings of [`context`].
pub(crate) fn settings() -> Value {
    json!({
        "payment_terms": "Paiement à 30 jours.",
        "payment": {"means": "credit-transfer+sepa", "iban": "FR7630006000011234567890189", "account_name": "Hôtel des Arts SAS"}
    })
}
