//! Each rule, broken by one change to a document that the agency takes.

use std::collections::BTreeSet;

use einvoice_es::authority::meaning;
use einvoice_es::harness::codes_in;
use serde_json::{Value, json};

use crate::authority::filed_document::FiledDocument;

const NOW: &str = "2026-11-20T09:30:00+01:00";

/// A golden case of the plugin with another value at a pointer.
fn changed(case: &str, pointer: &str, value: Value) -> FiledDocument {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/es-verifactu/expected");
    let json = std::fs::read_to_string(format!("{folder}/{case}.json")).unwrap();
    let mut document: Value = serde_json::from_str(&json).unwrap();
    let filed = FiledDocument::read(&json).unwrap();
    assert_eq!((super::violation(&filed, NOW), super::remarks(&filed)), (None, vec![]), "{case} as it is");
    let (parent, member) = pointer.rsplit_once('/').unwrap();
    match document.pointer_mut(parent).unwrap() {
        Value::Array(items) => items[member.parse::<usize>().unwrap()] = value,
        members => members[member] = value,
    }
    FiledDocument::read(&document.to_string()).unwrap()
}

fn refused(changes: &[(&str, &str, Value, &str)]) {
    for (case, pointer, value, code) in changes {
        let filed = changed(case, pointer, value.clone());
        assert_eq!(super::violation(&filed, NOW), Some(*code), "{case} {pointer} {value}");
    }
}

/// The first row of the breakdown.
const ROW: &str = "/totals/taxes/categories/0/rates/0";
const ROW_EXT: &str = "/totals/taxes/categories/0/rates/0/ext";

fn taxed(class: &str, regime: &str) -> Value {
    json!({"es-verifactu-op-class": class, "es-verifactu-regime": regime})
}

fn exempt(reason: &str, regime: &str) -> Value {
    json!({"es-verifactu-exempt": reason, "es-verifactu-regime": regime})
}

#[test]
fn document_types_have_their_references_recipients_and_limits() {
    let type_of = "/tax/ext/es-verifactu-doc-type";
    let correction = "/tax/ext/es-verifactu-correction-type";
    let acme = json!({"name": "Acme", "tax_id": {"country": "ES", "code": "B85905495"}});
    refused(&[
        ("credit_note", type_of, json!("R6"), "1106"),
        ("credit_note", correction, json!("X"), "1107"),
        ("credit_note", correction, json!(null), "1114"),
        ("simplified_invoice", correction, json!("I"), "1115"),
        ("credit_note", correction, json!("S"), "1118"),
        ("simplified_invoice_by_name", "/totals/total_with_tax", json!("3000.01"), "1150"),
        ("simplified_invoice", "/tax/ext/es-verifactu-simplified-art7273", json!("S"), "1183"),
        ("credit_note", "/customer", json!({"name": "Jane Roe"}), "1189"),
        ("replacement_invoice", "/customer", json!(null), "1189"),
        ("simplified_invoice", "/customer", acme.clone(), "1190"),
        ("credit_note_of_a_simplified_invoice", "/customer", acme, "1190"),
        ("credit_note", type_of, json!("R3"), "1191"),
        ("credit_note", type_of, json!("R2"), "1192"),
    ]);
}

#[test]
fn dates_lie_in_the_days_of_the_system_and_operations_before_their_invoice() {
    refused(&[
        ("rate_general", "/issue_date", json!("2026-11-21"), "1112"),
        ("rate_general", "/issue_date", json!("2024-10-27"), "1152"),
        ("rate_general", "/op_date", json!("2006-11-19"), "1134"),
        ("rate_general", "/op_date", json!("2026-11-21"), "1173"),
        ("rate_general", "/op_date", json!("2028-01-01"), "1125"),
        ("operation_date", "/issue_date", json!("2026-11-01"), "1146"),
    ]);
}

#[test]
fn continuing_supplies_may_be_billed_ahead() {
    let mut filed = changed("rate_general", ROW_EXT, taxed("S1", "15"));
    for (day, code) in [("2026-12-31", None), ("2027-12-31", None), ("2028-01-01", Some("1125"))] {
        filed.invoice.op_date = Some(day.to_owned());
        assert_eq!(super::violation(&filed, NOW), code, "{day}");
    }
}

#[test]
fn the_issuer_has_a_nif_and_the_number_ordinary_characters() {
    refused(&[
        ("rate_general", "/supplier/tax_id/code", json!("B98602643"), "4116"),
        ("rate_general", "/supplier/tax_id/code", json!("ESB98602642"), "4116"),
        ("rate_general", "/code", json!("F=1"), "1130"),
        ("rate_general", "/code", json!("Ñ-1"), "1130"),
    ]);
}

#[test]
fn what_does_not_fit_the_schema_refuses_the_message() {
    let long = "x".repeat(121);
    let amount = "1000000000000.00";
    refused(&[
        ("rate_general", "/code", json!("F".repeat(61)), "4102"),
        ("rate_general", "/supplier/name", json!(long), "4102"),
        ("rate_general", "/customer/name", json!(long), "4102"),
        ("rate_general", "/customer/name", json!(" "), "4102"),
        ("rate_general", "/customer/identities/0/code", json!("1".repeat(21)), "4102"),
        ("company_spanish", "/customer/tax_id/code", json!("B8590549"), "4102"),
        ("rate_general", "/totals/tax", json!(amount), "4102"),
        ("rate_general", "/totals/total_with_tax", json!("121.001"), "4102"),
        ("rate_general", "/totals/taxes/categories", json!([]), "4102"),
        ("rate_general", &format!("{ROW}/percent"), json!("21.125%"), "4102"),
        ("rate_general", &format!("{ROW}/base"), json!(amount), "4102"),
        ("surcharge", &format!("{ROW}/surcharge/percent"), json!("x"), "4102"),
        ("credit_note", "/preceding/0/issue_date", json!("yesterday"), "4102"),
        ("credit_note", "/preceding/0/code", json!("F".repeat(61)), "4102"),
    ]);
}

#[test]
fn recipients_show_what_the_agency_takes() {
    let identity = |country: Value, id_type: &str, code: &str| json!([{"country": country, "code": code, "ext": {"es-verifactu-identity-type": id_type}}]);
    let list = "/customer/identities";
    let foreign = |country: &str, code: &str| json!({"country": country, "code": code});
    refused(&[
        ("rate_general", list, identity(json!("GB"), "99", "1"), "1102"),
        ("rate_general", list, identity(json!(null), "03", "1"), "1111"),
        ("rate_general", list, identity(json!("RE"), "03", "1"), "1101"),
        ("rate_general", list, identity(json!("GB"), "07", "54387763P"), "1126"),
        ("rate_general", list, identity(json!("ES"), "07", "B85905495"), "1131"),
        ("rate_general", list, identity(json!("FR"), "02", "DE123456789"), "1122"),
        ("rate_general", list, identity(json!(null), "02", "GB123456789"), "1255"),
        ("rate_general", list, identity(json!(null), "02", "US123456789"), "1103"),
        ("rate_general", list, identity(json!("GB"), "03", "1<2"), "1103"),
        ("company_spanish", "/customer/tax_id/code", json!("B85905494"), "1123"),
        ("company_spanish", "/customer/tax_id/code", json!("B98602642"), "1193"),
        ("company_spanish", "/customer/tax_id", foreign("RE", "1"), "1101"),
        ("company_spanish", "/customer/tax_id", foreign("US", "1>2"), "1103"),
    ]);
    for (id_type, country, code) in
        [("07", "ES", "54387763P"), ("02", "GR", "EL123456789"), ("03", "ES", "A1"), ("06", "ES", "A1")]
    {
        let filed = changed("rate_general", list, identity(json!(country), id_type, code));
        assert_eq!(super::violation(&filed, NOW), None, "{id_type}");
    }
    let filed = changed("company_spanish", "/customer/tax_id", foreign("DE", "123456789"));
    assert_eq!(super::violation(&filed, NOW), None);
}

#[test]
fn rows_are_classified_once_under_a_regime_of_their_tax() {
    let both =
        json!({"es-verifactu-op-class": "S1", "es-verifactu-exempt": "E1", "es-verifactu-regime": "01"});
    refused(&[
        ("rate_general", ROW_EXT, json!({"es-verifactu-regime": "01"}), "1195"),
        ("rate_general", ROW_EXT, both, "1196"),
        ("rate_general", ROW_EXT, taxed("S9", "01"), "1181"),
        ("exemption_article_20", ROW_EXT, exempt("E9", "01"), "1182"),
        ("rate_general", ROW_EXT, json!({"es-verifactu-op-class": "S1"}), "1245"),
        ("rate_general", ROW_EXT, taxed("S1", "12"), "1246"),
        ("rate_general", ROW_EXT, taxed("S1", "21"), "1246"),
        ("ipsi", ROW_EXT, taxed("S1", "01"), "1260"),
        ("exemption_article_21", ROW_EXT, exempt("E2", "01"), "1199"),
        ("igic_exempt", ROW_EXT, exempt("E2", "01"), "1199"),
    ]);
}

#[test]
fn a_regime_has_rows_and_documents_of_its_own() {
    refused(&[
        ("rate_general", ROW_EXT, taxed("S1", "02"), "1286"),
        ("exemption_article_20", ROW_EXT, exempt("E1", "03"), "1200"),
        ("rate_general", ROW_EXT, taxed("S1", "04"), "1201"),
        ("rate_general", ROW_EXT, taxed("S1", "06"), "1202"),
        ("exemption_article_21", ROW_EXT, exempt("E2", "07"), "1203"),
        ("rate_general", ROW_EXT, taxed("S1", "08"), "1252"),
        ("exemption_outside_scope_location", ROW_EXT, taxed("N2", "10"), "1205"),
        ("rate_general", ROW_EXT, taxed("N1", "10"), "1205"),
        ("rate_super_reduced", ROW_EXT, taxed("S1", "11"), "1206"),
        ("rate_general", ROW_EXT, taxed("S1", "14"), "1147"),
        ("igic", ROW_EXT, taxed("S1", "20"), "1293"),
    ]);
    let works = |case: &str, nif: &str| {
        let mut filed = changed(case, ROW_EXT, taxed("S1", "14"));
        filed.invoice.op_date = Some("2027-01-31".to_owned());
        filed.invoice.customer = filed.invoice.customer.map(|mut customer| {
            let (country, code) = ("ES".to_owned(), nif.to_owned());
            customer.tax_id = Some(einvoice_es::stored::TaxId { country, code });
            customer
        });
        super::violation(&filed, NOW)
    };
    assert_eq!(works("company_spanish", "P2807900B"), None);
    assert_eq!(works("company_spanish", "B85905495"), Some("1149"));
    assert_eq!(works("simplified_invoice", ""), Some("1148"));
}

#[test]
fn only_taxed_rows_carry_tax_and_it_fits_base_and_rate() {
    let (percent, amount) = (format!("{ROW}/percent"), format!("{ROW}/amount"));
    refused(&[
        ("rate_general", &percent, json!(null), "1208"),
        ("rate_general", &amount, json!("-17.36"), "1143"),
        ("rate_general", &amount, json!("9999.00"), "1142"),
        ("rate_general", &percent, json!("20.0%"), "1124"),
        ("rate_general", &percent, json!("5.0%"), "1194"),
        ("rate_general", &percent, json!("2.0%"), "1235"),
        ("rate_general", &percent, json!("7.5%"), "1236"),
        ("exemption_reverse_charge", &amount, json!("1.00"), "1198"),
        ("simplified_invoice", ROW_EXT, taxed("S2", "01"), "1197"),
        ("exemption_outside_scope", &amount, json!("1.00"), "1237"),
        ("exemption_outside_scope", &percent, json!("0.0%"), "1237"),
        ("exemption_article_20", &amount, json!("1.00"), "1238"),
        ("ipsi", ROW_EXT, json!({"es-verifactu-op-class": "N2"}), "1207"),
    ]);
}

#[test]
fn surcharges_belong_to_their_regime_and_rate() {
    refused(&[
        ("surcharge", ROW_EXT, taxed("S1", "01"), "1279"),
        ("rate_general", ROW_EXT, taxed("S1", "18"), "1280"),
        ("surcharge", &format!("{ROW}/surcharge/percent"), json!("1.3%"), "1127"),
    ]);
}

#[test]
fn totals_beside_the_breakdown_are_accepted_with_a_remark() {
    let total = changed("rate_general", "/totals/total_with_tax", json!("9999.00"));
    assert_eq!((super::violation(&total, NOW), super::remarks(&total)), (None, vec!["2005"]));
    let tax = changed("rate_general", "/totals/tax", json!("9999.00"));
    assert_eq!((super::violation(&tax, NOW), super::remarks(&tax)), (None, vec!["2006"]));
}

#[test]
fn every_code_that_a_rule_gives_has_a_case() {
    let codes = |sources: &[&'static str]| -> BTreeSet<&str> {
        sources.iter().flat_map(|source| codes_in(source, |text| meaning(text).is_some())).collect()
    };
    let given = codes(&[
        include_str!("mod.rs"),
        include_str!("breakdown.rs"),
        include_str!("recipient.rs"),
        include_str!("schema.rs"),
        include_str!("../mod.rs"),
        include_str!("../memory.rs"),
        include_str!("../../regimes.rs"),
    ]);
    let cases = codes(&[include_str!("tests.rs"), include_str!("../tests.rs")]);
    let without: Vec<_> = given.difference(&cases).collect();
    assert!(given.len() > 50 && without.is_empty(), "{without:?}");
}
