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
type Rule = (&'static str, fn(&Case<'_>) -> Vec<Finding>);
type Finding = (String, String);

/// In the order KSeF checks: who sends, what is sent, what it says.
const RULES: [Rule; 6] = [
    (RIGHTS, self_billing),
    (ATTACHMENT, attachment),
    (FILE, size),
    (CONTENT, structure),
    (CONTENT, day),
    (CONTENT, kind),
];

/// What the first rule that the file breaks finds. `now` is the instant KSeF receives it.
pub(super) fn objections(filed: &FiledDocument, file: &File, now: &str) -> Vec<Objection> {
    let case = Case { filed, file, now };
    let found = RULES.iter().map(|(code, rule)| (*code, rule(&case))).find(|(_, found)| !found.is_empty());
    let (code, found) = found.unwrap_or_default();
    found.into_iter().map(|(path, message)| Objection { code, path, message }).collect()
}

/// The finding of a rule that has one at most.
fn finding(is_broken: bool, path: &str, message: impl Into<String>) -> Vec<Finding> {
    if is_broken { vec![(path.to_owned(), message.into())] } else { Vec::new() }
}

/// The seller sends; only the buyer issues in the seller's name, in the buyer's own session.
fn self_billing(case: &Case<'_>) -> Vec<Finding> {
    let message =
        "The buyer issues what is self-billed, with the seller's permission in KSeF; send it from there.";
    finding(case.filed.invoice.has(EXT_SELF_BILLING), "Fa/Adnotacje/P_17", message)
}

/// Interactive sessions take no attachments.
fn attachment(case: &Case<'_>) -> Vec<Finding> {
    let message = "An invoice with attachments goes out in batches only; remove the attachments.";
    finding(!case.filed.invoice.attachments.is_empty(), "Zalacznik", message)
}

fn size(case: &Case<'_>) -> Vec<Finding> {
    let bytes = case.file.xml.len();
    let message =
        format!("The file has {bytes} bytes, KSeF takes {}; split the invoice.", fa3::FILE_BYTES_MAX);
    finding(bytes > fa3::FILE_BYTES_MAX, "", message)
}

/// The schema, and the characters of the file.
fn structure(case: &Case<'_>) -> Vec<Finding> {
    let found = case.file.violations.iter().map(|violation| {
        let element = violation.path.rsplit('/').next().unwrap_or_default();
        (violation.path.clone(), format!("{element} must {}; correct it.", violation.demand))
    });
    found.collect()
}

/// No invoice is issued after the day it is received, which is the day in Poland.
fn day(case: &Case<'_>) -> Vec<Finding> {
    let issued = case.filed.issued;
    let Some(received) = today(case.now) else { return Vec::new() };
    let message =
        format!("The invoice is dated {issued} and came on {received}; use a date up to the day it is sent.");
    finding(issued > received, "Fa/P_1", message)
}

/// What credits is a correction, and nothing else is.
fn kind(case: &Case<'_>) -> Vec<Finding> {
    let invoice = &case.filed.invoice;
    let is_correction = invoice.invoice_type().starts_with("KOR");
    let message = if is_correction {
        "A correction (KOR) states what is credited; send it as a credit note."
    } else {
        "A credit note is a correction; send it as KOR, KOR_ZAL or KOR_ROZ."
    };
    finding(is_correction != invoice.is_credit(), "Fa/RodzajFaktury", message)
}
