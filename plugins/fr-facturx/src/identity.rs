//! Whom a document is for: French companies by their SIREN, others by their VAT number.

use einvoice_eu::parties::{self, TAX_NUMBER_PATH};
use einvoice_eu::{Findings, codes};
use einvoice_gobl::country;
use einvoice_gobl::text::{excerpt, non_blank};
use einvoice_plugin::{Company, Fault, Identity, Recipient, TaxIdentity};

use crate::PREFIX;
use crate::numbers::{CompanyNumber, company_number};

/// France and those of its territories whose companies have a SIREN. New Caledonia and French Polynesia have registers of
/// their own.
const FRENCH: [&str; 9] = ["FR", "GP", "MQ", "GF", "RE", "YT", "BL", "MF", "PM"];

/// A company as documents know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Buyer {
    /// With its SIREN.
    French(CompanyNumber),
    /// By its number elsewhere.
    Foreign(TaxIdentity),
}

impl Buyer {
    /// As the contract has it.
    pub fn identity(&self) -> Identity {
        Identity::TaxId(match self {
            Self::French(number) => TaxIdentity { country: "FR".to_owned(), code: number.vat.clone() },
            Self::Foreign(identity) => identity.clone(),
        })
    }
}

/// Whether a company is one of France.
pub fn is_french(company: &Company) -> bool {
    let of_address = company.address.as_ref().and_then(|address| address.country.as_deref());
    let stated = non_blank(company.country.as_deref()).or_else(|| non_blank(of_address));
    stated.is_none_or(|code| country::normalise(code).is_some_and(|code| FRENCH.contains(&code)))
}

/// A company by its number. None when it has none; errors are reported.
pub fn buyer(company: &Company, findings: &mut Findings) -> Option<Buyer> {
    if !is_french(company) {
        return parties::company_id(company, "FR", findings).map(Buyer::Foreign);
    }
    let number = non_blank(company.tax_number.as_deref())?;
    match company_number(number) {
        Ok(number) => Some(Buyer::French(number)),
        Err(wrong) => {
            let message = format!(
                "'{}' is neither a French VAT number nor a SIREN or SIRET: it {wrong}; ask the recipient for the right one.",
                excerpt(number)
            );
            findings.error(codes::TAX_NUMBER, TAX_NUMBER_PATH, message);
            None
        }
    }
}

/// What `map-identity` answers.
pub fn map(recipient: &Recipient) -> Result<Identity, Vec<Fault>> {
    let mut findings = Findings::new(PREFIX);
    match recipient {
        Recipient::Company(company) if is_french(company) => {
            if let Some(buyer) = buyer(company, &mut findings) {
                return Ok(buyer.identity());
            }
            let errors = findings.into_errors();
            // Without a number there is nothing wrong with it: the shared sentence says what is missing.
            if errors.is_empty() { parties::map(recipient, "FR", Findings::new(PREFIX)) } else { Err(errors) }
        }
        _ => parties::map(recipient, "FR", findings),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use einvoice_plugin::harness::recipient;
    use serde_json::{Value, json};

    fn mapped(company: Value) -> Result<String, String> {
        let mut company = company;
        company["type"] = json!("company");
        company["name"] = json!("Sample");
        match map(&recipient(&company).unwrap()) {
            Ok(Identity::TaxId(id)) => Ok(format!("{}{}", id.country, id.code)),
            Ok(Identity::Other(_)) => Err("no tax id".to_owned()),
            Err(faults) => Err(faults[0].code.clone()),
        }
    }

    #[test]
    fn a_company_is_french_wherever_in_france_it_is() {
        let siren = |country: &str| mapped(json!({"tax_number": "732829320", "country": country}));
        for country in ["FR", "RE", "GP", "BL"] {
            assert_eq!(siren(country).as_deref(), Ok("FR44732829320"), "{country}");
        }
        assert_eq!(mapped(json!({"tax_number": "732829320"})).as_deref(), Ok("FR44732829320"));
        assert_eq!(
            mapped(json!({"tax_number": "DE 111 111 125", "country": "DE"})).as_deref(),
            Ok("DE111111125")
        );
    }

    #[test]
    fn what_identifies_nobody_says_why() {
        let refused = |company: Value| mapped(company).unwrap_err();
        assert_eq!(refused(json!({})), "FR-FACTURX-IDENTITY-01");
        assert_eq!(refused(json!({"tax_number": "732829321"})), "FR-FACTURX-IDENTITY-05");
        assert_eq!(refused(json!({"tax_number": "1", "country": "XX"})), "FR-FACTURX-IDENTITY-04");
    }
}
