//! What the sandbox's SdI answers: a case for each of its codes, its receipts, the names of its files.

#![cfg(test)]

mod support;

use std::collections::BTreeSet;

use einvoice_eu::harness;
use einvoice_gobl::harness::invoice;
use einvoice_plugin::{
    Authority, Country, Outcome, ProviderFault, ProviderResult, Stamp, Submission, Verdict,
};
use it_sdi::ItSdi;
use it_sdi::authority::CODES;
use serde_json::{Value, json};

const NOW: &str = "2026-11-20T09:30:00+01:00";

/// A sound document with these members instead.
fn document(changes: &[(&str, Value)]) -> Value {
    let address = json!({"street": "Via X 1", "locality": "Roma", "postcode": "00100", "country": "IT"});
    let mut document = json!({
        "number": "F-1", "issue_date": "2026-11-20",
        "recipient": {"type": "company", "name": "Mela", "tax_number": "13029381004", "country": "IT",
                      "address": address},
        "lines": [{"description": "Camera", "quantity": "1", "unit_price": "100.00",
                   "tax": {"category": "VAT", "rate": "10.0"}}],
        "preceding": []
    });
    for (member, value) in changes {
        document[*member] = value.clone();
    }
    let body = ItSdi::convert(&invoice(&document).unwrap(), &support::context()).unwrap().body;
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
    ItSdi::submit(&Submission { forced_code, ..submission(&document(&[])) }).unwrap()
}

fn codes(outcome: &Outcome) -> Vec<&str> {
    outcome.faults.iter().filter_map(|fault| fault.code.as_deref()).collect()
}

fn stamp<'a>(outcome: &'a Outcome, provider: &str) -> Option<&'a str> {
    let found = outcome.stamps.iter().find(|stamp: &&Stamp| stamp.provider == provider);
    found.map(|stamp| stamp.value.as_str())
}

const DOC_TYPE: &str = "/tax/ext/it-sdi-document-type";
const LINE: &str = "/lines/0/taxes/0";
const ROW: &str = "/totals/taxes/categories/0/rates/0";

/// Line and row with this percent and reason not to tax.
fn taxed(percent: Option<&str>, nature: Option<&str>, amount: &str) -> Vec<(&'static str, Value)> {
    let ext = nature.map_or_else(|| json!({}), |nature| json!({"it-sdi-exempt": nature}));
    vec![
        (LINE, json!({"cat": "VAT", "percent": percent, "ext": ext})),
        (ROW, json!({"base": "100.00", "percent": percent, "amount": amount, "ext": ext})),
    ]
}

fn of_type(code: &str) -> (&'static str, Value) {
    (DOC_TYPE, json!(code))
}

/// What is changed in a document, and every code that SdI refuses it with.
type Broken = (Vec<(&'static str, Value)>, Vec<&'static str>);

fn inbox(code: &str) -> Value {
    json!([{"key": "it-sdi-code", "code": code}])
}

fn broken_parties() -> Vec<Broken> {
    let supplier = json!({"country": "IT", "code": "12345678903"});
    let person = |code: &str| ("/customer/identities", json!([{"key": "it-fiscal-code", "code": code}]));
    let italian = ("/customer/tax_id", json!({"country": "IT"}));
    let foreign = vec![
        ("/supplier/tax_id", json!({"country": "FR", "code": "44732829320"})),
        ("/customer/tax_id", json!({"country": "DE", "code": "111111125"})),
    ];
    let own = vec![of_type("TD21"), ("/customer/tax_id", supplier.clone())];
    vec![
        (vec![("/supplier/tax_id/code", json!("12345678904"))], vec!["00301"]),
        (vec![("/customer/tax_id/code", json!("12345678904"))], vec!["00305"]),
        (vec![italian.clone(), person("RSSGNN60R30H501X")], vec!["00306"]),
        (vec![italian.clone()], vec!["00417"]),
        (vec![("/customer/tax_id", supplier)], vec!["00471"]),
        (vec![of_type("TD27")], vec!["00472"]),
        (vec![of_type("TD18")], vec!["00473"]),
        ([own, taxed(None, Some("N4"), "0.00")].concat(), vec!["00474"]),
        (vec![of_type("TD16"), italian, person("RSSGNN60R30H501U")], vec!["00475"]),
        (foreign, vec!["00476"]),
    ]
}

/// The row of the line's rate, with these members instead.
fn row(changes: &[(&str, &str)]) -> (&'static str, Value) {
    let mut row = json!({"base": "100.00", "percent": "10.0%", "amount": "10.00"});
    for (member, value) in changes {
        row[*member] = json!(value);
    }
    (ROW, row)
}

fn broken_headings() -> Vec<Broken> {
    let expensive = vec![
        of_type("TD07"),
        ("/lines/0/item/price", json!("500.00")),
        ("/lines/0/total", json!("500.00")),
        row(&[("base", "500.00"), ("amount", "50.00")]),
    ];
    let retained = json!([{"cat": "VAT", "percent": "10.0%"}, {"cat": "IRPEF", "percent": "20%"}]);
    let public = ("/tax/ext/it-sdi-format", json!("FPA12"));
    vec![
        (vec![("/issue_date", json!("2026-11-21"))], vec!["00403"]),
        (vec![("/lines/0/taxes", retained)], vec!["00411"]),
        (vec![("/preceding", json!([{"code": "F-0", "issue_date": "2026-11-21"}]))], vec!["00418"]),
        (vec![("/code", json!("F"))], vec!["00425"]),
        (vec![public, ("/customer/inboxes", inbox("ABCDEF1"))], vec!["00427"]),
        (vec![("/customer/inboxes", inbox("ABCDEF"))], vec!["00427"]),
        (expensive, vec!["00460"]),
    ]
}

fn broken_figures() -> Vec<Broken> {
    let split = (
        "/totals/taxes/categories/0/rates/0/ext",
        json!({"it-sdi-exempt": "N6.1", "it-sdi-vat-liability": "S"}),
    );
    let other_nature = ("/totals/taxes/categories/0/rates/0/ext", json!({"it-sdi-exempt": "N1"}));
    vec![
        (taxed(None, None, "0.00"), vec!["00400", "00429"]),
        (taxed(Some("10.0%"), Some("N4"), "10.00"), vec!["00401", "00430"]),
        (vec![row(&[("percent", "22.0%"), ("amount", "22.00")])], vec!["00419", "00422", "00443"]),
        ([taxed(None, Some("N6.1"), "0.00"), vec![split]].concat(), vec!["00420"]),
        (vec![row(&[("amount", "10.02")])], vec!["00421"]),
        (vec![row(&[("base", "101.01"), ("amount", "10.10")])], vec!["00422"]),
        (vec![("/lines/0/total", json!("100.02"))], vec!["00423"]),
        (taxed(Some("0.10%"), None, "0.10"), vec!["00424"]),
        ([taxed(None, Some("N4"), "0.00"), vec![other_nature]].concat(), vec!["00422", "00444"]),
        (taxed(None, Some("N2"), "0.00"), vec!["00445"]),
    ]
}

/// What needs SdI's registers, or an element that is in no file of ours: a tester asks for it.
const LEFT_TO_TESTERS: &[&str] = &[
    "RC", "MC", "AT", "DT", "NE", "EC01", "EC02", "NS", "00001", "00002", "00102", "00300", "00302", "00303",
    "00311", "00312", "00398", "00399", "00409", "00413", "00414", "00415", "00428", "00437", "00438",
];

#[test]
fn sdi_refuses_every_broken_document_by_its_codes_and_there_is_one_for_each() {
    let mut known: BTreeSet<_> = LEFT_TO_TESTERS.iter().copied().collect();
    // Cases of their own below.
    known.extend(["00003", "00200", "00404"]);
    let broken = [broken_parties(), broken_headings(), broken_figures()].concat();
    for (changes, expected) in broken {
        let outcome = ItSdi::submit(&submission(&stored(&changes))).unwrap();
        assert_eq!((outcome.accepted, codes(&outcome)), (false, expected.clone()), "{changes:?}");
        assert!(outcome.stamps.is_empty() && outcome.payload.is_some());
        known.extend(expected);
    }
    assert_eq!(known, CODES.iter().map(|(code, _)| *code).collect());
    for code in LEFT_TO_TESTERS {
        let outcome = forced(code);
        let accepted = ["RC", "MC", "AT", "DT", "NE", "EC01"].contains(code);
        assert_eq!((outcome.accepted, codes(&outcome)), (accepted, vec![*code]));
        let sentence = CODES.iter().find(|(known, _)| known == code).map(|(_, sentence)| *sentence);
        assert_eq!(outcome.faults[0].message.as_deref(), sentence);
    }
}

#[test]
fn what_does_not_fit_the_schema_is_discarded_whatever_else_is_wrong() {
    for (pointer, value) in [
        (DOC_TYPE, json!("TD99")),
        ("/tax/ext/it-sdi-format", json!("FPX12")),
        ("/supplier/addresses", json!([])),
        ("/supplier/name", json!("x".repeat(81))),
        ("/supplier/ext/it-sdi-fiscal-regime", json!("RF03")),
        ("/supplier/registration", json!({"office": "rm", "entry": "1"})),
        ("/supplier/addresses/0/code", json!("123")),
        ("/customer/name", json!("Żółć")),
        ("/customer/name", json!("")),
        ("/customer/addresses/0/street", json!("x".repeat(61))),
        ("/customer/inboxes", inbox("abcdefg")),
        ("/customer/inboxes", json!([{"key": "it-sdi-pec", "email": "pec"}])),
        ("/currency", json!("euro")),
        ("/code", json!("F-20261120-0000000001")),
        ("/preceding", json!([{"code": "x".repeat(21)}])),
        ("/lines", json!([])),
        ("/lines/0/i", json!(0)),
        ("/lines/0/item/name", json!("5 €")),
        ("/lines/0/item/price", json!("100000000000.00")),
        ("/lines/0/quantity", json!("1000000000000")),
        ("/lines/0/period", json!({"start": "yesterday", "end": "today"})),
        ("/lines/0/taxes/0/percent", json!("10.001%")),
        ("/lines/0/taxes/0/percent", json!("101%")),
        ("/lines/0/taxes/0/ext", json!({"it-sdi-exempt": "N8"})),
        ("/totals/taxes/categories", json!([])),
        ("/totals/total_with_tax", json!("100000000000.00")),
        ("/totals/taxes/categories/0/rates/0/ext", json!({"it-sdi-vat-liability": "X"})),
        ("/notes", json!([{"text": "5 €"}])),
        ("/payment", json!({"instructions": {"ext": {"it-sdi-payment-means": "MP24"}}})),
        ("/totals/taxes/categories/0/retained", json!(true)),
    ] {
        let outcome = ItSdi::submit(&submission(&stored(&[(pointer, value)]))).unwrap();
        assert_eq!(codes(&outcome), ["00200"], "{pointer}");
    }
    let retained = json!([
        {"code": "VAT", "rates": [{"base": "100.00", "percent": "10.0%", "amount": "10.00"}]},
        {"code": "IRPEF", "retained": true, "rates": [
            {"base": "100.00", "percent": "20%", "amount": "20.00", "ext": {"it-sdi-retained": "A"}}]}
    ]);
    let with = |code: &str| stored(&[of_type(code), ("/totals/taxes/categories", retained.clone())]);
    let answers = ["TD01", "TD07"].map(|code| ItSdi::submit(&submission(&with(code))).unwrap());
    assert_eq!(answers.each_ref().map(codes), [vec![], vec!["00200"]]);
}

#[test]
fn a_file_has_five_megabytes_at_most() {
    let line = json!({"i": 1, "quantity": "1", "item": {"name": "x".repeat(1000), "price": "0.00"}, "total": "0.00",
                      "taxes": [{"cat": "VAT", "percent": "10.0%"}]});
    let lines = |count| vec![line.clone(); count];
    let answer = |count| ItSdi::submit(&submission(&stored(&[("/lines", json!(lines(count)))]))).unwrap();
    assert_eq!((codes(&answer(3000)), codes(&answer(5000))), (vec!["00422"], vec!["00003"]));
}

#[test]
fn sdi_numbers_what_it_takes_and_refuses_a_second_document_under_the_number() {
    let first = submission(&document(&[]));
    let accepted = ItSdi::submit(&first).unwrap();
    assert_eq!((accepted.accepted, codes(&accepted)), (true, vec![]));
    assert_eq!(stamp(&accepted, "sdi-id").map(str::len), Some(11));
    assert_eq!(stamp(&accepted, "sdi-file"), Some("IT12345678903_00001.xml"));
    let registered = accepted.record.clone();
    let again = ItSdi::submit(&Submission { registered: registered.clone(), ..first.clone() }).unwrap();
    assert_eq!((&again.stamps, &again.payload), (&accepted.stamps, &accepted.payload));
    let other = submission(&document(&[("notes", json!("x"))]));
    let other = ItSdi::submit(&Submission { registered, ..other }).unwrap();
    assert_eq!((other.accepted, codes(&other), other.stamps.len()), (false, vec!["00404"], 0));
    let amended = ItSdi::submit(&Submission { amends: Some("12345678903|2026|F|F-1".to_owned()), ..first });
    assert_eq!(codes(&amended.unwrap()), ["00404"]);
}

/// The progressive number in the file.
fn progressive(outcome: &Outcome) -> &str {
    let (_, rest) = outcome.payload.as_deref().unwrap().split_once("<ProgressivoInvio>").unwrap();
    rest.split_once('<').unwrap().0
}

#[test]
fn a_file_never_has_the_name_of_an_earlier_one_of_its_sender() {
    let send =
        |number: &str, previous: Option<&Outcome>, registered: Option<&Outcome>, code: Option<&str>| {
            let record = |outcome: Option<&Outcome>| outcome.and_then(|outcome| outcome.record.clone());
            let submission = Submission {
                previous: record(previous),
                registered: record(registered),
                forced_code: code.map(str::to_owned),
                ..submission(&document(&[("number", json!(number))]))
            };
            ItSdi::submit(&submission).unwrap()
        };
    let first = send("F-1", None, None, None);
    let discarded = send("F-2", Some(&first), None, Some("00311"));
    // The number that was discarded goes out again, in another file.
    let corrected = send("F-2", Some(&discarded), Some(&discarded), None);
    let third = send("F-3", Some(&corrected), None, None);
    // A repeated answer is about the old file and takes no name away.
    let repeated = send("F-1", Some(&third), Some(&first), None);
    let duplicate = send("F-1", Some(&repeated), Some(&repeated), Some("00404"));
    let fourth = send("F-4", Some(&duplicate), None, None);
    let answers = [&first, &discarded, &corrected, &third, &repeated, &duplicate, &fourth];
    let accepted = answers.map(|outcome| outcome.accepted);
    assert_eq!(accepted, [true, false, true, true, true, false, true]);
    let numbers = answers.map(progressive);
    assert_eq!(numbers, ["00001", "00002", "00003", "00004", "00001", "00001", "00005"]);
}

#[test]
fn a_record_from_before_files_had_names_is_one_of_an_accepted_document() {
    let old = r#"{"number":"F-1","digest":"ab","stamps":[["sdi-id","00000000001"]]}"#.to_owned();
    let sent = submission(&document(&[]));
    let outcome = ItSdi::submit(&Submission { registered: Some(old.clone()), ..sent.clone() }).unwrap();
    assert_eq!(codes(&outcome), ["00404"]);
    let next = ItSdi::submit(&Submission { previous: Some(old), ..sent }).unwrap();
    assert_eq!((next.accepted, progressive(&next)), (true, "00001"));
}

#[test]
fn credit_notes_have_numbers_of_their_own() {
    let key = |document: Value| ItSdi::file(&document.to_string()).unwrap().record_key;
    assert_eq!(key(document(&[])), "12345678903|2026|F|F-1");
    let credit_note = document(&[("document_type", json!("credit_note"))]);
    assert_eq!(key(credit_note), "12345678903|2026|N|F-1");
}

#[test]
fn a_code_nobody_knows_is_explained_once() {
    let (job, entry) = (String::new(), String::new());
    let faults = forced("99999").faults;
    let report = ProviderResult { succeeded: false, faults, stamps: Vec::new(), job, entry };
    assert!(matches!(ItSdi::interpret(&report).unwrap(), Verdict::Rejected(rejected)
        if rejected.reason == "SdI refused the document. (99999)"));
}

#[test]
fn a_notification_is_a_remark_and_an_error_a_rejection() {
    let interpreted = |faults: Vec<ProviderFault>| {
        let (job, entry) = (String::new(), String::new());
        ItSdi::interpret(&ProviderResult { succeeded: true, faults, stamps: Vec::new(), job, entry }).unwrap()
    };
    let (taken, discarded) = (forced("MC"), forced("00311"));
    assert!(taken.accepted && !discarded.accepted);
    assert!(
        matches!(interpreted(taken.faults), Verdict::Accepted(accepted) if accepted.warnings[0].code == "MC")
    );
    assert!(matches!(interpreted(discarded.faults), Verdict::Rejected(rejected)
        if rejected.reason == "There is no such destination code; ask the recipient for the right one. (00311)"));
}

#[test]
fn what_is_no_document_is_a_fault() {
    for json in ["", "{}", "[]", "null", r#"{"code":"F-1","issue_date":"2026-11-20"}"#] {
        assert_eq!(ItSdi::file(json).unwrap_err()[0].code, "IT-SDI-SANDBOX-01", "{json}");
    }
    let foreign = Some("{}".to_owned());
    let answer = ItSdi::submit(&Submission { previous: foreign, ..submission(&document(&[])) });
    assert_eq!(answer.unwrap_err()[0].code, "IT-SDI-SANDBOX-01", "a record that is none");
}
