//! KSeF as the sandbox plays it.
//!
//! It makes the file that goes over the wire (`file`), refuses what KSeF refuses, by KSeF's own codes (`rules`,
//! `codes`), and gives an invoice that it takes a number, the address of QR code I, which names the very file, and a receipt
//! (`receipt`). Of an invoice without number there is no document: KSeF only states its status.
//!
//! | document | answer |
//! |---|---|
//! | sound | number, instant and address as stamps |
//! | not sound | the first rule it breaks, with everything that the rule finds: 410, 415, 430, 450 |
//! | word for word the one that stands under seller, type and number | the answer of the first time, with the same file |
//! | another one under the same seller, type and number | 440 |
//! | with a tester's code | that code: 200 comes with an accepted invoice; 100, 150 and 170 leave it undecided, without number and receipt (UPO); any other refuses it |

mod codes;
mod document;
mod figures;
mod file;
mod receipt;
mod rules;
#[cfg(test)]
mod tests;

use einvoice_eu::report::System;
use einvoice_gobl::clock::today;
use einvoice_plugin::{Answers, Authority, Faults, Filing, Outcome, ProviderFault, Stamp, Submission};
use serde::{Deserialize, Serialize};

use crate::PlFavat;
use crate::ksef_number::ksef_number;
use crate::qr::{Environment, invoice_address};
use codes::Effect;
pub use codes::{DUPLICATE, all as all_codes};
use document::{FiledDocument, unreadable};
use file::File;
use rules::Objection;

/// The stamp with KSeF's number of the document.
pub const STAMP_NUMBER: &str = "favat-ksef-number";
/// The stamp with the instant KSeF took the document.
pub const STAMP_DATE: &str = "favat-ksef-acquisition-date";
/// The stamp with the address where anybody verifies the document.
pub const STAMP_QR: &str = "favat-qr";

/// KSeF in reports.
pub const SYSTEM: System = System {
    authority: "KSeF",
    names: &["ksef", "favat", "pl-favat"],
    required_stamp: Some(STAMP_NUMBER),
    qr_stamp: Some(STAMP_QR),
    hash_stamp: Some(STAMP_NUMBER),
    is_remark,
    meaning: codes::meaning,
};

/// What KSeF remembers of an invoice.
#[derive(Debug, Serialize, Deserialize)]
struct StoredRecord {
    number: String,
    digest: String,
    stamps: Vec<(String, String)>,
}

impl StoredRecord {
    /// When the invoice was received.
    fn received(&self) -> Option<&str> {
        self.stamps.iter().find(|(provider, _)| provider == STAMP_DATE).map(|(_, instant)| instant.as_str())
    }
}

impl Authority for PlFavat {
    fn file(document: &str) -> Result<Filing, Faults> {
        let filed = FiledDocument::read(document)?;
        Ok(Filing { record_key: filed.key(), chain: filed.nip })
    }

    fn submit(submission: &Submission) -> Result<Outcome, Faults> {
        let filed = FiledDocument::read(&submission.document)?;
        let stands: Option<StoredRecord> = submission
            .registered
            .as_deref()
            .map(serde_json::from_str)
            .transpose()
            .map_err(|error| unreadable(&format!("the record: {error}")))?;
        let same = stands.as_ref().filter(|record| record.digest == filed.digest);
        // Sent again, it is the file of the first time.
        let received = same.and_then(StoredRecord::received).unwrap_or(&submission.now);
        let file = File::of(&filed, received);

        let forced = submission.forced_code.as_deref();
        let remark: Vec<_> = forced.map(complaint).into_iter().collect();
        let answer = match (forced.map(codes::effect), same) {
            (Some(Effect::Refuses | Effect::Pends), _) => Answer::without_number(remark),
            (Some(Effect::Accepts) | None, Some(record)) => {
                Answer { stamps: Some(record.stamps.clone()), faults: remark }
            }
            (Some(Effect::Accepts) | None, None) => {
                // An accepted document stays as it is: what changes goes out under another number.
                let is_duplicate = stands.is_some() || submission.amends.is_some();
                let objections = rules::objections(&filed, &file, &submission.now);
                if !objections.is_empty() {
                    Answer::without_number(objections.into_iter().map(objected).collect())
                } else if is_duplicate {
                    Answer::without_number(vec![complaint(DUPLICATE)])
                } else {
                    Answer { stamps: Some(stamps(&filed, &file, &submission.now)), faults: remark }
                }
            }
        };
        answer.outcome(filed, file, submission)
    }
}

impl Answers for PlFavat {
    fn answers(submission: &Submission, outcome: &Outcome) -> Vec<einvoice_plugin::Answer> {
        let filed = FiledDocument::read(&submission.document).ok();
        filed.and_then(|filed| receipt::receipt(&filed, outcome)).into_iter().collect()
    }
}

/// What KSeF answers. Without stamps the invoice has no number.
struct Answer {
    stamps: Option<Vec<(String, String)>>,
    faults: Vec<ProviderFault>,
}

impl Answer {
    const fn without_number(faults: Vec<ProviderFault>) -> Self {
        Self { stamps: None, faults }
    }

    fn outcome(self, filed: FiledDocument, file: File, submission: &Submission) -> Result<Outcome, Faults> {
        let stamp =
            |(provider, value): &(String, String)| Stamp { provider: provider.clone(), value: value.clone() };
        let stamps = self.stamps.iter().flatten().map(stamp).collect();
        let accepted = self.stamps.is_some();
        let record = match (self.stamps, &submission.registered) {
            (None, _) => None,
            (Some(_), Some(record)) => Some(record.clone()),
            (Some(stamps), None) => {
                let record = StoredRecord { number: filed.number, digest: filed.digest, stamps };
                Some(serde_json::to_string(&record).map_err(|error| unreadable(&error.to_string()))?)
            }
        };
        Ok(Outcome { accepted, stamps, faults: self.faults, record, payload: Some(file.xml) })
    }
}

/// Whether a code comes with anything but a refusal: what is undecided is none.
fn is_remark(code: &str) -> bool {
    codes::effect(code) != Effect::Refuses
}

/// A code in KSeF's name.
fn complaint(code: &str) -> ProviderFault {
    ProviderFault {
        provider: Some("ksef".to_owned()),
        code: Some(code.to_owned()),
        message: Some(codes::meaning(code).unwrap_or("KSeF refused the document.").to_owned()),
        paths: Vec::new(),
    }
}

fn objected(objection: Objection) -> ProviderFault {
    let paths = Some(objection.path).filter(|path| !path.is_empty()).into_iter().collect();
    ProviderFault { message: Some(objection.message), paths, ..complaint(objection.code) }
}

/// The proofs of an invoice that KSeF takes at `now`.
fn stamps(filed: &FiledDocument, file: &File, now: &str) -> Vec<(String, String)> {
    let digest = file.digest();
    let mut technical = [0; 6];
    technical.iter_mut().zip(digest).for_each(|(part, byte)| *part = byte);
    let number = ksef_number(&filed.nip, today(now).unwrap_or(filed.issued), technical);
    let address = invoice_address(Environment::Test, &filed.nip, filed.issued, &digest);
    [(STAMP_NUMBER, number), (STAMP_DATE, now.to_owned()), (STAMP_QR, address)]
        .map(|(provider, value)| (provider.to_owned(), value))
        .to_vec()
}
