//! An access point as the sandbox plays it: it validates a document and delivers it, or names every fatal rule that the
//! document breaks (see [`rules`]). There is no clearance in Peppol, and so no proof of an authority: what comes back is the
//! identifier of the message.
//!
//! A tester's code steers it to every other answer:
//!
//! | who answers | code | here |
//! |---|---|---|
//! | SMP: the recipient is not registered, or takes no invoices of this kind | `SMP-PARTICIPANT`, `SMP-DOCUMENT-TYPE` | refused |
//! | message level status: syntax violation, business rule violation, failure of delivery | `SV`, `BV`, `FD` | refused |
//! | message level status: warning | `BW` | delivered, with a remark |
//! | access point: the number was sent before | `DUPLICATE` | refused |
//! | invoice response (UNCL 4343): AB, IP, UQ, CA, AP, PD | the same | delivered, with a remark |
//! | invoice response: RE | `RE` | refused by the recipient |
//! | validation | any rule of [`rules`] | refused |
//!
//! The codes of the SMP and of the duplicate are ours: Peppol has none for them.

use einvoice_eu::register::{FiledDocument, FilingAuthority, hexadecimal, stamp};
use einvoice_eu::report::System;
use einvoice_plugin::{Authority, Faults, Filing, Outcome, Stamp, Submission};

use crate::{EuPeppol, PREFIX, rules, wire};

/// The stamp with the identifier of the message.
pub const STAMP_MESSAGE: &str = "peppol-message-id";
/// An access point has sent another document under the same number.
pub const DUPLICATE: &str = "DUPLICATE";

/// Access points and recipients in reports.
pub const SYSTEM: System = System {
    authority: "The access point",
    names: &["peppol", "eu-peppol", "smp", "mls", "invoice-response"],
    required_stamp: None,
    qr_stamp: None,
    hash_stamp: Some(STAMP_MESSAGE),
    is_remark,
    meaning,
};

/// The access point in the sandbox.
pub const AUTHORITY: FilingAuthority = FilingAuthority {
    prefix: PREFIX,
    system: "Peppol",
    provider: "peppol",
    key: |filed| filed.number.clone(),
    duplicate: DUPLICATE,
    objections,
    is_remark,
    meaning: |code| rules::text(code).or_else(|| meaning(code)),
    stamps,
    payload: |filed| wire::xml(&filed.json),
};

impl Authority for EuPeppol {
    fn file(document: &str) -> Result<Filing, Faults> {
        AUTHORITY.file(document)
    }

    fn submit(submission: &Submission) -> Result<Outcome, Faults> {
        AUTHORITY.submit(submission)
    }
}

/// Codes beside those of rules, with what they mean and what to do next; whether they come with a delivered document.
const CODES: &[(&str, bool, &str)] = &[
    ("AB", true, "The recipient has the invoice."),
    ("AP", true, "The recipient accepts the invoice."),
    ("BW", true, "The recipient's access point has a remark on the invoice; read it before the next one."),
    ("CA", true, "The recipient accepts the invoice on conditions; ask which."),
    ("IP", true, "The recipient processes the invoice."),
    ("PD", true, "The recipient has paid the invoice."),
    ("UQ", true, "The recipient has a question; answer it."),
    ("RE", false, "The recipient refuses the invoice; ask why and issue a credit note."),
    (
        "BV",
        false,
        "The recipient's access point refuses the content of the invoice; read its rules and correct it.",
    ),
    ("FD", false, "The invoice could not be delivered; ask the recipient for another electronic address."),
    ("SV", false, "The document does not fit the schema; convert the invoice again."),
    (
        DUPLICATE,
        false,
        "The access point has an invoice with this supplier and number already; issue another number.",
    ),
    (
        "SMP-PARTICIPANT",
        false,
        "No participant of Peppol has the recipient's electronic address; ask the recipient for the one it is registered with.",
    ),
    (
        "SMP-DOCUMENT-TYPE",
        false,
        "The recipient is registered, and takes no documents of this kind; send it another way.",
    ),
];

/// The codes of access points, the SMP and recipients, without those of rules.
pub fn codes() -> impl Iterator<Item = &'static str> {
    CODES.iter().map(|(code, ..)| *code)
}

fn find(code: &str) -> Option<&'static (&'static str, bool, &'static str)> {
    CODES.iter().find(|(known, ..)| *known == code)
}

/// What comes with a document that was delivered.
fn is_remark(code: &str) -> bool {
    find(code).is_some_and(|(_, is_remark, _)| *is_remark)
}

/// What a code means, with what to do next.
fn meaning(code: &str) -> Option<&'static str> {
    find(code).map(|(.., sentence)| *sentence).or_else(|| rules::meaning(code))
}

/// Every fatal rule that a document breaks. What does not fit the schema is not examined further.
fn objections(filed: &FiledDocument, _: &str) -> Vec<&'static str> {
    match wire::invoice(&filed.json) {
        Ok(invoice) => rules::broken(&invoice).map(|rule| rule.id).collect(),
        Err(_) => vec!["SV"],
    }
}

/// The message is named by what it carries.
fn stamps(filed: &FiledDocument, _: &str) -> Vec<Stamp> {
    let digits = hexadecimal(filed.digest.get(..16).unwrap_or_default());
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| digits.get(part).unwrap_or_default());
    vec![stamp(STAMP_MESSAGE, &parts.join("-"))]
}
