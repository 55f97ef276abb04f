//! The documents a document refers to: what a credit note corrects, what a replacement invoice replaces.

use einvoice_gobl::text::{excerpt, is_uuid};
use einvoice_plugin::{DocumentKind, Invoice, Preceding};

use crate::date::Date;
use crate::doc_type::DocType;
use crate::faults::{Findings, codes};
use crate::text;

/// Where the platform keeps them. Without a position: the gateway hands over issued documents only.
const PATH: &str = "/referenced_document_ids";

/// Everything that is wrong with the documents this one refers to.
pub(super) fn preceding(invoice: &Invoice, doc_type: DocType, findings: &mut Findings) {
    if doc_type.is_correction() {
        check_corrected(invoice, findings);
    } else if doc_type == DocType::F3 {
        check_replaced(invoice, findings);
    }
    let count = invoice.preceding.len();
    let count_max = findings.system.preceding_max;
    if count > count_max {
        let message = format!(
            "The document refers to {count} others, the tax agency takes {count_max}; issue several documents."
        );
        findings.error(codes::PRECEDING_MANY, PATH, message);
    }
    let is_reported = doc_type.is_correction() || doc_type == DocType::F3;
    let issued = invoice.issue_date.parse().ok();
    for preceding in &invoice.preceding {
        check_preceding(preceding, is_reported, issued, findings);
    }
}

/// The agency files a correction that names nothing, but the law wants the corrected invoices named.
fn check_corrected(invoice: &Invoice, findings: &mut Findings) {
    let is = |kind: DocumentKind| invoice.preceding.iter().filter(|one| one.kind == kind).count();
    let note = match invoice.kind {
        DocumentKind::DebitNote => "debit note",
        _ => "credit note",
    };
    if invoice.preceding.is_empty() {
        let message = format!("The {note} names no issued invoice that it corrects; refer to it.");
        if findings.system.correction_names {
            findings.error(codes::CORRECTED_MISSING, PATH, message);
        } else {
            findings.warning(codes::CORRECTED_MISSING, PATH, message);
        }
    }
    if is(DocumentKind::CreditNote) > 0 {
        let message =
            "A credit note cannot take back another credit note; issue a new invoice for what is owed again.";
        findings.error(codes::CORRECTED_KIND, PATH, message);
    } else if ![0, invoice.preceding.len()].contains(&is(DocumentKind::SimplifiedInvoice)) {
        let message = format!(
            "The {note} corrects simplified and other invoices together; issue one {note} for each sort."
        );
        findings.error(codes::CORRECTED_MIXED, PATH, message);
    }
}

fn check_replaced(invoice: &Invoice, findings: &mut Findings) {
    if invoice.preceding.is_empty() {
        let message =
            "A replacement invoice needs the issued simplified invoices that it replaces; refer to them.";
        findings.error(codes::REPLACED_MISSING, PATH, message);
    }
    if let Some(other) = invoice.preceding.iter().find(|one| one.kind != DocumentKind::SimplifiedInvoice) {
        let message = format!(
            "'{}' is no simplified invoice and cannot be replaced; cancel it by a credit note.",
            excerpt(&other.number)
        );
        findings.error(codes::REPLACED_KIND, PATH, message);
    }
}

/// `is_reported`: whether the agency is told of it.
fn check_preceding(preceding: &Preceding, is_reported: bool, issued: Option<Date>, findings: &mut Findings) {
    let number = excerpt(&preceding.number);
    if !is_uuid(&preceding.uuid) {
        let message = format!("The identifier of '{number}' is no UUID; refer to another document.");
        findings.error(codes::PRECEDING_UUID, PATH, message);
    }
    if is_reported && text::number_of(&preceding.number, findings.system.number_chars_max).is_err() {
        let message = format!(
            "The tax agency does not take the number '{number}' of the document referred to; correct it outside \
             {}.",
            findings.system.name
        );
        findings.error(codes::PRECEDING_NUMBER, PATH, message);
    }
    match preceding.issue_date.parse::<Date>() {
        Err(_) => {
            let message = format!("The issue date of '{number}' is no date; write it as YYYY-MM-DD.");
            findings.error(codes::PRECEDING_DATE, PATH, message);
        }
        Ok(day) if issued.is_some_and(|issued| day > issued) => {
            let message =
                format!("'{number}' was issued on {day}, after this document; use a later issue date.");
            findings.error(codes::PRECEDING_LATE, PATH, message);
        }
        Ok(_) => {}
    }
}
