//! How a recipient is identified at the treasuries.

use einvoice_es::country;
use einvoice_es::stored::Party;

use crate::codes::EXT_IDENTITY_TYPE;

/// NIFs of foreign organisations begin so.
const FOREIGN_NIF: char = 'N';

/// Who a recipient is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Identification<'a> {
    /// By a Spanish tax identifier.
    Nif(&'a str),
    /// By something else (`IDOtro`).
    Other {
        /// ISO 3166-1 alpha-2, when it is one.
        country: Option<&'a str>,
        /// `02` to `06`.
        id_type: &'a str,
        id: String,
    },
}

impl<'a> Identification<'a> {
    /// A name alone is nobody. A tax id wins over other documents; one of another member of the Union is its VAT number.
    pub(super) fn of(party: &'a Party) -> Option<Self> {
        if let Some(code) = party.tax_code() {
            let country = party.tax_id.as_ref().map_or("ES", |tax_id| &tax_id.country);
            let prefix = if country == "GR" { "EL" } else { country };
            return Some(match country {
                "ES" | "" => Self::Nif(code),
                _ if country::has_vat_numbers_of_the_union(prefix) => {
                    Self::Other { country: Some(iso(country)), id_type: "02", id: format!("{prefix}{code}") }
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

    /// Whether the breakdown tells goods and services apart for this recipient.
    pub(super) fn is_foreign(&self) -> bool {
        match self {
            Self::Nif(nif) => nif.starts_with(FOREIGN_NIF),
            Self::Other { country, .. } => *country != Some("ES"),
        }
    }
}

/// The ISO code of a country, or what stands there instead of one.
fn iso(country: &str) -> &str {
    country::normalise(country).unwrap_or(country)
}
