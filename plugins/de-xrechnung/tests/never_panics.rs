//! Whatever a platform, a provider or a tester sends: an answer, never a panic.

#![cfg(test)]

mod support;

use de_xrechnung::DeXrechnung;
use einvoice_gobl::harness::invoice;
use einvoice_plugin::Invoice;
use serde_json::json;

const WORDS: &[&str] =
    &["DE", "EUR", "111111125", "92/345/67894", "exempt", "outside_scope", "326", "BR-DE-15", "AP", "{}"];

fn sound() -> Invoice {
    invoice(&json!({
        "number": "F-1", "issue_date": "2026-11-20",
        "recipient": {"type": "company", "name": "Sample", "tax_number": "282741168", "country": "DE", "email": "a@b.de",
                      "address": {"locality": "Walldorf", "postcode": "69190", "country": "DE"}},
        "lines": [{"description": "Camera", "quantity": "1", "unit_price": "100.00",
                   "tax": {"category": "VAT", "rate": "7.0"}}]
    }))
    .unwrap()
}

einvoice_eu::never_panics! { DeXrechnung, WORDS, sound(), support::context() }
