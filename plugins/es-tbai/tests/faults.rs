//! Every fault of TicketBAI alone is reported for its own reason, at the member that causes it. Those that all Spanish
//! systems share are tested with VERI*FACTU.

#![cfg(test)]

use std::collections::BTreeSet;

use einvoice_es::harness::{self, Change, expected_codes, ext_of, sound_document, untested};
use einvoice_gobl::harness::golden;
use einvoice_plugin::{Address, Country, Invoice, Recipient};
use es_tbai::{EsTbai, faults};

fn found(change: Change) -> Vec<(String, String)> {
    let mut context = golden::usual();
    context.settings = r#"{"region":"BI"}"#.to_owned();
    harness::found::<EsTbai>(&sound_document(), context, change).unwrap()
}

fn address(invoice: &mut Invoice) -> &mut Option<Address> {
    match invoice.recipient.as_mut().unwrap() {
        Recipient::Individual(person) => &mut person.address,
        Recipient::Company(company) => &mut company.address,
    }
}

fn address_with(postcode: String) -> Address {
    let [street, locality] = ["Calle Mayor 43", "Madrid"].map(|part| Some(part.to_owned()));
    Address { street, locality, region: None, postcode: Some(postcode), country: None }
}

/// What makes a fault of this system, the fault, and where.
const OWN: &[(Change, &str, &str)] = &[
    (|_, context| context.settings.clear(), faults::REGION_MISSING, "/supplier/address/region"),
    (|invoice, _| invoice.ext = ext_of("region", "NA"), faults::REGION_UNKNOWN, "/ext/region"),
    (
        |_, context| context.supplier.tax_id = "54387763P".to_owned(),
        faults::ACTIVITY_MISSING,
        "/supplier/ext/es-tbai-bi-activity",
    ),
    (
        |_, context| context.supplier.ext = ext_of("es-tbai-bi-activity", "12345678"),
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
    (|invoice, _| invoice.lines[0].ext = ext_of("product", "Goods"), faults::PRODUCT, "/lines/0/ext/product"),
    (|invoice, _| invoice.ext = ext_of("es-tbai-regime", "18"), faults::REGIME, "/ext/es-tbai-regime"),
    (|invoice, _| invoice.ext = ext_of("colour", "red"), faults::EXT_UNKNOWN, "/ext/colour"),
    (
        |invoice, _| invoice.lines[0].ext = ext_of("exemption", "E1"),
        faults::EXT_UNFIT,
        "/lines/0/ext/exemption",
    ),
    (
        |invoice, _| {
            invoice.prices_include_tax = false;
            let mut second = invoice.lines[0].clone();
            second.tax.category = "IGIC".to_owned();
            (second.tax.rate, second.tax.exemption) = (None, Some("article_20".to_owned()));
            let mut third = second.clone();
            third.tax.exemption = Some("article_21".to_owned());
            invoice.lines.extend([second.clone(), second, third]);
        },
        faults::EXEMPTION_MIXED,
        "/lines/3/tax/exemption",
    ),
    (
        |invoice, _| {
            let line = invoice.lines[0].clone();
            invoice.lines = vec![line; 4];
            for (line, regime) in invoice.lines.iter_mut().zip(["01", "05", "07", "15"]) {
                line.ext = ext_of("regime", regime);
            }
        },
        faults::REGIMES_MANY,
        "/lines",
    ),
    (
        |invoice, _| {
            invoice.ext = ext_of("region", "VI");
            *address(invoice) = None;
        },
        faults::ADDRESS_MISSING,
        "/recipient/address",
    ),
    (
        |invoice, _| *address(invoice) = Some(address_with("2".repeat(21))),
        faults::ADDRESS_POSTCODE,
        "/recipient/address/postcode",
    ),
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
    assert_eq!(found(|_, _| {}), []);
}

#[test]
fn every_wrong_member_is_named_by_its_own_fault() {
    for (change, code, path) in OWN {
        let found = found(*change);
        // Settings that do not fit are not applied: what they would have said is missing too.
        let found = if *code == faults::SETTINGS { &found[..1] } else { &found[..] };
        assert_eq!(found, [((*code).to_owned(), (*path).to_owned())]);
    }
}

#[test]
fn no_code_of_this_system_is_without_a_test() {
    assert_eq!(untested(faults::ALL, faults::SANDBOX_DOCUMENT, OWN), Vec::<&str>::new());
}

#[test]
fn a_natural_person_elsewhere_needs_no_activity() {
    let found = found(|invoice, context| {
        context.supplier.tax_id = "54387763P".to_owned();
        context.settings = r#"{"region":"SS"}"#.to_owned();
        *address(invoice) = Some(address_with("28003".to_owned()));
    });
    assert_eq!(found, []);
}

#[test]
fn what_is_exempt_from_ipsi_is_refused_once() {
    let found = found(|invoice, _| {
        invoice.prices_include_tax = false;
        let tax = &mut invoice.lines[0].tax;
        (tax.category, tax.rate, tax.exemption) = ("IPSI".to_owned(), None, Some("article_20".to_owned()));
    });
    assert_eq!(found, [(faults::TAX_IPSI_EXEMPT.to_owned(), "/lines/0/tax/exemption".to_owned())]);
}

#[test]
fn gipuzkoa_wants_a_postcode_in_spain_only() {
    let of_country = |country: fn(&mut Address)| {
        let mut context = golden::usual();
        context.settings = r#"{"region":"SS"}"#.to_owned();
        let mut invoice = einvoice_gobl::harness::invoice(&sound_document()).unwrap();
        let mut located = address_with(String::new());
        country(&mut located);
        *address(&mut invoice) = Some(located);
        EsTbai::check(&invoice, &context).into_iter().map(|fault| fault.code).collect::<Vec<_>>()
    };
    assert_eq!(of_country(|_| {}), [faults::ADDRESS_MISSING]);
    assert_eq!(of_country(|address| address.country = Some("GB".to_owned())), Vec::<String>::new());
}

/// A code is stable for ever: this list only grows.
#[test]
fn the_codes_are_those_we_promised() {
    let own = [
        ("REGION", 1..=2),
        ("ACTIVITY", 1..=2),
        ("NOTES", 2..=2),
        ("LINE", 4..=4),
        ("PRODUCT", 1..=1),
        ("REGIME", 1..=1),
        ("EXEMPTION", 1..=1),
        ("REGIME", 2..=2),
        ("ADDRESS", 1..=2),
    ];
    assert_eq!(faults::ALL, expected_codes("ES-TBAI", &own));
    let unique: BTreeSet<_> = faults::ALL.iter().collect();
    assert_eq!(unique.len(), faults::ALL.len());
}
