//! One broken document for each rule that the stand-in knows.

#![cfg(test)]

mod support;

use std::collections::BTreeSet;

use de_xrechnung::{DeXrechnung, rules, wire};
use einvoice_gobl::harness::{invoice, submission};
use einvoice_plugin::{Authority, Country, ProviderFault};
use serde_json::{Value, json};

const NOW: &str = "2026-11-20T09:30:00+01:00";
const ROW: &str = "/totals/taxes/categories/0/rates/0";
const CATEGORY: &str = "untdid-tax-category";

/// A stored document with one line of a VAT category.
fn document(category: &str) -> Value {
    let exempt = |key: &str| json!({"category": "VAT", "exemption": key});
    let tax = match category {
        "S" => json!({"category": "VAT", "rate": "7.0"}),
        "Z" => json!({"category": "VAT", "rate": "0"}),
        "E" => exempt("exempt"),
        "AE" => exempt("reverse_charge"),
        "K" => exempt("intra_community"),
        "G" => exempt("export"),
        "O" => exempt("outside_scope"),
        other => panic!("{other} is no category"),
    };
    let document = json!({
        "number": "F-1", "issue_date": "2026-11-20", "operation_date": "2026-11-18", "notes": "Danke.",
        "recipient": {"type": "company", "name": "Sample", "tax_number": "ATU10223006", "country": "AT", "email": "a@b.at",
                      "address": {"locality": "Wien", "postcode": "1060", "country": "AT"}},
        "lines": [{"description": "Nacht", "quantity": "1", "unit_price": "100.00", "tax": tax}]
    });
    let converted = DeXrechnung::convert(&invoice(&document).unwrap(), &support::context()).unwrap();
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
            (Some(list), Ok(at)) => list[at] = value.clone(),
            _ => parent[member] = value.clone(),
        }
    }
    document
}

/// Rules, the category of the document and what breaks it.
fn cases() -> Vec<(String, &'static str, Changes)> {
    let one = |id: &str, category: &'static str, pointer: &str, value: Value| {
        (id.to_owned(), category, vec![(pointer.to_owned(), value)])
    };
    let row = |member: &str| format!("{ROW}/{member}");
    let unknown = || {
        vec![
            ("/supplier/tax_id".to_owned(), json!({})),
            ("/supplier/identities".to_owned(), json!([{"code": "1"}])),
        ]
    };
    let mut cases: Vec<_> =
        table().into_iter().map(|(id, pointer, value)| one(id, "S", pointer, value)).collect();
    for (category, prefix) in [
        ("S", "BR-S"),
        ("Z", "BR-Z"),
        ("E", "BR-E"),
        ("AE", "BR-AE"),
        ("K", "BR-IC"),
        ("G", "BR-G"),
        ("O", "BR-O"),
    ] {
        let other = if category == "S" { "Z" } else { "S" };
        let percent = if category == "S" { "0%" } else { "7%" };
        cases.extend([
            one(&format!("{prefix}-01"), category, &row("ext"), json!({CATEGORY: other})),
            one(&format!("{prefix}-05"), category, "/lines/0/taxes/0/percent", json!(percent)),
            one(&format!("{prefix}-08"), category, &row("base"), json!("200.00")),
            one(&format!("{prefix}-09"), category, &row("amount"), json!("9.00")),
        ]);
        if category != "O" {
            cases.push((format!("{prefix}-02"), category, unknown()));
        }
    }
    let two = json!([{"ext": {CATEGORY: "O"}, "base": "100.00", "amount": "0.00"},
                     {"ext": {CATEGORY: "S"}, "base": "0.00", "percent": "7%", "amount": "0.00"}]);
    cases.extend([
        ("BR-DE-16".to_owned(), "S", unknown()),
        one("BR-AE-02", "AE", "/customer/tax_id", json!({})),
        one("BR-IC-02", "K", "/customer/tax_id", json!({})),
        one("BR-S-10", "S", &row("ext"), json!({CATEGORY: "S", "cef-vatex": "VATEX-EU-AE"})),
        one("BR-Z-10", "Z", &row("ext"), json!({CATEGORY: "Z", "cef-vatex": "VATEX-EU-AE"})),
        one("BR-E-10", "E", "/tax/notes", json!([])),
        one("BR-IC-11", "K", "/op_date", Value::Null),
        one("BR-IC-12", "K", "/customer/addresses/0/country", json!("")),
        one("BR-DE-10", "K", "/customer/addresses/0/locality", json!("")),
        one("BR-DE-11", "K", "/customer/addresses/0/code", json!("")),
        one("BR-O-11", "O", "/totals/taxes/categories/0/rates", two),
        one("BR-O-12", "O", "/lines/0/taxes/0/ext", json!({CATEGORY: "S"})),
    ]);
    let silent = ["people", "telephones", "emails"].map(|list| (format!("/supplier/{list}"), json!([])));
    cases.push(("BR-DE-2".to_owned(), "S", silent.into()));
    cases
}

/// Rules that one change of an ordinary invoice breaks.
fn table() -> Vec<(&'static str, &'static str, Value)> {
    let none = || json!([]);
    vec![
        ("BR-04", "/tax/ext", json!({})),
        ("BR-CL-01", "/tax/ext/untdid-document-type", json!("999")),
        ("BR-05", "/currency", json!("")),
        ("BR-CL-04", "/currency", json!("STN")),
        ("BR-06", "/supplier/name", json!(" ")),
        ("BR-07", "/customer/name", json!("")),
        ("BR-07", "/customer", Value::Null),
        ("BR-08", "/supplier/addresses", none()),
        ("BR-09", "/supplier/addresses/0/country", json!("")),
        ("BR-10", "/customer/addresses", none()),
        ("BR-11", "/customer/addresses/0/country", json!("")),
        ("BR-CL-14", "/customer/addresses/0/country", json!("XX")),
        ("BR-16", "/lines", none()),
        ("BR-25", "/lines/0/item/name", json!(" ")),
        ("BR-30", "/lines/0/period", json!({"start": "2026-11-19", "end": "2026-11-17"})),
        ("BR-29", "/lines/0/period", json!({"start": "2026-11-19", "end": "2026-11-17"})),
        ("BR-49", "/payment/instructions/ext", json!({})),
        ("BR-CL-16", "/payment/instructions/ext/untdid-payment-means", json!("71")),
        ("BR-50", "/payment/instructions/credit_transfer", json!([{}])),
        ("BR-61", "/payment/instructions/credit_transfer", none()),
        ("BR-DE-23-a", "/payment/instructions/credit_transfer", none()),
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
        ("BR-CO-14", "/totals/tax", json!("9.00")),
        ("BR-CO-15", "/totals/total_with_tax", json!("200.00")),
        ("BR-CO-16", "/totals/payable", json!("99.00")),
        ("BR-CO-17", "/totals/taxes/categories/0/rates/0/amount", json!("9.00")),
        ("BR-DEC-18", "/totals/payable", json!("107.001")),
        ("BR-DEC-19", "/totals/taxes/categories/0/rates/0/base", json!("100.001")),
        ("BR-DEC-20", "/totals/taxes/categories/0/rates/0/amount", json!("7.001")),
        ("BR-DEC-23", "/totals/payable", json!("107.001")),
        ("BR-DE-15", "/ordering", Value::Null),
        ("BR-DE-1", "/payment/instructions", Value::Null),
        ("BR-DE-5", "/supplier/people", none()),
        ("BR-DE-6", "/supplier/telephones", none()),
        ("BR-DE-7", "/supplier/emails", none()),
        ("BR-DE-3", "/supplier/addresses/0/locality", json!(" ")),
        ("BR-DE-4", "/supplier/addresses/0/code", json!("")),
        ("BR-DE-8", "/customer/addresses/0/locality", json!("")),
        ("BR-DE-9", "/customer/addresses/0/code", json!("")),
        ("BR-DE-18", "/payment/terms/notes", json!("Bald.\n#2 Prozent")),
        ("PEPPOL-EN16931-R020", "/supplier/inboxes", none()),
        ("PEPPOL-EN16931-R010", "/customer/inboxes", none()),
    ]
}

/// The codes the stand-in refuses a document with, each in its own words.
fn refusals(document: &Value) -> Vec<String> {
    let outcome = DeXrechnung::submit(&submission(&document.to_string(), NOW)).unwrap();
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
    for (id, category, changes) in cases() {
        let document = changed(category, &changes);
        let invoice = wire::invoice(&document.to_string()).unwrap();
        let broken: Vec<_> = rules::broken(&invoice).map(|rule| rule.id).collect();
        assert!(broken.contains(&id.as_str()), "{id} is not among {broken:?}: {changes:?}");
        assert_eq!(refusals(&document), broken, "{id}");
        covered.insert(id);
    }
    let known: BTreeSet<_> = rules::all().map(|rule| rule.id.to_owned()).collect();
    assert_eq!(covered, known);
}

/// Rules of the standard and of XRechnung, which one look at the answer is to tell.
#[test]
fn rules_that_are_broken_at_once_are_all_listed() {
    let two = vec![("/totals/payable".to_owned(), json!("99.00")), ("/ordering".to_owned(), Value::Null)];
    assert_eq!(refusals(&changed("S", &two)), ["BR-CO-16", "BR-DE-15"]);
    let silent = ["/supplier/telephones", "/supplier/emails", "/customer/inboxes"];
    let three = silent.map(|pointer| (pointer.to_owned(), json!([]))).into();
    assert_eq!(refusals(&changed("S", &three)), ["BR-DE-6", "BR-DE-7", "PEPPOL-EN16931-R010"]);
}

#[test]
fn a_document_of_every_category_is_taken() {
    for category in ["S", "Z", "E", "AE", "K", "G", "O"] {
        assert_eq!(refusals(&document(category)), Vec::<String>::new(), "{category}");
    }
}

#[test]
fn what_has_no_form_in_the_standard_does_not_fit_the_schema() {
    for (pointer, value) in [
        ("/lines/0/quantity", json!("x")),
        ("/lines/0/item/price", Value::Null),
        ("/lines/0/taxes/0/surcharge", json!("5.2%")),
        ("/supplier/name", json!(7)),
        ("/op_date", json!("2026-02-30")),
        ("/lines/0/period", json!({"start": "x", "end": "2026-11-19"})),
    ] {
        let document = changed("S", &vec![(pointer.to_owned(), value)]);
        assert_eq!(refusals(&document), [rules::NOT_VALID], "{pointer}");
    }
}

#[test]
fn every_rule_says_what_to_do() {
    for rule in rules::all() {
        assert!(rule.meaning.contains("; ") && rule.meaning.ends_with('.'), "{}", rule.id);
        assert_eq!(rules::meaning(rule.id), Some(rule.meaning), "{}", rule.id);
    }
}

#[test]
fn skonto_keeps_the_line_feed_that_its_rule_wants() {
    let terms = "Zahlbar bald\n#SKONTO#TAGE=7#PROZENT=2.00#";
    let document = changed("S", &vec![("/payment/terms/notes".to_owned(), json!(terms))]);
    assert_eq!(refusals(&document), Vec::<String>::new());
    let invoice = wire::invoice(&document.to_string()).unwrap();
    assert_eq!(invoice.payment_terms, Some(format!("{terms}\n")));
}
