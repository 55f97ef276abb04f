//! How an authority's record identifies a recipient: by NIF or by something else (`IDOtro`).

use crate::country;
use crate::stored::Party;

/// `IDType` of a VAT number of the Union.
pub const VAT_NUMBER: &str = "02";
/// `IDType` of an official document of the country of residence.
const OFFICIAL_DOCUMENT: &str = "04";
/// NIFs of foreign organisations begin so.
const FOREIGN_NIF: char = 'N';

/// What differs between the authorities' records.
#[derive(Debug, Clone, Copy)]
pub struct IdentityTerms {
    /// The add-on's extension that carries the type of an identity.
    pub type_key: &'static str,
    /// Whether `CodigoPais` stands beside a VAT number of the Union, which names its country itself.
    pub vat_number_has_country: bool,
}

/// Who a recipient is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identification<'a> {
    /// By a Spanish tax identifier.
    Nif(&'a str),
    /// By something else.
    Other {
        /// ISO 3166-1 alpha-2, when it is one.
        country: Option<&'a str>,
        /// The authority's list: `02` to `07`.
        id_type: &'a str,
        /// A VAT number of the Union has its country in front.
        id: String,
    },
}

impl IdentityTerms {
    /// Who it is. A name alone is nobody. A tax id wins over other documents; one of another member of the Union is its VAT
    /// number.
    pub fn identify(self, party: &Party) -> Option<Identification<'_>> {
        if let Some(code) = party.tax_code() {
            let country = party.tax_id.as_ref().map_or("ES", |tax_id| &tax_id.country);
            let prefix = if country == "GR" { "EL" } else { country };
            return Some(match country {
                "ES" | "" => Identification::Nif(code),
                _ if country::has_vat_numbers_of_the_union(prefix) => Identification::Other {
                    country: self.vat_number_has_country.then(|| iso(country)),
                    id_type: VAT_NUMBER,
                    id: format!("{prefix}{code}"),
                },
                _ => Identification::Other {
                    country: Some(iso(country)),
                    id_type: OFFICIAL_DOCUMENT,
                    id: code.to_owned(),
                },
            });
        }
        party.identities.iter().find_map(|identity| {
            Some(Identification::Other {
                country: identity.country.as_deref().map(iso),
                id_type: identity.ext.get(self.type_key)?,
                id: identity.code.trim().to_owned(),
            })
        })
    }
}

impl<'a> Identification<'a> {
    /// The NIF, where it is by one.
    pub fn nif(&self) -> Option<&'a str> {
        match self {
            Self::Nif(nif) => Some(nif),
            Self::Other { .. } => None,
        }
    }

    /// Whether it is by something else than a NIF, or by that of a foreign organisation.
    pub fn is_of_foreigner(&self) -> bool {
        self.nif().is_none_or(|nif| nif.starts_with(FOREIGN_NIF))
    }

    /// Whether it is by something else than a NIF, of this country.
    pub fn is_document_of(&self, code: &str) -> bool {
        matches!(self, Self::Other { country: Some(country), .. } if *country == code)
    }
}

/// The ISO code of a country, or what stands there instead of one.
fn iso(country: &str) -> &str {
    country::normalise(country).unwrap_or(country)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    const TERMS: IdentityTerms = IdentityTerms { type_key: "type", vat_number_has_country: false };

    fn party(members: Value) -> Party {
        serde_json::from_value(members).unwrap()
    }

    fn other(country: Option<&'static str>, id_type: &'static str, id: &str) -> Identification<'static> {
        Identification::Other { country, id_type, id: id.to_owned() }
    }

    #[test]
    fn a_tax_id_is_a_nif_a_vat_number_or_an_official_document() {
        let with_country = IdentityTerms { vat_number_has_country: true, ..TERMS };
        for (country, of_agency, of_treasury) in [
            ("ES", Identification::Nif("1"), Identification::Nif("1")),
            ("", Identification::Nif("1"), Identification::Nif("1")),
            ("DE", other(None, "02", "DE1"), other(Some("DE"), "02", "DE1")),
            ("GR", other(None, "02", "EL1"), other(Some("GR"), "02", "EL1")),
            ("EL", other(None, "02", "EL1"), other(Some("GR"), "02", "EL1")),
            ("US", other(Some("US"), "04", "1"), other(Some("US"), "04", "1")),
        ] {
            let identified = party(json!({
                "tax_id": {"country": country, "code": " 1 "},
                "identities": [{"code": "2", "country": "GB", "ext": {"type": "03"}}],
            }));
            assert_eq!(TERMS.identify(&identified), Some(of_agency), "{country}");
            assert_eq!(with_country.identify(&identified), Some(of_treasury), "{country}");
        }
    }

    #[test]
    fn the_first_identity_with_a_type_counts_and_a_name_alone_is_nobody() {
        let identified = party(json!({"name": "Jane Roe", "identities": [
            {"code": "1", "country": "GB", "ext": {"other": "03"}},
            {"code": " 2 ", "country": "EL", "ext": {"type": "03"}},
        ]}));
        assert_eq!(TERMS.identify(&identified), Some(other(Some("GR"), "03", "2")));
        assert_eq!(TERMS.identify(&party(json!({"name": "Jane Roe"}))), None);
    }

    #[test]
    fn who_has_no_nif_or_that_of_a_branch_is_a_foreigner() {
        assert!(!Identification::Nif("B85905495").is_of_foreigner());
        assert!(Identification::Nif("N0032484H").is_of_foreigner());
        let spaniard = other(Some("ES"), "03", "1");
        assert!(spaniard.is_of_foreigner() && spaniard.is_document_of("ES"));
        assert!(!other(None, "02", "DE1").is_document_of("ES"));
        assert_eq!((spaniard.nif(), Identification::Nif("1").nif()), (None, Some("1")));
    }
}
