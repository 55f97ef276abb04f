//! The messages of an invoice's life cycle, for every state that the platform knows.
//!
//! Each golden file fits CDAR D22B and breaks no rule of France (BR-FR-CDV), by an independent validator.

#![cfg(test)]

use std::path::{Path, PathBuf};

use einvoice_gobl::harness::differing_answers;
use einvoice_plugin::{Answers, Authority, Submission, harness};
use fr_facturx::FrFacturx;
use fr_facturx::authority::codes;
use serde_json::Value;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/fr-facturx")
}

/// A golden document as it goes out, with the code that a tester asks for.
fn submission(case: &str, forced_code: Option<&str>) -> Submission {
    let document = std::fs::read_to_string(folder().join(format!("expected/{case}.json"))).unwrap();
    let submission = harness::submission(&document, "2026-11-20T09:30:00+01:00");
    Submission { forced_code: forced_code.map(str::to_owned), ..submission }
}

/// The invoice without the mentions that France asks for.
fn without_mentions() -> Submission {
    let sound = submission("invoice", None);
    let mut document: Value = serde_json::from_str(&sound.document).unwrap();
    document["notes"] = Value::Array(Vec::new());
    Submission { document: document.to_string(), ..sound }
}

fn names(submission: &Submission) -> Vec<String> {
    let outcome = FrFacturx::submit(submission).unwrap();
    FrFacturx::answers(submission, &outcome).into_iter().map(|answer| answer.name).collect()
}

#[test]
fn the_message_of_every_state_is_the_golden_one() {
    let invoice = |code| submission("invoice", Some(code));
    let submissions = [
        ("deposited", submission("invoice", None)),
        ("deposited_credit_note", submission("credit_note", None)),
        ("not_sent", invoice("NON_TRANSMISE")),
        ("made_available", invoice("203")),
        ("approved", invoice("205")),
        ("approved_by_a_foreigner", submission("foreign_company", Some("205"))),
        ("disputed", invoice("207")),
        ("suspended", invoice("208")),
        ("paid", invoice("211")),
        ("refused", invoice("DOUBLE_FACT")),
        ("rejected", invoice("213")),
        ("rejected_by_a_rule", invoice("BR-FR-05")),
        ("rejected_by_three_rules", without_mentions()),
        ("rejected_without_recipient", invoice("DEST_INC")),
        ("wrong_address", invoice("221")),
        ("inadmissible", invoice("IRR_TAILLE_F")),
    ];
    let differing = differing_answers::<FrFacturx>(&folder().join("answers"), &submissions).unwrap();
    assert_eq!(differing, Vec::<String>::new(), "UPDATE_GOLDEN=1 rewrites these, if they are right");
}

#[test]
fn every_code_has_a_message_and_a_deposited_invoice_says_so_first() {
    for (code, stands) in codes() {
        let names = names(&submission("invoice", Some(code)));
        assert!(!names.is_empty(), "{code}");
        assert!(!stands || names[0] == "CDV-200.xml", "{code}: {names:?}");
    }
}

#[test]
fn a_report_has_no_life_cycle() {
    assert_eq!(names(&submission("individual", None)), Vec::<String>::new());
}
