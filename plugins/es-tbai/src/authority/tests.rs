use super::*;
use crate::answers;
use einvoice_es::harness::{codes, codes_in};
use einvoice_plugin::{Country, harness};
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn document(region: &str, number: &str, kind: &str) -> String {
    let invoice = harness::invoice(&json!({
        "number": number, "issue_date": "2026-11-20", "document_type": kind, "notes": "Stay & <breakfast>",
        "recipient": {"type": "company", "name": "Acme", "tax_number": "B85905495", "country": "ES",
                      "address": {"street": "Calle Mayor 43", "locality": "Madrid", "postcode": "28003"}},
        "lines": [{"description": "Night", "quantity": "1", "unit_price": "100.00",
                   "tax": {"category": "VAT", "rate": "21.0"}}],
        "preceding": if kind == "invoice" { json!([]) } else {
            json!([{"number": "F-0", "issue_date": "2026-11-19"}])
        },
        "ext": {"region": region},
    }));
    EsTbai::convert(&invoice.unwrap(), &harness::context()).unwrap().body
}

fn submission(region: &str, number: &str) -> Submission {
    harness::submission(&document(region, number, "invoice"), "2026-11-20T09:30:00+01:00")
}

#[test]
fn an_invoice_is_filed_under_issuer_number_and_date() {
    let filing = EsTbai::file(&document("BI", "F-1", "invoice")).unwrap();
    assert_eq!(
        (filing.chain.as_str(), filing.record_key.as_str()),
        ("B98602642", "B98602642|F-1|20-11-2026")
    );
    let envelope = format!(r#"{{"head":{{}},"doc":{}}}"#, document("BI", "F-1", "invoice"));
    assert_eq!(EsTbai::file(&envelope).unwrap().record_key, filing.record_key);
}

#[test]
fn an_accepted_invoice_gets_its_identifier_and_address() {
    let services = [
        ("VI", "https://pruebas-ticketbai.araba.eus/tbai/qrtbai/?id=TBAI-"),
        ("BI", "https://batuz.eus/QRTBAI/?id=TBAI-"),
        ("SS", "https://tbai.prep.gipuzkoa.eus/qr/?id=TBAI-"),
    ];
    for (region, service) in services {
        let outcome = EsTbai::submit(&submission(region, "F-1")).unwrap();
        let [code, qr] = outcome.stamps.as_slice() else { panic!("{outcome:?}") };
        assert_eq!((code.provider.as_str(), qr.provider.as_str()), (STAMP_CODE, STAMP_QR));
        assert!(code.value.starts_with("TBAI-B98602642-201126-") && code.value.len() == 39, "{}", code.value);
        assert!(
            qr.value.starts_with(service) && qr.value.contains("&s=&nf=F-1&i=121.00&cr="),
            "{}",
            qr.value
        );
    }
}

#[test]
fn every_invoice_carries_the_signature_of_the_one_before() {
    let first = EsTbai::submit(&submission("BI", "F-1")).unwrap();
    let kept: StoredRecord = serde_json::from_str(first.record.as_deref().unwrap()).unwrap();
    assert_eq!((kept.number.as_str(), kept.date.as_str(), kept.signature.len()), ("F-1", "20-11-2026", 100));
    let chained = EsTbai::submit(&Submission { previous: first.record, ..submission("BI", "F-2") }).unwrap();
    let alone = EsTbai::submit(&submission("BI", "F-2")).unwrap();
    assert_ne!(chained.stamps[0].value, alone.stamps[0].value);
    assert!(chained.payload.unwrap().contains(&kept.signature));
    assert_eq!(
        EsTbai::submit(&submission("BI", "F-2")).unwrap().stamps,
        alone.stamps,
        "the same input, the same stamps"
    );
}

#[test]
fn a_second_invoice_under_the_same_key_is_a_duplicate() {
    for (region, code) in [("VI", "005"), ("BI", "B4_2000003"), ("SS", "005")] {
        let first = EsTbai::submit(&submission(region, "F-1")).unwrap();
        let again =
            EsTbai::submit(&Submission { registered: first.record, ..submission(region, "F-1") }).unwrap();
        assert_eq!((again.accepted, codes(&again), again.record.is_some()), (false, vec![code], false));
        assert!(again.stamps.is_empty());
    }
}

#[test]
fn an_accepted_invoice_can_be_amended_but_not_renumbered() {
    let first = EsTbai::submit(&submission("BI", "F-1")).unwrap();
    let amends = Some("B98602642|F-1|20-11-2026".to_owned());
    let same = Submission { registered: first.record, amends: amends.clone(), ..submission("BI", "F-1") };
    assert!(EsTbai::submit(&same).unwrap().accepted);
    let renumbered = EsTbai::submit(&Submission { amends, ..submission("BI", "F-2") }).unwrap();
    assert_eq!((renumbered.accepted, codes(&renumbered)), (false, vec![NOTHING_TO_AMEND]));
}

#[test]
fn a_forced_code_rejects_and_a_remark_accepts() {
    let forced = |code: &str| {
        EsTbai::submit(&Submission { forced_code: Some(code.to_owned()), ..submission("BI", "F-1") }).unwrap()
    };
    for code in ["002", "B4_2000070", "B4_2999999", "abc"] {
        let outcome = forced(code);
        assert_eq!((outcome.accepted, codes(&outcome), outcome.stamps.len()), (false, vec![code], 0));
    }
    let remark = forced("010");
    assert_eq!((remark.accepted, codes(&remark), remark.stamps.len()), (true, vec!["010"], 2));
}

#[test]
fn a_credit_note_is_recorded_with_negative_figures() {
    let outcome = EsTbai::submit(&Submission {
        document: document("BI", "R-1", "credit_note"),
        ..submission("BI", "R-1")
    });
    let outcome = outcome.unwrap();
    assert!(outcome.stamps[1].value.contains("&i=-121.00&"), "{}", outcome.stamps[1].value);
    let file = outcome.payload.unwrap();
    assert_eq!(texts(&file, "ImporteTotalFactura"), ["-121.00"]);
    assert_eq!(texts(&file, "Cantidad"), ["-1.00"]);
    assert_eq!(texts(&file, "ImporteUnitario"), ["100.00"]);
    assert_eq!([texts(&file, "BaseImponible"), texts(&file, "CuotaImpuesto")], [["-100.00"], ["-21.00"]]);
    assert_eq!([texts(&file, "Codigo"), texts(&file, "Tipo")], [["R4"], ["I"]]);
    assert_eq!(texts(&file, "NumFactura"), ["R-1", "F-0"]);
    assert_eq!(texts(&file, "FechaExpedicionFactura"), ["20-11-2026", "19-11-2026"]);
}

/// The texts of all elements of this name.
fn texts(file: &str, name: &str) -> Vec<String> {
    let read = roxmltree::Document::parse(file).unwrap();
    let found = read.descendants().filter(|node| node.has_tag_name(name));
    found.map(|node| node.text().unwrap_or_default().to_owned()).collect()
}

/// A document with one member changed.
fn changed(region: &str, kind: &str, pointer: &str, value: Value) -> String {
    let mut written: Value = serde_json::from_str(&document(region, "F-1", kind)).unwrap();
    let (parent, member) = pointer.rsplit_once('/').unwrap();
    written.pointer_mut(parent).unwrap()[member] = value;
    written.to_string()
}

#[test]
fn a_series_stands_apart_from_its_number_everywhere() {
    let document = changed("SS", "invoice", "/series", json!("T"));
    let first = EsTbai::submit(&Submission { document, ..submission("SS", "F-1") }).unwrap();
    let file = first.payload.unwrap();
    assert_eq!([texts(&file, "SerieFactura"), texts(&file, "NumFactura")], [["T"], ["F-1"]]);
    assert!(first.stamps[1].value.contains("&s=T&nf=F-1&"), "{}", first.stamps[1].value);
    let next = EsTbai::submit(&Submission { previous: first.record, ..submission("SS", "F-2") }).unwrap();
    let file = next.payload.unwrap();
    assert_eq!([texts(&file, "SerieFacturaAnterior"), texts(&file, "NumFacturaAnterior")], [["T"], ["F-1"]]);
}

#[test]
fn a_chain_that_goes_back_in_time_is_remarked_where_a_treasury_says_so() {
    let earlier = |region: &str| changed(region, "invoice", "/issue_date", json!("2026-11-19"));
    for (region, codes_expected) in [("VI", vec![CHAIN]), ("SS", vec![CHAIN]), ("BI", vec![])] {
        let previous = EsTbai::submit(&submission(region, "F-0")).unwrap().record;
        let back = Submission { document: earlier(region), previous, ..submission(region, "F-1") };
        let outcome = EsTbai::submit(&back).unwrap();
        assert_eq!((outcome.accepted, codes(&outcome), outcome.stamps.len()), (true, codes_expected, 2));
    }
}

#[test]
fn a_treasury_refuses_what_is_incomplete() {
    let wide = "x".repeat(251);
    let changes = [
        ("BI", "/notes", json!([]), "B4_2000000"),
        ("SS", "/issue_date", json!("2026-11-21"), "004"),
        ("BI", "/issue_date", json!("2026-11-21"), "B4_2000008"),
        ("VI", "/supplier/tax_id/code", json!("B98602643"), "004"),
        ("BI", "/customer/tax_id/code", json!("ES-B85905495"), "B4_2000011"),
        ("SS", "/customer/addresses", json!([]), "004"),
        ("VI", "/customer/addresses/0/code", json!(null), "004"),
        ("BI", "/customer", other("04", None, "X1"), "B4_2000012"),
        ("VI", "/customer", other("04", None, "X1"), "011"),
        ("BI", "/customer", other("02", Some("DE"), "FR1"), "B4_2000013"),
        ("SS", "/customer", other("02", Some("DE"), "FR1"), "011"),
        ("VI", "/code", json!("F".repeat(21)), "002"),
        ("BI", "/code", json!("F".repeat(21)), "B4_2000001"),
        ("BI", "/series", json!("F".repeat(21)), "B4_2000001"),
        ("BI", "/lines/0/item/name", json!(wide), "B4_2000001"),
        ("BI", "/lines/0/quantity", json!("1e3"), "B4_2000001"),
        ("BI", "/totals/total_with_tax", json!("1000000000000.00"), "B4_2000001"),
        ("BI", "/totals/taxes/categories/0/rates/0/ext", json!({"es-tbai-regime": "18"}), "B4_2000001"),
        (
            "SS",
            "/totals/taxes/categories/0/rates/0/ext",
            json!({"es-tbai-regime": "01", "es-tbai-exemption": "E9"}),
            "002",
        ),
        ("BI", "/customer", other("09", Some("DE"), "X1"), "B4_2000001"),
        ("BI", "/totals/taxes", json!({}), "B4_2000030"),
        ("VI", "/totals/taxes", json!({}), "011"),
        ("SS", "/notes", json!([{"key": "legal", "text": "x"}]), "004"),
        ("BI", "/tax", json!({"ext": {}}), "004"),
        ("BI", "/customer", json!({"name": "Jane Roe"}), "B4_2000000"),
        ("BI", "/customer", json!(null), "B4_2000000"),
        ("BI", "/customer/tax_id/code", json!("B85905496"), "B4_2000011"),
        ("VI", "/customer/tax_id/code", json!("B85905496"), "011"),
        ("SS", "/type", json!("credit-note"), "004"),
        ("BI", "/type", json!("credit-note"), "B4_2000045"),
        ("BI", "/preceding", json!([{"code": "F-0"}]), "B4_2000016"),
        ("SS", "/lines", json!([]), "003"),
    ];
    for (region, pointer, value, code) in changes {
        let document = changed(region, "invoice", pointer, value);
        let outcome = EsTbai::submit(&Submission { document, ..submission(region, "F-1") }).unwrap();
        assert_eq!((outcome.accepted, codes(&outcome)), (false, vec![code]), "{region} {pointer}");
        assert!(outcome.payload.is_some(), "what is refused is shown as well");
    }
}

/// A customer with an identity document.
fn other(id_type: &str, country: Option<&str>, code: &str) -> Value {
    json!({"name": "Jane Roe", "addresses": [{"street": "1 High St", "locality": "Leeds", "country": "GB"}],
           "identities": [{"country": country, "code": code, "ext": {"es-tbai-identity-type": id_type}}]})
}

#[test]
fn a_foreign_recipient_of_nothing_is_told_so_in_bizkaia() {
    let mut written: Value = serde_json::from_str(&document("BI", "F-1", "invoice")).unwrap();
    written["customer"] = other("03", Some("GB"), "123456789");
    written["totals"]["taxes"] = json!({});
    let document = written.to_string();
    let outcome = EsTbai::submit(&Submission { document, ..submission("BI", "F-1") }).unwrap();
    assert_eq!(codes(&outcome), ["B4_2000038"]);
}

#[test]
fn the_register_of_a_person_in_bizkaia_has_an_economic_activity() {
    let of_person = |region: &str, activity: Value| {
        let mut written: Value = serde_json::from_str(&document(region, "F-1", "invoice")).unwrap();
        written["supplier"]["tax_id"]["code"] = json!("54387763P");
        written["supplier"]["ext"] = json!({ "es-tbai-bi-activity": activity });
        let document = written.to_string();
        EsTbai::submit(&Submission { document, ..submission(region, "F-1") }).unwrap()
    };
    assert!(of_person("BI", json!("147213")).accepted && of_person("SS", json!(null)).accepted);
    for wrong in [json!(null), json!("12345678")] {
        assert_eq!(codes(&of_person("BI", wrong)), ["B4_1000001"]);
    }
}

#[test]
fn bizkaia_wants_no_lines() {
    let document = changed("BI", "invoice", "/lines", json!([]));
    let outcome = EsTbai::submit(&Submission { document, ..submission("BI", "F-1") }).unwrap();
    assert!(outcome.accepted && !outcome.payload.unwrap().contains("DetallesFactura"));
}

#[test]
fn every_code_that_a_tester_asks_for_is_answered_with_what_it_means() {
    for code in answers::codes() {
        let forced = Submission { forced_code: Some(code.to_owned()), ..submission("BI", "F-1") };
        let outcome = EsTbai::submit(&forced).unwrap();
        assert_eq!((outcome.accepted, codes(&outcome)), ((ANSWERS.accepts)(code), vec![code]));
        assert_eq!(outcome.faults[0].message.as_deref(), (ANSWERS.meaning)(code), "{code}");
    }
}

#[test]
fn every_code_that_a_rule_gives_has_a_case() {
    let codes = |sources: &[&'static str]| -> BTreeSet<&str> {
        sources.iter().flat_map(|source| codes_in(source, ANSWERS.is_code)).collect()
    };
    let given = codes(&[include_str!("rules.rs")]);
    assert!(given.len() > 10 && given.is_subset(&codes(&[include_str!("tests.rs")])), "{given:?}");
}

#[test]
fn a_correction_without_reason_is_incomplete() {
    let mut written: Value = serde_json::from_str(&document("BI", "R-1", "credit_note")).unwrap();
    written["preceding"][0]["ext"] = json!({});
    let outcome =
        EsTbai::submit(&Submission { document: written.to_string(), ..submission("BI", "R-1") }).unwrap();
    assert_eq!(codes(&outcome), ["B4_2000000"]);
}

#[test]
fn what_is_no_document_is_a_fault() {
    for json in ["", "{}", "[]", "null", r#"{"supplier":{"tax_id":{"country":"ES","code":"B98602642"}}}"#] {
        assert_eq!(EsTbai::file(json).unwrap_err()[0].code, faults::SANDBOX_DOCUMENT, "{json}");
    }
    let broken = Submission { previous: Some("{}".to_owned()), ..submission("BI", "F-1") };
    assert_eq!(EsTbai::submit(&broken).unwrap_err()[0].code, faults::SANDBOX_DOCUMENT);
}
