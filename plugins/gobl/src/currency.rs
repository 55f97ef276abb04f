//! Currencies (ISO 4217) and the decimals of their amounts.

use einvoice_plugin::Amount;

/// Currencies in use that the format knows, in alphabetical order: those of its table (`currency.Code` of its schemas) that
/// ISO 4217 lists as money of a country. It knows neither VED nor ZWG.
const CURRENCIES: &str = "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN \
    BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD \
    FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY \
    KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP \
    MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR \
    RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT \
    TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW";
/// Decimals of most currencies.
const USUAL_DECIMALS: u8 = 2;
/// Currencies with other decimals (ISO 4217, list one, "minor unit"). The format has the same.
const OTHER_DECIMALS: [(u8, &str); 2] = [
    (0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF"),
    (3, "BHD IQD JOD KWD LYD OMR TND"),
];
/// Where the format's table (`subunits`) differs from ISO 4217, which has two decimals for them: it counts whole forints, and
/// takes the five parts of an ariary and of an ouguiya for five decimals.
const DECIMALS_OF_THE_FORMAT: [(&str, u8); 3] = [("HUF", 0), ("MGA", 5), ("MRU", 5)];

/// Whether it is the code of a currency that documents may be in.
pub fn is_known(code: &str) -> bool {
    code.len() == 3 && CURRENCIES.split(' ').any(|known| known == code)
}

/// Decimals of an amount of the currency by ISO 4217.
pub fn decimals(code: &str) -> u8 {
    let listed = OTHER_DECIMALS.iter().find(|(_, codes)| codes.split(' ').any(|known| known == code));
    listed.map_or(USUAL_DECIMALS, |(decimals, _)| *decimals)
}

/// Decimals to which the format rounds amounts of the currency when it computes a document again.
pub fn decimals_of_the_format(code: &str) -> u8 {
    let other = DECIMALS_OF_THE_FORMAT.iter().find(|(known, _)| *known == code);
    other.map_or_else(|| decimals(code), |(_, decimals)| *decimals)
}

/// Whether the format keeps amounts of the currency as they are: it computes with no more decimals than the amounts have by
/// ISO 4217, and drops none that says something.
pub fn is_kept(code: &str, amounts: impl IntoIterator<Item = Amount>) -> bool {
    let of_the_format = decimals_of_the_format(code);
    of_the_format <= decimals(code)
        && amounts.into_iter().all(|amount| amount.canonical(0).scale <= of_the_format)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_currency_is_known_by_its_code() {
        assert!(is_known("EUR") && is_known("USD") && is_known("ZMW"));
        assert!(
            !is_known("eur") && !is_known("") && !is_known("R U") && !is_known("ABC") && !is_known("ZWG")
        );
        let others = OTHER_DECIMALS.iter().flat_map(|(_, codes)| codes.split(' '));
        let of_the_format = DECIMALS_OF_THE_FORMAT.iter().map(|(code, _)| *code);
        assert!(others.chain(of_the_format).all(is_known));
    }

    #[test]
    fn decimals_are_those_of_iso_4217_but_where_the_format_says_otherwise() {
        for (code, iso, format) in
            [("EUR", 2, 2), ("JPY", 0, 0), ("TND", 3, 3), ("HUF", 2, 0), ("MGA", 2, 5), ("MRU", 2, 5)]
        {
            assert_eq!((decimals(code), decimals_of_the_format(code)), (iso, format), "{code}");
        }
    }

    #[test]
    fn amounts_are_kept_where_the_format_rounds_as_their_currency_does() {
        let amounts = [Amount::new(100_000, 2), Amount::new(2_100, 2)];
        let broken = [Amount::new(100_050, 2)];
        assert!(is_kept("EUR", broken) && is_kept("HUF", amounts) && is_kept("JPY", [Amount::new(12, 0)]));
        assert!(!is_kept("HUF", broken), "half a forint would be rounded");
        assert!(!is_kept("MGA", amounts) && !is_kept("MRU", amounts), "the format computes with three more");
    }
}
