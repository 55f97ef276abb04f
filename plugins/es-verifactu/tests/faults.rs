//! Every fault code is reported for its own reason, at the member that causes it.

#![cfg(test)]

use std::collections::BTreeSet;

use einvoice_es::harness::expected_codes;
use einvoice_plugin::{Amount, Authority, Context, Country, Fault, Invoice, PaymentTerms, Period, harness};
use es_verifactu::{EsVerifactu, faults};
use serde_json::{Value, json};

fn document() -> Value {
    json!({
        "number": "F-2026-000001", "document_type": "invoice", "currency": "EUR", "issue_date": "2026-11-20",
        "prices_include_tax": true,
        "recipient": {"type": "individual", "name": "Jane Roe",
                      "identity_document": {"type": "passport", "number": "123456789", "country": "GB"}},
        "lines": [{"description": "Night", "quantity": "1", "unit_price": "121.00",
                   "tax": {"category": "VAT", "rate": "21.0"}}]
    })
}

/// The document with the member at `pointer` replaced.
fn with(pointer: &str, value: impl Into<Value>) -> Value {
    let mut document = document();
    let (parent, member) = pointer.rsplit_once('/').unwrap();
    match document.pointer_mut(parent).unwrap() {
        Value::Array(items) => items.push(value.into()),
        object => object[member] = value.into(),
    }
    document
}

fn found(document: &Value) -> Vec<Fault> {
    check(document, |_, _| {})
}

fn check(document: &Value, change: impl FnOnce(&mut Invoice, &mut Context)) -> Vec<Fault> {
    let (mut invoice, mut context) = (harness::invoice(document).unwrap(), harness::context());
    change(&mut invoice, &mut context);
    EsVerifactu::check(&invoice, &context)
}

/// Code, path and whether it stops the document.
fn summaries(faults: &[Fault]) -> Vec<(&str, &str, bool)> {
    faults.iter().map(|fault| (fault.code.as_str(), fault.path.as_str(), fault.is_error())).collect()
}

/// Changes of single members of the document, with the one fault each causes.
fn changed_document_and_recipient() -> Vec<(Value, &'static str, &'static str)> {
    let identity = |number: &str| with("/recipient/identity_document/number", number);
    vec![
        (with("/document_type", "debit_note"), faults::KIND, "/document_type"),
        (with("/uuid", "4711"), faults::UUID, "/uuid"),
        (with("/number", " "), faults::NUMBER_MISSING, "/display_document_number"),
        (with("/number", "F".repeat(61)), faults::NUMBER_LENGTH, "/display_document_number"),
        (with("/number", "F'1"), faults::NUMBER_CHARACTER, "/display_document_number"),
        (with("/issue_date", "20-11-2026"), faults::DATE_MALFORMED, "/issue_date"),
        (with("/issue_date", "2024-10-27"), faults::DATE_TOO_EARLY, "/issue_date"),
        (with("/issue_date", "2026-11-21"), faults::DATE_FUTURE, "/issue_date"),
        (with("/operation_date", "2026-02-30"), faults::OPERATION_DATE_MALFORMED, "/operation_date"),
        (with("/operation_date", "2026-11-21"), faults::OPERATION_DATE_LATE, "/operation_date"),
        (with("/operation_date", "2006-11-19"), faults::OPERATION_DATE_OLD, "/operation_date"),
        (with("/currency", "GBP"), faults::CURRENCY, "/currency"),
        (with("/recipient", Value::Null), faults::RECIPIENT_MISSING, "/recipient"),
        (with("/recipient/name", "n".repeat(121)), faults::RECIPIENT_NAME, "/recipient/name"),
        (with("/recipient/email", "jane"), faults::RECIPIENT_EMAIL, "/recipient/email"),
        (
            with("/recipient/address", json!({"country": "XX"})),
            faults::RECIPIENT_ADDRESS,
            "/recipient/address/country",
        ),
        (
            with("/recipient/identity_document", Value::Null),
            faults::IDENTITY_MISSING,
            "/recipient/identity_document",
        ),
        (identity(" "), faults::IDENTITY_MISSING, "/recipient/identity_document/number"),
        (identity(&"1".repeat(21)), faults::IDENTITY_LENGTH, "/recipient/identity_document/number"),
        (identity("12<34"), faults::IDENTITY_CHARACTER, "/recipient/identity_document/number"),
        (
            with("/recipient/identity_document/country", Value::Null),
            faults::IDENTITY_COUNTRY_MISSING,
            "/recipient/identity_document/country",
        ),
        (
            with("/recipient/identity_document/country", "XX"),
            faults::IDENTITY_COUNTRY_UNKNOWN,
            "/recipient/identity_document/country",
        ),
        (
            with("/recipient/identity_document/country", "RE"),
            faults::COUNTRY,
            "/recipient/identity_document/country",
        ),
        (
            with("/recipient/identity_document/type", "spanish_resident_permit"),
            faults::NIF,
            "/recipient/identity_document/number",
        ),
    ]
}

/// The same for lines, totals and notes.
fn changed_lines() -> Vec<(Value, &'static str, &'static str)> {
    let tax = |tax: Value| with("/lines/0/tax", tax);
    vec![
        (with("/lines", json!([])), faults::LINES_MISSING, "/lines"),
        (with("/lines/0/description", ""), faults::LINE_DESCRIPTION, "/lines/0/description"),
        (with("/lines/0/outlay", true), faults::LINE_OUTLAY, "/lines/0/outlay"),
        (tax(json!({"category": "IVA", "rate": "21.0"})), faults::TAX_CATEGORY, "/lines/0/tax/category"),
        (tax(json!({"category": "VAT"})), faults::TAX_TREATMENT, "/lines/0/tax/rate"),
        (
            tax(json!({"category": "VAT", "rate": "21.0", "exemption": "other"})),
            faults::TAX_TREATMENT,
            "/lines/0/tax/exemption",
        ),
        (tax(json!({"category": "VAT", "rate": "20.0"})), faults::TAX_RATE, "/lines/0/tax/rate"),
        (tax(json!({"category": "IGIC", "rate": "-7.0"})), faults::TAX_RATE, "/lines/0/tax/rate"),
        (tax(json!({"category": "VAT", "rate": "7.5"})), faults::TAX_RATE_EXPIRED, "/lines/0/tax/rate"),
        (
            tax(json!({"category": "VAT", "exemption": "article_99"})),
            faults::TAX_EXEMPTION,
            "/lines/0/tax/exemption",
        ),
        (
            tax(json!({"category": "IPSI", "exemption": "article_20"})),
            faults::TAX_IPSI_EXEMPT,
            "/lines/0/tax/exemption",
        ),
        (
            tax(json!({"category": "VAT", "rate": "21.0", "surcharge": "1.4"})),
            faults::TAX_SURCHARGE,
            "/lines/0/tax/surcharge",
        ),
        (
            tax(json!({"category": "IGIC", "rate": "7.0", "surcharge": "0.7"})),
            faults::TAX_SURCHARGE,
            "/lines/0/tax/surcharge",
        ),
        (
            with(
                "/lines/1",
                json!({"description": "Ferry", "quantity": "1", "unit_price": "7.00", "tax": {"category": "IGIC", "rate": "7.0"}}),
            ),
            faults::TAX_INCLUDED_MIXED,
            "/lines/1/tax/category",
        ),
        (
            with("/retentions", json!([{"category": "IVA", "rate": "15.0"}])),
            faults::RETENTION_CATEGORY,
            "/retentions/0/category",
        ),
        (
            with(
                "/retentions",
                json!([{"category": "IRPF", "rate": "15.0"}, {"category": "IRPF", "rate": "7.0"}]),
            ),
            faults::RETENTION_TWICE,
            "/retentions/1/category",
        ),
        (
            with("/retentions", json!([{"category": "IRNR", "rate": "101"}])),
            faults::RETENTION_RATE,
            "/retentions/0/rate",
        ),
        (with("/lines/0/unit_price", "1000000000000.00"), faults::TOTAL_TOO_LARGE, "/totals/gross"),
        (with("/notes", "n".repeat(501)), faults::NOTES, "/notes"),
    ]
}

/// The document as another kind, with the documents it refers to.
fn of_kind(kind: &str, preceding: &[&str], changes: &[(&str, Value)]) -> Value {
    let mut document = document();
    document["document_type"] = kind.into();
    document["preceding"] = preceding
        .iter()
        .map(|kind| json!({"document_type": kind, "number": "F-1", "issue_date": "2026-11-18"}))
        .collect();
    if matches!((kind, preceding), ("simplified_invoice", _) | ("credit_note", ["simplified_invoice", ..])) {
        document["recipient"] = Value::Null;
    }
    for (pointer, value) in changes {
        let (parent, member) = pointer.rsplit_once('/').unwrap();
        document.pointer_mut(parent).unwrap()[member] = value.clone();
    }
    document
}

/// The same for credit notes, simplified and replacement invoices.
fn changed_kinds() -> Vec<(Value, &'static str, &'static str)> {
    const REFERENCES: &str = "/referenced_document_ids";
    let credit = |changes: &[(&str, Value)]| of_kind("credit_note", &["invoice"], changes);
    let simplified = |changes: &[(&str, Value)]| of_kind("simplified_invoice", &[], changes);
    let replacement =
        |preceding: &[&str], changes: &[(&str, Value)]| of_kind("replacement_invoice", preceding, changes);
    let many = vec![json!({"number": "F-1", "issue_date": "2026-11-18"}); 1001];
    vec![
        (credit(&[("/ext", json!({"doc-type": "R5"}))]), faults::DOC_TYPE, "/ext/doc-type"),
        (
            credit(&[("/ext", json!({"doc-type": "R2"}))]),
            faults::IDENTITY_NO_NIF,
            "/recipient/identity_document/number",
        ),
        (credit(&[("/recipient", Value::Null)]), faults::RECIPIENT_MISSING, "/recipient"),
        (of_kind("credit_note", &["credit_note"], &[]), faults::CORRECTED_KIND, REFERENCES),
        (credit(&[("/preceding/0/uuid", json!("4711"))]), faults::PRECEDING_UUID, REFERENCES),
        (credit(&[("/preceding/0/number", json!("F=1"))]), faults::PRECEDING_NUMBER, REFERENCES),
        (credit(&[("/preceding/0/issue_date", json!("18-11-2026"))]), faults::PRECEDING_DATE, REFERENCES),
        (credit(&[("/preceding/0/issue_date", json!("2026-11-21"))]), faults::PRECEDING_LATE, REFERENCES),
        (credit(&[("/preceding", Value::Array(many))]), faults::PRECEDING_MANY, REFERENCES),
        (simplified(&[("/lines/0/unit_price", json!("3000.01"))]), faults::SIMPLIFIED_LIMIT, "/totals/gross"),
        (
            simplified(&[("/lines/0/tax", json!({"category": "VAT", "exemption": "reverse_charge"}))]),
            faults::TAX_REVERSE_CHARGE,
            "/lines/0/tax/exemption",
        ),
        (
            of_kind(
                "credit_note",
                &["simplified_invoice"],
                &[("/lines/0/tax", json!({"category": "VAT", "exemption": "reverse_charge"}))],
            ),
            faults::TAX_REVERSE_CHARGE,
            "/lines/0/tax/exemption",
        ),
        (
            of_kind("credit_note", &["simplified_invoice", "invoice"], &[]),
            faults::CORRECTED_MIXED,
            REFERENCES,
        ),
        (
            simplified(&[("/recipient", json!({"type": "company", "name": ""}))]),
            faults::RECIPIENT_NAME,
            "/recipient/name",
        ),
        (replacement(&[], &[]), faults::REPLACED_MISSING, REFERENCES),
        (replacement(&["simplified_invoice", "invoice"], &[]), faults::REPLACED_KIND, REFERENCES),
        (
            replacement(&["simplified_invoice"], &[("/recipient", Value::Null)]),
            faults::RECIPIENT_MISSING,
            "/recipient",
        ),
    ]
}

/// What a document or its line says beyond the members of the platform.
fn changed_ext() -> Vec<(Value, &'static str, &'static str)> {
    let line = |ext: Value, tax: Value| {
        let mut document = with("/lines/0/ext", ext);
        document["lines"][0]["tax"] = tax;
        document
    };
    let vat = || json!({"category": "VAT", "rate": "21.0"});
    let export = || json!({"category": "VAT", "exemption": "article_21"});
    vec![
        (with("/ext", json!({"colour": "red"})), faults::EXT_UNKNOWN, "/ext/colour"),
        (with("/ext", json!({"op-class": "S1"})), faults::EXT_UNKNOWN, "/ext/op-class"),
        (with("/recipient/ext", json!({"regime": "01"})), faults::EXT_UNKNOWN, "/recipient/ext/regime"),
        (line(json!({"doc-type": "F1"}), vat()), faults::EXT_UNKNOWN, "/lines/0/ext/doc-type"),
        (
            with("/ext", json!({"es-verifactu-regime": "05", "regime": "05"})),
            faults::EXT_TWICE,
            "/ext/regime",
        ),
        (line(json!({"exempt": "E1"}), vat()), faults::EXT_UNFIT, "/lines/0/ext/exempt"),
        (line(json!({"exempt": "E3"}), export()), faults::EXT_UNFIT, "/lines/0/ext/exempt"),
        (
            line(json!({"regime": "01"}), json!({"category": "IPSI", "rate": "4"})),
            faults::EXT_UNFIT,
            "/lines/0/ext/regime",
        ),
        (with("/ext", json!({"regime": "12"})), faults::REGIME, "/ext/regime"),
        (line(json!({"regime": "1"}), vat()), faults::REGIME, "/lines/0/ext/regime"),
        (line(json!({"regime": "01"}), export()), faults::REGIME_EXPORT, "/lines/0/tax/exemption"),
        (line(json!({"regime": "18"}), vat()), faults::REGIME_SURCHARGE, "/lines/0/tax/surcharge"),
        (line(json!({"regime": "03"}), export()), faults::REGIME_TREATMENT, "/lines/0/tax"),
        (line(json!({"regime": "08"}), vat()), faults::REGIME_TREATMENT, "/lines/0/tax"),
        (
            line(json!({"regime": "11"}), json!({"category": "VAT", "rate": "10.0"})),
            faults::REGIME_RATE,
            "/lines/0/tax/rate",
        ),
        (with("/ext", json!({"regime": "06"})), faults::REGIME_COST_BASE, "/lines/0/tax"),
        (with("/ext", json!({"simplified-art7273": "yes"})), faults::ARTICLE_7, "/ext/simplified-art7273"),
        (
            of_kind("simplified_invoice", &[], &[("/ext", json!({"simplified-art7273": "S"}))]),
            faults::ARTICLE_7,
            "/ext/simplified-art7273",
        ),
    ]
}

fn changed_members() -> impl Iterator<Item = (Value, &'static str, &'static str)> {
    changed_document_and_recipient()
        .into_iter()
        .chain(changed_lines())
        .chain(changed_kinds())
        .chain(changed_ext())
}

#[test]
fn a_sound_document_has_no_faults() {
    assert_eq!(found(&document()), []);
    assert_eq!(found(&of_kind("credit_note", &["invoice", "replacement_invoice"], &[])), []);
    assert_eq!(found(&of_kind("credit_note", &["simplified_invoice"], &[])), []);
    assert_eq!(found(&of_kind("simplified_invoice", &[], &[])), []);
    assert_eq!(found(&of_kind("replacement_invoice", &["simplified_invoice"], &[])), []);
    let ext = json!({"es-verifactu-regime": "05", "es-verifactu-op-class": "S1"});
    assert_eq!(found(&with("/lines/0/ext", ext)), []);
}

#[test]
fn every_wrong_member_is_named_by_its_own_fault() {
    for (document, code, path) in changed_members() {
        assert_eq!(summaries(&found(&document)), [(code, path, true)], "{document}");
    }
}

type Change = fn(&mut Invoice, &mut Context);

/// What the document's JSON cannot say: the workspace, periods, terms, hostile figures.
const SURROUNDINGS: &[(Change, &str, &str)] = &[
    (|_, context| context.settings = "[]".into(), faults::SETTINGS, "/settings"),
    (|_, context| context.supplier.legal_name.clear(), faults::SUPPLIER_NAME, "/supplier/legal_name"),
    (|_, context| context.supplier.tax_id = "B98602643".into(), faults::SUPPLIER_NIF, "/supplier/tax_id"),
    (|_, context| context.supplier.country = "PT".into(), faults::SUPPLIER_COUNTRY, "/supplier/country"),
    (|_, context| context.company_id = "acme".into(), faults::SUPPLIER_COMPANY_ID, "/supplier/company_id"),
    (|_, context| context.supplier.email = Some("x".to_owned()), faults::SUPPLIER_EMAIL, "/supplier/email"),
    (
        |_, context| context.supplier.address.as_mut().unwrap().postcode = Some("2".repeat(65)),
        faults::SUPPLIER_ADDRESS,
        "/supplier/address/postcode",
    ),
    (
        |invoice, _| {
            invoice.payment =
                Some(PaymentTerms { due_date: Some("soon".to_owned()), note: None, ext: Vec::new() });
        },
        faults::DUE_DATE_MALFORMED,
        "/payment/due_date",
    ),
    (
        |invoice, _| {
            invoice.totals.payable = Amount::new(0, 2);
            invoice.payment =
                Some(PaymentTerms { due_date: Some("2026-12-20".to_owned()), note: None, ext: Vec::new() });
        },
        faults::DUE_DATE_NOTHING,
        "/payment/due_date",
    ),
    (
        |invoice, _| {
            invoice.lines[0].period =
                Some(Period { start: "2026-11-20".to_owned(), end: "2026-11-18".to_owned() });
        },
        faults::PERIOD_MALFORMED,
        "/lines/0/period",
    ),
    (
        |invoice, _| invoice.lines[0].sum = Amount::new(i64::MIN, 2),
        faults::FIGURE_TOO_LARGE,
        "/lines/0/unit_price",
    ),
    (
        |invoice, _| {
            let row = invoice.totals.categories[0].rates[0].clone();
            invoice.totals.categories[0].rates = vec![row; 13];
        },
        faults::BREAKDOWN_ROWS,
        "/totals/rates",
    ),
];

#[test]
fn what_surrounds_the_document_is_checked_too() {
    for (change, code, path) in SURROUNDINGS {
        assert_eq!(summaries(&check(&document(), change)), [(*code, *path, true)]);
    }
}

#[test]
fn the_issuer_cannot_be_the_recipient() {
    let recipient = json!({"type": "company", "name": "Self", "tax_number": "b-98602642", "country": "ES"});
    assert_eq!(
        summaries(&found(&with("/recipient", recipient))),
        [(faults::NIF_OF_ISSUER, "/recipient/tax_number", true)]
    );
}

#[test]
fn warnings_become_errors_where_the_workspace_refuses_them() {
    let warned = [
        (
            with(
                "/recipient/identity_document",
                json!({"type": "driving_license", "number": "1", "country": "ES"}),
            ),
            faults::IDENTITY_SPANISH,
        ),
        (with("/lines/0/tax", json!({"category": "IGIC", "rate": "8.0"})), faults::TAX_RATE_UNUSUAL),
        (with("/lines/0/tax", json!({"category": "IPSI", "rate": "11.0"})), faults::TAX_RATE_UNUSUAL),
        (of_kind("credit_note", &[], &[]), faults::CORRECTED_MISSING),
        (
            of_kind("credit_note", &["invoice"], &[("/lines/0/unit_price", json!("-121.00"))]),
            faults::CREDIT_NEGATIVE,
        ),
        (
            of_kind("simplified_invoice", &[], &[("/recipient", document()["recipient"].clone())]),
            faults::RECIPIENT_IDENTIFIED,
        ),
    ];
    for (document, code) in warned {
        let lenient = check(&document, |_, _| {});
        let strict = check(&document, |_, context| context.settings = r#"{"refuse_warnings":true}"#.into());
        let levels = |faults: &[Fault]| {
            faults.iter().map(|fault| (fault.code.clone(), fault.is_error())).collect::<Vec<_>>()
        };
        assert_eq!(levels(&lenient), [(code.to_owned(), false)]);
        assert_eq!(levels(&strict), [(code.to_owned(), true)]);
        let invoice = harness::invoice(&document).unwrap();
        assert!(EsVerifactu::convert(&invoice, &harness::context()).is_ok(), "a warning stops nothing");
    }
}

#[test]
fn the_check_does_not_ask_for_a_number_but_the_conversion_does() {
    let unnumbered = with("/number", Value::Null);
    assert_eq!(found(&unnumbered), []);
    let refused =
        EsVerifactu::convert(&harness::invoice(&unnumbered).unwrap(), &harness::context()).unwrap_err();
    assert_eq!(summaries(&refused), [(faults::NUMBER_MISSING, "/display_document_number", true)]);
}

#[test]
fn a_debit_note_does_not_convert() {
    let invoice = harness::invoice(&of_kind("debit_note", &["invoice"], &[])).unwrap();
    assert_eq!(EsVerifactu::convert(&invoice, &harness::context()).unwrap_err()[0].code, faults::KIND);
}

#[test]
fn an_invoice_may_refer_to_a_number_the_agency_would_not_take() {
    let reference = json!([{"document_type": "credit_note", "number": "Año=1", "issue_date": "2026-11-18"}]);
    assert_eq!(found(&with("/preceding", reference)), []);
}

#[test]
fn every_message_is_a_sentence_that_says_what_to_do() {
    for (document, code, _) in changed_members() {
        for fault in found(&document) {
            let message = fault.message;
            assert!(
                message.starts_with(|c: char| c.is_uppercase() || c == '\'') && message.ends_with('.'),
                "{code}: {message}"
            );
            assert!(message.contains(';'), "{code} does not say what to do: {message}");
        }
    }
}

#[test]
fn no_code_is_without_a_test() {
    let mut reported: BTreeSet<_> = changed_members().map(|(_, code, _)| code).collect();
    reported.extend(SURROUNDINGS.iter().map(|(_, code, _)| *code));
    reported.extend([faults::NIF_OF_ISSUER, faults::IDENTITY_SPANISH, faults::TAX_RATE_UNUSUAL]);
    reported.extend([faults::CORRECTED_MISSING, faults::CREDIT_NEGATIVE, faults::RECIPIENT_IDENTIFIED]);
    reported.extend([faults::REGIME_DOC_TYPE, faults::REGIME_RECIPIENT, faults::REGIME_OPERATION_DATE]);
    let refused = EsVerifactu::file("no document").unwrap_err();
    reported.extend(faults::ALL.iter().filter(|code| refused.iter().any(|fault| fault.code == **code)));
    let missing: Vec<_> = faults::ALL.iter().filter(|code| !reported.contains(**code)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// A code is stable for ever: this list only grows.
#[test]
fn the_codes_are_those_we_promised() {
    let own = [("ARTICLE-7", 1..=1), ("REGIME", 1..=9), ("COUNTRY", 1..=1)];
    assert_eq!(faults::ALL, expected_codes("ES-VERIFACTU", &own));
    let unique: BTreeSet<_> = faults::ALL.iter().collect();
    assert_eq!(unique.len(), faults::ALL.len());
}
