//! What the tests share.

use einvoice_plugin::{Address, Context, Supplier, harness};

/// A Greek hotel on 20 November 2026, no settings.
pub(crate) fn context() -> Context {
    let text = |text: &str| Some(text.to_owned());
    Context {
        supplier: Supplier {
            legal_name: "Ξενοδοχείο Αιγαίο Α.Ε.".to_owned(),
            tax_id: "EL094259216".to_owned(),
            country: "GR".to_owned(),
            address: Some(Address {
                street: text("Οδός Εγνατίας 45"),
                locality: text("Θεσσαλονίκη"),
                region: None,
                postcode: text("54625"),
                country: text("GR"),
            }),
            email: None,
            ext: Vec::new(),
        },
        now: "2026-11-20T09:30:00+02:00".to_owned(),
        ..harness::context()
    }
}
