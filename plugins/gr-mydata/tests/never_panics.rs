//! Whatever a platform, a provider or a tester sends: an answer, never a panic.

#![cfg(test)]

mod support;

use einvoice_gobl::harness::invoice;
use einvoice_plugin::Invoice;
use gr_mydata::GrMydata;
use serde_json::json;

const WORDS: &[&str] =
    &["GR", "EL", "EUR", "094259216", "841442160", "e14", "e16", "11.2", "5.2", "233", "category1_1", "{}"];

fn sound() -> Invoice {
    invoice(&json!({
        "number": "1", "issue_date": "2026-11-20",
        "recipient": {"type": "company", "name": "Αιγαίο", "tax_number": "841442160", "country": "GR",
                      "address": {"street": "Οδός 1", "locality": "Αθήνα", "postcode": "11636", "country": "GR"}},
        "lines": [{"description": "Δωμάτιο", "quantity": "1", "unit_price": "100.00",
                   "tax": {"category": "VAT", "rate": "13.0"}}]
    }))
    .unwrap()
}

einvoice_eu::never_panics! { GrMydata, WORDS, sound(), support::context() }
