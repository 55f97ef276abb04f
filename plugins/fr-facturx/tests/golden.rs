//! Every case under `tests/golden/fr-facturx` converts to its file, and its record is the golden one.

#![cfg(test)]

mod support;

use std::collections::BTreeMap;

use fr_facturx::wire::Record;
use fr_facturx::{FrFacturx, rules};
use serde_json::Value;

einvoice_gobl::golden_tests! { FrFacturx, "fr-facturx", support::context }

#[test]
fn the_authority_takes_every_document_with_other_lines_and_writes_back() {
    let codes: Vec<_> = fr_facturx::authority::codes().map(|(code, _)| code).collect();
    assert_eq!(suite().written_back(&codes).err(), None);
}

#[test]
fn every_code_of_the_authority_has_a_case_and_its_verdict() {
    let codes = fr_facturx::authority::codes().map(|(code, _)| code);
    let rules = rules::of_invoices().map(|rule| rule.id).chain(rules::of_reports().map(|rule| rule.id));
    let codes: Vec<_> = codes.chain(rules).collect();
    assert_eq!(suite().reports("invoice", codes), Ok(()));
}

fn records() -> BTreeMap<String, Record> {
    let documents = suite().documents().unwrap();
    documents
        .into_iter()
        .map(|(name, (stored, _))| (name, Record::of(&stored.to_string()).unwrap()))
        .collect()
}

#[test]
fn what_goes_over_the_wire_for_every_case_is_the_golden_file() {
    assert_eq!(suite().golden_payloads(), Ok(()));
}

/// Net, tax, gross and what is due are those of the document, with prices that include the tax too.
#[test]
fn the_totals_of_the_record_are_those_of_the_document() {
    for (name, (stored, _)) in suite().documents().unwrap() {
        let stated = ["total", "tax", "total_with_tax", "payable"].map(|member| &stored["totals"][member]);
        match Record::of(&stored.to_string()).unwrap() {
            Record::Invoice(invoice) => {
                let totals = invoice.totals;
                let printed =
                    [totals.net, totals.tax, totals.gross, totals.payable].map(|figure| figure.to_string());
                let printed = printed.each_ref().map(|figure| Some(figure.as_str()));
                assert_eq!(printed, stated.map(Value::as_str), "{name}");
                assert_eq!(totals.rounding, None, "{name}");
            }
            Record::Report(report) => {
                let sign = if stored["type"] == "credit-note" { "-" } else { "" };
                let (net, tax) = (report.stated.0.to_string(), report.stated.1.to_string());
                assert_eq!(Some(net.trim_start_matches(sign)), stated[0].as_str(), "{name}");
                assert_eq!(Some(tax.trim_start_matches(sign)), stated[1].as_str(), "{name}");
                assert_eq!(net.starts_with('-'), sign == "-", "{name}");
            }
        }
    }
}

#[test]
fn consumers_are_reported_and_companies_invoiced() {
    for (name, record) in records() {
        let reported = name.starts_with("individual")
            || name == "simplified_invoice"
            || name.ends_with("not_subject_to_vat");
        assert_eq!(matches!(record, Record::Report(_)), reported, "{name}");
    }
}

/// A recipient's name is nothing that the State is told of consumers.
#[test]
fn a_report_names_nobody_but_the_supplier() {
    for (name, (stored, _)) in suite().documents().unwrap() {
        if let Record::Report(report) = Record::of(&stored.to_string()).unwrap() {
            let customer = stored["customer"]["name"].as_str().unwrap_or("\u{0}");
            assert!(!report.xml().contains(customer), "{name}");
        }
    }
}
