//! A receiving platform of the administration as the sandbox plays it: its validator takes a document or names every
//! fatal rule it breaks (see [`rules`]); what it is shown is the XML of [`wire`]. There is no clearance in Germany, and so no
//! proof of an authority: the receipt is the platform's.
//!
//! A tester's code steers it to every other answer:
//!
//! | who answers | code | here |
//! |---|---|---|
//! | SMP of Peppol: the recipient is not registered | `SMP-PARTICIPANT` | refused |
//! | portal of an administration (ZRE, OZG-RE): no recipient has this Leitweg-ID | `LEITWEG-ID` | refused |
//! | portal or access point: the invoice could not be delivered | `UNDELIVERED` | refused |
//! | platform: the number was sent before | `DUPLICATE` | refused |
//! | recipient (UNTDID 4343): AB, AP, CA, IP, PD, UQ | the same | taken, with a remark |
//! | recipient: RE | `RE` | refused by the recipient |
//! | validation | any rule of [`rules`] | refused |
//!
//! The first four are ours: neither KoSIT nor Peppol has codes for them.

use einvoice_eu::register::{FiledDocument, FilingAuthority, hexadecimal, stamp};
use einvoice_eu::report::System;
use einvoice_plugin::{Authority, Faults, Filing, Outcome, Stamp, Submission};

use crate::{DeXrechnung, PREFIX, rules, wire};

/// The stamp with the platform's number of the document.
pub const STAMP_RECEIPT: &str = "xrechnung-receipt";

/// The platform has another document of this supplier and number.
pub const DUPLICATE: &str = "DUPLICATE";

/// The platform in reports.
pub const SYSTEM: System = System {
    authority: "The recipient's platform",
    names: &["xrechnung", "de-xrechnung", "peppol"],
    required_stamp: None,
    qr_stamp: None,
    hash_stamp: Some(STAMP_RECEIPT),
    is_remark,
    meaning,
};

/// The platform in the sandbox.
pub const AUTHORITY: FilingAuthority = FilingAuthority {
    prefix: PREFIX,
    system: "XRechnung",
    provider: "xrechnung",
    key: |filed| filed.number.clone(),
    duplicate: DUPLICATE,
    objections,
    is_remark,
    meaning,
    stamps,
    payload: |filed| wire::xml(&filed.json),
};

impl Authority for DeXrechnung {
    fn file(document: &str) -> Result<Filing, Faults> {
        AUTHORITY.file(document)
    }

    fn submit(submission: &Submission) -> Result<Outcome, Faults> {
        AUTHORITY.submit(submission)
    }
}

/// What a recipient says of an invoice that it did not refuse (UNTDID 4343).
fn is_remark(code: &str) -> bool {
    matches!(code, "AB" | "AP" | "CA" | "IP" | "PD" | "UQ")
}

/// Codes beside those of rules, with what they mean and what to do next.
const CODES: &[(&str, &str)] = &[
    ("AB", "The recipient has the invoice."),
    ("AP", "The recipient accepts the invoice."),
    ("CA", "The recipient accepts the invoice on conditions; ask which."),
    ("IP", "The recipient processes the invoice."),
    ("PD", "The recipient has paid the invoice."),
    ("UQ", "The recipient has a question; answer it."),
    ("RE", "The recipient refuses the invoice; ask why and issue a credit note."),
    (DUPLICATE, "The platform has an invoice with this supplier and number already; issue another number."),
    (
        "SMP-PARTICIPANT",
        "No participant of Peppol has the recipient's electronic address; ask the recipient for the one it is registered with.",
    ),
    (
        "LEITWEG-ID",
        "The administration's platform knows no recipient with this Leitweg-ID; ask for the right one and say it as buyer-reference.",
    ),
    (
        "UNDELIVERED",
        "The invoice could not be delivered; ask the recipient for another electronic address, or send it another way.",
    ),
    ("BR-DE-17", "XRechnung does not have this document type; issue an invoice or a credit note."),
    ("BR-DE-26", "The correction names no invoice that it corrects; refer to it."),
    (rules::NOT_VALID, "The document does not fit the schema; convert the invoice again."),
];

/// The codes of the platform and of recipients, without those of the rules that a document can break.
pub fn codes() -> impl Iterator<Item = &'static str> {
    CODES.iter().map(|(code, _)| *code)
}

/// What a code means, with what to do next.
fn meaning(code: &str) -> Option<&'static str> {
    let found = CODES.iter().find(|(known, _)| *known == code).map(|(_, meaning)| *meaning);
    found.or_else(|| rules::meaning(code))
}

/// Every fatal rule that a document breaks. What does not fit the schema is not examined further.
fn objections(filed: &FiledDocument, _: &str) -> Vec<&'static str> {
    match wire::invoice(&filed.json) {
        Ok(invoice) => rules::broken(&invoice).map(|rule| rule.id).collect(),
        Err(_) => vec![rules::NOT_VALID],
    }
}

fn stamps(filed: &FiledDocument, _: &str) -> Vec<Stamp> {
    vec![stamp(STAMP_RECEIPT, &hexadecimal(filed.digest.get(..16).unwrap_or_default()))]
}
