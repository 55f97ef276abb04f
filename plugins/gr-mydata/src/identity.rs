//! The recipient in myDATA's terms.
//!
//! | recipient | becomes |
//! |---|---|
//! | company of Greece with a VAT number (ΑΦΜ) | tax id of `EL`; `counterpart` of GR |
//! | company of another member state | tax id of its country; `counterpart` with the country before the number |
//! | company of a third country | tax id of its country; `counterpart` with the number as it is |
//! | individual with an identity document | that document, in the structured document alone |
//! | individual without one, nobody | a name at most |
//!
//! A consumer, and whoever gets a receipt, has no place in what myDATA gets.

use einvoice_eu::parties;
use einvoice_eu::{Findings, codes};
use einvoice_gobl::country::normalise;
use einvoice_gobl::text::non_blank;
use einvoice_plugin::{Company, Faults, Identity, Recipient};

use crate::PREFIX;

/// Member states besides Greece.
const MEMBER_STATES: [&str; 26] = [
    "AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "HR", "HU", "IE", "IT", "LT", "LU",
    "LV", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK",
];

/// Characters of a number as it is sent (`vatNumber`), two of which may be the country.
const NUMBER_CHARS_MAX: usize = 28;

/// Whether a country is another member state.
pub fn is_member_state(country: &str) -> bool {
    MEMBER_STATES.contains(&country)
}

/// The country of a company: its own, else its address's, else Greece. None when there is no such country.
pub fn country(company: &Company) -> Option<&'static str> {
    let of_address = company.address.as_ref().and_then(|address| address.country.as_deref());
    let stated = non_blank(company.country.as_deref()).or_else(|| non_blank(of_address));
    stated.map_or(Some("GR"), normalise)
}

/// What `map-identity` answers.
pub fn map(recipient: &Recipient) -> Result<Identity, Faults> {
    parties::map(recipient, "GR", Findings::new(PREFIX))
}

/// Finds out who the recipient is. A business has to have a number.
pub(crate) fn identify(recipient: &Recipient, is_retail: bool, findings: &mut Findings) -> Option<Identity> {
    match recipient {
        Recipient::Individual(person) => parties::individual_id(person, "GR", findings).map(Identity::Other),
        Recipient::Company(company) => {
            let found = parties::company_id(company, "GR", findings);
            if !is_retail && non_blank(company.tax_number.as_deref()).is_none() {
                let message = "myDATA needs the tax number of a business; add it, or issue a receipt.";
                findings.error(codes::IDENTITY_MISSING, parties::TAX_NUMBER_PATH, message);
            }
            if found.as_ref().is_some_and(|tax_id| tax_id.code.chars().count() > NUMBER_CHARS_MAX) {
                let message = "myDATA takes tax numbers of up to 28 characters; correct the recipient's.";
                findings.error(codes::IDENTITY_NUMBER, parties::TAX_NUMBER_PATH, message);
            }
            found.map(Identity::TaxId)
        }
    }
}
