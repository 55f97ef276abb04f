//! What the sandbox's myDATA answers: a case for each of its codes, its stamps, its duplicates.

#![cfg(test)]

mod support;

use std::collections::BTreeSet;

use einvoice_eu::harness;
use einvoice_gobl::harness::invoice;
use einvoice_plugin::{Authority, Country, Outcome, ProviderResult, Stamp, Submission, Verdict};
use gr_mydata::GrMydata;
use gr_mydata::authority::CODES;
use serde_json::{Value, json};

const NOW: &str = "2026-11-20T09:30:00+02:00";

/// A sound document with these members instead.
fn document(changes: &[(&str, Value)]) -> Value {
    let address = json!({"street": "X 1", "locality": "Αθήνα", "postcode": "11636", "country": "GR"});
    let mut document = json!({
        "number": "2026000017", "issue_date": "2026-11-20",
        "recipient": {"type": "company", "name": "Αιγαίο", "tax_number": "841442160", "country": "GR",
                      "address": address},
        "lines": [{"description": "Δωμάτιο", "quantity": "1", "unit_price": "100.00",
                   "tax": {"category": "VAT", "rate": "13.0"}}],
        "preceding": []
    });
    for (member, value) in changes {
        document[*member] = value.clone();
    }
    let body = GrMydata::convert(&invoice(&document).unwrap(), &support::context()).unwrap().body;
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
    GrMydata::submit(&Submission { forced_code, ..submission(&document(&[])) }).unwrap()
}

fn codes(outcome: &Outcome) -> Vec<&str> {
    outcome.faults.iter().filter_map(|fault| fault.code.as_deref()).collect()
}

fn stamp<'a>(outcome: &'a Outcome, provider: &str) -> Option<&'a str> {
    let found = outcome.stamps.iter().find(|stamp: &&Stamp| stamp.provider == provider);
    found.map(|stamp| stamp.value.as_str())
}

const TYPE: &str = "/tax/ext/gr-mydata-invoice-type";
const VAT: &str = "/lines/0/taxes/0/ext";

fn of_type(code: &str) -> (&'static str, Value) {
    (TYPE, json!(code))
}

/// What is changed in a document, and every code that myDATA refuses it with.
type Broken = (Vec<(&'static str, Value)>, Vec<&'static str>);

fn broken_parties() -> Vec<Broken> {
    let customer =
        |country: &str, code: &str| ("/customer/tax_id", json!({"country": country, "code": code}));
    let supplier = ("/supplier/tax_id", json!({"country": "DE", "code": "111111125"}));
    vec![
        (vec![("/supplier/tax_id/code", json!("094259217"))], vec!["202"]),
        (vec![("/customer/tax_id/code", json!("841442161"))], vec!["202"]),
        (vec![("/customer", Value::Null)], vec!["204"]),
        (vec![("/customer/tax_id/code", json!("094259216"))], vec!["235"]),
        (vec![supplier], vec!["242"]),
        (vec![customer("DE", "111111125")], vec!["242"]),
        (vec![of_type("2.2")], vec!["243"]),
        (vec![of_type("2.2"), customer("US", "1")], vec!["243"]),
        (vec![of_type("2.3")], vec!["244"]),
        (vec![of_type("2.3"), customer("DE", "111111125")], vec!["244"]),
    ]
}

fn broken_headers() -> Vec<Broken> {
    let correlated = json!([{"stamps": [{"prv": "iapr-mark", "val": "400001932212332"}]}]);
    vec![
        (vec![("/payment", json!({}))], vec!["204"]),
        (vec![of_type("5.1")], vec!["204"]),
        (vec![of_type("5.2"), ("/preceding", correlated)], vec!["205"]),
        (vec![("/currency", json!("USD"))], vec!["211"]),
        (vec![("/code", json!("17A"))], vec!["212"]),
        (vec![of_type("14.1")], vec!["223"]),
        (vec![("/issue_date", json!("2026-11-21"))], vec!["260"]),
    ]
}

fn broken_figures() -> Vec<Broken> {
    let twice = |second: Value| {
        let line = document(&[])["lines"][0].clone();
        let mut other = line.clone();
        other["i"] = second;
        let totals = [("total", "200.00"), ("tax", "26.00"), ("total_with_tax", "226.00")];
        let totals: Value = totals
            .into_iter()
            .map(|(name, value)| (name.to_owned(), json!(value)))
            .collect::<serde_json::Map<_, _>>()
            .into();
        (json!([line, other]), totals)
    };
    let (lines, totals) = twice(json!(1));
    let (mut mixed, _) = twice(json!(2));
    mixed[1]["item"]["ext"] = json!({});
    let charge = json!([{"amount": "101.00", "ext": {"gr-mydata-other-tax": "22"}}]);
    vec![
        (vec![("/totals/total", json!("90.00"))], vec!["203", "207"]),
        (vec![("/totals/total", json!("99.00")), ("/totals/total_with_tax", json!("112.00"))], vec!["207"]),
        (vec![("/totals/tax", json!("14.00")), ("/totals/total_with_tax", json!("114.00"))], vec!["209"]),
        (vec![(VAT, json!({"gr-mydata-vat-rate": "8"}))], vec!["216"]),
        (vec![(VAT, json!({"gr-mydata-vat-rate": "7"}))], vec!["217"]),
        (vec![("/lines/0/item/ext", json!({}))], vec!["230"]),
        (
            vec![
                ("/charges", charge),
                ("/totals/total", json!("201.00")),
                ("/totals/total_with_tax", json!("214.00")),
            ],
            vec!["239"],
        ),
        (vec![("/lines", lines), ("/totals", totals.clone())], vec!["261"]),
        (vec![(VAT, json!({"gr-mydata-vat-rate": "2", "gr-mydata-exemption": "7"}))], vec!["271"]),
        (vec![("/lines", mixed), ("/totals", totals)], vec!["304"]),
    ]
}

/// What needs myDATA's registers, or an element that is in no record of ours: a tester asks for it.
const LEFT_TO_TESTERS: &[&str] = &[
    "102", "105", "201", "206", "208", "210", "213", "214", "215", "218", "219", "220", "222", "224", "225",
    "226", "227", "228", "229", "231", "234", "236", "237", "240", "241", "245", "254", "259", "262", "265",
    "272", "273", "306", "307", "308", "313", "318", "319", "320", "322", "331",
];

#[test]
fn mydata_refuses_every_broken_document_by_its_codes_and_there_is_one_for_each() {
    let mut known: BTreeSet<_> = LEFT_TO_TESTERS.iter().copied().collect();
    // Cases of their own below.
    known.extend(["101", "233"]);
    let broken = [broken_parties(), broken_headers(), broken_figures()].concat();
    for (changes, expected) in broken {
        let outcome = GrMydata::submit(&submission(&stored(&changes))).unwrap();
        assert_eq!((outcome.accepted, codes(&outcome)), (false, expected.clone()), "{changes:?}");
        assert!(outcome.stamps.is_empty() && outcome.record.is_none() && outcome.payload.is_some());
        known.extend(expected);
    }
    assert_eq!(known, CODES.iter().map(|(code, ..)| *code).collect());
    for (code, status, sentence) in CODES {
        let outcome = forced(code);
        assert_eq!((outcome.accepted, codes(&outcome)), (false, vec![*code]));
        assert_eq!(outcome.faults[0].message, Some(format!("{status}: {sentence}")));
    }
}

#[test]
fn the_status_of_an_answer_is_one_of_three() {
    let message = |code: &str| forced(code).faults[0].message.clone().unwrap();
    assert!(message("101").starts_with("XMLSyntaxError: "));
    assert!(message("204").starts_with("ValidationError: "));
    assert!(message("206").starts_with("TechnicalError: "));
}

#[test]
fn what_does_not_fit_the_schema_is_a_syntax_error_whatever_else_is_wrong() {
    for (pointer, value) in [
        (TYPE, json!("99")),
        ("/series", json!("x".repeat(51))),
        ("/code", json!("1".repeat(51))),
        ("/currency", json!("euro")),
        ("/supplier/tax_id/code", json!("1".repeat(31))),
        ("/customer/tax_id/country", json!("XX")),
        ("/customer/tax_id/country", json!("SS")),
        ("/preceding", json!([{"stamps": [{"prv": "iapr-mark", "val": "MARK"}]}])),
        ("/payment/instructions/ext/gr-mydata-payment-means", json!("9")),
        ("/lines", json!([])),
        ("/lines/0/i", json!(0)),
        ("/lines/0/item/price", json!("-100.00")),
        ("/lines/0/item/price", json!("10000000000000.00")),
        ("/lines/0/item/ext/gr-mydata-income-cat", json!("category2_1")),
        ("/lines/0/item/ext/gr-mydata-income-type", json!("E3_101")),
        (VAT, json!({})),
        (VAT, json!({"gr-mydata-vat-rate": "11"})),
        (VAT, json!({"gr-mydata-vat-rate": "7", "gr-mydata-exemption": "32"})),
        ("/charges", json!([{"amount": "1.00"}])),
        ("/charges", json!([{"amount": "-1.00", "ext": {"gr-mydata-fee": "1"}}])),
        ("/totals/total_with_tax", json!("-1.00")),
    ] {
        let mut changed = stored(&[(pointer, value)]);
        if pointer == "/lines/0/item/price" {
            changed["lines"][0]["total"] = changed["lines"][0]["item"]["price"].clone();
        }
        let outcome = GrMydata::submit(&submission(&changed)).unwrap();
        assert_eq!(codes(&outcome), ["101"], "{pointer}");
    }
    let abroad = json!({"name": "x".repeat(201), "tax_id": {"country": "DE", "code": "111111125"}});
    let outcome = GrMydata::submit(&submission(&stored(&[("/customer", abroad)]))).unwrap();
    assert_eq!(codes(&outcome), ["101"], "a name of more than 200 characters");
}

#[test]
fn mydata_registers_what_it_takes_and_refuses_a_second_document_under_the_number() {
    let first = submission(&document(&[]));
    let accepted = GrMydata::submit(&first).unwrap();
    assert_eq!((accepted.accepted, codes(&accepted)), (true, vec![]));
    let mark = stamp(&accepted, "iapr-mark").unwrap();
    assert!(mark.len() == 15 && mark.starts_with("400"));
    let qr = stamp(&accepted, "iapr-qr").unwrap();
    assert!(qr.starts_with("https://mydataapidev.aade.gr/TimologioQR/QRInfo?q="));
    let registered = accepted.record.clone();
    let again = GrMydata::submit(&Submission { registered: registered.clone(), ..first.clone() }).unwrap();
    assert_eq!((&again.stamps, &again.payload), (&accepted.stamps, &accepted.payload));
    let other = submission(&document(&[("notes", json!("x"))]));
    let other = GrMydata::submit(&Submission { registered, ..other }).unwrap();
    assert_eq!((other.accepted, codes(&other), other.stamps.len()), (false, vec!["233"], 0));
    let amended = GrMydata::submit(&Submission { amends: Some("094259216|X".to_owned()), ..first });
    assert_eq!(codes(&amended.unwrap()), ["233"]);
}

/// The digest of `094259216-2026-11-20-0-2.1-0-2026000017`, made with another program.
const UID: &str = "733BCFB7B7E2BEA57DF0B5C6C9AD938FD556817B";

#[test]
fn a_record_is_known_by_a_digest_of_six_members() {
    let outcome = GrMydata::submit(&submission(&document(&[]))).unwrap();
    assert_eq!(stamp(&outcome, "iapr-uid"), Some(UID));
    let filing = GrMydata::file(&document(&[]).to_string()).unwrap();
    assert_eq!((filing.chain.as_str(), filing.record_key), ("094259216", format!("094259216|{UID}")));
    let key = |changes: &[(&str, Value)]| GrMydata::file(&stored(changes).to_string()).unwrap().record_key;
    let keys = [
        key(&[]),
        key(&[of_type("11.2")]),
        key(&[("/series", json!("G"))]),
        key(&[("/code", json!("18"))]),
        key(&[("/issue_date", json!("2026-11-19"))]),
        key(&[("/supplier/tax_id/code", json!("841442160"))]),
    ];
    assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), keys.len());
    assert_eq!(key(&[("/customer/name", json!("x"))]), keys[0]);
}

#[test]
fn mydata_and_the_check_go_by_the_day_in_greece() {
    for (now, day, taken) in [
        ("2026-11-20T21:59:59Z", "2026-11-21", false),
        ("2026-11-20T22:00:00Z", "2026-11-21", true),
        ("2026-03-29T20:59:59Z", "2026-03-30", false),
        ("2026-03-29T21:00:00Z", "2026-03-30", true),
        ("2026-10-25T21:59:59Z", "2026-10-26", false),
        ("2026-11-21T12:00:00+14:00", "2026-11-21", true),
    ] {
        let context =
            einvoice_plugin::Context { now: now.to_owned(), today: day.to_owned(), ..support::context() };
        let dated = json!({"number": "1", "issue_date": day, "document_type": "simplified_invoice",
            "lines": [{"description": "x", "quantity": "1", "unit_price": "1.00",
                       "tax": {"category": "VAT", "rate": "24"}}]});
        let faults = GrMydata::check(&invoice(&dated).unwrap(), &context);
        let found: Vec<_> = faults.into_iter().map(|fault| fault.code).collect();
        assert_eq!(found, if taken { vec![] } else { vec!["GR-MYDATA-DATE-03"] }, "{now} {day}");
        let dated = stored(&[("/issue_date", json!(day))]);
        let outcome = GrMydata::submit(&harness::submission(&dated.to_string(), now)).unwrap();
        assert_eq!(codes(&outcome), if taken { vec![] } else { vec!["260"] }, "{now} {day}");
    }
}

fn interpreted(outcome: Outcome) -> Verdict {
    let (job, entry) = (String::new(), String::new());
    let Outcome { accepted, stamps, faults, .. } = outcome;
    GrMydata::interpret(&ProviderResult { succeeded: accepted, faults, stamps, job, entry }).unwrap()
}

#[test]
fn an_accepted_document_has_a_registration_number_and_an_address() {
    let outcome = GrMydata::submit(&submission(&document(&[]))).unwrap();
    let (mark, qr) =
        (stamp(&outcome, "iapr-mark").map(str::to_owned), stamp(&outcome, "iapr-qr").map(str::to_owned));
    let Verdict::Accepted(acceptance) = interpreted(outcome) else { panic!() };
    assert_eq!((acceptance.tax_system_hash, acceptance.qr_url), (mark, qr));
}

#[test]
fn a_refusal_is_explained_and_one_that_nobody_knows_is_quoted() {
    let reason = |code: &str| match interpreted(forced(code)) {
        Verdict::Rejected(rejection) => rejection.reason,
        other => panic!("{other:?}"),
    };
    assert_eq!(reason("102"), "The VAT number belongs to no active business; ask for the right one. (102)");
    assert_eq!(reason("999"), "ValidationError: myDATA refused the document. (999)");
}

#[test]
fn success_without_a_registration_number_is_undecided() {
    let outcome = GrMydata::submit(&submission(&document(&[]))).unwrap();
    assert!(matches!(interpreted(Outcome { stamps: Vec::new(), ..outcome }), Verdict::Undecided(_)));
}

#[test]
fn what_is_no_document_is_a_fault() {
    for json in ["", "{}", "[]", "null", r#"{"code":"1","issue_date":"2026-11-20"}"#] {
        assert_eq!(GrMydata::file(json).unwrap_err()[0].code, "GR-MYDATA-SANDBOX-01", "{json}");
    }
    let foreign = Some("{}".to_owned());
    let answer = GrMydata::submit(&Submission { registered: foreign, ..submission(&document(&[])) });
    assert_eq!(answer.unwrap_err()[0].code, "GR-MYDATA-SANDBOX-01", "a record that is none");
}
