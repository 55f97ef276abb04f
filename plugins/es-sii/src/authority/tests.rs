use super::*;
use einvoice_es::harness::codes;
use einvoice_plugin::{Country, ProviderResult, Verdict, harness};
use roxmltree::Node;
use serde_json::{Value, json};

use crate::answers::MEANINGS;

const NOW: &str = "2026-11-20T09:30:00+01:00";
const KEY: &str = "B98602642|F-1|20-11-2026";

fn document(number: &str, kind: &str) -> String {
    let invoice = harness::invoice(&json!({
        "number": number, "issue_date": "2026-11-20", "document_type": kind,
        "recipient": {"type": "company", "name": "Acme", "tax_number": "B85905495", "country": "ES"},
        "lines": [{"description": "Night", "quantity": "1", "unit_price": "100.00",
                   "tax": {"category": "VAT", "rate": "21.0"}}],
        "preceding": if kind == "invoice" { json!([]) } else {
            json!([{"number": "F-0", "issue_date": "2026-11-19"}])
        },
    }));
    EsSii::convert(&invoice.unwrap(), &harness::context()).unwrap().body
}

fn submission(number: &str) -> Submission {
    harness::submission(&document(number, "invoice"), NOW)
}

/// What the agency answers to an invoice with other members.
fn changed(changes: &[(&str, Value)]) -> Outcome {
    let mut written: Value = serde_json::from_str(&document("F-1", "invoice")).unwrap();
    for (pointer, value) in changes {
        let (parent, member) = pointer.rsplit_once('/').unwrap();
        written.pointer_mut(parent).unwrap()[member] = value.clone();
    }
    EsSii::submit(&Submission { document: written.to_string(), ..submission("F-1") }).unwrap()
}

/// Rows of VAT as the breakdown of a document.
fn rows(rows: Value) -> (&'static str, Value) {
    let mut category = json!({"code": "VAT"});
    category["rates"] = rows;
    ("/totals/taxes/categories", json!([category]))
}

fn row(ext: Value, base: &str, percent: Option<&str>, amount: &str) -> Value {
    let mut row = json!({"base": base, "percent": percent, "amount": amount});
    row["ext"] = ext;
    row
}

/// A recipient with an identity of a type and country.
fn identified(id_type: &str, country: &str, code: &str) -> (&'static str, Value) {
    let identity = json!({"country": country, "code": code, "ext": {"es-sii-identity-type": id_type}});
    ("/customer", json!({"name": "Jane Roe", "identities": [identity]}))
}

/// The texts of the elements of a name, whatever their namespace.
fn texts(xml: &str, name: &str) -> Vec<String> {
    let read = roxmltree::Document::parse(xml).unwrap();
    let named = |node: &Node<'_, '_>| node.tag_name().name() == name;
    read.descendants().filter(named).map(|node| node.text().unwrap_or_default().to_owned()).collect()
}

#[test]
fn an_invoice_is_filed_under_issuer_number_and_date() {
    let filing = EsSii::file(&document("F-1", "invoice")).unwrap();
    assert_eq!((filing.chain.as_str(), filing.record_key.as_str()), ("B98602642", KEY));
}

#[test]
fn an_accepted_invoice_is_remembered_and_gets_no_stamp() {
    let outcome = EsSii::submit(&submission("F-1")).unwrap();
    assert!(outcome.accepted && outcome.stamps.is_empty() && outcome.faults.is_empty());
    assert_eq!(outcome.record.as_deref(), Some(r#"{"number":"F-1","date":"20-11-2026","state":"Correcta"}"#));
    let xml = outcome.payload.unwrap();
    for (name, expected) in [
        ("IDVersionSii", "1.1"),
        ("TipoComunicacion", "A0"),
        ("Ejercicio", "2026"),
        ("Periodo", "11"),
        ("TipoFactura", "F1"),
        ("DescripcionOperacion", "Night"),
        ("TipoImpositivo", "21.00"),
    ] {
        assert_eq!(texts(&xml, name), [expected], "{name}");
    }
}

#[test]
fn a_second_invoice_under_the_same_key_is_a_duplicate_of_what_stands() {
    let stands = |forced: Option<&str>| {
        let first = Submission { forced_code: forced.map(str::to_owned), ..submission("F-1") };
        let registered = EsSii::submit(&first).unwrap().record;
        let again = EsSii::submit(&Submission { registered, ..submission("F-1") }).unwrap();
        assert_eq!((again.accepted, codes(&again), again.record.clone()), (false, vec!["3000"], None));
        again.faults[0].message.clone().unwrap()
    };
    assert!(stands(None).ends_with("number. The record that stands is correct."));
    assert!(stands(Some("2011")).ends_with("The record that stands was accepted with errors."));
}

#[test]
fn a_record_of_an_earlier_version_is_read() {
    let registered = Some(r#"{"number":"F-1","date":"20-11-2026"}"#.to_owned());
    let again = EsSii::submit(&Submission { registered, ..submission("F-1") }).unwrap();
    assert_eq!(codes(&again), ["3000"]);
}

#[test]
fn an_accepted_invoice_can_be_amended_but_not_renumbered() {
    let first = EsSii::submit(&submission("F-1")).unwrap();
    let amends = Some(KEY.to_owned());
    let same = Submission { registered: first.record, amends: amends.clone(), ..submission("F-1") };
    let amended = EsSii::submit(&same).unwrap();
    assert!(amended.accepted);
    assert_eq!(texts(&amended.payload.unwrap(), "TipoComunicacion"), ["A1"]);
    let renumbered = EsSii::submit(&Submission { amends, ..submission("F-2") }).unwrap();
    assert_eq!((renumbered.accepted, codes(&renumbered)), (false, vec!["3002"]));
}

#[test]
fn a_forced_code_rejects_and_one_of_the_two_thousands_accepts_with_errors() {
    let forced = |code: &str| {
        EsSii::submit(&Submission { forced_code: Some(code.to_owned()), ..submission("F-1") }).unwrap()
    };
    for code in ["1117", "4102", "9999", "abc"] {
        let outcome = forced(code);
        assert_eq!((outcome.accepted, codes(&outcome), outcome.record.is_some()), (false, vec![code], false));
    }
    let remark = forced("2011");
    assert_eq!((remark.accepted, codes(&remark)), (true, vec!["2011"]));
    assert!(remark.record.unwrap().contains("AceptadaConErrores"));
}

/// What the provider reports of an answer. It may call a job failed that brought a remark.
fn report(outcome: &Outcome, succeeded: bool) -> ProviderResult {
    let (stamps, faults) = (outcome.stamps.clone(), outcome.faults.clone());
    ProviderResult { succeeded, faults, stamps, job: "{}".to_owned(), entry: "{}".to_owned() }
}

#[test]
fn who_asks_for_the_verdict_tells_a_correct_record_from_one_with_errors() {
    let warnings = |outcome: &Outcome, succeeded: bool| {
        let Verdict::Accepted(acceptance) = EsSii::interpret(&report(outcome, succeeded)).unwrap() else {
            panic!("{outcome:?}")
        };
        acceptance.warnings.into_iter().map(|warning| warning.code).collect::<Vec<_>>()
    };
    assert_eq!(warnings(&EsSii::submit(&submission("F-1")).unwrap(), true), [""; 0]);
    for code in ["2012", "2025", "2011"] {
        let with_errors = provoked(code);
        for succeeded in [true, false] {
            assert_eq!(warnings(&with_errors, succeeded), [code], "{succeeded}");
        }
    }
    let late = Submission { now: "2026-11-27T00:00:00+01:00".to_owned(), ..submission("F-1") };
    assert_eq!(warnings(&EsSii::submit(&late).unwrap(), true), ["LATE"], "no code of the agency");
    for code in ["1117", "3000", "4102"] {
        let Verdict::Rejected(rejection) = EsSii::interpret(&report(&provoked(code), false)).unwrap() else {
            panic!("{code}")
        };
        assert_eq!(rejection.code.as_deref(), Some(code));
    }
}

#[test]
fn a_record_with_errors_is_correct_once_it_is_amended() {
    let with_errors = provoked("2025");
    assert!(with_errors.record.as_deref().unwrap().contains("AceptadaConErrores"));
    let amends = Some(KEY.to_owned());
    let amended = Submission { registered: with_errors.record, amends, ..submission("F-1") };
    let amended = EsSii::submit(&amended).unwrap();
    assert_eq!((amended.accepted, codes(&amended)), (true, vec![]));
    assert!(amended.record.unwrap().contains("Correcta"));
}

#[test]
fn a_credit_note_is_recorded_with_negative_figures() {
    let outcome =
        EsSii::submit(&Submission { document: document("R-1", "credit_note"), ..submission("R-1") }).unwrap();
    let xml = outcome.payload.unwrap();
    for (name, expected) in [
        ("TipoRectificativa", "I"),
        ("ImporteTotal", "-121.00"),
        ("BaseImponible", "-100.00"),
        ("CuotaRepercutida", "-21.00"),
    ] {
        assert_eq!(texts(&xml, name), [expected], "{name}");
    }
    assert_eq!(texts(&xml, "NumSerieFacturaEmisor"), ["R-1", "F-0"]);
    assert_eq!(texts(&xml, "FechaExpedicionFacturaEmisor"), ["20-11-2026", "19-11-2026"]);
}

#[test]
fn the_period_is_that_of_the_operation() {
    let outcome = changed(&[("/op_date", json!("2026-10-31"))]);
    let xml = outcome.payload.unwrap();
    assert_eq!(
        (texts(&xml, "Periodo"), texts(&xml, "FechaOperacion")),
        (vec!["10".to_owned()], vec!["31-10-2026".to_owned()])
    );
}

#[test]
fn goods_and_services_stand_apart_when_the_recipient_is_not_spanish() {
    let row_of = |product: &str, percent: Option<&str>, exempt: Option<&str>| {
        let mut ext = json!({"es-sii-regime": "01", "es-sii-product": product});
        ext["es-sii-exempt"] = exempt.into();
        row(ext, "100.00", percent, if percent.is_some() { "21.00" } else { "0.00" })
    };
    let mixed = json!([
        row_of("goods", Some("21.0%"), None),
        row_of("services", Some("21.0%"), None),
        row_of("services", None, Some("E1"))
    ]);
    for (customer, apart) in [
        (identified("04", "GB", "123"), true),
        (("/customer", json!({"name": "Branch", "tax_id": {"country": "ES", "code": "N0032484H"}})), true),
        (("/customer", json!({"name": "Acme", "tax_id": {"country": "ES", "code": "B85905495"}})), false),
    ] {
        let xml = changed(&[customer, rows(mixed.clone())]).payload.unwrap();
        let read = roxmltree::Document::parse(&xml).unwrap();
        let under = |parent: &str| {
            let rows = read.descendants().filter(|node| node.tag_name().name() == "BaseImponible");
            let inside = |node: &Node<'_, '_>| node.ancestors().any(|one| one.tag_name().name() == parent);
            rows.filter(inside).map(|node| node.text().unwrap_or_default().to_owned()).collect::<Vec<_>>()
        };
        if apart {
            assert_eq!(
                (under("PrestacionServicios").len(), under("Entrega")),
                (2, vec!["100.00".to_owned()])
            );
        } else {
            assert_eq!(under("DesgloseFactura"), ["100.00", "200.00"], "exempt, then both of one rate");
        }
    }
}

#[test]
fn igic_has_books_of_its_own_and_is_outside_the_scope_of_vat() {
    let categories = |vat: bool| {
        let ext = json!({"es-sii-regime": "01", "es-sii-exempt": "E6"});
        let igic = json!({"code": "IGIC", "rates": [row(ext, "50.00", None, "0.00")]});
        let of_vat = json!({"code": "VAT", "rates": [row(json!({"es-sii-regime": "01"}), "100.00", Some("21.0%"), "21.00")]});
        ("/totals/taxes/categories", if vat { json!([of_vat, igic]) } else { json!([igic]) })
    };
    let islands = changed(&[categories(false), ("/totals/total_with_tax", json!("50.00"))]).payload.unwrap();
    assert!(islands.contains("/ssii/igic/ws/SuministroLR.xsd"));
    assert_eq!(
        (texts(&islands, "IDVersionSii"), texts(&islands, "CausaExencion")),
        (vec!["1.0".to_owned()], vec!["E8".to_owned()])
    );
    let state = changed(&[categories(true), ("/totals/total_with_tax", json!("171.00"))]).payload.unwrap();
    assert!(state.contains("/ssii/fact/ws/SuministroLR.xsd"));
    assert_eq!(texts(&state, "ClaveRegimenEspecialOTrascendenciaAdicional1"), ["08"]);
    assert_eq!(texts(&state, "ImporteTAIReglasLocalizacion"), ["50.00"]);
}

/// How each code that the stand-in knows comes about: by a document, by what the agency holds already, or because a tester
/// asks for it.
fn provoked(code: &str) -> Outcome {
    let general = |more: Value| {
        let mut ext = json!({"es-sii-regime": "01"});
        ext.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ext
    };
    let taxed = |base: &str, amount: &str| row(general(json!({})), base, Some("21.0%"), amount);
    match code {
        "1100" => changed(&[("/tax/ext/es-sii-doc-type", json!("F9"))]),
        "1101" => changed(&[identified("03", "RE", "123")]),
        "1104" => changed(&[identified("02", "US", "US1234567")]),
        "1153" => changed(&[("/customer/tax_id/code", json!("B85905496"))]),
        "1168" => changed(&[identified("07", "FR", "54387763P")]),
        "1169" => changed(&[identified("07", "ES", "54387763A")]),
        "1231" => changed(&[rows(json!([taxed("100.00", "-21.00")]))]),
        "1252" => {
            changed(&[rows(json!([row(json!({"es-sii-regime": "02"}), "100.00", Some("21.0%"), "21.00")]))])
        }
        "2012" => {
            changed(&[rows(json!([taxed("100.00", "31.01")])), ("/totals/total_with_tax", json!("131.01"))])
        }
        "2025" => changed(&[("/totals/total_with_tax", json!("131.01"))]),
        "3000" => {
            let registered = EsSii::submit(&submission("F-1")).unwrap().record;
            EsSii::submit(&Submission { registered, ..submission("F-1") }).unwrap()
        }
        "3002" => {
            EsSii::submit(&Submission { amends: Some("other".to_owned()), ..submission("F-1") }).unwrap()
        }
        "4102" => changed(&[("/customer", json!(null))]),
        "4122" => changed(&[("/supplier/tax_id/code", json!("B98602643"))]),
        _ => EsSii::submit(&Submission { forced_code: Some(code.to_owned()), ..submission("F-1") }).unwrap(),
    }
}

#[test]
fn every_code_the_stand_in_knows_comes_about_and_says_what_to_do() {
    for (code, sentence) in MEANINGS {
        let outcome = provoked(code);
        assert_eq!(codes(&outcome), [*code]);
        assert_eq!(outcome.accepted, code.starts_with('2'), "{code}");
        let said = outcome.faults[0].message.as_deref().unwrap();
        assert!(said.starts_with(sentence), "{code}: {said}");
        let state = outcome.record.map(|record| record.contains("AceptadaConErrores"));
        assert_eq!(state, code.starts_with('2').then_some(true), "{code}");
    }
}

#[test]
fn the_agency_refuses_what_is_incomplete_or_contradicts_itself() {
    let of = |regime: &str, exempt: &str| {
        row(json!({"es-sii-regime": regime, "es-sii-exempt": exempt}), "1.00", None, "0.00")
    };
    let changes = [
        (("/tax/ext", json!({})), "4102"),
        (("/tax/ext/es-sii-doc-type", json!("R1")), "4102"),
        (("/tax/ext/es-sii-correction-type", json!("I")), "1100"),
        (("/tax/ext/es-sii-simplified-art7273", json!("yes")), "1100"),
        (("/type", json!("credit-note")), "1100"),
        (("/customer", json!({"name": "Jane Roe"})), "4102"),
        (("/customer/name", json!("")), "1100"),
        (identified("01", "GB", "123"), "1100"),
        (identified("04", "GB", ""), "1100"),
        (("/lines", json!([])), "4102"),
        (("/code", json!("F".repeat(61))), "1100"),
        (("/issue_date", json!("2026-11-21")), "1100"),
        (("/issue_date", json!("2016-12-31")), "1100"),
        (("/op_date", json!("2026-11-21")), "1100"),
        (("/preceding", json!([{"code": "F-0"}])), "1100"),
        (("/totals/total_with_tax", json!("1.001")), "1100"),
        (rows(json!([])), "4102"),
        (rows(json!([of("01", "E1"), of("02", "E2")])), "1100"),
        (rows(json!([of("01", "E3")])), "1100"),
        (rows(json!([of("18", "E1")])), "1100"),
        (rows(json!([of("01", "E7")])), "1100"),
    ];
    for (change, code) in changes {
        let outcome = changed(std::slice::from_ref(&change));
        assert_eq!((outcome.accepted, codes(&outcome)), (false, vec![code]), "{change:?}");
    }
}

#[test]
fn what_the_agency_says_nothing_about_or_is_spared_here_is_remarked_in_the_sandboxs_name() {
    let spared = changed(&[identified("06", "ES", "54387763")]);
    let late =
        EsSii::submit(&Submission { now: "2026-11-27T00:00:00+01:00".to_owned(), ..submission("F-1") });
    for (outcome, code) in [(spared, "1168"), (late.unwrap(), "LATE")] {
        assert_eq!((outcome.accepted, codes(&outcome)), (true, vec![code]));
        assert_eq!(outcome.faults[0].provider.as_deref(), Some(SII_SANDBOX));
        assert!(outcome.record.unwrap().contains("Correcta"), "{code}");
    }
    let amended = Submission {
        now: "2026-11-27T00:00:00+01:00".to_owned(),
        amends: Some(KEY.to_owned()),
        ..submission("F-1")
    };
    assert_eq!(codes(&EsSii::submit(&amended).unwrap()), Vec::<&str>::new());
}

#[test]
fn a_total_is_no_sum_under_some_regimes() {
    let ext = json!({"es-sii-regime": "05"});
    let outcome = changed(&[
        rows(json!([row(ext, "100.00", Some("21.0%"), "21.00")])),
        ("/totals/total_with_tax", json!("500.00")),
    ]);
    assert_eq!((outcome.accepted, codes(&outcome)), (true, vec![]));
}

#[test]
fn a_simplified_document_needs_no_recipient() {
    let simplified = ("/tax/ext/es-sii-doc-type", json!("F2"));
    let outcome = changed(&[simplified, ("/customer", json!(null))]);
    assert!(outcome.accepted);
    assert!(texts(&outcome.payload.unwrap(), "Contraparte").is_empty());
}

#[test]
fn what_is_no_document_is_a_fault() {
    for json in ["", "{}", "[]", "null", r#"{"supplier":{"tax_id":{"country":"ES","code":"B98602642"}}}"#] {
        assert_eq!(EsSii::file(json).unwrap_err()[0].code, faults::SANDBOX_DOCUMENT, "{json}");
    }
}
