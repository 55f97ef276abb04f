//! What is refused, by which code and where; and what the sandbox's platform answers.

#![cfg(test)]

mod support;

use einvoice_eu::codes;
use einvoice_eu::harness::{self, SoundDocument};
use einvoice_gobl::harness::invoice;
use einvoice_plugin::{Authority, Country, ProviderResult, Submission, Verdict};
use fr_facturx::{FrFacturx, PREFIX, authority, faults};
use serde_json::{Value, json};

fn sound() -> SoundDocument {
    let address = json!({"locality": "Lyon", "postcode": "69002", "country": "FR"});
    let case = json!({
        "document": {
            "number": "F-1", "issue_date": "2026-11-20", "operation_date": "2026-11-18",
            "recipient": {"type": "company", "name": "Sample", "tax_number": "356000000", "country": "FR", "address": address},
            "lines": [{"description": "Nuit", "quantity": "1", "unit_price": "100.00",
                       "tax": {"category": "VAT", "rate": "10"}}],
            "preceding": []
        },
        "context": {"settings": support::settings(), "supplier": {"address": address}}
    });
    SoundDocument { case, usual: support::context(), prefix: PREFIX }
}

fn found(changes: &[(&str, Value)]) -> Vec<String> {
    sound().found::<FrFacturx>(changes).unwrap()
}

#[test]
fn the_codes_of_this_plugin_are_its_own() {
    let pinned = "SIREN-01 SIREN-02 INBOX-01 INBOX-02 TREATMENT-01 TREATMENT-02 PROCESS-01 PROCESS-02 YEAR-01 DUE-DATE-01 \
                  DECIMALS-01 DECIMALS-02 VAT-01 VAT-02 VAT-03 DELIVERY-01 BUYER-REFERENCE-01";
    assert_eq!(faults::ALL.join(" "), pinned);
    assert!(faults::ALL.iter().all(|code| !codes::ALL.contains(code)));
}

fn exempt(key: &str) -> Value {
    json!({"category": "VAT", "exemption": key})
}

#[test]
fn every_change_of_the_document_is_found_where_it_was_made() {
    let preceding = |number: &str, day: &str| json!([{"number": number, "issue_date": day}]);
    let table: &[(&str, Value, &str)] = &[
        ("/document/number", json!("F.1"), "NUMBER-03 /display_document_number"),
        ("/document/number", json!("9".repeat(36)), "NUMBER-02 /display_document_number"),
        ("/document/currency", json!("CHF"), "CURRENCY-01 /currency"),
        ("/document/document_type", json!("debit_note"), "KIND-01 /document_type"),
        ("/document/document_type", json!("credit_note"), "PRECEDING-01 /referenced_document_ids"),
        ("/document/preceding", preceding("F 1", "2026-11-01"), "PRECEDING-03 /referenced_document_ids"),
        ("/document/preceding", preceding("F-0", "1999-11-01"), "YEAR-01 /referenced_document_ids"),
        ("/document/issue_date", json!("2026-11-21"), "DATE-03 /issue_date (warning)"),
        ("/document/operation_date", json!("2100-01-01"), "YEAR-01 /operation_date"),
        ("/document/payment", json!({"due_date": "2100-01-01"}), "YEAR-01 /payment/due_date"),
        ("/document/payment", json!({"due_date": "2026-11-19"}), "DUE-DATE-01 /payment/due_date"),
        ("/document/ext", json!({"doc-type": "384"}), "DOC-TYPE-01 /ext/doc-type"),
        ("/document/ext", json!({"business-process": "S2"}), "PROCESS-01 /ext/business-process"),
        (
            "/document/ext",
            json!({"business-process": "S4", "doc-type": "386"}),
            "PROCESS-02 /ext/business-process",
        ),
        (
            "/document/ext",
            json!({"business-process": "M1", "treatment": "B2C"}),
            "PROCESS-02 /ext/business-process",
        ),
        ("/document/ext", json!({"treatment": "b2c"}), "TREATMENT-01 /ext/treatment"),
        ("/document/ext", json!({"treatment": "B2BINT"}), "TREATMENT-02 /ext/treatment"),
        ("/document/ext", json!({"inbox": "0225:732829320"}), "INBOX-02 /ext/inbox"),
        ("/document/ext", json!({"inbox": "a@b.fr"}), "INBOX-02 /ext/inbox"),
        ("/document/ext", json!({"inbox": "9999:1"}), "INBOX-02 /ext/inbox"),
        (
            "/document/ext",
            json!({"buyer-reference": "x".repeat(65)}),
            "BUYER-REFERENCE-01 /ext/buyer-reference",
        ),
        ("/document/ext", json!({"colour": "red"}), "EXT-01 /ext/colour"),
        ("/document/lines/0/ext", json!({"tax-category": "E"}), "EXT-03 /lines/0/ext/tax-category"),
        ("/document/lines/0/ext", json!({"vatex": "VATEX-EU-AE"}), "EXT-03 /lines/0/ext/vatex"),
        ("/document/lines/0/quantity", json!("1.12345"), "DECIMALS-01 /lines/0/quantity"),
        ("/document/lines/0/unit_price", json!("1.1234567"), "DECIMALS-02 /lines/0/unit_price"),
        (
            "/document/lines/0/period",
            json!({"start": "1999-12-30", "end": "2000-01-01"}),
            "YEAR-01 /lines/0/period/start",
        ),
        ("/document/lines/0/tax/rate", json!("21"), "TAX-03 /lines/0/tax/rate"),
        ("/document/lines/0/tax/rate", json!("19.6"), "TAX-04 /lines/0/tax/rate (warning)"),
        ("/document/lines/0/tax/surcharge", json!("5.2"), "TAX-06 /lines/0/tax/surcharge"),
        ("/document/lines/0/tax", exempt("n4"), "TAX-05 /lines/0/tax/exemption"),
        (
            "/document/retentions",
            json!([{"category": "IRPF", "rate": "15"}]),
            "RETENTION-01 /retentions/0/category",
        ),
    ];
    assert_eq!(sound().refuses::<FrFacturx>(table), Ok(()));
}

#[test]
fn every_change_of_a_party_is_found_where_it_was_made() {
    let table: &[(&str, Value, &str)] = &[
        ("/document/recipient", Value::Null, "RECIPIENT-01 /recipient"),
        ("/document/recipient/tax_number", Value::Null, "SIREN-01 /recipient/tax_number"),
        ("/document/recipient/tax_number", json!("356000001"), "IDENTITY-05 /recipient/tax_number"),
        ("/document/recipient/address", Value::Null, "RECIPIENT-04 /recipient/address"),
        ("/document/recipient/address/country", Value::Null, "RECIPIENT-04 /recipient/address/country"),
        ("/document/recipient/ext", json!({"treatment": "X"}), "TREATMENT-01 /recipient/ext/treatment"),
        ("/document/recipient/country", json!("DE"), "IDENTITY-05 /recipient/tax_number"),
        ("/context/settings/business_process", json!("S2"), "SETTINGS-01 /settings"),
        ("/context/settings/siret", json!("73282932000075"), "SETTINGS-01 /settings"),
        ("/context/settings/siret", json!("35600000000048"), "SIREN-02 /settings/siret"),
        ("/context/settings/inbox", json!("356000000"), "INBOX-01 /settings/inbox"),
        ("/context/settings/inbox", json!("732829320 A"), "INBOX-01 /settings/inbox"),
        ("/context/settings/platform", json!({"id": "1", "name": "X"}), "SETTINGS-01 /settings"),
        ("/context/settings/mentions", json!({"late_payment": " "}), "SETTINGS-01 /settings"),
        ("/context/settings/payment", json!({"means": "card"}), "SETTINGS-01 /settings"),
        ("/context/supplier/tax_id", json!("732829321"), "SUPPLIER-02 /supplier/tax_id"),
        ("/context/supplier/address", json!(false), "SUPPLIER-06 /supplier/address"),
    ];
    assert_eq!(sound().refuses::<FrFacturx>(table), Ok(()));
}

#[test]
fn what_the_european_standard_wants_beside_exemptions_is_demanded() {
    let tax = |key: &str| ("/document/lines/0/tax", exempt(key));
    let german = json!({"type": "company", "name": "Kunde", "country": "DE", "email": "a@b.de",
                        "address": {"locality": "Walldorf", "country": "DE"}});
    let unknown = ("/document/recipient", german);
    let undated = ("/document/operation_date", Value::Null);
    let number = ["FR-FACTURX-VAT-01 /recipient/tax_number"];
    assert_eq!(found(&[unknown.clone(), tax("reverse_charge")]), number);
    assert_eq!(found(&[unknown.clone(), tax("intra_community")]), number);
    assert_eq!(found(&[unknown, tax("export")]), Vec::<String>::new());
    assert_eq!(found(&[tax("intra_community"), undated.clone()]), ["FR-FACTURX-DELIVERY-01 /operation_date"]);
    let stay = ("/document/lines/0/period", json!({"start": "2026-11-17", "end": "2026-11-19"}));
    assert_eq!(found(&[tax("intra_community"), undated, stay]), Vec::<String>::new());
    let other = |tax: Value| {
        let line = json!({"description": "X", "quantity": "1", "unit_price": "1.00", "tax": tax});
        ("/document/lines/-", line)
    };
    let taxed = json!({"category": "VAT", "rate": "10"});
    assert_eq!(found(&[tax("outside_scope"), other(taxed)]), ["FR-FACTURX-VAT-02 /lines"]);
    assert_eq!(found(&[tax("franchise"), other(exempt("article_295"))]), ["FR-FACTURX-VAT-03 /lines"]);
    assert_eq!(found(&[tax("franchise"), other(exempt("export"))]), Vec::<String>::new());
}

#[test]
fn a_payment_on_account_may_be_due_before_it_is_invoiced() {
    let early = ("/document/payment", json!({"due_date": "2026-11-19"}));
    assert_eq!(found(&[early, ("/document/ext", json!({"doc-type": "386"}))]), Vec::<String>::new());
}

#[test]
fn an_invoice_to_another_country_needs_an_electronic_address_and_a_consumers_does_not() {
    let guest = |kind: &str| json!({"type": kind, "name": "Guest", "country": "GB", "address": {"locality": "London", "country": "GB"}});
    let of = |kind: &str| found(&[("/document/recipient", guest(kind))]);
    assert_eq!(of("company"), ["FR-FACTURX-INBOX-02 /recipient/email"]);
    assert_eq!(of("individual"), Vec::<String>::new());
    let b2b = ("/document/ext", json!({"treatment": "B2B"}));
    let unfit = "FR-FACTURX-TREATMENT-02 /ext/treatment";
    assert!(found(&[("/document/recipient", guest("individual")), b2b]).contains(&unfit.to_owned()));
}

fn document() -> Value {
    let invoice = invoice(&sound().case["document"]).unwrap();
    serde_json::from_str(&FrFacturx::convert(&invoice, &support::context()).unwrap().body).unwrap()
}

const NOW: &str = "2026-11-20T09:30:00+01:00";

fn answer(submission: &Submission) -> (bool, Vec<String>, usize) {
    let outcome = FrFacturx::submit(submission).unwrap();
    let codes = outcome.faults.into_iter().filter_map(|fault| fault.code).collect();
    (outcome.accepted, codes, outcome.stamps.len())
}

#[test]
fn a_second_document_under_a_number_and_year_is_refused_and_the_same_one_is_not() {
    let first = harness::submission(&document().to_string(), NOW);
    assert_eq!(answer(&first), (true, vec![], 1));
    let registered = FrFacturx::submit(&first).unwrap().record;
    assert_eq!(answer(&Submission { registered: registered.clone(), ..first.clone() }), (true, vec![], 1));
    let mut other = document();
    other["op_date"] = json!("2026-11-17");
    let second = Submission { registered, ..harness::submission(&other.to_string(), NOW) };
    assert_eq!(answer(&second), (false, vec![authority::DUPLICATE.to_owned()], 0));
    let key = |document: &Value| FrFacturx::file(&document.to_string()).unwrap().record_key;
    let mut next_year = document();
    next_year["issue_date"] = json!("2027-01-02");
    assert_eq!(key(&other), key(&document()));
    assert_ne!(key(&next_year), key(&document()));
}

#[test]
fn every_state_and_reason_is_a_remark_or_a_rejection() {
    let others = [("BR-FR-10_BT-30", false), ("G1.24", false), ("X-1", false)];
    for (code, stands) in authority::codes().chain(others) {
        let submission = harness::submission(&document().to_string(), NOW);
        let outcome =
            FrFacturx::submit(&Submission { forced_code: Some(code.to_owned()), ..submission }).unwrap();
        assert_eq!(outcome.accepted, stands, "{code}");
        assert!(outcome.payload.is_some(), "{code}");
        let (job, entry) = (String::new(), String::new());
        let report =
            ProviderResult { succeeded: stands, faults: outcome.faults, stamps: outcome.stamps, job, entry };
        let verdict = FrFacturx::interpret(&report).unwrap();
        assert_eq!(matches!(verdict, Verdict::Accepted(_)), stands, "{code}");
        assert_eq!(matches!(verdict, Verdict::Rejected(_)), !stands, "{code}");
    }
}

#[test]
fn the_schema_of_the_settings_and_the_plugin_agree() {
    let taken = [
        json!({}),
        support::settings(),
        json!({"business_process": "M1", "siret": "73282932000074", "inbox": "732829320_A"}),
        json!({"mentions": {"recovery_fee": "x"}, "exemption_texts": {"export": "x"}, "vat_on_debits": true}),
        json!({"platform": {"id": "0123", "name": "X"}, "reporting_period": "month"}),
        json!({"reporting_period": "ten_days", "credit_terms": "x"}),
    ];
    let refused = [
        json!({"strict": true}),
        json!({"business_process": "X1"}),
        json!({"siret": "732829320"}),
        json!({"mentions": {"other": "x"}}),
        json!({"exemption_texts": {"franchise": "x"}}),
        json!({"platform": {"id": "0123"}}),
        json!({"platform": {"id": "A123", "name": "X"}}),
        json!({"reporting_period": "year"}),
        json!({"payment_terms": ""}),
        json!({"payment": {"means": "card"}}),
        json!([]),
    ];
    assert_eq!(sound().agrees_on_settings::<FrFacturx>(&taken, &refused), Ok(()));
}

#[test]
fn the_description_offers_what_documents_may_have() {
    let description = FrFacturx::describe();
    assert_eq!((description.key.as_str(), description.kinds.len()), ("fr-facturx", 3));
    assert_eq!((description.exemptions.len(), description.retentions.len()), (30, 0));
    assert_eq!(sound().takes_what_is_described::<FrFacturx>(), Ok(()));
}
