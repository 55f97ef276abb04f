//! The recipient in the AT's terms.
//!
//! | recipient | becomes | in SAF-T and the QR code |
//! |---|---|---|
//! | company of Portugal | tax id of `PT` (NIF or NIPC) | the number |
//! | company of another country | tax id of its country, if it has a number | the number, else 999999990 |
//! | individual with a NIF, as the number of a Portuguese document | tax id of `PT` | the number |
//! | individual with another document | that document | 999999990, the final consumer's |
//! | individual without | a name only | 999999990 |
//! | nobody (simplified invoices) | nobody | 999999990 |

use einvoice_eu::parties::{TAX_NUMBER_PATH, company_id, country_of, individual_id, number_path};
use einvoice_eu::{Findings, codes, vat};
use einvoice_gobl::text::non_blank;
use einvoice_plugin::{Company, Faults, Identity, IdentityKind, Individual, Recipient, TaxIdentity};

use crate::PREFIX;

/// The number of whoever has none, or does not say it.
pub const FINAL_CONSUMER: &str = "999999990";

/// What `map-identity` answers.
pub fn map(recipient: &Recipient) -> Result<Identity, Faults> {
    let mut findings = Findings::new(PREFIX);
    identify(recipient, &mut findings).ok_or_else(|| {
        if findings.faults.is_empty() {
            let message =
                "The recipient has no tax number or identity document; add it to identify the recipient.";
            findings.error(codes::IDENTITY_MISSING, number_path(recipient), message);
        }
        findings.into_errors()
    })
}

/// Finds out who the recipient is. None for somebody with a name only, or after an error was reported.
pub fn identify(recipient: &Recipient, findings: &mut Findings) -> Option<Identity> {
    match recipient {
        Recipient::Company(company) => of_company(company, findings),
        Recipient::Individual(person) => of_person(person, findings),
    }
}

fn of_company(company: &Company, findings: &mut Findings) -> Option<Identity> {
    let mut quiet = Findings::new(PREFIX);
    let country =
        country_of(company.country.as_deref(), "", company.address.as_ref(), Some("PT"), &mut quiet);
    if country == Some("PT") && non_blank(company.tax_number.as_deref()).is_none() {
        let message = "The AT needs the tax number (NIF) of a Portuguese company; add it.";
        findings.error(codes::IDENTITY_MISSING, TAX_NUMBER_PATH, message);
        return None;
    }
    company_id(company, "PT", findings).map(Identity::TaxId)
}

fn of_person(person: &Individual, findings: &mut Findings) -> Option<Identity> {
    if let Some(document) = &person.identity_document {
        let mut quiet = Findings::new(PREFIX);
        let home = matches!(document.kind, IdentityKind::IdCard).then_some("PT");
        let country = country_of(document.country.as_deref(), "", person.address.as_ref(), home, &mut quiet);
        if let Some(code) = vat::parse("PT", &document.number).ok().filter(|_| country == Some("PT")) {
            return Some(Identity::TaxId(TaxIdentity { country: "PT".to_owned(), code }));
        }
    }
    individual_id(person, "PT", findings).map(Identity::Other)
}
