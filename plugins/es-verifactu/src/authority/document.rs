//! What a structured document says in the agency's terms.

use einvoice_es::country;
use einvoice_es::stored::{Category, Party};

use crate::codes::EXT_IDENTITY_TYPE;

/// How a recipient is identified at the agency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Identification<'a> {
    /// By a Spanish tax identifier.
    Nif(&'a str),
    /// By something else (`IDOtro`).
    Other {
        /// ISO 3166-1 alpha-2, when it is one.
        country: Option<&'a str>,
        /// The agency's list L7.
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
                    Self::Other { country: None, id_type: "02", id: format!("{prefix}{code}") }
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
}

/// The ISO code of a country, or what stands there instead of one.
fn iso(country: &str) -> &str {
    country::normalise(country).unwrap_or(country)
}

/// The agency's list L1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tax {
    Vat,
    Ipsi,
    Igic,
    Other,
}

impl Tax {
    pub(super) fn of(category: &Category) -> Self {
        match category.code.as_str() {
            "VAT" => Self::Vat,
            "IPSI" => Self::Ipsi,
            "IGIC" => Self::Igic,
            _ => Self::Other,
        }
    }

    /// The agency's code.
    pub(super) const fn code(self) -> &'static str {
        match self {
            Self::Vat => "01",
            Self::Ipsi => "02",
            Self::Igic => "03",
            Self::Other => "05",
        }
    }
}
