//! What the tests share.

use einvoice_plugin::{Address, Context, Supplier, harness};

/// An Italian hotel on 20 November 2026, no settings.
pub(crate) fn context() -> Context {
    let text = |text: &str| Some(text.to_owned());
    Context {
        supplier: Supplier {
            legal_name: "Hotel California S.r.l.".to_owned(),
            tax_id: "IT12345678903".to_owned(),
            country: "IT".to_owned(),
            address: Some(Address {
                street: text("Via California 102"),
                locality: text("Palermo"),
                region: text("PA"),
                postcode: text("90133"),
                country: text("IT"),
            }),
            email: None,
            ext: Vec::new(),
        },
        ..harness::context()
    }
}
