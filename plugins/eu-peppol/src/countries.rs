//! The countries of suppliers, and what differs between them beside the national rules.
//!
//! Peppol BIS Billing 3 is the profile of the European standard: its suppliers are those of the European Economic Area, and
//! of the other countries of Europe whose VAT numbers the list of electronic addresses (EAS) has a scheme for. Australia,
//! New Zealand, Singapore, Malaysia, Japan and the Emirates send PINT, which is another specification. Suppliers of Monaco have
//! French VAT numbers, which are none of its own.

use einvoice_eu::taxes::Rate;
use einvoice_eu::vat::tax_country;
use einvoice_gobl::country;
use einvoice_plugin::Amount;

/// A country of suppliers.
#[derive(Debug)]
pub struct SupplierCountry {
    /// ISO 3166-1.
    pub country: &'static str,
    /// ISO 4217: in which the VAT is declared.
    pub currency: &'static str,
    /// Whether the structured format has rules of the country.
    has_regime: bool,
    /// Percents in use. None where they are not known here.
    pub rates: &'static [Rate],
}

impl SupplierCountry {
    /// The country's regime in the structured format; empty where it has none.
    pub fn regime(&self) -> &'static str {
        if self.has_regime { tax_country(self.country) } else { "" }
    }
}

/// A country that the structured format has rules of.
const fn known(country: &'static str, currency: &'static str, rates: &'static [Rate]) -> SupplierCountry {
    SupplierCountry { country, currency, has_regime: true, rates }
}

/// A country whose rates are not known here.
const fn other(country: &'static str, currency: &'static str) -> SupplierCountry {
    SupplierCountry { country, currency, has_regime: false, rates: &[] }
}

/// A percent in use, in tenths.
const fn tenths(key: &'static str, tenths: i64) -> Rate {
    Rate { key, title: key, percent: Amount::new(tenths, 1), since: None }
}

/// Rates of November 2026. A percent of another day is unusual, and so a warning.
const COUNTRIES: &[SupplierCountry] = &[
    known("AT", "EUR", &[tenths("a", 200), tenths("b", 190), tenths("c", 130), tenths("d", 100)]),
    known("BE", "EUR", &[tenths("a", 210), tenths("b", 120), tenths("c", 60)]),
    known("CH", "CHF", &[tenths("a", 81), tenths("b", 38), tenths("c", 26)]),
    known("DE", "EUR", &[tenths("a", 190), tenths("b", 70)]),
    known("DK", "DKK", &[tenths("a", 250)]),
    known("ES", "EUR", &[tenths("a", 210), tenths("b", 100), tenths("c", 40)]),
    known("FI", "EUR", &[tenths("a", 255), tenths("b", 135), tenths("c", 100)]),
    known("FR", "EUR", &[tenths("a", 200), tenths("b", 100), tenths("c", 55), tenths("d", 21)]),
    known("GB", "GBP", &[tenths("a", 200), tenths("b", 50)]),
    known("GR", "EUR", &[]),
    known("IE", "EUR", &[tenths("a", 230), tenths("b", 135), tenths("c", 90), tenths("d", 48)]),
    known("IT", "EUR", &[tenths("a", 220), tenths("b", 100), tenths("c", 50), tenths("d", 40)]),
    known("NL", "EUR", &[tenths("a", 210), tenths("b", 90)]),
    known("NO", "NOK", &[tenths("a", 250), tenths("b", 150), tenths("c", 120)]),
    known("PL", "PLN", &[tenths("a", 230), tenths("b", 80), tenths("c", 50)]),
    // Its regions have rates of their own.
    known("PT", "EUR", &[]),
    known("SE", "SEK", &[tenths("a", 250), tenths("b", 120), tenths("c", 60)]),
    other("AD", "EUR"),
    other("AL", "ALL"),
    other("BA", "BAM"),
    other("BG", "EUR"),
    other("CY", "EUR"),
    other("CZ", "CZK"),
    other("EE", "EUR"),
    other("HR", "EUR"),
    other("HU", "HUF"),
    other("IS", "ISK"),
    other("LI", "CHF"),
    other("LT", "EUR"),
    other("LU", "EUR"),
    other("LV", "EUR"),
    other("ME", "EUR"),
    other("MK", "MKD"),
    other("MT", "EUR"),
    other("RO", "RON"),
    other("RS", "RSD"),
    other("SI", "EUR"),
    other("SK", "EUR"),
    other("SM", "EUR"),
    other("TR", "TRY"),
    other("VA", "EUR"),
];

/// The country of suppliers that a code says, as people write it.
pub fn find(code: &str) -> Option<&'static SupplierCountry> {
    let country = country::normalise(code)?;
    COUNTRIES.iter().find(|home| home.country == country)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_country_is_found_by_any_of_its_codes_and_stands_once() {
        assert_eq!(find("el").map(SupplierCountry::regime), Some("EL"));
        assert_eq!(find("UK").map(|home| home.currency), Some("GBP"));
        assert_eq!(find("EE").map(SupplierCountry::regime), Some(""));
        assert!(find("AU").is_none() && find("").is_none());
        let twice = |(at, home): (usize, &SupplierCountry)| {
            COUNTRIES.iter().take(at).any(|known| known.country == home.country)
        };
        assert!(!COUNTRIES.iter().enumerate().any(twice));
    }
}
