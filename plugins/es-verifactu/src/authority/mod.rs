//! The tax agency as the sandbox plays it: it files invoice records in one hash chain per issuer, refuses
//! duplicates and amendments of records it never saw, and answers with QR address and fingerprint.

mod document;
mod rules;
mod xml;

use einvoice_es::authority;
use einvoice_es::date::Date;
use einvoice_es::record::{Environment, Record};
use einvoice_plugin::{Fault, Faults, Filing, Outcome, ProviderFault, Stamp, Submission};
use serde::{Deserialize, Serialize};

use crate::faults;
use crate::interpret::{STAMP_HASH, STAMP_QR};
use document::Invoice;

/// The agency already has a record of this issuer, number and date.
const DUPLICATE: &str = "3000";
/// The agency has no record that this amendment could amend.
const UNKNOWN_RECORD: &str = "3002";

/// What the agency remembers of a record.
#[derive(Debug, Serialize, Deserialize)]
struct Remembered {
    issuer: String,
    number: String,
    /// `DD-MM-YYYY`.
    date: String,
    huella: String,
}

/// Under which names the agency files a document.
pub fn file(document: &str) -> Result<Filing, Faults> {
    let invoice = Filed::read(document)?;
    Ok(Filing { record_key: invoice.key(), chain: invoice.issuer })
}

/// What the agency answers to a document.
pub fn submit(submission: &Submission) -> Result<Outcome, Faults> {
    let filed = Filed::read(&submission.document)?;
    let previous = submission.previous.as_deref().map(remembered).transpose()?;
    let made_at = whole_seconds(&submission.now);
    let record = Record {
        issuer: &filed.issuer,
        number: &filed.number,
        issue_date: &filed.date,
        document_type: &filed.document_type,
        tax: &filed.tax,
        total: &filed.total,
        previous: previous.as_ref().map_or("", |previous| &previous.huella),
        made_at: &made_at,
    };
    let huella = record.fingerprint();
    let amends = submission.amends.is_some();
    let payload = Some(xml::registration(&filed, &record, previous.as_ref(), &huella, amends));
    if let Some(code) = objection(submission, &filed) {
        let faults = vec![complaint(code)];
        return Ok(Outcome { accepted: false, stamps: Vec::new(), faults, record: None, payload });
    }
    let stamps = vec![
        Stamp { provider: STAMP_QR.to_owned(), value: record.qr_url(Environment::Test) },
        Stamp { provider: STAMP_HASH.to_owned(), value: huella.clone() },
    ];
    let remark = submission.forced_code.as_deref().map(complaint);
    let keep = Remembered { issuer: filed.issuer, number: filed.number, date: filed.date, huella };
    let keep = serde_json::to_string(&keep).map_err(|error| broken(&error.to_string()))?;
    Ok(Outcome { accepted: true, stamps, faults: remark.into_iter().collect(), record: Some(keep), payload })
}

/// The code the agency refuses the record with. An amendment replaces the record under its own key.
fn objection<'a>(submission: &'a Submission, filed: &Filed) -> Option<&'a str> {
    let forced = submission.forced_code.as_deref().filter(|code| !authority::accepts(code));
    if let Some(code) = forced.or_else(|| rules::broken(filed)) {
        return Some(code);
    }
    let key = filed.key();
    match (submission.amends.as_deref(), &submission.registered) {
        (Some(amended), _) if amended != key => Some(UNKNOWN_RECORD),
        (Some(_), _) | (None, None) => None,
        (None, Some(_)) => Some(DUPLICATE),
    }
}

fn complaint(code: &str) -> ProviderFault {
    ProviderFault {
        provider: Some("verifactu".to_owned()),
        code: Some(code.to_owned()),
        message: Some(authority::explain(code).to_owned()),
        paths: Vec::new(),
    }
}

fn remembered(record: &str) -> Result<Remembered, Faults> {
    serde_json::from_str(record).map_err(|error| broken(&format!("the previous record: {error}")))
}

fn broken(why: &str) -> Faults {
    let message =
        format!("The sandbox cannot read this as a VERI*FACTU document ({why}); send what the plugin made.");
    vec![Fault::error(faults::SANDBOX_DOCUMENT, "", message)]
}

/// RFC 3339 without fraction of a second, with a numeric offset: the form the fingerprint is taken of.
fn whole_seconds(instant: &str) -> String {
    let (date_time, offset) = match instant.get(19..) {
        Some(rest) => {
            let offset = rest.trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
            (instant.get(..19).unwrap_or(instant), offset)
        }
        None => (instant, ""),
    };
    let offset = if offset.eq_ignore_ascii_case("z") { "+00:00" } else { offset };
    format!("{date_time}{offset}")
}

/// A document with everything the agency's record needs.
#[derive(Debug)]
struct Filed {
    issuer: String,
    number: String,
    /// `DD-MM-YYYY`.
    date: String,
    document_type: String,
    /// As the record states them: negative when something is credited.
    tax: String,
    total: String,
    invoice: Invoice,
}

impl Filed {
    fn read(json: &str) -> Result<Self, Faults> {
        let invoice = Invoice::read(json).map_err(|error| broken(&error))?;
        let number = number(invoice.series.as_deref(), &invoice.code);
        let date: Date = invoice.issue_date.parse().map_err(|_| broken("the issue date is no date"))?;
        let issuer = invoice.supplier.nif().ok_or_else(|| broken("the supplier has no tax id"))?.to_owned();
        if number.is_empty() {
            return Err(broken("the invoice has no number"));
        }
        Ok(Self {
            issuer,
            number,
            date: date.agency(),
            document_type: invoice
                .tax
                .ext
                .doc_type
                .clone()
                .ok_or_else(|| broken("the document type is missing"))?,
            tax: stated(&invoice, &invoice.totals.tax),
            total: stated(&invoice, &invoice.totals.total_with_tax),
            invoice,
        })
    }

    /// Issuer, number and date make a record unique.
    fn key(&self) -> String {
        format!("{}|{}|{}", self.issuer, self.number, self.date)
    }
}

/// Series and code as one number.
fn number(series: Option<&str>, code: &str) -> String {
    match series.map(str::trim).filter(|series| !series.is_empty()) {
        Some(series) => format!("{series}-{}", code.trim()),
        None => code.trim().to_owned(),
    }
}

/// A figure of the document as the record states it: a credit note's are positive, its record's negative.
fn stated(invoice: &Invoice, figure: &str) -> String {
    if invoice.kind != "credit-note" || !figure.contains(|c: char| matches!(c, '1'..='9')) {
        return figure.to_owned();
    }
    figure.strip_prefix('-').map_or_else(|| format!("-{figure}"), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EsVerifactu;
    use einvoice_plugin::{Country, harness};
    use serde_json::json;

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
        Submission {
            document: document(number),
            now: "2026-11-20T09:30:00.123456+01:00".to_owned(),
            previous: None,
            registered: None,
            amends: None,
            forced_code: None,
        }
    }

    fn codes(outcome: &Outcome) -> Vec<&str> {
        outcome.faults.iter().filter_map(|fault| fault.code.as_deref()).collect()
    }

    #[test]
    fn a_record_is_filed_under_issuer_number_and_date() {
        let filing = file(&document("F-2026-000001")).unwrap();
        assert_eq!(filing.chain, "B98602642");
        assert_eq!(filing.record_key, "B98602642|F-2026-000001|20-11-2026");
    }

    #[test]
    fn an_envelope_is_filed_like_its_document() {
        let envelope = format!(
            r#"{{"$schema":"https://gobl.org/draft-0/envelope","head":{{}},"doc":{}}}"#,
            document("F-1")
        );
        assert_eq!(file(&envelope), file(&document("F-1")));
    }

    #[test]
    fn the_first_record_starts_the_chain_and_the_next_one_continues_it() {
        let first = submit(&submission("F-1")).unwrap();
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
            made_at: "2026-11-20T09:30:00+01:00",
        };
        assert_eq!(record.canonical(), canonical);
        assert!(first.accepted && first.faults.is_empty());
        assert_eq!(first.stamps[1].value, record.fingerprint());
        assert_eq!(
            first.stamps[0].value,
            "https://prewww2.aeat.es/wlpl/TIKE-CONT/ValidarQR?nif=B98602642&numserie=F-1&fecha=20-11-2026&importe=121.00"
        );
        let next = submit(&Submission { previous: first.record, ..submission("F-2") }).unwrap();
        let chained = Record { number: "F-2", previous: &first.stamps[1].value, ..record };
        assert_eq!(next.stamps[1].value, chained.fingerprint());
        let payload = next.payload.unwrap();
        assert!(payload.contains(&first.stamps[1].value) && payload.contains("Jane Roe &amp; Söhne"));
    }

    #[test]
    fn a_second_record_under_the_same_key_is_a_duplicate() {
        let first = submit(&submission("F-1")).unwrap();
        let again = submit(&Submission { registered: first.record, ..submission("F-1") }).unwrap();
        assert_eq!((again.accepted, codes(&again), again.record.clone()), (false, vec!["3000"], None));
    }

    #[test]
    fn an_accepted_record_can_be_amended_but_not_renumbered() {
        let first = submit(&submission("F-1")).unwrap();
        let amends = Some("B98602642|F-1|20-11-2026".to_owned());
        let same = Submission { registered: first.record, amends: amends.clone(), ..submission("F-1") };
        assert!(submit(&same).unwrap().accepted);
        let renumbered = submit(&Submission { amends, ..submission("F-2") }).unwrap();
        assert_eq!((renumbered.accepted, codes(&renumbered)), (false, vec!["3002"]));
        assert!(renumbered.stamps.is_empty());
    }

    #[test]
    fn a_forced_code_rejects_and_a_remark_accepts() {
        let forced = |code: &str| {
            submit(&Submission { forced_code: Some(code.to_owned()), ..submission("F-1") }).unwrap()
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
        let outcome = submit(&Submission { document: golden(case), ..submission("F-1") }).unwrap();
        assert!(outcome.accepted, "{:?}", outcome.faults);
        outcome.payload.unwrap().lines().map(str::trim).collect()
    }

    #[test]
    fn a_credit_note_is_recorded_with_negative_figures() {
        let outcome = submit(&Submission { document: golden("credit_note"), ..submission("F-1") }).unwrap();
        let record = Record {
            issuer: "B98602642",
            number: "R-2026-000101",
            issue_date: "20-11-2026",
            document_type: "R4",
            tax: "-24.52",
            total: "-269.70",
            previous: "",
            made_at: "2026-11-20T09:30:00+01:00",
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
        assert!(
            nobody.contains("<FacturaSinIdentifDestinatarioArt61d>S<") && !nobody.contains("Destinatarios")
        );
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
    fn the_agency_refuses_what_its_document_types_do_not_allow() {
        let refused = |case: &str, pointer: &str, value: serde_json::Value| {
            let mut document: serde_json::Value = serde_json::from_str(&golden(case)).unwrap();
            let (parent, member) = pointer.rsplit_once('/').unwrap();
            document.pointer_mut(parent).unwrap()[member] = value;
            let document = document.to_string();
            let outcome = submit(&Submission { document, ..submission("F-1") }).unwrap();
            codes(&outcome).first().map(|code| (*code).to_owned())
        };
        let type_of = "/tax/ext/es-verifactu-doc-type";
        let correction = "/tax/ext/es-verifactu-correction-type";
        let acme = json!({"name": "Acme", "tax_id": {"country": "ES", "code": "B85905495"}});
        let changes = [
            ("credit_note", type_of, json!("R6"), "1106"),
            ("credit_note", correction, json!("X"), "1107"),
            ("credit_note", correction, json!(null), "1114"),
            ("simplified_invoice", correction, json!("I"), "1115"),
            ("simplified_invoice_by_name", "/totals/total_with_tax", json!("3000.01"), "1150"),
            ("credit_note", "/customer", json!({"name": "Jane Roe"}), "1189"),
            ("replacement_invoice", "/customer", json!(null), "1189"),
            ("simplified_invoice", "/customer", acme.clone(), "1190"),
            ("credit_note_of_a_simplified_invoice", "/customer", acme, "1190"),
            ("credit_note", type_of, json!("R3"), "1191"),
            ("credit_note", type_of, json!("R2"), "1192"),
        ];
        for (case, pointer, value, code) in changes {
            assert_eq!(refused(case, pointer, value).as_deref(), Some(code), "{case} {pointer}");
        }
    }

    #[test]
    fn what_is_no_document_is_a_fault() {
        for json in ["", "{}", "[]", "null", r#"{"supplier":{"tax_id":{"code":"B98602642"}}}"#] {
            assert_eq!(file(json).unwrap_err()[0].code, faults::SANDBOX_DOCUMENT, "{json}");
        }
    }

    #[test]
    fn the_record_time_has_whole_seconds_and_an_offset() {
        assert_eq!(whole_seconds("2026-11-20T08:30:00.5Z"), "2026-11-20T08:30:00+00:00");
        assert_eq!(whole_seconds("2026-11-20T09:30:00+01:00"), "2026-11-20T09:30:00+01:00");
        assert_eq!(whole_seconds("rubbish"), "rubbish");
    }
}
