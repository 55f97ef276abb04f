//! One broken document for each rule that the stand-in knows.

#![cfg(test)]

mod support;

use std::collections::BTreeSet;

use einvoice_gobl::harness::{invoice, submission};
use einvoice_plugin::{Authority, Country};
use eu_peppol::{EuPeppol, rules, wire};
use serde_json::{Value, json};

const NOW: &str = "2026-11-20T09:30:00+01:00";
const ROW: &str = "/totals/taxes/categories/0/rates/0";
const CATEGORY: &str = "untdid-tax-category";

/// A stored document with one line.
fn document(supplier: &str, recipient: &str, document_type: &str, tax: &Value) -> Value {
    let document = json!({
        "document_type": document_type, "number": "F-1", "issue_date": "2026-11-20", "operation_date": "2026-11-18",
        "notes": "Thank you.", "recipient": support::recipient(recipient),
        "lines": [{"description": "Night", "quantity": "1", "unit_price": "100.00", "tax": tax}],
        "preceding": [{"uuid": "01930c5c-f1f0-7000-8000-000000000009", "number": "F-0", "issue_date": "2026-11-01",
                       "lines": []}]
    });
    let context = support::context_of(supplier);
    let converted = EuPeppol::convert(&invoice(&document).unwrap(), &context).unwrap();
    serde_json::from_str(&converted.body).unwrap()
}

fn tax(category: &str) -> Value {
    let exempt = |key: &str| json!({"category": "VAT", "exemption": key});
    match category {
        "S" => json!({"category": "VAT", "rate": "12.0"}),
        "Z" => json!({"category": "VAT", "rate": "0"}),
        "E" => exempt("exempt"),
        "AE" => exempt("reverse_charge"),
        "K" => exempt("intra_community"),
        "G" => exempt("export"),
        "O" => exempt("outside_scope"),
        other => panic!("{other} is no category"),
    }
}

/// A rule, the document that breaks it when it is changed, and what is changed: pointers and values.
struct Case {
    id: String,
    document: Value,
    changes: Vec<(String, Value)>,
}

impl Case {
    fn new(id: &str, document: Value, changes: &[(&str, Value)]) -> Self {
        let changes = changes.iter().map(|(pointer, value)| ((*pointer).to_owned(), value.clone())).collect();
        Self { id: id.to_owned(), document, changes }
    }

    /// In Belgium, for an Austrian.
    fn of_category(id: &str, category: &str, pointer: &str, value: Value) -> Self {
        Self::new(id, document("BE", "AT", "invoice", &tax(category)), &[(pointer, value)])
    }

    /// A taxed invoice between two countries.
    fn between(id: &str, supplier: &str, recipient: &str, changes: &[(&str, Value)]) -> Self {
        Self::new(id, document(supplier, recipient, "invoice", &tax("S")), changes)
    }

    fn changed(&self) -> Value {
        let mut document = self.document.clone();
        for (pointer, value) in &self.changes {
            let (parent, member) = pointer.rsplit_once('/').unwrap();
            let parent = document.pointer_mut(parent).unwrap();
            match (parent.as_array_mut(), member.parse::<usize>()) {
                (Some(list), Ok(at)) => list[at] = value.clone(),
                _ => parent[member] = value.clone(),
            }
        }
        document
    }
}

fn unknown_supplier() -> [(&'static str, Value); 2] {
    [("/supplier/tax_id", json!({})), ("/supplier/identities", json!([{"code": "1"}]))]
}

/// What every VAT category demands.
fn of_categories() -> Vec<Case> {
    let row = |member: &str| format!("{ROW}/{member}");
    let mut cases = Vec::new();
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
        let one = |id: &str, pointer: &str, value: Value| {
            Case::of_category(&format!("{prefix}-{id}"), category, pointer, value)
        };
        cases.extend([
            one("01", &row("ext"), json!({CATEGORY: other})),
            one("05", "/lines/0/taxes/0/percent", json!(percent)),
            one("08", &row("base"), json!("200.00")),
            one("09", &row("amount"), json!("9.00")),
        ]);
        if category != "O" {
            let document = document("BE", "AT", "invoice", &tax(category));
            cases.push(Case::new(&format!("{prefix}-02"), document, &unknown_supplier()));
        }
    }
    let two = json!([{"ext": {CATEGORY: "O"}, "base": "100.00", "amount": "0.00"},
                     {"ext": {CATEGORY: "S"}, "base": "0.00", "percent": "7%", "amount": "0.00"}]);
    cases.extend([
        Case::of_category("BR-AE-02", "AE", "/customer/tax_id", json!({})),
        Case::of_category("BR-IC-02", "K", "/customer/tax_id", json!({})),
        Case::of_category("BR-S-10", "S", &row("ext"), json!({CATEGORY: "S", "cef-vatex": "VATEX-EU-AE"})),
        Case::of_category("BR-Z-10", "Z", &row("ext"), json!({CATEGORY: "Z", "cef-vatex": "VATEX-EU-AE"})),
        Case::of_category("BR-E-10", "E", "/tax/notes", json!([])),
        Case::of_category("BR-IC-11", "K", "/op_date", Value::Null),
        Case::of_category("BR-IC-12", "K", "/customer/addresses/0/country", json!("")),
        Case::of_category("BR-O-11", "O", "/totals/taxes/categories/0/rates", two),
        Case::of_category("BR-O-12", "O", "/lines/0/taxes/0/ext", json!({CATEGORY: "S"})),
    ]);
    cases
}

/// Rules of the standard that one change of an ordinary invoice breaks.
fn of_the_standard() -> Vec<Case> {
    let none = || json!([]);
    let table = [
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
        ("BR-55", "/preceding", json!([{"code": ""}])),
        ("BR-CL-25", "/customer/inboxes", json!([{"scheme": "9999", "code": "1"}])),
        ("BR-CO-09", "/customer/tax_id/country", json!("XX")),
        ("BR-CL-17", "/totals/taxes/categories/0/rates/0/ext", json!({CATEGORY: "Q"})),
        ("BR-CO-04", "/lines/0/taxes", none()),
        ("BR-CL-18", "/lines/0/taxes/0/ext", json!({CATEGORY: "Q"})),
        ("BR-CO-18", "/totals/taxes/categories/0/rates", none()),
        ("BR-CO-13", "/totals/total", json!("200.00")),
        ("BR-CO-14", "/totals/tax", json!("9.00")),
        ("BR-CO-15", "/totals/total_with_tax", json!("200.00")),
        ("BR-CO-16", "/totals/payable", json!("99.00")),
        ("BR-CO-17", "/totals/taxes/categories/0/rates/0/amount", json!("9.00")),
        ("BR-DEC-18", "/totals/payable", json!("112.001")),
        ("BR-DEC-19", "/totals/taxes/categories/0/rates/0/base", json!("100.001")),
        ("BR-DEC-20", "/totals/taxes/categories/0/rates/0/amount", json!("12.001")),
        ("BR-DEC-23", "/totals/payable", json!("112.001")),
    ];
    let case = |(id, pointer, value): (&str, &str, Value)| Case::of_category(id, "S", pointer, value);
    table.into_iter().map(case).collect()
}

fn inbox(scheme: &str, code: &str) -> Value {
    json!([{"scheme": scheme, "code": code}])
}

/// Rules of the profile.
fn of_the_profile() -> Vec<Case> {
    let reason = |code: &str| json!({CATEGORY: "S", "cef-vatex": code});
    let row = format!("{ROW}/ext");
    let doc_type = "/tax/ext/untdid-document-type";
    let means = "/payment/instructions/ext/untdid-payment-means";
    let customer = "/customer/inboxes";
    let table = [
        ("R008", "/customer/addresses", json!([{}])),
        ("R002", "/notes", json!([{"text": "One."}, {"text": "Two."}])),
        ("R008", "/customer", Value::Null),
        ("R003", "/ordering", Value::Null),
        ("R051", "/currency", json!("")),
        ("R053", "/totals/taxes/categories/0/rates", json!([])),
        ("R054", "/totals/taxes/categories/0/rates", json!([])),
        ("R010", customer, json!([])),
        ("R020", "/supplier/inboxes", json!([])),
        ("R061", means, json!("59")),
        ("R120", "/lines/0/total", json!("200.00")),
        ("CL007", "/currency", json!("BGN")),
        ("CL008", customer, inbox("0037", "1")),
        ("P0100", doc_type, json!("389")),
        ("P0101", doc_type, json!("261")),
        ("P0112", doc_type, json!("384")),
        ("P0104", &row, reason("VATEX-EU-G")),
        ("P0105", &row, reason("VATEX-EU-O")),
        ("P0106", &row, reason("VATEX-EU-IC")),
        ("P0107", &row, reason("VATEX-EU-AE")),
        ("P0108", &row, reason("VATEX-EU-D")),
        ("P0109", &row, reason("VATEX-EU-F")),
        ("P0110", &row, reason("VATEX-EU-I")),
        ("P0111", &row, reason("VATEX-EU-J")),
    ];
    let case = |(id, pointer, value): (&str, &str, Value)| {
        Case::of_category(&format!("PEPPOL-EN16931-{id}"), "S", pointer, value)
    };
    let numbers = [
        ("R040", "0088", "7300010000002"),
        ("R041", "0192", "923609017"),
        ("R042", "0184", "1"),
        ("R052", "0096", "1"),
        ("R053", "0198", "88146328"),
        ("R043", "0208", "0403019262"),
        ("R049", "0007", "5567037486"),
        ("R050", "0151", "51824753557"),
    ];
    let number = |(id, scheme, code): (&str, &str, &str)| {
        Case::of_category(&format!("PEPPOL-COMMON-{id}"), "S", customer, inbox(scheme, code))
    };
    table.into_iter().map(case).chain(numbers.into_iter().map(number)).collect()
}

/// Rules of Norway, Denmark, Sweden and Iceland.
fn of_the_north() -> Vec<Case> {
    let means = "/payment/instructions/ext/untdid-payment-means";
    let danish = |id: &str, pointer: &str, value: Value| Case::between(id, "DK", "DK", &[(pointer, value)]);
    let swedish = |id: &str, pointer: &str, value: Value| Case::between(id, "SE", "BE", &[(pointer, value)]);
    let icelandic =
        |id: &str, pointer: &str, value: Value| Case::between(id, "IS", "IS", &[(pointer, value)]);
    let legal = "/supplier/identities/0/code";
    let registered = json!([{"key": "tax-registration", "code": "1"}]);
    let nobody = [("/supplier/tax_id", json!({})), ("/supplier/identities", registered)];
    let credit = document("DK", "DK", "credit_note", &tax("S"));
    vec![
        Case::between("NO-R-001", "NO", "BE", &[("/supplier/tax_id/code", json!("923609017"))]),
        danish("DK-R-002", "/supplier/identities", json!([])),
        danish("DK-R-014", "/supplier/identities/0/ext", json!({"iso-scheme-id": "0088"})),
        danish("DK-R-017", "/customer/identities/0/ext", json!({"iso-scheme-id": "0088"})),
        Case::new("DK-R-016", credit, &[("/totals/payable", json!("-1.00"))]),
        Case::between("DK-R-013", "DK", "DK", &nobody),
        danish("DK-R-005", means, json!("30")),
        danish("DK-R-006", means, json!("42")),
        danish("DK-R-007", means, json!("49")),
        danish("DK-R-008", means, json!("50")),
        danish("DK-R-010", means, json!("93")),
        swedish("SE-R-001", "/supplier/tax_id/code", json!("5567037485")),
        swedish("SE-R-002", "/supplier/tax_id/code", json!("55670374850A")),
        swedish("SE-R-003", legal, json!("55670374AB")),
        swedish("SE-R-004", legal, json!("556703748")),
        swedish("SE-R-013", legal, json!("5567037486")),
        swedish("SE-R-005", "/supplier/identities/1/code", json!("F-skatt")),
        swedish("SE-R-006", "/lines/0/taxes/0/percent", json!("7%")),
        icelandic("IS-R-002", "/supplier/identities", json!([])),
        icelandic("IS-R-003", "/supplier/addresses/0/street", json!("")),
        icelandic("IS-R-004", "/customer/identities", json!([])),
        icelandic("IS-R-005", "/customer/addresses/0/code", json!("")),
        icelandic("IS-R-006", means, json!("9")),
        icelandic("IS-R-007", means, json!("42")),
    ]
}

/// Rules of Italy, Greece and the Netherlands.
fn of_the_south_and_west() -> Vec<Case> {
    let italian = |id: &str, pointer: &str, value: Value| Case::between(id, "IT", "BE", &[(pointer, value)]);
    let dutch = |id: &str, pointer: &str, value: Value| Case::between(id, "NL", "NL", &[(pointer, value)]);
    let means = "/payment/instructions/ext/untdid-payment-means";
    let greek = |id: &str, supplier: &str, recipient: &str| {
        let number = |code: &str| json!({"country": "EL", "code": code});
        let changes = [
            ("/supplier/tax_id", number(supplier)),
            ("/supplier/addresses/0/country", json!("GR")),
            ("/customer/tax_id", number(recipient)),
        ];
        Case::between(id, "BE", "AT", &changes)
    };
    let (right, wrong) = ("094259216", "094259217");
    let credit = document("NL", "BE", "credit_note", &tax("S"));
    let registration = json!([{"key": "tax-registration", "code": "x"}]);
    vec![
        italian("IT-R-001", "/supplier/identities", registration),
        italian("IT-R-002", "/supplier/addresses/0/street", json!("")),
        italian("IT-R-003", "/supplier/addresses/0/locality", json!("")),
        italian("IT-R-004", "/supplier/addresses/0/code", json!("")),
        greek("GR-R-001-1", right, right),
        greek("GR-R-002", right, right),
        greek("GR-R-003", wrong, right),
        greek("GR-R-004-1", right, right),
        greek("GR-R-005", right, right),
        greek("GR-R-009", right, right),
        greek("GR-R-006", right, wrong),
        greek("GR-R-010", right, right),
        Case::new("NL-R-001", credit, &[("/preceding", json!([]))]),
        dutch("NL-R-002", "/supplier/addresses/0/street", json!("")),
        dutch("NL-R-003", "/supplier/identities/0/ext", json!({"iso-scheme-id": "0088"})),
        dutch("NL-R-004", "/customer/addresses/0/street", json!("")),
        dutch("NL-R-005", "/customer/identities/0/ext", json!({"iso-scheme-id": "0088"})),
        dutch("NL-R-007", "/payment/instructions", Value::Null),
        dutch("NL-R-008", means, json!("10")),
    ]
}

/// Rules of trade between Germans.
fn of_germany() -> Vec<Case> {
    let german = |id: &str, pointer: &str, value: Value| Case::between(id, "DE", "DE", &[(pointer, value)]);
    let means = "/payment/instructions/ext/untdid-payment-means";
    let delivered = |id: &str, member: &str| {
        let document = document("DE", "DE", "invoice", &tax("K"));
        Case::new(id, document, &[(&*format!("/customer/addresses/0/{member}"), json!(""))])
    };
    let silent = ["people", "telephones", "emails"].map(|list| format!("/supplier/{list}"));
    let silent: Vec<_> = silent.iter().map(|pointer| (pointer.as_str(), json!([]))).collect();
    vec![
        german("DE-R-001", "/payment/instructions", Value::Null),
        german("DE-R-015", "/ordering", Value::Null),
        Case::between("DE-R-016", "DE", "DE", &unknown_supplier()),
        german("DE-R-018", "/payment/terms/notes", json!("Soon.\n#2 percent")),
        Case::between("DE-R-002", "DE", "DE", &silent),
        german("DE-R-003", "/supplier/addresses/0/locality", json!(" ")),
        german("DE-R-004", "/supplier/addresses/0/code", json!("")),
        german("DE-R-005", "/supplier/people", json!([])),
        german("DE-R-006", "/supplier/telephones", json!([])),
        german("DE-R-007", "/supplier/emails", json!([])),
        german("DE-R-008", "/customer/addresses/0/locality", json!("")),
        german("DE-R-009", "/customer/addresses/0/code", json!("")),
        delivered("DE-R-010", "locality"),
        delivered("DE-R-011", "code"),
        german("DE-R-023-1", "/payment/instructions/credit_transfer", json!([])),
        german("DE-R-024-1", means, json!("48")),
        german("DE-R-025-1", means, json!("59")),
    ]
}

fn cases() -> Vec<Case> {
    let tables = [
        of_categories(),
        of_the_standard(),
        of_the_profile(),
        of_the_north(),
        of_the_south_and_west(),
        of_germany(),
    ];
    tables.into_iter().flatten().collect()
}

/// The codes the stand-in refuses a document with, each in the official words where there are some.
fn refusals(document: &Value) -> Vec<String> {
    let outcome = EuPeppol::submit(&submission(&document.to_string(), NOW)).unwrap();
    assert_eq!(outcome.accepted, outcome.faults.is_empty());
    for fault in &outcome.faults {
        let code = fault.code.as_deref().unwrap();
        let official = rules::text(code).or_else(|| rules::meaning(code));
        assert!(code == "SV" || fault.message.as_deref() == official, "{fault:?}");
    }
    outcome.faults.into_iter().filter_map(|fault| fault.code).collect()
}

#[test]
fn a_broken_document_is_refused_by_every_rule_it_breaks() {
    let mut covered = BTreeSet::new();
    for case in cases() {
        let (id, document) = (case.id.clone(), case.changed());
        let invoice = wire::invoice(&document.to_string()).unwrap();
        let broken: Vec<_> = rules::broken(&invoice).map(|rule| rule.id).collect();
        assert!(broken.contains(&id.as_str()), "{id} is not among {broken:?}: {:?}", case.changes);
        assert_eq!(refusals(&document), broken, "{id}");
        covered.insert(id);
    }
    let known: BTreeSet<_> = rules::all().map(|rule| rule.id.to_owned()).collect();
    assert_eq!(covered, known);
}

/// Rules of the standard, of the profile and of a country.
#[test]
fn rules_that_are_broken_at_once_are_all_listed() {
    let changes = [
        ("/totals/payable", json!("99.00")),
        ("/customer/inboxes", json!([])),
        ("/supplier/people", json!([])),
    ];
    let document = Case::between("", "DE", "DE", &changes).changed();
    assert_eq!(refusals(&document), ["BR-CO-16", "PEPPOL-EN16931-R010", "DE-R-005"]);
}

#[test]
fn a_document_of_every_category_and_country_is_taken() {
    for category in ["S", "Z", "E", "AE", "K", "G", "O"] {
        let document = document("BE", "AT", "invoice", &tax(category));
        assert_eq!(refusals(&document), Vec::<String>::new(), "{category}");
    }
    for country in ["BE", "DE", "DK", "IS", "IT", "NL", "NO", "SE"] {
        for recipient in ["AT", country] {
            for kind in ["invoice", "credit_note", "debit_note"] {
                let document = document(country, recipient, kind, &tax("S"));
                assert_eq!(refusals(&document), Vec::<String>::new(), "{country} {recipient} {kind}");
            }
        }
    }
}

/// Crowns of Iceland have no cents, with prices that include the tax too.
#[test]
fn amounts_without_cents_are_taken() {
    let line = |price: &str, quantity: &str, total: &str, percent: &str| {
        json!({"i": 1, "quantity": quantity, "item": {"name": "Night", "price": price}, "total": total,
               "taxes": [{"cat": "VAT", "percent": percent, "ext": {CATEGORY: "S"}}]})
    };
    let row = |percent: &str, base: &str, amount: &str| json!({"percent": percent, "base": base, "amount": amount, "ext": {CATEGORY: "S"}});
    let rates = json!([row("11%", "1801", "198"), row("24%", "672", "161")]);
    let changes = [
        ("/currency", json!("ISK")),
        ("/tax/prices_include", json!("VAT")),
        ("/lines", json!([line("1999", "1", "1999", "11%"), line("333", "2.5", "833", "24%")])),
        ("/totals/taxes/categories/0/rates", rates),
        ("/totals/total", json!("2473")),
        ("/totals/tax", json!("359")),
        ("/totals/total_with_tax", json!("2832")),
        ("/totals/payable", json!("2832")),
    ];
    let document = Case::between("", "IS", "IS", &changes).changed();
    assert_eq!(refusals(&document), Vec::<String>::new());
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
        let case = Case::of_category("SV", "S", pointer, value);
        assert_eq!(refusals(&case.changed()), ["SV"], "{pointer}");
    }
}

#[test]
fn every_rule_stands_once_says_what_to_do_and_has_its_official_text() {
    let ids: Vec<_> = rules::all().map(|rule| rule.id).collect();
    assert!(ids.iter().enumerate().all(|(at, id)| !ids[..at].contains(id)));
    for rule in rules::all() {
        assert!(rule.meaning.contains("; ") && rule.meaning.ends_with('.'), "{}", rule.id);
        assert_eq!(rules::meaning(rule.id), Some(rule.meaning), "{}", rule.id);
        let begins = format!("[{}]-", rule.id);
        assert!(rules::text(rule.id).is_none_or(|text| text.starts_with(&begins)), "{}", rule.id);
        assert_eq!(rules::text(rule.id).is_some(), !rule.id.starts_with("BR-"), "{}", rule.id);
    }
}
