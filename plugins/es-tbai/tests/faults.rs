//! Every fault of TicketBAI alone is reported for its own reason, at the member that causes it. Those that all Spanish
//! systems share are tested with VERI*FACTU.

#![cfg(test)]

use einvoice_gobl::harness::invoice;
use einvoice_plugin::{Context, Country, Invoice, harness};
use es_tbai::{EsTbai, faults};
use serde_json::{Value, json};

fn document() -> Value {
    json!({
        "number": "F-2026-000001", "issue_date": "2026-11-20", "notes": "Stay", "prices_include_tax": true,
        "recipient": {"type": "individual", "name": "Jane Roe",
                      "identity_document": {"type": "passport", "number": "123456789", "country": "GB"}},
        "lines": [{"description": "Night", "quantity": "1", "unit_price": "121.00",
                   "tax": {"category": "VAT", "rate": "21.0"}}]
    })
}

type Change = fn(&mut Invoice, &mut Context);

fn seen(change: Change) -> Vec<(String, String)> {
    let (mut invoice, mut context) = (invoice(&document()).unwrap(), harness::context());
    context.settings = r#"{"region":"BI"}"#.to_owned();
    change(&mut invoice, &mut context);
    let found = EsTbai::check(&invoice, &context);
    assert!(found.iter().all(|fault| fault.is_error() && fault.message.contains(';')), "{found:?}");
    found.into_iter().map(|fault| (fault.code, fault.path)).collect()
}

fn said(key: &str, value: &str) -> Vec<einvoice_plugin::Ext> {
    vec![einvoice_plugin::Ext { key: key.to_owned(), value: value.to_owned() }]
}

/// What makes a fault of this system, the fault, and where.
const OWN: &[(Change, &str, &str)] = &[
    (|_, context| context.settings.clear(), faults::REGION_MISSING, "/supplier/address/region"),
    (|invoice, _| invoice.ext = said("region", "NA"), faults::REGION_UNKNOWN, "/ext/region"),
    (
        |_, context| context.supplier.tax_id = "54387763P".to_owned(),
        faults::ACTIVITY_MISSING,
        "/supplier/ext/es-tbai-bi-activity",
    ),
    (
        |_, context| context.supplier.ext = said("es-tbai-bi-activity", "12345678"),
        faults::ACTIVITY_MALFORMED,
        "/supplier/ext/es-tbai-bi-activity",
    ),
    (|invoice, _| invoice.notes = Some(" ".to_owned()), faults::NOTES_MISSING, "/notes"),
    (
        |invoice, _| {
            let line = invoice.lines[0].clone();
            invoice.lines = vec![line; 1001];
        },
        faults::LINES_MANY,
        "/lines",
    ),
    (|invoice, _| invoice.lines[0].ext = said("product", "Goods"), faults::PRODUCT, "/lines/0/ext/product"),
    (|invoice, _| invoice.ext = said("es-tbai-regime", "18"), faults::REGIME, "/ext/es-tbai-regime"),
    (|_, context| context.settings = r#"{"region":"NA"}"#.to_owned(), faults::SETTINGS, "/settings"),
    (|invoice, _| invoice.notes = Some("n".repeat(251)), faults::NOTES, "/notes"),
    (|invoice, _| invoice.number = Some("F".repeat(21)), faults::NUMBER_LENGTH, "/display_document_number"),
    (
        |invoice, _| invoice.lines[0].description = "x".repeat(251),
        faults::LINE_DESCRIPTION,
        "/lines/0/description",
    ),
    (|invoice, _| invoice.issue_date = "2021-12-31".to_owned(), faults::DATE_TOO_EARLY, "/issue_date"),
];

#[test]
fn a_sound_document_has_no_faults() {
    assert_eq!(seen(|_, _| {}), []);
}

#[test]
fn every_wrong_member_is_named_by_its_own_fault() {
    for (change, code, path) in OWN {
        let found = seen(*change);
        // Settings that do not fit are not applied: what they would have said is missing too.
        let found = if *code == faults::SETTINGS { &found[..1] } else { &found[..] };
        assert_eq!(found, [((*code).to_owned(), (*path).to_owned())]);
    }
}

#[test]
fn no_code_of_this_system_is_without_a_test() {
    let shared = es_tbai::faults::ALL.iter().position(|code| *code == faults::SANDBOX_DOCUMENT).unwrap();
    for code in &faults::ALL[shared + 1..] {
        assert!(OWN.iter().any(|(_, tested, _)| tested == code), "{code}");
    }
}

#[test]
fn a_natural_person_elsewhere_needs_no_activity() {
    let found = seen(|_, context| {
        context.supplier.tax_id = "54387763P".to_owned();
        context.settings = r#"{"region":"SS"}"#.to_owned();
    });
    assert_eq!(found, []);
}

/// A code is stable for ever: this list only grows.
#[test]
fn the_codes_are_those_we_promised() {
    let numbered = |group: &str, numbers: std::ops::RangeInclusive<u8>| {
        numbers.map(|n| format!("ES-TBAI-{group}-{n:02}")).collect::<Vec<_>>()
    };
    let promised = [
        ("KIND", 1..=1),
        ("DOC-TYPE", 1..=1),
        ("UUID", 1..=1),
        ("SETTINGS", 1..=1),
        ("NUMBER", 1..=3),
        ("DATE", 1..=8),
        ("CURRENCY", 1..=1),
        ("SUPPLIER", 1..=6),
        ("RECIPIENT", 1..=5),
        ("IDENTITY", 1..=7),
        ("NIF", 1..=2),
        ("PRECEDING", 1..=10),
        ("LINE", 1..=3),
        ("FIGURE", 1..=1),
        ("TAX", 1..=9),
        ("RETENTION", 1..=3),
        ("TOTALS", 1..=4),
        ("NOTES", 1..=1),
        ("SANDBOX", 1..=1),
        ("REGION", 1..=2),
        ("ACTIVITY", 1..=2),
        ("NOTES", 2..=2),
        ("LINE", 4..=4),
        ("PRODUCT", 1..=1),
        ("REGIME", 1..=1),
    ];
    let promised: Vec<_> =
        promised.into_iter().flat_map(|(group, numbers)| numbered(group, numbers)).collect();
    assert_eq!(faults::ALL, promised);
    let unique: std::collections::BTreeSet<_> = faults::ALL.iter().collect();
    assert_eq!(unique.len(), faults::ALL.len());
}
