//! The code lists of the standard, as the rules BR-CL-* of CEN's schematron 1.3.15 have them.

use einvoice_gobl::country;

/// UN/ECE recommendation 20: one, of anything. The platform's quantities have no other unit.
pub(crate) const UNIT_ONE: &str = "C62";
/// EAS: an address for electronic mail.
pub(crate) const SCHEME_EMAIL: &str = "EM";

/// UNTDID 1001: invoices.
const INVOICES: &str = "71 80 81 82 84 102 130 202 203 204 211 218 219 295 325 326 331 380 382 383 384 385 386 387 388 389 390 \
    393 394 395 456 457 471 472 473 500 501 502 503 527 553 575 623 633 751 780 817 870 875 876 877 935";
/// UNTDID 1001: credit notes.
const CREDIT_NOTES: &str = "81 83 261 262 296 308 381 396 420 458 532";
/// ISO 4217.
const CURRENCIES: &str = "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD \
    CAD CDF CHE CHF CHW CLF CLP CNH CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP \
    GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW \
    KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN \
    NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS \
    SRD SSP STD SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VES VED VND \
    VUV WST XAF XAG XAU XBA XBB XBC XBD XCD XDR XOF XPD XPF XPT XSU XTS XUA XXX YER ZAR ZMW ZWG";
/// EAS: schemes of electronic addresses.
const SCHEMES: &str = "0002 0007 0009 0037 0060 0088 0096 0097 0106 0130 0135 0142 0147 0151 0154 0158 0170 0177 0183 0184 0188 \
    0190 0191 0192 0193 0194 0195 0196 0198 0199 0200 0201 0202 0203 0204 0205 0208 0209 0210 0211 0212 0213 \
    0215 0216 0217 0218 0219 0220 0221 0225 0230 0235 0240 0244 9910 9913 9914 9915 9918 9919 9920 9922 9923 \
    9924 9925 9926 9927 9928 9929 9930 9931 9932 9933 9934 9935 9936 9937 9938 9939 9940 9941 9942 9943 9944 \
    9945 9946 9947 9948 9949 9950 9951 9952 9953 9957 9959 AN AQ AS AU EM";
/// UNTDID 4461: means of payment.
const PAYMENT_MEANS: &str = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 \
    39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 74 75 76 \
    77 78 91 92 93 94 95 96 97 98 ZZZ";
/// UNTDID 4451: what a note is about.
const SUBJECTS: &str = "AAA AAB AAC AAD AAE AAF AAG AAI AAJ AAK AAL AAM AAN AAO AAP AAQ AAR AAS AAT AAU AAV AAW AAX AAY AAZ ABA \
    ABB ABC ABD ABE ABF ABG ABH ABI ABJ ABK ABL ABM ABN ABO ABP ABQ ABR ABS ABT ABU ABV ABW ABX ABZ ACA ACB \
    ACC ACD ACE ACF ACG ACH ACI ACJ ACK ACL ACM ACN ACO ACP ACQ ACR ACS ACT ACU ACV ACW ACX ACY ACZ ADA ADB \
    ADC ADD ADE ADF ADG ADH ADI ADJ ADK ADL ADM ADN ADO ADP ADQ ADR ADS ADT ADU ADV ADW ADX ADY ADZ AEA AEB \
    AEC AED AEE AEF AEG AEH AEI AEJ AEK AEL AEM AEN AEO AEP AEQ AER AES AET AEU AEV AEW AEX AEY AEZ AFA AFB \
    AFC AFD AFE AFF AFG AFH AFI AFJ AFK AFL AFM AFN AFO AFP AFQ AFR AFS AFT AFU AFV AFW AFX AFY AFZ AGA AGB \
    AGC AGD AGE AGF AGG AGH AGI AGJ AGK AGL AGM AGN AGO AGP AGQ AGR AGS AGT AGU AGV AGW AGX AGY AGZ AHA AHB \
    AHC AHD AHE AHF AHG AHH AHI AHJ AHK AHL AHM AHN AHO AHP AHQ AHR AHS AHT AHU AHV AHW AHX AHY AHZ AIA AIB \
    AIC AID AIE AIF AIG AIH AII AIJ AIK AIL AIM AIN AIO AIP AIQ AIR AIS AIT AIU AIV AIW AIX AIY AIZ AJA AJB \
    ALC ALD ALE ALF ALG ALH ALI ALJ ALK ALL ALM ALN ALO ALP ALQ ARR ARS AUT AUU AUV AUW AUX AUY AUZ AVA AVB \
    AVC AVD AVE AVF BAG BAH BAI BAJ BAK BAL BAM BAN BAO BAP BAQ BAR BAS BLC BLD BLE BLF BLG BLH BLI BLJ BLK \
    BLL BLM BLN BLO BLP BLQ BLR BLS BLT BLU BLV BLW BLX BLY BLZ BMA BMB BMC BMD BME CCI CEX CHG CIP CLP CLR \
    COI CUR CUS DAR DCL DEL DIN DOC DUT EUR FBC GBL GEN GS7 HAN HAZ ICN IIN IMI IND INS INV IRP ITR ITS LAN \
    LIN LOI MCO MDH MKS ORI OSI PAC PAI PAY PKG PKT PMD PMT PRD PRF PRI PUR QIN QQD QUT RAH REG RET REV RQR \
    SAF SIC SIN SLR SPA SPG SPH SPP SPT SRN SSR SUR TCA TDT TRA TRR TXD WHI ZZZ";

/// VATEX: reasons not to tax.
const EXEMPTIONS: &str = "VATEX-EU-132 VATEX-EU-132-1A VATEX-EU-132-1B VATEX-EU-132-1C VATEX-EU-132-1D VATEX-EU-132-1E \
    VATEX-EU-132-1F VATEX-EU-132-1G VATEX-EU-132-1H VATEX-EU-132-1I VATEX-EU-132-1J VATEX-EU-132-1K \
    VATEX-EU-132-1L VATEX-EU-132-1M VATEX-EU-132-1N VATEX-EU-132-1O VATEX-EU-132-1P VATEX-EU-132-1Q \
    VATEX-EU-135-1 VATEX-EU-143 VATEX-EU-143-1A VATEX-EU-143-1B VATEX-EU-143-1C VATEX-EU-143-1D \
    VATEX-EU-143-1E VATEX-EU-143-1F VATEX-EU-143-1FA VATEX-EU-143-1G VATEX-EU-143-1H VATEX-EU-143-1I \
    VATEX-EU-143-1J VATEX-EU-143-1K VATEX-EU-143-1L VATEX-EU-144 VATEX-EU-146-1E VATEX-EU-148 \
    VATEX-EU-148-A VATEX-EU-148-B VATEX-EU-148-C VATEX-EU-148-D VATEX-EU-148-E VATEX-EU-148-F \
    VATEX-EU-148-G VATEX-EU-151 VATEX-EU-151-1A VATEX-EU-151-1AA VATEX-EU-151-1B VATEX-EU-151-1C \
    VATEX-EU-151-1D VATEX-EU-151-1E VATEX-EU-153 VATEX-EU-159 VATEX-EU-309 VATEX-EU-79-C VATEX-EU-AE \
    VATEX-EU-D VATEX-EU-F VATEX-EU-G VATEX-EU-I VATEX-EU-IC VATEX-EU-J VATEX-EU-O VATEX-FR-298SEXDECIESA \
    VATEX-FR-AE VATEX-FR-CGI261-1 VATEX-FR-CGI261-2 VATEX-FR-CGI261-3 VATEX-FR-CGI261-4 \
    VATEX-FR-CGI261-5 VATEX-FR-CGI261-7 VATEX-FR-CGI261-8 VATEX-FR-CGI261A VATEX-FR-CGI261B \
    VATEX-FR-CGI261C-1 VATEX-FR-CGI261C-2 VATEX-FR-CGI261C-3 VATEX-FR-CGI261D-1 VATEX-FR-CGI261D-1BIS \
    VATEX-FR-CGI261D-2 VATEX-FR-CGI261D-3 VATEX-FR-CGI261D-4 VATEX-FR-CGI261E-1 VATEX-FR-CGI261E-2 \
    VATEX-FR-CGI275 VATEX-FR-CGI277A VATEX-FR-CGI295 VATEX-FR-CNWVAT VATEX-FR-FRANCHISE";

/// Whether a code is in a list.
fn listed(list: &str, code: &str) -> bool {
    !code.is_empty() && list.split(' ').any(|known| known == code)
}

/// Whether it is a type of invoice or credit note (BT-3).
pub fn is_type(code: &str) -> bool {
    listed(INVOICES, code) || is_credit_note(code)
}

/// Whether it is a type of credit note (BT-3).
pub fn is_credit_note(code: &str) -> bool {
    listed(CREDIT_NOTES, code)
}

/// The currency (BT-5), if the list of the standard has it.
pub fn currency(code: &str) -> Option<&'static str> {
    CURRENCIES.split(' ').find(|known| *known == code)
}

/// Whether it is a scheme of electronic addresses (BT-34, BT-49).
pub fn is_scheme(code: &str) -> bool {
    listed(SCHEMES, code)
}

/// Whether it is a means of payment (BT-81).
pub fn is_payment_means(code: &str) -> bool {
    listed(PAYMENT_MEANS, code)
}

/// Whether it says what a note is about (BT-21).
pub fn is_subject(code: &str) -> bool {
    listed(SUBJECTS, code)
}

/// Whether it is a country (BT-40, BT-55, BT-80). Kosovo and Northern Ireland have codes of their own.
pub fn is_country(code: &str) -> bool {
    matches!(code, "1A" | "XI") || country::normalise(code) == Some(code)
}

/// The prefix of VAT identifiers (BT-31, BT-48) that a country has, which is its code but for Greece.
pub(crate) fn is_vat_prefix(prefix: &str) -> bool {
    prefix == "EL" || is_country(prefix)
}

/// BT-121 of a VAT category, where the list has one that says no more than the category does.
pub fn exemption(category: &str) -> Option<&'static str> {
    Some(match category {
        "AE" => "VATEX-EU-AE",
        "K" => "VATEX-EU-IC",
        "G" => "VATEX-EU-G",
        "O" => "VATEX-EU-O",
        _ => return None,
    })
}

/// A reason not to tax (BT-121), if the list of the standard has it.
pub(crate) fn vatex(code: &str) -> Option<&'static str> {
    EXEMPTIONS.split(' ').find(|known| *known == code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_found_as_it_is_written_and_no_part_of_it() {
        assert!(is_type("380") && is_type("381") && is_credit_note("381") && !is_credit_note("380"));
        assert_eq!(["EUR", "STN", "EU", ""].map(currency), [Some("EUR"), None, None, None]);
        assert!(is_scheme("0204") && is_scheme("EM") && !is_scheme("9999"));
        assert!(
            is_payment_means("58") && !is_payment_means("71") && is_subject("AAI") && !is_subject("AAI AAJ")
        );
        assert!(is_country("DE") && is_country("1A") && !is_country("EL") && !is_country("de"));
        assert!(is_vat_prefix("EL") && !is_vat_prefix("XX"));
        assert_eq!(vatex("VATEX-FR-FRANCHISE"), Some("VATEX-FR-FRANCHISE"));
        assert_eq!((vatex("VATEX-FR"), vatex("")), (None, None));
    }
}
