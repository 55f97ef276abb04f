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
    let canonical = match upper.as_str() {
        "EL" => "GR",
        "UK" => "GB",
        other => other,
    };
    (0..CODES.len()).step_by(2).filter_map(|at| CODES.get(at..at + 2)).find(|known| *known == canonical)
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
}
