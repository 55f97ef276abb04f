//! Everything that would make a platform, or the structured format, refuse a document.

use einvoice_eu::{Findings, check, codes, settings};
use einvoice_gobl::date::Date;
use einvoice_gobl::text::{excerpt, non_blank};
use einvoice_gobl::{Mapping, Row, ext};
use einvoice_plugin::{Context, DocumentKind, Invoice, Line, Recipient};

use crate::PREFIX;
use crate::address::{self, Address};
use crate::exemptions::{Reason, of_line};
use crate::faults::{
    BUYER_REFERENCE, DELIVERY_DATE, DUE_DATE_EARLY, EXEMPTIONS_MIXED, INBOX_OF_SUPPLIER, OUTSIDE_SCOPE_MIXED,
    PRICE_DECIMALS, PROCESS, PROCESS_UNFIT, QUANTITY_DECIMALS, SIREN_MISSING, SIRET, TREATMENT,
    TREATMENT_UNFIT, VAT_NUMBER_MISSING, YEAR,
};
use crate::identity::{self, Buyer};
use crate::numbers::{CompanyNumber, company_number, is_document_number};
use crate::rows::Rows;
use crate::settings::Settings;
use crate::tables::{EXT, RULES};
use crate::treatment::{Nature, OFFERED, Treatment, nature, process};

/// Characters of a code in the format.
const CODE_CHARS_MAX: usize = 64;
/// Decimals of a quantity (BR-FR-DEC-02).
const QUANTITY_DECIMALS_MAX: u8 = 4;
/// Decimals of a price (BR-FR-DEC-03).
const PRICE_DECIMALS_MAX: u8 = 6;

/// What was found, and what the conversion goes by.
pub(crate) struct Examination {
    pub(crate) findings: Findings,
    pub(crate) settings: Settings,
    /// UNTDID 1001.
    pub(crate) doc_type: &'static str,
    pub(crate) treatment: Treatment,
    /// BT-23.
    pub(crate) process: &'static str,
    pub(crate) seller: Option<CompanyNumber>,
    pub(crate) buyer: Option<Buyer>,
}

/// Checks a document.
pub(crate) fn examine(invoice: &Invoice, context: &Context) -> Examination {
    let mut findings = Findings::new(PREFIX);
    let settings: Settings = settings::read(context, &RULES, &mut findings);
    let doc_type = choose_doc_type(invoice, &mut findings);
    check::common(invoice, context, &RULES, &mut findings);
    check_numbers(invoice, &mut findings);
    check_dates(invoice, doc_type, &mut findings);
    let treatment = choose_treatment(invoice, &mut findings);
    check::correction(invoice, !treatment.is_reported(), &mut findings);
    let process = choose_process(invoice, &settings, treatment, doc_type, &mut findings);
    let seller = check_supplier(context, &settings, &mut findings);
    let buyer = match &invoice.recipient {
        Some(Recipient::Company(company)) => identity::buyer(company, &mut findings),
        // The standard identifies no natural persons.
        Some(Recipient::Individual(_)) | None => None,
    };
    check_buyer(invoice, treatment, buyer.as_ref(), &mut findings);
    check_exemptions(invoice, buyer.as_ref(), &mut findings);
    for (at, line) in invoice.lines.iter().enumerate() {
        check_decimals(line, at, &mut findings);
    }
    check_buyer_reference(invoice, &mut findings);
    let treatment_of = |line: &Line| Rows.treatment(&Row::of_line(line));
    findings.ext(ext::objections(RULES.system, EXT, invoice, treatment_of));
    Examination { findings, settings, doc_type, treatment, process, seller, buyer }
}

fn choose_doc_type(invoice: &Invoice, findings: &mut Findings) -> &'static str {
    let allowed: &[&'static str] = match invoice.kind {
        DocumentKind::CreditNote => &["381"],
        DocumentKind::Invoice
        | DocumentKind::SimplifiedInvoice
        | DocumentKind::ReplacementInvoice
        | DocumentKind::DebitNote => &["380", "386"],
    };
    let usual = allowed.first().copied().unwrap_or("380");
    let Some(requested) = find_ext(invoice, "doc-type") else { return usual };
    allowed.iter().find(|code| **code == requested.value).copied().unwrap_or_else(|| {
        let value = excerpt(requested.value);
        let message = format!("This document cannot go out as '{value}'; use {}.", allowed.join(" or "));
        findings.error(codes::DOC_TYPE, requested.path, message);
        usual
    })
}

/// What stands in `ext`, and where.
struct ExtEntry<'a> {
    value: &'a str,
    path: String,
}

/// What the document says, else its recipient.
pub(crate) fn ext_value<'a>(invoice: &'a Invoice, key: &str) -> Option<&'a str> {
    find_ext(invoice, key).map(|entry| entry.value)
}

fn find_ext<'a>(invoice: &'a Invoice, key: &str) -> Option<ExtEntry<'a>> {
    let (ext, path) = ext::of_document_or_recipient(EXT, invoice, key)?;
    non_blank(Some(&ext.value)).map(|value| ExtEntry { value, path })
}

/// The characters of numbers (BR-FR-02); their length and everything else is everybody's.
fn check_numbers(invoice: &Invoice, findings: &mut Findings) {
    let reported = |findings: &Findings, path: &str| findings.faults.iter().any(|fault| fault.path == path);
    let own = "/display_document_number";
    if invoice.number.as_deref().is_some_and(|number| !is_document_number(number)) && !reported(findings, own)
    {
        let message = "France takes letters, digits and + - _ / in invoice numbers; correct the workspace's number pattern.";
        findings.error(codes::NUMBER_CHARACTER, own, message);
    }
    let path = "/referenced_document_ids";
    for preceding in invoice.preceding.iter().filter(|one| !is_document_number(&one.number)) {
        if !reported(findings, path) {
            let number = excerpt(&preceding.number);
            let message = format!(
                "The number '{number}' of a document referred to has a character that France refuses; refer to another."
            );
            findings.error(codes::PRECEDING_NUMBER, path, message);
        }
    }
}

fn check_dates(invoice: &Invoice, doc_type: &str, findings: &mut Findings) {
    let due = invoice.payment.as_ref().and_then(|terms| terms.due_date.as_deref());
    let mut days = vec![("/issue_date".to_owned(), Some(invoice.issue_date.as_str()))];
    days.push(("/operation_date".to_owned(), invoice.operation_date.as_deref()));
    days.push(("/payment/due_date".to_owned(), due));
    days.extend(
        invoice
            .preceding
            .iter()
            .map(|one| ("/referenced_document_ids".to_owned(), Some(one.issue_date.as_str()))),
    );
    for (at, line) in invoice.lines.iter().enumerate() {
        let period = line.period.as_ref();
        days.push((format!("/lines/{at}/period/start"), period.map(|period| period.start.as_str())));
        days.push((format!("/lines/{at}/period/end"), period.map(|period| period.end.as_str())));
    }
    for (path, day) in days {
        let day = day.and_then(|day| day.parse::<Date>().ok());
        if day.is_some_and(|day| !(2000..=2099).contains(&day.year())) {
            findings.error(YEAR, path, "A date lies outside the years 2000 to 2099; correct it.");
        }
    }
    let issued = invoice.issue_date.parse::<Date>().ok();
    let due = due.and_then(|day| day.parse::<Date>().ok());
    if due.zip(issued).is_some_and(|(due, issued)| due < issued) && doc_type != "386" {
        let message = "The invoice is due before it is issued; use a later due date.";
        findings.error(DUE_DATE_EARLY, "/payment/due_date", message);
    }
}

/// How the platform handles the document: as it says, else by whom it is for.
fn choose_treatment(invoice: &Invoice, findings: &mut Findings) -> Treatment {
    let usual = match &invoice.recipient {
        Some(Recipient::Company(company)) if identity::is_french(company) => Treatment::B2b,
        Some(Recipient::Company(_)) => Treatment::B2bInt,
        Some(Recipient::Individual(_)) | None => Treatment::B2c,
    };
    let Some(ExtEntry { value, path }) = find_ext(invoice, "treatment") else { return usual };
    let Some(treatment) = Treatment::of(value) else {
        let message = format!("'{}' is no treatment; use one of {}.", excerpt(value), Treatment::codes());
        findings.error(TREATMENT, path, message);
        return usual;
    };
    let fits = match treatment {
        Treatment::B2b => usual == Treatment::B2b,
        Treatment::B2bInt => usual == Treatment::B2bInt,
        Treatment::B2c | Treatment::B2cInt => true,
        Treatment::OutOfScope | Treatment::ArchiveOnly => invoice.recipient.is_some(),
    };
    if !fits {
        let message = format!(
            "This recipient's documents are {}, not {value}; correct the treatment or the recipient.",
            usual.code()
        );
        findings.error(TREATMENT_UNFIT, path, message);
    }
    treatment
}

fn choose_process(
    invoice: &Invoice,
    settings: &Settings,
    treatment: Treatment,
    doc_type: &str,
    findings: &mut Findings,
) -> &'static str {
    let entry = find_ext(invoice, "business-process");
    let path =
        entry.as_ref().map_or_else(|| "/settings/business_process".to_owned(), |entry| entry.path.clone());
    let requested = entry.map_or_else(|| settings.business_process(), |entry| entry.value);
    if !OFFERED.contains(&requested) {
        let message = format!(
            "'{}' is no business process here; use one of {}.",
            excerpt(requested),
            OFFERED.join(", ")
        );
        findings.error(PROCESS, path, message);
        return process(settings.business_process());
    }
    if requested.ends_with('4') && doc_type == "386" {
        let message =
            "A payment on account comes before the final invoice; use a business process that ends in 1.";
        findings.error(PROCESS_UNFIT, path, message);
    } else if treatment.is_reported() && nature(requested) == Some(Nature::Mixed) {
        let message =
            "Sales of goods and services to consumers are reported apart; issue two documents, B1 and S1.";
        findings.error(PROCESS_UNFIT, path, message);
    }
    process(requested)
}

fn check_supplier(context: &Context, settings: &Settings, findings: &mut Findings) -> Option<CompanyNumber> {
    let tax_id = &context.supplier.tax_id;
    let number = match company_number(tax_id) {
        Ok(number) => number,
        Err(wrong) => {
            let message = format!(
                "The workspace's tax id '{}' is neither a French VAT number nor a SIREN or SIRET: it {wrong}; correct the workspace.",
                excerpt(tax_id)
            );
            findings.error(codes::SUPPLIER_TAX_ID, "/supplier/tax_id", message);
            return None;
        }
    };
    if settings.siret.as_deref().is_some_and(|siret| !siret.starts_with(number.siren())) {
        let message = "The SIRET is of another company than the workspace's tax id; correct one of them.";
        findings.error(SIRET, "/settings/siret", message);
    }
    let own = |inbox: &str| address::is_directory_code(inbox) && inbox.starts_with(number.siren());
    if settings.inbox.as_deref().is_some_and(|inbox| !own(inbox.trim())) {
        let message = "The supplier's electronic address has letters, digits and + - _ . only, the SIREN first; correct inbox in the \
                       settings.";
        findings.error(INBOX_OF_SUPPLIER, "/settings/inbox", message);
    }
    Some(number)
}

/// What a platform needs of whom an invoice is for. Of consumers nothing is reported.
fn check_buyer(invoice: &Invoice, treatment: Treatment, buyer: Option<&Buyer>, findings: &mut Findings) {
    let Some(recipient) = &invoice.recipient else { return };
    if treatment.is_reported() {
        return;
    }
    let wrong =
        |findings: &Findings| findings.faults.iter().any(|fault| fault.path == "/recipient/tax_number");
    if treatment == Treatment::B2b && buyer.is_none() && !wrong(findings) {
        let message = "An invoice between companies names the recipient's SIREN; add it, its SIRET or VAT number as tax number, or say \
                       treatment B2C in its ext when it is not subject to VAT.";
        findings.error(SIREN_MISSING, "/recipient/tax_number", message);
    }
    let entry = find_ext(invoice, "inbox").map(|entry| (entry.value, entry.path));
    address::check_recipient(recipient, entry, treatment, buyer, findings);
}

/// The recipient's electronic address, as the document, its recipient or the annuaire has it.
pub(crate) fn recipient_address<'a>(
    invoice: &'a Invoice,
    recipient: &'a Recipient,
    buyer: Option<&'a Buyer>,
) -> Option<Address<'a>> {
    address::of_recipient(recipient, ext_value(invoice, "inbox"), buyer)
}

/// What the European standard demands beside lines without VAT, and the structured format does not.
fn check_exemptions(invoice: &Invoice, buyer: Option<&Buyer>, findings: &mut Findings) {
    let reasons: Vec<&'static Reason> = invoice.lines.iter().filter_map(of_line).collect();
    let has = |code: &str| reasons.iter().any(|reason| reason.exemption.code == code);
    if buyer.is_none() && (has("AE") || has("K")) {
        let message =
            "A supply whose recipient accounts for the tax needs the recipient's VAT number; add it.";
        findings.error(VAT_NUMBER_MISSING, "/recipient/tax_number", message);
    }
    let dated = invoice.operation_date.is_some() || invoice.lines.iter().any(|line| line.period.is_some());
    if !dated && has("K") {
        let message = "An intra-Community supply says when it was delivered; add the operation date.";
        findings.error(DELIVERY_DATE, "/operation_date", message);
    }
    let outside = reasons.iter().filter(|reason| reason.exemption.code == "O").count();
    if ![0, invoice.lines.len()].contains(&outside) {
        let message =
            "What is outside the scope of VAT may not stand beside other lines; issue two invoices.";
        findings.error(OUTSIDE_SCOPE_MIXED, "/lines", message);
    }
    let clash = |reason: &&&Reason| {
        let same = |other: &&Reason| other.exemption.code == reason.exemption.code;
        reasons.iter().copied().any(|other| same(&other) && other.exemption.key != reason.exemption.key)
    };
    if let Some(reason) = reasons.iter().find(clash) {
        let message = format!(
            "Lines of VAT category {} have two reasons, the standard knows one; issue two invoices.",
            reason.exemption.code
        );
        findings.error(EXEMPTIONS_MIXED, "/lines", message);
    }
}

/// Quantities of four decimals, prices of six.
fn check_decimals(line: &Line, at: usize, findings: &mut Findings) {
    if line.quantity.canonical(0).scale > QUANTITY_DECIMALS_MAX {
        let message =
            format!("The quantity has more than {QUANTITY_DECIMALS_MAX} decimals; round it to as many.");
        findings.error(QUANTITY_DECIMALS, format!("/lines/{at}/quantity"), message);
    }
    if line.unit_price.canonical(0).scale > PRICE_DECIMALS_MAX {
        let message = format!("The price has more than {PRICE_DECIMALS_MAX} decimals; round it to as many.");
        findings.error(PRICE_DECIMALS, format!("/lines/{at}/unit_price"), message);
    }
}

fn check_buyer_reference(invoice: &Invoice, findings: &mut Findings) {
    let Some(ExtEntry { value, path }) = find_ext(invoice, "buyer-reference") else { return };
    if value.chars().count() > CODE_CHARS_MAX || value.contains(char::is_control) {
        let message =
            format!("The buyer reference has more than {CODE_CHARS_MAX} or control characters; shorten it.");
        findings.error(BUYER_REFERENCE, path, message);
    }
}
