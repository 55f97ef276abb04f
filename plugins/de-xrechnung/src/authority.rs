//! A receiving platform of the administration as the sandbox plays it: its validator takes a document or names the
//! rule it breaks. There is no clearance in Germany, and so no proof of an authority: the receipt is the platform's.

use einvoice_eu::register::{Document, FiledDocument, FilingAuthority, hexadecimal, stamp};
use einvoice_eu::report::System;
use einvoice_plugin::{Authority, Faults, Filing, Outcome, Stamp, Submission};

use crate::numbers::tax_number;
use crate::tables::{EXT_DOCUMENT_TYPE, EXT_TAX_CATEGORY};
use crate::{DeXrechnung, PREFIX};

/// The stamp with the platform's number of the document.
pub const STAMP_RECEIPT: &str = "xrechnung-receipt";

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
    duplicate: "DUPLICATE",
    objection,
    is_remark,
    meaning,
    stamps,
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

/// What a code means, with what to do next.
fn meaning(code: &str) -> Option<&'static str> {
    Some(match code {
        "AB" => "The recipient has the invoice.",
        "AP" => "The recipient accepts the invoice.",
        "CA" => "The recipient accepts the invoice on conditions; ask which.",
        "IP" => "The recipient processes the invoice.",
        "PD" => "The recipient has paid the invoice.",
        "UQ" => "The recipient has a question; answer it.",
        "RE" => "The recipient refuses the invoice; ask why and issue a credit note.",
        "DUPLICATE" => {
            "The platform has an invoice with this supplier and number already; issue another number."
        }
        "BR-DE-1" => "The document does not say how to pay; add payment to the settings.",
        "BR-DE-5" => "The document names nobody to ask; add contact to the settings.",
        "BR-DE-6" => "The document has no telephone to ask at; add contact to the settings.",
        "BR-DE-7" => {
            "The document has no address for electronic mail to ask at; add contact to the settings."
        }
        "BR-DE-15" => "The document has no buyer reference; add the Leitweg-ID.",
        "BR-DE-16" => "The supplier has neither VAT number nor tax number; correct the workspace.",
        "BR-DE-17" => "XRechnung does not have this document type; issue an invoice or a credit note.",
        "BR-DE-26" => "The correction names no invoice that it corrects; refer to it.",
        "BR-08" => "The supplier has no address; add it to the workspace.",
        "BR-DE-3" => "The supplier's address has no locality; add it to the workspace.",
        "BR-DE-4" => "The supplier's address has no postcode; add it to the workspace.",
        "BR-10" => "The recipient has no address; add it.",
        "BR-DE-8" => "The recipient's address has no locality; add it.",
        "BR-DE-9" => "The recipient's address has no postcode; add it.",
        "BR-CO-25" => "The document does not say by when to pay; add a due date or payment_terms.",
        "BR-O-11" => "What is outside the scope of VAT stands beside other lines; issue two invoices.",
        "BR-AE-02" => "A reverse charge needs the recipient's VAT number; add it.",
        "BR-IC-02" => "An intra-Community supply needs the recipient's VAT number; add it.",
        "BR-16" => "The document has no lines; add at least one.",
        "PEPPOL-EN16931-R010" => "The recipient has no electronic address; add the email.",
        "PEPPOL-EN16931-R020" => "The supplier has no electronic address; add inbox to the settings.",
        _ => return None,
    })
}

/// The first fatal rule that a document breaks.
fn objection(filed: &FiledDocument, _: &str) -> Option<&'static str> {
    const DOCUMENT_TYPES: [&str; 8] = ["326", "380", "384", "389", "381", "875", "876", "877"];
    let document = &filed.document;
    let (supplier, customer) = (&document.supplier, document.customer.as_ref());
    let doc_type = document.tax.ext.get(EXT_DOCUMENT_TYPE).map_or("", String::as_str);
    let due = document.kind == "standard" && document.totals.is_due();
    let nobody = |name: &str| name.trim().is_empty();
    let of_supplier = supplier.addresses.first();
    let of_customer = customer.and_then(|customer| customer.addresses.first());
    let broken = [
        (!DOCUMENT_TYPES.contains(&doc_type), "BR-DE-17"),
        (document.ordering.as_ref().is_none_or(|ordering| ordering.code.is_empty()), "BR-DE-15"),
        (of_supplier.is_none(), "BR-08"),
        (of_supplier.is_some_and(|address| nobody(&address.locality)), "BR-DE-3"),
        (of_supplier.is_some_and(|address| nobody(&address.code)), "BR-DE-4"),
        (of_customer.is_none(), "BR-10"),
        (of_customer.is_some_and(|address| nobody(&address.locality)), "BR-DE-8"),
        (of_customer.is_some_and(|address| nobody(&address.code)), "BR-DE-9"),
        (document.lines.is_empty(), "BR-16"),
        (tax_number(&filed.issuer).is_none(), "BR-DE-16"),
        (document.kind == "credit-note" && document.preceding.is_empty(), "BR-DE-26"),
        (supplier.people.is_empty(), "BR-DE-5"),
        (!supplier.has(|reached| &reached.telephones), "BR-DE-6"),
        (!supplier.has(|reached| &reached.emails), "BR-DE-7"),
        (supplier.inboxes.is_empty(), "PEPPOL-EN16931-R020"),
        (customer.is_none_or(|customer| customer.inboxes.is_empty()), "PEPPOL-EN16931-R010"),
        (document.payment.instructions.is_none(), "BR-DE-1"),
        (due && document.payment.terms.is_none(), "BR-CO-25"),
    ];
    broken.into_iter().find(|(broken, _)| *broken).map(|(_, rule)| rule).or_else(|| categories(document))
}

/// What the European standard demands of VAT categories.
fn categories(document: &Document) -> Option<&'static str> {
    let vat = document.totals.taxes.categories.iter().filter(|category| category.code == "VAT");
    let codes: Vec<_> = vat
        .flat_map(|category| &category.rates)
        .map(|row| row.ext.get(EXT_TAX_CATEGORY).map_or("", String::as_str))
        .collect();
    let unknown = document.customer.as_ref().is_none_or(|customer| customer.tax_id.code.is_empty());
    if codes.contains(&"O") && codes.iter().any(|code| *code != "O") {
        Some("BR-O-11")
    } else if unknown && codes.contains(&"AE") {
        Some("BR-AE-02")
    } else if unknown && codes.contains(&"K") {
        Some("BR-IC-02")
    } else {
        None
    }
}

fn stamps(filed: &FiledDocument, _: &str) -> Vec<Stamp> {
    vec![stamp(STAMP_RECEIPT, &hexadecimal(filed.digest.get(..16).unwrap_or_default()))]
}
