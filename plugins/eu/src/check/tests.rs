use super::*;
use crate::taxes::{exemption, rate};
use einvoice_plugin::{Fault, harness};
use serde_json::{Value, json};

const RULES: Rules = Rules {
    country: "ES",
    system: "the test",
    currency: None,
    kinds: &[DocumentKind::Invoice],
    name_chars_max: 20,
    description_chars_max: 20,
    number_chars_max: 20,
    notes_chars_max: 20,
    total_digits_max: TOTAL_DIGITS_MAX,
    latin1: true,
    first_issue_date: None,
    future_refused: true,
    supplier_address: None,
    recipient_address: None,
    anonymous: |_| true,
    rates: &[rate("general", "General", 21, None)],
    rate_refused: |_| None,
    exemptions: &[exemption("exempt", "Exempt", "exempt", "E")],
    retentions: &[],
};

fn document() -> Value {
    json!({
        "number": "F-1", "issue_date": "2026-11-20",
        "recipient": {"type": "company", "name": "Acme", "tax_number": "GB980780684", "country": "GB",
                      "email": "jane@example.com",
                      "address": {"street": "1 High St", "locality": "Leeds", "postcode": "LS1 1AA", "country": "GB"}},
        "lines": [{"description": "Night", "quantity": "1", "unit_price": "100.00",
                   "tax": {"category": "VAT", "rate": "0"}}],
    })
}

fn found_with(rules: &Rules, changes: &[(&str, Value)]) -> Vec<Fault> {
    let mut document = document();
    for (path, value) in changes {
        let (parent, key) = path.rsplit_once('/').unwrap();
        document.pointer_mut(parent).unwrap()[key] = value.clone();
    }
    let mut findings = Findings::new("XX");
    common(&harness::invoice(&document).unwrap(), &harness::context(), rules, &mut findings);
    findings.faults
}

fn found(path: &str, value: impl Into<Value>) -> Vec<String> {
    let faults = found_with(&RULES, &[(path, value.into())]);
    faults.into_iter().map(|fault| format!("{} {}", fault.code, fault.path)).collect()
}

#[test]
fn a_total_has_fifteen_digits_before_the_point() {
    const PRICE: &str = "/lines/0/unit_price";
    assert_eq!(found(PRICE, "999999999999999.99"), [""; 0]);
    assert_eq!(found(PRICE, "-999999999999999.99"), [""; 0]);
    let over = found_with(&RULES, &[(PRICE, "1000000000000000.00".into())]);
    assert_eq!(over.len(), 1);
    assert_eq!(over[0].code, "XX-TOTALS-01");
    assert!(over[0].message.contains("more than 15 digits before the point"), "{}", over[0].message);
    let two = json!([document()["lines"][0], document()["lines"][0]]);
    let mut sum = two.clone();
    sum[0]["unit_price"] = "999999999999999.99".into();
    sum[1]["unit_price"] = "0.01".into();
    assert_eq!(found("/lines", sum), ["XX-TOTALS-01 /totals/payable"], "by a cent");
}

#[test]
fn a_system_of_fewer_digits_says_so() {
    let rules = Rules { total_digits_max: 11, ..RULES };
    let found = |price: &str| found_with(&rules, &[("/lines/0/unit_price", price.into())]);
    assert_eq!(found("99999999999.99").len(), 0);
    assert!(found("100000000000.00")[0].message.contains("more than 11 digits before the point"));
}

#[test]
fn prices_of_many_decimals_pass_until_eighteen_digits() {
    assert_eq!(found("/lines/0/unit_price", "0.1234567890123"), [""; 0]);
    assert_eq!(found("/lines/0/unit_price", "1234567.12345678901"), [""; 0]);
}

#[test]
fn a_currency_that_the_format_rounds_otherwise_is_refused() {
    let warning = ["XX-CURRENCY-02 /currency"];
    assert_eq!(found("/currency", "USD"), warning);
    assert_eq!(found("/currency", "HUF"), warning, "whole forints");
    let broken = found_with(&RULES, &[("/currency", "HUF".into()), ("/lines/0/unit_price", "100.50".into())]);
    assert_eq!(broken[0].code, "XX-CURRENCY-01");
    assert!(broken[0].message.contains("HUF with 0 decimals"), "{}", broken[0].message);
    for code in ["MGA", "MRU", "ZWG", "EURO"] {
        assert_eq!(found("/currency", code), ["XX-CURRENCY-01 /currency"], "{code}");
    }
}

#[test]
fn an_address_that_the_provider_refuses_is_a_fault() {
    for address in ["a@b", "a b@example.com", "a@example.com.", "a\u{200B}@example.com"] {
        assert_eq!(found("/recipient/email", address), ["XX-RECIPIENT-03 /recipient/email"], "{address}");
    }
    assert_eq!(found("/recipient/email", " o'neill+x@example.co.uk "), [""; 0]);
}

#[test]
fn letters_with_marks_are_checked_as_they_are_sent() {
    assert_eq!(
        found("/recipient/name", "e\u{301}".repeat(20)),
        [""; 0],
        "20 composed characters, all of Latin-1"
    );
    assert_eq!(found("/notes", "n\u{303}".repeat(20)), [""; 0]);
    assert_eq!(found("/recipient/address/street", "Stra\u{DF}e u\u{308}"), [""; 0]);
    assert_eq!(
        found("/recipient/name", "x\u{301}"),
        ["XX-RECIPIENT-02 /recipient/name"],
        "there is no such letter"
    );
}

#[test]
fn codes_have_no_character_that_nobody_sees() {
    for hidden in ['\u{200B}', '\u{FEFF}', '\u{202E}', '\u{A0}'] {
        let code = format!("LS1{hidden}1AA");
        let at = "/recipient/address/postcode";
        assert_eq!(found(at, code.as_str()), [format!("XX-RECIPIENT-04 {at}")], "{hidden:?}");
        assert_eq!(found("/number", code.as_str()), ["XX-NUMBER-03 /display_document_number"], "{hidden:?}");
    }
    assert_eq!(found("/number", "Fe\u{301}1"), ["XX-NUMBER-03 /display_document_number"; 1]);
}

#[test]
fn an_identity_document_is_composed_and_has_no_character_that_nobody_sees() {
    let mapped = |number: &str| {
        let recipient = json!({"type": "individual", "name": "Jane Roe",
            "identity_document": {"type": "passport", "number": number, "country": "GB"}});
        crate::parties::map(&harness::recipient(&recipient).unwrap(), "DE", Findings::new("XX"))
    };
    let Ok(einvoice_plugin::Identity::Other(identity)) = mapped(" AN\u{303}O 1 ") else {
        panic!("it has an identity")
    };
    assert_eq!(identity.code, "AÑO 1");
    for hidden in ['\u{200B}', '\u{FEFF}', '\u{202E}', '\u{A0}', '\t'] {
        let faults = mapped(&format!("A{hidden}1")).unwrap_err();
        assert_eq!(
            (faults[0].code.as_str(), faults[0].path.as_str()),
            ("XX-IDENTITY-02", crate::parties::NUMBER_PATH)
        );
        assert!(faults[0].message.contains(&format!("{hidden:?}")), "{}", faults[0].message);
    }
}
