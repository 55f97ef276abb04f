//! What is refused, by which code and where.

#![cfg(test)]

mod support;

use einvoice_eu::codes;
use einvoice_eu::harness::{self, SoundDocument};
use einvoice_gobl::harness::invoice;
use einvoice_plugin::{Authority, Country, Identity};
use it_sdi::{ItSdi, PREFIX, faults};
use serde_json::{Value, json};

fn sound() -> SoundDocument {
    let address = json!({"street": "Via X 1", "locality": "Roma", "postcode": "00100", "country": "IT"});
    let case = json!({
        "document": {
            "number": "F-1", "issue_date": "2026-11-20",
            "recipient": {"type": "company", "name": "Mela", "tax_number": "13029381004", "country": "IT",
                          "address": address},
            "lines": [{"description": "Camera", "quantity": "1", "unit_price": "100.00",
                       "tax": {"category": "VAT", "rate": "10.0"}}],
            "preceding": []
        },
        "context": {"settings": {}, "supplier": {"address": address}}
    });
    SoundDocument { case, usual: support::context(), prefix: PREFIX }
}

fn found(changes: &[(&str, Value)]) -> Vec<String> {
    sound().found::<ItSdi>(changes).unwrap()
}

#[test]
fn the_codes_of_this_plugin_are_its_own() {
    let pinned = [
        "FISCAL-CODE-01",
        "FISCAL-CODE-02",
        "NUMBER-DIGIT-01",
        "POSTCODE-01",
        "DESTINATION-01",
        "DESTINATION-02",
        "DESTINATION-03",
        "SAME-PARTY-01",
        "DESTINATION-04",
        "DESTINATION-05",
        "WITHHOLDING-01",
        "WITHHOLDING-02",
        "SIMPLIFIED-01",
        "SIMPLIFIED-02",
        "VAT-LIABILITY-01",
    ];
    assert_eq!(faults::ALL, pinned);
    assert!(faults::ALL.iter().all(|code| !codes::ALL.contains(code)));
}

#[test]
fn every_change_is_found_where_it_was_made() {
    let table: &[(&str, Value, &str)] = &[
        ("/document/currency", json!("CHF"), "CURRENCY-01 /currency"),
        ("/document/number", json!("FATTURA"), "NUMBER-DIGIT-01 /display_document_number"),
        ("/document/number", json!("F-20261120-0000000001"), "NUMBER-02 /display_document_number"),
        ("/document/document_type", json!("replacement_invoice"), "KIND-01 /document_type"),
        ("/document/ext", json!({"doc-type": "TD04"}), "DOC-TYPE-01 /ext/doc-type"),
        ("/document/ext", json!({"sdi-code": "abc"}), "DESTINATION-01 /ext/sdi-code"),
        ("/document/ext", json!({"sdi-pec": "pec"}), "DESTINATION-02 /ext/sdi-pec"),
        ("/document/ext", json!({"b2g": "yes"}), "DESTINATION-03 /ext/b2g"),
        ("/document/ext", json!({"colour": "red"}), "EXT-01 /ext/colour"),
        ("/document/recipient/ext", json!({"sdi-code": "abc"}), "DESTINATION-01 /recipient/ext/sdi-code"),
        ("/document/recipient/ext", json!({"it-sdi-pec": "pec"}), "DESTINATION-02 /recipient/ext/it-sdi-pec"),
        ("/document/recipient/ext", json!({"b2g": "yes"}), "DESTINATION-03 /recipient/ext/b2g"),
        ("/document/recipient/ext", json!({"colour": "red"}), "EXT-01 /recipient/ext/colour"),
        ("/document/recipient/ext", json!({"doc-type": "TD01"}), "EXT-01 /recipient/ext/doc-type"),
        ("/document/recipient/tax_number", json!("12345678903"), "SAME-PARTY-01 /recipient/tax_number"),
        ("/document/ext", json!({"it-sdi-code": "ABCDEF1", "sdi-code": "ABCDEF1"}), "EXT-02 /ext/sdi-code"),
        ("/document/lines/0/ext", json!({"it-sdi-exempt": "N2.1"}), "EXT-03 /lines/0/ext/it-sdi-exempt"),
        ("/document/issue_date", json!("2026-11-21"), "DATE-03 /issue_date"),
        ("/document/recipient", Value::Null, "RECIPIENT-01 /recipient"),
        ("/document/recipient/name", json!("Żółć"), "RECIPIENT-02 /recipient/name"),
        ("/document/recipient/name", json!("x".repeat(81)), "RECIPIENT-02 /recipient/name"),
        ("/document/recipient/address", Value::Null, "RECIPIENT-04 /recipient/address"),
        ("/document/recipient/address/street", Value::Null, "RECIPIENT-04 /recipient/address/street"),
        ("/document/recipient/address/street", json!("Łódzka 1"), "RECIPIENT-04 /recipient/address/street"),
        ("/document/recipient/address/locality", Value::Null, "RECIPIENT-04 /recipient/address/locality"),
        ("/document/recipient/address/country", Value::Null, "RECIPIENT-04 /recipient/address/country"),
        ("/document/recipient/address/postcode", json!("001000"), "POSTCODE-01 /recipient/address/postcode"),
        ("/document/recipient/address/postcode", Value::Null, "POSTCODE-01 /recipient/address/postcode"),
        ("/document/recipient/tax_number", json!("13029381005"), "IDENTITY-05 /recipient/tax_number"),
        ("/document/recipient/tax_number", Value::Null, "FISCAL-CODE-01 /recipient/tax_number"),
        ("/document/recipient/country", json!("XX"), "IDENTITY-04 /recipient/country"),
        ("/document/lines/0/description", json!("5 €"), "LINE-02 /lines/0/description"),
        ("/document/lines/0/tax/category", json!("IGIC"), "TAX-01 /lines/0/tax/category"),
        ("/document/lines/0/tax/rate", json!("0.00"), "TAX-03 /lines/0/tax/rate"),
        ("/document/lines/0/tax/rate", json!("7.5"), "TAX-04 /lines/0/tax/rate (warning)"),
        (
            "/document/lines/0/tax",
            json!({"category": "VAT", "exemption": "n8"}),
            "TAX-05 /lines/0/tax/exemption",
        ),
        (
            "/document/retentions",
            json!([{"category": "IRNR", "rate": "15"}]),
            "RETENTION-01 /retentions/0/category",
        ),
        (
            "/document/retentions",
            json!([{"category": "IRPEF", "rate": "101"}]),
            "RETENTION-03 /retentions/0/rate",
        ),
        ("/document/payment", json!({"due_date": "2026-12-20"}), "PAYMENT-01 /payment/due_date"),
        ("/document/payment", json!({"note": "\u{7}"}), "PAYMENT-02 /payment/note"),
        ("/context/settings/fiscal_regime", json!("RF03"), "SETTINGS-01 /settings"),
        ("/context/settings/retention_reason", json!("AA"), "SETTINGS-01 /settings"),
        ("/context/settings/registration", json!({"office": "Roma", "entry": "1"}), "SETTINGS-01 /settings"),
        ("/context/settings/payment", json!({"means": "credit-transfer"}), "SETTINGS-01 /settings"),
        ("/context/supplier/tax_id", json!("12345678904"), "SUPPLIER-02 /supplier/tax_id"),
        ("/context/supplier/address", json!(false), "SUPPLIER-06 /supplier/address"),
        ("/context/supplier/address/postcode", json!("I-100"), "POSTCODE-01 /supplier/address/postcode"),
    ];
    assert_eq!(sound().refuses::<ItSdi>(table), Ok(()));
    let twice = json!([{"category": "IRPEF", "rate": "20"}, {"category": "IRPEF", "rate": "4"}]);
    assert_eq!(found(&[("/document/retentions", twice)]), ["IT-SDI-RETENTION-02 /retentions/1/category"]);
}

#[test]
fn italians_need_a_fiscal_code_and_foreigners_a_country() {
    let person = |document: Value, country: Value| {
        let address = json!({"street": "X 1", "locality": "Y", "postcode": "00100", "country": country});
        let recipient =
            json!({"type": "individual", "name": "Jane", "identity_document": document, "address": address});
        found(&[("/document/recipient", recipient)])
    };
    let document = |kind: &str, number: &str, country: Value| json!({"type": kind, "number": number, "country": country});
    let none = Vec::<String>::new();
    assert_eq!(person(document("id_card", "RSSGNN60R30H501U", Value::Null), json!("IT")), none);
    assert_eq!(person(document("passport", "X1", json!("GB")), json!("IT")), none);
    assert_eq!(person(Value::Null, json!("GB")), none);
    assert_eq!(person(Value::Null, json!("IT")), ["IT-SDI-FISCAL-CODE-01 /recipient/identity_document"]);
    assert_eq!(
        person(document("id_card", "CA12345AB", json!("IT")), json!("IT")),
        ["IT-SDI-FISCAL-CODE-02 /recipient/identity_document/number"]
    );
}

#[test]
fn an_identity_is_mapped_in_sdis_terms() {
    let mapped = |recipient: Value| {
        ItSdi::map_identity(&einvoice_plugin::harness::recipient(&recipient).unwrap())
            .map_err(|faults| faults[0].code.clone())
    };
    let company = json!({"type": "company", "name": "Mela", "tax_number": "IT 13029381004"});
    assert!(
        matches!(mapped(company), Ok(Identity::TaxId(id)) if id.country == "IT" && id.code == "13029381004")
    );
    let person = json!({"type": "individual", "name": "Rossi",
                        "identity_document": {"type": "id_card", "number": "RSSGNN60R30H501U"}});
    assert!(matches!(mapped(person), Ok(Identity::Other(id)) if id.type_key == "it-fiscal-code"));
    let nobody = json!({"type": "individual", "name": "Jean", "address": {"country": "FR"}});
    assert_eq!(mapped(nobody), Err("IT-SDI-IDENTITY-01".to_owned()));
}

#[test]
fn a_simplified_invoice_has_a_limit_unless_the_supplier_pays_a_flat_rate() {
    let changes = [
        ("/document/document_type", json!("simplified_invoice")),
        ("/document/lines/0/unit_price", json!("363.70")),
    ];
    assert_eq!(found(&changes), ["IT-SDI-TOTALS-02 /totals/gross"]);
    let flat_rate = [("/context/settings/fiscal_regime", json!("RF19"))];
    assert_eq!(found(&[&changes[..], &flat_rate].concat()), Vec::<String>::new());
}

#[test]
fn what_fits_the_format_and_not_the_file_is_found_where_it_is() {
    let table: &[(&str, Value, &str)] = &[
        ("/document/ext", json!({"sdi-pec": "mèla@pec.it"}), "DESTINATION-02 /ext/sdi-pec"),
        ("/document/ext", json!({"b2g": "true"}), "DESTINATION-04 /ext/b2g (warning)"),
        ("/document/ext", json!({"b2g": "true", "sdi-code": "ABCDEF1"}), "DESTINATION-05 /ext/sdi-code"),
        ("/document/ext", json!({"vat-liability": "X"}), "VAT-LIABILITY-01 /ext/vat-liability"),
        ("/document/lines/0/ext", json!({"vat-liability": "X"}), "EXT-03 /lines/0/ext/vat-liability"),
        ("/document/notes", json!("5 €"), "NOTES-01 /notes"),
        ("/document/payment", json!({"note": "5 €"}), "PAYMENT-02 /payment/note"),
        ("/document/issue_date", json!("1969-12-31"), "DATE-02 /issue_date"),
        ("/document/lines/0/quantity", json!("0.123456789"), "FIGURE-01 /lines/0/quantity"),
        ("/document/lines/0/unit_price", json!("0.123456789"), "FIGURE-01 /lines/0/unit_price"),
        ("/document/lines/0/tax/rate", json!("0.22"), "TAX-03 /lines/0/tax/rate"),
        ("/document/lines/0/tax/rate", json!("22.555"), "TAX-03 /lines/0/tax/rate"),
        (
            "/document/retentions",
            json!([{"category": "IRPEF", "rate": "20.555"}]),
            "WITHHOLDING-02 /retentions/0/rate",
        ),
        (
            "/document/retentions",
            json!([{"category": "CP", "rate": "4"}]),
            "RETENTION-01 /retentions/0/category",
        ),
        (
            "/document/recipient/address/street",
            json!("x".repeat(61)),
            "RECIPIENT-04 /recipient/address/street",
        ),
        (
            "/context/supplier/address/locality",
            json!("x".repeat(61)),
            "SUPPLIER-06 /supplier/address/locality",
        ),
        ("/context/settings/registration", json!({"office": "RM", "entry": "é"}), "SETTINGS-01 /settings"),
    ];
    assert_eq!(sound().refuses::<ItSdi>(table), Ok(()));
}

#[test]
fn what_the_file_has_no_place_for_is_found_before_it_is_issued() {
    let simplified = ("/document/document_type", json!("simplified_invoice"));
    let retained = ("/document/retentions", json!([{"category": "IRPEF", "rate": "20"}]));
    let reason = ("/context/settings/retention_reason", json!("F"));
    let exempt = |key: &str| ("/document/lines/0/tax", json!({"category": "VAT", "exemption": key}));
    let administration = |ext: Value| ("/document/ext", ext);
    for (changes, faults) in [
        (vec![reason.clone()], vec![]),
        (vec![reason, retained.clone()], vec!["WITHHOLDING-01 /settings/retention_reason"]),
        (vec![simplified.clone(), retained], vec!["SIMPLIFIED-01 /retentions"]),
        (vec![simplified.clone(), exempt("n6_1")], vec!["SIMPLIFIED-02 /lines/0/tax/exemption"]),
        (vec![simplified.clone(), exempt("n7")], vec!["SIMPLIFIED-02 /lines/0/tax/exemption"]),
        (vec![simplified.clone(), exempt("n5")], vec![]),
        (vec![simplified.clone(), administration(json!({"b2g": "true"}))], vec!["DESTINATION-05 /ext/b2g"]),
        (
            vec![simplified, administration(json!({"sdi-code": "ABCDEF"}))],
            vec!["DESTINATION-05 /ext/sdi-code"],
        ),
        (vec![administration(json!({"b2g": "true", "sdi-code": "ABCDEF"}))], vec![]),
        (
            vec![
                ("/document/lines/0/quantity", json!("1000000000000")),
                ("/document/lines/0/unit_price", json!("0.01")),
            ],
            vec!["FIGURE-01 /lines/0/quantity"],
        ),
        (
            vec![
                ("/document/recipient/country", json!("US")),
                ("/document/recipient/tax_number", json!("1".repeat(29))),
            ],
            vec!["IDENTITY-02 /recipient/tax_number"],
        ),
    ] {
        let faults: Vec<_> = faults.into_iter().map(|fault| format!("IT-SDI-{fault}")).collect();
        assert_eq!(found(&changes), faults, "{changes:?}");
    }
}

fn document(changes: &[(&str, Value)]) -> Value {
    let mut document = sound().case["document"].clone();
    for (member, value) in changes {
        document[*member] = value.clone();
    }
    let body = ItSdi::convert(&invoice(&document).unwrap(), &support::context()).unwrap().body;
    serde_json::from_str(&body).unwrap()
}

#[test]
fn only_documents_for_others_need_another_recipient() {
    let own = ("/document/recipient/tax_number", json!("12345678903"));
    let internal = ("/document/ext", json!({"doc-type": "TD26"}));
    assert_eq!(found(&[own.clone(), internal]), Vec::<String>::new());
    assert_eq!(found(&[own]).len(), 1);
}

#[test]
fn sdi_and_the_check_go_by_the_day_in_italy() {
    for (now, day, taken) in [
        ("2026-11-20T22:59:59Z", "2026-11-21", false),
        ("2026-11-20T23:00:00Z", "2026-11-21", true),
        ("2026-11-21T12:00:00+14:00", "2026-11-21", false),
        ("2026-03-29T21:59:59Z", "2026-03-30", false),
        ("2026-03-29T22:00:00Z", "2026-03-30", true),
        ("2026-10-25T22:59:59Z", "2026-10-26", false),
    ] {
        let context =
            einvoice_plugin::Context { now: now.to_owned(), today: day.to_owned(), ..support::context() };
        let mut dated = sound().case["document"].clone();
        dated["issue_date"] = json!(day);
        let faults = ItSdi::check(&invoice(&dated).unwrap(), &context);
        let codes: Vec<_> = faults.into_iter().map(|fault| fault.code).collect();
        assert_eq!(codes, if taken { vec![] } else { vec!["IT-SDI-DATE-03"] }, "{now} {day}");
        let mut dated = document(&[]);
        dated["issue_date"] = json!(day);
        let outcome = ItSdi::submit(&harness::submission(&dated.to_string(), now)).unwrap();
        let codes: Vec<_> = outcome.faults.into_iter().filter_map(|fault| fault.code).collect();
        assert_eq!(codes, if taken { vec![] } else { vec!["00403"] }, "{now} {day}");
    }
}

#[test]
fn a_recipient_says_where_sdi_delivers_to_and_a_document_otherwise() {
    let sent = |of_recipient: Value, of_document: Value| {
        let mut recipient = sound().case["document"]["recipient"].clone();
        recipient["ext"] = of_recipient;
        let document = document(&[("recipient", recipient), ("ext", of_document)]);
        (document["customer"]["inboxes"].clone(), document["tax"]["ext"]["it-sdi-format"].clone())
    };
    let code = |code: &str| json!([{"key": "it-sdi-code", "code": code}]);
    assert_eq!(sent(json!({"it-sdi-code": "ABC1234"}), json!({})), (code("ABC1234"), json!("FPR12")));
    assert_eq!(sent(json!({"sdi-code": "ABC123"}), json!({})), (code("ABC123"), json!("FPA12")));
    let own = json!({"sdi-code": "XYZ7890"});
    assert_eq!(sent(json!({"sdi-code": "ABC1234"}), own), (code("XYZ7890"), json!("FPR12")));
    let pec = json!([{"key": "it-sdi-pec", "email": "mela@pec.it"}]);
    let entry = json!({"it-sdi-pec": "mela@pec.it", "b2g": "true"});
    assert_eq!(sent(entry, json!({})), (pec, json!("FPA12")));
}

#[test]
fn the_schema_of_the_settings_and_the_plugin_agree() {
    let taken = [
        json!({}),
        json!({"fiscal_regime": "RF19", "retention_reason": "L1"}),
        json!({"registration": {"office": "RM", "entry": "1", "capital": "10.50"}}),
        json!({"payment": {"means": "credit-transfer", "iban": "DE89370400440532013000"}}),
    ];
    let refused = [
        json!({"strict": true}),
        json!({"fiscal_regime": "RF03"}),
        json!({"retention_reason": "AA"}),
        json!({"registration": {"office": "Rm", "entry": "1"}}),
        json!({"registration": {"office": "RM"}}),
        json!({"registration": {"office": "RM", "entry": "1", "capital": "-1"}}),
        json!({"payment": {"means": "gold"}}),
        json!([]),
    ];
    assert_eq!(sound().agrees_on_settings::<ItSdi>(&taken, &refused), Ok(()));
}

#[test]
fn the_description_offers_what_documents_may_have() {
    let description = ItSdi::describe();
    assert_eq!((description.key.as_str(), description.kinds.len()), ("it-sdi", 4));
    assert_eq!((description.exemptions.len(), description.retentions.len()), (21, 5));
    assert_eq!(sound().takes_what_is_described::<ItSdi>(), Ok(()));
}
