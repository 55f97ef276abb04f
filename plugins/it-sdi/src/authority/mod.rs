//! SdI as the sandbox plays it.
//!
//! It takes one file at a time, made of the stored document (`crate::fattura`), and answers at once what SdI answers with
//! receipts. A tester's code steers it to every other answer:
//!
//! | receipt | code of a tester | here |
//! |---|---|---|
//! | RC, MC, AT, DT | the same | accepted, with a remark |
//! | NE with EC01 | `NE`, `EC01` | accepted, with a remark |
//! | NE with EC02 | `EC02` | refused: the administration did not take it |
//! | NS | `NS`, or any code of its list of errors | refused: counts as not issued |
//! | none yet | none | what its rules say (`rules`): accepted, or refused with every code they find |
//!
//! A file is named after its sender and a progressive number that no later file of the sender has, whatever the answer was
//! (`memory`). A number that SdI discarded may be sent again; one that it holds is refused (00404), unless the document is
//! word for word the same: then the first answer is repeated.
//!
//! The receipts themselves are its answers, as documents (`receipts`).
//!
//! What needs SdI's registers is left to the tester: whether a tax number, a fiscal code or a destination code exists.
//! Signatures (001xx) are the provider's. The file has no batches (00409), pension funds (00413, 00414, 00415) or
//! discounts (00437, 00438), and one member is both its format and its version (00428).
//!
//! # How to add a rule
//! One line in `rules`, the sentence in `meaning`, and a row in the table of `tests/authority.rs`.

mod meaning;
mod memory;
mod receipts;
mod rules;
mod schema;

use einvoice_eu::codes;
use einvoice_eu::register::{hexadecimal, stamp};
use einvoice_eu::report::System;
use einvoice_gobl::codes::full_code;
use einvoice_gobl::date::Date;
use einvoice_gobl::stored::Invoice;
use einvoice_plugin::{
    Answer, Answers, Authority, Fault, Faults, Filing, Outcome, ProviderFault, Stamp, Submission,
};
use sha2::{Digest, Sha256};

use crate::fattura::{Fattura, SEPARATOR};
use crate::{ItSdi, PREFIX};
pub use meaning::CODES;
use memory::StoredRecord;

/// The stamp with SdI's number of the file (`IdentificativoSdI`).
pub const STAMP_ID: &str = "sdi-id";
/// The stamp with the file's name.
pub const STAMP_FILE: &str = "sdi-file";
/// SdI has a document of this supplier, year and number.
pub const DUPLICATE: &str = "00404";

/// SdI in reports.
pub const SYSTEM: System = System {
    authority: "SdI",
    names: &["sdi", "it-sdi"],
    required_stamp: None,
    qr_stamp: None,
    hash_stamp: Some(STAMP_ID),
    is_remark: meaning::is_remark,
    meaning: meaning::meaning,
};

impl Authority for ItSdi {
    fn file(document: &str) -> Result<Filing, Faults> {
        let filed = FiledDocument::read(document)?;
        Ok(Filing { record_key: filed.key(), chain: filed.issuer })
    }

    fn submit(submission: &Submission) -> Result<Outcome, Faults> {
        let Transmission { filed, held, repeated, last, progressive, fattura } =
            Transmission::of(submission)?;
        let (held, repeated) = (held.as_ref(), repeated.as_ref());
        let digest = hexadecimal(&filed.digest);
        let payload = fattura.xml();
        let codes = objections(submission, &filed, &fattura, &payload, held, repeated.is_some());
        let accepted = codes.is_empty();
        let remark = submission.forced_code.as_deref().filter(|_| accepted);
        let faults = codes.iter().map(String::as_str).chain(remark).map(complaint).collect();
        let stamps = match repeated {
            _ if !accepted => Vec::new(),
            Some(record) => record.stamps(),
            None => stamps(&filed, &fattura),
        };
        let record = match held {
            // What SdI holds stays, and no later file has the name of this one.
            Some(held) => held.clone().followed_by(last.max(progressive)),
            None => StoredRecord::new(&filed.number, &digest, progressive, &stamps, accepted),
        };
        let record = serde_json::to_string(&record).map_err(|error| unreadable(&error.to_string()))?;
        Ok(Outcome { accepted, stamps, faults, record: Some(record), payload: Some(payload) })
    }
}

impl Answers for ItSdi {
    fn answers(submission: &Submission, outcome: &Outcome) -> Vec<Answer> {
        let sent = Transmission::of(submission).map(|sent| {
            let stamps = if outcome.stamps.is_empty() {
                stamps(&sent.filed, &sent.fattura)
            } else {
                outcome.stamps.clone()
            };
            receipts::of(&sent.fattura, &stamps, &submission.now, outcome)
        });
        // What `submit` read can be read.
        sent.unwrap_or_default()
    }
}

/// A document on its way to SdI, as the file that it becomes.
struct Transmission {
    filed: FiledDocument,
    /// What SdI holds under its number.
    held: Option<StoredRecord>,
    /// The same, where it is of this very document.
    repeated: Option<StoredRecord>,
    /// The last progressive number of the sender before.
    last: u32,
    progressive: u32,
    fattura: Fattura,
}

impl Transmission {
    fn of(submission: &Submission) -> Result<Self, Faults> {
        let filed = FiledDocument::read(&submission.document)?;
        let previous = record(submission.previous.as_deref())?;
        let registered = record(submission.registered.as_deref())?;
        let last = StoredRecord::last_progressive(previous.as_ref(), registered.as_ref());
        let held = registered.filter(StoredRecord::is_accepted);
        let digest = hexadecimal(&filed.digest);
        let repeated = held.clone().filter(|record| record.digest == digest);
        let progressive = repeated.as_ref().map_or(last.saturating_add(1), |record| record.progressive);
        let fattura = Fattura::from_document(&filed.document, &memory::progressive_text(progressive));
        Ok(Self { filed, held, repeated, last, progressive, fattura })
    }
}

/// Why SdI refuses the file, or the administration the invoice.
fn objections(
    submission: &Submission,
    filed: &FiledDocument,
    fattura: &Fattura,
    payload: &str,
    held: Option<&StoredRecord>,
    is_repeated: bool,
) -> Vec<String> {
    let forced = submission.forced_code.as_deref().filter(|code| !meaning::is_remark(code));
    if let Some(code) = forced {
        return vec![code.to_owned()];
    }
    if is_repeated {
        return Vec::new();
    }
    if held.is_some() {
        return vec![DUPLICATE.to_owned()];
    }
    let mut found = rules::violations(fattura, filed.day, payload.len(), &submission.now);
    // An accepted document stays as it is: what changes goes out under another number.
    if found.is_empty() && submission.amends.is_some() {
        found.push(DUPLICATE);
    }
    found.into_iter().map(str::to_owned).collect()
}

fn complaint(code: &str) -> ProviderFault {
    let message = meaning::meaning(code).unwrap_or("SdI refused the document.");
    ProviderFault {
        provider: Some("sdi".to_owned()),
        code: Some(code.to_owned()),
        message: Some(message.to_owned()),
        paths: Vec::new(),
    }
}

fn stamps(filed: &FiledDocument, fattura: &Fattura) -> Vec<Stamp> {
    let number = filed.digest.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    let identifier = format!("{:011}", number % 100_000_000_000);
    vec![stamp(STAMP_ID, &identifier), stamp(STAMP_FILE, &fattura.file_name())]
}

/// A document with what SdI files it by.
#[derive(Debug)]
struct FiledDocument {
    /// The supplier's tax id, or its other number.
    issuer: String,
    number: String,
    day: Date,
    document: Invoice,
    /// SHA-256 of the document as it was sent.
    digest: [u8; 32],
}

impl FiledDocument {
    fn read(json: &str) -> Result<Self, Faults> {
        let document: Invoice = serde_json::from_str(json).map_err(|error| unreadable(&error.to_string()))?;
        if document.code.is_empty() {
            return Err(unreadable("the document has no number"));
        }
        let day = document.issue_date.parse().map_err(|_| unreadable("the issue date is no date"))?;
        let issuer = document.supplier.number().to_owned();
        if issuer.is_empty() {
            return Err(unreadable("the supplier has no tax id"));
        }
        let digest = Sha256::digest(json.as_bytes()).into();
        Ok(Self { issuer, number: document.number(SEPARATOR), day, document, digest })
    }

    /// Credit notes have numbers of their own, and every year begins anew.
    fn key(&self) -> String {
        let year = self.day.to_string();
        let sort = if self.document.kind == "credit-note" { "N" } else { "F" };
        format!("{}|{}|{sort}|{}", self.issuer, year.get(..4).unwrap_or_default(), self.number)
    }
}

fn record(json: Option<&str>) -> Result<Option<StoredRecord>, Faults> {
    json.map(serde_json::from_str).transpose().map_err(|error| unreadable(&format!("the record: {error}")))
}

fn unreadable(why: &str) -> Faults {
    let message =
        format!("The sandbox cannot read this as a document of SdI ({why}); send what the plugin made.");
    vec![Fault::error(full_code(PREFIX, codes::SANDBOX_DOCUMENT), "", message)]
}
