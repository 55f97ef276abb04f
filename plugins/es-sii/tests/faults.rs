//! Every fault of the SII alone is reported for its own reason, at the member that causes it. Those that all Spanish
//! systems share are tested with VERI*FACTU.

#![cfg(test)]

use einvoice_gobl::harness::invoice;
use einvoice_plugin::{Context, Country, Invoice, harness};
use es_sii::{EsSii, faults};
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
    change(&mut invoice, &mut context);
    let found = EsSii::check(&invoice, &context);
    assert!(found.iter().all(|fault| fault.is_error() && fault.message.contains(';')), "{found:?}");
    found.into_iter().map(|fault| (fault.code, fault.path)).collect()
}

fn said(key: &str, value: &str) -> Vec<einvoice_plugin::Ext> {
    vec![einvoice_plugin::Ext { key: key.to_owned(), value: value.to_owned() }]
}

/// What makes a fault of this system, the fault, and where.
const OWN: &[(Change, &str, &str)] = &[
    (|invoice, _| invoice.ext = said("es-sii-regime", "18"), faults::REGIME_UNKNOWN, "/ext/es-sii-regime"),
    (|invoice, _| invoice.lines[0].ext = said("regime", ""), faults::REGIME_UNKNOWN, "/lines/0/ext/regime"),
    (
        |invoice, _| {
            let mut second = invoice.lines[0].clone();
            second.ext = said("regime", "05");
            invoice.lines.push(second);
        },
        faults::REGIME_MIXED,
        "/lines/1/tax",
    ),
    (
        |invoice, context| {
            let tax = &mut invoice.lines[0].tax;
            (tax.rate, tax.exemption) = (None, Some("article_21".to_owned()));
            context.settings = r#"{"regime":"01"}"#.to_owned();
        },
        faults::REGIME_EXPORT,
        "/lines/0/tax/exemption",
    ),
    (|invoice, _| invoice.ext = said("product", "resale"), faults::PRODUCT_UNKNOWN, "/ext/product"),
    (
        |invoice, _| {
            let second = invoice.lines[0].clone();
            invoice.lines.push(second);
            invoice.lines[0].ext = said("product", "goods");
        },
        faults::PRODUCT_MISSING,
        "/lines/1/ext",
    ),
    (
        |invoice, _| invoice.ext = said("simplified-art7273", "yes"),
        faults::ARTICLE_7,
        "/ext/simplified-art7273",
    ),
    (|_, context| context.settings = r#"{"regime":"18"}"#.to_owned(), faults::SETTINGS, "/settings"),
    (|invoice, _| invoice.issue_date = "2016-12-31".to_owned(), faults::DATE_TOO_EARLY, "/issue_date"),
    (|invoice, _| invoice.ext = said("doc-type", "F4"), faults::DOC_TYPE, "/ext/doc-type"),
];

#[test]
fn a_sound_document_has_no_faults() {
    assert_eq!(seen(|_, _| {}), []);
}

#[test]
fn every_wrong_member_is_named_by_its_own_fault() {
    for (change, code, path) in OWN {
        let found = seen(*change);
        assert_eq!(found, [((*code).to_owned(), (*path).to_owned())]);
    }
}

#[test]
fn no_code_of_this_system_is_without_a_test() {
    let shared = es_sii::faults::ALL.iter().position(|code| *code == faults::SANDBOX_DOCUMENT).unwrap();
    for code in &faults::ALL[shared + 1..] {
        assert!(OWN.iter().any(|(_, tested, _)| tested == code), "{code}");
    }
}

/// A code is stable for ever: this list only grows.
#[test]
fn the_codes_are_those_we_promised() {
    let numbered = |group: &str, numbers: std::ops::RangeInclusive<u8>| {
        numbers.map(|n| format!("ES-SII-{group}-{n:02}")).collect::<Vec<_>>()
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
        ("REGIME", 1..=3),
        ("PRODUCT", 1..=2),
        ("ARTICLE-7", 1..=1),
    ];
    let promised: Vec<_> =
        promised.into_iter().flat_map(|(group, numbers)| numbered(group, numbers)).collect();
    assert_eq!(faults::ALL, promised);
    let unique: std::collections::BTreeSet<_> = faults::ALL.iter().collect();
    assert_eq!(unique.len(), faults::ALL.len());
}
