//! What special regimes demand of the document around their lines.

#![cfg(test)]

use einvoice_es::harness::{found, sound_document};
use einvoice_plugin::harness::context;
use es_verifactu::{EsVerifactu, faults};
use serde_json::{Value, json};

const COMPANY: &str = "B85905495";
const TOWN: &str = "P2807900B";

/// An invoice to a company with this NIF, with two lines under a regime.
fn under_regime(regime: &str, tax: &Value, nif: &str) -> Value {
    let mut document = sound_document();
    document["ext"] = json!({ "regime": regime });
    document["prices_include_tax"] = json!(false);
    document["recipient"] = json!({"type": "company", "name": "Acme", "tax_number": nif, "country": "ES"});
    document["lines"][0]["tax"] = tax.clone();
    let line = document["lines"][0].clone();
    document["lines"].as_array_mut().unwrap().push(line);
    document
}

fn vat() -> Value {
    json!({"category": "VAT", "rate": "21.0"})
}

/// Codes and paths of the faults of a document.
fn faults_of(document: &Value) -> Vec<(String, String)> {
    found::<EsVerifactu>(document, context(), |_, _| {}).unwrap()
}

fn expected(faults: &[(&str, &str)]) -> Vec<(String, String)> {
    faults.iter().map(|(code, path)| ((*code).to_owned(), (*path).to_owned())).collect()
}

#[test]
fn certified_works_go_to_public_bodies_before_the_operation() {
    let mut works = under_regime("14", &vat(), TOWN);
    let without_date = expected(&[(faults::REGIME_OPERATION_DATE, "/operation_date")]);
    assert_eq!(faults_of(&works), without_date);
    works["operation_date"] = json!("2026-11-19");
    assert_eq!(faults_of(&works), without_date);
    works["operation_date"] = json!("2027-01-31");
    assert_eq!(faults_of(&works), []);
    works["operation_date"] = json!("2028-01-01");
    assert_eq!(faults_of(&works), expected(&[(faults::OPERATION_DATE_LATE, "/operation_date")]));
    let mut works = under_regime("14", &vat(), COMPANY);
    works["operation_date"] = json!("2027-01-31");
    assert_eq!(faults_of(&works), expected(&[(faults::REGIME_RECIPIENT, "/recipient")]));
    (works["document_type"], works["recipient"]) = (json!("simplified_invoice"), Value::Null);
    let both = [(faults::REGIME_DOC_TYPE, "/document_type"), (faults::REGIME_RECIPIENT, "/recipient")];
    assert_eq!(faults_of(&works), expected(&both));
}

#[test]
fn collections_for_third_parties_are_invoices_to_recipients_with_a_nif() {
    let outside = json!({"category": "VAT", "exemption": "outside_scope"});
    let mut collection = under_regime("10", &outside, COMPANY);
    assert_eq!(faults_of(&collection), []);
    collection["recipient"] = sound_document()["recipient"].clone();
    assert_eq!(faults_of(&collection), expected(&[(faults::REGIME_RECIPIENT, "/recipient")]));
    collection["recipient"]["identity_document"]["number"] = json!(" ");
    let wrong = [(faults::IDENTITY_MISSING, "/recipient/identity_document/number")];
    assert_eq!(faults_of(&collection), expected(&wrong), "who it is of is unknown");
}

#[test]
fn only_works_and_continuing_supplies_are_billed_ahead() {
    let late = [(faults::OPERATION_DATE_LATE, "/operation_date")];
    for (regime, wrong) in [("15", &[][..]), ("05", &late)] {
        let mut ahead = under_regime(regime, &vat(), COMPANY);
        ahead["operation_date"] = json!("2026-12-31");
        assert_eq!(faults_of(&ahead), expected(wrong), "{regime}");
    }
}

#[test]
fn what_a_line_breaks_is_reported_of_each_line() {
    let wrong = [(faults::REGIME_TREATMENT, "/lines/0/tax"), (faults::REGIME_TREATMENT, "/lines/1/tax")];
    assert_eq!(faults_of(&under_regime("08", &vat(), COMPANY)), expected(&wrong));
}
