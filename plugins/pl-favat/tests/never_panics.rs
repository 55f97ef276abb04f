//! Whatever a platform, a provider or a tester sends: an answer, never a panic.

#![cfg(test)]

mod support;

use einvoice_gobl::harness::invoice;
use einvoice_plugin::Invoice;
use pl_favat::PlFavat;
use serde_json::json;

const WORDS: &[&str] =
    &["PL", "PLN", "9876543210", "exempt", "reverse_charge", "ZAL", "KOR", "440", "200", "{}"];

fn sound() -> Invoice {
    invoice(&json!({
        "number": "F-1", "issue_date": "2026-11-20", "currency": "PLN",
        "recipient": {"type": "company", "name": "Klient", "tax_number": "9876543210", "country": "PL"},
        "lines": [{"description": "Nocleg", "quantity": "1", "unit_price": "100.00",
                   "tax": {"category": "VAT", "rate": "8.0"}}]
    }))
    .unwrap()
}

einvoice_eu::never_panics! { PlFavat, WORDS, sound(), support::context(), answers }
