//! Every case under `tests/golden/es-verifactu/cases` converts to its file under `expected`.

#![cfg(test)]

use einvoice_gobl::harness::golden::{self, Suite};
use einvoice_plugin::{Authority, Submission};
use es_verifactu::EsVerifactu;
use serde_json::{Value, json};

fn suite() -> Suite<EsVerifactu> {
    Suite::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/es-verifactu"), golden::usual)
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
fn the_only_tags_are_those_from_which_the_format_derives_the_type() {
    for (name, (document, _)) in suite().documents().unwrap() {
        let tags = match document["tax"]["ext"]["es-verifactu-doc-type"].as_str().unwrap() {
            "F2" | "R5" => json!(["simplified"]),
            "F3" => json!(["replacement"]),
            _ => Value::Null,
        };
        assert_eq!(document["$tags"], tags, "{name}");
    }
}

#[test]
fn no_simplified_document_identifies_its_recipient() {
    let mut named = 0;
    for (name, (document, _)) in suite().documents().unwrap() {
        let customer = &document["customer"];
        if document["$tags"] == json!(["simplified"]) {
            assert!(customer["tax_id"].is_null() && customer["identities"].is_null(), "{name}");
            named += usize::from(customer.is_object());
        } else {
            assert!(customer["tax_id"].is_object() || customer["identities"].is_array(), "{name}");
        }
    }
    assert!(named > 0);
}

#[test]
fn the_agency_takes_every_document() {
    for (name, (document, _)) in suite().documents().unwrap() {
        let submission = Submission {
            document: document.to_string(),
            now: golden::usual().now,
            previous: None,
            registered: None,
            amends: None,
            forced_code: None,
        };
        let outcome = EsVerifactu::submit(&submission).unwrap();
        assert!(outcome.accepted, "{name}: {:?}", outcome.faults);
    }
}
