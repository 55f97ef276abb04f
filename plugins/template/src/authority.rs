//! The authority as the sandbox plays it: it files documents by issuer and number, numbers its records, and refuses
//! a number it has seen.

use einvoice_plugin::{Authority, Fault, Faults, Filing, Outcome, ProviderFault, Stamp, Submission};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::XxTemplate;
use crate::interpret::STAMP_QR;

/// The sandbox handed over something that this plugin did not make.
pub const DOCUMENT: &str = "XX-TEMPLATE-SANDBOX-01";
/// What the authority calls a number it has seen.
pub const DUPLICATE: &str = "DUPLICATE";

impl Authority for XxTemplate {
    fn file(document: &str) -> Result<Filing, Faults> {
        let FiledDocument { issuer, number, .. } = read(document)?;
        Ok(Filing { record_key: format!("{issuer}|{number}"), chain: issuer })
    }

    fn submit(submission: &Submission) -> Result<Outcome, Faults> {
        let filed = read(&submission.document)?;
        let is_duplicate = submission.registered.is_some() && submission.amends.is_none();
        let objection = submission.forced_code.as_deref().or_else(|| is_duplicate.then_some(DUPLICATE));
        if let Some(code) = objection {
            let complaint = ProviderFault {
                provider: Some("xx-template".to_owned()),
                code: Some(code.to_owned()),
                message: Some(format!("The authority refuses the document {}.", filed.number)),
                paths: Vec::new(),
            };
            return Ok(Outcome {
                accepted: false,
                stamps: Vec::new(),
                faults: vec![complaint],
                record: None,
                payload: None,
            });
        }
        let sequence = sequence(submission.previous.as_deref())?.saturating_add(1);
        let record = Record { sequence, number: filed.number.clone() };
        let record = serde_json::to_string(&record).map_err(|error| unreadable(&error.to_string()))?;
        let (issuer, number) = (encoded(&filed.issuer), encoded(&filed.number));
        let qr = format!("https://authority.example/verify?issuer={issuer}&number={number}");
        Ok(Outcome {
            accepted: true,
            stamps: vec![Stamp { provider: STAMP_QR.to_owned(), value: qr }],
            faults: Vec::new(),
            record: Some(record),
            payload: Some(submission.document.clone()),
        })
    }
}

/// What the authority keeps of a document.
#[derive(Serialize, Deserialize)]
struct Record {
    /// Its place in the chain of its issuer, from 1.
    sequence: u64,
    number: String,
}

struct FiledDocument {
    issuer: String,
    number: String,
}

/// The document, or the one in an envelope.
fn read(json: &str) -> Result<FiledDocument, Faults> {
    let value: Value = serde_json::from_str(json).map_err(|error| unreadable(&error.to_string()))?;
    let document = value.get("doc").unwrap_or(&value);
    let text = |pointer: &str| document.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    let issuer = text("/supplier/tax_id/code").ok_or_else(|| unreadable("the supplier has no tax id"))?;
    let number = text("/code").ok_or_else(|| unreadable("the document has no number"))?;
    Ok(FiledDocument { issuer, number })
}

/// Everything but letters, digits and `-._~` as `%XX`.
fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// The place of the record before; 0 when there is none.
fn sequence(previous: Option<&str>) -> Result<u64, Faults> {
    let Some(previous) = previous else { return Ok(0) };
    let record = serde_json::from_str::<Record>(previous);
    record.map(|record| record.sequence).map_err(|error| unreadable(&error.to_string()))
}

fn unreadable(why: &str) -> Faults {
    let message = format!("The sandbox cannot read this document ({why}); send what the plugin made.");
    vec![Fault::error(DOCUMENT, "", message)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use einvoice_plugin::harness;
    use serde_json::json;

    fn submission() -> Submission {
        harness::submission(
            &json!({"code": "F-1", "supplier": {"tax_id": {"country": "XX", "code": "1"}}}).to_string(),
            "2026-11-20T09:30:00+01:00",
        )
    }

    #[test]
    fn records_are_numbered_in_their_chain() {
        let first = XxTemplate::submit(&submission()).unwrap();
        assert!(first.accepted);
        let next = XxTemplate::submit(&Submission { previous: first.record, ..submission() }).unwrap();
        assert_eq!(next.record.unwrap(), r#"{"sequence":2,"number":"F-1"}"#);
    }

    #[test]
    fn a_number_is_taken_once_and_may_be_amended() {
        let registered = XxTemplate::submit(&submission()).unwrap().record;
        let again =
            XxTemplate::submit(&Submission { registered: registered.clone(), ..submission() }).unwrap();
        assert_eq!(again.faults[0].code.as_deref(), Some(DUPLICATE));
        let amends = Some("1|F-1".to_owned());
        assert!(XxTemplate::submit(&Submission { registered, amends, ..submission() }).unwrap().accepted);
    }

    #[test]
    fn a_tester_chooses_the_objection() {
        let forced = Submission { forced_code: Some("4711".to_owned()), ..submission() };
        assert_eq!(XxTemplate::submit(&forced).unwrap().faults[0].code.as_deref(), Some("4711"));
    }
}
