//! KSeF as the sandbox plays it: it gives every invoice a number of its own and refuses duplicates.

use einvoice_eu::register::{FiledDocument, FilingAuthority, stamp};
use einvoice_eu::report::System;
use einvoice_eu::vat;
use einvoice_gobl::clock::today;
use einvoice_plugin::{Authority, Faults, Filing, Outcome, Stamp, Submission};

use crate::ksef_number::ksef_number;
use crate::qr::{Environment, invoice_address};
use crate::tables::{DOC_TYPES, EXT_INVOICE_TYPE};
use crate::{PREFIX, PlFavat};

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
    meaning,
};

/// KSeF in the sandbox.
pub const AUTHORITY: FilingAuthority = FilingAuthority {
    prefix: PREFIX,
    system: "KSeF",
    provider: "ksef",
    key: |filed| format!("{}|{}", doc_type(filed), filed.number),
    duplicate: "440",
    objection,
    is_remark,
    meaning,
    stamps,
};

impl Authority for PlFavat {
    fn file(document: &str) -> Result<Filing, Faults> {
        AUTHORITY.file(document)
    }

    fn submit(submission: &Submission) -> Result<Outcome, Faults> {
        AUTHORITY.submit(submission)
    }
}

/// 200 is how KSeF says that all is well.
fn is_remark(code: &str) -> bool {
    code == "200"
}

fn doc_type(filed: &FiledDocument) -> &str {
    filed.document.tax.ext.get(EXT_INVOICE_TYPE).map_or("", String::as_str)
}

/// What a code of KSeF means, with what to do next.
fn meaning(code: &str) -> Option<&'static str> {
    Some(match code {
        "200" => "KSeF has taken the invoice.",
        "405" => "The session was cancelled because of an error; send the invoice again.",
        "410" => "The workspace is not entitled to send for this NIP; grant the permission in KSeF.",
        "415" => "The workspace may not send invoices with attachments; remove the attachment.",
        "430" => "The invoice does not fit the logical structure; correct it.",
        "435" => "KSeF could not decrypt the invoice; send it again.",
        "440" => "KSeF has an invoice with this seller, type and number already; issue a correction instead.",
        "450" => "The invoice breaks a rule about its content, such as its dates or its NIP; correct it.",
        "500" => "KSeF failed for an unknown reason; send the invoice again later.",
        "550" => "KSeF cancelled the operation; send the invoice again later.",
        _ => return None,
    })
}

fn objection(filed: &FiledDocument, now: &str) -> Option<&'static str> {
    let sort = if filed.document.kind == "credit-note" { "KOR" } else { "" };
    let known = DOC_TYPES.iter().any(|one| one.code == doc_type(filed) && one.code.starts_with(sort));
    let today = today(now);
    let late = today.is_some_and(|today| filed.day > today);
    if !known || filed.document.supplier.addresses.is_empty() {
        Some("430")
    } else if late || vat::parse("PL", &filed.issuer).is_err() {
        Some("450")
    } else {
        None
    }
}

fn stamps(filed: &FiledDocument, now: &str) -> Vec<Stamp> {
    let mut technical = [0; 6];
    technical.iter_mut().zip(filed.digest).for_each(|(part, byte)| *part = byte);
    let number = ksef_number(&filed.issuer, today(now).unwrap_or(filed.day), technical);
    let qr = invoice_address(Environment::Test, &filed.issuer, filed.day, &filed.digest);
    vec![stamp(STAMP_NUMBER, &number), stamp(STAMP_DATE, now), stamp(STAMP_QR, &qr)]
}
