//! A treasury as the sandbox plays it: it files invoices in one chain of signatures per issuer, refuses duplicates,
//! amendments of invoices it never saw and what its rules forbid, and answers with the TicketBAI identifier and the QR
//! address. What it shows of an invoice is the TicketBAI file itself.
//!
//! There is no certificate here: what stands for a signature is a hash of the file, which carries the signature before
//! it, so the same documents in the same order give the same identifiers. Like a signature's value it is in base64, and
//! the next invoice carries its first hundred characters.
//!
//! | module | does |
//! |---|---|
//! | `filed_document`, `figures` | a stored document in the treasuries' terms |
//! | `message`, `breakdown` | the TicketBAI file |
//! | `lroe` | the message to Bizkaia's register of operations, which wraps the file |
//! | `rules` | why an invoice is refused, and under which code |
//! | `memory` | what is remembered of an invoice |

mod breakdown;
mod figures;
mod filed_document;
mod lroe;
mod memory;
mod message;
mod rules;

use einvoice_es::reader::Reader;
use einvoice_plugin::{Authority, Faults, Filing, Outcome, ProviderFault, Stamp, Submission};
use sha2::{Digest, Sha256};

use crate::EsTbai;
use crate::answers::{ANSWERS, BIZKAIA_DUPLICATE, CHAIN, DUPLICATE, STAMP_CODE, STAMP_QR};
use crate::codes::Region;
use crate::{faults, identifier};
use filed_document::FiledDocument;
use memory::StoredRecord;

const READER: Reader = Reader { code: faults::SANDBOX_DOCUMENT, document: "a TicketBAI document" };

/// The sandbox's own code: an amendment of an invoice that the treasury never saw under this number and date.
pub const NOTHING_TO_AMEND: &str = "NOTHING-TO-AMEND";

impl Authority for EsTbai {
    fn file(document: &str) -> Result<Filing, Faults> {
        let filed = FiledDocument::read(document)?;
        Ok(Filing { record_key: filed.names.key(), chain: filed.names.issuer })
    }

    fn submit(submission: &Submission) -> Result<Outcome, Faults> {
        let filed = FiledDocument::read(&submission.document)?;
        let previous: Option<StoredRecord> = READER.record(submission.previous.as_deref())?;
        let file = message::message(&filed, previous.as_ref(), &submission.now);
        let signature = signature(&file);
        let payload = Some(if filed.goes_into_register() { lroe::message(&filed, &file) } else { file });
        if let Some(code) = objection(submission, &filed) {
            let faults = vec![complaint(code)];
            return Ok(Outcome { accepted: false, stamps: Vec::new(), faults, record: None, payload });
        }
        let code = identifier::identifier(&filed.names.issuer, filed.names.day, &signature);
        let number =
            identifier::Number { series: filed.series().unwrap_or_default(), number: filed.number() };
        let qr = identifier::qr_url(filed.treasury(), &code, number, &filed.total());
        let stamps = [(STAMP_CODE, code), (STAMP_QR, qr)]
            .map(|(provider, value)| Stamp { provider: provider.to_owned(), value })
            .to_vec();
        let faults = remark(submission, &filed, previous.as_ref()).into_iter().map(complaint).collect();
        let record = Some(READER.written(&StoredRecord::of(&filed, signature))?);
        Ok(Outcome { accepted: true, stamps, faults, record, payload })
    }
}

/// The code the treasury refuses the invoice with. An amendment replaces the invoice under its own key.
fn objection<'a>(submission: &'a Submission, filed: &FiledDocument) -> Option<&'a str> {
    let forced = submission.forced_code.as_deref().filter(|code| !(ANSWERS.accepts)(code));
    if let Some(code) = forced.or_else(|| rules::violation(filed, &submission.now)) {
        return Some(code);
    }
    let key = filed.names.key();
    match (submission.amends.as_deref(), &submission.registered) {
        (Some(amended), _) if amended != key => Some(NOTHING_TO_AMEND),
        (Some(_), _) | (None, None) => None,
        (None, Some(_)) if filed.treasury() == Region::Bizkaia => Some(BIZKAIA_DUPLICATE),
        (None, Some(_)) => Some(DUPLICATE),
    }
}

/// What Araba and Gipuzkoa remark about an invoice that they take (`Estado` 00): a tester's code, and a chain that goes
/// back in time.
fn remark<'a>(
    submission: &'a Submission,
    filed: &FiledDocument,
    previous: Option<&StoredRecord>,
) -> Option<&'a str> {
    let goes_back = previous.is_some_and(|previous| previous.is_after(filed.names.day));
    let chain = (goes_back && filed.treasury() != Region::Bizkaia).then_some(CHAIN);
    submission.forced_code.as_deref().or(chain)
}

fn complaint(code: &str) -> ProviderFault {
    let message = match code {
        NOTHING_TO_AMEND => Some(
            "The treasury has no such invoice: an accepted invoice cannot be renumbered; issue a credit note and then a \
             new invoice.",
        ),
        code => ANSWERS.message_of_stand_in(code),
    };
    ProviderFault {
        provider: Some("ticketbai".to_owned()),
        code: Some(code.to_owned()),
        message: message.map(str::to_owned),
        paths: Vec::new(),
    }
}

/// A hundred characters that stand for the start of a signature's value.
fn signature(file: &str) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digests =
        (0_u8..4).flat_map(|round| Sha256::new().chain_update([round]).chain_update(file).finalize());
    digests
        .take(100)
        .filter_map(|byte| ALPHABET.get(usize::from(byte & 63)))
        .map(|byte| char::from(*byte))
        .collect()
}

#[cfg(test)]
mod tests;
