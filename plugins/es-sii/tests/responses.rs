//! The agency's answers as documents, to every state that it knows.
//!
//! Each golden file that is no SOAP fault fits `RespuestaSuministro.xsd` of its service, by an independent validator.

#![cfg(test)]

use std::path::{Path, PathBuf};

use einvoice_gobl::harness::differing_answers;
use einvoice_plugin::{Authority, Submission, harness};
use es_sii::EsSii;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/es-sii")
}

/// A golden document as it goes out first, with the code that a tester asks for.
fn first(case: &str, forced_code: Option<&str>) -> Submission {
    let document = std::fs::read_to_string(folder().join(format!("expected/{case}.json"))).unwrap();
    let submission = harness::submission(&document, "2026-11-20T09:30:00+01:00");
    Submission { forced_code: forced_code.map(str::to_owned), ..submission }
}

/// The same again, after `before`.
fn again(before: &Submission, amends: bool) -> Submission {
    let registered = EsSii::submit(before).unwrap().record;
    let amends = amends.then(|| EsSii::file(&before.document).unwrap().record_key);
    Submission { registered, amends, forced_code: None, ..before.clone() }
}

#[test]
fn the_answer_to_every_state_is_the_golden_one() {
    let accepted = first("company_spanish", None);
    let submissions = [
        ("correct", accepted.clone()),
        ("correct_in_the_islands", first("igic", None)),
        ("accepted_with_errors", first("company_spanish", Some("2011"))),
        ("record_refused", first("company_spanish", Some("1117"))),
        ("message_refused", first("company_spanish", Some("4102"))),
        ("duplicate", again(&accepted, false)),
        ("amended", again(&accepted, true)),
    ];
    let differing = differing_answers::<EsSii>(&folder().join("answers"), &submissions).unwrap();
    assert_eq!(differing, Vec::<String>::new(), "UPDATE_GOLDEN=1 rewrites these, if they are right");
}
