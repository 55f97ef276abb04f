//! Every case under `tests/golden/pt-at` converts to its file.

#![cfg(test)]

mod support;

use std::path::Path;

use pt_at::PtAt;

einvoice_gobl::golden_tests! { PtAt, "pt-at", support::context }

#[test]
fn every_code_of_the_authority_has_a_case_and_its_verdict() {
    let codes = pt_at::authority::CODES.iter().map(|(code, _)| code);
    assert_eq!(suite().reports("invoice", codes), Ok(()));
}

/// What goes over the wire for some cases, as `tests/golden/pt-at/payloads` holds it: each of them fits the schema and its
/// assertions by an independent validator.
#[test]
fn the_file_of_every_sort_of_document_is_the_golden_one() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/pt-at/payloads"));
    let mut outcomes = suite().outcomes().unwrap();
    let names = [
        "credit_note",
        "credit_note_of_a_simplified_invoice",
        "debit_note",
        "due_date",
        "every_exemption",
        "every_rate",
        "every_region",
        "foreign_company",
        "foreign_passport",
        "freelance_with_retention",
        "goods",
        "invoice",
        "invoice_receipt",
        "person_with_tax_number",
        "prices_with_tax",
        "simplified_invoice",
    ];
    for name in names {
        let payload = outcomes.remove(name).and_then(|outcome| outcome.payload).unwrap();
        let file = folder.join(format!("{name}.xml"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::create_dir_all(folder).unwrap();
            std::fs::write(&file, &payload).unwrap();
        }
        assert_eq!(
            std::fs::read_to_string(&file).unwrap_or_default(),
            payload,
            "UPDATE_GOLDEN=1 rewrites {name}"
        );
    }
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), names.len(), "a file is left over");
}
