//! One broken document for each rule that the stand-in knows.

#![cfg(test)]

mod support;

use std::collections::BTreeSet;

use einvoice_gobl::harness::{invoice, submission};
use einvoice_plugin::{Answers, Authority, Country, ProviderFault};
use fr_facturx::wire::Record;
use fr_facturx::{FrFacturx, rules};
use serde_json::{Value, json};

const NOW: &str = "2026-11-20T09:30:00+01:00";
const ROW: &str = "/totals/taxes/categories/0/rates/0";
const CATEGORY: &str = "untdid-tax-category";
/// As the stored documents' notes are ordered.
const NOTES: [&str; 3] = ["PMT", "PMD", "AAB"];

/// A stored document with one line of a VAT category; `R` is one that is reported.
fn document(category: &str) -> Value {
    let exempt = |key: &str| json!({"category": "VAT", "exemption": key});
    let tax = match category {
        "S" | "R" => json!({"category": "VAT", "rate": "10"}),
        "Z" => json!({"category": "VAT", "rate": "0"}),
        "E" => exempt("exempt"),
        "AE" => exempt("reverse_charge"),
        "K" => exempt("intra_community"),
        "G" => exempt("export"),
        "O" => exempt("outside_scope"),
        other => panic!("{other} is no category"),
    };
    let recipient = match category {
        "S" => json!({"type": "company", "name": "Sample", "tax_number": "35600000000048", "country": "FR",
                      "address": {"locality": "Lyon", "postcode": "69002", "country": "FR"}}),
        "R" => json!({"type": "individual", "name": "Sample", "address": {"country": "FR"}}),
        _ => {
            json!({"type": "company", "name": "Sample", "tax_number": "ATU10223006", "country": "AT", "email": "a@b.at",
                    "address": {"locality": "Wien", "postcode": "1060", "country": "AT"}})
        }
    };
    let document = json!({
        "number": "F-1", "issue_date": "2026-11-20", "operation_date": "2026-11-18", "recipient": recipient,
        "lines": [{"description": "Nuit", "quantity": "1", "unit_price": "100.00", "tax": tax}]
    });
    let mut context = support::context();
    let mut settings = support::settings();
    settings["siret"] = json!("73282932000074");
    context.settings = settings.to_string();
    let converted = FrFacturx::convert(&invoice(&document).unwrap(), &context).unwrap();
    serde_json::from_str(&converted.body).unwrap()
}

/// What is changed in a document: pointers and values.
type Changes = Vec<(String, Value)>;

fn changed(category: &str, changes: &Changes) -> Value {
    let mut document = document(category);
    for (pointer, value) in changes {
        let (parent, member) = pointer.rsplit_once('/').unwrap();
        let parent = document.pointer_mut(parent).unwrap();
        match (parent.as_array_mut(), member.parse::<usize>()) {
            (Some(list), Ok(at)) if at < list.len() => list[at] = value.clone(),
            (Some(list), _) => list.push(value.clone()),
            _ => parent[member] = value.clone(),
        }
    }
    document
}

type Case = (String, &'static str, Changes);

fn one(id: &str, category: &'static str, pointer: &str, value: Value) -> Case {
    (id.to_owned(), category, vec![(pointer.to_owned(), value)])
}

fn several(id: &str, category: &'static str, changes: &[(&str, Value)]) -> Case {
    let changes = changes.iter().map(|(pointer, value)| ((*pointer).to_owned(), value.clone()));
    (id.to_owned(), category, changes.collect())
}

fn row(member: &str) -> String {
    format!("{ROW}/{member}")
}

/// Rules of the standard.
fn of_the_standard() -> Vec<Case> {
    let unknown = || vec![("/supplier/tax_id".to_owned(), json!({}))];
    let mut cases: Vec<_> =
        table().into_iter().map(|(id, pointer, value)| one(id, "S", pointer, value)).collect();
    let categories = [
        ("S", "BR-S"),
        ("Z", "BR-Z"),
        ("E", "BR-E"),
        ("AE", "BR-AE"),
        ("K", "BR-IC"),
        ("G", "BR-G"),
        ("O", "BR-O"),
    ];
    for (category, prefix) in categories {
        let other = if category == "S" { "Z" } else { "S" };
        let percent = if category == "S" { "0%" } else { "10%" };
        cases.extend([
            one(&format!("{prefix}-01"), category, &row("ext"), json!({CATEGORY: other})),
            one(&format!("{prefix}-05"), category, "/lines/0/taxes/0/percent", json!(percent)),
            one(&format!("{prefix}-08"), category, &row("base"), json!("200.00")),
            one(&format!("{prefix}-09"), category, &row("amount"), json!("19.00")),
        ]);
        if category != "O" {
            cases.push((format!("{prefix}-02"), category, unknown()));
        }
    }
    let two = json!([{"ext": {CATEGORY: "O"}, "base": "100.00", "amount": "0.00"},
                     {"ext": {CATEGORY: "S"}, "base": "0.00", "percent": "10%", "amount": "0.00"}]);
    cases.extend([
        one("BR-AE-02", "AE", "/customer/tax_id", json!({})),
        one("BR-IC-02", "K", "/customer/tax_id", json!({})),
        one("BR-S-10", "S", &row("ext"), json!({CATEGORY: "S", "cef-vatex": "VATEX-EU-AE"})),
        one("BR-Z-10", "Z", &row("ext"), json!({CATEGORY: "Z", "cef-vatex": "VATEX-EU-AE"})),
        one("BR-E-10", "E", "/tax/notes", json!([])),
        one("BR-IC-11", "K", "/op_date", Value::Null),
        one("BR-IC-12", "K", "/customer/addresses/0/country", json!("")),
        one("BR-O-11", "O", "/totals/taxes/categories/0/rates", two),
        one("BR-O-12", "O", "/lines/0/taxes/0/ext", json!({CATEGORY: "S"})),
    ]);
    cases
}

/// Rules of the standard that one change of an ordinary invoice breaks.
fn table() -> Vec<(&'static str, &'static str, Value)> {
    let none = || json!([]);
    let backwards = || json!({"start": "2026-11-19", "end": "2026-11-17"});
    vec![
        ("BR-04", "/tax/ext", json!({})),
        ("BR-CL-01", "/tax/ext/untdid-document-type", json!("999")),
        ("BR-05", "/currency", json!("")),
        ("BR-CL-04", "/currency", json!("STN")),
        ("BR-06", "/supplier/name", json!(" ")),
        ("BR-07", "/customer/name", json!("")),
        ("BR-08", "/supplier/addresses", none()),
        ("BR-09", "/supplier/addresses/0/country", json!("")),
        ("BR-10", "/customer/addresses", none()),
        ("BR-11", "/customer/addresses/0/country", json!("")),
        ("BR-CL-14", "/customer/addresses/0/country", json!("XX")),
        ("BR-16", "/lines", none()),
        ("BR-25", "/lines/0/item/name", json!(" ")),
        ("BR-30", "/lines/0/period", backwards()),
        ("BR-29", "/lines/0/period", backwards()),
        ("BR-49", "/payment/instructions/ext", json!({})),
        ("BR-CL-16", "/payment/instructions/ext/untdid-payment-means", json!("71")),
        ("BR-50", "/payment/instructions/credit_transfer", json!([{}])),
        ("BR-61", "/payment/instructions/credit_transfer", none()),
        ("BR-55", "/preceding", json!([{"code": ""}])),
        ("BR-CL-08", "/notes/0/ext/untdid-text-subject", json!("aai")),
        ("BR-CL-25", "/customer/inboxes", json!([{"scheme": "9999", "code": "1"}])),
        ("BR-CO-09", "/customer/tax_id/country", json!("XX")),
        ("BR-CO-25", "/payment/terms", Value::Null),
        ("BR-CL-17", "/totals/taxes/categories/0/rates/0/ext", json!({CATEGORY: "Q"})),
        ("BR-CO-04", "/lines/0/taxes", none()),
        ("BR-CL-18", "/lines/0/taxes/0/ext", json!({CATEGORY: "Q"})),
        ("BR-CO-18", "/totals/taxes/categories/0/rates", none()),
        ("BR-CO-13", "/totals/total", json!("200.00")),
        ("BR-CO-14", "/totals/tax", json!("19.00")),
        ("BR-CO-15", "/totals/total_with_tax", json!("200.00")),
        ("BR-CO-16", "/totals/payable", json!("99.00")),
        ("BR-CO-17", "/totals/taxes/categories/0/rates/0/amount", json!("19.00")),
        ("BR-DEC-18", "/totals/payable", json!("110.001")),
        ("BR-DEC-19", "/totals/taxes/categories/0/rates/0/base", json!("100.001")),
        ("BR-DEC-20", "/totals/taxes/categories/0/rates/0/amount", json!("10.001")),
        ("BR-DEC-23", "/totals/payable", json!("110.001")),
    ]
}

/// BR-FR of numbers, dates, notes and parties.
fn of_france() -> Vec<Case> {
    let note = |subject: &str| json!({"text": "x", "ext": {"untdid-text-subject": subject}});
    let old = |member: &str| {
        let mut period = json!({"start": "2026-11-17", "end": "2026-11-19"});
        period[member] = json!("1999-11-17");
        period
    };
    let inbox = |code: &str| json!([{"scheme": "0225", "code": code}]);
    let preceding = |code: &str, day: &str| json!([{"code": code, "issue_date": day}]);
    let mut cases = vec![
        one("BR-FR-01_BT-1", "S", "/code", json!("9".repeat(36))),
        one("BR-FR-02_BT-1", "S", "/code", json!("F.1")),
        one("BR-FR-01_BT-25", "S", "/preceding", preceding(&"9".repeat(36), "2026-11-01")),
        one("BR-FR-02_BT-25", "S", "/preceding", preceding("F 1", "2026-11-01")),
        one("BR-FR-03_BT-2", "S", "/issue_date", json!("1999-12-31")),
        one("BR-FR-03_BT-9", "S", "/payment/terms/due_dates", json!([{"date": "2100-01-01"}])),
        one("BR-FR-03_BT-26", "S", "/preceding", preceding("F-0", "1999-12-31")),
        one("BR-FR-03_BT-72", "S", "/op_date", json!("1999-12-31")),
        one("BR-FR-03_BT-73", "S", "/lines/0/period", old("start")),
        one("BR-FR-03_BT-74", "S", "/lines/0/period", old("end")),
        one("BR-FR-03_EXT-FR-FE-134", "S", "/lines/0/period", old("start")),
        one("BR-FR-03_EXT-FR-FE-135", "S", "/lines/0/period", old("end")),
        one("BR-FR-04_BT-3", "S", "/tax/ext/untdid-document-type", json!("326")),
        one("BR-FR-06_BT-21_TXD", "S", "/notes", json!([note("TXD"), note("TXD")])),
        one("BR-FR-08_BT-23", "S", "/meta/facturx-process", json!("X1")),
        one("BR-FR-09_BT-29", "S", "/supplier/identities/1/code", json!("35600000000048")),
        one("BR-FR-09_BT-46", "S", "/customer/identities/1/code", json!("73282932000074")),
        one("BR-FR-10_BT-30", "S", "/supplier/identities", json!([])),
        one("BR-FR-11_BT-47", "S", "/customer/identities", json!([])),
        one("BR-FR-32-LEGALID", "S", "/customer/identities/0/code", json!("35600000")),
        one("BR-FR-12_BT-49", "S", "/customer/inboxes", json!([])),
        one("BR-FR-13_BT-34", "S", "/supplier/inboxes", json!([])),
        one("BR-FR-20_BT-21", "S", "/meta/facturx-treatment", json!("b2b")),
        one("BR-FR-21_BT-49", "S", "/customer/inboxes", inbox("732829320")),
        several(
            "BR-FR-22_BT-34",
            "S",
            &[("/tax/ext/untdid-document-type", json!("389")), ("/supplier/inboxes", inbox("356000000"))],
        ),
        one("BR-FR-23_BT-34", "S", "/supplier/inboxes", inbox("732829320/A")),
        one("BR-FR-23_BT-49", "S", "/customer/inboxes", inbox("356000000/A")),
        one("BR-FR-25_BT-34", "S", "/supplier/inboxes", inbox(&"7".repeat(126))),
        one("BR-FR-25_BT-49", "S", "/customer/inboxes", inbox(&"3".repeat(126))),
        one("BR-FR-31_BT-21", "S", "/notes/3", json!({"text": "B2C", "ext": {"untdid-text-subject": "BAR"}})),
    ];
    for (at, subject) in NOTES.iter().enumerate() {
        let path = format!("/notes/{at}/ext/untdid-text-subject");
        cases.push(one(&format!("BR-FR-05_BT-22_{subject}"), "S", &path, json!("AAI")));
        cases.push(one(&format!("BR-FR-06_BT-21_{subject}"), "S", "/notes/3", note(subject)));
    }
    cases
}

/// BR-FR of taxes and of what goes together, and the rules of reports.
fn of_france_together() -> Vec<Case> {
    let category = |code: &str| json!({CATEGORY: code});
    let doc_type = |id: &str, code: &str| one(id, "S", "/tax/ext/untdid-document-type", json!(code));
    let process = |id: &str, code: &str| one(id, "S", "/meta/facturx-process", json!(code));
    vec![
        one("BR-FR-15_BT-95_BT-118_LM", "S", &row("ext"), category("L")),
        one("BR-FR-15_BT-95_BT-151_LM", "S", "/lines/0/taxes/0/ext", category("M")),
        one("BR-FR-16_BT-119", "S", &row("percent"), json!("11%")),
        one("BR-FR-16_BT-152", "S", "/lines/0/taxes/0/percent", json!("11%")),
        one("BR-FR-DEC-02_BT-129", "S", "/lines/0/quantity", json!("1.00001")),
        one("BR-FR-DEC-04_BT-119", "S", &row("percent"), json!("10.001%")),
        one("BR-FR-DEC-04_BT-152", "S", "/lines/0/taxes/0/percent", json!("10.001%")),
        doc_type("BR-FR-CO-03_BT-3", "262"),
        doc_type("BR-FR-CO-04_BT-4", "384"),
        doc_type("BR-FR-CO-05_BT-3", "381"),
        one("BR-FR-CO-07_BT-9", "S", "/payment/terms/due_dates", json!([{"date": "2026-11-19"}])),
        several(
            "BR-FR-CO-08_BT-23",
            "S",
            &[("/tax/ext/untdid-document-type", json!("386")), ("/meta/facturx-process", json!("S4"))],
        ),
        process("BR-FR-CO-09_BT-23-1", "S2"),
        process("BR-FR-CO-09_BT-23-2", "B2"),
        process("BR-FR-CO-09_BT-23-3", "M2"),
        one("BR-FR-CO-12_BT-5", "S", "/currency", json!("CHF")),
        process("BR-FR-MV-02_EXT-FR-FE-163", "S8"),
        process("BR-FR-BD-02_EXT-FR-FE-163", "B9"),
        one("G1.104", "R", "/code", json!("F 1")),
        one("G1.36", "R", "/issue_date", json!("2100-01-01")),
        one("G6.22", "R", "/meta/facturx-platform", json!("PA")),
        one("G6.26", "R", "/supplier/identities", json!([])),
        one("G1.68", "R", "/meta/facturx-process", json!("M1")),
        one("G1.24", "R", &row("percent"), json!("11%")),
        one("G1.14", "R", &row("amount"), json!("10.001")),
        one("G1.53", "R", "/totals/total", json!("90.00")),
    ]
}

/// The codes the stand-in refuses a document with, each in its own words.
fn refusals(document: &Value) -> Vec<String> {
    let outcome = FrFacturx::submit(&submission(&document.to_string(), NOW)).unwrap();
    assert_eq!(outcome.accepted, outcome.faults.is_empty());
    let said =
        |fault: &ProviderFault| fault.message.as_deref() == fault.code.as_deref().and_then(rules::meaning);
    assert!(
        outcome.faults.iter().all(|fault| said(fault) || fault.code.as_deref() == Some(rules::NOT_VALID))
    );
    outcome.faults.into_iter().filter_map(|fault| fault.code).collect()
}

#[test]
fn a_broken_document_is_refused_by_every_rule_it_breaks() {
    let mut covered = BTreeSet::new();
    for (id, category, changes) in
        of_the_standard().into_iter().chain(of_france()).chain(of_france_together())
    {
        let document = changed(category, &changes);
        let broken = rules::broken(&Record::of(&document.to_string()).unwrap());
        assert!(broken.contains(&id.as_str()), "{id} is not among {broken:?}: {changes:?}");
        if !changes.iter().any(|(pointer, _)| pointer == "/supplier/tax_id") {
            assert_eq!(refusals(&document), broken, "{id}");
        }
        covered.insert(id);
    }
    let reports = rules::of_reports().map(|rule| rule.id);
    let known: BTreeSet<_> =
        rules::of_invoices().map(|rule| rule.id).chain(reports).map(str::to_owned).collect();
    assert_eq!(covered, known);
}

/// Rules of the standard and of France, in the answer and in the message that rejects the invoice.
#[test]
fn rules_that_are_broken_at_once_are_all_listed() {
    let two = vec![("/totals/payable".to_owned(), json!("99.00")), ("/notes".to_owned(), json!([]))];
    let document = changed("S", &two);
    let listed = ["BR-CO-16", "BR-FR-05_BT-22_PMT", "BR-FR-05_BT-22_PMD", "BR-FR-05_BT-22_AAB"];
    assert_eq!(refusals(&document), listed);
    let submission = submission(&document.to_string(), NOW);
    let answers = FrFacturx::answers(&submission, &FrFacturx::submit(&submission).unwrap());
    let [rejection] = answers.as_slice() else { panic!("{answers:?}") };
    for id in listed {
        assert!(rejection.body.contains(rules::meaning(id).unwrap()), "{}", rejection.body);
    }
    assert_eq!(rejection.body.matches("<ram:ReasonCode>REJ_SEMAN<").count(), listed.len());
    let reported = vec![("/code".to_owned(), json!("F 1")), ("/totals/total".to_owned(), json!("90.00"))];
    assert_eq!(refusals(&changed("R", &reported)), ["G1.104", "G1.53"]);
}

#[test]
fn a_document_of_every_category_is_taken() {
    for category in ["S", "Z", "E", "AE", "K", "G", "O", "R"] {
        assert_eq!(refusals(&document(category)), Vec::<String>::new(), "{category}");
    }
}

#[test]
fn what_has_no_record_does_not_fit_the_schema() {
    for (category, pointer, value) in [
        ("S", "/lines/0/quantity", json!("x")),
        ("S", "/lines/0/item/price", Value::Null),
        ("S", "/lines/0/taxes/0/surcharge", json!("5.2%")),
        ("S", "/supplier/name", json!(7)),
        ("S", "/op_date", json!("2026-02-30")),
        ("R", "/totals/taxes/categories", json!([])),
    ] {
        let document = changed(category, &vec![(pointer.to_owned(), value)]);
        assert_eq!(refusals(&document), [rules::NOT_VALID], "{pointer}");
    }
}

#[test]
fn every_rule_says_what_to_do() {
    let of_invoices = rules::of_invoices().map(|rule| (rule.id, rule.meaning));
    for (id, meaning) in of_invoices.chain(rules::of_reports().map(|rule| (rule.id, rule.meaning))) {
        assert!(meaning.contains("; ") && meaning.ends_with('.'), "{id}");
        assert_eq!(rules::meaning(id), Some(meaning), "{id}");
    }
}
