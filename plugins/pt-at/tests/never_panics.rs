//! Whatever a platform, a provider or a tester sends: an answer, never a panic.

#![cfg(test)]

mod support;

use einvoice_gobl::harness::invoice;
use einvoice_plugin::Invoice;
use pt_at::PtAt;
use serde_json::json;

const WORDS: &[&str] = &[
    "PT",
    "EUR",
    "PT-AC",
    "545259045",
    "m07",
    "m99",
    "FR",
    "FT A/1",
    "CSDF7T5H-1",
    "DUPLICATE",
    "LATE",
    "{}",
];

fn sound() -> Invoice {
    invoice(&json!({
        "number": "FT A/1", "issue_date": "2026-11-20",
        "recipient": {"type": "company", "name": "Maçã", "tax_number": "508641233", "country": "PT"},
        "lines": [{"description": "Quarto", "quantity": "1", "unit_price": "100.00",
                   "tax": {"category": "VAT", "rate": "6.0"}}]
    }))
    .unwrap()
}

einvoice_eu::never_panics! { PtAt, WORDS, sound(), support::context() }
