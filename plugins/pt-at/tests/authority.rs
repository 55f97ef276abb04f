//! What the sandbox's AT answers: a case for each of its codes, its chains of documents.

#![cfg(test)]

mod support;

use std::collections::BTreeSet;

use einvoice_eu::harness;
use einvoice_gobl::harness::invoice;
use einvoice_plugin::{
    Authority, Country, Outcome, ProviderFault, ProviderResult, Stamp, Submission, Verdict,
};
use pt_at::PtAt;
use pt_at::authority::CODES;
use pt_at::signature;
use serde_json::{Value, json};

const NOW: &str = "2026-11-20T09:30:00+01:00";

/// A sound document with these members instead.
fn document(changes: &[(&str, Value)]) -> Value {
    let mut document = json!({
        "number": "FT A/1", "issue_date": "2026-11-20",
        "recipient": {"type": "company", "name": "Maçã", "tax_number": "508641233", "country": "PT"},
        "lines": [{"description": "Quarto", "quantity": "1", "unit_price": "100.00",
                   "tax": {"category": "VAT", "rate": "6.0"}}],
        "preceding": []
    });
    for (member, value) in changes {
        document[*member] = value.clone();
    }
    let body = PtAt::convert(&invoice(&document).unwrap(), &support::context()).unwrap().body;
    serde_json::from_str(&body).unwrap()
}

/// The same as the provider stored it, with these members of the structured document instead.
fn stored(changes: &[(&str, Value)]) -> Value {
    let mut document = document(&[]);
    for (pointer, value) in changes {
        if let Some(member) = document.pointer_mut(pointer) {
            *member = value.clone();
            continue;
        }
        let (parent, member) = pointer.rsplit_once('/').unwrap();
        document.pointer_mut(parent).unwrap()[member] = value.clone();
    }
    document
}

fn submission(document: &Value) -> Submission {
    harness::submission(&document.to_string(), NOW)
}

fn forced(code: &str) -> Outcome {
    let forced_code = Some(code.to_owned());
    PtAt::submit(&Submission { forced_code, ..submission(&document(&[])) }).unwrap()
}

fn codes(outcome: &Outcome) -> Vec<&str> {
    outcome.faults.iter().filter_map(|fault| fault.code.as_deref()).collect()
}

fn stamp<'a>(outcome: &'a Outcome, provider: &str) -> Option<&'a str> {
    let found = outcome.stamps.iter().find(|stamp: &&Stamp| stamp.provider == provider);
    found.map(|stamp| stamp.value.as_str())
}

/// A number with its ATCUD.
fn numbered(number: &str, atcud: &str) -> Vec<(&'static str, Value)> {
    vec![("/code", json!(number)), ("/notes/0/code", json!(atcud))]
}

const TYPE: &str = "/tax/ext/pt-saft-invoice-type";
const LINE_TAX: &str = "/lines/0/taxes/0";

/// What is changed in a document, and every code that the AT refuses it with.
type Broken = (Vec<(&'static str, Value)>, Vec<&'static str>);

fn broken() -> Vec<Broken> {
    let taxed = |percent: &str, code: &str| {
        (
            LINE_TAX,
            json!({"cat": "VAT", "percent": percent, "ext": {"pt-region": "PT", "pt-saft-tax-rate": code}}),
        )
    };
    vec![
        (numbered("FT A/2", "CSDF7T5H-1"), vec!["ATCUD"]),
        (vec![("/customer/tax_id/code", json!("508641234"))], vec!["CUSTOMER-NIF"]),
        (vec![("/issue_date", json!("2026-11-21"))], vec!["DATE-FUTURE"]),
        (vec![("/lines/0/taxes/0/ext/pt-saft-exemption", json!("M07"))], vec!["EXEMPTION"]),
        (vec![("/code", json!("F-1"))], vec!["NUMBER"]),
        (numbered("FS A/1", "CSDF7T5H-1"), vec!["NUMBER-TYPE"]),
        ([numbered("NC A/1", "CSDF7T5H-1"), vec![(TYPE, json!("NC"))]].concat(), vec!["REFERENCE"]),
        (vec![("/supplier/addresses", json!([]))], vec!["SCHEMA"]),
        (vec![("/notes", json!([]))], vec!["SERIES-UNKNOWN"]),
        (numbered("FT A/1", "CSD-1"), vec!["SERIES-UNKNOWN"]),
        (vec![("/supplier/tax_id/code", json!("545259046"))], vec!["SUPPLIER-NIF"]),
        (vec![taxed("6.0%", "NOR")], vec!["TAX-RATE"]),
        (vec![("/totals/total_with_tax", json!("106.02"))], vec!["TOTALS"]),
        (vec![("/lines/0/item/price", json!("90.00")), ("/lines/0/total", json!("80.00"))], vec!["TOTALS"]),
    ]
}

/// What needs the AT's registers or the program's key: a tester asks for it.
const LEFT_TO_TESTERS: &[&str] = &[
    "AUTHENTICATION",
    "CERTIFICATE",
    "CUSTOMER-NIF-UNKNOWN",
    "HASH",
    "LATE",
    "SEQUENCE-GAP",
    "SERIES-CLOSED",
    "SUPPLIER-NIF-UNKNOWN",
];

#[test]
fn every_broken_document_is_refused_by_its_codes_and_there_is_a_case_for_each() {
    let mut known: BTreeSet<_> = LEFT_TO_TESTERS.iter().copied().collect();
    // They need a document before, and have cases of their own below.
    known.extend(["DATE-ORDER", "DUPLICATE", "SEQUENCE"]);
    for (changes, expected) in broken() {
        let outcome = PtAt::submit(&submission(&stored(&changes))).unwrap();
        assert_eq!((outcome.accepted, codes(&outcome)), (false, expected.clone()), "{changes:?}");
        assert!(outcome.stamps.is_empty() && outcome.payload.is_some());
        known.extend(expected);
    }
    assert_eq!(known, CODES.iter().map(|(code, _)| *code).collect());
}

#[test]
fn every_code_of_a_tester_is_answered_with_its_sentence() {
    for (code, sentence) in CODES {
        let outcome = forced(code);
        let accepted = ["LATE", "SEQUENCE-GAP"].contains(code);
        assert_eq!((outcome.accepted, codes(&outcome)), (accepted, vec![*code]));
        assert_eq!(outcome.faults[0].message.as_deref(), Some(*sentence));
        assert_eq!(outcome.stamps.is_empty(), !accepted);
    }
}

#[test]
fn what_does_not_fit_the_schema_is_refused_whatever_else_is_wrong() {
    for (pointer, value) in [
        (TYPE, json!("XX")),
        ("/currency", json!("USD")),
        ("/supplier/name", json!("")),
        ("/supplier/tax_id/code", json!("12345")),
        ("/supplier/addresses/0/code", json!("1250")),
        ("/supplier/addresses/0/country", json!("ES")),
        ("/supplier/addresses/0/locality", json!("x".repeat(51))),
        ("/customer/name", json!("x".repeat(101))),
        ("/issue_date", json!("today")),
        ("/lines", json!([])),
        ("/lines/0/item/name", json!("x")),
        ("/lines/0/item/ext", json!({})),
        ("/lines/0/quantity", json!("-1")),
        ("/lines/0/item/price", json!("-1.00")),
        ("/lines/0/taxes", json!([])),
        ("/lines/0/taxes/0/ext/pt-region", json!("ES")),
        ("/lines/0/taxes/0/ext/pt-saft-exemption", json!("X")),
        ("/totals/tax", json!("-6.00")),
        ("/notes/1/code", json!("9999A")),
        ("/payment", json!({"advances": [{"date": "2026-11-20", "ext": {"pt-saft-payment-means": "XX"}}]})),
        ("/payment", json!({"terms": {"due_dates": [{"date": "soon"}]}})),
        ("/preceding", json!([{"code": ""}])),
    ] {
        let outcome = PtAt::submit(&submission(&stored(&[(pointer, value.clone())]))).unwrap();
        assert_eq!(codes(&outcome), ["SCHEMA"], "{pointer} {value}");
    }
}

/// What the AT answers to a document after these records.
fn send(document: &Value, previous: Option<&Outcome>, registered: Option<&Outcome>) -> Outcome {
    let record = |outcome: Option<&Outcome>| outcome.and_then(|outcome| outcome.record.clone());
    let (previous, registered) = (record(previous), record(registered));
    PtAt::submit(&Submission { previous, registered, ..submission(document) }).unwrap()
}

fn number(number: &str) -> Value {
    document(&[("number", json!(number))])
}

#[test]
fn a_series_goes_on_with_greater_numbers_and_no_earlier_dates() {
    let fifth = send(&number("FT A/5"), None, None);
    assert!(fifth.accepted && fifth.faults.is_empty());
    let next = |document: &Value| send(document, Some(&fifth), None);
    let answered = |outcome: Outcome| (outcome.accepted, codes(&outcome).join(" "));
    assert_eq!(answered(next(&number("FT A/6"))), (true, String::new()));
    assert_eq!(answered(next(&number("FT A/7"))), (true, "SEQUENCE-GAP".to_owned()));
    assert_eq!(answered(next(&number("FT A/4"))), (false, "SEQUENCE".to_owned()));
    let earlier = document(&[("number", json!("FT A/6")), ("issue_date", json!("2026-11-19"))]);
    assert_eq!(answered(next(&earlier)), (false, "DATE-ORDER".to_owned()));
    let mut other_code = number("FT A/6");
    other_code["notes"][0]["code"] = json!("ZZZZZZZZ-6");
    assert_eq!(answered(next(&other_code)), (false, "ATCUD".to_owned()));
}

#[test]
fn every_signature_continues_the_one_before() {
    let first = send(&number("FT A/1"), None, None);
    let second = send(&number("FT A/2"), Some(&first), None);
    let signed = |number: &str, before: &str| {
        signature::stand_in(&signature::signed_text(
            "2026-11-20",
            "2026-11-20T08:30:00",
            number,
            "106.00",
            before,
        ))
    };
    let whole = |outcome: &Outcome| stamp(outcome, "at-hash-full").unwrap().to_owned();
    assert_eq!(whole(&first), signed("FT A/1", ""));
    assert_eq!(whole(&second), signed("FT A/2", &whole(&first)));
    assert_eq!(stamp(&second, "at-hash"), Some(signature::printed(&whole(&second)).as_str()));
    assert_eq!(stamp(&second, "at-atcud"), Some("CSDF7T5H-2"));
}

#[test]
fn a_number_is_taken_once_and_a_refused_one_again() {
    let first = send(&number("FT A/1"), None, None);
    let again = PtAt::submit(&Submission {
        now: "2026-11-21T09:30:00+01:00".to_owned(),
        previous: first.record.clone(),
        registered: first.record.clone(),
        ..submission(&number("FT A/1"))
    })
    .unwrap();
    assert_eq!((again.accepted, &again.stamps, &again.payload), (true, &first.stamps, &first.payload));
    let changed = document(&[("notes", json!("x"))]);
    let duplicate = send(&changed, Some(&first), Some(&first));
    assert_eq!((duplicate.accepted, codes(&duplicate)), (false, vec!["DUPLICATE"]));
    let forced_code = Some("CUSTOMER-NIF-UNKNOWN".to_owned());
    let sent = submission(&number("FT A/2"));
    let refused = PtAt::submit(&Submission { forced_code, previous: first.record.clone(), ..sent }).unwrap();
    let corrected = send(&number("FT A/2"), Some(&refused), Some(&refused));
    assert!(corrected.accepted && corrected.faults.is_empty(), "{:?}", corrected.faults);
    let third = send(&number("FT A/3"), Some(&corrected), None);
    assert!(third.accepted && third.faults.is_empty(), "{:?}", third.faults);
    let amends = Some("545259045|FT A/1".to_owned());
    let amended = PtAt::submit(&Submission { amends, ..submission(&number("FT A/9")) }).unwrap();
    assert_eq!(codes(&amended), ["DUPLICATE"]);
}

#[test]
fn a_document_is_late_after_the_fifth_of_the_month_that_follows() {
    for (now, late) in [
        ("2026-11-30T12:00:00Z", false),
        ("2026-12-05T23:59:59Z", false),
        ("2026-12-06T00:00:00Z", true),
        ("2027-01-02T00:00:00Z", true),
    ] {
        let outcome = PtAt::submit(&harness::submission(&number("FT A/1").to_string(), now)).unwrap();
        let expected = if late { vec!["LATE"] } else { vec![] };
        assert_eq!((outcome.accepted, codes(&outcome)), (true, expected), "{now}");
    }
}

#[test]
fn documents_are_filed_by_issuer_and_number_and_chained_by_series() {
    let filing = |code: &str| PtAt::file(&number(code).to_string()).unwrap();
    assert_eq!(filing("FT A/0035").record_key, "545259045|FT A/35");
    assert_eq!(filing("FT A/0035").chain, "545259045|FT A");
}

fn interpreted(faults: Vec<ProviderFault>, stamps: Vec<Stamp>) -> Verdict {
    let (job, entry) = (String::new(), String::new());
    PtAt::interpret(&ProviderResult { succeeded: true, faults, stamps, job, entry }).unwrap()
}

#[test]
fn a_remark_is_acceptance_an_error_a_rejection_and_no_atcud_nothing() {
    let (taken, refused) = (forced("LATE"), forced("SERIES-CLOSED"));
    assert!(matches!(interpreted(taken.faults, taken.stamps), Verdict::Accepted(accepted)
        if accepted.warnings[0].code == "LATE" && accepted.tax_system_hash.as_deref() == Some("CSDF7T5H-1")));
    assert!(matches!(interpreted(refused.faults, Vec::new()), Verdict::Rejected(rejected)
        if rejected.reason
            == "The series is closed; register another one and add it to the workspace's settings. (SERIES-CLOSED)"));
    assert!(matches!(interpreted(Vec::new(), Vec::new()), Verdict::Undecided(_)));
    let unknown = forced("-99").faults;
    assert!(matches!(interpreted(unknown, Vec::new()), Verdict::Rejected(rejected)
        if rejected.reason == "The AT refused the document. (-99)"));
}

#[test]
fn what_is_no_document_is_a_fault() {
    for json in ["", "{}", "[]", "null", r#"{"code":"FT A/1","issue_date":"2026-11-20"}"#] {
        assert_eq!(PtAt::file(json).unwrap_err()[0].code, "PT-AT-SANDBOX-01", "{json}");
    }
    let foreign = Some("{}".to_owned());
    let answer = PtAt::submit(&Submission { previous: foreign, ..submission(&document(&[])) });
    assert_eq!(answer.unwrap_err()[0].code, "PT-AT-SANDBOX-01", "a record that is none");
}
