//! The agency's answers as documents, to every state that it knows.
//!
//! Each golden file that is no SOAP fault fits `RespuestaSuministro.xsd`, by an independent validator.

#![cfg(test)]

use std::path::{Path, PathBuf};

use einvoice_gobl::harness::differing_answers;
use einvoice_plugin::{Authority, Submission, harness};
use es_verifactu::EsVerifactu;
use serde_json::{Value, json};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/es-verifactu")
}

/// A first record of an invoice, with the code that a tester asks for.
fn first(forced_code: Option<&str>) -> Submission {
    let document = std::fs::read_to_string(folder().join("expected/company_spanish.json")).unwrap();
    let document: Value = serde_json::from_str(&document).unwrap();
    let submission = harness::submission(&document.to_string(), "2026-11-20T09:30:00+01:00");
    Submission { forced_code: forced_code.map(str::to_owned), ..submission }
}

/// The same invoice again, after `before`.
fn again(before: &Submission, amends: bool) -> Submission {
    let record = EsVerifactu::submit(before).unwrap().record;
    let amends = amends.then(|| EsVerifactu::file(&before.document).unwrap().record_key);
    Submission { previous: record.clone(), registered: record, amends, ..first(None) }
}

fn cancelling(submission: Submission) -> Submission {
    let mut document: Value = serde_json::from_str(&submission.document).unwrap();
    document["meta"] = json!({"es-verifactu-record": "cancellation"});
    Submission { document: document.to_string(), ..submission }
}

#[test]
fn the_answer_to_every_state_is_the_golden_one() {
    let accepted = first(None);
    let submissions = [
        ("correct", accepted.clone()),
        ("accepted_with_errors", first(Some("2001"))),
        ("record_refused", first(Some("1110"))),
        ("message_refused", first(Some("4102"))),
        ("duplicate", again(&accepted, false)),
        ("duplicate_of_one_with_errors", again(&first(Some("2001")), false)),
        ("sent_again_after_a_refusal", again(&first(Some("1110")), false)),
        ("amended", again(&accepted, true)),
        ("cancelled", cancelling(again(&accepted, true))),
        ("cancelled_without_record", cancelling(again(&first(Some("1110")), false))),
    ];
    let differing = differing_answers::<EsVerifactu>(&folder().join("answers"), &submissions).unwrap();
    assert_eq!(differing, Vec::<String>::new(), "UPDATE_GOLDEN=1 rewrites these, if they are right");
}
