//! The reference's examples, as far as our document can say them.
//!
//! `GOBL_EXAMPLES` names the folder with `es-in` and `es-out`. Without it the figures of the same examples are compared
//! that stand in this file.

#![cfg(test)]

use einvoice_es::harness::{self, line, reproduced, untaxed};
use es_sii::EsSii;
use serde_json::{Value, json};

/// Examples that our document can say, and members that differ on purpose: companies abroad are identities of type 04,
/// which the agency does not look up in VIES; a type that a document does not say is R4.
const EXAMPLES: &[(&str, &[&str])] = &[
    ("invoice-es-es-sii", &[]),
    ("invoice-es-es-sii-N2", &["customer/tax_id", "customer/identities"]),
    ("invoice-es-es-sii-replacement", &[]),
    ("invoice-es-es-sii-credit-note-no-preceding", &["tax/ext/es-sii-doc-type"]),
];

/// Examples that our document cannot say, and why.
const BEYOND: &[(&str, &str)] = &[
    ("invoice-es-es-sii-corrective", "our document has no type corrective"),
    ("invoice-es-es-sii-self-billed", "our document has no tag \"self-billed\""),
];

#[test]
fn the_references_examples_are_reproduced() {
    assert_eq!(reproduced::<EsSii>(EXAMPLES, BEYOND), Ok(()));
}

/// Lines as quantity, price, tax and product, and the totals the reference prints for them: net, tax, gross.
fn known() -> Vec<(Value, [&'static str; 3])> {
    vec![
        (
            json!([
                line("10", "150.00", &untaxed("outside_scope_location")),
                line("5", "200.00", &untaxed("outside_scope_location"))
            ]),
            ["2500.00", "0.00", "2500.00"],
        ),
        (json!([line("40", "150.00", &untaxed("reverse_charge"))]), ["6000.00", "0.00", "6000.00"]),
        (
            json!([
                line("20", "81.00", &json!({"category": "VAT", "rate": "21.0"})),
                line("1", "10.00", &json!({"category": "VAT", "rate": "0"}))
            ]),
            ["1630.00", "340.20", "1970.20"],
        ),
    ]
}

#[test]
fn the_figures_are_those_of_the_reference() {
    for (lines, figures) in known() {
        let document = json!({
            "number": "F-1", "issue_date": "2026-11-20", "lines": lines,
            "recipient": {"type": "company", "name": "Acme", "tax_number": "B85905495", "country": "ES"},
        });
        assert_eq!(harness::figures::<EsSii>(&document), Ok(figures.map(str::to_owned)));
    }
}
