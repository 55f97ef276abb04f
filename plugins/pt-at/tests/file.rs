//! What a document becomes in the file that goes over the wire, and in the QR code.

#![cfg(test)]

mod support;

use einvoice_eu::harness;
use einvoice_gobl::harness::invoice;
use einvoice_gobl::stored;
use einvoice_plugin::{Authority, Country, Outcome};
use pt_at::PtAt;
use pt_at::qr;
use pt_at::saft::{AuditFile, Entry};
use serde_json::{Value, json};

const NOW: &str = "2026-11-20T09:30:00+01:00";

/// A document of the platform with these members instead.
fn document(changes: &[(&str, Value)]) -> Value {
    let mut document = json!({
        "number": "FT A/1", "issue_date": "2026-11-20",
        "recipient": {"type": "company", "name": "Maçã", "tax_number": "508641233", "country": "PT"},
        "lines": [line("1", "100.00")],
        "preceding": []
    });
    for (member, value) in changes {
        document[*member] = value.clone();
    }
    document
}

fn line(quantity: &str, price: &str) -> Value {
    json!({"description": "Quarto", "quantity": quantity, "unit_price": price,
           "tax": {"category": "VAT", "rate": "6.0"}})
}

/// What the AT answers to a document, which it takes.
fn sent(document: &Value) -> Outcome {
    let body = PtAt::convert(&invoice(document).unwrap(), &support::context()).unwrap().body;
    let outcome = PtAt::submit(&harness::submission(&body, NOW)).unwrap();
    assert!(outcome.accepted, "{:?}", outcome.faults);
    outcome
}

fn file(changes: &[(&str, Value)]) -> String {
    sent(&document(changes)).payload.unwrap()
}

fn stamp(outcome: &Outcome, provider: &str) -> String {
    let found = outcome.stamps.iter().find(|stamp| stamp.provider == provider);
    found.unwrap().value.clone()
}

/// The texts of all elements of a name.
fn texts<'a>(xml: &'a str, name: &str) -> Vec<&'a str> {
    let (start, end) = (format!("<{name}>"), format!("</{name}>"));
    let parts = xml.split(start.as_str()).skip(1);
    parts.filter_map(|part| part.split_once(end.as_str()).map(|(text, _)| text)).collect()
}

#[test]
fn the_qr_code_is_that_of_the_authoritys_specification() {
    let document = json!({
        "code": "FS CDVF/12345", "issue_date": "2019-08-12", "currency": "EUR",
        "tax": {"ext": {"pt-saft-invoice-type": "FS"}},
        "supplier": {"name": "X", "tax_id": {"country": "PT", "code": "123456789"}},
        "totals": {"total": "0.65", "tax": "0.15", "total_with_tax": "0.80", "taxes": {"categories": [
            {"code": "VAT", "rates": [{"base": "0.65", "percent": "23.0%", "amount": "0.15",
                                       "ext": {"pt-region": "PT", "pt-saft-tax-rate": "NOR"}}]}]}},
        "payment": {"advances": [{"date": "2019-08-12", "amount": "0.80", "ext": {"pt-saft-payment-means": "NU"}}]},
        "notes": [{"src": "at-atcud", "code": "CDF7T5HD-12345"}, {"src": "at-certificate", "code": "9999"}]
    });
    let document: stored::Invoice = serde_json::from_value(document).unwrap();
    let signature = "Y123456789h123456789G123456789V".to_owned();
    let file = AuditFile::from_document(&document, Entry { entered: String::new(), signature });
    // Example 2 of the specification.
    let expected = "A:123456789*B:999999990*C:PT*D:FS*E:N*F:20190812*G:FS CDVF/12345*H:CDF7T5HD-12345*I1:PT*I7:0.65*\
                    I8:0.15*N:0.15*O:0.80*Q:YhGV*R:9999*S:NU;0.80";
    assert_eq!(qr::text(&qr::fields(&file)), expected);
}

#[test]
fn the_qr_code_has_every_rate_of_every_region() {
    let taxed = |rate: &str, region: &str| {
        json!({"description": "Quarto", "quantity": "1", "unit_price": "100.00",
               "tax": {"category": "VAT", "rate": rate}, "ext": {"region": region}})
    };
    let exempt = |region: &str| {
        json!({"description": "Guia", "quantity": "1", "unit_price": "10.00",
               "tax": {"category": "VAT", "exemption": "m07"}, "ext": {"region": region}})
    };
    let all = [("6", "PT"), ("13", "PT"), ("23", "PT"), ("4", "PT-AC"), ("9", "PT-AC"), ("16", "PT-AC")];
    let madeira = [("4", "PT-MA"), ("12", "PT-MA"), ("22", "PT-MA")];
    let mut lines: Vec<_> = all.iter().chain(&madeira).map(|(rate, region)| taxed(rate, region)).collect();
    lines.extend(["PT", "PT-AC", "PT-MA"].map(exempt));
    let retained = json!([{"category": "IRS", "rate": "10"}]);
    let outcome = sent(&document(&[("lines", json!(lines)), ("retentions", retained)]));
    let code = stamp(&outcome, "at-qr");
    let (head, rest) = code.split_once("*I1:").unwrap();
    assert_eq!(head, "A:545259045*B:508641233*C:PT*D:FT*E:N*F:20261120*G:FT A/1*H:CSDF7T5H-1");
    let hash = stamp(&outcome, "at-hash");
    let expected = format!(
        "PT*I2:10.00*I3:100.00*I4:6.00*I5:100.00*I6:13.00*I7:100.00*I8:23.00*\
         J1:PT-AC*J2:10.00*J3:100.00*J4:4.00*J5:100.00*J6:9.00*J7:100.00*J8:16.00*\
         K1:PT-MA*K2:10.00*K3:100.00*K4:4.00*K5:100.00*K6:12.00*K7:100.00*K8:22.00*\
         N:109.00*O:1039.00*P:93.00*Q:{hash}*R:9999"
    );
    assert_eq!(rest, expected);
    let only_azores = sent(&document(&[("lines", json!([taxed("16", "PT-AC")]))]));
    assert!(stamp(&only_azores, "at-qr").contains("*I1:PT-AC*I7:100.00*I8:16.00*N:"));
}

#[test]
fn what_is_credited_stands_on_the_debit_side_and_refers_to_what_it_corrects() {
    let reason = "Uma noite que não foi dormida, e mais palavras do que cabem na ficha";
    let preceding = json!([{"number": "FT A/9", "issue_date": "2026-11-18", "reason": reason}]);
    let changes = |number: &str, kind: &str| {
        [("number", json!(number)), ("document_type", json!(kind)), ("preceding", preceding.clone())]
    };
    let credit = file(&changes("NC A/1", "credit_note"));
    assert_eq!(texts(&credit, "DebitAmount"), ["100.00"]);
    assert!(texts(&credit, "CreditAmount").is_empty());
    assert_eq!([texts(&credit, "TotalDebit"), texts(&credit, "TotalCredit")], [["100.00"], ["0.00"]]);
    assert_eq!(texts(&credit, "Reference"), ["FT A/9"]);
    let cut: String = reason.chars().take(50).collect();
    assert_eq!(texts(&credit, "Reason"), [cut.trim_end()]);
    let debit = file(&changes("ND A/1", "debit_note"));
    assert_eq!(texts(&debit, "CreditAmount"), ["100.00"]);
    assert_eq!(texts(&debit, "Reference"), ["FT A/9"]);
}

#[test]
fn lines_with_tax_become_net_and_add_up_to_the_base() {
    let lines = json!([line("3", "10.00"), line("1", "10.00"), line("0.5", "0.01")]);
    let xml = file(&[("lines", lines), ("prices_include_tax", json!(true))]);
    assert_eq!(texts(&xml, "UnitPrice"), ["9.43396226", "9.43396226", "0.00943396"]);
    assert_eq!(texts(&xml, "CreditAmount"), ["28.30", "9.44", "0.00"]);
    assert_eq!([texts(&xml, "NetTotal"), texts(&xml, "TotalCredit")], [["37.74"], ["37.74"]]);
}

#[test]
fn recipients_without_a_tax_number_are_the_final_consumer() {
    let address =
        json!({"street": "10 High St", "locality": "Leeds", "postcode": "LS1 4AP", "country": "GB"});
    let person = |document: Value, address: Value| json!({"type": "individual", "name": "Jane Roe", "identity_document": document, "address": address});
    let passport = json!({"type": "passport", "number": "X1", "country": "GB"});
    let nif = json!({"type": "id_card", "number": "219876541"});
    for (recipient, number, country, city) in [
        (person(passport, address.clone()), "999999990", "GB", "Leeds"),
        (person(nif, Value::Null), "219876541", "PT", "Desconhecido"),
        (person(Value::Null, Value::Null), "999999990", "PT", "Desconhecido"),
        (
            json!({"type": "company", "name": "Milo", "tax_number": "EL094259216", "country": "GR"}),
            "094259216",
            "GR",
            "Desconhecido",
        ),
        (json!({"type": "company", "name": "Pie", "country": "US"}), "999999990", "PT", "Desconhecido"),
    ] {
        let outcome = sent(&document(&[("recipient", recipient)]));
        let xml = outcome.payload.clone().unwrap();
        assert_eq!(texts(&xml, "CustomerTaxID"), [number]);
        assert_eq!(texts(&xml, "City")[1], city);
        assert!(stamp(&outcome, "at-qr").contains(&format!("*B:{number}*C:{country}*")));
    }
}

#[test]
fn an_invoice_receipt_says_how_it_was_paid_and_an_invoice_until_when() {
    let ext = json!({"doc-type": "FR", "payment-means": "cash"});
    let paid = sent(&document(&[("number", json!("FR A/1")), ("ext", ext)]));
    let xml = paid.payload.clone().unwrap();
    assert_eq!([texts(&xml, "PaymentMechanism"), texts(&xml, "PaymentAmount")], [["NU"], ["106.00"]]);
    assert_eq!(texts(&xml, "InvoiceType"), ["FR"]);
    assert!(stamp(&paid, "at-qr").ends_with("*R:9999*S:NU;106.00"));
    let due = file(&[("payment", json!({"due_date": "2026-12-20", "note": "30 dias"}))]);
    assert_eq!([texts(&due, "SettlementDate"), texts(&due, "PaymentTerms")], [["2026-12-20"], ["30 dias"]]);
    let note = file(&[("payment", json!({"note": "30 dias"}))]);
    assert_eq!((texts(&note, "PaymentTerms"), texts(&note, "SettlementDate").len()), (vec!["30 dias"], 0));
}

#[test]
fn equal_products_stand_once() {
    let lines = json!([line("3", "10.00"), line("1", "12.00"), {"description": "Livro", "quantity": "1", "unit_price": "5.00",
        "tax": {"category": "VAT", "rate": "6.0"}, "ext": {"product-type": "P"}}]);
    let xml = file(&[("lines", lines)]);
    assert_eq!(texts(&xml, "ProductType"), ["S", "P"]);
    assert_eq!(texts(&xml, "ProductCode"), ["P1", "P2", "P1", "P1", "P2"]);
    assert_eq!(texts(&xml, "TaxTableEntry").len(), 1);
}

#[test]
fn the_time_of_entry_is_that_of_portugal() {
    let xml = file(&[]);
    assert_eq!(texts(&xml, "SystemEntryDate"), ["2026-11-20T08:30:00"]);
    assert_eq!(texts(&xml, "Hash")[0].len(), 172);
}
