//! Every case under `tests/golden/es-tbai/cases` converts to its file under `expected`.

#![cfg(test)]

use einvoice_gobl::harness::golden::{self, Suite};
use einvoice_plugin::{Authority, Context, Submission};
use es_tbai::EsTbai;
use serde_json::Value;

/// A company in Bizkaia.
fn bizkaia() -> Context {
    let mut context = golden::usual();
    context.settings = r#"{"description":"Accommodation services"}"#.to_owned();
    if let Some(address) = &mut context.supplier.address {
        address.street = Some("San Frantzisko 42".to_owned());
        address.locality = Some("Bilbo".to_owned());
        address.region = Some("Bizkaia".to_owned());
        address.postcode = Some("48003".to_owned());
    }
    context
}

fn suite() -> Suite<EsTbai> {
    Suite::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/es-tbai"), bizkaia)
}

#[test]
fn every_case_converts_to_its_golden_file() {
    suite().compare().unwrap_or_else(|differences| panic!("{differences}"));
}

#[test]
fn the_figures_of_every_document_are_those_of_the_invoice() {
    assert_eq!(suite().figures(), Ok(()));
}

#[test]
fn every_document_fits_the_formats_schemas() {
    assert_eq!(suite().schemas(), Ok(()));
}

#[test]
fn every_document_has_what_the_add_on_demands() {
    for (name, (document, _)) in suite().documents().unwrap() {
        assert!(document["tax"]["ext"]["es-tbai-region"].is_string(), "{name}");
        assert_eq!(document["notes"][0]["key"], "general", "{name}");
        let simplified = document["$tags"].is_array();
        assert_eq!(document["tax"]["ext"]["es-tbai-simplified"].is_string(), simplified, "{name}");
        let customer = &document["customer"];
        let identified = customer["tax_id"].is_object() || customer["identities"].is_array();
        assert!(simplified || identified, "{name}");
        let corrects = document["type"] != "standard";
        let preceding = document["preceding"].as_array().map_or(&[][..], Vec::as_slice);
        assert_eq!(corrects, !preceding.is_empty(), "{name}");
        assert!(preceding.iter().all(|one| one["ext"]["es-tbai-correction"].is_string()), "{name}");
        for combo in combos(&document) {
            let ext = &combo["ext"];
            assert!(ext["es-tbai-regime"].is_string(), "{name}");
            assert!(combo["key"] != "exempt" || ext["es-tbai-exemption"].is_string(), "{name}");
            assert_eq!(combo["cat"] == "VAT", ext["es-tbai-product"].is_string(), "{name}");
        }
    }
}

/// The taxes of all lines, without what is withheld.
fn combos(document: &Value) -> Vec<Value> {
    let of_line = |line: &Value| line["taxes"][0].clone();
    document["lines"].as_array().unwrap().iter().map(of_line).collect()
}

#[test]
fn the_treasury_takes_every_document() {
    for (name, (document, _)) in suite().documents().unwrap() {
        let submission = Submission {
            document: document.to_string(),
            now: golden::usual().now,
            previous: None,
            registered: None,
            amends: None,
            forced_code: None,
        };
        let outcome = EsTbai::submit(&submission).unwrap();
        assert!(outcome.accepted, "{name}: {:?}", outcome.faults);
        assert_eq!(outcome.stamps.len(), 2, "{name}");
    }
}
