//! Every case under `tests/golden/eu-peppol` converts to its file, and its record is pinned beside it.

#![cfg(test)]

mod support;

use einvoice_plugin::{Context, Country, Identity};
use eu_peppol::{EuPeppol, rules, wire};
use serde_json::Value;

einvoice_gobl::golden_tests! { EuPeppol, "eu-peppol", belgian }

#[test]
fn every_code_of_the_authority_has_a_case_and_its_verdict() {
    let codes = eu_peppol::authority::codes().chain(rules::all().map(|rule| rule.id));
    assert_eq!(suite().reports("invoice", codes), Ok(()));
}

fn belgian() -> Context {
    support::context_of("BE")
}

#[test]
fn every_situation_without_vat_has_its_reason() {
    for (name, (document, _)) in suite().documents().unwrap() {
        let code = |value: &Value| value["ext"]["untdid-tax-category"].as_str().map(str::to_owned);
        let notes: Vec<_> =
            document["tax"]["notes"].as_array().into_iter().flatten().filter_map(code).collect();
        for rate in document["totals"]["taxes"]["categories"][0]["rates"].as_array().unwrap() {
            let code = code(rate).unwrap();
            let is_exempt = !["S", "Z"].contains(&code.as_str());
            assert_eq!(notes.contains(&code), is_exempt, "{name}: {code}");
            let vatex = rate["ext"]["cef-vatex"].as_str();
            assert!(is_exempt || vatex.is_none(), "{name}: {code}");
            assert!(!["AE", "K", "G", "O"].contains(&code.as_str()) || vatex.is_some(), "{name}: {code}");
        }
    }
}

#[test]
fn a_company_of_every_country_with_rules_of_its_own_is_known_by_its_number() {
    for country in ["AT", "BE", "DE", "DK", "IS", "IT", "NL", "NO", "SE"] {
        let company = einvoice_plugin::harness::recipient(&support::recipient(country)).unwrap();
        let Ok(Identity::TaxId(tax)) = EuPeppol::map_identity(&company) else { panic!("{country}") };
        assert_eq!(tax.country, country);
    }
}

#[test]
fn what_goes_over_the_wire_for_every_case_is_the_golden_file() {
    assert_eq!(suite().golden_payloads(), Ok(()));
}

#[test]
fn a_credit_note_goes_out_under_a_root_of_its_own() {
    let outcomes = suite().outcomes().unwrap();
    let root = |name: &str| outcomes[name].payload.clone().unwrap().lines().nth(1).unwrap().to_owned();
    for (name, start) in
        [("invoice", "<Invoice "), ("credit_note", "<CreditNote "), ("debit_note", "<Invoice ")]
    {
        assert!(root(name).starts_with(start), "{name}: {}", root(name));
    }
}

/// Net, tax, gross and what is due are those of the document, with prices that include the tax too.
#[test]
fn the_totals_of_the_xml_are_those_of_the_document() {
    for (name, (document, _)) in suite().documents().unwrap() {
        let totals = wire::invoice(&document.to_string()).unwrap().totals;
        let printed = [totals.net, totals.tax, totals.gross, totals.payable].map(|figure| figure.to_string());
        let stated = ["total", "tax", "total_with_tax", "payable"].map(|member| &document["totals"][member]);
        assert_eq!(
            printed.each_ref().map(|figure| Some(figure.as_str())),
            stated.map(Value::as_str),
            "{name}"
        );
        assert_eq!(totals.rounding, None, "{name}");
    }
}
