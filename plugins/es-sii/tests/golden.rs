//! Every case under `tests/golden/es-sii/cases` converts to its file under `expected`; what goes to the agency for some of
//! them stands under `payloads`.

#![cfg(test)]

use std::fs;
use std::path::Path;

use einvoice_es::harness::combos;
use einvoice_gobl::harness::{self, golden};
use einvoice_plugin::{Authority, Submission};
use es_sii::EsSii;
use serde_json::{Value, json};

einvoice_gobl::golden_tests! { EsSii, "es-sii", golden::usual, addon "es-sii-v1" }

#[test]
fn the_authority_takes_every_document_with_other_lines_and_writes_back() {
    let codes: Vec<_> = es_sii::answers::codes().collect();
    assert_eq!(suite().written_back(&codes).err(), None);
}

#[test]
fn every_code_of_the_authority_has_a_case_and_its_verdict() {
    let codes = es_sii::answers::codes();
    assert_eq!(suite().reports("company_spanish", codes), Ok(()));
}

#[test]
fn every_document_has_what_the_add_on_demands() {
    for (name, (document, _)) in suite().documents().unwrap() {
        let ext = &document["tax"]["ext"];
        let doc_type = ext["es-sii-doc-type"].as_str().unwrap();
        let correction = doc_type.starts_with('R');
        assert_eq!(ext["es-sii-correction-type"].is_string(), correction, "{name}");
        assert_eq!(document["type"] == "standard", !correction, "{name}");
        let tags = match doc_type {
            "F2" | "R5" => json!(["simplified"]),
            "F3" => json!(["replacement"]),
            _ => Value::Null,
        };
        assert_eq!(document["$tags"], tags, "{name}");
        let customer = &document["customer"];
        let identified = customer["tax_id"]["code"].is_string() || customer["identities"].is_array();
        assert!(["F2", "R5"].contains(&doc_type) || identified, "{name}");
        let reported: Vec<_> = combos(&document).into_iter().filter(|combo| combo["cat"] != "IPSI").collect();
        for combo in &reported {
            let (code, first) = (&combo["ext"], &reported[0]["ext"]);
            assert!(code["es-sii-regime"].is_string(), "{name}");
            assert_eq!(code["es-sii-regime"], first["es-sii-regime"], "{name}");
            assert_eq!(code["es-sii-product"].is_string(), first["es-sii-product"].is_string(), "{name}");
            assert!(combo["percent"].is_null() || code["es-sii-exempt"].is_null(), "{name}");
            assert!(code["es-sii-outside-scope"].is_null() || code["es-sii-exempt"].is_null(), "{name}");
            let export = code["es-sii-exempt"] == "E2" || code["es-sii-exempt"] == "E3";
            assert!(!(export && code["es-sii-regime"] == "01"), "{name}");
        }
    }
}

#[test]
fn the_agency_books_every_document_and_stamps_none() {
    for (name, outcome) in suite().outcomes().unwrap() {
        assert!(outcome.stamps.is_empty() && outcome.record.is_some(), "{name}");
    }
}

/// Documents whose message to the agency stands in a file: each treatment, each kind of recipient, both services.
const PAYLOADS: &[&str] = &[
    "rates_mixed",
    "company_spanish",
    "company_foreign",
    "simplified_invoice",
    "replacement_invoice",
    "credit_note",
    "credit_note_of_several_invoices",
    "operation_date",
    "exemption_article_25",
    "exemption_reverse_charge",
    "exemption_outside_scope",
    "products_of_lines_to_a_foreigner",
    "surcharge",
    "ipsi",
    "igic",
    "igic_exempt",
    "categories_mixed",
];

/// The message that amends an invoice in the agency's books.
fn amended() -> String {
    let document = suite().documents().unwrap()["company_spanish"].0.to_string();
    let first = harness::submission(&document, &golden::usual().now);
    let registered = EsSii::submit(&first).unwrap().record;
    let amends = Some(EsSii::file(&document).unwrap().record_key);
    EsSii::submit(&Submission { registered, amends, ..first }).unwrap().payload.unwrap()
}

#[test]
fn the_message_to_the_agency_is_that_of_its_file() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/es-sii/payloads");
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut outcomes = suite().outcomes().unwrap();
    for name in PAYLOADS {
        let made = outcomes.remove(*name).and_then(|outcome| outcome.payload).unwrap();
        let file = folder.join(format!("{name}.xml"));
        if update {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&file, &made).unwrap();
        }
        assert_eq!(
            made,
            fs::read_to_string(&file).unwrap_or_default(),
            "{name}: UPDATE_GOLDEN=1 rewrites it"
        );
    }
    let made = amended();
    let file = folder.join("company_spanish_amended.xml");
    if update {
        fs::write(&file, &made).unwrap();
    }
    assert_eq!(made, fs::read_to_string(&file).unwrap_or_default(), "UPDATE_GOLDEN=1 rewrites it");
    let files = fs::read_dir(&folder).unwrap().count();
    assert_eq!(files, PAYLOADS.len() + 1, "a file is left over");
}
