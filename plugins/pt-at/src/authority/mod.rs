//! The AT as the sandbox plays it: its web service for documents, and the program that signs them.
//!
//! It takes one document at a time, made into a SAF-T file (`crate::saft`), and answers at once. A tester's code steers it to
//! every other answer. The AT's own service answers with a number and a Portuguese sentence (`CodigoResposta`, `Mensagem`),
//! whose list no source at hand has: **the codes here are the stand-in's own words**. What the real service answers is quoted.
//!
//! | code of a tester | here |
//! |---|---|
//! | `LATE`, `SEQUENCE-GAP` | accepted, with a remark |
//! | any other code of its list | refused with it |
//! | none | what its rules say (`rules`): accepted, or refused with every code they find |
//!
//! Documents of a series form a chain (`memory`): each is signed with the signature of the one before, has a greater number and
//! no earlier date. The first document of a series registers it with the validation code that it states. A number that was
//! refused may be sent again; one that the AT holds is refused (`DUPLICATE`), unless the document is word for word the same:
//! then the first answer is repeated.
//!
//! Left to the tester is what needs registers: whether a tax number is known, a series closed, a certificate valid, an access
//! granted; and whether a signature holds, for the stand-in makes them itself (`crate::signature`).
//!
//! # How to add a rule
//! One line in `rules`, the sentence in `meaning`, and a row in the table of `tests/authority.rs`.

mod meaning;
mod memory;
mod rules;
mod schema;

use crate::clock::portugal;
use einvoice_eu::codes;
use einvoice_eu::register::{hexadecimal, stamp};
use einvoice_eu::report::System;
use einvoice_gobl::codes::full_code;
use einvoice_gobl::stored::Invoice;
use einvoice_plugin::{Authority, Fault, Faults, Filing, Outcome, ProviderFault, Stamp, Submission};
use sha2::{Digest, Sha256};

use crate::number::{DocumentNumber, SEPARATOR};
use crate::saft::{AuditFile, Entry};
use crate::{PREFIX, PtAt, qr, signature};
pub use meaning::{CODES, DUPLICATE};
use memory::{SeriesEnd, StoredRecord};

/// The stamp with the unique code of the document.
pub const STAMP_ATCUD: &str = "at-atcud";
/// The stamp with the content of the QR code.
pub const STAMP_QR: &str = "at-qr";
/// The stamp with the four characters of the signature that are printed.
pub const STAMP_HASH: &str = "at-hash";
/// The stamp with the whole signature.
pub const STAMP_HASH_FULL: &str = "at-hash-full";

/// The AT in reports.
pub const SYSTEM: System = System {
    authority: "The AT",
    names: &["at", "pt-at", "pt-saft"],
    required_stamp: Some(STAMP_ATCUD),
    qr_stamp: None,
    hash_stamp: Some(STAMP_ATCUD),
    is_remark: meaning::is_remark,
    meaning: meaning::meaning,
};

impl Authority for PtAt {
    fn file(document: &str) -> Result<Filing, Faults> {
        let filed = FiledDocument::read(document)?;
        Ok(Filing { record_key: filed.key(), chain: filed.chain() })
    }

    fn submit(submission: &Submission) -> Result<Outcome, Faults> {
        let filed = FiledDocument::read(&submission.document)?;
        let previous = record(submission.previous.as_deref())?;
        let registered = record(submission.registered.as_deref())?;
        let held = registered.as_ref().filter(|record| record.accepted);
        let repeated = held.filter(|record| record.digest == filed.digest);
        let series_end = StoredRecord::series_end(previous.as_ref(), registered.as_ref());
        let entry = repeated.map_or_else(
            || filed.entry(series_end.as_ref(), &submission.now),
            |record| Entry { entered: record.entered.clone(), signature: record.signature.clone() },
        );
        let file = AuditFile::from_document(&filed.document, entry);
        let codes = objections(submission, &file, series_end.as_ref(), held, repeated.is_some());
        let accepted = codes.is_empty();
        let remarks = if accepted {
            remarks(submission, &file, series_end.as_ref(), repeated.is_some())
        } else {
            Vec::new()
        };
        let stamps = match repeated {
            _ if !accepted => Vec::new(),
            Some(record) => record.stamps(),
            None => stamps(&file),
        };
        let ended = if accepted && repeated.is_none() { Some(filed.as_end(&file)) } else { series_end };
        let record = match held {
            // What the AT holds stays.
            Some(held) => held.clone(),
            None => StoredRecord::new(
                &filed.digest,
                &file.entry.entered,
                &file.entry.signature,
                &stamps,
                accepted,
            ),
        };
        let record =
            serde_json::to_string(&record.ending(ended)).map_err(|error| unreadable(&error.to_string()))?;
        let faults = codes.iter().chain(&remarks).map(|code| complaint(code)).collect();
        Ok(Outcome { accepted, stamps, faults, record: Some(record), payload: Some(file.xml()) })
    }
}

/// Why the AT refuses the document.
fn objections(
    submission: &Submission,
    file: &AuditFile,
    series_end: Option<&SeriesEnd>,
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
    let mut found = rules::violations(file, series_end, &submission.now);
    // An accepted document stays as it is: what changes goes out under another number.
    if found.is_empty() && submission.amends.is_some() {
        found.push(DUPLICATE);
    }
    found.into_iter().map(str::to_owned).collect()
}

fn remarks(
    submission: &Submission,
    file: &AuditFile,
    series_end: Option<&SeriesEnd>,
    is_repeated: bool,
) -> Vec<String> {
    if let Some(code) = &submission.forced_code {
        return vec![code.clone()];
    }
    let found = if is_repeated { Vec::new() } else { rules::remarks(file, series_end, &submission.now) };
    found.into_iter().map(str::to_owned).collect()
}

fn complaint(code: &str) -> ProviderFault {
    let message = meaning::meaning(code).unwrap_or("The AT refused the document.");
    ProviderFault {
        provider: Some("at".to_owned()),
        code: Some(code.to_owned()),
        message: Some(message.to_owned()),
        paths: Vec::new(),
    }
}

fn stamps(file: &AuditFile) -> Vec<Stamp> {
    let whole = &file.entry.signature;
    vec![
        stamp(STAMP_ATCUD, &file.atcud),
        stamp(STAMP_HASH, &signature::printed(whole)),
        stamp(STAMP_HASH_FULL, whole),
        stamp(STAMP_QR, &qr::text(&qr::fields(file))),
    ]
}

/// A document with what the AT files it by.
#[derive(Debug)]
struct FiledDocument {
    /// The supplier's tax number.
    issuer: String,
    number: String,
    document: Invoice,
    /// SHA-256 of the document as it was sent, hexadecimal.
    digest: String,
}

impl FiledDocument {
    fn read(json: &str) -> Result<Self, Faults> {
        let document: Invoice = serde_json::from_str(json).map_err(|error| unreadable(&error.to_string()))?;
        if document.code.is_empty() {
            return Err(unreadable("the document has no number"));
        }
        let issuer = document.supplier.tax_id.code.clone();
        if issuer.is_empty() {
            return Err(unreadable("the supplier has no tax id"));
        }
        let digest = hexadecimal(&Sha256::digest(json.as_bytes()));
        Ok(Self { issuer, number: document.number(SEPARATOR), document, digest })
    }

    /// Noughts before a number make no other number of it.
    fn key(&self) -> String {
        let number = DocumentNumber::read(&self.number).map_or_else(
            || self.number.clone(),
            |number| format!("{} {}/{}", number.doc_type, number.series, number.position()),
        );
        format!("{}|{number}", self.issuer)
    }

    /// Issuer, type and series.
    fn chain(&self) -> String {
        let series = self.number.split_once('/').map_or(self.number.as_str(), |(series, _)| series);
        format!("{}|{series}", self.issuer)
    }

    /// What the program adds: the time in Portugal, and the signature that continues the series.
    fn entry(&self, series_end: Option<&SeriesEnd>, now: &str) -> Entry {
        let entered = portugal(now).map(|(_, time)| time).unwrap_or_default();
        let gross = self.document.totals.total_with_tax.amount();
        let before = series_end.map_or("", |end| end.signature.as_str());
        let text = signature::signed_text(&self.document.issue_date, &entered, &self.number, &gross, before);
        Entry { entered, signature: signature::stand_in(&text) }
    }

    fn as_end(&self, file: &AuditFile) -> SeriesEnd {
        SeriesEnd {
            position: DocumentNumber::read(&self.number).map_or(0, DocumentNumber::position),
            date: file.date.clone(),
            validation_code: file.atcud.rsplit_once('-').map_or("", |(code, _)| code).to_owned(),
            signature: file.entry.signature.clone(),
        }
    }
}

fn record(json: Option<&str>) -> Result<Option<StoredRecord>, Faults> {
    json.map(serde_json::from_str).transpose().map_err(|error| unreadable(&format!("the record: {error}")))
}

fn unreadable(why: &str) -> Faults {
    let message =
        format!("The sandbox cannot read this as a document of the AT ({why}); send what the plugin made.");
    vec![Fault::error(full_code(PREFIX, codes::SANDBOX_DOCUMENT), "", message)]
}
