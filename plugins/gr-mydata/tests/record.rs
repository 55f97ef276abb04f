//! What a document becomes in the record that goes over the wire.

#![cfg(test)]

mod support;

use einvoice_eu::harness;
use einvoice_gobl::harness::invoice;
use einvoice_plugin::{Authority, Country};
use gr_mydata::GrMydata;
use serde_json::{Value, json};

const NOW: &str = "2026-11-20T09:30:00+02:00";

/// A document of the platform with these members instead.
fn document(changes: &[(&str, Value)]) -> Value {
    let mut document = json!({
        "number": "2026000017", "issue_date": "2026-11-20",
        "recipient": company("841442160", "GR"),
        "lines": [line("1", "100.00", "13.0")],
        "preceding": []
    });
    for (member, value) in changes {
        document[*member] = value.clone();
    }
    document
}

fn company(number: &str, country: &str) -> Value {
    let address = json!({"street": "X 1", "locality": "Y", "postcode": "100", "country": country});
    json!({"type": "company", "name": "Acme", "tax_number": number, "country": country, "address": address})
}

fn line(quantity: &str, price: &str, rate: &str) -> Value {
    json!({"description": "Δωμάτιο", "quantity": quantity, "unit_price": price,
           "tax": {"category": "VAT", "rate": rate}})
}

/// The record of a document in a workspace with these settings. myDATA takes it.
fn record(document: &Value, settings: &Value) -> String {
    sent(&body(document, settings))
}

fn body(document: &Value, settings: &Value) -> String {
    let context = harness::context(&support::context(), &json!({"settings": settings}));
    GrMydata::convert(&invoice(document).unwrap(), &context).unwrap().body
}

fn sent(body: &str) -> String {
    let outcome = GrMydata::submit(&harness::submission(body, NOW)).unwrap();
    assert!(outcome.accepted, "{:?}", outcome.faults);
    outcome.payload.unwrap()
}

/// The texts of all elements of a name.
fn texts<'a>(xml: &'a str, name: &str) -> Vec<&'a str> {
    let (start, end) = (format!("<{name}>"), format!("</{name}>"));
    let parts = xml.split(start.as_str()).skip(1);
    parts.filter_map(|part| part.split_once(end.as_str()).map(|(text, _)| text)).collect()
}

#[test]
fn a_counterpart_has_a_name_only_abroad() {
    for (recipient, doc_type, number, country, income) in [
        (company("EL 841442160", "EL"), "2.1", "841442160", "GR", "E3_561_001"),
        (company("DE111111125", "DE"), "2.2", "DE111111125", "DE", "E3_561_005"),
        (company("12-3456789", "US"), "2.3", "123456789", "US", "E3_561_006"),
    ] {
        let xml = record(&document(&[("recipient", recipient)]), &json!({}));
        assert_eq!(texts(&xml, "invoiceType"), [doc_type]);
        assert_eq!(texts(&xml, "vatNumber"), ["094259216", number]);
        assert_eq!(texts(&xml, "country"), ["GR", country]);
        assert_eq!(texts(&xml, "branch"), ["0", "0"]);
        let is_abroad = country != "GR";
        assert_eq!(texts(&xml, "name"), if is_abroad { vec!["Acme"] } else { vec![] });
        assert_eq!(texts(&xml, "city"), if is_abroad { vec!["Y"] } else { vec![] });
        assert_eq!(texts(&xml, "icls:classificationType"), [income; 2]);
    }
}

#[test]
fn a_receipt_names_nobody() {
    let person = json!({"type": "individual", "name": "Jane Roe"});
    let receipt = ("document_type", json!("simplified_invoice"));
    for (changes, doc_type) in [
        (vec![("recipient", person)], "11.2"),
        (vec![receipt.clone(), ("recipient", Value::Null)], "11.2"),
        (vec![receipt.clone()], "11.2"),
        (vec![receipt, ("ext", json!({"invoice-type": "11.1"}))], "11.1"),
    ] {
        let xml = record(&document(&changes), &json!({}));
        assert_eq!(
            (texts(&xml, "invoiceType"), texts(&xml, "vatNumber")),
            (vec![doc_type], vec!["094259216"])
        );
        assert_eq!(texts(&xml, "icls:classificationType"), ["E3_561_003"; 2]);
    }
}

#[test]
fn goods_have_types_and_classifications_of_their_own() {
    for (settings, doc_type, category) in [
        (json!({}), "2.1", "category1_3"),
        (json!({"income_category": "category1_1"}), "1.1", "category1_1"),
        (json!({"income_category": "category1_2"}), "1.1", "category1_2"),
    ] {
        let xml = record(&document(&[]), &settings);
        assert_eq!(texts(&xml, "invoiceType"), [doc_type]);
        assert_eq!(texts(&xml, "icls:classificationCategory"), [category; 2]);
    }
}

#[test]
fn classifications_are_added_up_in_the_order_of_the_lines() {
    let of = |category: &str, price: &str| {
        let mut line = line("1", price, "24.0");
        line["ext"] = json!({"income-category": category});
        line
    };
    let lines = json!([of("category1_3", "10.00"), of("category1_1", "5.00"), of("category1_3", "2.50")]);
    let xml = record(&document(&[("lines", lines)]), &json!({}));
    assert_eq!(texts(&xml, "icls:amount"), ["10.00", "5.00", "2.50", "12.50", "5.00"]);
    assert_eq!(texts(&xml, "totalNetValue"), ["17.50"]);
}

#[test]
fn the_settings_say_the_series_of_a_number() {
    let parts = |settings: Value| {
        let xml = record(&document(&[]), &settings);
        (texts(&xml, "series").concat(), texts(&xml, "aa").concat())
    };
    assert_eq!(parts(json!({})), ("0".to_owned(), "2026000017".to_owned()));
    assert_eq!(parts(json!({"series": "A"})), ("A".to_owned(), "2026000017".to_owned()));
}

#[test]
fn a_credit_note_names_the_registration_numbers_and_stays_positive() {
    let preceding = |number: &str, mark: &str| {
        json!({"number": number, "issue_date": "2026-11-18",
               "stamps": [{"provider": "iapr-mark", "value": mark}]})
    };
    let changes = [
        ("document_type", json!("credit_note")),
        ("preceding", json!([preceding("2026000001", "400001932212332"), preceding("2", "400001932212333")])),
    ];
    let xml = record(&document(&changes), &json!({}));
    assert_eq!(texts(&xml, "invoiceType"), ["5.1"]);
    assert_eq!(texts(&xml, "correlatedInvoices"), ["400001932212332", "400001932212333"]);
    assert_eq!(texts(&xml, "totalGrossValue"), ["113.00"]);
}

#[test]
fn lines_add_up_to_the_totals_whatever_the_prices_include() {
    for included in [false, true] {
        let lines = json!([
            line("1", "0.333", "24.0"),
            line("1", "0.333", "24.0"),
            line("7", "33.3333", "13.0"),
            line("1", "0.005", "6.0"),
            {"description": "x", "quantity": "1", "unit_price": "0.333",
             "tax": {"category": "VAT", "exemption": "e7"}}
        ]);
        let changes = [("lines", lines), ("prices_include_tax", json!(included))];
        let xml = record(&document(&changes), &json!({}));
        let cents = |name: &str| -> i64 {
            texts(&xml, name).iter().map(|text| text.replace('.', "").parse::<i64>().unwrap()).sum()
        };
        assert_eq!(cents("netValue"), cents("totalNetValue"));
        assert_eq!(cents("vatAmount"), cents("totalVatAmount"));
        assert_eq!(cents("totalNetValue") + cents("totalVatAmount"), cents("totalGrossValue"));
        assert_eq!(cents("amount"), cents("totalGrossValue"));
        assert_eq!(texts(&xml, "vatAmount").last(), Some(&"0.00"));
        assert_eq!(texts(&xml, "vatExemptionCategory"), ["7"]);
        assert_eq!(texts(&xml, "vatCategory"), ["1", "1", "2", "3", "7"]);
    }
}

#[test]
fn it_is_paid_as_the_document_says_else_as_the_workspace_wants_it_else_on_credit() {
    let card = json!({"payment": {"means": "card"}});
    let means = |ext: Value, settings: &Value| {
        let xml = record(&document(&[("ext", ext)]), settings);
        texts(&xml, "type").concat()
    };
    assert_eq!(means(json!({}), &json!({})), "5");
    assert_eq!(means(json!({}), &card), "7");
    assert_eq!(means(json!({"payment-means": "3"}), &card), "3");
    assert_eq!(means(json!({"payment-means": "7"}), &card), "7");
}

#[test]
fn charges_of_a_stored_document_are_taxes_of_the_whole() {
    let mut stored: Value = serde_json::from_str(&body(&document(&[]), &json!({}))).unwrap();
    stored["charges"] = json!([
        {"amount": "7.00", "ext": {"gr-mydata-tax-type": "3", "gr-mydata-other-tax": "22"}},
        {"amount": "1.20", "ext": {"gr-mydata-stamp-duty": "1"}},
        {"amount": "0.50", "ext": {"gr-mydata-fee": "18"}},
        {"amount": "2.00", "ext": {"gr-mydata-tax-type": "1"}}
    ]);
    stored["totals"]["total"] = json!("110.70");
    stored["totals"]["total_with_tax"] = json!("123.70");
    let xml = sent(&stored.to_string());
    assert_eq!(texts(&xml, "taxType"), ["3", "4", "2", "1"]);
    assert_eq!(texts(&xml, "taxCategory"), ["22", "1", "18"]);
    assert_eq!(texts(&xml, "totalOtherTaxesAmount"), ["7.00"]);
    assert_eq!(texts(&xml, "totalWithheldAmount"), ["2.00"]);
    assert_eq!(texts(&xml, "totalNetValue"), ["100.00"]);
    assert_eq!(texts(&xml, "totalGrossValue"), ["119.70"]);
}
