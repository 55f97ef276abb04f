//! The recipient in terms of tax numbers and identity documents. Suppliers of many countries use this plugin, so a number
//! says its country, or the address does.

use einvoice_eu::vat::tax_country;
use einvoice_eu::{Findings, codes, parties};
use einvoice_gobl::country;
use einvoice_gobl::text::{excerpt, non_blank};
use einvoice_plugin::{Company, Faults, Identity, Individual, OtherIdentity, Recipient, TaxIdentity};

use crate::PREFIX;

/// What `map-identity` answers: the identity, or why there is none.
pub fn map(recipient: &Recipient) -> Result<Identity, Faults> {
    let mut findings = Findings::new(PREFIX);
    let identity = match recipient {
        Recipient::Individual(person) => of_individual(person, &mut findings).map(Identity::Other),
        Recipient::Company(company) => of_company(company, &mut findings).map(Identity::TaxId),
    };
    identity.ok_or_else(|| {
        if findings.faults.is_empty() {
            let message =
                "The recipient has no tax number or identity document; add it to identify the recipient.";
            findings.error(codes::IDENTITY_MISSING, parties::number_path(recipient), message);
        }
        findings.into_errors()
    })
}

/// A company's tax id. None when it has no number; errors are reported.
pub(crate) fn of_company(company: &Company, findings: &mut Findings) -> Option<TaxIdentity> {
    const PATH: &str = "/recipient/country";
    let number = non_blank(company.tax_number.as_deref())?;
    let address = company.address.as_ref();
    let country = parties::country_of(company.country.as_deref(), PATH, address, None, findings)?;
    match parties::tax_number(country, number) {
        Ok(code) => Some(TaxIdentity { country: tax_country(country).to_owned(), code }),
        Err(wrong) => {
            let message =
                format!("The tax number '{}' {wrong}; ask the recipient for the right one.", excerpt(number));
            findings.error(codes::TAX_NUMBER, parties::TAX_NUMBER_PATH, message);
            None
        }
    }
}

/// An individual's identity document. None when there is none; errors are reported.
fn of_individual(person: &Individual, findings: &mut Findings) -> Option<OtherIdentity> {
    const PATH: &str = "/recipient/identity_document/country";
    let document = person.identity_document.as_ref()?;
    let sound = parties::sound_number(&document.number, findings);
    let address = person.address.as_ref();
    let country = parties::country_of(document.country.as_deref(), PATH, address, None, findings)?;
    sound.then(|| OtherIdentity {
        country: country.to_owned(),
        code: document.number.trim().to_owned(),
        type_key: parties::type_key(document).to_owned(),
        type_code: String::new(),
    })
}

/// The country of a tax id by ISO 3166-1.
pub(crate) fn country_of(identity: &TaxIdentity) -> &str {
    country::normalise(&identity.country).unwrap_or(&identity.country)
}
