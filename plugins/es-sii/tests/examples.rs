//! The reference's examples, as far as our document can say them.
//!
//! `GOBL_EXAMPLES` names the folder with `es-in` and `es-out`. Without it the figures of the same examples are compared
//! that stand in this file.

#![cfg(test)]

use std::path::Path;

use einvoice_es::harness::DIALECT;
use einvoice_gobl::harness::{self, examples};
use einvoice_plugin::Country;
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

#[test]
fn the_references_examples_are_reproduced() {
    let Some(folder) = std::env::var_os("GOBL_EXAMPLES") else {
        println!("GOBL_EXAMPLES names no folder: the reference's examples were not compared");
        return;
    };
    let folder = Path::new(&folder);
    for (name, ignored) in EXAMPLES {
        let file = format!("{name}.json");
        let (input, output) =
            examples::read(&folder.join("es-in").join(&file), &folder.join("es-out").join(&file)).unwrap();
        let dialect = examples::Dialect { ignored, ..DIALECT };
        let example = examples::example(&input, dialect).unwrap_or_else(|why| panic!("{name}: {why}"));
        let ours = EsSii::convert(&example.invoice, &example.context)
            .unwrap_or_else(|faults| panic!("{name}: {faults:?}"));
        let differences = examples::differences(&ours.body, &output, dialect).unwrap();
        assert!(differences.is_empty(), "{name}: {differences:#?}");
    }
}

/// Lines as quantity, price, tax and product, and the totals the reference prints for them: net, tax, gross.
fn known() -> Vec<(Value, [&'static str; 3])> {
    let line = |quantity: &str, price: &str, tax: Value| json!({"description": "x", "quantity": quantity, "unit_price": price, "tax": tax});
    let untaxed = |exemption: &str| json!({"category": "VAT", "exemption": exemption});
    vec![
        (
            json!([
                line("10", "150.00", untaxed("outside_scope_location")),
                line("5", "200.00", untaxed("outside_scope_location"))
            ]),
            ["2500.00", "0.00", "2500.00"],
        ),
        (json!([line("40", "150.00", untaxed("reverse_charge"))]), ["6000.00", "0.00", "6000.00"]),
        (
            json!([
                line("20", "81.00", json!({"category": "VAT", "rate": "21.0"})),
                line("1", "10.00", json!({"category": "VAT", "rate": "0"}))
            ]),
            ["1630.00", "340.20", "1970.20"],
        ),
    ]
}

#[test]
fn the_figures_are_those_of_the_reference() {
    for (lines, figures) in known() {
        let invoice = harness::invoice(&json!({
            "number": "F-1", "issue_date": "2026-11-20", "lines": lines,
            "recipient": {"type": "company", "name": "Acme", "tax_number": "B85905495", "country": "ES"},
        }));
        let body = EsSii::convert(&invoice.unwrap(), &einvoice_plugin::harness::context()).unwrap().body;
        let document: Value = serde_json::from_str(&body).unwrap();
        let totals = &document["totals"];
        assert_eq!(
            [&totals["total"], &totals["tax"], &totals["total_with_tax"]],
            figures.map(|f| json!(f)).each_ref()
        );
    }
}
