//! The code lists of ISO 4217 and ISO 3166-1 alpha-2, as far as documents need them.

/// Currencies in use, in alphabetical order.
const CURRENCIES: &str = "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN \
    BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD \
    FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY \
    KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP \
    MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR \
    RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT \
    TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XOF XPF YER ZAR \
    ZMW ZWG";

/// Countries and territories, in alphabetical order, with XK, which tax systems use for Kosovo.
const COUNTRIES: &str = "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG \
    BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI \
    CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH \
    ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ \
    GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT \
    JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS \
    LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU \
    MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG \
    PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG \
    SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK \
    TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU \
    WF WS XK YE YT ZA ZM ZW";

/// The same countries in the same order, in three letters.
const COUNTRIES_ALPHA_3: &str = "AND ARE AFG ATG AIA ALB ARM AGO ATA ARG ASM AUT AUS ABW ALA AZE BIH BRB BGD BEL BFA BGR \
    BHR BDI BEN BLM BMU BRN BOL BES BRA BHS BTN BVT BWA BLR BLZ CAN CCK COD CAF COG CHE CIV \
    COK CHL CMR CHN COL CRI CUB CPV CUW CXR CYP CZE DEU DJI DNK DMA DOM DZA ECU EST EGY ESH \
    ERI ESP ETH FIN FJI FLK FSM FRO FRA GAB GBR GRD GEO GUF GGY GHA GIB GRL GMB GIN GLP GNQ \
    GRC SGS GTM GUM GNB GUY HKG HMD HND HRV HTI HUN IDN IRL ISR IMN IND IOT IRQ IRN ISL ITA \
    JEY JAM JOR JPN KEN KGZ KHM KIR COM KNA PRK KOR KWT CYM KAZ LAO LBN LCA LIE LKA LBR LSO \
    LTU LUX LVA LBY MAR MCO MDA MNE MAF MDG MHL MKD MLI MMR MNG MAC MNP MTQ MRT MSR MLT MUS \
    MDV MWI MEX MYS MOZ NAM NCL NER NFK NGA NIC NLD NOR NPL NRU NIU NZL OMN PAN PER PYF PNG \
    PHL PAK POL SPM PCN PRI PSE PRT PLW PRY QAT REU ROU SRB RUS RWA SAU SLB SYC SDN SWE SGP \
    SHN SVN SJM SVK SLE SMR SEN SOM SUR SSD STP SLV SXM SYR SWZ TCA TCD ATF TGO THA TJK TKL \
    TLS TKM TUN TON TUR TTO TUV TWN TZA UKR UGA UMI USA URY UZB VAT VCT VEN VGB VIR VNM VUT \
    WLF WSM XKX YEM MYT ZAF ZMB ZWE";

/// Whether `code` is a currency in use (ISO 4217).
pub fn is_currency(code: &str) -> bool {
    code.len() == 3 && CURRENCIES.split(' ').any(|known| known == code)
}

/// Whether `code` is a country (ISO 3166-1 alpha-2).
pub fn is_country(code: &str) -> bool {
    code.len() == 2 && COUNTRIES.split(' ').any(|known| known == code)
}

/// The country that a text was meant to be which is none: three letters of ISO 3166-1, or what is written in two letters
/// elsewhere.
fn meant_country(text: &str) -> Option<&'static str> {
    let code = text.trim().to_uppercase();
    match code.as_str() {
        "UK" => return Some("GB"),
        "EL" => return Some("GR"),
        _ => {}
    }
    let pairs = COUNTRIES_ALPHA_3.split(' ').zip(COUNTRIES.split(' '));
    pairs.into_iter().find(|(three, _)| *three == code).map(|(_, two)| two)
}

/// What to send instead of a text that is no country (ISO 3166-1 alpha-2).
pub fn country_hint(text: &str) -> String {
    meant_country(text).map_or_else(
        || "use two letters of ISO 3166-1, such as ES".to_owned(),
        |country| format!("use two letters of ISO 3166-1: did you mean {country}?"),
    )
}

/// Decimals of a currency: euro 2, yen 0, dinar 3.
pub fn currency_decimals(code: &str) -> u8 {
    match code {
        "BIF" | "CLP" | "DJF" | "GNF" | "ISK" | "JPY" | "KMF" | "KRW" | "PYG" | "RWF" | "UGX" | "VND"
        | "VUV" | "XAF" | "XOF" | "XPF" => 0,
        "BHD" | "IQD" | "JOD" | "KWD" | "LYD" | "OMR" | "TND" => 3,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_letters_of_a_country_lead_to_its_two() {
        assert_eq!(COUNTRIES_ALPHA_3.split(' ').count(), COUNTRIES.split(' ').count());
        for (text, country) in [
            ("ESP", Some("ES")),
            ("deu", Some("DE")),
            (" PRT ", Some("PT")),
            ("POL", Some("PL")),
            ("ZWE", Some("ZW")),
            ("XKX", Some("XK")),
            ("uk", Some("GB")),
            ("EL", Some("GR")),
            ("Spain", None),
            ("", None),
            ("ES ES", None),
        ] {
            assert_eq!(meant_country(text), country, "{text}");
        }
        assert_eq!(country_hint("ESP"), "use two letters of ISO 3166-1: did you mean ES?");
        assert_eq!(country_hint("Spain"), "use two letters of ISO 3166-1, such as ES");
    }
}
