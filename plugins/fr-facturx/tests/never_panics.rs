//! Whatever a platform, a provider or a tester sends: an answer, never a panic.

#![cfg(test)]

mod support;

use einvoice_gobl::harness::invoice;
use einvoice_plugin::Invoice;
use fr_facturx::FrFacturx;
use serde_json::json;

const WORDS: &[&str] = &[
    "FR",
    "EUR",
    "732829320",
    "73282932000074",
    "exempt",
    "franchise",
    "386",
    "BR-FR-10_BT-30",
    "B2C",
    "S1",
    "213",
    "0225:732829320",
    "{}",
];

fn sound() -> Invoice {
    invoice(&json!({
        "number": "F-1", "issue_date": "2026-11-20",
        "recipient": {"type": "company", "name": "Sample", "tax_number": "356000000", "country": "FR", "email": "a@b.fr",
                      "address": {"locality": "Lyon", "postcode": "69002", "country": "FR"}},
        "lines": [{"description": "Nuit", "quantity": "1", "unit_price": "100.00",
                   "tax": {"category": "VAT", "rate": "10"}}]
    }))
    .unwrap()
}

einvoice_eu::never_panics! { FrFacturx, WORDS, sound(), support::context(), answers }
