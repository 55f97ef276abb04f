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
            "number": "F-1", "issue_date": "2026-11-20",
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
        ("/context/settings/payment", Value::Null, "PAYMENT-01 /settings/payment"),
        ("/context/settings/payment_terms", Value::Null, "PAYMENT-02 /payment"),
        ("/context/settings/buyer_reference", Value::Null, "BUYER-REFERENCE-01 /ext/buyer-reference"),
        ("/context/supplier/email", json!(""), "CONTACT-02 /supplier/email"),
        ("/context/supplier/tax_id", json!("111111126"), "SUPPLIER-02 /supplier/tax_id"),
        ("/context/supplier/address", json!(false), "SUPPLIER-06 /supplier/address"),
        ("/context/supplier/address/postcode", Value::Null, "SUPPLIER-06 /supplier/address/postcode"),
    ];
    assert_eq!(sound().refuses::<DeXrechnung>(table), Ok(()));
    assert_eq!(
        found(&[("/context/supplier/email", json!(""))]),
        ["DE-XRECHNUNG-CONTACT-02 /supplier/email", "DE-XRECHNUNG-INBOX-01 /settings/inbox"]
    );
}

#[test]
fn what_the_european_standard_wants_beside_exemptions_is_told() {
    let exempt = |key: &str| ("/document/lines/0/tax", json!({"category": "VAT", "exemption": key}));
    let unknown = ("/document/recipient/tax_number", Value::Null);
    let warnings = ["DE-XRECHNUNG-VAT-01 /recipient/tax_number (warning)"];
    assert_eq!(found(&[exempt("reverse_charge"), unknown.clone()]), warnings);
    assert_eq!(found(&[exempt("intra_community"), unknown.clone()]), warnings);
    assert_eq!(found(&[exempt("exempt"), unknown]), Vec::<String>::new());
    let other = json!({"description": "X", "quantity": "1", "unit_price": "1.00",
                       "tax": {"category": "VAT", "rate": "7"}});
    assert_eq!(
        found(&[exempt("outside_scope"), ("/document/lines/-", other)]),
        ["DE-XRECHNUNG-VAT-02 /lines (warning)"]
    );
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
fn the_platform_names_the_rule_a_document_breaks() {
    let broken = |pointer: &str, value: Value| {
        let mut document = document();
        let (parent, member) = pointer.rsplit_once('/').unwrap();
        document.pointer_mut(parent).unwrap()[member] = value;
        answer(&harness::submission(&document.to_string(), NOW))
    };
    for (pointer, value, rule) in [
        ("/tax/ext/untdid-document-type", json!("383"), "BR-DE-17"),
        ("/ordering", Value::Null, "BR-DE-15"),
        ("/supplier/addresses", json!([]), "BR-08"),
        ("/customer", Value::Null, "BR-10"),
        ("/lines", json!([]), "BR-16"),
        ("/supplier/tax_id/code", json!("1"), "BR-DE-16"),
        ("/type", json!("credit-note"), "BR-DE-26"),
        ("/supplier/addresses/0/locality", json!(" "), "BR-DE-3"),
        ("/supplier/addresses/0/code", json!(""), "BR-DE-4"),
        ("/customer/addresses/0/locality", json!(""), "BR-DE-8"),
        ("/customer/addresses/0/code", json!(""), "BR-DE-9"),
        ("/supplier/people", json!([]), "BR-DE-5"),
        ("/supplier/telephones", json!([]), "BR-DE-6"),
        ("/supplier/emails", json!([]), "BR-DE-7"),
        ("/supplier/inboxes", json!([]), "PEPPOL-EN16931-R020"),
        ("/customer/inboxes", json!([]), "PEPPOL-EN16931-R010"),
        ("/payment/instructions", Value::Null, "BR-DE-1"),
        ("/payment/terms", Value::Null, "BR-CO-25"),
    ] {
        assert_eq!(broken(pointer, value), (false, vec![rule.to_owned()], 0), "{pointer}");
    }
    let row =
        |category: &str| json!({"base": "1.00", "amount": "0.00", "ext": {"untdid-tax-category": category}});
    let rows = "/totals/taxes/categories/0/rates";
    assert_eq!(broken(rows, json!([row("S"), row("O")])).1, ["BR-O-11"]);
    assert_eq!(broken(rows, json!([row("O"), row("O")])).1, Vec::<String>::new());
    for (category, rule) in [("AE", "BR-AE-02"), ("K", "BR-IC-02")] {
        assert_eq!(broken(rows, json!([row(category)])).1, Vec::<String>::new(), "{category}");
        let mut document = document();
        document["totals"]["taxes"]["categories"][0]["rates"] = json!([row(category)]);
        document["customer"]["tax_id"] = json!({"country": "FR"});
        assert_eq!(answer(&harness::submission(&document.to_string(), NOW)).1, [rule]);
    }
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
