//! What the agency answers, and what it remembers.

use super::*;
use einvoice_es::harness::codes;
use einvoice_es::record::{Cancellation, Record};
use einvoice_plugin::{Country, harness};
use memory::{RefusedRecord, Standing};
use serde_json::{Value, json};

fn document(number: &str) -> String {
    let invoice = harness::invoice(&json!({
        "number": number, "issue_date": "2026-11-20", "prices_include_tax": true,
        "recipient": {"type": "individual", "name": "Jane Roe & Söhne",
                      "identity_document": {"type": "passport", "number": "123456789", "country": "GB"}},
        "lines": [{"description": "Night <1>", "quantity": "1", "unit_price": "121.00",
                   "tax": {"category": "VAT", "rate": "21.0"}}]
    }));
    EsVerifactu::convert(&invoice.unwrap(), &harness::context()).unwrap().body
}

fn submission(number: &str) -> Submission {
    harness::submission(&document(number), "2026-11-20T09:30:00.123456+01:00")
}

#[test]
fn a_record_is_filed_under_issuer_number_and_date() {
    let filing = EsVerifactu::file(&document("F-2026-000001")).unwrap();
    assert_eq!(filing.chain, "B98602642");
    assert_eq!(filing.record_key, "B98602642|F-2026-000001|20-11-2026");
}

#[test]
fn an_envelope_is_filed_like_its_document() {
    let envelope =
        format!(r#"{{"$schema":"https://gobl.org/draft-0/envelope","head":{{}},"doc":{}}}"#, document("F-1"));
    assert_eq!(EsVerifactu::file(&envelope), EsVerifactu::file(&document("F-1")));
}

#[test]
fn the_first_record_starts_the_chain_and_the_next_one_continues_it() {
    let first = EsVerifactu::submit(&submission("F-1")).unwrap();
    let canonical = "IDEmisorFactura=B98602642&NumSerieFactura=F-1&FechaExpedicionFactura=20-11-2026&TipoFactura=F1\
                     &CuotaTotal=21.00&ImporteTotal=121.00&Huella=&FechaHoraHusoGenRegistro=2026-11-20T09:30:00+01:00";
    let record = Record {
        issuer: "B98602642",
        number: "F-1",
        issue_date: "20-11-2026",
        document_type: "F1",
        tax: "21.00",
        total: "121.00",
        previous: "",
        generated_at: "2026-11-20T09:30:00+01:00",
    };
    assert_eq!(record.canonical(), canonical);
    assert!(first.accepted && first.faults.is_empty());
    assert_eq!(first.stamps[1].value, record.fingerprint());
    assert_eq!(
        first.stamps[0].value,
        "https://prewww2.aeat.es/wlpl/TIKE-CONT/ValidarQR?nif=B98602642&numserie=F-1&fecha=20-11-2026&importe=121.00"
    );
    let next = EsVerifactu::submit(&Submission { previous: first.record, ..submission("F-2") }).unwrap();
    let chained = Record { number: "F-2", previous: &first.stamps[1].value, ..record };
    assert_eq!(next.stamps[1].value, chained.fingerprint());
    let payload = next.payload.unwrap();
    assert!(payload.contains(&first.stamps[1].value) && payload.contains("Jane Roe &amp; Söhne"));
}

#[test]
fn a_second_record_under_the_same_key_is_a_duplicate() {
    let first = EsVerifactu::submit(&submission("F-1")).unwrap();
    let again = EsVerifactu::submit(&Submission { registered: first.record, ..submission("F-1") }).unwrap();
    assert_eq!((again.accepted, codes(&again)), (false, vec!["3000"]));
    assert_eq!(kept(&again).standing, Standing::Accepted, "the first one stands");
    let message = again.faults[0].message.as_deref().unwrap();
    assert!(message.ends_with("same number and date. It holds a correct record."), "{message}");
}

#[test]
fn an_accepted_record_can_be_amended_but_not_renumbered() {
    let first = EsVerifactu::submit(&submission("F-1")).unwrap();
    let amends = Some(KEY.to_owned());
    let same = Submission { registered: first.record, amends: amends.clone(), ..submission("F-1") };
    let amended = EsVerifactu::submit(&same).unwrap();
    assert!(amended.accepted);
    assert!(xml(&amended).contains("<Subsanacion>S</Subsanacion><TipoFactura>"));
    let renumbered = EsVerifactu::submit(&Submission { amends, ..submission("F-2") }).unwrap();
    assert_eq!((renumbered.accepted, codes(&renumbered)), (false, vec!["3002"]));
    assert!(renumbered.stamps.is_empty());
    assert_eq!(kept(&renumbered).standing, Standing::Nothing);
}

/// Under which key `submission("F-1")` is filed.
const KEY: &str = "B98602642|F-1|20-11-2026";

/// What stays of a record.
fn kept(outcome: &Outcome) -> StoredRecord {
    serde_json::from_str(outcome.record.as_deref().unwrap()).unwrap()
}

/// The message without prefixes, each element in one piece.
fn xml(outcome: &Outcome) -> String {
    let payload = outcome.payload.as_deref().unwrap().replace("sum1:", "");
    payload.lines().map(str::trim).collect()
}

/// The next record of a chain, with what the agency holds under the key of F-1.
fn next(last: &Outcome, forced_code: Option<&str>) -> Submission {
    Submission {
        previous: last.record.clone(),
        registered: last.record.clone(),
        forced_code: forced_code.map(str::to_owned),
        ..submission("F-1")
    }
}

#[test]
fn a_refused_record_keeps_its_place_in_the_chain() {
    let refused = EsVerifactu::submit(&next_after_nothing(Some("1110"))).unwrap();
    let refused_record = kept(&refused);
    let other = EsVerifactu::submit(&Submission { previous: refused.record, ..submission("F-2") }).unwrap();
    let link = format!(
        "<RegistroAnterior><IDEmisorFactura>B98602642</IDEmisorFactura><NumSerieFactura>F-1</NumSerieFactura>\
         <FechaExpedicionFactura>20-11-2026</FechaExpedicionFactura><Huella>{}</Huella></RegistroAnterior>",
        refused_record.huella
    );
    assert!(xml(&other).contains(&link), "{}", xml(&other));
    assert!(other.accepted && !xml(&other).contains("Subsanacion"), "another invoice is no correction");
}

fn next_after_nothing(forced_code: Option<&str>) -> Submission {
    Submission { forced_code: forced_code.map(str::to_owned), ..submission("F-1") }
}

#[test]
fn what_corrects_a_refused_record_is_a_new_one_that_says_so() {
    let refused = EsVerifactu::submit(&next_after_nothing(Some("1110"))).unwrap();
    assert_eq!((kept(&refused).standing, refused.accepted), (Standing::Nothing, false));
    let corrected = EsVerifactu::submit(&next(&refused, None)).unwrap();
    assert!(corrected.accepted, "{:?}", corrected.faults);
    assert!(xml(&corrected).contains("<Subsanacion>S</Subsanacion><RechazoPrevio>X</RechazoPrevio>"));
    assert!(
        xml(&corrected).contains(&format!("<Huella>{}</Huella></RegistroAnterior>", kept(&refused).huella))
    );
    assert_eq!(kept(&corrected).standing, Standing::Accepted);
    assert_ne!(kept(&corrected).huella, kept(&refused).huella);
}

#[test]
fn an_amendment_after_a_refused_amendment_says_so_unless_the_message_was_refused() {
    let amend = |last: &Outcome, code| {
        EsVerifactu::submit(&Submission { amends: Some(KEY.to_owned()), ..next(last, code) }).unwrap()
    };
    let first = EsVerifactu::submit(&submission("F-1")).unwrap();
    let message_refused = amend(&first, Some("4102"));
    let after_message = amend(&message_refused, None);
    assert!(after_message.accepted && !xml(&after_message).contains("RechazoPrevio"));
    let record_refused = amend(&first, Some("1100"));
    let last = kept(&record_refused);
    assert_eq!((last.standing, last.refused), (Standing::Accepted, Some(RefusedRecord::Amendment)));
    let after_record = amend(&record_refused, None);
    assert!(xml(&after_record).contains("<Subsanacion>S</Subsanacion><RechazoPrevio>S</RechazoPrevio>"));
    assert_eq!(kept(&after_record).refused, None);
}

#[test]
fn a_record_accepted_with_errors_stands_and_can_be_amended() {
    let remarked = EsVerifactu::submit(&next_after_nothing(Some("2001"))).unwrap();
    assert_eq!(kept(&remarked).standing, Standing::AcceptedWithErrors);
    let amended =
        EsVerifactu::submit(&Submission { amends: Some(KEY.to_owned()), ..next(&remarked, None) }).unwrap();
    assert_eq!((amended.accepted, kept(&amended).standing), (true, Standing::Accepted));
}

/// The same document, sent to cancel its record.
fn cancelling(submission: Submission) -> Submission {
    let mut document: Value = serde_json::from_str(&submission.document).unwrap();
    document["meta"] = json!({"es-verifactu-record": "cancellation"});
    Submission { document: document.to_string(), ..submission }
}

#[test]
fn a_cancellation_is_a_record_of_its_own_in_the_same_chain() {
    let first = EsVerifactu::submit(&submission("F-1")).unwrap();
    let cancelled = EsVerifactu::submit(&cancelling(next(&first, None))).unwrap();
    let record = Cancellation {
        issuer: "B98602642",
        number: "F-1",
        issue_date: "20-11-2026",
        previous: &kept(&first).huella,
        generated_at: "2026-11-20T09:30:00+01:00",
    };
    assert!(cancelled.accepted && cancelled.stamps.is_empty());
    assert_eq!(kept(&cancelled).huella, record.fingerprint());
    assert_eq!(kept(&cancelled).standing, Standing::Cancelled);
    let xml = xml(&cancelled);
    assert!(xml.contains("<RegistroAnulacion>") && xml.contains(&record.fingerprint()), "{xml}");
    assert!(!xml.contains("RegistroAlta") && !xml.contains("SinRegistroPrevio"), "{xml}");
}

#[test]
fn what_was_cancelled_cannot_be_cancelled_amended_or_registered_again() {
    let first = EsVerifactu::submit(&submission("F-1")).unwrap();
    let cancelled = EsVerifactu::submit(&cancelling(next(&first, None))).unwrap();
    let refusal = |submission: &Submission| codes(&EsVerifactu::submit(submission).unwrap())[0].to_owned();
    assert_eq!(refusal(&cancelling(next(&cancelled, None))), "3001");
    assert_eq!(refusal(&next(&cancelled, None)), "3000");
    assert_eq!(refusal(&Submission { amends: Some(KEY.to_owned()), ..next(&cancelled, None) }), "3001");
}

#[test]
fn a_record_the_agency_never_had_cannot_be_cancelled_but_one_it_refused_can() {
    let never = EsVerifactu::submit(&cancelling(submission("F-1"))).unwrap();
    assert_eq!((never.accepted, codes(&never)), (false, vec!["3002"]));
    let refused = EsVerifactu::submit(&next_after_nothing(Some("1110"))).unwrap();
    let cancelled = EsVerifactu::submit(&cancelling(next(&refused, None))).unwrap();
    assert!(cancelled.accepted && xml(&cancelled).contains("<SinRegistroPrevio>S</SinRegistroPrevio>"));
}

#[test]
fn a_cancellation_after_a_refused_one_says_so() {
    let first = EsVerifactu::submit(&submission("F-1")).unwrap();
    let refused = EsVerifactu::submit(&cancelling(next(&first, Some("1100")))).unwrap();
    assert_eq!(kept(&refused).standing, Standing::Accepted);
    let again = EsVerifactu::submit(&cancelling(next(&refused, None))).unwrap();
    assert!(again.accepted && xml(&again).contains("<RechazoPrevio>S</RechazoPrevio>"));
}

#[test]
fn a_credit_note_cancels_nothing() {
    assert!(recorded("credit_note").contains("<RegistroAlta>"));
}

#[test]
fn another_wish_than_cancellation_is_a_fault() {
    let mut document: Value = serde_json::from_str(&document("F-1")).unwrap();
    document["meta"] = json!({"es-verifactu-record": "cancelled"});
    assert_eq!(EsVerifactu::file(&document.to_string()).unwrap_err()[0].code, faults::SANDBOX_DOCUMENT);
    document["meta"] = json!({"booking": "4711"});
    assert!(EsVerifactu::file(&document.to_string()).is_ok());
}

#[test]
fn a_record_kept_before_standings_were_is_an_accepted_one() {
    let old = r#"{"issuer":"B98602642","number":"F-1","date":"20-11-2026","huella":"AB"}"#;
    let again =
        EsVerifactu::submit(&Submission { registered: Some(old.to_owned()), ..submission("F-1") }).unwrap();
    assert_eq!(codes(&again), ["3000"]);
}

#[test]
fn a_forced_code_rejects_and_a_remark_accepts() {
    let forced = |code: &str| {
        EsVerifactu::submit(&Submission { forced_code: Some(code.to_owned()), ..submission("F-1") }).unwrap()
    };
    for code in ["1110", "4102", "9999", "abc"] {
        let outcome = forced(code);
        assert_eq!((outcome.accepted, codes(&outcome), outcome.stamps.len()), (false, vec![code], 0));
    }
    let remark = forced("2001");
    assert_eq!((remark.accepted, codes(&remark), remark.stamps.len()), (true, vec!["2001"], 2));
}

/// A golden case of the plugin, converted.
fn golden(case: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/es-verifactu/expected");
    std::fs::read_to_string(format!("{folder}/{case}.json")).unwrap()
}

/// The record of a golden case, each element in one piece.
fn recorded(case: &str) -> String {
    let outcome = EsVerifactu::submit(&Submission { document: golden(case), ..submission("F-1") }).unwrap();
    assert!(outcome.accepted, "{:?}", outcome.faults);
    xml(&outcome)
}

#[test]
fn a_credit_note_is_recorded_with_negative_figures() {
    let outcome =
        EsVerifactu::submit(&Submission { document: golden("credit_note"), ..submission("F-1") }).unwrap();
    let record = Record {
        issuer: "B98602642",
        number: "R-2026-000101",
        issue_date: "20-11-2026",
        document_type: "R4",
        tax: "-24.52",
        total: "-269.70",
        previous: "",
        generated_at: "2026-11-20T09:30:00+01:00",
    };
    assert_eq!(outcome.stamps[1].value, record.fingerprint());
    assert!(outcome.stamps[0].value.ends_with("&importe=-269.70"), "{}", outcome.stamps[0].value);
    let xml = recorded("credit_note");
    for part in [
        "<TipoFactura>R4</TipoFactura><TipoRectificativa>I</TipoRectificativa><FacturasRectificadas>\
         <IDFacturaRectificada><IDEmisorFactura>B98602642</IDEmisorFactura><NumSerieFactura>F-2026-000901</NumSerieFactura>\
         <FechaExpedicionFactura>18-11-2026</FechaExpedicionFactura></IDFacturaRectificada></FacturasRectificadas>",
        "<BaseImponibleOimporteNoSujeto>-245.18</BaseImponibleOimporteNoSujeto><CuotaRepercutida>-24.52</CuotaRepercutida>",
        "<CuotaTotal>-24.52</CuotaTotal><ImporteTotal>-269.70</ImporteTotal>",
    ] {
        assert!(xml.contains(part), "{part}\n{xml}");
    }
}

#[test]
fn a_credited_surcharge_is_negative_and_nought_has_no_sign() {
    let xml = recorded("credit_note_retention");
    assert!(xml.contains("<CuotaRecargoEquivalencia>-4.94</CuotaRecargoEquivalencia>"), "{xml}");
    assert!(recorded("credit_note_exempt").contains("<CuotaTotal>0.00</CuotaTotal>"));
}

#[test]
fn a_simplified_record_names_nobody_and_a_replacement_names_what_it_replaces() {
    let nobody = recorded("simplified_invoice");
    assert!(nobody.contains("<FacturaSinIdentifDestinatarioArt61d>S<") && !nobody.contains("Destinatarios"));
    let by_name = recorded("credit_note_of_a_simplified_invoice_by_name");
    assert!(
        by_name.contains("<FacturaSinIdentifDestinatarioArt61d>N<") && !by_name.contains("Destinatarios")
    );
    let replacement = recorded("replacement_invoice");
    assert_eq!(replacement.matches("<IDFacturaSustituida>").count(), 2);
    assert!(!replacement.contains("Rectificada") && replacement.contains("<Destinatarios>"));
    assert!(!recorded("invoice_after_credit_note").contains("Rectificada"));
}

#[test]
fn what_is_no_document_is_a_fault() {
    for json in ["", "{}", "[]", "null", r#"{"supplier":{"tax_id":{"code":"B98602642"}}}"#] {
        assert_eq!(EsVerifactu::file(json).unwrap_err()[0].code, faults::SANDBOX_DOCUMENT, "{json}");
    }
}

#[test]
fn the_record_time_is_that_of_the_clocks_in_spain() {
    for (instant, time) in [
        ("2026-11-20T08:30:00.5Z", "2026-11-20T09:30:00+01:00"),
        ("2026-11-20T09:30:00+01:00", "2026-11-20T09:30:00+01:00"),
        ("2026-07-01T22:30:00Z", "2026-07-02T00:30:00+02:00"),
        ("2026-03-29T01:00:00Z", "2026-03-29T03:00:00+02:00"),
        ("rubbish", "rubbish"),
    ] {
        assert_eq!(generation_time(instant), time, "{instant}");
    }
    let now = "2026-11-20T22:59:59Z".to_owned();
    let payload = EsVerifactu::submit(&Submission { now, ..submission("F-1") }).unwrap().payload.unwrap();
    assert!(payload.contains("2026-11-20T23:59:59+01:00</"), "{payload}");
}

#[test]
fn the_day_of_issue_is_judged_by_the_clocks_in_spain_before_and_by_the_agency() {
    let document = |day: &str| {
        json!({
            "number": "F-1", "issue_date": day,
            "recipient": {"type": "company", "name": "Acme", "tax_number": "B85905495", "country": "ES"},
            "lines": [{"description": "Night", "quantity": "1", "unit_price": "121.00",
                       "tax": {"category": "VAT", "rate": "21.0"}}]
        })
    };
    for (now, day, taken) in [
        ("2026-11-20T22:59:59Z", "2026-11-21", false),
        ("2026-11-20T23:00:00Z", "2026-11-21", true),
        ("2026-11-21T12:00:00+14:00", "2026-11-21", false),
        ("2026-10-24T21:59:59Z", "2026-10-25", false),
        ("2026-10-24T22:00:00Z", "2026-10-25", true),
        ("2026-10-25T22:30:00Z", "2026-10-26", false),
        ("2026-03-28T22:30:00Z", "2026-03-29", false),
        ("2026-03-29T22:30:00Z", "2026-03-30", true),
    ] {
        let context =
            einvoice_plugin::Context { now: now.to_owned(), today: day.to_owned(), ..harness::context() };
        let invoice = harness::invoice(&document(day)).unwrap();
        let found: Vec<_> =
            EsVerifactu::check(&invoice, &context).into_iter().map(|fault| fault.code).collect();
        let expected = if taken { vec![] } else { vec![faults::DATE_FUTURE.to_owned()] };
        assert_eq!(found, expected, "{now} {day}");
        let late = einvoice_plugin::Context { now: format!("{day}T20:00:00Z"), ..context };
        let body = EsVerifactu::convert(&invoice, &late).unwrap().body;
        let sent = Submission { document: body, now: now.to_owned(), ..submission("F-1") };
        let outcome = EsVerifactu::submit(&sent).unwrap();
        let expected = if taken { vec![] } else { vec!["1112"] };
        assert_eq!((outcome.accepted, codes(&outcome)), (taken, expected), "{now} {day}");
    }
}

#[test]
fn what_the_agency_refuses_of_spaniards_passes_here_with_a_remark() {
    let of = |kind: &str, country: &str| {
        let invoice = harness::invoice(&json!({
            "number": "F-1", "issue_date": "2026-11-20",
            "recipient": {"type": "individual", "name": "Jane Roe",
                          "identity_document": {"type": kind, "number": "A123456", "country": country}},
            "lines": [{"description": "Night", "quantity": "1", "unit_price": "121.00",
                       "tax": {"category": "VAT", "rate": "21.0"}}]
        }));
        let document = EsVerifactu::convert(&invoice.unwrap(), &harness::context()).unwrap().body;
        EsVerifactu::submit(&Submission { document, ..submission("F-1") }).unwrap()
    };
    for kind in ["student_id", "driving_license", "other", "foreign_national_id"] {
        let outcome = of(kind, "ES");
        assert_eq!(
            (outcome.accepted, codes(&outcome), outcome.stamps.len()),
            (true, vec!["1126"], 2),
            "{kind}"
        );
        assert_eq!(kept(&outcome).standing, Standing::Accepted);
        let report = einvoice_plugin::ProviderResult {
            succeeded: true,
            faults: outcome.faults,
            stamps: outcome.stamps,
            job: "{}".to_owned(),
            entry: "{}".to_owned(),
        };
        let einvoice_plugin::Verdict::Accepted(acceptance) = EsVerifactu::interpret(&report).unwrap() else {
            panic!("not accepted");
        };
        assert_eq!(acceptance.warnings.len(), 1);
        assert_eq!(acceptance.warnings[0].code, "1126");
        assert!(acceptance.warnings[0].message.contains("the real agency refuses"), "{acceptance:?}");
    }
    for (kind, country) in [("passport", "ES"), ("student_id", "FR")] {
        assert!(of(kind, country).faults.is_empty(), "{kind} {country}");
    }
    let forced =
        EsVerifactu::submit(&Submission { forced_code: Some("1126".to_owned()), ..submission("F-1") })
            .unwrap();
    assert_eq!((forced.accepted, codes(&forced)), (false, vec!["1126"]));
}
