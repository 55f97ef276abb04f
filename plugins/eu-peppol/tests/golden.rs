//! Every case under `tests/golden/eu-peppol` converts to its file, and its record is pinned beside it.

#![cfg(test)]

mod support;

use einvoice_plugin::{Context, Country, Recipient};
use eu_peppol::{EuPeppol, rules, wire};
use serde_json::{Value, json};

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
fn every_row_of_recipients_has_its_identity() {
    let mapped = |recipient: Value| {
        let recipient: Recipient = einvoice_plugin::harness::recipient(&recipient).unwrap();
        match EuPeppol::map_identity(&recipient) {
            Ok(einvoice_plugin::Identity::TaxId(tax)) => format!("{} {}", tax.country, tax.code),
            Ok(einvoice_plugin::Identity::Other(other)) => {
                format!("{} {} {}", other.type_key, other.country, other.code)
            }
            Err(faults) => {
                let lines: Vec<_> =
                    faults.into_iter().map(|fault| format!("{} {}", fault.code, fault.path)).collect();
                lines.join("\n")
            }
        }
    };
    let company = |number: &str, country: Option<&str>| {
        mapped(json!({"type": "company", "name": "X", "tax_number": number, "country": country}))
    };
    assert_eq!(company("094259216", Some("GR")), "EL 094259216");
    assert_eq!(company("12-3456789", Some("US")), "US 123456789");
    assert_eq!(company("094259217", Some("GR")), "EU-PEPPOL-IDENTITY-05 /recipient/tax_number");
    assert_eq!(company("1", None), "EU-PEPPOL-IDENTITY-03 /recipient/country");
    assert_eq!(company("1", Some("XX")), "EU-PEPPOL-IDENTITY-04 /recipient/country");
    assert_eq!(company("", Some("BE")), "EU-PEPPOL-IDENTITY-01 /recipient/tax_number");
    let person = |kind: &str, country: Option<&str>| {
        let document = json!({"type": kind, "number": "123", "country": country});
        mapped(json!({"type": "individual", "name": "X", "identity_document": document}))
    };
    for (kind, key) in [
        ("id_card", "foreign"),
        ("spanish_resident_permit", "resident"),
        ("passport", "passport"),
        ("foreign_national_id", "foreign"),
        ("driving_license", "other"),
        ("student_id", "other"),
        ("other", "other"),
    ] {
        assert_eq!(person(kind, Some("FR")), format!("{key} FR 123"), "{kind}");
        let unknown = "EU-PEPPOL-IDENTITY-03 /recipient/identity_document/country";
        assert_eq!(person(kind, None), unknown, "{kind}");
    }
    assert_eq!(mapped(support::recipient("AT")), "AT U10223006");
    let nobody = mapped(json!({"type": "individual", "name": "X"}));
    assert_eq!(nobody, "EU-PEPPOL-IDENTITY-01 /recipient/identity_document/number");
}

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/eu-peppol");

/// `UPDATE_GOLDEN=1` rewrites them.
#[test]
fn what_goes_over_the_wire_is_the_golden_xml() {
    let mut changed = Vec::new();
    for (name, (document, _)) in suite().documents().unwrap() {
        let file = format!("{FOLDER}/payloads/{name}.xml");
        let made = wire::xml(&document.to_string()).unwrap();
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::create_dir_all(format!("{FOLDER}/payloads")).unwrap();
            std::fs::write(&file, &made).unwrap();
        } else if std::fs::read_to_string(&file).unwrap_or_default() != made {
            changed.push(file);
        }
    }
    assert_eq!(changed, Vec::<String>::new(), "UPDATE_GOLDEN=1 rewrites these, if they are right");
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
