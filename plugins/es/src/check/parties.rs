//! Supplier and recipient.

use einvoice_gobl::text::{excerpt, is_uuid, non_blank, unprintable};
use einvoice_plugin::{Address, Context, Identity, Invoice, Recipient};

use crate::country;
use crate::doc_type::DocType;
use crate::faults::{Findings, codes};
use crate::identity::{identify, is_given};
use crate::nif::Nif;
use crate::text::{self, DESCRIPTION_CHARS_MAX, NAME_CHARS_MAX, TextProblem};

/// The workspace: what it lacks is corrected in its configuration, not in the document.
pub(super) fn supplier(context: &Context, findings: &mut Findings) {
    let supplier = &context.supplier;
    if let Some(problem) = name_problem(&supplier.legal_name) {
        let message = format!("The workspace's legal name {problem}; correct the workspace.");
        findings.error(codes::SUPPLIER_NAME, "/supplier/legal_name", message);
    }
    if let Err(wrong) = Nif::parse(&supplier.tax_id) {
        let message =
            format!("The workspace's tax id '{}' {wrong}; correct the workspace.", excerpt(&supplier.tax_id));
        findings.error(codes::SUPPLIER_NIF, "/supplier/tax_id", message);
    }
    if country::normalise(&supplier.country) != Some("ES") {
        let message = format!(
            "{} is for Spanish suppliers; correct the workspace's country or its tax regime.",
            findings.system.name
        );
        findings.error(codes::SUPPLIER_COUNTRY, "/supplier/country", message);
    }
    if !is_uuid(&context.company_id) {
        let message = "The workspace's company id is no UUID; set the supplier's UUID at the provider.";
        findings.error(codes::SUPPLIER_COMPANY_ID, "/supplier/company_id", message);
    }
    check_email(supplier.email.as_deref(), codes::SUPPLIER_EMAIL, "/supplier/email", findings);
    check_address(supplier.address.as_ref(), codes::SUPPLIER_ADDRESS, "/supplier/address", findings);
}

/// Whom the document is for. A simplified one may go without.
pub(super) fn recipient(invoice: &Invoice, doc_type: DocType, context: &Context, findings: &mut Findings) {
    let Some(recipient) = &invoice.recipient else {
        if !doc_type.is_simplified() {
            let message = format!("A document of type {} needs a recipient; add one.", doc_type.code());
            findings.error(codes::RECIPIENT_MISSING, "/recipient", message);
        }
        return;
    };
    let (name, of_address, of_email) = match recipient {
        Recipient::Individual(person) => (&person.name, &person.address, &person.email),
        Recipient::Company(company) => (&company.name, &company.address, &company.email),
    };
    if let Some(problem) = name_problem(name) {
        findings.error(
            codes::RECIPIENT_NAME,
            "/recipient/name",
            format!("The recipient's name {problem}; correct it."),
        );
    }
    if !doc_type.is_simplified() {
        check_identity(recipient, doc_type, context, findings);
    } else if findings.system.simplified_is_anonymous {
        check_anonymity(recipient, findings);
    } else if is_given(recipient) {
        check_identity(recipient, doc_type, context, findings);
    }
    check_email(of_email.as_deref(), codes::RECIPIENT_EMAIL, "/recipient/email", findings);
    check_address(of_address.as_ref(), codes::RECIPIENT_ADDRESS, "/recipient/address", findings);
}

fn check_identity(recipient: &Recipient, doc_type: DocType, context: &Context, findings: &mut Findings) {
    match identify(recipient, findings) {
        Some(Identity::TaxId(tax_id))
            if Nif::parse(&context.supplier.tax_id).is_ok_and(|issuer| issuer.as_str() == tax_id.code) =>
        {
            let message = "Recipient and issuer have the same NIF, which the tax agency refuses; correct the recipient.";
            findings.error(codes::NIF_OF_ISSUER, number_path(recipient), message);
        }
        Some(Identity::Other(_)) if findings.system.insolvency_needs_nif && doc_type.needs_nif() => {
            let message = format!(
                "A credit note of type {} needs a recipient with a Spanish NIF; choose type R1 or R4, or give the \
                 NIF.",
                doc_type.code()
            );
            findings.error(codes::IDENTITY_NO_NIF, number_path(recipient), message);
        }
        Some(Identity::TaxId(_) | Identity::Other(_)) | None => {}
    }
}

/// The document goes out by name only: whether the recipient had to be told is for the operator to judge.
fn check_anonymity(recipient: &Recipient, findings: &mut Findings) {
    if is_given(recipient) {
        let message = "The tax agency takes no identified recipient with a simplified document, so the identity is \
                       left out; issue a regular invoice if the recipient needs one.";
        findings.warning(codes::RECIPIENT_IDENTIFIED, number_path(recipient), message);
    }
}

/// Whether the agency's list has the country of an identity that is no NIF (error 1101). `recipient` is whom it is of.
pub fn listed_country(recipient: &Recipient, identity: &Identity, findings: &mut Findings) {
    let Identity::Other(other) = identity else { return };
    if country::is_at_the_agency(&other.country) {
        return;
    }
    let message = format!(
        "The tax agency's list of countries lacks '{}'; give the country that the territory belongs to.",
        other.country
    );
    findings.error("COUNTRY-01", country_path(recipient), message);
}

/// The member that says the country of a recipient's identity.
fn country_path(recipient: &Recipient) -> &'static str {
    let (stated, path) = match recipient {
        Recipient::Individual(person) => {
            let document = person.identity_document.as_ref();
            let country = document.and_then(|document| document.country.as_deref());
            (country, "/recipient/identity_document/country")
        }
        Recipient::Company(company) => (company.country.as_deref(), "/recipient/country"),
    };
    if non_blank(stated).is_some() { path } else { "/recipient/address/country" }
}

const fn number_path(recipient: &Recipient) -> &'static str {
    match recipient {
        Recipient::Individual(_) => "/recipient/identity_document/number",
        Recipient::Company(_) => "/recipient/tax_number",
    }
}

/// What is wrong with a name, as a clause that follows it.
fn name_problem(name: &str) -> Option<String> {
    Some(match text::name(name).err()? {
        TextProblem::Empty => "is empty".to_owned(),
        TextProblem::TooLong { chars } => {
            format!("has {chars} characters, the tax agency takes {NAME_CHARS_MAX}")
        }
        TextProblem::Character(character) => format!("contains the control character {character:?}"),
    })
}

fn check_email(address: Option<&str>, code: &str, path: &str, findings: &mut Findings) {
    let Some(address) = address.map(str::trim).filter(|address| !address.is_empty()) else { return };
    if !text::is_email(address) {
        let message = format!("'{}' is no electronic mail address; correct or remove it.", excerpt(address));
        findings.error(code, path, message);
    }
}

fn check_address(address: Option<&Address>, code: &str, path: &str, findings: &mut Findings) {
    /// Characters of a code in the structured format.
    const POSTCODE_CHARS_MAX: usize = 64;
    let Some(address) = address else { return };
    let parts = [
        ("street", &address.street, DESCRIPTION_CHARS_MAX),
        ("locality", &address.locality, DESCRIPTION_CHARS_MAX),
        ("region", &address.region, DESCRIPTION_CHARS_MAX),
        ("postcode", &address.postcode, POSTCODE_CHARS_MAX),
    ];
    for (member, value, chars_max) in parts {
        let Some(value) = value else { continue };
        let refused = text::prose(value, chars_max).is_err()
            || (member == "postcode" && unprintable(value.trim()).is_some());
        if refused {
            let message = format!(
                "The {member} is longer than {chars_max} characters or contains one that nobody sees; correct it."
            );
            findings.error(code, format!("{path}/{member}"), message);
        }
    }
    let country = address.country.as_deref().map(str::trim).filter(|country| !country.is_empty());
    if let Some(unknown) = country.filter(|country| country::normalise(country).is_none()) {
        let message = format!("'{}' is no country; use its two-letter code such as GB.", excerpt(unknown));
        findings.error(code, format!("{path}/country"), message);
    }
}
