//! Names, addresses and electronic mail of supplier and recipient.

use einvoice_gobl::country;
use einvoice_gobl::email::is_email;
use einvoice_gobl::text::{composed, excerpt, is_uuid, non_blank, unprintable};
use einvoice_plugin::{Address, Context, Invoice};

use super::{AddressNeeds, Rules, outside_latin1, text_problem};
use crate::parties::contact;
use crate::{Findings, codes};

/// Characters of a part of an address.
const PART_CHARS_MAX: usize = 500;
/// Characters of a code in the format.
const POSTCODE_CHARS_MAX: usize = 64;

/// The workspace as supplier.
pub(super) fn supplier(context: &Context, rules: &Rules, findings: &mut Findings) {
    let supplier = &context.supplier;
    if let Some(problem) = text_problem(&supplier.legal_name, rules.name_chars_max, rules.latin1) {
        let message = format!("The workspace's legal name {problem}; correct the workspace.");
        findings.error(codes::SUPPLIER_NAME, "/supplier/legal_name", message);
    }
    if country::normalise(&supplier.country) != Some(rules.country) {
        let message = format!(
            "{} is for suppliers of {}; correct the workspace's country or its tax regime.",
            rules.system, rules.country
        );
        findings.error(codes::SUPPLIER_COUNTRY, "/supplier/country", message);
    }
    if !is_uuid(&context.company_id) {
        let message = "The workspace's company id is no UUID; set the supplier's UUID at the provider.";
        findings.error(codes::SUPPLIER_COMPANY_ID, "/supplier/company_id", message);
    }
    check_email(supplier.email.as_deref(), codes::SUPPLIER_EMAIL, "/supplier/email", findings);
    let at = AddressPath { code: codes::SUPPLIER_ADDRESS, path: "/supplier/address", whose: "workspace's" };
    check_address(supplier.address.as_ref(), rules.supplier_address, rules, at, findings);
}

/// Whom the document is for.
pub(super) fn recipient(invoice: &Invoice, rules: &Rules, findings: &mut Findings) {
    let Some(recipient) = &invoice.recipient else {
        if !(rules.anonymous)(invoice) {
            let message =
                format!("{} takes no document of this kind without recipient; add one.", rules.system);
            findings.error(codes::RECIPIENT_MISSING, "/recipient", message);
        }
        return;
    };
    let (name, of_address, of_email) = contact(recipient);
    if let Some(problem) = text_problem(name, rules.name_chars_max, rules.latin1) {
        let message = format!("The recipient's name {problem}; correct it.");
        findings.error(codes::RECIPIENT_NAME, "/recipient/name", message);
    }
    check_email(of_email.map(String::as_str), codes::RECIPIENT_EMAIL, "/recipient/email", findings);
    let at = AddressPath { code: codes::RECIPIENT_ADDRESS, path: "/recipient/address", whose: "recipient's" };
    check_address(of_address, rules.recipient_address, rules, at, findings);
}

fn check_email(address: Option<&str>, code: &str, path: &str, findings: &mut Findings) {
    let Some(address) = non_blank(address) else { return };
    if !is_email(address) {
        let message = format!("'{}' is no electronic mail address; correct or remove it.", excerpt(address));
        findings.error(code, path, message);
    }
}

/// Where an address is, for faults.
#[derive(Clone, Copy)]
struct AddressPath {
    code: &'static str,
    path: &'static str,
    whose: &'static str,
}

fn check_address(
    address: Option<&Address>,
    needs: AddressNeeds,
    rules: &Rules,
    at: AddressPath,
    findings: &mut Findings,
) {
    let nothing = Address { street: None, locality: None, region: None, postcode: None, country: None };
    let address = address.unwrap_or(&nothing);
    let parts = [
        ("street", &address.street, PART_CHARS_MAX),
        ("locality", &address.locality, PART_CHARS_MAX),
        ("region", &address.region, PART_CHARS_MAX),
        ("postcode", &address.postcode, POSTCODE_CHARS_MAX),
        ("country", &address.country, POSTCODE_CHARS_MAX),
    ];
    if parts.iter().all(|(_, value, ..)| non_blank(value.as_deref()).is_none()) {
        if needs.is_some() {
            let message = format!("{} needs the {} address; add it.", rules.system, at.whose);
            findings.error(at.code, at.path, message);
        }
        return;
    }
    for (member, value, chars_max) in parts {
        let Some(value) = non_blank(value.as_deref()) else {
            if needs.is_some_and(|members| members.contains(&member)) {
                let message =
                    format!("{} needs the {member} of the {} address; add it.", rules.system, at.whose);
                findings.error(at.code, format!("{}/{member}", at.path), message);
            }
            continue;
        };
        let value = &*composed(value);
        let latin1 = rules.latin1 && matches!(member, "street" | "locality");
        let unknown = member == "country" && country::normalise(value).is_none();
        let problem = if unknown {
            Some("is no country; use its two-letter code such as GB".to_owned())
        } else if value.contains(char::is_control) || value.chars().count() > chars_max {
            Some(format!("is longer than {chars_max} characters or contains control characters; correct it"))
        } else if let Some(c) = unprintable(value).filter(|_| member == "postcode") {
            Some(format!("contains {c:?}, which nobody sees; remove it"))
        } else {
            outside_latin1(value, latin1)
                .map(|c| format!("contains {c:?}, which is no Latin-1 character; replace it"))
        };
        if let Some(problem) = problem {
            let message = format!("The {member} '{}' of the {} address {problem}.", excerpt(value), at.whose);
            findings.error(at.code, format!("{}/{member}", at.path), message);
        }
    }
}
