//! The recipient in SdI's terms.
//!
//! | recipient | becomes |
//! |---|---|
//! | company with a VAT number | tax id of its country |
//! | company or individual of Italy with a fiscal code | identity `it-fiscal-code`, and a tax id of `IT` without code |
//! | individual of another country | tax id of the country without code, and the document if there is one |
//!
//! An individual's fiscal code is the number of the identity card or of any other document that has its form.

use einvoice_eu::parties::{NUMBER_PATH, TAX_NUMBER_PATH, company_id, country_of, individual_id};
use einvoice_eu::{Findings, codes};
use einvoice_gobl::text::{excerpt, non_blank};
use einvoice_plugin::{Company, Faults, Identity, IdentityKind, Individual, OtherIdentity, Recipient};

use crate::PREFIX;
use crate::faults::{FISCAL_CODE_MISSING, FISCAL_CODE_WRONG};
use crate::fiscal_code;

/// The format's key of a fiscal code.
pub const FISCAL_CODE: &str = "it-fiscal-code";

/// A recipient with the country SdI is told.
#[derive(Debug, Clone)]
pub struct RecipientIdentity {
    /// As tax numbers write it.
    pub country: String,
    /// What tells who it is.
    pub identity: Option<Identity>,
}

/// What `map-identity` answers.
pub fn map(recipient: &Recipient) -> Result<Identity, Faults> {
    let mut findings = Findings::new(PREFIX);
    let identity = identify(recipient, &mut findings).and_then(|identified| identified.identity);
    identity.ok_or_else(|| {
        if findings.faults.is_empty() {
            let message =
                "The recipient has no tax number or identity document; add it to identify the recipient.";
            findings.error(codes::IDENTITY_MISSING, einvoice_eu::parties::number_path(recipient), message);
        }
        findings.into_errors()
    })
}

/// Finds out who the recipient is. None after an error was reported.
pub fn identify(recipient: &Recipient, findings: &mut Findings) -> Option<RecipientIdentity> {
    match recipient {
        Recipient::Individual(person) => individual(person, findings),
        Recipient::Company(company) => of_company(company, findings),
    }
}

fn of_company(company: &Company, findings: &mut Findings) -> Option<RecipientIdentity> {
    let address = company.address.as_ref();
    let number = non_blank(company.tax_number.as_deref());
    // Reported again, once, by `company_id`.
    let mut quiet = Findings::new(PREFIX);
    let country =
        country_of(company.country.as_deref(), "/recipient/country", address, Some("IT"), &mut quiet);
    if let (Some("IT"), Some(number)) = (country, number)
        && let Ok(code) = fiscal_code::parse(number)
        && code.len() == 16
    {
        return Some(personal(code));
    }
    if country == Some("IT") && number.is_none() {
        let message = "SdI needs the VAT number or the fiscal code of an Italian recipient; add it.";
        findings.error(FISCAL_CODE_MISSING, TAX_NUMBER_PATH, message);
        return None;
    }
    let known = company_id(company, "IT", findings);
    let country = einvoice_eu::vat::tax_country(country?).to_owned();
    (known.is_some() || number.is_none())
        .then(|| RecipientIdentity { country, identity: known.map(Identity::TaxId) })
}

fn personal(code: String) -> RecipientIdentity {
    let identity = OtherIdentity {
        country: "IT".to_owned(),
        code,
        type_key: FISCAL_CODE.to_owned(),
        type_code: String::new(),
    };
    RecipientIdentity { country: "IT".to_owned(), identity: Some(Identity::Other(identity)) }
}

fn individual(person: &Individual, findings: &mut Findings) -> Option<RecipientIdentity> {
    let address = person.address.as_ref();
    let Some(document) = &person.identity_document else {
        let home = address.and_then(|address| non_blank(address.country.as_deref()));
        let Some(home) = home else {
            let message =
                "SdI needs the country of the recipient; add an identity document or an address with it.";
            findings.error(codes::IDENTITY_MISSING, "/recipient/identity_document", message);
            return None;
        };
        let country = einvoice_gobl::country::normalise(home)?;
        if country == "IT" {
            let message =
                "SdI needs the fiscal code of an Italian recipient; add it as the identity card's number.";
            findings.error(FISCAL_CODE_MISSING, "/recipient/identity_document", message);
            return None;
        }
        let country = einvoice_eu::vat::tax_country(country).to_owned();
        return Some(RecipientIdentity { country, identity: None });
    };
    let mut quiet = Findings::new(PREFIX);
    let home = matches!(document.kind, IdentityKind::IdCard).then_some("IT");
    let country = country_of(document.country.as_deref(), "", address, home, &mut quiet);
    if country == Some("IT") {
        return match fiscal_code::parse(&document.number) {
            Ok(code) => Some(personal(code)),
            Err(wrong) => {
                let message = format!(
                    "SdI identifies Italians by fiscal code, and '{}' {wrong}; give the fiscal code here.",
                    excerpt(&document.number)
                );
                findings.error(FISCAL_CODE_WRONG, NUMBER_PATH, message);
                None
            }
        };
    }
    let identity = individual_id(person, "IT", findings)?;
    let country = einvoice_eu::vat::tax_country(&identity.country).to_owned();
    Some(RecipientIdentity { country, identity: Some(Identity::Other(identity)) })
}
