//! Country codes, and what the tax agency makes of them.

pub use einvoice_gobl::country::normalise;

/// Territories that the agency's list of countries (`CountryType2`) lacks: it names the country they belong to. VERI*FACTU and
/// both services of the SII have that list; the Basque treasuries' own (`ticketBaiV1-2-2.xsd`) lacks no ISO code.
const NOT_AT_THE_AGENCY: [&str; 9] = ["AX", "BL", "EH", "GF", "GP", "MF", "MQ", "RE", "SJ"];

/// Whether the agency's list of countries has an ISO code (error 1101).
pub fn is_at_the_agency(code: &str) -> bool {
    normalise(code) == Some(code) && !NOT_AT_THE_AGENCY.contains(&code)
}

/// Members of the European Union, as their VAT numbers begin; Northern Ireland counts as `XI`.
const VAT_PREFIXES: &str = "ATBEBGCYCZDEDKEEELESFIFRHRHUIEITLTLULVMTNLPLPTROSESISKXI";

/// Whether a VAT number with this prefix can be registered in VIES.
pub fn has_vat_numbers_of_the_union(prefix: &str) -> bool {
    (0..VAT_PREFIXES.len())
        .step_by(2)
        .filter_map(|at| VAT_PREFIXES.get(at..at + 2))
        .any(|known| known == prefix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_agency_lacks_some_territories() {
        assert!(["ES", "GR", "GB", "US"].into_iter().all(is_at_the_agency));
        for lacking in ["RE", "AX", "BL", "EH", "GF", "GP", "MF", "MQ", "SJ"] {
            assert!(!is_at_the_agency(lacking), "{lacking}");
        }
        assert!(!["EL", "es", "XX", ""].into_iter().any(is_at_the_agency));
    }

    #[test]
    fn greece_and_northern_ireland_have_their_own_prefixes() {
        assert!(["FR", "EL", "XI"].into_iter().all(has_vat_numbers_of_the_union));
        assert!(!["GR", "GB", "US", "F", ""].into_iter().any(has_vat_numbers_of_the_union));
    }
}
