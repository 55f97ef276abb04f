//! A document on its way through a session of KSeF, asked for until it has its receipt.

#![cfg(test)]

mod support;

use einvoice_gobl::harness::{invoice, submission};
use einvoice_plugin::{Answers, Authority, Country, Outcome, ProviderResult, Submission, Verdict};
use pl_favat::PlFavat;
use serde_json::json;

/// What goes to KSeF, as the provider stores it.
fn sent() -> Submission {
    let document = json!({
        "number": "F-1", "issue_date": "2026-11-20", "currency": "PLN",
        "recipient": {"type": "company", "name": "Klient", "tax_number": "9876543210", "country": "PL"},
        "lines": [{"description": "Nocleg", "quantity": "2", "unit_price": "100.00",
                   "tax": {"category": "VAT", "rate": "8.0"}}]
    });
    let converted = PlFavat::convert(&invoice(&document).unwrap(), &support::context()).unwrap();
    submission(&converted.body, "2026-11-20T09:30:00+01:00")
}

/// The same, at another time and with the status that KSeF has come to.
fn at(time: &str, status: Option<&str>) -> Submission {
    Submission { now: format!("2026-11-20T{time}+01:00"), forced_code: status.map(str::to_owned), ..sent() }
}

/// What the gateway makes of the provider's report of an answer.
fn verdict(outcome: &Outcome) -> Verdict {
    let report = ProviderResult {
        succeeded: outcome.accepted,
        faults: outcome.faults.clone(),
        stamps: outcome.stamps.clone(),
        job: "{}".to_owned(),
        entry: "{}".to_owned(),
    };
    PlFavat::interpret(&report).unwrap()
}

/// Received (100), in work (150), the session closed without its receipt (170), then taken (200): until then there is neither
/// number nor receipt, and KSeF remembers nothing that would make a duplicate of the document.
#[test]
fn a_document_in_work_is_undecided_and_then_accepted_with_its_receipt() {
    for (time, status) in [("09:30:00", "100"), ("09:30:05", "150"), ("09:30:10", "170")] {
        let pending = at(time, Some(status));
        let outcome = PlFavat::submit(&pending).unwrap();
        assert!(!outcome.accepted && outcome.stamps.is_empty() && outcome.record.is_none(), "{status}");
        assert_eq!(PlFavat::answers(&pending, &outcome), [], "{status}");
        let Verdict::Undecided(why) = verdict(&outcome) else { panic!("{status}") };
        assert!(why.contains(status), "{why}");
    }
    for status in [None, Some("200")] {
        let taken = at("09:31:00", status);
        let outcome = PlFavat::submit(&taken).unwrap();
        let Verdict::Accepted(acceptance) = verdict(&outcome) else { panic!("{status:?}") };
        let number = acceptance.tax_system_hash.unwrap();
        assert!(number.starts_with("9876543210-20261120-"), "{number}");
        assert!(acceptance.qr_url.is_some() && outcome.record.is_some(), "{status:?}");
        let receipts = PlFavat::answers(&taken, &outcome);
        let [receipt] = receipts.as_slice() else { panic!("{receipts:?}") };
        assert_eq!(receipt.name, format!("UPO-{number}.xml"));
        assert!(receipt.body.contains(&format!("<NumerKSeFDokumentu>{number}<")), "{}", receipt.body);
        assert!(
            receipt.body.contains("<DataNadaniaNumeruKSeF>2026-11-20T09:31:00+01:00<"),
            "{}",
            receipt.body
        );
    }
}

/// Whoever asks again later gets the number and the receipt of the time when it was taken.
#[test]
fn a_document_that_was_taken_keeps_its_receipt_however_often_somebody_asks() {
    let taken = at("09:31:00", None);
    let first = PlFavat::submit(&taken).unwrap();
    let again = Submission { registered: first.record.clone(), ..at("11:00:00", None) };
    let repeated = PlFavat::submit(&again).unwrap();
    assert_eq!((&repeated.stamps, &repeated.payload), (&first.stamps, &first.payload));
    assert_eq!(PlFavat::answers(&again, &repeated), PlFavat::answers(&taken, &first));
    let in_work = Submission { registered: first.record.clone(), ..at("11:00:00", Some("170")) };
    assert!(matches!(verdict(&PlFavat::submit(&in_work).unwrap()), Verdict::Undecided(_)));
}

/// The file that is refused after a session was in work is not issued, and may be sent again when it is mended.
#[test]
fn a_session_may_end_with_a_refusal() {
    assert!(matches!(
        verdict(&PlFavat::submit(&at("09:30:00", Some("170"))).unwrap()),
        Verdict::Undecided(_)
    ));
    let refused = PlFavat::submit(&at("09:31:00", Some("445"))).unwrap();
    let Verdict::Rejected(rejection) = verdict(&refused) else { panic!("445") };
    assert_eq!((rejection.code.as_deref(), refused.record), (Some("445"), None));
    assert!(PlFavat::submit(&at("10:00:00", None)).unwrap().accepted);
}
