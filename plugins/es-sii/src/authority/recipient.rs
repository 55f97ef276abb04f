//! How the agency's record identifies a recipient.

use einvoice_es::country;
use einvoice_es::stored::Party;

use crate::codes::EXT_IDENTITY_TYPE;

/// `NIF` or `IDOtro`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Identification<'a> {
    /// By a Spanish tax identifier.
    Nif(&'a str),
    /// By something else.
    Other {
        /// ISO 3166-1 alpha-2, when it is one. A VAT number of the Union has its country in front.
        country: Option<&'a str>,
        /// The agency's list L4.
        id_type: &'a str,
        id: String,
    },
}

impl<'a> Identification<'a> {
    /// Who it is in the agency's terms: a name alone is nobody. A tax id wins over other documents; one of another
    /// member of the Union is its VAT number.
    pub(super) fn of(party: &'a Party) -> Option<Self> {
        if let Some(code) = party.tax_code() {
            let country = party.tax_id.as_ref().map_or("ES", |tax_id| &tax_id.country);
            let prefix = if country == "GR" { "EL" } else { country };
            return Some(match country {
                "ES" | "" => Self::Nif(code),
                _ if country::has_vat_numbers_of_the_union(prefix) => {
                    Self::Other { country: None, id_type: VAT_NUMBER, id: format!("{prefix}{code}") }
                }
                _ => Self::Other { country: Some(iso(country)), id_type: "04", id: code.to_owned() },
            });
        }
        party.identities.iter().find_map(|identity| {
            Some(Self::Other {
                country: identity.country.as_deref().map(iso),
                id_type: identity.ext.get(EXT_IDENTITY_TYPE)?,
                id: identity.code.trim().to_owned(),
            })
        })
    }

    /// Whether the breakdown tells goods from services: the recipient is not Spanish, or a branch of somebody who is not
    /// (a NIF that begins with N).
    pub(super) fn is_of_foreigner(&self) -> bool {
        match self {
            Self::Nif(nif) => nif.starts_with('N'),
            Self::Other { .. } => true,
        }
    }
}

/// `IDType` of a VAT number of the Union.
pub(super) const VAT_NUMBER: &str = "02";

/// The ISO code of a country, or what stands there instead of one.
fn iso(country: &str) -> &str {
    country::normalise(country).unwrap_or(country)
}
