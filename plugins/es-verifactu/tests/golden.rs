//! Every case under `tests/golden/es-verifactu/cases` converts to its file under `expected`.

#![cfg(test)]

use einvoice_gobl::harness::golden;
use es_verifactu::EsVerifactu;
use serde_json::{Value, json};

einvoice_gobl::golden_tests! { EsVerifactu, "es-verifactu", golden::usual, addon "es-verifactu-v1" }

#[test]
fn the_authority_takes_every_document_with_other_lines_and_writes_back() {
    let codes: Vec<_> = einvoice_es::authority::codes().collect();
    assert_eq!(suite().written_back(&codes).err(), None);
}

#[test]
fn every_code_of_the_authority_has_a_case_and_its_verdict() {
    let codes = einvoice_es::authority::codes();
    assert_eq!(suite().reports("company_spanish", codes), Ok(()));
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
