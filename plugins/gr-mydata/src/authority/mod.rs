//! myDATA as the sandbox plays it.
//!
//! It takes one record at a time, made of the stored document (`crate::invoices_doc`), and answers as `SendInvoices` does:
//!
//! | `statusCode` | code of a tester | here |
//! |---|---|---|
//! | Success | none | accepted, with the stamps `iapr-mark` (`invoiceMark`), `iapr-uid` (`invoiceUid`) and `iapr-qr` (`qrUrl`) |
//! | XMLSyntaxError | 101 | refused: the record does not fit the schema |
//! | ValidationError | any code of `meaning` | refused, with every code that its rules (`rules`) find |
//! | TechnicalError | 206, 331 | refused |
//!
//! A fault's message begins with the `statusCode`. A record is filed under its `uid`; a second one is refused (233), unless
//! the document is word for word the same: then the first answer is repeated.
//!
//! What needs myDATA's registers is left to the tester: whether a business is active, the sender authorised, a corrected
//! document known, a classification allowed for its type. So is what has no place in our record.
//!
//! # How to add a rule
//! One line in `rules`, the sentence in `meaning`, and a row in the table of `tests/authority.rs`.

mod meaning;
mod rules;
mod schema;

use einvoice_eu::codes;
use einvoice_eu::register::{hexadecimal, stamp};
use einvoice_eu::report::System;
use einvoice_gobl::codes::full_code;
use einvoice_gobl::date::Date;
use einvoice_gobl::stored::Invoice;
use einvoice_plugin::{Authority, Fault, Faults, Filing, Outcome, ProviderFault, Stamp, Submission};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use crate::check::STAMP_MARK;
use crate::invoices_doc::InvoicesDoc;
use crate::{GrMydata, PREFIX};
pub use meaning::{CODES, Status};

/// The stamp with what myDATA tells a record from others by.
pub const STAMP_UID: &str = "iapr-uid";
/// The stamp with the address where anybody verifies the document.
pub const STAMP_QR: &str = "iapr-qr";
/// myDATA has a record with this `uid`.
pub const DUPLICATE: &str = "233";
/// The host of the test system.
pub const TEST_HOST: &str = "mydataapidev.aade.gr";

/// myDATA in reports.
pub const SYSTEM: System = System {
    authority: "myDATA",
    names: &["mydata", "gr-mydata", "iapr", "aade"],
    required_stamp: Some(STAMP_MARK),
    qr_stamp: Some(STAMP_QR),
    hash_stamp: Some(STAMP_MARK),
    is_remark: |_| false,
    meaning: meaning::meaning,
};

impl Authority for GrMydata {
    fn file(document: &str) -> Result<Filing, Faults> {
        let filed = FiledDocument::read(document)?;
        let issuer = filed.record.issuer.vat_number.clone();
        Ok(Filing { record_key: format!("{issuer}|{}", filed.record.uid()), chain: issuer })
    }

    fn submit(submission: &Submission) -> Result<Outcome, Faults> {
        let filed = FiledDocument::read(&submission.document)?;
        let held = submission.registered.as_deref().map(StoredRecord::read).transpose()?;
        let repeated = held.as_ref().filter(|held| held.digest == hexadecimal(&filed.digest));
        let codes = objections(submission, &filed, held.is_some(), repeated.is_some());
        let payload = Some(filed.record.xml());
        if !codes.is_empty() {
            let faults = codes.iter().map(|code| complaint(code)).collect();
            return Ok(Outcome { accepted: false, stamps: Vec::new(), faults, record: None, payload });
        }
        let stored = match repeated {
            Some(held) => held.clone(),
            None => StoredRecord::new(&filed),
        };
        let record = serde_json::to_string(&stored).map_err(|error| unreadable(&error.to_string()))?;
        Ok(Outcome {
            accepted: true,
            stamps: stored.stamps(),
            faults: Vec::new(),
            record: Some(record),
            payload,
        })
    }
}

/// Why myDATA refuses the record.
fn objections(
    submission: &Submission,
    filed: &FiledDocument,
    is_held: bool,
    is_repeated: bool,
) -> Vec<String> {
    if let Some(code) = &submission.forced_code {
        return vec![code.clone()];
    }
    if is_repeated {
        return Vec::new();
    }
    if is_held {
        return vec![DUPLICATE.to_owned()];
    }
    let mut found = rules::violations(&filed.record, filed.day, &submission.now);
    // An accepted document stays as it is: what changes goes out under another number.
    if found.is_empty() && submission.amends.is_some() {
        found.push(DUPLICATE);
    }
    found.into_iter().map(str::to_owned).collect()
}

fn complaint(code: &str) -> ProviderFault {
    let message = match meaning::row(code) {
        Some((_, status, sentence)) => format!("{status}: {sentence}"),
        None => format!("{}: myDATA refused the document.", Status::ValidationError),
    };
    ProviderFault {
        provider: Some("mydata".to_owned()),
        code: Some(code.to_owned()),
        message: Some(message),
        paths: Vec::new(),
    }
}

/// A document with what myDATA files it by.
#[derive(Debug)]
struct FiledDocument {
    record: InvoicesDoc,
    day: Date,
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
        if document.supplier.tax_id.code.is_empty() {
            return Err(unreadable("the supplier has no VAT number"));
        }
        let record = InvoicesDoc::from_document(&document);
        Ok(Self { record, day, digest: Sha256::digest(json.as_bytes()).into() })
    }

    /// Fifteen digits.
    fn mark(&self) -> String {
        let number = self.digest.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        format!("400{:012}", number % 1_000_000_000_000)
    }
}

/// What myDATA remembers of a document.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct StoredRecord {
    mark: String,
    uid: String,
    /// SHA-256 of the document, hexadecimal.
    digest: String,
}

impl StoredRecord {
    fn new(filed: &FiledDocument) -> Self {
        Self { mark: filed.mark(), uid: filed.record.uid(), digest: hexadecimal(&filed.digest) }
    }

    fn read(json: &str) -> Result<Self, Faults> {
        serde_json::from_str(json).map_err(|error| unreadable(&format!("the record: {error}")))
    }

    fn stamps(&self) -> Vec<Stamp> {
        let address = format!("https://{TEST_HOST}/TimologioQR/QRInfo?q={}", self.digest);
        vec![stamp(STAMP_MARK, &self.mark), stamp(STAMP_UID, &self.uid), stamp(STAMP_QR, &address)]
    }
}

fn unreadable(why: &str) -> Faults {
    let message =
        format!("The sandbox cannot read this as a document of myDATA ({why}); send what the plugin made.");
    vec![Fault::error(full_code(PREFIX, codes::SANDBOX_DOCUMENT), "", message)]
}
