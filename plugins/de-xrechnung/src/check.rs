//! Everything that would make a receiver's validator, or the structured format, refuse a document.

use einvoice_en16931::codes::currency;
use einvoice_eu::parties::{self, contact};
use einvoice_eu::{Findings, check, codes, settings, taxes};
use einvoice_gobl::email::is_email;
use einvoice_gobl::text::{excerpt, non_blank, unprintable};
use einvoice_gobl::{Mapping, Row, ext};
use einvoice_plugin::{Context, DocumentKind, Identity, Invoice, Line, Recipient};

use crate::PREFIX;
use crate::faults::{
    BUYER_REFERENCE, BUYER_REFERENCE_MISSING, CONTACT_EMAIL, CONTACT_MISSING, DELIVERY_DATE,
    INBOX_OF_RECIPIENT, INBOX_OF_SUPPLIER, LEITWEG_ID, OUTSIDE_SCOPE_MIXED, VAT_NUMBER_MISSING,
    VAT_NUMBER_OF_SUPPLIER,
};
use crate::numbers::{TaxNumber, is_leitweg_id, looks_like_leitweg_id, tax_number};
use crate::rows::Rows;
use crate::tables::{EXEMPTIONS, EXT, RULES, Settings, is_scheme};
use crate::wire::is_terms;

/// Characters of a code in the format.
const CODE_CHARS_MAX: usize = 64;
/// Decimals of an amount (BR-DEC-*).
const AMOUNT_DECIMALS_MAX: u8 = 2;

/// What was found, and what the conversion goes by.
pub(crate) struct Examination {
    pub(crate) findings: Findings,
    pub(crate) settings: Settings,
    /// UNTDID 1001.
    pub(crate) doc_type: &'static str,
    pub(crate) tax_number: Option<TaxNumber>,
    pub(crate) identity: Option<Identity>,
}

/// Checks a document.
pub(crate) fn examine(invoice: &Invoice, context: &Context) -> Examination {
    let mut findings = Findings::new(PREFIX);
    let settings: Settings = settings::read(context, &RULES, &mut findings);
    let doc_type = choose_doc_type(invoice, &mut findings);
    check::common(invoice, context, &RULES, &mut findings);
    check::correction(invoice, true, &mut findings);
    check_currency(invoice, &mut findings);
    let tax_number = tax_number(&context.supplier.tax_id);
    if tax_number.is_none() {
        let message = format!(
            "The workspace's tax id '{}' is neither a VAT number nor a tax number; correct the workspace.",
            excerpt(&context.supplier.tax_id)
        );
        findings.error(codes::SUPPLIER_TAX_ID, "/supplier/tax_id", message);
    }
    check_supplier(context, &settings, &mut findings);
    let identity = invoice.recipient.as_ref().and_then(|recipient| {
        check_inbox(recipient, invoice, &mut findings);
        match recipient {
            Recipient::Company(company) => {
                parties::company_id(company, "DE", &mut findings).map(Identity::TaxId)
            }
            // The standard identifies no natural persons.
            Recipient::Individual(_) => None,
        }
    });
    check_exemptions(invoice, context, tax_number.as_ref(), identity.is_some(), &mut findings);
    check_buyer_reference(invoice, &settings, &mut findings);
    check_payment(invoice, &settings, &mut findings);
    let treatment_of = |line: &Line| Rows.treatment(&Row::of_line(line));
    findings.ext(ext::objections(RULES.system, EXT, invoice, treatment_of));
    Examination { findings, settings, doc_type, tax_number, identity }
}

fn choose_doc_type(invoice: &Invoice, findings: &mut Findings) -> &'static str {
    let allowed: &[&'static str] = match invoice.kind {
        DocumentKind::CreditNote => &["381"],
        DocumentKind::Invoice
        | DocumentKind::SimplifiedInvoice
        | DocumentKind::ReplacementInvoice
        | DocumentKind::DebitNote => &["380", "326"],
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

fn check_supplier(context: &Context, settings: &Settings, findings: &mut Findings) {
    let own = non_blank(context.supplier.email.as_deref());
    let Some(contact) = &settings.contact else {
        let message =
            "XRechnung names a person and a telephone of the supplier; add contact to the settings.";
        findings.error(CONTACT_MISSING, "/settings/contact", message);
        return;
    };
    if own.is_none() && contact.email.is_none() {
        let message =
            "XRechnung names an address for electronic mail of the supplier; add it to the workspace.";
        findings.error(CONTACT_EMAIL, "/supplier/email", message);
        if settings.inbox.is_none() {
            let message = "The supplier has no electronic address; add inbox to the settings or an email.";
            findings.error(INBOX_OF_SUPPLIER, "/settings/inbox", message);
        }
    }
}

/// An electronic address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Address<'a> {
    Of { scheme: &'a str, code: &'a str },
    Mail(&'a str),
}

/// Reads `0204:991-12345-73`, or an address for electronic mail.
pub(crate) fn electronic_address(text: &str) -> Option<Address<'_>> {
    match text.split_once(':') {
        Some((scheme, code)) => {
            let code = code.trim();
            let sound = is_scheme(scheme) && !code.is_empty() && code.chars().count() <= CODE_CHARS_MAX;
            (sound && unprintable(code).is_none()).then_some(Address::Of { scheme, code })
        }
        None => is_email(text).then_some(Address::Mail(text)),
    }
}

fn check_inbox(recipient: &Recipient, invoice: &Invoice, findings: &mut Findings) {
    if let Some(ExtEntry { value, path }) = find_ext(invoice, "inbox") {
        if electronic_address(value).is_none() {
            let message = "The recipient's electronic address is neither scheme (of the list EAS) and code (0204:991-12345-73) nor an \
                           address for electronic mail; correct it.";
            findings.error(INBOX_OF_RECIPIENT, path, message);
        }
    } else if non_blank(contact(recipient).2.map(String::as_str)).is_none() {
        let message = "XRechnung needs an electronic address of the recipient; add the email.";
        findings.error(INBOX_OF_RECIPIENT, "/recipient/email", message);
    }
}

/// What the European standard demands beside lines without VAT, and the structured format does not.
fn check_exemptions(
    invoice: &Invoice,
    context: &Context,
    tax_number: Option<&TaxNumber>,
    identified: bool,
    findings: &mut Findings,
) {
    let has = |key: &str| taxes::any_line(invoice, EXEMPTIONS, key);
    if !identified && (has("reverse-charge") || has("intra-community")) {
        let message =
            "A supply whose recipient accounts for the tax needs the recipient's VAT number; add it.";
        findings.error(VAT_NUMBER_MISSING, "/recipient/tax_number", message);
    }
    if matches!(tax_number, Some(TaxNumber::Local(_))) && (has("export") || has("intra-community")) {
        let message = format!(
            "An export or intra-Community supply needs the supplier's VAT number, not '{}'; correct the workspace.",
            excerpt(&context.supplier.tax_id)
        );
        findings.error(VAT_NUMBER_OF_SUPPLIER, "/supplier/tax_id", message);
    }
    let dated = invoice.operation_date.is_some() || invoice.lines.iter().any(|line| line.period.is_some());
    if !dated && has("intra-community") {
        let message = "An intra-Community supply says when it was delivered; add the operation date.";
        findings.error(DELIVERY_DATE, "/operation_date", message);
    }
    let outside = |exemption: Option<&str>| exemption == Some("outside_scope");
    let count = invoice.lines.iter().filter(|line| outside(line.tax.exemption.as_deref())).count();
    if ![0, invoice.lines.len()].contains(&count) {
        let message =
            "What is outside the scope of VAT may not stand beside other lines; issue two invoices.";
        findings.error(OUTSIDE_SCOPE_MIXED, "/lines", message);
    }
}

/// A currency that the standard does not list, or whose amounts do not fit two decimals.
fn check_currency(invoice: &Invoice, findings: &mut Findings) {
    let reported = |fault: &einvoice_plugin::Fault| fault.path == "/currency" && fault.is_error();
    let fits = invoice.totals.payable.scale <= AMOUNT_DECIMALS_MAX && currency(&invoice.currency).is_some();
    if !fits && !findings.faults.iter().any(reported) {
        let message = format!(
            "XRechnung does not take amounts in {}; issue the invoice in another currency.",
            excerpt(&invoice.currency)
        );
        findings.error(codes::CURRENCY, "/currency", message);
    }
}

/// The buyer reference of the document, else of its recipient, else of the workspace.
pub(crate) fn buyer_reference<'a>(invoice: &'a Invoice, settings: &'a Settings) -> Option<&'a str> {
    ext_value(invoice, "buyer-reference").or_else(|| non_blank(settings.buyer_reference.as_deref()))
}

fn check_buyer_reference(invoice: &Invoice, settings: &Settings, findings: &mut Findings) {
    let path = find_ext(invoice, "buyer-reference").map(|entry| entry.path);
    let path = path.unwrap_or_else(|| "/ext/buyer-reference".to_owned());
    let Some(reference) = buyer_reference(invoice, settings) else {
        let message = "XRechnung needs a buyer reference (Leitweg-ID for administrations); say buyer-reference in the \
                       recipient's ext, or add buyer_reference to the settings.";
        findings.error(BUYER_REFERENCE_MISSING, path, message);
        return;
    };
    if reference.chars().count() > CODE_CHARS_MAX || unprintable(reference).is_some() {
        let message = format!(
            "The buyer reference has more than {CODE_CHARS_MAX} characters or one that nobody sees; correct it."
        );
        findings.error(BUYER_REFERENCE, path, message);
    } else if looks_like_leitweg_id(reference) && !is_leitweg_id(reference) {
        let message = format!("'{reference}' looks like a Leitweg-ID with wrong check digits; check it.");
        findings.warning(LEITWEG_ID, path, message);
    }
}

fn check_payment(invoice: &Invoice, settings: &Settings, findings: &mut Findings) {
    if settings.payment.is_none() {
        let message = "XRechnung says how to pay; add payment to the settings.";
        findings.error(codes::PAYMENT_MEANS, "/settings/payment", message);
    }
    let due = invoice.kind == DocumentKind::Invoice && !invoice.totals.payable.is_zero();
    let noted = invoice.payment.as_ref().is_some_and(|terms| non_blank(terms.note.as_deref()).is_some());
    if due && !noted && check::due_date(invoice).is_none() && settings.payment_terms.is_none() {
        let message = "An invoice says by when to pay; add a due date, or payment_terms to the settings.";
        findings.error(codes::PAYMENT_TERMS, "/payment", message);
    }
    if invoice.payment.as_ref().and_then(|terms| terms.note.as_deref()).is_some_and(|note| !is_terms(note)) {
        let message = "A line of the payment terms starts with # and is no Skonto; write it as \
                       #SKONTO#TAGE=14#PROZENT=2.00# or start it with something else.";
        findings.error(codes::PAYMENT_TERMS, "/payment/note", message);
    }
}
