//! Every case under `tests/golden/gr-mydata` converts to its file, and to its record. The examples of the reference have what no
//! document of the platform has: discounts of lines, advances, charges.

#![cfg(test)]

mod support;

use std::path::Path;

use gr_mydata::GrMydata;

einvoice_gobl::golden_tests! { GrMydata, "gr-mydata", support::context, addon "gr-mydata-v1" }

#[test]
fn every_code_of_the_authority_has_a_case_and_its_verdict() {
    let codes = gr_mydata::authority::CODES.iter().map(|(code, ..)| code);
    assert_eq!(suite().reports("invoice", codes), Ok(()));
}

/// What goes over the wire for every case that converts, as `tests/golden/gr-mydata/payloads` holds it: each of them fits
/// the schema, and its sums are right by an independent validator.
#[test]
fn the_record_of_every_case_is_the_golden_one() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/gr-mydata/payloads"));
    let outcomes = suite().outcomes().unwrap();
    for (name, outcome) in &outcomes {
        let payload = outcome.payload.as_deref().unwrap();
        let file = folder.join(format!("{name}.xml"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::create_dir_all(folder).unwrap();
            std::fs::write(&file, payload).unwrap();
        }
        assert_eq!(
            std::fs::read_to_string(&file).unwrap_or_default(),
            payload,
            "UPDATE_GOLDEN=1 rewrites {name}"
        );
    }
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), outcomes.len(), "a file is left over");
}
