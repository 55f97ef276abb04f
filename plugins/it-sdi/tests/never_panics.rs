//! Whatever a platform, a provider or a tester sends: an answer, never a panic.

#![cfg(test)]

mod support;

use einvoice_gobl::harness::invoice;
use einvoice_plugin::Invoice;
use it_sdi::ItSdi;
use serde_json::json;

const WORDS: &[&str] =
    &["IT", "EUR", "RSSGNN60R30H501U", "12345678903", "n4", "n6_1", "TD06", "00404", "MC", "{}"];

fn sound() -> Invoice {
    invoice(&json!({
        "number": "F-1", "issue_date": "2026-11-20",
        "recipient": {"type": "company", "name": "Mela", "tax_number": "13029381004", "country": "IT",
                      "address": {"street": "Via X 1", "locality": "Roma", "postcode": "00100", "country": "IT"}},
        "lines": [{"description": "Camera", "quantity": "1", "unit_price": "100.00",
                   "tax": {"category": "VAT", "rate": "10.0"}}]
    }))
    .unwrap()
}

einvoice_eu::never_panics! { ItSdi, WORDS, sound(), support::context(), answers }
