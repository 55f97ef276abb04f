//! A document that a client sends is taken whole or refused with every mistake named.

use gateway_domain::invoicing::{Content, Recipient};
use gateway_domain_input::document::{DocumentForm, TaxCheck};
use serde_json::{Value, json};

fn sound() -> Value {
    json!({"workspace_id": 1, "document_type": "invoice", "currency": "EUR", "booking_id": null,
        "issue_date": "2026-11-20", "operation_date": null, "prices_include_tax": true,
        "recipient": {"type": "individual", "name": "Jane Roe",
            "identity_document": {"type": "passport", "number": "123456789", "country": "GB"},
            "address": {"street": "1 High St", "locality": "Leeds", "region": null, "postcode": "LS1 1AA", "country": "GB"},
            "email": null},
        "lines": [{"description": "Studio", "quantity": "3", "unit_price": "89.90",
            "tax": {"category": "VAT", "rate": "10.0"}}],
        "retentions": [], "referenced_document_ids": [], "notes": null})
}

fn fields(document: Value) -> Vec<String> {
    let form: DocumentForm = serde_json::from_value(document).unwrap();
    form.check(TaxCheck::Syntax).unwrap_err().into_iter().map(|error| error.field).collect()
}

fn with(pointer: &str, value: Value) -> Value {
    let mut document = sound();
    *document.pointer_mut(pointer).unwrap() = value;
    document
}

#[test]
fn a_sound_document_is_taken() {
    let form: DocumentForm = serde_json::from_value(sound()).unwrap();
    let content = form.check(TaxCheck::Syntax).unwrap();
    assert!(matches!(content.recipient, Some(Recipient::Individual { ref name, .. }) if name == "Jane Roe"));
    assert_eq!(content.lines.len(), 1);
}

#[test]
fn every_wrong_value_is_refused_by_the_name_of_its_member() {
    let cases = [
        ("/document_type", json!("bill"), "document_type"),
        ("/currency", json!("EURO"), "currency"),
        ("/issue_date", json!("20-11-2026"), "issue_date"),
        ("/issue_date", json!("2026-11-20T10:00"), "issue_date"),
        ("/issue_date", json!("2026-02-30"), "issue_date"),
        ("/booking_id", json!("7"), "booking_id"),
        ("/recipient/type", json!("person"), "recipient.type"),
        ("/recipient/name", json!("  "), "recipient.name"),
        ("/recipient/name", json!("a\u{0}b"), "recipient.name"),
        ("/recipient/email", json!("jane"), "recipient.email"),
        ("/recipient/address/country", json!("UK"), "recipient.address.country"),
        ("/recipient/identity_document/type", json!("visa"), "recipient.identity_document.type"),
        ("/recipient/identity_document/number", json!(""), "recipient.identity_document.number"),
        ("/lines/0/quantity", json!("1e3"), "lines[0].quantity"),
        ("/lines/0/unit_price", json!("1,5"), "lines[0].unit_price"),
        ("/lines/0/tax/rate", json!("101"), "lines[0].tax.rate"),
        ("/lines/0/tax/rate", json!("-1"), "lines[0].tax.rate"),
        ("/lines/0/tax/category", json!("V A T"), "lines[0].tax.category"),
        ("/lines/0/tax", json!({"category": "VAT"}), "lines[0].tax"),
        ("/lines/0/tax", json!({"category": "VAT", "rate": "1", "exemption": "x"}), "lines[0].tax"),
        ("/retentions", json!([{"category": "IRPF"}]), "retentions[0].rate"),
        ("/referenced_document_ids", json!(["x"]), "referenced_document_ids[0]"),
        ("/notes", json!("x".repeat(5_001)), "notes"),
    ];
    for (pointer, value, field) in cases {
        assert_eq!(fields(with(pointer, value.clone())), [field], "{pointer} = {value}");
    }
}

#[test]
fn all_mistakes_are_named_at_once() {
    let errors = fields(json!({"workspace_id": 1, "lines": [{}]}));
    for field in ["document_type", "currency", "prices_include_tax", "lines[0].description", "lines[0].tax"] {
        assert!(errors.iter().any(|error| error == field), "{field} in {errors:?}");
    }
}

#[test]
fn a_member_of_the_other_recipient_type_is_refused() {
    assert_eq!(
        fields(with(
            "/recipient",
            json!({"type": "company", "name": "X", "identity_document": {"type": "passport", "number": "1"}})
        )),
        ["recipient.identity_document"]
    );
    assert_eq!(
        fields(with("/recipient", json!({"type": "individual", "name": "X", "tax_number": "1"}))),
        ["recipient.tax_number"]
    );
}

#[test]
fn an_unknown_member_or_a_number_for_money_does_not_parse() {
    for (pointer, value) in [
        ("/lines/0", json!({"description": "x", "quantity": 1, "unit_price": "1", "tax": {}})),
        ("/lines/0", json!({"desc": "x"})),
        ("/recipient", json!({"type": "company", "title": "Dr"})),
    ] {
        assert!(serde_json::from_value::<DocumentForm>(with(pointer, value)).is_err());
    }
}

fn content(document: Value) -> Content {
    let form: DocumentForm = serde_json::from_value(document).unwrap();
    form.check(TaxCheck::Syntax).unwrap()
}

#[test]
fn terms_periods_and_members_of_a_tax_system_are_kept() {
    let mut document = sound();
    document["payment"] = json!({"due_date": "2026-12-20", "note": "By transfer\nwithin a month"});
    document["ext"] = json!({"es-sii-regime": "05", "doc.type": "x"});
    document["lines"][0]["period"] = json!({"start": "2026-11-17", "end": "2026-11-19"});
    document["lines"][0]["ext"] = json!({"product": "services"});
    let stored = serde_json::to_value(content(document.clone())).unwrap();
    for member in ["/payment", "/ext", "/lines/0/period", "/lines/0/ext"] {
        assert_eq!(stored.pointer(member), document.pointer(member), "{member}");
    }
    assert_eq!(serde_json::from_value::<Content>(stored).unwrap(), content(document));
}

#[test]
fn a_document_without_them_is_written_as_ever() {
    let plain = content(sound());
    let mut said_nothing = sound();
    said_nothing["payment"] = json!({"due_date": null, "note": " "});
    said_nothing["ext"] = json!({});
    said_nothing["lines"][0]["period"] = Value::Null;
    assert_eq!(content(said_nothing), plain);
    let stored = serde_json::to_value(&plain).unwrap();
    assert!(["payment", "ext"].into_iter().all(|member| stored.get(member).is_none()));
    assert!(["period", "ext"].into_iter().all(|member| stored["lines"][0].get(member).is_none()));
}

#[test]
fn wrong_terms_periods_and_members_of_a_tax_system_are_refused_by_name() {
    let document = |member: &str, value: Value| {
        let mut document = sound();
        document[member] = value;
        document
    };
    let line = |member: &str, value: Value| {
        let mut document = sound();
        document["lines"][0][member] = value;
        document
    };
    let many: serde_json::Map<_, _> = (0..21).map(|at| (format!("k{at}"), json!("x"))).collect();
    let cases = [
        (document("payment", json!({"due_date": "soon"})), "payment.due_date"),
        (document("payment", json!({"note": "x".repeat(501)})), "payment.note"),
        (document("ext", json!({"Regime": "01"})), "ext"),
        (document("ext", json!({"": "01"})), "ext"),
        (document("ext", json!({"k".repeat(65): "01"})), "ext"),
        (document("ext", Value::Object(many)), "ext"),
        (document("ext", json!({"regime": ""})), "ext.regime"),
        (document("ext", json!({"regime": "x".repeat(501)})), "ext.regime"),
        (line("ext", json!({"a/b": "x"})), "lines[0].ext"),
        (line("ext", json!({"product": "a\nb"})), "lines[0].ext.product"),
        (line("period", json!({"start": "2026-11-17"})), "lines[0].period.end"),
        (line("period", json!({"start": "yesterday", "end": "2026-11-17"})), "lines[0].period.start"),
        (line("period", json!({"start": "2026-11-17", "end": "2026-11-16"})), "lines[0].period.end"),
    ];
    for (document, field) in cases {
        assert_eq!(fields(document.clone()), [field], "{document}");
    }
    for unknown in [
        document("payment", json!({"iban": "x"})),
        document("ext", json!({"regime": 1})),
        document("ext", json!([])),
        line("period", json!({"from": "2026-11-17"})),
        line("outlay", json!(true)),
    ] {
        assert!(serde_json::from_value::<DocumentForm>(unknown).is_err());
    }
}
