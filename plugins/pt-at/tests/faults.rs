//! What is refused, by which code and where.

#![cfg(test)]

mod support;

use einvoice_eu::codes;
use einvoice_eu::harness::SoundDocument;
use einvoice_gobl::harness::invoice;
use einvoice_plugin::{Context, Country, Identity};
use pt_at::{PREFIX, PtAt, faults};
use serde_json::{Value, json};

fn sound() -> SoundDocument {
    let address = json!({"street": "Rua X 1", "locality": "Porto", "postcode": "4050-262", "country": "PT"});
    let case = json!({
        "document": {
            "number": "FT A/1", "issue_date": "2026-11-20",
            "recipient": {"type": "company", "name": "Maçã", "tax_number": "508641233", "country": "PT",
                          "address": address},
            "lines": [{"description": "Quarto", "quantity": "1", "unit_price": "100.00",
                       "tax": {"category": "VAT", "rate": "6.0"}}],
            "preceding": []
        },
        "context": {"settings": support::settings(), "supplier": {"address": address}}
    });
    SoundDocument { case, usual: support::context(), prefix: PREFIX }
}

fn found(changes: &[(&str, Value)]) -> Vec<String> {
    sound().found::<PtAt>(changes).unwrap()
}

/// What is found, without the prefix of every code.
fn codes_of(changes: &[(&str, Value)]) -> Vec<String> {
    found(changes).into_iter().map(|fault| fault.replacen("PT-AT-", "", 1)).collect()
}

#[test]
fn the_codes_of_this_plugin_are_its_own() {
    let pinned = [
        "NUMBER-FORM-01",
        "NUMBER-FORM-02",
        "SERIES-01",
        "SERIES-02",
        "REGION-01",
        "REGION-02",
        "EXEMPTION-01",
        "PRODUCT-TYPE-01",
        "LINE-NEGATIVE-01",
        "REFERENCE-01",
        "REFERENCE-02",
        "POSTCODE-01",
        "RECEIPT-01",
        "RECEIPT-02",
        "RECEIPT-03",
        "WITHHOLDING-01",
    ];
    assert_eq!(faults::ALL, pinned);
    assert!(faults::ALL.iter().all(|code| !codes::ALL.contains(code)));
}

#[test]
fn what_documents_say_besides_has_to_mean_something() {
    let table: &[(&str, Value, &str)] = &[
        ("/document/currency", json!("CHF"), "CURRENCY-01 /currency"),
        ("/document/document_type", json!("replacement_invoice"), "KIND-01 /document_type"),
        ("/document/ext", json!({"doc-type": "NC"}), "DOC-TYPE-01 /ext/doc-type"),
        ("/document/ext", json!({"colour": "red"}), "EXT-01 /ext/colour"),
        ("/document/ext", json!({"exemption": "M07"}), "EXT-01 /ext/exemption"),
        ("/document/ext", json!({"region": "PT", "pt-region": "PT"}), "EXT-02 /ext/pt-region"),
        ("/document/ext", json!({"region": "ES"}), "REGION-02 /ext/region"),
        ("/document/ext", json!({"product-type": "X"}), "PRODUCT-TYPE-01 /ext/product-type"),
        ("/document/ext", json!({"payment-means": "cash"}), "RECEIPT-03 /ext/payment-means"),
        ("/document/recipient/ext", json!({"region": "PT"}), "EXT-01 /recipient/ext/region"),
        ("/document/lines/0/ext", json!({"region": "ES"}), "REGION-02 /lines/0/ext/region"),
        ("/document/lines/0/ext", json!({"region": "PT-MA"}), "REGION-01 /lines/0/tax/rate"),
        ("/document/lines/0/ext", json!({"product-type": "X"}), "PRODUCT-TYPE-01 /lines/0/ext/product-type"),
        ("/document/lines/0/ext", json!({"exemption": "M07"}), "EXT-03 /lines/0/ext/exemption"),
        ("/document/lines/0/ext", json!({"pt-saft-tax-rate": "NOR"}), "EXT-03 /lines/0/ext/pt-saft-tax-rate"),
    ];
    assert_eq!(sound().refuses::<PtAt>(table), Ok(()));
}

#[test]
fn a_number_and_a_recipient_are_what_they_have_to_be() {
    let table: &[(&str, Value, &str)] = &[
        ("/document/number", json!(""), "NUMBER-01 /display_document_number"),
        ("/document/number", json!("FT A/é"), "NUMBER-03 /display_document_number"),
        ("/document/number", json!(format!("FT {}/1", "A".repeat(60))), "NUMBER-02 /display_document_number"),
        ("/document/number", json!("F-2026-1"), "NUMBER-FORM-01 /display_document_number"),
        ("/document/number", json!("FT A/x"), "NUMBER-FORM-01 /display_document_number"),
        ("/document/number", json!("FS A/1"), "NUMBER-FORM-02 /display_document_number"),
        ("/document/number", json!("FT B/1"), "SERIES-02 /display_document_number"),
        ("/document/issue_date", json!("2026-11-21"), "DATE-03 /issue_date"),
        ("/document/issue_date", json!("2022-12-31"), "DATE-02 /issue_date"),
        ("/document/recipient", Value::Null, "RECIPIENT-01 /recipient"),
        ("/document/recipient/name", json!("x".repeat(101)), "RECIPIENT-02 /recipient/name"),
        ("/document/recipient/tax_number", json!("508641234"), "IDENTITY-05 /recipient/tax_number"),
        ("/document/recipient/tax_number", Value::Null, "IDENTITY-01 /recipient/tax_number"),
        ("/document/recipient/country", json!("XX"), "IDENTITY-04 /recipient/country"),
        (
            "/document/recipient/address/street",
            json!("x".repeat(211)),
            "RECIPIENT-04 /recipient/address/street",
        ),
        (
            "/document/recipient/address/locality",
            json!("x".repeat(51)),
            "RECIPIENT-04 /recipient/address/locality",
        ),
        (
            "/document/recipient/address/postcode",
            json!("x".repeat(21)),
            "RECIPIENT-04 /recipient/address/postcode",
        ),
        (
            "/document/recipient/address/region",
            json!("x".repeat(51)),
            "RECIPIENT-04 /recipient/address/region",
        ),
    ];
    assert_eq!(sound().refuses::<PtAt>(table), Ok(()));
}

#[test]
fn lines_their_taxes_and_the_workspace_are_what_they_have_to_be() {
    let table: &[(&str, Value, &str)] = &[
        ("/document/lines/0/description", json!("x"), "LINE-02 /lines/0/description"),
        ("/document/lines/0/description", json!("x".repeat(201)), "LINE-02 /lines/0/description"),
        ("/document/lines/0/quantity", json!("0"), "LINE-NEGATIVE-01 /lines/0/quantity"),
        ("/document/lines/0/quantity", json!("-1"), "LINE-NEGATIVE-01 /lines/0/quantity"),
        ("/document/lines/0/quantity", json!("0.123456789"), "FIGURE-01 /lines/0/quantity"),
        ("/document/lines/0/unit_price", json!("-1.00"), "LINE-NEGATIVE-01 /lines/0/unit_price"),
        ("/document/lines/0/tax/category", json!("IGIC"), "TAX-01 /lines/0/tax/category"),
        ("/document/lines/0/tax/rate", json!("0.00"), "TAX-03 /lines/0/tax/rate"),
        ("/document/lines/0/tax/rate", json!("22"), "REGION-01 /lines/0/tax/rate"),
        (
            "/document/lines/0/tax",
            json!({"category": "VAT", "exemption": "m34"}),
            "TAX-05 /lines/0/tax/exemption",
        ),
        (
            "/document/lines/0/tax",
            json!({"category": "VAT", "exemption": "m26"}),
            "EXEMPTION-01 /lines/0/tax/exemption",
        ),
        (
            "/document/retentions",
            json!([{"category": "IRPF", "rate": "15"}]),
            "RETENTION-01 /retentions/0/category",
        ),
        (
            "/document/retentions",
            json!([{"category": "IRS", "rate": "101"}]),
            "RETENTION-03 /retentions/0/rate",
        ),
        ("/context/settings/region", json!("ES"), "SETTINGS-01 /settings"),
        ("/context/settings/series", json!([]), "SERIES-01 /settings/series"),
        ("/context/supplier/tax_id", json!("545259046"), "SUPPLIER-02 /supplier/tax_id"),
        ("/context/supplier/address", json!(false), "SUPPLIER-06 /supplier/address"),
        ("/context/supplier/address/country", json!("ES"), "SUPPLIER-06 /supplier/address/country"),
        ("/context/supplier/address/postcode", json!("4050"), "POSTCODE-01 /supplier/address/postcode"),
        (
            "/context/supplier/address/locality",
            json!("x".repeat(51)),
            "SUPPLIER-06 /supplier/address/locality",
        ),
    ];
    assert_eq!(sound().refuses::<PtAt>(table), Ok(()));
}

#[test]
fn corrections_refer_to_one_document() {
    let credit = |preceding: Value| {
        codes_of(&[
            ("/document/number", json!("NC A/1")),
            ("/document/document_type", json!("credit_note")),
            ("/document/preceding", preceding),
        ])
    };
    let one = |number: &str| json!({"number": number, "issue_date": "2026-11-18"});
    assert_eq!(credit(json!([one("FT A/9")])), Vec::<String>::new());
    assert_eq!(credit(json!([])), ["PRECEDING-01 /referenced_document_ids"]);
    assert_eq!(credit(json!([one("F-9")])), ["REFERENCE-02 /referenced_document_ids (warning)"]);
    assert_eq!(credit(json!([one("FT A/9"), one("FT A/8")])), ["REFERENCE-01 /referenced_document_ids"]);
}

#[test]
fn an_invoice_receipt_is_paid_by_means_that_are_known() {
    let receipt = |ext: Value, more: &[(&str, Value)]| {
        let changes = [("/document/number", json!("FR A/1")), ("/document/ext", ext)];
        codes_of(&[&changes[..], more].concat())
    };
    let none = Vec::<String>::new();
    let usual = ("/context/settings/payment", json!({"means": "cash"}));
    let due = ("/document/payment", json!({"due_date": "2026-12-20"}));
    assert_eq!(receipt(json!({"doc-type": "FR", "payment-means": "cash"}), &[]), none);
    assert_eq!(receipt(json!({"doc-type": "FR"}), std::slice::from_ref(&usual)), none);
    assert_eq!(receipt(json!({"doc-type": "FR"}), &[]), ["RECEIPT-01 /ext"]);
    assert_eq!(receipt(json!({"doc-type": "FR"}), &[usual, due]), ["RECEIPT-02 /payment/due_date"]);
    assert_eq!(
        receipt(json!({"doc-type": "FR", "payment-means": "gold"}), &[]),
        ["RECEIPT-03 /ext/payment-means"]
    );
}

#[test]
fn a_simplified_invoice_has_a_limit_and_may_go_to_nobody() {
    let simplified = |price: &str, retail: bool| {
        codes_of(&[
            ("/document/number", json!("FS A/1")),
            ("/document/document_type", json!("simplified_invoice")),
            ("/document/recipient", Value::Null),
            ("/document/lines/0/unit_price", json!(price)),
            ("/context/settings/retail", json!(retail)),
        ])
    };
    assert_eq!(simplified("94.33", false), Vec::<String>::new());
    assert_eq!(simplified("94.35", false), ["TOTALS-02 /totals/gross"]);
    assert_eq!(simplified("943.39", true), Vec::<String>::new());
    assert_eq!(simplified("943.41", true), ["TOTALS-02 /totals/gross"]);
}

#[test]
fn what_is_withheld_is_no_more_than_the_document() {
    let both = json!([{"category": "IRS", "rate": "100"}, {"category": "IRC", "rate": "25"}]);
    assert_eq!(codes_of(&[("/document/retentions", both)]), ["WITHHOLDING-01 /retentions"]);
    let twice = json!([{"category": "IRS", "rate": "20"}, {"category": "IRS", "rate": "4"}]);
    assert_eq!(codes_of(&[("/document/retentions", twice)]), ["RETENTION-02 /retentions/1/category"]);
}

#[test]
fn without_a_number_the_type_needs_a_series() {
    let number = ("/document/number", Value::Null);
    assert_eq!(codes_of(std::slice::from_ref(&number)), Vec::<String>::new());
    let other = json!([{"type": "FS", "series": "A", "code": "CDF7T5HD"}]);
    assert_eq!(codes_of(&[number, ("/context/settings/series", other)]), ["SERIES-01 /settings/series"]);
}

#[test]
fn the_check_goes_by_the_day_in_portugal() {
    for (now, day, taken) in [
        ("2026-11-20T23:59:59Z", "2026-11-21", false),
        ("2026-11-21T00:00:00Z", "2026-11-21", true),
        ("2026-07-01T22:59:59Z", "2026-07-02", false),
        ("2026-07-01T23:00:00Z", "2026-07-02", true),
        ("2026-11-20T12:00:00Z", "2026-11-22", false),
    ] {
        let context = Context { now: now.to_owned(), today: day.to_owned(), ..support::context() };
        let mut dated = sound().case["document"].clone();
        dated["issue_date"] = json!(day);
        let faults = PtAt::check(&invoice(&dated).unwrap(), &context);
        let codes: Vec<_> = faults.into_iter().map(|fault| fault.code).collect();
        assert_eq!(codes, if taken { vec![] } else { vec!["PT-AT-DATE-03"] }, "{now} {day}");
    }
}

#[test]
fn an_identity_is_mapped_in_the_authoritys_terms() {
    let mapped = |recipient: Value| {
        PtAt::map_identity(&einvoice_plugin::harness::recipient(&recipient).unwrap())
            .map_err(|faults| faults[0].code.clone())
    };
    let number = |recipient: Value| match mapped(recipient) {
        Ok(Identity::TaxId(id)) => (id.country, id.code),
        other => panic!("{other:?}"),
    };
    let of = |country: &str, code: &str| (country.to_owned(), code.to_owned());
    let company = |number: &str, country: &str| json!({"type": "company", "name": "Maçã", "tax_number": number, "country": country});
    assert_eq!(number(company("PT 508 641 233", "PT")), of("PT", "508641233"));
    assert_eq!(number(company("EL094259216", "GR")), of("EL", "094259216"));
    let person = |kind: &str, number: &str, country: Value| {
        json!({"type": "individual", "name": "Ana",
               "identity_document": {"type": kind, "number": number, "country": country}})
    };
    assert_eq!(number(person("id_card", "219876541", Value::Null)), of("PT", "219876541"));
    assert_eq!(number(person("other", "219876541", json!("PT"))), of("PT", "219876541"));
    let other = |recipient: Value| match mapped(recipient) {
        Ok(Identity::Other(id)) => id.type_key,
        other => panic!("{other:?}"),
    };
    assert_eq!(other(person("id_card", "12345678 9 ZZ4", Value::Null)), "national");
    assert_eq!(other(person("passport", "219876541", json!("GB"))), "passport");
    assert_eq!(mapped(json!({"type": "individual", "name": "Ana"})), Err("PT-AT-IDENTITY-01".to_owned()));
}

#[test]
fn the_schema_of_the_settings_and_the_plugin_agree() {
    let series = |kind: &str, series: &str, code: &str| {
        let mut settings = support::settings();
        settings["series"]
            .as_array_mut()
            .unwrap()
            .push(json!({"type": kind, "series": series, "code": code}));
        settings
    };
    let with = |member: &str, value: Value| {
        let mut settings = support::settings();
        settings[member] = value;
        settings
    };
    let taken = [
        support::settings(),
        series("ND", "a.B_c-9", "ABCDEFGH12"),
        with("region", json!("PT-AC")),
        with("product_type", json!("P")),
        with("payment", json!({"means": "credit-transfer", "iban": "PT50000201231234567890154"})),
    ];
    let refused = [
        with("strict", json!(true)),
        with("certificate_number", json!(-1)),
        with("certificate_number", json!(100_000_000)),
        with("region", json!("PT-PT")),
        with("product_type", json!("X")),
        with("payment", json!({"means": "gold"})),
        series("RC", "A", "ABCDEFGH"),
        series("FT", "A/B", "ABCDEFGH"),
        series("FT", "", "ABCDEFGH"),
        series("FT", "A", "ABCDEFG"),
        series("FT", "A", "abcdefgh"),
        json!([]),
    ];
    assert_eq!(sound().agrees_on_settings::<PtAt>(&taken, &refused), Ok(()));
}

#[test]
fn the_description_offers_what_documents_may_have() {
    let description = PtAt::describe();
    assert_eq!((description.key.as_str(), description.kinds.len()), ("pt-at", 4));
    assert_eq!((description.exemptions.len(), description.retentions.len()), (31, 2));
    for exemption in description.exemptions.iter().filter(|exemption| exemption.key != "m26") {
        let tax = json!({"category": "VAT", "exemption": exemption.key});
        assert_eq!(found(&[("/document/lines/0/tax", tax)]), Vec::<String>::new(), "{}", exemption.key);
    }
    for rate in &description.categories[0].rates {
        let region = match rate.key.split_once('_') {
            Some(("azores", _)) => "PT-AC",
            Some(("madeira", _)) => "PT-MA",
            _ => "PT",
        };
        let day = if rate.percent.to_string() == "5" { "2024-09-30" } else { "2026-11-20" };
        let changes = [
            ("/document/lines/0/tax/rate", json!(rate.percent.to_string())),
            ("/document/ext", json!({"region": region})),
            ("/document/operation_date", json!(day)),
        ];
        assert_eq!(found(&changes), Vec::<String>::new(), "{}", rate.key);
    }
}
