//! The tax agency's books as the sandbox keeps them: every invoice of an issuer once by number and date, duplicates and
//! amendments of invoices it never saw refused. There is no chain and no stamp.

mod record;
mod rules;

use einvoice_es::reader::Reader;
use einvoice_es::stored::FiledDocument;
use einvoice_plugin::{Authority, Faults, Filing, Outcome, ProviderFault, Submission};
use record::Message;
use serde::Serialize;

use crate::EsSii;
use crate::answers::{ANSWERS, DUPLICATE, UNKNOWN_RECORD};
use crate::faults;

const READER: Reader = Reader { code: faults::SANDBOX_DOCUMENT, document: "a document of the SII" };

/// What the agency remembers of an invoice.
#[derive(Debug, Serialize)]
struct StoredRecord<'a> {
    number: &'a str,
    /// `DD-MM-YYYY`.
    date: String,
}

impl Authority for EsSii {
    fn file(document: &str) -> Result<Filing, Faults> {
        let filed = read(document)?;
        Ok(Filing { record_key: filed.key(), chain: filed.issuer })
    }

    fn submit(submission: &Submission) -> Result<Outcome, Faults> {
        let filed = read(&submission.document)?;
        let payload = Some(READER.written(&Message::of(&filed, submission.amends.is_some()))?);
        let (accepted, code) = match objection(submission, &filed) {
            Some(code) => (false, Some(code)),
            None => (true, submission.forced_code.as_deref()),
        };
        let keep = StoredRecord { number: &filed.number, date: filed.day.agency() };
        let keep = accepted.then(|| READER.written(&keep)).transpose()?;
        let faults = code.map(complaint).into_iter().collect();
        Ok(Outcome { accepted, stamps: Vec::new(), faults, record: keep, payload })
    }
}

fn read(document: &str) -> Result<FiledDocument, Faults> {
    FiledDocument::read(document).map_err(|why| READER.unreadable(&why))
}

/// The code the agency refuses the invoice with. An amendment replaces the invoice under its own key.
fn objection<'a>(submission: &'a Submission, filed: &FiledDocument) -> Option<&'a str> {
    let forced = submission.forced_code.as_deref().filter(|code| !(ANSWERS.accepts)(code));
    if let Some(code) = forced.or_else(|| rules::violation(&filed.invoice)) {
        return Some(code);
    }
    match (submission.amends.as_deref(), &submission.registered) {
        (Some(amended), _) if amended != filed.key() => Some(UNKNOWN_RECORD),
        (Some(_), _) | (None, None) => None,
        (None, Some(_)) => Some(DUPLICATE),
    }
}

fn complaint(code: &str) -> ProviderFault {
    ProviderFault {
        provider: Some("sii".to_owned()),
        code: Some(code.to_owned()),
        message: ANSWERS.message_of_stand_in(code).map(str::to_owned),
        paths: Vec::new(),
    }
}

#[cfg(test)]
mod tests;
