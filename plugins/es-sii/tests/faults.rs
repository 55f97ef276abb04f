//! Every fault of the SII alone is reported for its own reason, at the member that causes it. Those that all Spanish
//! systems share are tested with VERI*FACTU.

#![cfg(test)]

use std::collections::BTreeSet;

use einvoice_es::harness::{self, Change, expected_codes, ext_of, sound_document, untested};
use einvoice_gobl::harness::golden;
use es_sii::{EsSii, faults};

fn found(change: Change) -> Vec<(String, String)> {
    harness::found::<EsSii>(&sound_document(), golden::usual(), change).unwrap()
}

/// What makes a fault of this system, the fault, and where.
const OWN: &[(Change, &str, &str)] = &[
    (|invoice, _| invoice.ext = ext_of("es-sii-regime", "18"), faults::REGIME_UNKNOWN, "/ext/es-sii-regime"),
    (|invoice, _| invoice.lines[0].ext = ext_of("regime", ""), faults::REGIME_UNKNOWN, "/lines/0/ext/regime"),
    (
        |invoice, _| {
            let mut second = invoice.lines[0].clone();
            second.ext = ext_of("regime", "05");
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
    (|invoice, _| invoice.ext = ext_of("product", "resale"), faults::PRODUCT_UNKNOWN, "/ext/product"),
    (
        |invoice, _| {
            let second = invoice.lines[0].clone();
            invoice.lines.push(second);
            invoice.lines[0].ext = ext_of("product", "goods");
        },
        faults::PRODUCT_MISSING,
        "/lines/1/ext",
    ),
    (
        |invoice, _| invoice.ext = ext_of("simplified-art7273", "yes"),
        faults::ARTICLE_7,
        "/ext/simplified-art7273",
    ),
    (|_, context| context.settings = r#"{"regime":"18"}"#.to_owned(), faults::SETTINGS, "/settings"),
    (|invoice, _| invoice.issue_date = "2016-12-31".to_owned(), faults::DATE_TOO_EARLY, "/issue_date"),
    (|invoice, _| invoice.ext = ext_of("doc-type", "F4"), faults::DOC_TYPE, "/ext/doc-type"),
    (|invoice, _| invoice.ext = ext_of("colour", "red"), faults::EXT_UNKNOWN, "/ext/colour"),
    (|invoice, _| invoice.lines[0].ext = ext_of("exempt", "E1"), faults::EXT_UNFIT, "/lines/0/ext/exempt"),
];

#[test]
fn a_sound_document_has_no_faults() {
    assert_eq!(found(|_, _| {}), []);
}

#[test]
fn every_wrong_member_is_named_by_its_own_fault() {
    for (change, code, path) in OWN {
        let found = found(*change);
        assert_eq!(found, [((*code).to_owned(), (*path).to_owned())]);
    }
}

#[test]
fn no_code_of_this_system_is_without_a_test() {
    assert_eq!(untested(faults::ALL, faults::SANDBOX_DOCUMENT, OWN), Vec::<&str>::new());
}

/// A code is stable for ever: this list only grows.
#[test]
fn the_codes_are_those_we_promised() {
    let own = [("REGIME", 1..=3), ("PRODUCT", 1..=2), ("ARTICLE-7", 1..=1)];
    assert_eq!(faults::ALL, expected_codes("ES-SII", &own));
    let unique: BTreeSet<_> = faults::ALL.iter().collect();
    assert_eq!(unique.len(), faults::ALL.len());
}
