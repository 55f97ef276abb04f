//! Everything that would make the AT, or the structured format, refuse a document.

use crate::clock::portugal;
use einvoice_eu::check::due_date;
use einvoice_eu::{Findings, check, codes, settings, vat};
use einvoice_gobl::date::Date;
use einvoice_gobl::ext;
use einvoice_gobl::text::excerpt;
use einvoice_plugin::{Amount, Context, DocumentKind, Identity, Invoice, Line};

use crate::PREFIX;
use crate::faults::{
    EXEMPTION_OVER, NUMBER_FORM, NUMBER_TYPE, PAYMENT_MEANS_UNKNOWN, PRODUCT_TYPE, RECEIPT_DUE,
    RECEIPT_MEANS, REFERENCE_NUMBER, REFERENCES, REGION, REGION_RATE, SERIES_MISSING, SERIES_UNKNOWN,
};
use crate::number::DocumentNumber;
use crate::rows::Rows;
use crate::settings::Settings;
use crate::tables::{
    EXT, EXT_DOCUMENT_TYPE, EXT_PRODUCT_TYPE, EXT_REGION, FOOD_BASKET, FOOD_BASKET_LAST_DAY, INVOICE_RECEIPT,
    PAYMENT_MEANS, PRODUCT_TYPES, REGIONS, RULES, doc_types, is_correction, means_code,
};
use crate::{identity, limits};

/// Where the number of a document is.
const NUMBER_PATH: &str = "/display_document_number";
/// Where the platform keeps what a document refers to.
const PRECEDING_PATH: &str = "/referenced_document_ids";
/// The most a simplified invoice may come to, in euro (article 40 of the VAT code).
const SIMPLIFIED_MAX: Amount = Amount::new(100, 0);
/// That of a retailer.
const SIMPLIFIED_MAX_RETAIL: Amount = Amount::new(1000, 0);

/// What was found, and what the conversion goes by.
pub(crate) struct Examination {
    pub(crate) findings: Findings,
    pub(crate) settings: Settings,
    /// `InvoiceType`.
    pub(crate) doc_type: &'static str,
    /// The supplier's NIF.
    pub(crate) tax_number: String,
    pub(crate) identity: Option<Identity>,
}

/// Checks a document.
pub(crate) fn examine(invoice: &Invoice, context: &Context) -> Examination {
    let mut findings = Findings::new(PREFIX);
    let settings: Settings = settings::read(context, &RULES, &mut findings);
    let doc_type = choose_doc_type(invoice, &mut findings);
    check::common(invoice, context, &RULES, &mut findings);
    check_day(invoice, context, &mut findings);
    check_number(invoice, doc_type, &settings, &mut findings);
    check_references(invoice, &mut findings);
    let tax_number = vat::parse("PT", &context.supplier.tax_id).unwrap_or_else(|wrong| {
        let tax_id = excerpt(&context.supplier.tax_id);
        let message = format!("The workspace's tax number '{tax_id}' {wrong}; correct the workspace.");
        findings.error(codes::SUPPLIER_TAX_ID, "/supplier/tax_id", message);
        String::new()
    });
    let identity = invoice.recipient.as_ref().and_then(|recipient| {
        let identity = identity::identify(recipient, &mut findings)?;
        limits::check_tax_number(invoice, &identity, &mut findings);
        Some(identity)
    });
    limits::check(invoice, context, &mut findings);
    check_limit(invoice, &settings, &mut findings);
    check_receipt(invoice, doc_type, &settings, &mut findings);
    let mapping = Rows::of(&settings, invoice);
    check_taxes(invoice, &mapping, &mut findings);
    findings.ext(ext::objections(RULES.system, EXT, invoice, |line| mapping.of_line(line)));
    Examination { findings, settings, doc_type, tax_number, identity }
}

/// The document's type at the AT.
fn choose_doc_type(invoice: &Invoice, findings: &mut Findings) -> &'static str {
    let allowed = doc_types(invoice.kind);
    let usual = allowed.first().copied().unwrap_or("FT");
    let Some(requested) = ext::of(EXT, &invoice.ext, EXT_DOCUMENT_TYPE) else { return usual };
    if let Some(found) = allowed.iter().find(|one| **one == requested.value) {
        return found;
    }
    let (value, known) = (excerpt(&requested.value), allowed.join(" or "));
    let message = format!("This document cannot go out as '{value}'; use {known}.");
    findings.error(codes::DOC_TYPE, format!("/ext/{}", requested.key), message);
    usual
}

/// The hour in which the day in Portugal is still the one before that of central Europe.
fn check_day(invoice: &Invoice, context: &Context, findings: &mut Findings) {
    let (Some((today, _)), Ok(issued)) = (portugal(&context.now), invoice.issue_date.parse::<Date>()) else {
        return;
    };
    let central = einvoice_gobl::clock::today(&context.now);
    if issued > today && central.is_some_and(|central| issued <= central) {
        let message = "The issue date lies in the future in PT; use the date of today there.";
        findings.error(codes::DATE_FUTURE, "/issue_date", message);
    }
}

/// The number's parts, and its series at the AT. Before there is a number, that there is a series at all.
fn check_number(invoice: &Invoice, doc_type: &str, settings: &Settings, findings: &mut Findings) {
    if !settings.has_series_of(doc_type) {
        let message = format!(
            "No series for documents of type {doc_type} is registered; register one with the AT and add its validation \
             code to the workspace's settings."
        );
        return findings.error(SERIES_MISSING, "/settings/series", message);
    }
    let Some(text) = invoice.number.as_deref().filter(|number| !number.trim().is_empty()) else { return };
    let Some(number) = DocumentNumber::read(text) else {
        let message = format!(
            "'{}' is no number of the form '{doc_type} SERIES/NUMBER'; correct the workspace's number pattern.",
            excerpt(text)
        );
        return findings.error(NUMBER_FORM, NUMBER_PATH, message);
    };
    if number.doc_type != doc_type {
        let message = format!(
            "The number begins with {}, but the document is of type {doc_type}; correct the workspace's number pattern.",
            excerpt(number.doc_type)
        );
        findings.error(NUMBER_TYPE, NUMBER_PATH, message);
    } else if settings.validation_code(doc_type, number.series).is_none() {
        let message = format!(
            "The series '{}' of {doc_type} is not registered; register it with the AT and add its validation code to \
             the workspace's settings.",
            excerpt(number.series)
        );
        findings.error(SERIES_UNKNOWN, NUMBER_PATH, message);
    }
}

fn check_references(invoice: &Invoice, findings: &mut Findings) {
    if is_correction(invoice.kind) {
        check::correction(invoice, true, findings);
    }
    if invoice.preceding.len() > 1 {
        let message = "The format refers to one document only; issue a correction for each.";
        findings.error(REFERENCES, PRECEDING_PATH, message);
    }
    for one in invoice.preceding.iter().filter(|one| DocumentNumber::read(&one.number).is_none()) {
        let message = format!(
            "'{}' is no number of the form 'TYPE SERIES/NUMBER', by which the AT knows documents; refer to one of its own.",
            excerpt(&one.number)
        );
        findings.warning(REFERENCE_NUMBER, PRECEDING_PATH, message);
    }
}

/// Article 40 of the VAT code.
fn check_limit(invoice: &Invoice, settings: &Settings, findings: &mut Findings) {
    let limit = if settings.retail { SIMPLIFIED_MAX_RETAIL } else { SIMPLIFIED_MAX };
    if invoice.kind == DocumentKind::SimplifiedInvoice && invoice.totals.gross.cmp_value(limit).is_gt() {
        let message = format!("A simplified invoice may come to {limit} EUR here; issue a regular invoice.");
        findings.error(codes::SIMPLIFIED_LIMIT, "/totals/gross", message);
    }
}

/// An invoice-receipt was paid by known means, and nothing else was.
fn check_receipt(invoice: &Invoice, doc_type: &str, settings: &Settings, findings: &mut Findings) {
    let stated = ext::of(EXT, &invoice.ext, PAYMENT_MEANS);
    if let Some(stated) = stated {
        let (path, value) = (format!("/ext/{PAYMENT_MEANS}"), excerpt(&stated.value));
        if doc_type != INVOICE_RECEIPT {
            let message =
                "Only an invoice-receipt (doc-type FR) says how it was paid; remove the means or issue one.";
            findings.error(PAYMENT_MEANS_UNKNOWN, path, message);
        } else if means_code(&stated.value).is_none() {
            let message =
                format!("'{value}' is no means of payment; use one such as cash, card or credit-transfer.");
            findings.error(PAYMENT_MEANS_UNKNOWN, path, message);
        }
    }
    if doc_type != INVOICE_RECEIPT {
        return;
    }
    if stated.is_none() && settings.payment.is_none() {
        let message =
            "An invoice-receipt says how it was paid; add payment-means to ext, or payment to the settings.";
        findings.error(RECEIPT_MEANS, "/ext", message);
    }
    if due_date(invoice).is_some() {
        let message = "An invoice-receipt is paid already; remove the due date or issue an invoice (FT).";
        findings.error(RECEIPT_DUE, "/payment/due_date", message);
    }
}

/// Regions, their rates, exemptions by date, and sorts of products.
fn check_taxes(invoice: &Invoice, mapping: &Rows<'_>, findings: &mut Findings) {
    for (name, known, code) in
        [(EXT_REGION, &REGIONS[..], REGION), (EXT_PRODUCT_TYPE, &PRODUCT_TYPES[..], PRODUCT_TYPE)]
    {
        let of_lines =
            invoice.lines.iter().enumerate().map(|(at, line)| (format!("/lines/{at}/ext"), &line.ext));
        for (place, members) in std::iter::once(("/ext".to_owned(), &invoice.ext)).chain(of_lines) {
            let stated = ext::of(EXT, members, name);
            if let Some(stated) = stated.filter(|stated| !known.contains(&stated.value.as_str())) {
                let message =
                    format!("'{}' is none of {}; use one of them.", excerpt(&stated.value), known.join(", "));
                findings.error(code, format!("{place}/{}", stated.key), message);
            }
        }
    }
    let issued = invoice.operation_date.as_deref().unwrap_or(&invoice.issue_date).parse::<Date>().ok();
    for (at, line) in invoice.lines.iter().enumerate() {
        check_rate(at, line, mapping, findings);
        let is_over = issued.is_some_and(|day| day > FOOD_BASKET_LAST_DAY);
        if is_over && line.tax.exemption.as_deref() == Some(FOOD_BASKET) {
            let message = format!("The exemption M26 ended on {FOOD_BASKET_LAST_DAY}; use a rate.");
            findings.error(EXEMPTION_OVER, format!("/lines/{at}/tax/exemption"), message);
        }
    }
}

/// A percent that the region does not have has no place in the QR code. What is none at all was reported.
fn check_rate(at: usize, line: &Line, mapping: &Rows<'_>, findings: &mut Findings) {
    let (Some(percent), Some(region)) = (line.tax.rate, mapping.region(&line.ext)) else { return };
    let path = format!("/lines/{at}/tax/rate");
    let reported = findings.faults.iter().any(|fault| fault.path == path && fault.is_error());
    if !reported && mapping.rate(&line.ext, percent).is_none() {
        let message = format!(
            "VAT of {percent} % is no rate of {region} on this day; correct it, or say in ext of which region it is."
        );
        findings.error(REGION_RATE, path, message);
    }
}
