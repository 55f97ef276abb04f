//! The reference's examples, as far as our document can say them.
//!
//! `GOBL_EXAMPLES` names the folder with `es-in` and `es-out`. Without it the figures of the same examples are compared
//! that stand in this file.

#![cfg(test)]

use std::path::Path;

use einvoice_es::harness::{self, DIALECT, line, reproduced, untaxed};
use einvoice_gobl::harness::examples::{self, Dialect};
use einvoice_plugin::{Address, Country, Recipient};
use es_tbai::{EsTbai, faults};
use serde_json::{Value, json};

/// Examples that our document can say, and members that differ on purpose: companies abroad are identities of type 04,
/// which the agency does not look up in VIES, and services that are said to be so are items of that key.
const EXAMPLES: &[(&str, &[&str])] = &[
    ("invoice-es-gb-tbai-passport", &[]),
    ("invoice-es-es-tbai-equivalence", &[]),
    ("invoice-es-de-tbai-reverse-charge", &["customer/tax_id", "customer/identities"]),
    ("invoice-es-fr-tbai-export", &["customer/tax_id", "customer/identities"]),
    ("invoice-es-nl-tbai-exempt", &["customer/tax_id", "customer/identities", "lines/*/item/key"]),
    ("credit-note-es-es-tbai", &[]),
];

/// Examples that our document cannot say, and why.
const BEYOND: &[(&str, &str)] = &[
    ("invoice-es-fr-tbai-foreign-vat", "our document has no taxes of other countries"),
    ("invoice-es-nl-tbai-b2c", "our document has no taxes of other countries"),
];

#[test]
fn the_references_examples_are_reproduced() {
    assert_eq!(reproduced::<EsTbai>(EXAMPLES, BEYOND), Ok(()));
}

/// An invoice in Gipuzkoa whose recipient has no address: the add-on takes it, the treasury does not.
#[test]
fn an_example_is_reproduced_once_its_recipient_has_the_address_that_gipuzkoa_wants() {
    const NAME: &str = "invoice-es-es-tbai-simplified.json";
    let Some(folder) = std::env::var_os("GOBL_EXAMPLES") else {
        eprintln!("did not run: GOBL_EXAMPLES names no folder with the reference's examples");
        return;
    };
    let file = |way: &str| Path::new(&folder).join(way).join(NAME);
    let (input, output) = examples::read(&file("es-in"), &file("es-out")).unwrap();
    let dialect = Dialect { ignored: &["customer/addresses"], ..DIALECT };
    let mut example = examples::example(&input, dialect).unwrap();
    let refused = EsTbai::convert(&example.invoice, &example.context).unwrap_err();
    assert_eq!(refused[0].code, faults::ADDRESS_MISSING);
    let Some(Recipient::Company(company)) = &mut example.invoice.recipient else {
        panic!("{:?}", example.invoice.recipient)
    };
    let [street, locality, postcode] =
        ["Calle Mayor 1", "Donostia", "20003"].map(|part| Some(part.to_owned()));
    company.address = Some(Address { street, locality, region: None, postcode, country: None });
    let ours = EsTbai::convert(&example.invoice, &example.context).unwrap().body;
    assert_eq!(examples::differences(&ours, &output, dialect), Ok(Vec::new()));
}

/// Lines as quantity, price, tax and product, and the totals the reference prints for them: net, tax, gross.
fn known() -> Vec<(Value, [&'static str; 3])> {
    vec![
        (json!([line("2", "75.00", &untaxed("outside_scope_location"))]), ["150.00", "0.00", "150.00"]),
        (
            json!([line("100", "5.00", &json!({"category": "VAT", "rate": "21.0", "surcharge": "5.2"}))]),
            ["500.00", "131.00", "631.00"],
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
            "number": "F-1", "issue_date": "2026-11-20", "notes": "Stay", "lines": lines, "ext": {"region": "BI"},
            "recipient": {"type": "company", "name": "Acme", "tax_number": "B85905495", "country": "ES"},
        });
        assert_eq!(harness::figures::<EsTbai>(&document), Ok(figures.map(str::to_owned)));
    }
}
