//! Every case under `tests/golden/pl-favat` converts to its file, and the reference's examples are reproduced.

#![cfg(test)]

mod support;

use einvoice_eu::harness::{self, differences, example};
use einvoice_gobl::harness::invoice;
use einvoice_plugin::Country;
use pl_favat::PlFavat;
use serde_json::{Value, json};

einvoice_gobl::golden_tests! { PlFavat, "pl-favat", support::context }

#[test]
fn the_authority_takes_every_document_with_other_lines_and_writes_back() {
    assert_eq!(suite().written_back(&[]).err(), None);
}

#[test]
fn every_code_of_the_authority_has_a_case_and_its_verdict() {
    let codes = pl_favat::authority::all_codes();
    assert_eq!(suite().reports("invoice", codes), Ok(()));
}

/// As `tests/golden/pl-favat/payloads` holds it: each of them fits the schema by an independent validator.
#[test]
fn what_goes_over_the_wire_for_every_case_is_the_golden_file() {
    assert_eq!(suite().golden_payloads(), Ok(()));
}

fn tax(combo: &Value) -> Value {
    match combo["rate"].as_str() {
        Some("general" | "standard") => json!({"category": "VAT", "rate": "23.0"}),
        other => panic!("no example has {other:?}"),
    }
}

#[test]
fn the_references_examples_are_reproduced() {
    for name in ["credit-note-standard", "credit-note-prepayment", "credit-note-settlement"] {
        let Some(mut example) = example(&format!("pl/{name}"), tax).unwrap() else { return };
        with_a_number_of_ksef(&mut example.document);
        with_a_number_of_ksef(&mut example.expected);
        let document = example.document.as_object_mut().unwrap();
        let effect = example.given["preceding"][0]["ext"]["pl-favat-effective-date"].clone();
        let doc_type = example.expected["tax"]["ext"]["pl-favat-invoice-type"].clone();
        document.insert("ext".to_owned(), json!({"effective-date": effect, "doc-type": doc_type}));
        let usual = support::context();
        let context = harness::context(&usual, &json!({"supplier": example.supplier}));
        let converted = PlFavat::convert(&invoice(&example.document).unwrap(), &context).unwrap();
        let mut made: Value = serde_json::from_str(&converted.body).unwrap();
        without_ours(&mut made);
        without_theirs(&mut example.expected);
        assert_eq!(differences(&made, &example.expected), Vec::<String>::new(), "{name}");
    }
}

/// The examples name what they correct by something that is no number of KSeF.
fn with_a_number_of_ksef(document: &mut Value) {
    for preceding in document["preceding"].as_array_mut().into_iter().flatten() {
        for stamp in preceding["stamps"].as_array_mut().into_iter().flatten() {
            for value in ["value", "val"] {
                if let Some(number) = stamp.get_mut(value) {
                    *number = json!("5265877635-20250826-0100001AF629-AF");
                }
            }
        }
    }
}

/// What we write and the examples do not: identifiers of ours.
fn without_ours(made: &mut Value) {
    made["supplier"].as_object_mut().unwrap().remove("uuid");
    for preceding in made["preceding"].as_array_mut().into_iter().flatten() {
        preceding.as_object_mut().unwrap().remove("uuid");
    }
}

/// What the platform's document has no member for: units, series of preceding documents.
fn without_theirs(expected: &mut Value) {
    for line in expected["lines"].as_array_mut().into_iter().flatten() {
        line["item"].as_object_mut().unwrap().remove("unit");
    }
    for preceding in expected["preceding"].as_array_mut().into_iter().flatten() {
        let series = preceding.as_object_mut().unwrap().remove("series").unwrap();
        preceding["code"] =
            format!("{}-{}", series.as_str().unwrap(), preceding["code"].as_str().unwrap()).into();
    }
}
