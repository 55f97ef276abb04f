//! Every case under `tests/golden/es-tbai/cases` converts to its file under `expected`.

#![cfg(test)]

use einvoice_es::harness::combos;
use einvoice_gobl::harness::golden;
use es_tbai::EsTbai;

einvoice_gobl::golden_tests! { EsTbai, "es-tbai", golden::usual, addon "es-tbai-v1" }

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

#[test]
fn the_treasury_stamps_every_document_twice() {
    for (name, outcome) in suite().outcomes().unwrap() {
        assert_eq!(outcome.stamps.len(), 2, "{name}");
    }
}
