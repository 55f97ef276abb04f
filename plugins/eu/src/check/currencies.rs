//! ISO 4217.

/// Currencies in use, in alphabetical order.
const CURRENCIES: &str = "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN \
    BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD \
    FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY \
    KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP \
    MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR \
    RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT \
    TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XOF XPF YER ZAR \
    ZMW ZWG";

/// Whether there is such a currency.
pub(super) fn is_currency(code: &str) -> bool {
    code.len() == 3 && CURRENCIES.split(' ').any(|known| known == code)
}

#[cfg(test)]
mod tests {
    use super::is_currency;

    #[test]
    fn a_currency_is_known_by_its_code() {
        assert!(is_currency("EUR") && is_currency("USD") && is_currency("ZWG"));
        assert!(!is_currency("eur") && !is_currency("") && !is_currency("R U") && !is_currency("ABC"));
    }
}
