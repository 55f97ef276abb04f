//! What is refused, by which code and where.

#![cfg(test)]

mod support;

use einvoice_eu::codes;
use einvoice_eu::harness::SoundDocument;
use einvoice_plugin::{Country, Identity};
use gr_mydata::{GrMydata, PREFIX, faults};
use serde_json::{Value, json};

fn sound() -> SoundDocument {
    let address = json!({"street": "Οδός 1", "locality": "Αθήνα", "postcode": "11636", "country": "GR"});
    let case = json!({
        "document": {
            "number": "1", "issue_date": "2026-11-20",
            "recipient": {"type": "company", "name": "Αιγαίο", "tax_number": "841442160", "country": "GR",
                          "address": address},
            "lines": [{"description": "Δωμάτιο", "quantity": "1", "unit_price": "100.00",
                       "tax": {"category": "VAT", "rate": "13.0"}}],
            "preceding": []
        },
        "context": {"settings": {}, "supplier": {"address": address}}
    });
    SoundDocument { case, usual: support::context(), prefix: PREFIX }
}

fn found(changes: &[(&str, Value)]) -> Vec<String> {
    sound().found::<GrMydata>(changes).unwrap()
}

fn preceding(stamps: &Value) -> (&'static str, Value) {
    let one = json!({"number": "0", "issue_date": "2026-11-18", "stamps": stamps});
    ("/document/preceding", json!([one]))
}

fn marked() -> (&'static str, Value) {
    preceding(&json!([{"provider": "iapr-mark", "value": "400001932212332"}]))
}

fn kind(kind: &str) -> (&'static str, Value) {
    ("/document/document_type", json!(kind))
}

fn of_type(code: &str) -> (&'static str, Value) {
    ("/document/ext", json!({"invoice-type": code}))
}

#[test]
fn the_codes_of_this_plugin_are_its_own() {
    let pinned = [
        "NUMBER-DIGITS-01",
        "MARK-01",
        "MARK-02",
        "MARK-03",
        "LINE-AMOUNT-01",
        "INCOME-01",
        "PAYMENT-MEANS-01",
        "SAME-PARTY-01",
        "COUNTRY-01",
    ];
    assert_eq!(faults::ALL, pinned);
    assert!(faults::ALL.iter().all(|code| !codes::ALL.contains(code)));
}

#[test]
fn every_change_of_a_document_is_found_where_it_was_made() {
    let table: &[(&str, Value, &str)] = &[
        ("/document/currency", json!("USD"), "CURRENCY-01 /currency"),
        ("/document/document_type", json!("replacement_invoice"), "KIND-01 /document_type"),
        ("/document/number", json!("F-2026-000017"), "NUMBER-DIGITS-01 /display_document_number"),
        ("/document/number", json!("1A"), "NUMBER-DIGITS-01 /display_document_number"),
        ("/document/number", json!("x".repeat(65)), "NUMBER-02 /display_document_number"),
        ("/document/number", json!("Α-1"), "NUMBER-03 /display_document_number"),
        ("/document/number", json!(" "), "NUMBER-01 /display_document_number"),
        ("/document/issue_date", json!("2026-11-21"), "DATE-03 /issue_date"),
        ("/document/payment", json!({"due_date": "soon"}), "DATE-05 /payment/due_date"),
        ("/document/ext", json!({"invoice-type": "2.2"}), "DOC-TYPE-01 /ext/invoice-type"),
        (
            "/document/ext",
            json!({"gr-mydata-invoice-type": "11.2"}),
            "DOC-TYPE-01 /ext/gr-mydata-invoice-type",
        ),
        ("/document/ext", json!({"payment-means": "8"}), "PAYMENT-MEANS-01 /ext/payment-means"),
        ("/document/ext", json!({"colour": "red"}), "EXT-01 /ext/colour"),
        ("/document/recipient/ext", json!({"colour": "red"}), "EXT-01 /recipient/ext/colour"),
        (
            "/document/ext",
            json!({"gr-mydata-payment-means": "3", "payment-means": "3"}),
            "EXT-02 /ext/payment-means",
        ),
        (
            "/document/retentions",
            json!([{"category": "IRPF", "rate": "15"}]),
            "RETENTION-01 /retentions/0/category",
        ),
        ("/document/notes", json!("x".repeat(1001)), "NOTES-01 /notes"),
        ("/context/settings/income_category", json!("category1_4"), "SETTINGS-01 /settings"),
        ("/context/settings/payment", json!({"means": "credit-transfer"}), "SETTINGS-01 /settings"),
        ("/context/supplier/tax_id", json!("094259217"), "SUPPLIER-02 /supplier/tax_id"),
        ("/context/supplier/country", json!("CY"), "SUPPLIER-03 /supplier/country"),
        ("/context/supplier/address", json!(false), "SUPPLIER-06 /supplier/address"),
    ];
    assert_eq!(sound().refuses::<GrMydata>(table), Ok(()));
}

#[test]
fn every_change_of_a_line_or_the_recipient_is_found_where_it_was_made() {
    let table: &[(&str, Value, &str)] = &[
        ("/document/recipient", Value::Null, "RECIPIENT-01 /recipient"),
        ("/document/recipient/name", json!(""), "RECIPIENT-02 /recipient/name"),
        ("/document/recipient/address", Value::Null, "RECIPIENT-04 /recipient/address"),
        ("/document/recipient/address/locality", Value::Null, "RECIPIENT-04 /recipient/address/locality"),
        ("/document/recipient/address/postcode", Value::Null, "RECIPIENT-04 /recipient/address/postcode"),
        ("/document/recipient/tax_number", Value::Null, "IDENTITY-01 /recipient/tax_number"),
        ("/document/recipient/tax_number", json!("841442161"), "IDENTITY-05 /recipient/tax_number"),
        ("/document/recipient/tax_number", json!("094259216"), "SAME-PARTY-01 /recipient/tax_number"),
        ("/document/recipient/country", json!("XX"), "IDENTITY-04 /recipient/country"),
        ("/document/recipient/country", json!("SS"), "COUNTRY-01 /recipient/country"),
        ("/document/lines", json!([]), "LINE-01 /lines"),
        ("/document/lines/0/description", json!(""), "LINE-02 /lines/0/description"),
        ("/document/lines/0/unit_price", json!("0.00"), "LINE-AMOUNT-01 /lines/0/unit_price"),
        ("/document/lines/0/quantity", json!("-1"), "LINE-AMOUNT-01 /lines/0/unit_price"),
        ("/document/lines/0/tax/category", json!("IGIC"), "TAX-01 /lines/0/tax/category"),
        ("/document/lines/0/tax/rate", json!("0.00"), "TAX-03 /lines/0/tax/rate"),
        ("/document/lines/0/tax/rate", json!("23.0"), "TAX-03 /lines/0/tax/rate"),
        (
            "/document/lines/0/tax",
            json!({"category": "VAT", "exemption": "e32"}),
            "TAX-05 /lines/0/tax/exemption",
        ),
        ("/document/lines/0/ext", json!({"exemption": "7"}), "EXT-03 /lines/0/ext/exemption"),
        ("/document/lines/0/ext", json!({"income-type": "E3_101"}), "INCOME-01 /lines/0/ext/income-type"),
        (
            "/document/lines/0/ext",
            json!({"gr-mydata-income-cat": "category2_1"}),
            "INCOME-01 /lines/0/ext/gr-mydata-income-cat",
        ),
        ("/document/lines/0/ext", json!({"payment-means": "3"}), "EXT-01 /lines/0/ext/payment-means"),
    ];
    assert_eq!(sound().refuses::<GrMydata>(table), Ok(()));
}

#[test]
fn a_rate_is_unusual_before_its_law() {
    let changes =
        [("/document/issue_date", json!("2016-05-31")), ("/document/lines/0/tax/rate", json!("24.0"))];
    assert_eq!(found(&changes), ["GR-MYDATA-TAX-04 /lines/0/tax/rate (warning)"]);
}

#[test]
fn what_a_document_corrects_has_a_registration_number() {
    const PATH: &str = "/referenced_document_ids";
    let none = Vec::<String>::new();
    let credit = kind("credit_note");
    let wrong = preceding(&json!([{"provider": "iapr-mark", "value": "MARK"}]));
    let other = preceding(&json!([{"provider": "iapr-uid", "value": "400001932212332"}]));
    assert_eq!(found(&[credit.clone(), marked()]), none);
    assert_eq!(found(std::slice::from_ref(&credit)), [format!("GR-MYDATA-PRECEDING-01 {PATH}")]);
    assert_eq!(found(&[credit.clone(), of_type("5.2")]), none);
    assert_eq!(found(&[credit.clone(), marked(), of_type("5.2")]), [format!("GR-MYDATA-MARK-03 {PATH}")]);
    assert_eq!(found(&[credit.clone(), preceding(&json!([]))]), [format!("GR-MYDATA-MARK-01 {PATH}")]);
    assert_eq!(found(&[credit.clone(), other]), [format!("GR-MYDATA-MARK-01 {PATH}")]);
    assert_eq!(found(&[credit, wrong]), [format!("GR-MYDATA-MARK-02 {PATH}")]);
    assert_eq!(found(&[marked()]), [format!("GR-MYDATA-MARK-03 {PATH}")]);
    assert_eq!(found(&[kind("debit_note"), marked()]), none);
    assert_eq!(found(&[kind("debit_note")]), [format!("GR-MYDATA-PRECEDING-01 {PATH}")]);
}

#[test]
fn a_consumer_needs_neither_address_nor_number() {
    let none = Vec::<String>::new();
    let person = ("/document/recipient", json!({"type": "individual", "name": "Jane"}));
    let company = ("/document/recipient", json!({"type": "company", "name": "Αιγαίο"}));
    assert_eq!(found(std::slice::from_ref(&person)), none);
    assert_eq!(found(&[kind("simplified_invoice"), company]), none);
    assert_eq!(found(&[kind("simplified_invoice"), ("/document/recipient", Value::Null)]), none);
    assert_eq!(found(&[person.clone(), kind("debit_note"), marked()])[0], "GR-MYDATA-KIND-01 /document_type");
    assert_eq!(
        found(&[person, kind("credit_note")]),
        ["GR-MYDATA-PRECEDING-01 /referenced_document_ids (warning)"]
    );
}

#[test]
fn what_has_no_place_in_the_record_is_found_before_it_is_issued() {
    let abroad = |member: &str, value: Value| {
        let mut address = json!({"street": "X 1", "locality": "Y", "postcode": "1", "country": "US"});
        address[member] = value;
        let recipient =
            json!({"type": "company", "name": "x", "tax_number": "1", "country": "US", "address": address});
        found(&[("/document/recipient", recipient)])
    };
    assert_eq!(abroad("street", json!("x".repeat(150))), Vec::<String>::new());
    for member in ["street", "locality"] {
        let path = format!("GR-MYDATA-RECIPIENT-04 /recipient/address/{member}");
        assert_eq!(abroad(member, json!("x".repeat(151))), [path]);
    }
    let number = ("/document/recipient/tax_number", json!("1".repeat(29)));
    assert_eq!(
        found(&[("/document/recipient/country", json!("US")), number]),
        ["GR-MYDATA-IDENTITY-02 /recipient/tax_number"]
    );
}

#[test]
fn an_identity_is_mapped_in_mydatas_terms() {
    let mapped = |recipient: Value| {
        GrMydata::map_identity(&einvoice_plugin::harness::recipient(&recipient).unwrap())
            .map_err(|faults| faults[0].code.clone())
    };
    let company = |number: &str, country: &str| json!({"type": "company", "name": "x", "tax_number": number, "country": country});
    for (number, country, tax_country, code) in [
        ("EL 841442160", "GR", "EL", "841442160"),
        ("DE111111125", "DE", "DE", "111111125"),
        ("12-3456789", "US", "US", "123456789"),
    ] {
        let Ok(Identity::TaxId(id)) = mapped(company(number, country)) else { panic!("{number}") };
        assert_eq!((id.country.as_str(), id.code.as_str()), (tax_country, code));
    }
    for (kind, country, key) in [
        ("id_card", "GR", "national"),
        ("id_card", "DE", "foreign"),
        ("passport", "GB", "passport"),
        ("foreign_national_id", "PL", "foreign"),
        ("spanish_resident_permit", "ES", "resident"),
        ("driving_license", "FR", "other"),
        ("student_id", "IT", "other"),
        ("other", "US", "other"),
    ] {
        let document = json!({"type": kind, "number": "X1", "country": country});
        let person = json!({"type": "individual", "name": "Jane", "identity_document": document});
        let Ok(Identity::Other(id)) = mapped(person) else { panic!("{kind}") };
        assert_eq!((id.type_key.as_str(), id.country.as_str()), (key, country));
    }
    let nobody = json!({"type": "individual", "name": "Jane"});
    assert_eq!(mapped(nobody), Err("GR-MYDATA-IDENTITY-01".to_owned()));
}

#[test]
fn the_schema_of_the_settings_and_the_plugin_agree() {
    let taken = [
        json!({}),
        json!({"refuse_warnings": true, "income_category": "category1_1"}),
        json!({"payment": {"means": "card"}}),
        json!({"series": "A".repeat(50)}),
        json!({"payment": {"means": "credit-transfer+foreign", "iban": "DE89370400440532013000"}}),
    ];
    let refused = [
        json!({"strict": true}),
        json!({"income_category": "category1_5"}),
        json!({"series": ""}),
        json!({"series": "A-1"}),
        json!({"series": "A".repeat(51)}),
        json!({"payment": {"means": "gold"}}),
        json!({"payment": {}}),
        json!([]),
    ];
    assert_eq!(sound().agrees_on_settings::<GrMydata>(&taken, &refused), Ok(()));
}

#[test]
fn the_description_offers_what_documents_may_have() {
    let description = GrMydata::describe();
    assert_eq!((description.key.as_str(), description.country.as_str()), ("gr-mydata", "GR"));
    assert_eq!((description.kinds.len(), description.exemptions.len()), (4, 31));
    assert_eq!((description.categories[0].rates.len(), description.retentions.len()), (6, 0));
    assert_eq!(sound().takes_what_is_described::<GrMydata>(), Ok(()));
}
