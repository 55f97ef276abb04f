//! Every fault of the SII alone is reported for its own reason, at the member that causes it. Those that all Spanish
//! systems share are tested with VERI*FACTU.

#![cfg(test)]

use std::collections::BTreeSet;

use einvoice_es::harness::{self, Change, expected_codes, ext_of, sound_document, untested};
use einvoice_gobl::harness::golden;
use einvoice_plugin::{Address, Amount, Country, IdentityKind, Recipient};
use es_sii::{EsSii, faults};
use serde_json::json;

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
    (|invoice, _| invoice.ext = ext_of("regime", "02"), faults::REGIME_NO_EXPORT, "/lines/0/tax"),
    (|invoice, _| invoice.ext = ext_of("product", "resale"), faults::PRODUCT_UNKNOWN, "/ext/product"),
    (
        |invoice, context| {
            invoice.lines[0].tax.surcharge = Some(Amount::new(52, 1));
            context.settings = r#"{"product":"services"}"#.to_owned();
        },
        faults::PRODUCT_SURCHARGE,
        "/lines/0/tax/surcharge",
    ),
    (
        |invoice, _| {
            let Some(Recipient::Individual(person)) = &mut invoice.recipient else { return };
            person.identity_document.as_mut().unwrap().country = Some("RE".to_owned());
        },
        faults::COUNTRY,
        "/recipient/identity_document/country",
    ),
    (
        |invoice, _| {
            let Some(Recipient::Individual(person)) = &mut invoice.recipient else { return };
            person.identity_document.as_mut().unwrap().country = None;
            let country = Some("MQ".to_owned());
            person.address =
                Some(Address { street: None, locality: None, region: None, postcode: None, country });
        },
        faults::COUNTRY,
        "/recipient/address/country",
    ),
    (
        |invoice, _| {
            let tax = &mut invoice.lines[0].tax;
            tax.category = "IGIC".to_owned();
            (tax.rate, tax.exemption) = (None, Some("article_25".to_owned()));
        },
        faults::IGIC_EXEMPTION,
        "/lines/0/tax/exemption",
    ),
    (
        |invoice, _| {
            let rates = [
                (21, Some(52)),
                (21, Some(175)),
                (10, Some(14)),
                (4, Some(5)),
                (10, None),
                (4, None),
                (0, None),
            ];
            let line = invoice.lines[0].clone();
            invoice.lines = rates
                .map(|(rate, surcharge)| {
                    let mut line = line.clone();
                    line.tax.rate = Some(Amount::new(rate, 0));
                    line.tax.surcharge = surcharge.map(|tenths| match tenths {
                        175 => Amount::new(175, 2),
                        tenths => Amount::new(tenths, 1),
                    });
                    line
                })
                .to_vec();
            let Some(Recipient::Individual(person)) = &mut invoice.recipient else { return };
            let document = person.identity_document.as_mut().unwrap();
            (document.kind, document.country) = (IdentityKind::IdCard, None);
            document.number = "54387763P".to_owned();
        },
        faults::TAXED_ROWS,
        "/totals/rates",
    ),
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

/// The rate is unusual besides, so it is found beside a warning.
#[test]
fn a_rate_of_igic_has_two_decimals_at_most() {
    let mut document = sound_document();
    let tax = |rate: &str| json!({"category": "IGIC", "rate": rate});
    for (rate, expected) in
        [("6.875", vec![("ES-SII-TAX-07", false), (faults::RATE_DECIMALS, true)]), ("9.50", vec![])]
    {
        document["lines"][0]["tax"] = tax(rate);
        let invoice = einvoice_plugin::harness::invoice(&document).unwrap();
        let found = EsSii::check(&invoice, &golden::usual());
        let found: Vec<_> = found.iter().map(|fault| (fault.code.as_str(), fault.is_error())).collect();
        assert_eq!(found, expected, "{rate}");
    }
}

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
    assert_eq!(
        untested(faults::ALL, faults::SANDBOX_DOCUMENT, OWN),
        [faults::RATE_DECIMALS],
        "tested by itself"
    );
}

/// A code is stable for ever: this list only grows.
#[test]
fn the_codes_are_those_we_promised() {
    let own = [
        ("REGIME", 1..=4),
        ("PRODUCT", 1..=3),
        ("ARTICLE-7", 1..=1),
        ("COUNTRY", 1..=1),
        ("RATE", 1..=1),
        ("IGIC", 1..=1),
        ("BREAKDOWN", 1..=1),
    ];
    assert_eq!(faults::ALL, expected_codes("ES-SII", &own));
    let unique: BTreeSet<_> = faults::ALL.iter().collect();
    assert_eq!(unique.len(), faults::ALL.len());
}
