//! What the tests share.

use einvoice_plugin::{Address, Context, Supplier, harness};
use serde_json::{Value, json};

/// Series of every type of document.
pub(crate) fn settings() -> Value {
    let codes =
        [("FT", "CSDF7T5H"), ("FS", "CDF7T5HD"), ("FR", "JFX2K9QW"), ("NC", "JFX3M4RT"), ("ND", "JFX5P6VZ")];
    let series = codes.map(|(kind, code)| json!({"type": kind, "series": "A", "code": code}));
    json!({"certificate_number": 9999, "series": series})
}

/// A Portuguese hotel on 20 November 2026.
pub(crate) fn context() -> Context {
    let text = |text: &str| Some(text.to_owned());
    Context {
        supplier: Supplier {
            legal_name: "Hotel Atlântico, Lda.".to_owned(),
            tax_id: "PT545259045".to_owned(),
            country: "PT".to_owned(),
            address: Some(Address {
                street: text("Av. da Liberdade 102"),
                locality: text("Lisboa"),
                region: None,
                postcode: text("1250-096"),
                country: text("PT"),
            }),
            email: None,
            ext: Vec::new(),
        },
        settings: settings().to_string(),
        ..harness::context()
    }
}
