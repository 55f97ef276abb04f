//! What the tests share.

use einvoice_plugin::{Address, Context, Supplier, harness};

/// A Polish hotel on 20 November 2026, no settings.
pub(crate) fn context() -> Context {
    let text = |text: &str| Some(text.to_owned());
    Context {
        supplier: Supplier {
            legal_name: "Testowa Firma Sp. z o.o.".to_owned(),
            tax_id: "9876543210".to_owned(),
            country: "PL".to_owned(),
            address: Some(Address {
                street: text("ul. Główna 1"),
                locality: text("Warszawa"),
                region: None,
                postcode: text("00-001"),
                country: text("PL"),
            }),
            email: None,
            ext: Vec::new(),
        },
        ..harness::context()
    }
}
