//! What is refused, by which code and where; and what the sandbox's platform answers.

#![cfg(test)]

mod support;

use de_xrechnung::{DeXrechnung, PREFIX, faults};
use einvoice_eu::codes;
use einvoice_eu::harness::{self, SoundDocument};
use einvoice_gobl::harness::invoice;
use einvoice_plugin::{Authority, Country, ProviderResult, Submission, Verdict};
use serde_json::{Value, json};

fn sound() -> SoundDocument {
    let address = json!({"locality": "Walldorf", "postcode": "69190", "country": "DE"});
    let case = json!({
        "document": {
            "number": "F-1", "issue_date": "2026-11-20", "operation_date": "2026-11-18",
            "recipient": {"type": "company", "name": "Sample", "tax_number": "282741168", "country": "DE",
                          "address": address, "email": "a@b.de"},
            "lines": [{"description": "Nacht", "quantity": "1", "unit_price": "100.00",
                       "tax": {"category": "VAT", "rate": "7.0"}}],
            "preceding": []
        },
        "context": {"settings": support::settings(), "supplier": {"address": address}}
    });
    SoundDocument { case, usual: support::context(), prefix: PREFIX }
}

fn found(changes: &[(&str, Value)]) -> Vec<String> {
    sound().found::<DeXrechnung>(changes).unwrap()
}

#[test]
fn the_codes_of_this_plugin_are_its_own() {
    let pinned = [
        "CONTACT-01",
        "CONTACT-02",
        "INBOX-01",
        "INBOX-02",
        "BUYER-REFERENCE-01",
        "BUYER-REFERENCE-02",
        "BUYER-REFERENCE-03",
        "VAT-01",
        "VAT-02",
        "VAT-03",
        "DELIVERY-01",
    ];
    assert_eq!(faults::ALL, pinned);
    assert!(faults::ALL.iter().all(|code| !codes::ALL.contains(code)));
}

#[test]
fn every_change_is_found_where_it_was_made() {
    let exempt = |key: &str| json!({"category": "VAT", "exemption": key});
    let table: &[(&str, Value, &str)] = &[
        ("/document/currency", json!("EURO"), "CURRENCY-01 /currency"),
        ("/document/currency", json!("CHF"), "CURRENCY-02 /currency (warning)"),
        ("/document/document_type", json!("simplified_invoice"), "KIND-01 /document_type"),
        ("/document/document_type", json!("debit_note"), "KIND-01 /document_type"),
        ("/document/document_type", json!("credit_note"), "PRECEDING-01 /referenced_document_ids"),
        ("/document/ext", json!({"doc-type": "384"}), "DOC-TYPE-01 /ext/doc-type"),
        ("/document/ext", json!({"colour": "red"}), "EXT-01 /ext/colour"),
        ("/document/lines/0/ext", json!({"tax-category": "E"}), "EXT-03 /lines/0/ext/tax-category"),
        ("/document/ext", json!({"inbox": "204:1"}), "INBOX-02 /ext/inbox"),
        ("/document/ext", json!({"inbox": "a@b"}), "INBOX-02 /ext/inbox"),
        ("/document/ext", json!({"inbox": "9999:1"}), "INBOX-02 /ext/inbox"),
        ("/document/payment", json!({"note": "#2 Prozent"}), "PAYMENT-02 /payment/note"),
        (
            "/document/ext",
            json!({"buyer-reference": "x".repeat(65)}),
            "BUYER-REFERENCE-03 /ext/buyer-reference",
        ),
        (
            "/document/ext",
            json!({"buyer-reference": "991-12345-74"}),
            "BUYER-REFERENCE-02 /ext/buyer-reference (warning)",
        ),
        ("/document/recipient/ext", json!({"inbox": "204:1"}), "INBOX-02 /recipient/ext/inbox"),
        (
            "/document/recipient/ext",
            json!({"buyer-reference": "991-12345-74"}),
            "BUYER-REFERENCE-02 /recipient/ext/buyer-reference (warning)",
        ),
        ("/document/recipient/ext", json!({"colour": "red"}), "EXT-01 /recipient/ext/colour"),
        ("/document/recipient/ext", json!({"doc-type": "326"}), "EXT-01 /recipient/ext/doc-type"),
        ("/document/issue_date", json!("2026-11-21"), "DATE-03 /issue_date (warning)"),
        ("/document/recipient", Value::Null, "RECIPIENT-01 /recipient"),
        ("/document/recipient/email", Value::Null, "INBOX-02 /recipient/email"),
        ("/document/recipient/address", Value::Null, "RECIPIENT-04 /recipient/address"),
        ("/document/recipient/address/locality", Value::Null, "RECIPIENT-04 /recipient/address/locality"),
        ("/document/recipient/address/postcode", Value::Null, "RECIPIENT-04 /recipient/address/postcode"),
        ("/document/recipient/address/country", Value::Null, "RECIPIENT-04 /recipient/address/country"),
        ("/document/recipient/tax_number", json!("282741169"), "IDENTITY-05 /recipient/tax_number"),
        ("/document/lines/0/tax/rate", json!("16"), "TAX-04 /lines/0/tax/rate (warning)"),
        ("/document/lines/0/tax/rate", json!("-7"), "TAX-03 /lines/0/tax/rate"),
        ("/document/lines/0/tax", exempt("n4"), "TAX-05 /lines/0/tax/exemption"),
        (
            "/document/retentions",
            json!([{"category": "IRPF", "rate": "15"}]),
            "RETENTION-01 /retentions/0/category",
        ),
        ("/context/settings/contact", Value::Null, "CONTACT-01 /settings/contact"),
        ("/context/settings/contact", json!({"phone": "+49 1"}), "SETTINGS-01 /settings"),
        ("/context/settings/inbox", json!({"scheme": "GLN", "code": "1"}), "SETTINGS-01 /settings"),
        ("/context/settings/payment", json!({"means": "card"}), "SETTINGS-01 /settings"),
        ("/context/settings/payment_terms", json!(" "), "SETTINGS-01 /settings"),
        ("/context/settings/credit_terms", json!("#x"), "SETTINGS-01 /settings"),
        ("/context/settings/syntax", json!("edifact"), "SETTINGS-01 /settings"),
        ("/context/settings/inbox", json!({"scheme": "9999", "code": "1"}), "SETTINGS-01 /settings"),
        ("/context/settings/payment", Value::Null, "PAYMENT-01 /settings/payment"),
        ("/context/settings/payment_terms", Value::Null, "PAYMENT-02 /payment"),
        ("/context/settings/buyer_reference", Value::Null, "BUYER-REFERENCE-01 /ext/buyer-reference"),
        ("/context/supplier/email", json!(""), "CONTACT-02 /supplier/email"),
        ("/context/supplier/tax_id", json!("111111126"), "SUPPLIER-02 /supplier/tax_id"),
        ("/context/supplier/address", json!(false), "SUPPLIER-06 /supplier/address"),
        ("/context/supplier/address/postcode", Value::Null, "SUPPLIER-06 /supplier/address/postcode"),
    ];
    assert_eq!(sound().refuses::<DeXrechnung>(table), Ok(()));
}

#[test]
fn without_an_address_for_electronic_mail_two_things_are_missing() {
    assert_eq!(
        found(&[("/context/supplier/email", json!(""))]),
        ["DE-XRECHNUNG-CONTACT-02 /supplier/email", "DE-XRECHNUNG-INBOX-01 /settings/inbox"]
    );
}

#[test]
fn what_the_european_standard_wants_beside_exemptions_is_demanded() {
    let exempt = |key: &str| ("/document/lines/0/tax", json!({"category": "VAT", "exemption": key}));
    let unknown = ("/document/recipient/tax_number", Value::Null);
    let undated = ("/document/operation_date", Value::Null);
    let number = ["DE-XRECHNUNG-VAT-01 /recipient/tax_number"];
    assert_eq!(found(&[exempt("reverse_charge"), unknown.clone()]), number);
    assert_eq!(found(&[exempt("intra_community"), unknown.clone()]), number);
    assert_eq!(found(&[exempt("exempt"), unknown]), Vec::<String>::new());
    let other = json!({"description": "X", "quantity": "1", "unit_price": "1.00",
                       "tax": {"category": "VAT", "rate": "7"}});
    assert_eq!(
        found(&[exempt("outside_scope"), ("/document/lines/-", other)]),
        ["DE-XRECHNUNG-VAT-02 /lines"]
    );
    let local = ("/context/supplier/tax_id", json!("92/345/67894"));
    for key in ["export", "intra_community"] {
        let of_supplier = ["DE-XRECHNUNG-VAT-03 /supplier/tax_id"];
        assert_eq!(found(&[exempt(key), local.clone()]), of_supplier, "{key}");
    }
    assert_eq!(found(&[exempt("exempt"), local]), Vec::<String>::new());
    assert_eq!(
        found(&[exempt("intra_community"), undated.clone()]),
        ["DE-XRECHNUNG-DELIVERY-01 /operation_date"]
    );
    let stay = ("/document/lines/0/period", json!({"start": "2026-11-17", "end": "2026-11-19"}));
    assert_eq!(found(&[exempt("intra_community"), undated, stay]), Vec::<String>::new());
}

#[test]
fn a_currency_that_the_standard_cannot_carry_is_refused() {
    let errors = |changes: &[(&str, Value)]| {
        found(changes).into_iter().filter(|fault| !fault.ends_with("(warning)")).collect::<Vec<_>>()
    };
    let refused = ["DE-XRECHNUNG-CURRENCY-01 /currency"];
    assert_eq!(errors(&[("/document/currency", json!("STN"))]), refused, "not in the list of CEN");
    assert_eq!(errors(&[("/document/currency", json!("CHF"))]), Vec::<String>::new());
    let mut dinars = invoice(&sound().case["document"]).unwrap();
    dinars.currency = "KWD".to_owned();
    dinars.totals.payable = einvoice_plugin::Amount::new(107_000, 3);
    let faults = DeXrechnung::check(&dinars, &support::context());
    assert!(faults.iter().any(|fault| fault.is_error() && fault.code == "DE-XRECHNUNG-CURRENCY-01"));
}

#[test]
fn a_recipient_says_how_it_is_referred_to_and_reached_and_a_document_otherwise() {
    let sent = |of_recipient: Value, of_document: Value| {
        let mut document = sound().case["document"].clone();
        document["recipient"]["ext"] = of_recipient;
        document["ext"] = of_document;
        let converted = DeXrechnung::convert(&invoice(&document).unwrap(), &support::context()).unwrap();
        let made: Value = serde_json::from_str(&converted.body).unwrap();
        (made["ordering"]["code"].clone(), made["customer"]["inboxes"].clone())
    };
    let entry = json!({"buyer-reference": "991-12345-73", "inbox": "0204:991-12345-73"});
    let inbox = json!([{"scheme": "0204", "code": "991-12345-73"}]);
    assert_eq!(sent(entry.clone(), json!({})), (json!("991-12345-73"), inbox.clone()));
    assert_eq!(sent(entry, json!({"buyer-reference": "PO-7"})), (json!("PO-7"), inbox));
    assert_eq!(sent(json!({}), json!({})), (json!("12345"), json!([{"email": "a@b.de"}])));
}

#[test]
fn terms_of_payment_are_needed_while_something_is_due() {
    let without = ("/context/settings/payment_terms", Value::Null);
    let free = ("/document/lines/0/unit_price", json!("0.00"));
    assert_eq!(found(&[without.clone(), free]), Vec::<String>::new());
    let dated = ("/document/payment", json!({"due_date": "2026-12-04"}));
    assert_eq!(found(&[without, dated]), Vec::<String>::new());
}

fn document() -> Value {
    let invoice = invoice(&sound().case["document"]).unwrap();
    serde_json::from_str(&DeXrechnung::convert(&invoice, &support::context()).unwrap().body).unwrap()
}

const NOW: &str = "2026-11-20T09:30:00+01:00";

fn answer(submission: &Submission) -> (bool, Vec<String>, usize) {
    let outcome = DeXrechnung::submit(submission).unwrap();
    let codes = outcome.faults.into_iter().filter_map(|fault| fault.code).collect();
    (outcome.accepted, codes, outcome.stamps.len())
}

#[test]
fn a_second_document_under_a_number_is_refused_and_the_same_one_is_not() {
    let first = harness::submission(&document().to_string(), NOW);
    assert_eq!(answer(&first), (true, vec![], 1));
    let registered = DeXrechnung::submit(&first).unwrap().record;
    assert_eq!(answer(&Submission { registered: registered.clone(), ..first }), (true, vec![], 1));
    let mut other = document();
    other["currency"] = json!("CHF");
    let other = Submission { registered, ..harness::submission(&other.to_string(), NOW) };
    assert_eq!(answer(&other), (false, vec!["DUPLICATE".to_owned()], 0));
}

#[test]
fn a_recipients_answer_is_a_remark_or_a_rejection() {
    for (code, accepted) in [("AP", true), ("UQ", true), ("RE", false), ("BR-DE-15", false), ("X-1", false)] {
        let submission = harness::submission(&document().to_string(), NOW);
        let outcome =
            DeXrechnung::submit(&Submission { forced_code: Some(code.to_owned()), ..submission }).unwrap();
        assert_eq!(outcome.accepted, accepted, "{code}");
        let (job, entry) = (String::new(), String::new());
        let report = ProviderResult {
            succeeded: accepted,
            faults: outcome.faults,
            stamps: outcome.stamps,
            job,
            entry,
        };
        let verdict = DeXrechnung::interpret(&report).unwrap();
        assert_eq!(matches!(verdict, Verdict::Accepted(_)), accepted, "{code}");
        assert_eq!(matches!(verdict, Verdict::Rejected(_)), !accepted, "{code}");
    }
}

#[test]
fn the_schema_of_the_settings_and_the_plugin_agree() {
    let taken = [
        json!({}),
        support::settings(),
        json!({"contact": {"surname": "Doe", "phone": "123", "email": "a@b.de"}}),
        json!({"inbox": {"scheme": "0204", "code": "x"}, "exemption_texts": {"export": "x"}}),
        json!({"syntax": "cii", "credit_terms": "x"}),
        json!({"syntax": "ubl"}),
    ];
    let refused = [
        json!({"strict": true}),
        json!({"contact": {"phone": "123"}}),
        json!({"contact": {"given": "J", "phone": "1"}}),
        json!({"contact": {"given": "J", "phone": "123", "email": "x"}}),
        json!({"inbox": {"scheme": "GLN", "code": "x"}}),
        json!({"buyer_reference": ""}),
        json!({"exemption_texts": {"other": "x"}}),
        json!({"payment": {"means": "card"}}),
        json!({"syntax": "CII"}),
        json!([]),
    ];
    assert_eq!(sound().agrees_on_settings::<DeXrechnung>(&taken, &refused), Ok(()));
}

#[test]
fn the_description_offers_what_documents_may_have() {
    let description = DeXrechnung::describe();
    assert_eq!((description.key.as_str(), description.kinds.len()), ("de-xrechnung", 2));
    assert_eq!((description.exemptions.len(), description.retentions.len()), (5, 0));
    assert_eq!(sound().takes_what_is_described::<DeXrechnung>(), Ok(()));
}
