//! The add-on's codes, and where a document says them.

use einvoice_es::identification::IdentityTerms;
use einvoice_gobl::ext::ExtKey;
use einvoice_plugin::{Address, Ext};
use serde::Deserialize;

/// The extension that carries the province.
pub const EXT_REGION: &str = "es-tbai-region";
/// The extension that marks a simplified invoice.
pub const EXT_SIMPLIFIED: &str = "es-tbai-simplified";
/// The extension that says what a row sells.
pub const EXT_PRODUCT: &str = "es-tbai-product";
/// The extension that says why a row is not taxed.
pub const EXT_EXEMPTION: &str = "es-tbai-exemption";
/// The extension that carries the VAT regime of a row.
pub const EXT_REGIME: &str = "es-tbai-regime";
/// The extension that says why a preceding document is corrected.
pub const EXT_CORRECTION: &str = "es-tbai-correction";
/// The extension that carries the type of an identity document.
pub const EXT_IDENTITY_TYPE: &str = "es-tbai-identity-type";
/// The extension that carries the economic activity of a natural person in Bizkaia.
pub const EXT_ACTIVITY: &str = "es-tbai-bi-activity";

/// How records identify recipients.
pub(crate) const IDENTITY_TERMS: IdentityTerms =
    IdentityTerms { type_key: EXT_IDENTITY_TYPE, vat_number_has_country: true };

/// The member of a document's `meta` that says as what it goes over the wire to Bizkaia, where that is not the TicketBAI file.
pub const META_RECORD: &str = "tbai-record";
/// Its value for a message to the register of economic operations.
pub const LROE: &str = "lroe";

/// What documents and lines may say in `ext`.
pub const EXT: &[ExtKey] = &[
    ExtKey::of_document(&[EXT_REGION, "region"], "Province whose treasury it goes to: VI, BI or SS"),
    ExtKey::of_document(&[EXT_CORRECTION, "correction", "doc-type"], "Type of a correction: R1 to R5"),
    ExtKey::of_any_tax(&[EXT_PRODUCT, "product"], "What is sold: goods, services or resale"),
    ExtKey::of_any_tax(&[EXT_REGIME, "regime"], "VAT regime of the treasury's list: 01, 05 and others"),
    ExtKey::of_tax(
        &[EXT_EXEMPTION, "exemption"],
        "Why the line is not taxed, as its exemption says it: E1 to E6, S2, OT, RL, VT or IE",
    ),
];

/// A province of the Basque Country: each has its own treasury.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Region {
    /// Araba.
    #[serde(rename = "VI")]
    Araba,
    /// Bizkaia.
    #[serde(rename = "BI")]
    Bizkaia,
    /// Gipuzkoa.
    #[serde(rename = "SS")]
    Gipuzkoa,
}

impl Region {
    /// The add-on's code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Araba => "VI",
            Self::Bizkaia => "BI",
            Self::Gipuzkoa => "SS",
        }
    }

    /// The region of a code.
    pub fn of_code(code: &str) -> Option<Self> {
        [Self::Araba, Self::Bizkaia, Self::Gipuzkoa].into_iter().find(|known| known.code() == code)
    }

    /// The region whose name, in Basque or Spanish, an address carries.
    pub fn of_address(address: &Address) -> Option<Self> {
        match address.region.as_deref()?.trim().to_lowercase().as_str() {
            "alava" | "álava" | "araba" | "vi" => Some(Self::Araba),
            "bizkaia" | "vizcaya" | "bi" => Some(Self::Bizkaia),
            "gipuzkoa" | "guipuzcoa" | "guipúzcoa" | "ss" => Some(Self::Gipuzkoa),
            _ => None,
        }
    }
}

/// What is sold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Product {
    /// Delivery of goods.
    Goods,
    /// Provision of services.
    #[default]
    Services,
    /// Goods resold unmodified by a supplier in the simplified regime.
    Resale,
}

impl Product {
    /// The add-on's code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Goods => "goods",
            Self::Services => "services",
            Self::Resale => "resale",
        }
    }

    /// The format's key of an item that is such a product.
    pub const fn item_key(self) -> &'static str {
        match self {
            Self::Goods | Self::Resale => "goods",
            Self::Services => "services",
        }
    }

    /// The product of a code.
    pub fn of_code(code: &str) -> Option<Self> {
        [Self::Goods, Self::Services, Self::Resale].into_iter().find(|known| known.code() == code)
    }
}

/// The agency's list of VAT regimes.
const REGIMES: &[&str] = &[
    "01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11", "12", "13", "14", "15", "17", "51",
    "52", "53",
];

/// The regime of a code.
pub fn regime(code: &str) -> Option<&'static str> {
    REGIMES.iter().find(|known| **known == code).copied()
}

/// One to seven digits (epígrafe).
pub fn is_activity(code: &str) -> bool {
    (1..=7).contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_digit())
}

/// What `ext` says under one of the add-on's keys, or under the same key without `es-tbai-`.
pub fn find_ext<'a>(ext: &'a [Ext], key: &str) -> Option<&'a Ext> {
    let short = key.strip_prefix("es-tbai-").unwrap_or(key);
    ext.iter().find(|ext| ext.key == key).or_else(|| ext.iter().find(|ext| ext.key == short))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_is_known_by_its_names() {
        let of = |name: &str| {
            let address = Address {
                street: None,
                locality: None,
                region: Some(name.to_owned()),
                postcode: None,
                country: None,
            };
            Region::of_address(&address).map(Region::code)
        };
        for (names, code) in [
            (&["Álava", "ARABA", "vi"][..], Some("VI")),
            (&["Bizkaia ", "Vizcaya"][..], Some("BI")),
            (&["GUIPÚZCOA", "gipuzkoa", "SS"][..], Some("SS")),
            (&["Madrid", ""][..], None),
        ] {
            assert!(names.iter().all(|name| of(name) == code), "{names:?}");
        }
    }

    #[test]
    fn the_full_key_wins_over_the_short_one() {
        let ext = |key: &str, value: &str| Ext { key: key.to_owned(), value: value.to_owned() };
        let both = [ext("product", "goods"), ext("es-tbai-product", "resale")];
        assert_eq!(find_ext(&both, EXT_PRODUCT).unwrap().value, "resale");
        assert_eq!(find_ext(&both[..1], EXT_PRODUCT).unwrap().value, "goods");
        assert_eq!(find_ext(&both, EXT_REGIME), None);
    }

    #[test]
    fn an_activity_has_one_to_seven_digits() {
        assert!(["1", "147213", "1234567"].into_iter().all(is_activity));
        assert!(!["", "12345678", "1.2", "١"].into_iter().any(is_activity));
    }
}
