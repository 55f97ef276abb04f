//! Whom a document is for, in terms of VAT numbers.
//!
//! | recipient | becomes |
//! |---|---|
//! | company | tax id of its country (else its address's, else the home country) |
//! | individual with an identity document | that document |

use einvoice_gobl::country;
use einvoice_gobl::text::{composed, excerpt, non_blank, unprintable};
use einvoice_plugin::{
    Address, Company, Identity, IdentityDocument, IdentityKind, Individual, OtherIdentity, Recipient,
    TaxIdentity,
};

use crate::vat::{self, NotAVatNumber};
use crate::{Findings, codes};

/// Characters of a code in the format.
const CODE_CHARS_MAX: usize = 64;
/// Where an identity document's number is.
pub const NUMBER_PATH: &str = "/recipient/identity_document/number";
/// Where a company's number is.
pub const TAX_NUMBER_PATH: &str = "/recipient/tax_number";

/// Where a recipient's number is.
pub const fn number_path(recipient: &Recipient) -> &'static str {
    match recipient {
        Recipient::Individual(_) => NUMBER_PATH,
        Recipient::Company(_) => TAX_NUMBER_PATH,
    }
}

/// Name, address and electronic mail of either sort.
pub const fn contact(recipient: &Recipient) -> (&String, Option<&Address>, Option<&String>) {
    match recipient {
        Recipient::Individual(person) => (&person.name, person.address.as_ref(), person.email.as_ref()),
        Recipient::Company(company) => (&company.name, company.address.as_ref(), company.email.as_ref()),
    }
}

/// The ISO country that `stated` names, else `address`, else `home`. None after an error was reported.
pub fn country_of(
    stated: Option<&str>,
    path: &str,
    address: Option<&Address>,
    home: Option<&'static str>,
    findings: &mut Findings,
) -> Option<&'static str> {
    let of_address = non_blank(address.and_then(|address| address.country.as_deref()));
    let (code, path) = match (non_blank(stated), of_address) {
        (Some(code), _) => (code, path),
        (None, Some(code)) => (code, "/recipient/address/country"),
        (None, None) => {
            if home.is_none() {
                let message =
                    "Nobody says of which country this number is; add the country here or to the address.";
                findings.error(codes::IDENTITY_COUNTRY_MISSING, path, message);
            }
            return home;
        }
    };
    let known = country::normalise(code);
    if known.is_none() {
        let message = format!("'{}' is no country; use its two-letter code such as GB.", excerpt(code));
        findings.error(codes::IDENTITY_COUNTRY_UNKNOWN, path, message);
    }
    known
}

/// A company's tax id. None when it has no number; errors are reported.
pub fn company_id(company: &Company, home: &'static str, findings: &mut Findings) -> Option<TaxIdentity> {
    let address = company.address.as_ref();
    let country = country_of(company.country.as_deref(), "/recipient/country", address, Some(home), findings);
    let number = non_blank(company.tax_number.as_deref())?;
    let country = country?;
    match tax_number(country, number) {
        Ok(code) => Some(TaxIdentity { country: vat::tax_country(country).to_owned(), code }),
        Err(wrong) => {
            let message =
                format!("The tax number '{}' {wrong}; ask the recipient for the right one.", excerpt(number));
            findings.error(codes::TAX_NUMBER, TAX_NUMBER_PATH, message);
            None
        }
    }
}

/// A tax number that the format takes.
pub fn tax_number(country: &str, number: &str) -> Result<String, NotAVatNumber> {
    let code = vat::parse(country, number)?;
    if code.chars().count() > CODE_CHARS_MAX { Err(NotAVatNumber::Malformed) } else { Ok(code) }
}

/// An individual's identity document. None when there is none; errors are reported.
pub fn individual_id(
    person: &Individual,
    home: &'static str,
    findings: &mut Findings,
) -> Option<OtherIdentity> {
    const PATH: &str = "/recipient/identity_document/country";
    let document = person.identity_document.as_ref()?;
    let sound = sound_number(&document.number, findings);
    let card = matches!(document.kind, IdentityKind::IdCard);
    let usual = card.then_some(home);
    let country = country_of(document.country.as_deref(), PATH, person.address.as_ref(), usual, findings)?;
    let national = card && country == home;
    sound.then(|| OtherIdentity {
        country: country.to_owned(),
        code: composed(document.number.trim()).into_owned(),
        type_key: if national { "national" } else { type_key(document) }.to_owned(),
        type_code: String::new(),
    })
}

/// The format's key of an identity document of another country.
pub const fn type_key(document: &IdentityDocument) -> &'static str {
    match document.kind {
        IdentityKind::Passport => "passport",
        IdentityKind::IdCard | IdentityKind::ForeignNationalId => "foreign",
        IdentityKind::SpanishResidentPermit => "resident",
        IdentityKind::DrivingLicense | IdentityKind::StudentId | IdentityKind::Other => "other",
    }
}

/// Whether an identity document's number is one the format takes.
pub fn sound_number(number: &str, findings: &mut Findings) -> bool {
    let number = composed(number.trim());
    if number.is_empty() {
        let message = "The document's number is empty; add it or remove the document.";
        findings.error(codes::IDENTITY_MISSING, NUMBER_PATH, message);
        return false;
    }
    let chars = number.chars().count();
    let message = if let Some(c) = unprintable(&number) {
        format!("The number contains {c:?}, which nobody sees; remove it.")
    } else if chars > CODE_CHARS_MAX {
        format!("The number has {chars} characters, {CODE_CHARS_MAX} fit; shorten it.")
    } else {
        return true;
    };
    findings.error(codes::IDENTITY_NUMBER, NUMBER_PATH, message);
    false
}

/// What `map-identity` answers: the identity, or why there is none.
pub fn map(
    recipient: &Recipient,
    home: &'static str,
    mut findings: Findings,
) -> Result<Identity, Vec<einvoice_plugin::Fault>> {
    let identity = match recipient {
        Recipient::Individual(person) => individual_id(person, home, &mut findings).map(Identity::Other),
        Recipient::Company(company) => company_id(company, home, &mut findings).map(Identity::TaxId),
    };
    identity.ok_or_else(|| {
        if findings.faults.is_empty() {
            let message =
                "The recipient has no tax number or identity document; add it to identify the recipient.";
            findings.error(codes::IDENTITY_MISSING, number_path(recipient), message);
        }
        findings.into_errors()
    })
}
