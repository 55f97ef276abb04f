//! SdI as the sandbox plays it: it identifies every file it takes, and discards (`NS`) what breaks its rules.

use einvoice_eu::register::{FiledDocument, FilingAuthority, Rate, stamp};
use einvoice_eu::report::System;
use einvoice_eu::vat;
use einvoice_gobl::clock::today;
use einvoice_plugin::{Authority, Faults, Filing, Outcome, Stamp, Submission};

use crate::tables::{DOC_TYPES, EXT_DOCUMENT_TYPE, EXT_EXEMPT};
use crate::{ItSdi, PREFIX, fiscal_code};

/// The stamp with SdI's number of the file (`IdentificativoSdI`).
pub const STAMP_ID: &str = "sdi-id";

/// SdI in reports.
pub const SYSTEM: System = System {
    authority: "SdI",
    names: &["sdi", "it-sdi"],
    required_stamp: None,
    qr_stamp: None,
    hash_stamp: Some(STAMP_ID),
    is_remark,
    meaning,
};

/// SdI in the sandbox.
pub const AUTHORITY: FilingAuthority = FilingAuthority {
    prefix: PREFIX,
    system: "SdI",
    provider: "sdi",
    key,
    duplicate: "00404",
    objection,
    is_remark,
    meaning,
    stamps,
};

impl Authority for ItSdi {
    fn file(document: &str) -> Result<Filing, Faults> {
        AUTHORITY.file(document)
    }

    fn submit(submission: &Submission) -> Result<Outcome, Faults> {
        AUTHORITY.submit(submission)
    }
}

/// Notifications about a file that SdI took.
fn is_remark(code: &str) -> bool {
    matches!(code, "RC" | "MC" | "AT" | "DT")
}

/// Credit notes have numbers of their own, and every year begins anew.
fn key(filed: &FiledDocument) -> String {
    let year = filed.day.to_string();
    let sort = if filed.document.kind == "credit-note" { "N" } else { "F" };
    format!("{}|{sort}|{}", year.get(..4).unwrap_or_default(), filed.number)
}

/// What a code of SdI means, with what to do next.
fn meaning(code: &str) -> Option<&'static str> {
    Some(match code {
        "RC" => "SdI delivered the invoice.",
        "MC" => "SdI could not deliver; the recipient finds the invoice in the reserved area, tell them so.",
        "AT" => {
            "SdI could not deliver to the administration and attests the transmission; send the attestation."
        }
        "DT" => "The administration did not answer in time; the invoice counts as received.",
        "EC02" => "The administration refused the invoice; issue a credit note and a corrected invoice.",
        "00200" => "The file does not fit the FatturaPA schema; correct the document.",
        "00301" => "The supplier's VAT number is not registered; correct the workspace.",
        "00305" => "The recipient's VAT number is not registered; ask the recipient for the right one.",
        "00306" => "The recipient's fiscal code is not registered; ask the recipient for the right one.",
        "00311" => "There is no such destination code; ask the recipient for the right one.",
        "00400" => "A line has no VAT but no reason (Natura) either; name the exemption.",
        "00401" => "A line has VAT and a reason not to have it (Natura); remove one of them.",
        "00403" => "The invoice is dated after the day SdI received it; correct the issue date.",
        "00404" => {
            "SdI has an invoice with this supplier, year and number already; issue a credit note instead."
        }
        "00417" => "The recipient has neither VAT number nor fiscal code; add one.",
        "00418" => "A credit note is dated before the invoice that it corrects; correct the issue date.",
        "00421" => "The tax is not the rate times the taxable amount; compute the totals again.",
        "00423" => "A line's total is not its price times its quantity; compute the totals again.",
        "00425" => "The number contains no digit; correct the workspace's number pattern.",
        "00427" => "The destination code has the length of another kind of recipient; correct it.",
        "00445" => "The reason not to tax (Natura) is too general; use one of its subdivisions.",
        "00460" => "The simplified invoice exceeds the limit; issue a regular invoice.",
        "00471" => {
            "Supplier and recipient must not be the same for this document type; correct the recipient."
        }
        _ => return None,
    })
}

fn objection(filed: &FiledDocument, now: &str) -> Option<&'static str> {
    let document = &filed.document;
    let doc_type = document.tax.ext.get(EXT_DOCUMENT_TYPE).map_or("", String::as_str);
    let known = DOC_TYPES.iter().find(|one| one.code == doc_type);
    let (Some(customer), Some(doc_type)) = (document.customer.as_ref(), known) else {
        return Some("00200");
    };
    let rows = document.totals.taxes.categories.iter().filter(|category| category.code == "VAT");
    let rows = || rows.clone().flat_map(|category| &category.rates);
    let today = today(now);
    let italian = customer.tax_id.country == "IT";
    let anonymous = customer.tax_id.code.is_empty() && customer.identities.is_empty();
    let personal = customer.tax_id.code.is_empty() && !customer.identities.is_empty();
    if document.supplier.addresses.is_empty() || customer.addresses.is_empty() {
        Some("00200")
    } else if vat::parse("IT", &filed.issuer).is_err() {
        Some("00301")
    } else if italian && anonymous {
        Some("00417")
    } else if italian && personal && fiscal_code::parse(customer.number()).is_err() {
        Some("00306")
    } else if italian && !personal && vat::parse("IT", customer.number()).is_err() {
        Some("00305")
    } else if italian && customer.tax_id.code == filed.issuer && doc_type.is_for_others() {
        Some("00471")
    } else if rows().any(|row| is_untaxed(row) != row.ext.contains_key(EXT_EXEMPT)) {
        Some(if rows().any(|row| is_untaxed(row) && !row.ext.contains_key(EXT_EXEMPT)) {
            "00400"
        } else {
            "00401"
        })
    } else if today.is_some_and(|today| filed.day > today) {
        Some("00403")
    } else if !filed.number.contains(|c: char| c.is_ascii_digit()) {
        Some("00425")
    } else {
        None
    }
}

/// What is excluded has a percent of nought, what is untaxed otherwise none.
fn is_untaxed(row: &Rate) -> bool {
    row.percent.as_deref().is_none_or(|percent| percent == "0%")
}

fn stamps(filed: &FiledDocument, _: &str) -> Vec<Stamp> {
    let number = filed.digest.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    vec![stamp(STAMP_ID, &format!("{:011}", number % 100_000_000_000))]
}
