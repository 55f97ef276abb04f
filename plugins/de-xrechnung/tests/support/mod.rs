//! What the tests share.

use einvoice_plugin::{Address, Context, Supplier, harness};
use serde_json::{Value, json};

/// A German hotel on 20 November 2026, with what every document needs in its settings.
pub(crate) fn context() -> Context {
    let text = |text: &str| Some(text.to_owned());
    Context {
        settings: settings().to_string(),
        supplier: Supplier {
            legal_name: "Provide One GmbH".to_owned(),
            tax_id: "DE111111125".to_owned(),
            country: "DE".to_owned(),
            address: Some(Address {
                street: text("Dietmar-Hopp-Allee 16"),
                locality: text("Walldorf"),
                region: None,
                postcode: text("69190"),
                country: text("DE"),
            }),
            email: text("billing@example.com"),
            ext: Vec::new(),
        },
        ..harness::context()
    }
}

/// The settings of [`context`].
pub(crate) fn settings() -> Value {
    json!({
        "contact": {"given": "John", "surname": "Doe", "phone": "+49100200300"},
        "buyer_reference": "12345",
        "payment_terms": "Zahlbar innerhalb von 10 Tagen",
        "payment": {"means": "credit-transfer+sepa", "iban": "DE89370400440532013000", "account_name": "Random Bank Co."}
    })
}
