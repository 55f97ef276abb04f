//! Everything that would make SdI, or the structured format, refuse a document.

use einvoice_eu::parties::{self, contact};
use einvoice_eu::{Findings, check, codes, settings, vat};
use einvoice_gobl::email::is_email;
use einvoice_gobl::text::{excerpt, non_blank};
use einvoice_gobl::{Mapping, Row, country, ext};
use einvoice_plugin::{Address, Amount, Context, DocumentKind, Ext, Identity, Invoice, Line, Recipient};

use crate::PREFIX;
use crate::faults::{
    ADMINISTRATION, ADMINISTRATION_CODE, CERTIFIED_MAIL, DESTINATION, DESTINATION_LENGTH, NUMBER_DIGIT,
    POSTCODE, SUPPLIER_IS_RECIPIENT, VAT_LIABILITY,
};
use crate::identity::{self, RecipientIdentity};
use crate::limits;
use crate::rows::{Rows, liability};
use crate::tables::{
    DOC_TYPES, DocType, EXT, EXT_VAT_LIABILITY, FLAT_RATE_REGIME, RULES, Settings, doc_types, is_simplified,
};

/// The most a simplified invoice may come to, in euro (error 00460).
const SIMPLIFIED_MAX: Amount = Amount::new(400, 0);

/// Characters of an administration's destination code.
const ADMINISTRATION_CODE_CHARS: usize = 6;
/// Bytes of a certified address (`EmailType`).
const CERTIFIED_MAIL_BYTES_MAX: usize = 256;

/// What was found, and what the conversion goes by.
pub(crate) struct Examination {
    pub(crate) findings: Findings,
    pub(crate) settings: Settings,
    pub(crate) doc_type: DocType,
    pub(crate) vat_number: String,
    pub(crate) identified: Option<RecipientIdentity>,
}

/// Checks a document.
pub(crate) fn examine(invoice: &Invoice, context: &Context) -> Examination {
    let mut findings = Findings::new(PREFIX);
    let settings: Settings = settings::read(context, &RULES, &mut findings);
    let doc_type = choose_doc_type(invoice, &mut findings);
    check::common(invoice, context, &RULES, &mut findings);
    check::correction(invoice, false, &mut findings);
    let digits = |number: &String| number.contains(|c: char| c.is_ascii_digit());
    if invoice.number.as_ref().is_some_and(|number| !number.trim().is_empty() && !digits(number)) {
        let message =
            "SdI refuses a number without any digit (error 00425); correct the workspace's number pattern.";
        findings.error(NUMBER_DIGIT, "/display_document_number", message);
    }
    let vat_number = vat::parse("IT", &context.supplier.tax_id).unwrap_or_else(|wrong| {
        let tax_id = excerpt(&context.supplier.tax_id);
        let message = format!("The workspace's VAT number '{tax_id}' {wrong}; correct the workspace.");
        findings.error(codes::SUPPLIER_TAX_ID, "/supplier/tax_id", message);
        String::new()
    });
    check_postcode(context.supplier.address.as_ref(), "/supplier/address/postcode", &mut findings);
    let identified = invoice.recipient.as_ref().and_then(|recipient| {
        check_postcode(contact(recipient).1, "/recipient/address/postcode", &mut findings);
        let identified = identity::identify(recipient, &mut findings)?;
        limits::check_tax_number(invoice, &identified, &mut findings);
        check_recipient_is_not_supplier(recipient, &identified, doc_type, &vat_number, &mut findings);
        Some(identified)
    });
    check_destination(invoice, &mut findings);
    check_destination_length(invoice, doc_type, &mut findings);
    limits::check(invoice, context, &settings, doc_type, &mut findings);
    if check::due_date(invoice).is_some() && settings.payment.is_none() {
        let message = "A due date needs instructions how to pay; add payment to the workspace's settings.";
        findings.error(codes::PAYMENT_MEANS, "/payment/due_date", message);
    }
    let limited =
        invoice.kind == DocumentKind::SimplifiedInvoice && settings.fiscal_regime != FLAT_RATE_REGIME;
    if limited && invoice.totals.gross.cmp_value(SIMPLIFIED_MAX).is_gt() {
        let message =
            "A simplified invoice may come to 400 EUR unless the regime is RF19; issue a regular invoice.";
        findings.error(codes::SIMPLIFIED_LIMIT, "/totals/gross", message);
    }
    if let Some(stated) =
        ext::of(EXT, &invoice.ext, EXT_VAT_LIABILITY).filter(|_| liability(&invoice.ext).is_none())
    {
        let message = "When the VAT is due is I, D or S; write one of them.";
        findings.error(VAT_LIABILITY, format!("/ext/{}", stated.key), message);
    }
    let mapping = Rows::of(&settings, invoice);
    let treatment_of = |line: &Line| mapping.treatment(&Row::of_line(line));
    findings.ext(ext::objections(RULES.system, EXT, invoice, treatment_of));
    Examination { findings, settings, doc_type, vat_number, identified }
}

/// The document's type at SdI.
fn choose_doc_type(invoice: &Invoice, findings: &mut Findings) -> DocType {
    let allowed = doc_types(invoice);
    let usual = allowed.first().or(DOC_TYPES.first()).copied();
    let nearest = usual.unwrap_or(DocType { code: "TD01", kind: DocumentKind::Invoice, tags: &[] });
    let Some(requested) = ext::of(EXT, &invoice.ext, "doc-type") else { return nearest };
    if let Some(found) = allowed.iter().find(|one| one.code == requested.value) {
        return *found;
    }
    let known: Vec<_> = allowed.iter().map(|one| one.code).collect();
    let message = format!(
        "This document cannot go out as '{}'; use {}.",
        excerpt(&requested.value),
        known.join(" or ")
    );
    findings.error(codes::DOC_TYPE, format!("/ext/{}", requested.key), message);
    nearest
}

/// What the document says, else its recipient.
pub(crate) fn ext_value<'a>(invoice: &'a Invoice, key: &str) -> Option<&'a str> {
    find_ext(invoice, key).map(|(entry, _)| entry.value.as_str())
}

fn find_ext<'a>(invoice: &'a Invoice, key: &str) -> Option<(&'a Ext, String)> {
    ext::of_document_or_recipient(EXT, invoice, key)
}

/// Whether the recipient is an administration.
pub(crate) fn is_public(invoice: &Invoice) -> bool {
    ext_value(invoice, "b2g") == Some("true")
        || ext_value(invoice, "sdi-code").is_some_and(|code| code.len() == ADMINISTRATION_CODE_CHARS)
}

/// An Italian postcode in full: leading noughts may be missing.
pub(crate) fn italian_postcode(postcode: &str) -> Option<String> {
    let digits = !postcode.is_empty() && postcode.bytes().all(|b| b.is_ascii_digit());
    (digits && postcode.len() <= 5).then(|| format!("{postcode:0>5}"))
}

fn check_postcode(address: Option<&Address>, path: &str, findings: &mut Findings) {
    let Some(address) = address else { return };
    if address.country.as_deref().and_then(country::normalise) != Some("IT") {
        return;
    }
    let postcode = non_blank(address.postcode.as_deref()).unwrap_or_default();
    if italian_postcode(postcode).is_none() {
        let message = format!("'{}' is no Italian postcode; write its five digits.", excerpt(postcode));
        findings.error(POSTCODE, path, message);
    }
}

/// Where SdI delivers to.
fn check_destination(invoice: &Invoice, findings: &mut Findings) {
    if let Some((Ext { value: code, .. }, path)) = find_ext(invoice, "sdi-code") {
        let sound =
            matches!(code.len(), 6 | 7) && code.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
        if !sound {
            let message = "A destination code has six characters (administrations) or seven; correct it.";
            findings.error(DESTINATION, path, message);
        }
    }
    let is_certified =
        |address: &str| is_email(address) && address.is_ascii() && address.len() <= CERTIFIED_MAIL_BYTES_MAX;
    if let Some((_, path)) = find_ext(invoice, "sdi-pec").filter(|(entry, _)| !is_certified(&entry.value)) {
        let message = "The certified electronic mail address (PEC) is none; correct or remove it.";
        findings.error(CERTIFIED_MAIL, path, message);
    }
    let known = |entry: &Ext| ["true", "false"].contains(&entry.value.as_str());
    if let Some((_, path)) = find_ext(invoice, "b2g").filter(|(entry, _)| !known(entry)) {
        let message = "Whether the recipient is an administration is true or false; write one of them.";
        findings.error(ADMINISTRATION, path, message);
    }
}

/// Error 00427: six characters for an administration, seven for anybody else and for every simplified document.
fn check_destination_length(invoice: &Invoice, doc_type: DocType, findings: &mut Findings) {
    let (simplified, public) = (is_simplified(doc_type.code), is_public(invoice));
    let Some((Ext { value: code, .. }, path)) = find_ext(invoice, "sdi-code") else {
        if let Some((_, path)) = find_ext(invoice, "b2g").filter(|_| public && !simplified) {
            let message = "The administration has no destination code (sdi-code): SdI looks for its central office, \
                           and refuses the invoice if it has another; ask for the code.";
            findings.warning(ADMINISTRATION_CODE, path, message);
        } else if let Some((_, path)) = find_ext(invoice, "b2g").filter(|_| public) {
            let message = "Simplified documents do not go to administrations; issue a regular invoice.";
            findings.error(DESTINATION_LENGTH, path, message);
        }
        return;
    };
    if matches!(code.len(), 6 | 7) && (code.len() == ADMINISTRATION_CODE_CHARS) != (public && !simplified) {
        let message = "SdI refuses the code (error 00427): six characters are for administrations, which get no \
                       simplified documents, and seven for anybody else; correct it.";
        findings.error(DESTINATION_LENGTH, path, message);
    }
}

/// Error 00471.
fn check_recipient_is_not_supplier(
    recipient: &Recipient,
    identified: &RecipientIdentity,
    doc_type: DocType,
    vat_number: &str,
    findings: &mut Findings,
) {
    let same = matches!(&identified.identity,
        Some(Identity::TaxId(tax_id)) if tax_id.country == "IT" && tax_id.code == vat_number);
    if same && doc_type.is_for_others() {
        let message = format!(
            "SdI refuses a document of type {} whose recipient is the supplier (error 00471); correct the recipient.",
            doc_type.code
        );
        findings.error(SUPPLIER_IS_RECIPIENT, parties::number_path(recipient), message);
    }
}
