//! Everything that would make KSeF, or the structured format, refuse a document.

mod file;

use einvoice_eu::{Findings, check, codes, parties, settings, vat};
use einvoice_gobl::text::{excerpt, non_blank, unprintable};
use einvoice_gobl::{Mapping, Row, country, ext};
use einvoice_plugin::{Amount, Context, DocumentKind, Identity, Invoice, Line, Recipient};

use crate::PREFIX;
use crate::faults::{EFFECTIVE_DATE, MEMBERSHIP, NIP_MISSING};
use crate::rows::Rows;
use crate::tables::{DOC_TYPES, DocType, EXT, MEMBERSHIPS, Membership, RULES, Settings};

/// The most a simplified invoice may come to, in zloty.
const SIMPLIFIED_MAX: Amount = Amount::new(450, 0);

/// Characters of a code in the format.
const CODE_CHARS_MAX: usize = 64;

/// What was found, and what the conversion goes by.
pub(crate) struct Examination {
    pub(crate) findings: Findings,
    pub(crate) settings: Settings,
    pub(crate) doc_type: DocType,
    pub(crate) nip: String,
    pub(crate) identity: Option<Identity>,
}

/// Checks a document.
pub(crate) fn examine(invoice: &Invoice, context: &Context) -> Examination {
    let mut findings = Findings::new(PREFIX);
    let settings: Settings = settings::read(context, &RULES, &mut findings);
    let doc_type = choose_doc_type(invoice, &mut findings);
    check::common(invoice, context, &RULES, &mut findings);
    check::correction(invoice, false, &mut findings);
    let nip = vat::parse("PL", &context.supplier.tax_id).unwrap_or_else(|wrong| {
        let message = format!(
            "The workspace's NIP '{}' {wrong}; correct the workspace.",
            excerpt(&context.supplier.tax_id)
        );
        findings.error(codes::SUPPLIER_TAX_ID, "/supplier/tax_id", message);
        String::new()
    });
    let identity = invoice.recipient.as_ref().and_then(|recipient| identify(recipient, &mut findings));
    let limited = invoice.kind == DocumentKind::SimplifiedInvoice;
    if limited && invoice.totals.gross.cmp_value(SIMPLIFIED_MAX).is_gt() {
        let message = "A simplified invoice may come to 450 PLN; issue a regular invoice.";
        findings.warning(codes::SIMPLIFIED_LIMIT, "/totals/gross", message);
    }
    check_effective_date(invoice, &mut findings);
    for membership in &MEMBERSHIPS {
        check_membership(invoice, membership, &mut findings);
    }
    let mapping = Rows::of(invoice);
    let treatment_of = |line: &Line| mapping.treatment(&Row::of_line(line));
    findings.ext(ext::objections(RULES.system, EXT, invoice, treatment_of));
    file::check(invoice, context, identity.as_ref(), &mut findings);
    Examination { findings, settings, doc_type, nip, identity }
}

/// The document's type at KSeF.
fn choose_doc_type(invoice: &Invoice, findings: &mut Findings) -> DocType {
    let mut allowed = DOC_TYPES.iter().filter(|one| one.kind == invoice.kind);
    let requested = ext::of(EXT, &invoice.ext, "doc-type");
    let found = match requested {
        Some(requested) => allowed.clone().find(|one| one.code == requested.value),
        None => allowed.next(),
    };
    if let (Some(requested), None) = (requested, found) {
        let codes: Vec<_> = allowed.clone().map(|one| one.code).collect();
        let message = format!(
            "This document cannot go out as '{}'; use {}.",
            excerpt(&requested.value),
            codes.join(" or ")
        );
        findings.error(codes::DOC_TYPE, format!("/ext/{}", requested.key), message);
    }
    // After an error was reported, anything will do.
    found.or_else(|| DOC_TYPES.first()).copied().unwrap_or(DocType {
        code: "VAT",
        kind: DocumentKind::Invoice,
        tag: None,
    })
}

/// When a correction takes effect.
fn check_effective_date(invoice: &Invoice, findings: &mut Findings) {
    let Some(entry) = ext::of(EXT, &invoice.ext, "effective-date") else { return };
    let message = if invoice.preceding.is_empty() {
        "Only what corrects another document takes effect on a day of its own; leave it out."
    } else if ["1", "2", "3"].contains(&entry.value.as_str()) {
        return;
    } else {
        "KSeF knows the effective dates 1, 2 and 3; use one of them."
    };
    findings.error(EFFECTIVE_DATE, format!("/ext/{}", entry.key), message);
}

/// Whether a recipient that is something besides says so with its number.
fn check_membership(invoice: &Invoice, membership: &Membership, findings: &mut Findings) {
    let find_ext = |key| ext::of_document_or_recipient(EXT, invoice, key);
    let (is, code) = (find_ext(membership.key), find_ext(membership.code_key));
    let is_valid = |code: &str| {
        (1..=CODE_CHARS_MAX).contains(&code.trim().chars().count()) && unprintable(code).is_none()
    };
    let (path, message) = match (is, code) {
        (Some((is, path)), _) if !["1", "2"].contains(&is.value.as_str()) => {
            (path, "The recipient is it (1) or not (2); say one of them.".to_owned())
        }
        (Some((is, path)), None) if is.value == "1" => {
            (path, format!("KSeF wants the number too; say {} in the recipient's ext.", membership.code_key))
        }
        (Some((is, _)), Some((code, path))) if is.value == "1" && !is_valid(&code.value) => (
            path,
            format!(
                "The number is empty, longer than {CODE_CHARS_MAX} characters or has one that nobody sees; correct it."
            ),
        ),
        (Some((is, _)), Some(_)) if is.value == "1" => return,
        (_, Some((_, path))) => (
            path,
            format!("The number goes out with {} 1 only; say it or remove the number.", membership.key),
        ),
        (_, None) => return,
    };
    findings.error(MEMBERSHIP, path, message);
}

/// Companies by their VAT number, individuals by their document if there is one.
fn identify(recipient: &Recipient, findings: &mut Findings) -> Option<Identity> {
    match recipient {
        Recipient::Individual(person) => parties::individual_id(person, "PL", findings).map(Identity::Other),
        Recipient::Company(company) => {
            let found = parties::company_id(company, "PL", findings);
            let of_address = company.address.as_ref().and_then(|address| address.country.as_deref());
            let stated = non_blank(company.country.as_deref()).or_else(|| non_blank(of_address));
            let polish = stated.is_none_or(|code| country::normalise(code) == Some("PL"));
            if polish && non_blank(company.tax_number.as_deref()).is_none() {
                let message = "An invoice to a Polish company needs its NIP; add it.";
                findings.error(NIP_MISSING, parties::TAX_NUMBER_PATH, message);
            }
            found.map(Identity::TaxId)
        }
    }
}
