//! Country codes.

/// ISO 3166-1 alpha-2, one code after the other.
const CODES: &str = "\
AFAXALDZASADAOAIAQAGARAMAWAUATAZBSBHBDBBBYBEBZBJBMBTBOBQBABWBVBRIOBNBGBFBICVKHCMCAKYCFTDCLCNCXCCCOKMCGCDCKCRCIHRCU\
CWCYCZDKDJDMDOECEGSVGQEREESZETFKFOFJFIFRGFPFTFGAGMGEDEGHGIGRGLGDGPGUGTGGGNGWGYHTHMVAHNHKHUISINIDIRIQIEIMILITJMJPJE\
JOKZKEKIKPKRKWKGLALVLBLSLRLYLILTLUMOMKMGMWMYMVMLMTMHMQMRMUYTMXFMMDMCMNMEMSMAMZMMNANRNPNLNCNZNINENGNUNFMPNOOMPKPWPS\
PAPGPYPEPHPNPLPTPRQARERORURWBLSHKNLCMFPMVCWSSMSTSASNRSSCSLSGSXSKSISBSOZAGSSSESLKSDSRSJSECHSYTWTJTZTHTLTGTKTOTTTNTR\
TMTCTVUGUAAEGBUSUMUYUZVUVEVNVGVIWFEHYEZMZW";

/// The country of a code as people write it: any case, `EL` for Greece and `UK` for the United Kingdom.
/// None when there is no such country.
pub fn normalise(code: &str) -> Option<&'static str> {
    let upper = code.trim().to_ascii_uppercase();
    let wanted = match upper.as_str() {
        "EL" => "GR",
        "UK" => "GB",
        other => other,
    };
    (0..CODES.len()).step_by(2).filter_map(|at| CODES.get(at..at + 2)).find(|known| *known == wanted)
}

/// Territories that the agency's list of countries (`CountryType2`) lacks: it names the country they belong to.
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
    fn codes_are_found_in_any_case_and_by_their_other_names() {
        assert_eq!(normalise("es"), Some("ES"));
        assert_eq!(normalise(" EL "), Some("GR"));
        assert_eq!(normalise("UK"), Some("GB"));
        assert_eq!(["XX", "", "ESP", "FA", "é"].map(normalise), [None; 5]);
        assert_eq!(CODES.len(), 2 * 249);
    }

    #[test]
    fn the_agency_lacks_some_territories() {
        assert!(["ES", "GR", "GB", "US"].into_iter().all(is_at_the_agency));
        assert!(!["RE", "MQ", "EL", "es", "XX", ""].into_iter().any(is_at_the_agency));
    }

    #[test]
    fn greece_and_northern_ireland_have_their_own_prefixes() {
        assert!(["FR", "EL", "XI"].into_iter().all(has_vat_numbers_of_the_union));
        assert!(!["GR", "GB", "US", "F", ""].into_iter().any(has_vat_numbers_of_the_union));
    }
}
