//! Whatever a platform, a provider or a tester sends: an answer, never a panic.

#![cfg(test)]

mod support;

use einvoice_gobl::harness::invoice;
use einvoice_plugin::Invoice;
use eu_peppol::EuPeppol;
use serde_json::json;

const WORDS: &[&str] = &[
    "BE",
    "DE",
    "DK",
    "IS",
    "NL",
    "NO",
    "SE",
    "EUR",
    "0403019261",
    "exempt",
    "outside_scope",
    "383",
    "0088:7300010000001",
    "PEPPOL-EN16931-R003",
    "AP",
    "FD",
    "{}",
];

fn sound() -> Invoice {
    invoice(&json!({
        "number": "F-1", "issue_date": "2026-11-20", "recipient": support::recipient("AT"),
        "lines": [{"description": "Camera", "quantity": "1", "unit_price": "100.00",
                   "tax": {"category": "VAT", "rate": "21.0"}}]
    }))
    .unwrap()
}

einvoice_eu::never_panics! { EuPeppol, WORDS, sound(), support::context_of("BE") }
