//! The tax agency as the sandbox plays it.
//!
//! It takes one invoice record at a time, in the XML of the agency's service (`message`), keeps one hash chain per
//! issuer (`memory` says where a refused record stands in it), refuses what the agency would refuse (`rules`), and
//! answers with QR address and fingerprint, and in its own words (`response`).
//!
//! # Which record a document becomes
//! | document | record |
//! |---|---|
//! | any | `RegistroAlta`: a first one, an amendment, or one after a refusal |
//! | with `meta`: `es-verifactu-record` = `cancellation` | `RegistroAnulacion` of its own record |
//!
//! A document with `meta`: `es-verifactu-incident` = `S` goes with `Incidencia` in the header: an outage held it up.
//!
//! A credit note cancels nothing at the agency: it is an invoice of its own (R1 to R5), with negative figures. The
//! gateway corrects by credit notes only, so nothing it sends asks for a cancellation; whoever merges that member into
//! a stored entry and submits it again sees the record that cancels it.
//!
//! # How to add a rule
//! One line in the file of `rules` it is about, the code from the agency's list, and a row in the tests.

mod document;
mod figures;
mod filed_document;
mod listing;
mod memory;
mod message;
mod response;
mod rules;
#[cfg(test)]
mod tests;

use einvoice_es::authority::{self, Effect};
use einvoice_es::interpret::{SANDBOX, VERIFACTU};
use einvoice_es::reader::Reader;
use einvoice_es::record::Environment;
use einvoice_gobl::clock::central_europe;
use einvoice_plugin::{Answers, Authority, Faults, Filing, Outcome, ProviderFault, Stamp, Submission};

use crate::EsVerifactu;
use crate::faults;
use crate::interpret::{STAMP_HASH, STAMP_QR};
use filed_document::FiledDocument;
pub(crate) use memory::DUPLICATE;
use memory::{Answer, Purpose, StoredRecord};

const READER: Reader = Reader { code: faults::SANDBOX_DOCUMENT, document: "a VERI*FACTU document" };

/// What faults call the agency.
const AGENCY: &str = "verifactu";
/// The agency has no record that this one could amend.
const UNKNOWN_RECORD: &str = "3002";

impl Authority for EsVerifactu {
    fn file(document: &str) -> Result<Filing, Faults> {
        let invoice = FiledDocument::read(document)?;
        Ok(Filing { record_key: invoice.key(), chain: invoice.issuer })
    }

    // The record is in the issuer's chain whatever the answer is.
    fn submit(submission: &Submission) -> Result<Outcome, Faults> {
        let filed = FiledDocument::read(&submission.document)?;
        let previous: Option<StoredRecord> = READER.record(submission.previous.as_deref())?;
        let registered: Option<StoredRecord> = READER.record(submission.registered.as_deref())?;
        let purpose = Purpose::of(filed.cancels, submission.amends.is_some(), registered.as_ref());
        let generated_at = generation_time(&submission.now);
        let before = previous.as_ref().map_or("", |previous| &previous.huella);
        let huella = match purpose {
            Purpose::Cancel { .. } => filed.cancellation(before, &generated_at).fingerprint(),
            Purpose::Register | Purpose::RegisterAgain | Purpose::Amend { .. } => {
                filed.registration(before, &generated_at).fingerprint()
            }
        };
        let link =
            message::Link { previous: previous.as_ref(), generated_at: &generated_at, huella: &huella };
        let payload = Some(message::message(&filed, purpose, link));

        let codes = match objection(submission, &filed, purpose, registered.as_ref()) {
            Some(code) => vec![code],
            None => remarks(submission, &filed, purpose),
        };
        let answer =
            codes.first().map_or(Answer::Accepted, |code| Answer::Complained(authority::effect(code)));
        let accepted = matches!(answer, Answer::Accepted | Answer::Complained(Effect::AcceptsWithErrors));
        let tolerated = accepted.then(|| tolerated_violation(&filed, purpose)).flatten().map(tolerance);
        let faults = codes.iter().map(|code| complaint(code, registered.as_ref())).chain(tolerated).collect();
        let stamps = match purpose {
            Purpose::Register | Purpose::RegisterAgain | Purpose::Amend { .. } if accepted => {
                let qr_url = filed.registration(before, &generated_at).qr_url(Environment::Test);
                vec![
                    Stamp { provider: STAMP_QR.to_owned(), value: qr_url },
                    Stamp { provider: STAMP_HASH.to_owned(), value: huella.clone() },
                ]
            }
            // What is refused proves nothing, and what is cancelled keeps the proof of its registration.
            _ => Vec::new(),
        };
        let record = StoredRecord::after(&filed, huella, purpose, answer, registered.as_ref());
        let record = Some(READER.written(&record)?);
        Ok(Outcome { accepted, stamps, faults, record, payload })
    }
}

impl Answers for EsVerifactu {
    fn answers(submission: &Submission, outcome: &Outcome) -> Vec<einvoice_plugin::Answer> {
        let filed = FiledDocument::read(&submission.document);
        let registered = READER.record(submission.registered.as_deref());
        // What `submit` read can be read.
        let (Ok(filed), Ok(registered)) = (filed, registered) else { return Vec::new() };
        let registered: Option<&StoredRecord> = Option::as_ref(&registered);
        let purpose = Purpose::of(filed.cancels, submission.amends.is_some(), registered);
        vec![response::response(&filed, purpose, registered, &generation_time(&submission.now), outcome)]
    }
}

/// The code the agency refuses the record with.
fn objection<'a>(
    submission: &'a Submission,
    filed: &FiledDocument,
    purpose: Purpose,
    registered: Option<&StoredRecord>,
) -> Option<&'a str> {
    let forced = submission.forced_code.as_deref().filter(|code| !authority::accepts(code));
    let broken = || match purpose {
        Purpose::Cancel { .. } => rules::cancellation_violation(filed),
        Purpose::Register | Purpose::RegisterAgain | Purpose::Amend { .. } => {
            rules::violation(filed, &submission.now)
        }
    };
    // An amendment under another number amends something the agency never saw.
    let renumbered = || {
        let other = submission.amends.as_ref().is_some_and(|amended| *amended != filed.key());
        other.then_some(UNKNOWN_RECORD)
    };
    forced.or_else(broken).or_else(renumbered).or_else(|| purpose.refusal(registered))
}

/// The codes the agency accepts the record with.
fn remarks<'a>(submission: &'a Submission, filed: &FiledDocument, purpose: Purpose) -> Vec<&'a str> {
    let own = match purpose {
        Purpose::Cancel { .. } => Vec::new(),
        Purpose::Register | Purpose::RegisterAgain | Purpose::Amend { .. } => rules::remarks(filed),
    };
    submission.forced_code.as_deref().into_iter().chain(own).collect()
}

/// The code the agency would refuse with what the sandbox lets pass.
fn tolerated_violation(filed: &FiledDocument, purpose: Purpose) -> Option<&'static str> {
    match purpose {
        Purpose::Cancel { .. } => None,
        Purpose::Register | Purpose::RegisterAgain | Purpose::Amend { .. } => {
            rules::tolerated_violation(filed)
        }
    }
}

/// A remark in the sandbox's own name, for under the agency's this code refuses.
fn tolerance(code: &str) -> ProviderFault {
    ProviderFault {
        provider: Some(SANDBOX.to_owned()),
        code: Some(code.to_owned()),
        message: Some(format!(
            "Accepted here only: the real agency refuses this invoice. {}",
            authority::explain(code)
        )),
        paths: Vec::new(),
    }
}

/// The agency's code in words. A duplicate comes with what stands already (`RegistroDuplicado`).
fn complaint(code: &str, registered: Option<&StoredRecord>) -> ProviderFault {
    let stands = registered.filter(|_| code == DUPLICATE).map(|record| record.standing.sentence());
    let sentences: Vec<_> = [VERIFACTU.message_of_stand_in(code), stands].into_iter().flatten().collect();
    ProviderFault {
        provider: Some(AGENCY.to_owned()),
        code: Some(code.to_owned()),
        message: (!sentences.is_empty()).then(|| sentences.join(" ")),
        paths: Vec::new(),
    }
}

/// The record's time as the clocks in Spain show it, in whole seconds: the form the fingerprint is taken of.
fn generation_time(instant: &str) -> String {
    central_europe(instant).map_or_else(|| instant.to_owned(), |local| local.to_string())
}
