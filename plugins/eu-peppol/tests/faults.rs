//! What is refused, by which code and where; and what the sandbox's access point answers.

#![cfg(test)]

mod support;

use einvoice_eu::codes;
use einvoice_eu::harness::{self, SoundDocument};
use einvoice_gobl::harness::invoice;
use einvoice_plugin::{Amount, Authority, Country, ProviderResult, Submission, Verdict};
use eu_peppol::{EuPeppol, PREFIX, faults};
use serde_json::{Value, json};

/// A sound document between two countries.
fn between(supplier: &str, recipient: &str) -> SoundDocument {
    let usual = support::context_of(supplier);
    let address =
        json!({"street": "Main street 16", "locality": "Capital", "postcode": "1000", "country": supplier});
    let settings: Value = serde_json::from_str(&usual.settings).unwrap();
    let rate = if supplier == "SE" { "12" } else { "21.0" };
    let case = json!({
        "document": {
            "number": "F-1", "issue_date": "2026-11-20", "operation_date": "2026-11-18",
            "recipient": support::recipient(recipient),
            "lines": [{"description": "Night", "quantity": "1", "unit_price": "100.00",
                       "tax": {"category": "VAT", "rate": rate}}],
            "preceding": []
        },
        "context": {"settings": settings, "supplier": {"address": address}}
    });
    SoundDocument { case, usual, prefix: PREFIX }
}

fn sound() -> SoundDocument {
    between("BE", "AT")
}

fn found(document: &SoundDocument, changes: &[(&str, Value)]) -> Vec<String> {
    document.found::<EuPeppol>(changes).unwrap()
}

#[test]
fn the_codes_of_this_plugin_are_its_own() {
    let pinned = "ADDRESS-01 INBOX-01 INBOX-02 SCHEME-01 SCHEME-02 SCHEME-03 REFERENCE-01 REFERENCE-02 VAT-01 VAT-02 VAT-03 \
                  DELIVERY-01 TYPE-01 GREECE-01 GERMANY-01 GERMANY-02 GERMANY-03 DENMARK-01 DENMARK-02 DENMARK-03 ICELAND-01 ICELAND-02 \
                  ITALY-01 NETHERLANDS-01 NETHERLANDS-02 NORWAY-01 SWEDEN-01 SWEDEN-02";
    assert_eq!(faults::ALL.join(" "), pinned);
    assert!(faults::ALL.iter().all(|code| !codes::ALL.contains(code)));
}

#[test]
fn every_change_of_the_document_is_found_where_it_was_made() {
    let exempt = |key: &str| json!({"category": "VAT", "exemption": key});
    let table: &[(&str, Value, &str)] = &[
        ("/document/currency", json!("EURO"), "CURRENCY-01 /currency"),
        ("/document/currency", json!("BGN"), "CURRENCY-01 /currency"),
        ("/document/currency", json!("CHF"), "CURRENCY-02 /currency (warning)"),
        ("/document/document_type", json!("simplified_invoice"), "KIND-01 /document_type"),
        ("/document/document_type", json!("credit_note"), "PRECEDING-01 /referenced_document_ids (warning)"),
        ("/document/ext", json!({"doc-type": "384"}), "DOC-TYPE-01 /ext/doc-type"),
        ("/document/ext", json!({"colour": "red"}), "EXT-01 /ext/colour"),
        ("/document/lines/0/ext", json!({"tax-category": "E"}), "EXT-03 /lines/0/ext/tax-category"),
        ("/document/ext", json!({"inbox": "204:1"}), "INBOX-02 /ext/inbox"),
        ("/document/ext", json!({"inbox": "a@b.eu"}), "INBOX-02 /ext/inbox"),
        ("/document/ext", json!({"inbox": "0037:1"}), "INBOX-02 /ext/inbox"),
        ("/document/ext", json!({"inbox": "0088:7300010000002"}), "SCHEME-01 /ext/inbox"),
        ("/document/ext", json!({"inbox": "0106:1"}), "SCHEME-02 /ext/inbox (warning)"),
        ("/document/ext", json!({"legal-id": "9930:1"}), "SCHEME-03 /ext/legal-id"),
        ("/document/ext", json!({"legal-id": "0007:1"}), "SCHEME-01 /ext/legal-id"),
        ("/document/recipient/ext", json!({"legal-id": "0007"}), "SCHEME-03 /recipient/ext/legal-id"),
        ("/document/recipient/ext", json!({"inbox": "204:1"}), "INBOX-02 /recipient/ext/inbox"),
        ("/document/recipient/ext", json!({"order-reference": "1"}), "EXT-01 /recipient/ext/order-reference"),
        ("/document/recipient/ext", json!({"colour": "red"}), "EXT-01 /recipient/ext/colour"),
        ("/document/ext", json!({"vatex": "VATEX-EU-AE"}), "VAT-03 /ext/vatex"),
        ("/document/ext", json!({"vatex": "VATEX-EU-132-1I"}), "VAT-03 /ext/vatex"),
        ("/document/ext", json!({"buyer-reference": "x".repeat(65)}), "REFERENCE-02 /ext/buyer-reference"),
        ("/document/ext", json!({"order-reference": "a\u{7}"}), "REFERENCE-02 /ext/order-reference"),
        ("/document/issue_date", json!("2026-11-21"), "DATE-03 /issue_date (warning)"),
        ("/document/recipient", Value::Null, "RECIPIENT-01 /recipient"),
        ("/document/recipient/tax_number", Value::Null, "INBOX-02 /recipient/ext/inbox"),
        ("/document/recipient/tax_number", json!("U10223007"), "IDENTITY-05 /recipient/tax_number"),
        ("/document/recipient/country", json!("XX"), "IDENTITY-04 /recipient/country"),
        ("/document/recipient/address", Value::Null, "RECIPIENT-04 /recipient/address"),
        ("/document/recipient/address/country", Value::Null, "RECIPIENT-04 /recipient/address/country"),
        ("/document/lines/0/tax/rate", json!("7"), "TAX-04 /lines/0/tax/rate (warning)"),
        ("/document/lines/0/tax/rate", json!("-7"), "TAX-03 /lines/0/tax/rate"),
        ("/document/lines/0/tax/surcharge", json!("5.2"), "TAX-06 /lines/0/tax/surcharge"),
        ("/document/lines/0/tax", exempt("n4"), "TAX-05 /lines/0/tax/exemption"),
        ("/document/lines/0/outlay", json!(true), "LINE-03 /lines/0/outlay"),
        (
            "/document/retentions",
            json!([{"category": "IRPF", "rate": "15"}]),
            "RETENTION-01 /retentions/0/category",
        ),
    ];
    assert_eq!(sound().refuses::<EuPeppol>(table), Ok(()));
}

#[test]
fn every_change_of_the_workspace_is_found_where_it_was_made() {
    let settings = "SETTINGS-01 /settings";
    let table: &[(&str, Value, &str)] = &[
        ("/context/settings/contact", json!({"phone": "+49 1"}), settings),
        ("/context/settings/inbox", json!({"scheme": "GLN", "code": "1"}), settings),
        ("/context/settings/inbox", json!({"scheme": "0088", "code": "7300010000002"}), settings),
        ("/context/settings/legal_id", json!({"scheme": "9930", "code": "1"}), settings),
        ("/context/settings/exemption_code", json!("VATEX-EU-AE"), settings),
        ("/context/settings/payment", json!({"means": "card"}), settings),
        ("/context/settings/payment_terms", json!(" "), settings),
        (
            "/context/settings/inbox",
            json!({"scheme": "0106", "code": "1"}),
            "SCHEME-02 /settings/inbox (warning)",
        ),
        ("/context/settings/payment_terms", Value::Null, "PAYMENT-02 /payment"),
        ("/context/settings/buyer_reference", Value::Null, "REFERENCE-01 /ext/buyer-reference"),
        (
            "/context/settings/buyer_reference",
            json!("x".repeat(65)),
            "REFERENCE-02 /settings/buyer_reference",
        ),
        ("/context/supplier/tax_id", json!("0403019262"), "SUPPLIER-02 /supplier/tax_id"),
        ("/context/supplier/country", json!("AU"), "SUPPLIER-03 /supplier/country"),
        ("/context/supplier/country", json!("XX"), "SUPPLIER-03 /supplier/country"),
        ("/context/supplier/address", json!(false), "SUPPLIER-06 /supplier/address"),
        ("/context/supplier/address/country", json!("NL"), "ADDRESS-01 /supplier/address/country"),
    ];
    assert_eq!(sound().refuses::<EuPeppol>(table), Ok(()));
}

#[test]
fn what_the_european_standard_wants_beside_exemptions_is_demanded() {
    let exempt = |key: &str| ("/document/lines/0/tax", json!({"category": "VAT", "exemption": key}));
    let unknown = ("/document/recipient/tax_number", Value::Null);
    let inbox = ("/document/recipient/ext", json!({"inbox": "0088:7300010000001"}));
    let undated = ("/document/operation_date", Value::Null);
    let number = ["EU-PEPPOL-VAT-01 /recipient/tax_number"];
    let sound = sound();
    for key in ["reverse_charge", "intra_community"] {
        assert_eq!(found(&sound, &[exempt(key), unknown.clone(), inbox.clone()]), number, "{key}");
    }
    assert_eq!(found(&sound, &[exempt("exempt"), unknown, inbox]), Vec::<String>::new());
    let other = json!({"description": "X", "quantity": "1", "unit_price": "1.00",
                       "tax": {"category": "VAT", "rate": "12"}});
    assert_eq!(
        found(&sound, &[exempt("outside_scope"), ("/document/lines/-", other)]),
        ["EU-PEPPOL-VAT-02 /lines"]
    );
    let late = [exempt("intra_community"), undated.clone()];
    assert_eq!(found(&sound, &late), ["EU-PEPPOL-DELIVERY-01 /operation_date"]);
    let stay = ("/document/lines/0/period", json!({"start": "2026-11-17", "end": "2026-11-19"}));
    assert_eq!(found(&sound, &[exempt("intra_community"), undated, stay]), Vec::<String>::new());
}

#[test]
fn amounts_of_three_decimals_are_refused() {
    let mut dinars = invoice(&sound().case["document"]).unwrap();
    dinars.currency = "KWD".to_owned();
    dinars.totals.payable = Amount::new(107_000, 3);
    let faults = EuPeppol::check(&dinars, &support::context_of("BE"));
    assert!(faults.iter().any(|fault| fault.is_error() && fault.code == "EU-PEPPOL-CURRENCY-01"));
}

#[test]
fn a_country_declares_its_tax_in_its_own_currency() {
    for (country, currency) in [("DK", "DKK"), ("SE", "SEK"), ("NO", "NOK"), ("IS", "ISK")] {
        let warnings = |currency: &str| {
            let found = found(&between(country, "AT"), &[("/document/currency", json!(currency))]);
            found.into_iter().filter(|fault| fault.contains("CURRENCY")).count()
        };
        assert_eq!((warnings(currency), warnings("EUR")), (0, 1), "{country}");
    }
}

#[test]
fn a_percent_is_unusual_only_where_the_rates_of_the_country_are_known() {
    let estonian = [
        ("/document/lines/0/tax/rate", json!("17.3")),
        ("/context/supplier/country", json!("EE")),
        ("/context/supplier/tax_id", json!("EE100931558")),
        ("/context/supplier/address/country", json!("EE")),
    ];
    assert_eq!(found(&sound(), &estonian), Vec::<String>::new());
    let belgian = found(&sound(), &estonian[..1]);
    assert_eq!(belgian, ["EU-PEPPOL-TAX-04 /lines/0/tax/rate (warning)"]);
}

/// Between two countries each change alone is found first, and nothing without a change.
fn refused_between(supplier: &str, recipient: &str, table: &[(&str, Value, &str)]) {
    assert_eq!(between(supplier, recipient).refuses::<EuPeppol>(table), Ok(()), "{supplier} {recipient}");
}

#[test]
fn what_trade_within_germany_wants_is_demanded() {
    // 21 % is unusual there, and nobody minds it here.
    let rate = ("/document/lines/0/tax/rate", json!("19"));
    let document = between("DE", "DE");
    let errors = |change: (&str, Value)| found(&document, &[rate.clone(), change]);
    for (pointer, value, expected) in [
        ("/context/settings/contact", Value::Null, "GERMANY-01 /settings/contact"),
        ("/context/supplier/email", json!(""), "GERMANY-01 /settings/contact"),
        ("/context/settings/payment", Value::Null, "PAYMENT-01 /settings/payment"),
        ("/document/ext", json!({"doc-type": "386"}), "TYPE-01 /document_type (warning)"),
        ("/context/settings/payment_terms", json!("#2 percent"), "GERMANY-03 /settings/payment_terms"),
        ("/document/payment", json!({"note": "#2 percent"}), "GERMANY-03 /payment/note"),
        ("/document/recipient/address/locality", Value::Null, "RECIPIENT-04 /recipient/address/locality"),
        ("/context/supplier/address/postcode", Value::Null, "SUPPLIER-06 /supplier/address/postcode"),
    ] {
        assert_eq!(errors((pointer, value)), [format!("EU-PEPPOL-{expected}")], "{pointer}");
    }
    let order = ("/document/ext", json!({"order-reference": "PO-7"}));
    let unnamed = ("/context/settings/buyer_reference", Value::Null);
    assert_eq!(
        found(&document, &[rate.clone(), order.clone(), unnamed.clone()]),
        ["EU-PEPPOL-GERMANY-02 /ext/buyer-reference"]
    );
    assert_eq!(found(&sound(), &[order, unnamed]), Vec::<String>::new());
    assert_eq!(found(&between("DE", "AT"), &[rate, ("/context/settings/contact", Value::Null)]), [""; 0]);
}

#[test]
fn what_trade_within_denmark_wants_is_demanded() {
    let payment = |means: &str| json!({"means": means, "iban": "BE68539007547034"});
    let gln = json!({"scheme": "0088", "code": "7300010000001"});
    let danish = between("DK", "DK");
    let rate = ("/document/lines/0/tax/rate", json!("25"));
    let currency = ("/document/currency", json!("DKK"));
    for (pointer, value, expected) in [
        (
            "/context/settings/payment",
            payment("credit-transfer"),
            vec!["EU-PEPPOL-DENMARK-01 /settings/payment/means"],
        ),
        ("/context/settings/legal_id", gln, vec!["EU-PEPPOL-DENMARK-03 /settings/legal_id"]),
        (
            "/document/recipient/ext",
            json!({"legal-id": "0088:7300010000001"}),
            vec!["EU-PEPPOL-DENMARK-03 /recipient/ext/legal-id"],
        ),
        ("/document/recipient/ext", json!({}), vec![]),
    ] {
        assert_eq!(
            found(&danish, &[rate.clone(), currency.clone(), (pointer, value)]),
            expected,
            "{pointer}"
        );
    }
    let preceding = json!([{"uuid": "01930c5c-f1f0-7000-8000-000000000009", "number": "F-0",
                            "issue_date": "2026-11-01", "lines": []}]);
    let negative = [
        rate,
        currency,
        ("/document/document_type", json!("credit_note")),
        ("/document/preceding", preceding),
        ("/document/lines/0/unit_price", json!("-1.00")),
    ];
    assert_eq!(found(&danish, &negative), ["EU-PEPPOL-DENMARK-02 /lines"]);
}

#[test]
fn what_iceland_sweden_and_norway_want_is_demanded() {
    let gln = json!({"scheme": "0088", "code": "7300010000001"});
    let crowns = ("/document/currency", json!("ISK"));
    let icelandic = between("IS", "IS");
    for (pointer, value, expected) in [
        ("/context/settings/legal_id", gln.clone(), "ICELAND-01 /settings/legal_id"),
        ("/document/ext", json!({"doc-type": "386"}), "TYPE-01 /document_type (warning)"),
        ("/context/settings/legal_id", Value::Null, "ICELAND-01 /settings/legal_id"),
        (
            "/document/recipient/ext",
            json!({"inbox": "0088:7300010000001"}),
            "ICELAND-02 /recipient/ext/legal-id",
        ),
        ("/context/settings/inbox", Value::Null, "INBOX-01 /settings/inbox"),
        ("/context/supplier/address/street", Value::Null, "SUPPLIER-06 /supplier/address/street"),
        ("/document/recipient/address/postcode", Value::Null, "RECIPIENT-04 /recipient/address/postcode"),
    ] {
        assert_eq!(
            found(&icelandic, &[crowns.clone(), (pointer, value)]),
            [format!("EU-PEPPOL-{expected}")],
            "{pointer}"
        );
    }
    let swedish = between("SE", "BE");
    let crowns = ("/document/currency", json!("SEK"));
    for (pointer, value, expected) in [
        ("/context/settings/legal_id", gln, "SWEDEN-02 /settings/legal_id"),
        ("/context/settings/tax_registration", json!("F-skatt"), "SWEDEN-01 /settings/tax_registration"),
        ("/document/lines/0/tax/rate", json!("7"), "TAX-03 /lines/0/tax/rate"),
    ] {
        assert_eq!(
            found(&swedish, &[crowns.clone(), (pointer, value)]),
            [format!("EU-PEPPOL-{expected}")],
            "{pointer}"
        );
    }
    let silent = ("/context/settings/tax_registration", Value::Null);
    let twelve = ("/document/lines/0/tax/rate", json!("12"));
    assert_eq!(
        found(&between("NO", "BE"), &[("/document/currency", json!("NOK")), twelve, silent]),
        ["EU-PEPPOL-NORWAY-01 /settings/tax_registration (warning)"]
    );
}

#[test]
fn what_italy_and_the_netherlands_want_is_demanded_and_greece_is_refused() {
    let gln = json!({"scheme": "0088", "code": "7300010000001"});
    let twenty_two = ("/document/lines/0/tax/rate", json!("22"));
    let italian = between("IT", "BE");
    for (pointer, value, expected) in [
        ("/context/settings/tax_registration", json!("x"), "ITALY-01 /settings/tax_registration"),
        ("/context/supplier/address/street", Value::Null, "SUPPLIER-06 /supplier/address/street"),
    ] {
        assert_eq!(
            found(&italian, &[twenty_two.clone(), (pointer, value)]),
            [format!("EU-PEPPOL-{expected}")],
            "{pointer}"
        );
    }
    refused_between(
        "NL",
        "NL",
        &[
            ("/context/settings/legal_id", gln, "NETHERLANDS-01 /settings/legal_id"),
            (
                "/document/recipient/ext",
                json!({"legal-id": "0088:7300010000001"}),
                "NETHERLANDS-01 /recipient/ext/legal-id",
            ),
            ("/context/settings/payment", Value::Null, "PAYMENT-01 /settings/payment"),
            ("/context/settings/payment", json!({"means": "cash"}), "NETHERLANDS-02 /settings/payment/means"),
            ("/document/document_type", json!("credit_note"), "PRECEDING-01 /referenced_document_ids"),
            ("/document/recipient/address/street", Value::Null, "RECIPIENT-04 /recipient/address/street"),
        ],
    );
    let greek = [
        ("/context/supplier/country", json!("EL")),
        ("/context/supplier/tax_id", json!("094259216")),
        ("/context/supplier/address/country", json!("GR")),
    ];
    assert_eq!(found(&sound(), &greek), ["EU-PEPPOL-GREECE-01 /supplier/country"]);
}

fn document() -> Value {
    let invoice = invoice(&sound().case["document"]).unwrap();
    serde_json::from_str(&EuPeppol::convert(&invoice, &support::context_of("BE")).unwrap().body).unwrap()
}

#[test]
fn a_recipient_says_how_it_is_referred_to_and_reached_and_a_document_otherwise() {
    let sent = |of_recipient: Value, of_document: Value| {
        let mut document = sound().case["document"].clone();
        document["recipient"]["ext"] = of_recipient;
        document["ext"] = of_document;
        let converted = EuPeppol::convert(&invoice(&document).unwrap(), &support::context_of("BE")).unwrap();
        let made: Value = serde_json::from_str(&converted.body).unwrap();
        (made["ordering"]["code"].clone(), made["customer"]["inboxes"][0]["scheme"].clone())
    };
    let entry = json!({"buyer-reference": "B-7", "inbox": "0088:7300010000001"});
    assert_eq!(sent(entry.clone(), json!({})), (json!("B-7"), json!("0088")));
    assert_eq!(sent(entry, json!({"buyer-reference": "PO-7"})), (json!("PO-7"), json!("0088")));
    assert_eq!(sent(json!({}), json!({})), (json!("12345"), json!("9914")));
}

const NOW: &str = "2026-11-20T09:30:00+01:00";

fn answer(submission: &Submission) -> (bool, Vec<String>, usize) {
    let outcome = EuPeppol::submit(submission).unwrap();
    let codes = outcome.faults.into_iter().filter_map(|fault| fault.code).collect();
    (outcome.accepted, codes, outcome.stamps.len())
}

#[test]
fn a_second_document_under_a_number_is_refused_and_the_same_one_is_not() {
    let first = harness::submission(&document().to_string(), NOW);
    assert_eq!(answer(&first), (true, vec![], 1));
    let registered = EuPeppol::submit(&first).unwrap().record;
    assert_eq!(answer(&Submission { registered: registered.clone(), ..first }), (true, vec![], 1));
    let mut other = document();
    other["currency"] = json!("CHF");
    let other = Submission { registered, ..harness::submission(&other.to_string(), NOW) };
    assert_eq!(answer(&other), (false, vec!["DUPLICATE".to_owned()], 0));
}

#[test]
fn every_answer_of_access_points_and_recipients_is_a_remark_or_a_rejection() {
    let remarks = ["AB", "IP", "UQ", "CA", "AP", "PD", "BW"];
    let rejections = [
        "RE",
        "SV",
        "BV",
        "FD",
        "SMP-PARTICIPANT",
        "SMP-DOCUMENT-TYPE",
        "DUPLICATE",
        "PEPPOL-EN16931-R003",
        "BR-CO-15",
        "X-1",
    ];
    let all = remarks.map(|code| (code, true)).into_iter().chain(rejections.map(|code| (code, false)));
    for (code, accepted) in all {
        let submission = harness::submission(&document().to_string(), NOW);
        let outcome =
            EuPeppol::submit(&Submission { forced_code: Some(code.to_owned()), ..submission }).unwrap();
        assert_eq!(outcome.accepted, accepted, "{code}");
        assert!(outcome.payload.is_some_and(|xml| xml.contains("<Invoice ")), "{code}");
        let (job, entry) = (String::new(), String::new());
        let report = ProviderResult {
            succeeded: accepted,
            faults: outcome.faults,
            stamps: outcome.stamps,
            job,
            entry,
        };
        match EuPeppol::interpret(&report).unwrap() {
            Verdict::Accepted(acceptance) => {
                assert!(accepted, "{code}");
                assert_eq!(acceptance.warnings[0].code, code);
                assert!(acceptance.tax_system_hash.is_some_and(|id| id.len() == 36), "{code}");
            }
            Verdict::Rejected(rejection) => {
                assert!(!accepted, "{code}");
                assert!(rejection.reason.contains(code) && rejection.code.as_deref() == Some(code), "{code}");
            }
            Verdict::Undecided(why) => panic!("{code}: {why}"),
        }
    }
}

#[test]
fn the_schema_of_the_settings_and_the_plugin_agree() {
    let taken = [
        json!({}),
        support::settings(),
        json!({"contact": {"surname": "Doe", "phone": "123", "email": "a@b.de"}}),
        json!({"inbox": {"scheme": "0204", "code": "x"}, "exemption_texts": {"export": "x"}}),
        json!({"legal_id": {"scheme": "0106", "code": "12345678"}, "tax_registration": "x"}),
        json!({"exemption_code": "VATEX-EU-132-1I", "credit_terms": "x"}),
    ];
    let refused = [
        json!({"strict": true}),
        json!({"contact": {"phone": "123"}}),
        json!({"contact": {"given": "J", "phone": "1"}}),
        json!({"contact": {"given": "J", "phone": "123", "email": "x"}}),
        json!({"inbox": {"scheme": "GLN", "code": "x"}}),
        json!({"legal_id": {"scheme": "0106", "code": ""}}),
        json!({"buyer_reference": ""}),
        json!({"exemption_texts": {"other": "x"}}),
        json!({"payment": {"means": "card"}}),
        json!([]),
    ];
    assert_eq!(sound().agrees_on_settings::<EuPeppol>(&taken, &refused), Ok(()));
}

#[test]
fn the_description_offers_what_documents_may_have() {
    let description = EuPeppol::describe();
    assert_eq!((description.key.as_str(), description.kinds.len()), ("eu-peppol", 3));
    assert_eq!((description.exemptions.len(), description.retentions.len()), (5, 0));
    assert!(description.categories[0].rates.is_empty(), "any percent");
    assert_eq!(sound().takes_what_is_described::<EuPeppol>(), Ok(()));
}
