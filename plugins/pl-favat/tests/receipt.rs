//! KSeF's receipts as documents.
//!
//! Each golden file fits UPO v4-3, by an independent validator.

#![cfg(test)]

use std::path::{Path, PathBuf};

use einvoice_gobl::harness::differing_answers;
use einvoice_plugin::{Answers, Authority, Submission, harness};
use pl_favat::PlFavat;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/pl-favat")
}

/// A golden document as it goes out, with the code that a tester asks for.
fn submission(case: &str, forced_code: Option<&str>) -> Submission {
    let document = std::fs::read_to_string(folder().join(format!("expected/{case}.json"))).unwrap();
    let submission = harness::submission(&document, "2026-11-20T09:30:00+01:00");
    Submission { forced_code: forced_code.map(str::to_owned), ..submission }
}

#[test]
fn the_receipt_of_an_invoice_is_the_golden_one() {
    let the_day_after = "2026-11-21T00:00:01+01:00".to_owned();
    let submissions = [
        ("invoice", submission("invoice", None)),
        ("invoice_issued_offline", Submission { now: the_day_after, ..submission("invoice", None) }),
        ("credit_note", submission("credit_note", None)),
    ];
    let differing = differing_answers::<PlFavat>(&folder().join("answers"), &submissions).unwrap();
    assert_eq!(differing, Vec::<String>::new(), "UPDATE_GOLDEN=1 rewrites these, if they are right");
}

#[test]
fn what_has_no_number_has_no_receipt() {
    for code in ["150", "440", "450"] {
        let submission = submission("invoice", Some(code));
        let outcome = PlFavat::submit(&submission).unwrap();
        assert_eq!(PlFavat::answers(&submission, &outcome), [], "{code}");
    }
}

#[test]
fn an_invoice_that_is_sent_again_has_the_receipt_of_the_first_time() {
    let first = submission("invoice", None);
    let outcome = PlFavat::submit(&first).unwrap();
    let now = "2026-11-21T10:00:00+01:00".to_owned();
    let again = Submission { registered: outcome.record.clone(), now, ..first.clone() };
    let repeated = PlFavat::submit(&again).unwrap();
    assert_eq!(PlFavat::answers(&again, &repeated), PlFavat::answers(&first, &outcome));
}
