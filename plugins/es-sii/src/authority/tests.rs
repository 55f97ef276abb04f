use super::*;
use einvoice_es::harness::codes;
use einvoice_plugin::{Country, harness};
use serde_json::{Value, json};

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
    harness::submission(&document(number, "invoice"), "2026-11-20T09:30:00+01:00")
}

#[test]
fn an_invoice_is_filed_under_issuer_number_and_date() {
    let filing = EsSii::file(&document("F-1", "invoice")).unwrap();
    assert_eq!(
        (filing.chain.as_str(), filing.record_key.as_str()),
        ("B98602642", "B98602642|F-1|20-11-2026")
    );
}

#[test]
fn an_accepted_invoice_is_remembered_and_gets_no_stamp() {
    let outcome = EsSii::submit(&submission("F-1")).unwrap();
    assert!(outcome.accepted && outcome.stamps.is_empty() && outcome.faults.is_empty());
    assert_eq!(outcome.record.as_deref(), Some(r#"{"number":"F-1","date":"20-11-2026"}"#));
    let record: Value = serde_json::from_str(&outcome.payload.unwrap()).unwrap();
    let filed = &record["SuministroLRFacturasEmitidas"]["RegistroLRFacturasEmitidas"];
    assert_eq!(filed["PeriodoLiquidacion"], json!({"Ejercicio": "2026", "Periodo": "11"}));
    assert_eq!(filed["FacturaExpedida"]["TipoFactura"], "F1");
    assert_eq!(filed["FacturaExpedida"]["DescripcionOperacion"], "Night");
}

#[test]
fn a_second_invoice_under_the_same_key_is_a_duplicate() {
    let first = EsSii::submit(&submission("F-1")).unwrap();
    let again = EsSii::submit(&Submission { registered: first.record, ..submission("F-1") }).unwrap();
    assert_eq!((again.accepted, codes(&again), again.record.clone()), (false, vec!["3000"], None));
}

#[test]
fn an_accepted_invoice_can_be_amended_but_not_renumbered() {
    let first = EsSii::submit(&submission("F-1")).unwrap();
    let amends = Some("B98602642|F-1|20-11-2026".to_owned());
    let same = Submission { registered: first.record, amends: amends.clone(), ..submission("F-1") };
    let amended = EsSii::submit(&same).unwrap();
    assert!(amended.accepted && amended.payload.unwrap().contains(r#""TipoComunicacion":"A1""#));
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
    assert_eq!((remark.accepted, codes(&remark), remark.record.is_some()), (true, vec!["2011"], true));
}

#[test]
fn a_credit_note_is_recorded_with_negative_figures() {
    let outcome =
        EsSii::submit(&Submission { document: document("R-1", "credit_note"), ..submission("R-1") }).unwrap();
    let record: Value = serde_json::from_str(&outcome.payload.unwrap()).unwrap();
    let filed = &record["SuministroLRFacturasEmitidas"]["RegistroLRFacturasEmitidas"]["FacturaExpedida"];
    assert_eq!((&filed["TipoRectificativa"], &filed["ImporteTotal"]), (&json!("I"), &json!("-121.00")));
    assert_eq!(filed["TipoDesglose"][0]["CuotaRepercutida"], "-21.00");
    assert_eq!(filed["FacturasReferidas"][0]["NumSerieFacturaEmisor"], "F-0");
}

#[test]
fn the_agency_refuses_what_is_incomplete_or_contradicts_itself() {
    let row = |regime: &str, exempt: &str| json!({"ext": {"es-sii-regime": regime, "es-sii-exempt": exempt}, "base": "1.00", "amount": "0.00"});
    let rows = |rows: Value| json!([{"code": "VAT", "rates": rows}]);
    let changes = [
        ("/tax/ext", json!({}), "4102"),
        ("/tax/ext/es-sii-doc-type", json!("F9"), "1100"),
        ("/tax/ext/es-sii-doc-type", json!("R1"), "4102"),
        ("/tax/ext/es-sii-correction-type", json!("I"), "1100"),
        ("/type", json!("credit-note"), "1100"),
        ("/customer", json!(null), "4102"),
        ("/customer", json!({"name": "Jane Roe"}), "4102"),
        ("/customer/tax_id/code", json!("B85905496"), "1100"),
        ("/lines", json!([]), "4102"),
        ("/totals/taxes/categories", rows(json!([row("01", "E1"), row("02", "E2")])), "1100"),
        ("/totals/taxes/categories", rows(json!([row("01", "E3")])), "1100"),
    ];
    for (pointer, value, code) in changes {
        let mut written: Value = serde_json::from_str(&document("F-1", "invoice")).unwrap();
        let (parent, member) = pointer.rsplit_once('/').unwrap();
        written.pointer_mut(parent).unwrap()[member] = value;
        let outcome =
            EsSii::submit(&Submission { document: written.to_string(), ..submission("F-1") }).unwrap();
        assert_eq!((outcome.accepted, codes(&outcome)), (false, vec![code]), "{pointer}");
    }
}

#[test]
fn a_simplified_document_needs_no_recipient() {
    let mut written: Value = serde_json::from_str(&document("F-1", "invoice")).unwrap();
    written["tax"]["ext"]["es-sii-doc-type"] = json!("F2");
    written["customer"] = Value::Null;
    assert!(
        EsSii::submit(&Submission { document: written.to_string(), ..submission("F-1") }).unwrap().accepted
    );
}

#[test]
fn what_is_no_document_is_a_fault() {
    for json in ["", "{}", "[]", "null", r#"{"supplier":{"tax_id":{"country":"ES","code":"B98602642"}}}"#] {
        assert_eq!(EsSii::file(json).unwrap_err()[0].code, faults::SANDBOX_DOCUMENT, "{json}");
    }
}
