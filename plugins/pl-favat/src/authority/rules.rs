//! What KSeF refuses a file for, as far as the file and the day tell.
//!
//! # How to add a rule
//! One row in [`RULES`], with the code KSeF refuses by, and a row in the table of the tests.

use einvoice_gobl::clock::today;

use super::codes::{ATTACHMENT, CONTENT, FILE, RIGHTS};
use super::document::FiledDocument;
use super::file::File;
use crate::fa3;
use crate::tables::EXT_SELF_BILLING;

/// Why a file is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Objection {
    /// KSeF's.
    pub(super) code: &'static str,
    /// Where in the file; empty when it is about all of it.
    pub(super) path: String,
    /// One sentence that says what to do.
    pub(super) message: String,
}

/// What a rule looks at.
struct Case<'a> {
    filed: &'a FiledDocument,
    file: &'a File,
    now: &'a str,
}

/// A rule: the code, and where and what it finds.
type Rule = (&'static str, fn(&Case<'_>) -> Option<(String, String)>);

/// In the order KSeF checks: who sends, what is sent, what it says.
const RULES: [Rule; 6] = [
    (RIGHTS, self_billing),
    (ATTACHMENT, attachment),
    (FILE, size),
    (CONTENT, structure),
    (CONTENT, day),
    (CONTENT, kind),
];

/// The first rule that the file breaks. `now` is the instant KSeF receives it.
pub(super) fn objection(filed: &FiledDocument, file: &File, now: &str) -> Option<Objection> {
    let case = Case { filed, file, now };
    RULES.iter().find_map(|(code, rule)| rule(&case).map(|(path, message)| Objection { code, path, message }))
}

/// The seller sends; only the buyer issues in the seller's name, in the buyer's own session.
fn self_billing(case: &Case<'_>) -> Option<(String, String)> {
    let message =
        "The buyer issues what is self-billed, with the seller's permission in KSeF; send it from there.";
    case.filed.invoice.has(EXT_SELF_BILLING).then(|| ("Fa/Adnotacje/P_17".to_owned(), message.to_owned()))
}

/// Interactive sessions take no attachments.
fn attachment(case: &Case<'_>) -> Option<(String, String)> {
    let message = "An invoice with attachments goes out in batches only; remove the attachments.";
    (!case.filed.invoice.attachments.is_empty()).then(|| ("Zalacznik".to_owned(), message.to_owned()))
}

fn size(case: &Case<'_>) -> Option<(String, String)> {
    let bytes = case.file.xml.len();
    let message =
        format!("The file has {bytes} bytes, KSeF takes {}; split the invoice.", fa3::FILE_BYTES_MAX);
    (bytes > fa3::FILE_BYTES_MAX).then(|| (String::new(), message))
}

/// The schema, and the characters of the file.
fn structure(case: &Case<'_>) -> Option<(String, String)> {
    let violation = case.file.violations.first()?;
    let element = violation.path.rsplit('/').next().unwrap_or_default();
    Some((violation.path.clone(), format!("{element} must {}; correct it.", violation.demand)))
}

/// No invoice is issued after the day it is received, which is the day in Poland.
fn day(case: &Case<'_>) -> Option<(String, String)> {
    let issued = case.filed.issued;
    let received = today(case.now).filter(|received| issued > *received)?;
    let message =
        format!("The invoice is dated {issued} and came on {received}; use a date up to the day it is sent.");
    Some(("Fa/P_1".to_owned(), message))
}

/// What credits is a correction, and nothing else is.
fn kind(case: &Case<'_>) -> Option<(String, String)> {
    let invoice = &case.filed.invoice;
    let is_correction = invoice.invoice_type().starts_with("KOR");
    let message = if is_correction {
        "A correction (KOR) states what is credited; send it as a credit note."
    } else {
        "A credit note is a correction; send it as KOR, KOR_ZAL or KOR_ROZ."
    };
    (is_correction != invoice.is_credit()).then(|| ("Fa/RodzajFaktury".to_owned(), message.to_owned()))
}
