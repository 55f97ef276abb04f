//! The tax agency's books as the sandbox keeps them: every invoice of an issuer once by number and date. There is no chain
//! and no stamp.
//!
//! It takes one record at a time, in the XML of the service that the document goes to (`message`), refuses what the agency
//! would refuse (`rules`), and answers in its terms, as a document too (`response`):
//!
//! | `EstadoEnvio`, of the one record | `EstadoRegistro` | `accepted` | `CodigoErrorRegistro`, the code of a fault | verdict |
//! |---|---|---|---|---|
//! | Correcto | Correcto | yes | none | accepted |
//! | ParcialmenteCorrecto | AceptadoConErrores | yes | 2000 to 2999: the record stands, and should be amended | accepted, with that code as a warning |
//! | Incorrecto | Incorrecto | no | 1xxx and 3xxx of the record | rejected |
//! | none: the message is refused | none | no | 4xxx | rejected |
//!
//! A provider whose job fails because the message was only partly correct comes to the same verdict, for the code decides. The
//! number under which the agency keeps a message (`CSV`) stands in the document alone: the provider attaches no stamp of it.
//!
//! Besides it remarks in its own name (`sii-sandbox`) what the agency says nothing about, or refuses and is let pass here:
//! a record after its deadline ([`crate::deadline`]), and an identity of a Spaniard that is no NIF.
//!
//! A new invoice goes out as A0, one that amends an accepted record as A1.
//!
//! # How to add a rule
//! One line in the file of `rules` it is about, its code with a sentence in [`crate::answers`], and a row in the tests.

mod breakdown;
mod cents;
mod message;
mod response;
mod rules;
#[cfg(test)]
mod tests;

use einvoice_es::date::Date;
use einvoice_es::interpret::SII_SANDBOX;
use einvoice_es::reader::Reader;
use einvoice_es::stored::FiledDocument;
use einvoice_gobl::clock::today;
use einvoice_plugin::{Answer, Answers, Authority, Faults, Filing, Outcome, ProviderFault, Submission};
use message::Record;
use serde::{Deserialize, Serialize};

use crate::EsSii;
use crate::answers::{ANSWERS, DUPLICATE, UNKNOWN_RECORD};
use crate::faults;

const READER: Reader = Reader { code: faults::SANDBOX_DOCUMENT, document: "a document of the SII" };

/// What faults call the agency.
const AGENCY: &str = "sii";

/// What the agency remembers of an invoice.
#[derive(Debug, Serialize, Deserialize)]
struct StoredRecord {
    number: String,
    /// `DD-MM-YYYY`.
    date: String,
    /// Absent in what earlier versions stored.
    #[serde(default)]
    state: State,
}

/// `EstadoRegistroSIIType`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
enum State {
    #[default]
    #[serde(rename = "Correcta")]
    Correct,
    #[serde(rename = "AceptadaConErrores")]
    WithErrors,
}

impl Authority for EsSii {
    fn file(document: &str) -> Result<Filing, Faults> {
        let filed = read(document)?;
        Ok(Filing { record_key: filed.key(), chain: filed.issuer })
    }

    fn submit(submission: &Submission) -> Result<Outcome, Faults> {
        let filed = read(&submission.document)?;
        let registered: Option<StoredRecord> = READER.record(submission.registered.as_deref())?;
        let record = Record::of(&filed);
        let payload = record.as_ref().map(|record| message::message(record, submission.amends.is_some()));
        if let Some(code) = objection(submission, &filed, record.as_ref()) {
            let faults = vec![complaint(code, registered.as_ref())];
            return Ok(Outcome { accepted: false, stamps: Vec::new(), faults, record: None, payload });
        }
        let mut codes: Vec<&str> = submission.forced_code.as_deref().into_iter().collect();
        codes.extend(record.as_ref().map(rules::remarks).unwrap_or_default());
        let state = if codes.is_empty() { State::Correct } else { State::WithErrors };
        let keep = StoredRecord { number: filed.number.clone(), date: filed.day.agency(), state };
        let faults = codes.iter().map(|code| complaint(code, None)).chain(own_remarks(submission, &filed));
        Ok(Outcome {
            accepted: true,
            stamps: Vec::new(),
            faults: faults.collect(),
            record: Some(READER.written(&keep)?),
            payload,
        })
    }
}

impl Answers for EsSii {
    fn answers(submission: &Submission, outcome: &Outcome) -> Vec<Answer> {
        let filed = read(&submission.document);
        let registered = READER.record(submission.registered.as_deref());
        // What `submit` read can be read.
        let (Ok(filed), Ok(registered)) = (filed, registered) else { return Vec::new() };
        vec![response::response(submission, &filed, Option::as_ref(&registered), outcome)]
    }
}

fn read(document: &str) -> Result<FiledDocument, Faults> {
    FiledDocument::read(document).map_err(|why| READER.unreadable(&why))
}

/// The code the agency refuses the invoice with. An amendment replaces the invoice under its own key.
fn objection<'a>(
    submission: &'a Submission,
    filed: &FiledDocument,
    record: Option<&Record<'_>>,
) -> Option<&'a str> {
    let forced = submission.forced_code.as_deref().filter(|code| !(ANSWERS.accepts)(code));
    if let Some(code) = forced.or_else(|| rules::violation(filed, record, &submission.now)) {
        return Some(code);
    }
    match (submission.amends.as_deref(), &submission.registered) {
        (Some(amended), _) if amended != filed.key() => Some(UNKNOWN_RECORD),
        (Some(_), _) | (None, None) => None,
        (None, Some(_)) => Some(DUPLICATE),
    }
}

/// The agency's code in words. A duplicate comes with what stands already (`RegistroDuplicado`).
fn complaint(code: &str, registered: Option<&StoredRecord>) -> ProviderFault {
    let stands = registered.filter(|_| code == DUPLICATE).map(|record| match record.state {
        State::Correct => "The record that stands is correct.",
        State::WithErrors => "The record that stands was accepted with errors.",
    });
    let sentences: Vec<_> = [ANSWERS.message_of_stand_in(code), stands].into_iter().flatten().collect();
    ProviderFault {
        provider: Some(AGENCY.to_owned()),
        code: Some(code.to_owned()),
        message: (!sentences.is_empty()).then(|| sentences.join(" ")),
        paths: Vec::new(),
    }
}

/// What the sandbox remarks in its own name.
fn own_remarks(submission: &Submission, filed: &FiledDocument) -> Vec<ProviderFault> {
    let late = today(&submission.now).filter(|_| submission.amends.is_none()).is_some_and(|today| {
        let operation = message::operation_day(filed).unwrap_or(filed.day);
        crate::deadline::is_over(filed.day, operation, today)
    });
    let late = late.then(|| ("LATE".to_owned(), late_sentence(filed.day)));
    let tolerated = rules::tolerated_violation(filed.invoice.customer.as_ref()).map(|code| {
        let sentence =
            format!("Accepted here only: the real agency refuses this invoice. {}", ANSWERS.explain(code));
        (code.to_owned(), sentence)
    });
    let remark = |(code, sentence)| ProviderFault {
        provider: Some(SII_SANDBOX.to_owned()),
        code: Some(code),
        message: Some(sentence),
        paths: Vec::new(),
    };
    late.into_iter().chain(tolerated).map(remark).collect()
}

fn late_sentence(issued: Date) -> String {
    format!(
        "The invoice of {issued} came into the books after four working days or after the fifteenth of the next month, \
         which can be fined; send invoices on the day of issue."
    )
}
