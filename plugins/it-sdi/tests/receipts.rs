//! SdI's receipts as documents: those of every state that it knows, about a file for a company and one for an administration.
//!
//! Each golden file fits `MessaggiTypes` 1.1 or `MessaggiFatturaTypes` 1.0, by an independent validator.

#![cfg(test)]

mod support;

use std::path::Path;

use einvoice_eu::harness;
use einvoice_gobl::harness::{differing_answers, invoice};
use einvoice_plugin::{Answers, Authority, Country, Submission};
use it_sdi::ItSdi;
use serde_json::json;

/// A document for this destination code, or none, as SdI gets it.
fn submission(destination: Option<&str>, forced: Option<&str>) -> Submission {
    let address =
        json!({"street": "Via dei Mille 23", "locality": "Firenze", "postcode": "50100", "country": "IT"});
    let mut document = json!({
        "number": "F-2026-000101", "issue_date": "2026-11-20",
        "recipient": {"type": "company", "name": "Mela S.r.l.", "tax_number": "13029381004", "country": "IT",
                      "address": address},
        "lines": [{"description": "Camera", "quantity": "1", "unit_price": "100.00",
                   "tax": {"category": "VAT", "rate": "10.0"}}],
        "preceding": []
    });
    if let Some(code) = destination {
        document["ext"] = json!({"sdi-code": code});
    }
    let body = ItSdi::convert(&invoice(&document).unwrap(), &support::context()).unwrap().body;
    let submission = harness::submission(&body, "2026-11-20T09:30:00+01:00");
    Submission { forced_code: forced.map(str::to_owned), ..submission }
}

fn names(submission: &Submission) -> Vec<String> {
    let outcome = ItSdi::submit(submission).unwrap();
    ItSdi::answers(submission, &outcome).into_iter().map(|answer| answer.name).collect()
}

#[test]
fn the_receipts_of_every_state_are_the_golden_ones() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/it-sdi/answers"));
    let company = |code| submission(Some("ABCDEF1"), code);
    let administration = |code| submission(Some("UFABCD"), code);
    let submissions = [
        ("company_delivered", company(None)),
        ("company_undelivered", company(Some("MC"))),
        ("company_discarded", company(Some("00305"))),
        ("administration_delivered", administration(None)),
        ("administration_undelivered", administration(Some("MC"))),
        ("administration_attested", administration(Some("AT"))),
        ("administration_discarded", administration(Some("00311"))),
        ("administration_accepts", administration(Some("NE"))),
        ("administration_refuses", administration(Some("EC02"))),
        ("administration_does_not_answer", administration(Some("DT"))),
    ];
    let differing = differing_answers::<ItSdi>(folder, &submissions).unwrap();
    assert_eq!(differing, Vec::<String>::new(), "UPDATE_GOLDEN=1 rewrites these, if they are right");
}

#[test]
fn a_receipt_is_called_like_the_file_that_it_is_about() {
    assert_eq!(names(&submission(None, None)), ["IT12345678903_00001_RC_001.xml"]);
    let decided = names(&submission(Some("UFABCD"), Some("EC02")));
    assert_eq!(decided, ["IT12345678903_00001_RC_001.xml", "IT12345678903_00001_NE_002.xml"]);
}

#[test]
fn a_file_that_is_sent_again_after_a_refusal_has_receipts_of_its_own_name() {
    let refused = submission(None, Some("00305"));
    let outcome = ItSdi::submit(&refused).unwrap();
    assert_eq!(names(&refused), ["IT12345678903_00001_NS_001.xml"]);
    let again =
        Submission { previous: outcome.record.clone(), registered: outcome.record, ..submission(None, None) };
    assert_eq!(names(&again), ["IT12345678903_00002_RC_001.xml"]);
    let held = ItSdi::submit(&again).unwrap();
    let repeated = Submission { previous: held.record.clone(), registered: held.record, ..again.clone() };
    assert_eq!(names(&repeated), names(&again), "the same document again is the same file");
}

#[test]
fn a_code_that_is_none_of_sdi_is_reported_as_a_file_that_does_not_fit() {
    let submission = submission(None, Some("NS"));
    let answers = ItSdi::answers(&submission, &ItSdi::submit(&submission).unwrap());
    assert!(answers[0].body.contains("<Codice>00200</Codice>"), "{}", answers[0].body);
}
