//! What a document becomes in the file that goes over the wire.

#![cfg(test)]

mod support;

use einvoice_eu::harness;
use einvoice_gobl::harness::invoice;
use einvoice_plugin::{Authority, Country};
use it_sdi::ItSdi;
use serde_json::{Value, json};

const NOW: &str = "2026-11-20T09:30:00+01:00";

/// A document of the platform with these members instead.
fn document(changes: &[(&str, Value)]) -> Value {
    let mut document = json!({
        "number": "F-1", "issue_date": "2026-11-20",
        "recipient": {"type": "company", "name": "Mela", "tax_number": "13029381004", "country": "IT",
                      "address": {"street": "Via X 1", "locality": "Roma", "postcode": "100", "country": "IT"}},
        "lines": [line("1", "100.00")],
        "preceding": []
    });
    for (member, value) in changes {
        document[*member] = value.clone();
    }
    document
}

fn line(quantity: &str, price: &str) -> Value {
    json!({"description": "Camera", "quantity": quantity, "unit_price": price,
           "tax": {"category": "VAT", "rate": "10.0"}})
}

/// The file of a document in a workspace with these settings. SdI takes it.
fn file(document: &Value, settings: &Value) -> String {
    let context = harness::context(&support::context(), &json!({"settings": settings}));
    let body = ItSdi::convert(&invoice(document).unwrap(), &context).unwrap().body;
    sent(&body)
}

fn sent(body: &str) -> String {
    let outcome = ItSdi::submit(&harness::submission(body, NOW)).unwrap();
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
fn sdi_is_told_where_to_deliver_to() {
    for (country, ext, format, code, mail) in [
        ("IT", json!({}), "FPR12", "0000000", None),
        ("IT", json!({"sdi-code": "ABC1234"}), "FPR12", "ABC1234", None),
        ("IT", json!({"sdi-pec": "mela@pec.it"}), "FPR12", "0000000", Some("mela@pec.it")),
        ("IT", json!({"sdi-code": "ABC1234", "sdi-pec": "mela@pec.it"}), "FPR12", "ABC1234", None),
        ("IT", json!({"sdi-code": "UFABCD"}), "FPA12", "UFABCD", None),
        ("IT", json!({"b2g": "true"}), "FPA12", "999999", None),
        ("FR", json!({}), "FPR12", "XXXXXXX", None),
        ("FR", json!({"sdi-code": "ABC1234"}), "FPR12", "ABC1234", None),
    ] {
        let address = json!({"street": "X 1", "locality": "Y", "postcode": "100", "country": country});
        let number = if country == "IT" { "13029381004" } else { "44732829320" };
        let recipient = json!({"type": "company", "name": "Mela", "tax_number": number, "country": country,
                               "address": address});
        let xml = file(&document(&[("recipient", recipient), ("ext", ext)]), &json!({}));
        assert_eq!(texts(&xml, "FormatoTrasmissione"), [format]);
        assert_eq!(texts(&xml, "CodiceDestinatario"), [code]);
        assert_eq!(texts(&xml, "PECDestinatario").first().copied(), mail);
        let postcode = if country == "IT" { "00100" } else { "00000" };
        assert_eq!(texts(&xml, "CAP"), ["90133", postcode]);
    }
}

#[test]
fn recipients_abroad_have_the_numbers_that_stand_for_none() {
    let company = |country: &str, number: Value| {
        json!({"type": "company", "name": "Acme", "tax_number": number, "country": country,
               "address": {"street": "X 1", "locality": "Y", "country": country}})
    };
    let person = |document: Value| {
        json!({"type": "individual", "name": "Jane Roe", "identity_document": document,
               "address": {"street": "X 1", "locality": "Y", "country": "GB"}})
    };
    let passport = json!({"type": "passport", "number": "X1", "country": "GB"});
    for (recipient, country, code) in [
        (company("FR", json!("44732829320")), "FR", "44732829320"),
        (company("GR", Value::Null), "EL", "0000000"),
        (company("US", json!("123")), "US", "123"),
        (company("US", Value::Null), "US", "OO99999999999"),
        (person(passport), "GB", "0000000"),
        (person(Value::Null), "GB", "OO99999999999"),
    ] {
        let xml = file(&document(&[("recipient", recipient)]), &json!({}));
        assert_eq!(texts(&xml, "IdPaese"), ["IT", "IT", country]);
        assert_eq!(texts(&xml, "IdCodice").last(), Some(&code));
        assert!(texts(&xml, "CodiceFiscale").is_empty());
    }
}

#[test]
fn a_negative_quantity_becomes_a_negative_price_and_prices_become_net() {
    let lines = json!([line("3", "110.00"), line("-1", "10.00"), line("1", "-5.00")]);
    let xml = file(&document(&[("lines", lines), ("prices_include_tax", json!(true))]), &json!({}));
    assert_eq!(texts(&xml, "Quantita"), ["3.00", "1.00", "1.00"]);
    assert_eq!(texts(&xml, "PrezzoUnitario"), ["100.00", "-9.09090909", "-4.54545455"]);
    assert_eq!(texts(&xml, "PrezzoTotale"), ["300.00", "-9.09090909", "-4.54545455"]);
    assert_eq!(texts(&xml, "ImponibileImporto"), ["286.36"]);
    assert_eq!(texts(&xml, "ImportoTotaleDocumento"), ["315.00"]);
}

#[test]
fn lines_of_a_simplified_document_add_up_to_its_total() {
    let lines = json!([line("1", "0.333"), line("1", "0.333"), line("1", "0.333"), line("1", "0.333")]);
    let changes = [("document_type", json!("simplified_invoice")), ("lines", lines)];
    let xml = file(&document(&changes), &json!({}));
    // 1.332 without tax, 0.133 of tax: 1.33 and 0.13 in the totals.
    assert_eq!(texts(&xml, "Importo"), ["0.37", "0.36", "0.37", "0.36"]);
    assert_eq!(texts(&xml, "Aliquota"), ["10.00"; 4]);
}

#[test]
fn notes_are_cut_where_they_have_no_place() {
    let notes = format!("{}\n{}", "x".repeat(150), "é".repeat(150));
    let payment = json!({"note": "Entro 30 giorni"});
    let xml = file(&document(&[("notes", json!(notes)), ("payment", payment)]), &json!({}));
    let first = format!("{} {}", "x".repeat(150), "é".repeat(49));
    assert_eq!(texts(&xml, "Causale"), [first.as_str(), &"é".repeat(101), "Entro 30 giorni"]);
}

#[test]
fn what_is_paid_is_what_is_left_after_withholding() {
    let settings =
        json!({"payment": {"means": "credit-transfer", "iban": "DE89370400440532013000", "bic": "?"}});
    let retained = json!([{"category": "IRPEF", "rate": "20"}]);
    let due = json!({"due_date": "2026-12-20"});
    let xml = file(&document(&[("retentions", retained), ("payment", due)]), &settings);
    assert_eq!(texts(&xml, "ImportoTotaleDocumento"), ["110.00"]);
    assert_eq!(texts(&xml, "ImportoPagamento"), ["90.00"]);
    assert_eq!(texts(&xml, "CondizioniPagamento"), ["TP02"]);
    assert_eq!(texts(&xml, "DataScadenzaPagamento"), ["2026-12-20"]);
    assert!(texts(&xml, "BIC").is_empty(), "what the schema refuses is left out");
}

#[test]
fn tax_is_due_when_it_is_paid_in_the_regimes_that_say_so() {
    let liability = |settings: Value| {
        let xml = file(&document(&[]), &settings);
        texts(&xml, "EsigibilitaIVA").join(" ")
    };
    assert_eq!(liability(json!({})), "I");
    assert_eq!(liability(json!({"fiscal_regime": "RF17"})), "D");
}

#[test]
fn an_administration_pays_the_tax_of_split_payment_itself() {
    let exempt = json!({"description": "Bollo", "quantity": "1", "unit_price": "2.00",
                        "tax": {"category": "VAT", "exemption": "n1"}});
    let own = json!({"description": "Bar", "quantity": "1", "unit_price": "50.00",
                     "tax": {"category": "VAT", "rate": "22.0"}, "ext": {"vat-liability": "I"}});
    let changes = [
        ("ext", json!({"sdi-code": "UFABCD", "vat-liability": "S"})),
        ("lines", json!([line("1", "100.00"), own, exempt])),
        ("payment", json!({"due_date": "2026-12-20"})),
    ];
    let xml = file(&document(&changes), &json!({"payment": {"means": "card"}}));
    assert_eq!(texts(&xml, "EsigibilitaIVA"), ["S", "I"]);
    assert_eq!(
        texts(&xml, "RiferimentoNormativo")[0],
        "Scissione dei pagamenti, art. 17-ter del D.P.R. 633/72"
    );
    assert_eq!(texts(&xml, "ImportoTotaleDocumento"), ["173.00"]);
    assert_eq!(texts(&xml, "ImportoPagamento"), ["163.00"]);
    assert_eq!(texts(&xml, "DataScadenzaPagamento"), ["2026-12-20"]);
}

#[test]
fn what_is_excluded_and_what_is_not_subject_stay_apart() {
    let exempt = |key: &str| {
        json!({"description": key, "quantity": "1", "unit_price": "10.00",
               "tax": {"category": "VAT", "exemption": key}})
    };
    let lines = json!([exempt("n1"), exempt("n2_1"), exempt("n1")]);
    let xml = file(&document(&[("lines", lines)]), &json!({}));
    assert_eq!(texts(&xml, "Natura"), ["N1", "N2.1", "N1", "N1", "N2.1"]);
    assert_eq!(texts(&xml, "ImponibileImporto"), ["20.00", "10.00"]);
}

#[test]
fn several_dates_are_instalments() {
    let settings = json!({"payment": {"means": "card"}});
    let context = harness::context(&support::context(), &json!({"settings": settings}));
    let body = ItSdi::convert(&invoice(&document(&[])).unwrap(), &context).unwrap().body;
    let mut stored: Value = serde_json::from_str(&body).unwrap();
    stored["payment"]["terms"] = json!({"due_dates": [
        {"date": "2026-12-20", "amount": "60.00"}, {"date": "2027-01-20", "amount": "50.00"}]});
    let xml = sent(&stored.to_string());
    assert_eq!(texts(&xml, "CondizioniPagamento"), ["TP01"]);
    assert_eq!(texts(&xml, "ImportoPagamento"), ["60.00", "50.00"]);
    assert_eq!(texts(&xml, "ModalitaPagamento"), ["MP08", "MP08"]);
}
