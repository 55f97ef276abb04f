//! A treasury as the sandbox plays it: it files invoices in one chain of signatures per issuer, refuses duplicates and
//! amendments of invoices it never saw, and answers with the TicketBAI identifier and the QR address.
//!
//! There is no certificate here: what stands for a signature is a hash of the record and of the signature before it, so
//! the same documents in the same order give the same identifiers.

mod record;
mod rules;

use einvoice_es::reader::Reader;
use einvoice_es::stored;
use einvoice_plugin::{Authority, Faults, Filing, Outcome, ProviderFault, Stamp, Submission};
use record::Record;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::EsTbai;
use crate::answers::{ANSWERS, BIZKAIA_DUPLICATE, DUPLICATE, STAMP_CODE, STAMP_QR};
use crate::codes::{EXT_REGION, Region};
use crate::{faults, identifier};

const READER: Reader = Reader { code: faults::SANDBOX_DOCUMENT, document: "a TicketBAI document" };

/// The sandbox's own code: an amendment of an invoice that the treasury never saw under this number and date.
const NOTHING_TO_AMEND: &str = "NOTHING-TO-AMEND";

/// What a treasury remembers of an invoice.
#[derive(Debug, Serialize, Deserialize)]
struct StoredRecord {
    number: String,
    /// `DD-MM-YYYY`.
    date: String,
    signature: String,
}

impl Authority for EsTbai {
    fn file(document: &str) -> Result<Filing, Faults> {
        let filed = FiledDocument::read(document)?;
        Ok(Filing { record_key: filed.names.key(), chain: filed.names.issuer })
    }

    fn submit(submission: &Submission) -> Result<Outcome, Faults> {
        let filed = FiledDocument::read(&submission.document)?;
        let previous: Option<StoredRecord> = READER.record(submission.previous.as_deref())?;
        let record = READER.written(&Record::of(&filed, previous.as_ref()))?;
        let signature = signature(&record);
        let payload = Some(record);
        let region = filed.region.unwrap_or(Region::Gipuzkoa);
        if let Some(code) = objection(submission, &filed, region) {
            let faults = vec![complaint(code)];
            return Ok(Outcome { accepted: false, stamps: Vec::new(), faults, record: None, payload });
        }
        let code = identifier::identifier(&filed.names.issuer, filed.names.day, &signature);
        let qr = identifier::qr_url(region, &code, &filed.names.number, &filed.total);
        let stamps = [(STAMP_CODE, code), (STAMP_QR, qr)]
            .map(|(provider, value)| Stamp { provider: provider.to_owned(), value })
            .to_vec();
        let remark = submission.forced_code.as_deref().map(complaint);
        let keep = StoredRecord { date: filed.names.day.agency(), number: filed.names.number, signature };
        let record = Some(READER.written(&keep)?);
        Ok(Outcome { accepted: true, stamps, faults: remark.into_iter().collect(), record, payload })
    }
}

/// The code the treasury refuses the invoice with. An amendment replaces the invoice under its own key.
fn objection<'a>(submission: &'a Submission, filed: &FiledDocument, region: Region) -> Option<&'a str> {
    let forced = submission.forced_code.as_deref().filter(|code| !(ANSWERS.accepts)(code));
    if let Some(code) = forced.or_else(|| rules::violation(&filed.names.invoice, filed.region)) {
        return Some(code);
    }
    let key = filed.names.key();
    match (submission.amends.as_deref(), &submission.registered) {
        (Some(amended), _) if amended != key => Some(NOTHING_TO_AMEND),
        (Some(_), _) | (None, None) => None,
        (None, Some(_)) if region == Region::Bizkaia => Some(BIZKAIA_DUPLICATE),
        (None, Some(_)) => Some(DUPLICATE),
    }
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
fn signature(record: &str) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let digests =
        (0_u8..4).flat_map(|round| Sha256::new().chain_update([round]).chain_update(record).finalize());
    digests
        .take(100)
        .filter_map(|byte| ALPHABET.get(usize::from(byte & 63)))
        .map(|byte| char::from(*byte))
        .collect()
}

/// A document with everything the record needs.
#[derive(Debug)]
struct FiledDocument {
    names: stored::FiledDocument,
    region: Option<Region>,
    /// As the record states it: negative when something is credited.
    total: String,
}

impl FiledDocument {
    fn read(json: &str) -> Result<Self, Faults> {
        let names = stored::FiledDocument::read(json).map_err(|error| READER.unreadable(&error))?;
        let invoice = &names.invoice;
        let region = invoice.code_of(EXT_REGION).and_then(Region::of_code);
        Ok(Self { region, total: invoice.stated(&invoice.totals.total_with_tax), names })
    }
}

#[cfg(test)]
mod tests;
