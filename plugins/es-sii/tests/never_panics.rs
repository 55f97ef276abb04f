//! Whatever a platform, a provider or a tester sends: an answer, never a panic.

#![cfg(test)]

use es_sii::EsSii;
use serde_json::{Value, json};

fn sound_document() -> Value {
    json!({
        "number": "F-1", "issue_date": "2026-11-20",
        "recipient": {"type": "company", "name": "Acme", "tax_number": "B85905495", "country": "ES"},
        "lines": [{"description": "Night", "quantity": "1", "unit_price": "1.00", "tax": {"category": "VAT", "rate": "21.0"}}]
    })
}

einvoice_es::never_panics! { EsSii, sound_document(), answers }
