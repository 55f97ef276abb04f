//! What is refused, by which code and where; and what the sandbox's KSeF answers.

#![cfg(test)]

mod support;

use einvoice_eu::codes;
use einvoice_eu::harness::{self, SoundDocument};
use einvoice_gobl::harness::invoice;
use einvoice_plugin::{Authority, Country, Submission, Verdict};
use pl_favat::{PREFIX, PlFavat, faults};
use serde_json::{Value, json};

fn sound() -> SoundDocument {
    let case = json!({
        "document": {
            "number": "F-1", "issue_date": "2026-11-20", "currency": "PLN",
            "recipient": {"type": "company", "name": "Klient", "tax_number": "9876543210", "country": "PL"},
            "lines": [{"description": "Nocleg", "quantity": "1", "unit_price": "100.00",
                       "tax": {"category": "VAT", "rate": "8.0"}}],
            "preceding": []
        },
        "context": {"settings": {}, "supplier": {"address": {"street": "ul. Główna 1", "country": "PL"}}}
    });
    SoundDocument { case, usual: support::context(), prefix: PREFIX }
}

fn found(changes: &[(&str, Value)]) -> Vec<String> {
    sound().found::<PlFavat>(changes).unwrap()
}

#[test]
fn the_codes_of_this_plugin_are_its_own() {
    let pinned = "NIP-01 EFFECTIVE-DATE-01 MEMBERSHIP-01 MEMBERSHIP-02 DAY-01 KSEF-NUMBER-01 REASON-01 ADDRESS-01 LINES-01 \
                  DECIMALS-01 CHARACTER-01 SIZE-01";
    assert_eq!(faults::ALL.join(" "), pinned);
    assert!(faults::ALL.iter().all(|code| !codes::ALL.contains(code)));
}

#[test]
#[expect(clippy::too_many_lines, reason = "one row for each fault")]
fn every_change_is_found_where_it_was_made() {
    let table: &[(&str, Value, &str)] = &[
        ("/document/uuid", json!("x"), "UUID-01 /uuid"),
        ("/document/currency", json!("EUR"), "CURRENCY-01 /currency"),
        ("/document/number", json!("F\u{142}"), "NUMBER-03 /display_document_number"),
        ("/document/number", json!("F".repeat(65)), "NUMBER-02 /display_document_number"),
        ("/document/number", json!(" "), "NUMBER-01 /display_document_number"),
        ("/document/document_type", json!("replacement_invoice"), "KIND-01 /document_type"),
        ("/document/ext", json!({"doc-type": "KOR"}), "DOC-TYPE-01 /ext/doc-type"),
        ("/document/ext", json!({"effective-date": "1"}), "EFFECTIVE-DATE-01 /ext/effective-date"),
        ("/document/ext", json!({"colour": "red"}), "EXT-01 /ext/colour"),
        ("/document/recipient/ext", json!({"colour": "red"}), "EXT-01 /recipient/ext/colour"),
        ("/document/recipient/ext", json!({"doc-type": "VAT"}), "EXT-01 /recipient/ext/doc-type"),
        ("/document/ext", json!({"jst": "1"}), "EXT-01 /ext/jst"),
        ("/document/recipient/ext", json!({"jst": "yes"}), "MEMBERSHIP-01 /recipient/ext/jst"),
        ("/document/recipient/ext", json!({"jst": "1"}), "MEMBERSHIP-01 /recipient/ext/jst"),
        (
            "/document/recipient/ext",
            json!({"jst": "1", "jst-code": " "}),
            "MEMBERSHIP-01 /recipient/ext/jst-code",
        ),
        (
            "/document/recipient/ext",
            json!({"pl-favat-group-vat": "2", "group-vat-code": "1"}),
            "MEMBERSHIP-01 /recipient/ext/group-vat-code",
        ),
        ("/document/recipient/ext", json!({"jst-code": "1"}), "MEMBERSHIP-01 /recipient/ext/jst-code"),
        (
            "/document/recipient/ext",
            json!({"jst": "1", "jst-code": "146501"}),
            "MEMBERSHIP-02 /recipient/ext/jst-code (warning)",
        ),
        (
            "/document/recipient/ext",
            json!({"jst": "1", "jst-code": "1".repeat(51)}),
            "MEMBERSHIP-02 /recipient/ext/jst-code",
        ),
        ("/document/lines/0/ext", json!({"tax-category": "7"}), "EXT-03 /lines/0/ext/tax-category"),
        ("/document/issue_date", json!("2026-02-30"), "DATE-01 /issue_date"),
        ("/document/issue_date", json!("2005-12-31"), "DATE-02 /issue_date"),
        ("/document/issue_date", json!("2026-11-21"), "DATE-03 /issue_date"),
        ("/document/operation_date", json!("gestern"), "DATE-04 /operation_date"),
        ("/document/operation_date", json!("2050-02-01"), "DAY-01 /operation_date"),
        ("/document/payment", json!({"due_date": "morgen"}), "DATE-05 /payment/due_date"),
        ("/document/payment", json!({"due_date": "2016-06-30"}), "DAY-01 /payment/due_date"),
        ("/document/payment", json!({"note": "\u{fdd0}"}), "CHARACTER-01 /payment/note"),
        (
            "/document/lines/0/period",
            json!({"start": "2026-11-20", "end": "2026-11-19"}),
            "DATE-06 /lines/0/period",
        ),
        (
            "/document/lines/0/period",
            json!({"start": "2026-11-20", "end": "2051-01-01"}),
            "DAY-01 /lines/0/period",
        ),
        ("/document/notes", json!("\u{0}"), "NOTES-01 /notes"),
        ("/document/notes", json!("\u{1fffe}"), "CHARACTER-01 /notes"),
        ("/document/recipient", Value::Null, "RECIPIENT-01 /recipient"),
        ("/document/recipient/name", json!(" "), "RECIPIENT-02 /recipient/name"),
        ("/document/recipient/name", json!("Klient\u{fdef}"), "CHARACTER-01 /recipient/name"),
        ("/document/recipient/email", json!("klient"), "RECIPIENT-03 /recipient/email"),
        (
            "/document/recipient/email",
            json!(format!("{}@x.pl", "k".repeat(251))),
            "RECIPIENT-03 /recipient/email",
        ),
        (
            "/document/recipient/address",
            json!({"locality": "x".repeat(300), "region": "x".repeat(300), "country": "PL"}),
            "ADDRESS-01 /recipient/address",
        ),
        ("/document/recipient/address", json!({"country": "XX"}), "RECIPIENT-04 /recipient/address/country"),
        ("/document/recipient/tax_number", json!("9876543211"), "IDENTITY-05 /recipient/tax_number"),
        ("/document/recipient/tax_number", Value::Null, "NIP-01 /recipient/tax_number"),
        ("/document/recipient/country", json!("XX"), "IDENTITY-04 /recipient/country"),
        ("/document/lines/0/quantity", json!("0.1234567"), "DECIMALS-01 /lines/0/quantity"),
        ("/document/lines/0/unit_price", json!("0.123456789"), "DECIMALS-01 /lines/0/unit_price"),
        ("/document/lines/0/description", json!("Nocleg\u{ffff}"), "CHARACTER-01 /lines/0/description"),
        ("/document/lines/0/description", json!(""), "LINE-02 /lines/0/description"),
        ("/document/lines/0/outlay", json!(true), "LINE-03 /lines/0/outlay"),
        ("/document/lines/0/tax/category", json!("IGIC"), "TAX-01 /lines/0/tax/category"),
        ("/document/lines/0/tax/rate", Value::Null, "TAX-02 /lines/0/tax/rate"),
        ("/document/lines/0/tax/rate", json!("21.0"), "TAX-03 /lines/0/tax/rate"),
        ("/document/lines/0/tax/rate", json!("22"), "TAX-04 /lines/0/tax/rate (warning)"),
        ("/document/lines/0/tax/exemption", json!("exempt"), "TAX-02 /lines/0/tax/exemption"),
        ("/document/lines/0/tax/surcharge", json!("1.4"), "TAX-06 /lines/0/tax/surcharge"),
        (
            "/document/retentions",
            json!([{"category": "IRPF", "rate": "15"}]),
            "RETENTION-01 /retentions/0/category",
        ),
        ("/document/lines/0/unit_price", json!("1000000000000000.00"), "TOTALS-01 /totals/payable"),
        ("/context/settings/bypass", json!(true), "SETTINGS-01 /settings"),
        ("/context/settings/payment", json!({"means": "gold"}), "SETTINGS-01 /settings"),
        (
            "/context/settings/payment",
            json!({"means": "credit-transfer", "iban": "PL1"}),
            "SETTINGS-01 /settings",
        ),
        (
            "/context/settings/payment",
            json!({"means": "credit-transfer", "iban": "PL61109010140000071219812874", "bic": "WBK1PLPP"}),
            "SETTINGS-01 /settings",
        ),
        ("/context/settings/exemption_text", json!("x".repeat(257)), "SETTINGS-01 /settings"),
        (
            "/context/supplier/email",
            json!(format!("{}@x.pl", "k".repeat(251))),
            "SUPPLIER-05 /supplier/email",
        ),
        ("/context/supplier/legal_name", json!(""), "SUPPLIER-01 /supplier/legal_name"),
        ("/context/supplier/tax_id", json!("9876543211"), "SUPPLIER-02 /supplier/tax_id"),
        ("/context/supplier/country", json!("DE"), "SUPPLIER-03 /supplier/country"),
        ("/context/supplier/email", json!("x@y"), "SUPPLIER-05 /supplier/email"),
        ("/context/supplier/address", json!(false), "SUPPLIER-06 /supplier/address"),
        ("/context/supplier/address/street", Value::Null, "SUPPLIER-06 /supplier/address/street"),
        ("/context/supplier/address/country", Value::Null, "SUPPLIER-06 /supplier/address/country"),
    ];
    assert_eq!(sound().refuses::<PlFavat>(table), Ok(()));
}

#[test]
fn a_recipient_says_what_it_is_besides() {
    let sent = |ext: Value| {
        let mut document = sound().case["document"].clone();
        document["recipient"]["ext"] = ext;
        let converted = PlFavat::convert(&invoice(&document).unwrap(), &support::context()).unwrap();
        let made: Value = serde_json::from_str(&converted.body).unwrap();
        (made["customer"]["ext"].clone(), made["customer"]["identities"].clone())
    };
    let identity = |code: &str, role: &str| json!({"code": code, "ext": {"pl-favat-third-party-role": role}});
    assert_eq!(
        sent(json!({"jst": "1", "jst-code": "146501", "group-vat": "1", "group-vat-code": "GV-12345"})),
        (
            json!({"pl-favat-group-vat": "1", "pl-favat-jst": "1"}),
            json!([identity("146501", "8"), identity("GV-12345", "10")])
        )
    );
    assert_eq!(sent(json!({"pl-favat-jst": "2"})), (json!({"pl-favat-jst": "2"}), Value::Null));
    assert_eq!(sent(json!({})), (Value::Null, Value::Null));
}

#[test]
fn ksef_and_the_check_go_by_the_day_in_poland() {
    for (now, day, taken) in [
        ("2026-11-20T22:59:59Z", "2026-11-21", false),
        ("2026-11-20T23:00:00Z", "2026-11-21", true),
        ("2026-11-21T12:00:00+14:00", "2026-11-21", false),
        ("2026-10-24T21:59:59Z", "2026-10-25", false),
        ("2026-10-24T22:00:00Z", "2026-10-25", true),
        ("2026-03-28T22:59:59Z", "2026-03-29", false),
    ] {
        let context =
            einvoice_plugin::Context { now: now.to_owned(), today: day.to_owned(), ..support::context() };
        let mut dated = sound().case["document"].clone();
        dated["issue_date"] = json!(day);
        let read = invoice(&dated).unwrap();
        let codes: Vec<_> = PlFavat::check(&read, &context).into_iter().map(|fault| fault.code).collect();
        assert_eq!(codes, if taken { vec![] } else { vec!["PL-FAVAT-DATE-03"] }, "{now} {day}");
        let late = einvoice_plugin::Context { now: format!("{day}T20:00:00Z"), ..context };
        let body = PlFavat::convert(&read, &late).unwrap().body;
        let outcome = PlFavat::submit(&harness::submission(&body, now)).unwrap();
        assert_eq!(outcome.accepted, taken, "{now} {day}");
        if taken {
            let head = format!("9876543210-{}-", day.replace('-', ""));
            assert!(outcome.stamps[0].value.starts_with(&head), "{}", outcome.stamps[0].value);
        }
    }
}

#[test]
fn a_document_without_lines_is_refused() {
    assert_eq!(found(&[("/document/lines", json!([]))]), ["PL-FAVAT-LINE-01 /lines"]);
}

#[test]
fn documents_of_persons_are_checked() {
    let person = |number: &str, country: Value| {
        let document = json!({"type": "passport", "number": number, "country": country});
        found(&[(
            "/document/recipient",
            json!({"type": "individual", "name": "Jane", "identity_document": document}),
        )])
    };
    assert_eq!(person("1", json!("GB")), Vec::<String>::new());
    assert_eq!(person("1", Value::Null), ["PL-FAVAT-IDENTITY-03 /recipient/identity_document/country"]);
    assert_eq!(person(" ", json!("GB")), ["PL-FAVAT-IDENTITY-01 /recipient/identity_document/number"]);
    assert_eq!(person("1\n2", json!("GB")), ["PL-FAVAT-IDENTITY-02 /recipient/identity_document/number"]);
}

#[test]
fn what_a_correction_refers_to_is_checked() {
    let credited = |preceding: Value| {
        found(&[("/document/document_type", json!("credit_note")), ("/document/preceding", preceding)])
    };
    assert_eq!(credited(json!([])), ["PL-FAVAT-PRECEDING-01 /referenced_document_ids (warning)"]);
    let one = |number: &str, day: &str, uuid: &str| {
        credited(json!([{"uuid": uuid, "number": number, "issue_date": day}]))
    };
    let uuid = "01930c5c-f1f0-7000-8000-000000000002";
    assert_eq!(one("F-0", "2026-11-19", uuid), Vec::<String>::new());
    assert_eq!(one("F-0", "2026-11-19", "x"), ["PL-FAVAT-PRECEDING-02 /referenced_document_ids"]);
    assert_eq!(one("F-0\n", "2026-11-19", uuid), ["PL-FAVAT-PRECEDING-03 /referenced_document_ids"]);
    assert_eq!(one("F-0", "19-11-2026", uuid), ["PL-FAVAT-PRECEDING-04 /referenced_document_ids"]);
    assert_eq!(one("F-0", "2026-11-21", uuid), ["PL-FAVAT-PRECEDING-05 /referenced_document_ids (warning)"]);
    assert_eq!(one("F-0", "2005-12-31", uuid), ["PL-FAVAT-DAY-01 /referenced_document_ids"]);
    let with = |member: &str, value: Value| {
        let mut corrected = json!({"uuid": uuid, "number": "F-0", "issue_date": "2026-11-19"});
        corrected[member] = value;
        credited(json!([corrected]))
    };
    let stamp = |number: &str| with("stamps", json!([{"provider": "favat-ksef-number", "value": number}]));
    assert_eq!(stamp("5265877635-20250826-0100001AF629-AF"), Vec::<String>::new());
    assert_eq!(
        stamp("5265877635-20250826-0100001AF629-AE"),
        ["PL-FAVAT-KSEF-NUMBER-01 /referenced_document_ids"]
    );
    assert_eq!(with("reason", json!("x".repeat(257))), ["PL-FAVAT-REASON-01 /referenced_document_ids"]);
    assert_eq!(with("reason", json!("\u{fdd0}")), ["PL-FAVAT-CHARACTER-01 /referenced_document_ids"]);
}

#[test]
fn a_file_that_ksef_would_refuse_for_its_size_is_not_made() {
    let line = &sound().case["document"]["lines"][0];
    let lines = |count: usize, description: &str| {
        let mut line = line.clone();
        line["description"] = json!(description);
        found(&[("/document/lines", json!(vec![line; count]))])
    };
    assert_eq!(lines(2_000, "Nocleg"), Vec::<String>::new());
    assert_eq!(lines(2_000, &"&".repeat(100)), ["PL-FAVAT-SIZE-01 /lines"]);
    assert_eq!(lines(10_001, "Nocleg"), ["PL-FAVAT-LINES-01 /lines", "PL-FAVAT-SIZE-01 /lines"]);
}

#[test]
fn a_simplified_invoice_has_a_limit_and_needs_no_recipient() {
    let simplified =
        [("/document/document_type", json!("simplified_invoice")), ("/document/recipient", Value::Null)];
    assert_eq!(found(&simplified), Vec::<String>::new());
    let mut large = simplified.to_vec();
    large.push(("/document/lines/0/unit_price", json!("420.00")));
    assert_eq!(found(&large), ["PL-FAVAT-TOTALS-02 /totals/gross (warning)"]);
    large.push(("/context/settings", json!({"refuse_warnings": true})));
    assert_eq!(found(&large), ["PL-FAVAT-TOTALS-02 /totals/gross"]);
}

fn document(changes: &[(&str, &str)]) -> String {
    let mut document = sound().case["document"].clone();
    for (member, value) in changes {
        document[*member] = json!(value);
    }
    PlFavat::convert(&invoice(&document).unwrap(), &support::context()).unwrap().body
}

fn submitted(submission: &Submission) -> (bool, Vec<String>, Vec<String>) {
    let outcome = PlFavat::submit(submission).unwrap();
    let codes = outcome.faults.into_iter().filter_map(|fault| fault.code).collect();
    (outcome.accepted, codes, outcome.stamps.into_iter().map(|stamp| stamp.value).collect())
}

const NOW: &str = "2026-11-20T09:30:00+01:00";

#[test]
fn ksef_gives_a_number_and_an_address_to_verify_it() {
    let (accepted, codes, stamps) = submitted(&harness::submission(&document(&[]), NOW));
    assert_eq!((accepted, codes), (true, vec![]));
    assert!(stamps[0].starts_with("9876543210-20261120-") && stamps[0].len() == 35, "{}", stamps[0]);
    assert_eq!(stamps[1], NOW);
    assert!(stamps[2].starts_with("https://qr-test.ksef.mf.gov.pl/invoice/9876543210/20-11-2026/"));
}

#[test]
fn ksef_answers_the_same_document_the_same_and_refuses_another_under_its_number() {
    let first = harness::submission(&document(&[]), NOW);
    let record = PlFavat::submit(&first).unwrap().record;
    let again = Submission { registered: record.clone(), ..first.clone() };
    assert_eq!(submitted(&again), submitted(&first));
    let other = Submission { document: document(&[("notes", "x")]), registered: record, ..first.clone() };
    assert_eq!(submitted(&other), (false, vec!["440".to_owned()], vec![]));
    let amended = Submission { amends: Some("9876543210|VAT|F-0".to_owned()), ..first };
    assert_eq!(submitted(&amended), (false, vec!["440".to_owned()], vec![]));
}

#[test]
fn a_tester_gets_the_code_that_was_asked_for() {
    let forced = |code: &str| {
        submitted(&Submission {
            forced_code: Some(code.to_owned()),
            ..harness::submission(&document(&[]), NOW)
        })
    };
    for code in ["430", "999"] {
        assert_eq!(forced(code), (false, vec![code.to_owned()], vec![]));
    }
    let (accepted, codes, stamps) = forced("200");
    assert_eq!((accepted, codes, stamps.len()), (true, vec!["200".to_owned()], 3));
}

#[test]
fn ksef_files_by_seller_type_and_number() {
    let filing = PlFavat::file(&document(&[])).unwrap();
    assert_eq!((filing.chain.as_str(), filing.record_key.as_str()), ("9876543210", "9876543210|VAT|F-1"));
    for json in ["", "{}", "[]", r#"{"code":"F-1"}"#, r#"{"code":"F-1","issue_date":"2026-11-20"}"#] {
        assert_eq!(PlFavat::file(json).unwrap_err()[0].code, "PL-FAVAT-SANDBOX-01", "{json}");
    }
}

#[test]
fn acceptance_needs_ksefs_number() {
    let outcome = PlFavat::submit(&harness::submission(&document(&[]), NOW)).unwrap();
    let mut report = einvoice_plugin::ProviderResult {
        succeeded: true,
        faults: Vec::new(),
        stamps: outcome.stamps,
        job: String::new(),
        entry: String::new(),
    };
    assert!(
        matches!(PlFavat::interpret(&report), Ok(Verdict::Accepted(accepted)) if accepted.qr_url.is_some())
    );
    report.stamps.clear();
    assert!(matches!(PlFavat::interpret(&report), Ok(Verdict::Undecided(_))));
}

#[test]
fn the_schema_of_the_settings_and_the_plugin_agree() {
    let taken = [
        json!({}),
        json!({"refuse_warnings": true, "exemption_basis": "C", "exemption_text": "x"}),
        json!({"payment": {"means": "credit-transfer", "iban": "DE89370400440532013000", "bic": "COBADEFF"}}),
        json!({"payment": {"means": "cash", "bic": "cobadeffxxx", "account_name": "x"}}),
    ];
    let refused = [
        json!({"strict": true}),
        json!({"exemption_basis": "D"}),
        json!({"refuse_warnings": 1}),
        json!({"payment": {}}),
        json!({"payment": {"means": "gold"}}),
        json!({"payment": {"means": "cash", "card": "1"}}),
        json!({"payment": {"means": "cash", "bic": "COBADEFFXX"}}),
        json!({"payment": {"means": "cash", "account_name": " "}}),
        json!({"exemption_text": " "}),
        json!({"exemption_text": "x".repeat(257)}),
        json!([]),
    ];
    assert_eq!(sound().agrees_on_settings::<PlFavat>(&taken, &refused), Ok(()));
}

#[test]
fn the_description_offers_what_documents_may_have() {
    let description = PlFavat::describe();
    assert_eq!((description.key.as_str(), description.kinds.len()), ("pl-favat", 3));
    assert_eq!((description.exemptions.len(), description.retentions.len()), (5, 0));
    assert_eq!(sound().takes_what_is_described::<PlFavat>(), Ok(()));
}
