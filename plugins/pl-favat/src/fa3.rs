//! What the logical structure FA(3) 1-0E takes: the simple types of its schema that our documents use, and its limits.
//!
//! The check refuses by them before a document has a number, the stand-in for KSeF when the file is sent.

use einvoice_gobl::date::Date;
use einvoice_plugin::Amount;

use crate::ksef_number;

/// The target namespace.
pub const NAMESPACE: &str = "http://crd.gov.pl/wzor/2025/06/25/13775/";
/// Bytes of a file without attachments ("Weryfikacja faktury", size of the file).
pub const FILE_BYTES_MAX: usize = 1_000_000;
/// Rows (`FaWiersz`).
pub const LINES_MAX: usize = 10_000;
/// Texts at the end of an invoice (`Informacje`).
pub const PROSE_MAX: usize = 3;
/// Digits before the point of a quantity.
const QUANTITY_WHOLE_DIGITS_MAX: usize = 16;
/// Decimals of a quantity.
pub const QUANTITY_DECIMALS_MAX: u8 = 6;
/// Digits before the point of a price.
const PRICE_WHOLE_DIGITS_MAX: usize = 14;
/// Decimals of a price.
pub const PRICE_DECIMALS_MAX: u8 = 8;

/// A simple type of the schema.
#[derive(Debug, Clone, Copy)]
pub struct SimpleType {
    /// Whether a text is of the type.
    pub allows: fn(&str) -> bool,
    /// What the type is, in a sentence: `… must be a day from 2006-01-01 to 2050-01-01`.
    pub demand: &'static str,
}

/// `TZnakowy`.
pub const TEXT: SimpleType =
    SimpleType { allows: |text| has_chars(text, 256), demand: "have 1 to 256 characters" };
/// `TZnakowy512`.
pub const LONG_TEXT: SimpleType =
    SimpleType { allows: |text| has_chars(text, 512), demand: "have 1 to 512 characters" };
/// `TTekstowy`.
pub const PROSE: SimpleType =
    SimpleType { allows: |text| has_chars(text, 3500), demand: "have 1 to 3500 characters" };
/// `TNrIdentyfikacjiPodatkowej`.
pub const IDENTIFIER: SimpleType =
    SimpleType { allows: |text| has_chars(text, 50), demand: "have 1 to 50 characters" };
/// `TAdresEmail`.
pub const EMAIL: SimpleType =
    SimpleType { allows: is_email, demand: "be an electronic mail address of 255 characters at most" };
/// `TNrNIP`, with the check digit, which KSeF verifies in production.
pub const NIP: SimpleType =
    SimpleType { allows: is_nip, demand: "be a NIP: ten digits with the right check digit" };
/// `TNIPIdWew`.
pub const INTERNAL_ID: SimpleType =
    SimpleType { allows: is_internal_id, demand: "be a NIP, a hyphen and five digits" };
/// `TKodyKrajowUE`.
pub const EU_COUNTRY: SimpleType =
    SimpleType { allows: |code| EU_COUNTRIES.contains(&code), demand: "be the prefix of a member state" };
/// `TNrVatUE`.
pub const EU_VAT_NUMBER: SimpleType = SimpleType {
    allows: |text| {
        (1..=12).contains(&text.len())
            && text.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase() || matches!(b, b'+' | b'*'))
    },
    demand: "have 1 to 12 capital letters and digits",
};
/// `TKodKraju`.
pub const COUNTRY: SimpleType =
    SimpleType { allows: is_country, demand: "be the two-letter code of a country" };
/// `TKodWaluty`.
pub const CURRENCY: SimpleType =
    SimpleType { allows: is_currency, demand: "be the three-letter code of a currency" };
/// `TNaturalny` of a row.
pub const ROW: SimpleType =
    SimpleType { allows: |text| text.parse().is_ok_and(|row: u32| row > 0), demand: "be a number from 1 on" };
/// `TDataT`.
pub const DAY: SimpleType =
    SimpleType { allows: |day| is_day(day, DAY_MIN), demand: "be a day from 2006-01-01 to 2050-01-01" };
/// `TData`.
pub const PAYMENT_DAY: SimpleType = SimpleType {
    allows: |day| is_day(day, PAYMENT_DAY_MIN),
    demand: "be a day from 2016-07-01 to 2050-01-01",
};
/// `TDataCzas` of the header.
pub const INSTANT: SimpleType =
    SimpleType { allows: is_instant, demand: "be an instant from September 2025 on" };
/// `TKwotowy`.
pub const AMOUNT: SimpleType = SimpleType {
    allows: |text| is_decimal(text, 16, 2),
    demand: "be an amount of 16 digits and 2 decimals at most",
};
/// `TKwotowy2`.
pub const PRICE: SimpleType = SimpleType {
    allows: |text| is_decimal(text, PRICE_WHOLE_DIGITS_MAX, PRICE_DECIMALS_MAX),
    demand: "be a price of 14 digits and 8 decimals at most",
};
/// `TIlosci`.
pub const QUANTITY: SimpleType = SimpleType {
    allows: |text| is_decimal(text, QUANTITY_WHOLE_DIGITS_MAX, QUANTITY_DECIMALS_MAX),
    demand: "be a number of 16 digits and 6 decimals at most",
};
/// `TProcentowy`.
pub const PERCENT: SimpleType =
    SimpleType { allows: |text| is_decimal(text, 3, 6), demand: "be a percentage from 0 to 100" };
/// `TStawkaPodatku`.
pub const RATE: SimpleType = SimpleType {
    allows: |code| RATES.contains(&code),
    demand: "be a rate of KSeF: 23, 8, 5, 0 KR, zw and others",
};
/// `TRodzajFaktury`.
pub const INVOICE_TYPE: SimpleType = SimpleType {
    allows: |code| ["VAT", "KOR", "ZAL", "ROZ", "UPR", "KOR_ZAL", "KOR_ROZ"].contains(&code),
    demand: "be VAT, KOR, ZAL, ROZ, UPR, KOR_ZAL or KOR_ROZ",
};
/// `TTypKorekty`.
pub const EFFECT: SimpleType =
    SimpleType { allows: |code| ["1", "2", "3"].contains(&code), demand: "be 1, 2 or 3" };
/// `TWybor1_2`, `JST`, `GV`.
pub const YES_OR_NO: SimpleType =
    SimpleType { allows: |code| ["1", "2"].contains(&code), demand: "be 1 (yes) or 2 (no)" };
/// `TRolaPodmiotu3`.
pub const ROLE: SimpleType = SimpleType {
    allows: |code| code.parse().is_ok_and(|role: u8| (1..=11).contains(&role)),
    demand: "be a role from 1 to 11",
};
/// `TFormaPlatnosci`.
pub const PAYMENT_MEANS: SimpleType = SimpleType {
    allows: |code| ["1", "2", "3", "4", "5", "6", "7"].contains(&code),
    demand: "be a means of payment from 1 to 7",
};
/// `TNrRB`.
pub const ACCOUNT: SimpleType = SimpleType {
    allows: |text| (10..=34).contains(&text.chars().count()),
    demand: "be an account of 10 to 34 characters",
};
/// `SWIFT_Type`.
pub const BIC: SimpleType =
    SimpleType { allows: is_bic, demand: "be a BIC: six letters, then two or five letters and digits" };
/// `TNumerKSeF`, with its check digits.
pub const KSEF_NUMBER: SimpleType =
    SimpleType { allows: ksef_number::is_ksef_number, demand: "be KSeF's number of the invoice" };

const DAY_MIN: Date = Date::new(2006, 1, 1);
const PAYMENT_DAY_MIN: Date = Date::new(2016, 7, 1);
const DAY_MAX: Date = Date::new(2050, 1, 1);
const INSTANT_DAY_MIN: Date = Date::new(2025, 9, 1);

/// `TKodyKrajowUE`; Northern Ireland is one of them.
const EU_COUNTRIES: [&str; 28] = [
    "AT", "BE", "BG", "CY", "CZ", "DK", "EE", "FI", "FR", "DE", "EL", "HR", "HU", "IE", "IT", "LV", "LT",
    "LU", "MT", "NL", "PL", "PT", "RO", "SK", "SI", "ES", "SE", "XI",
];

/// `TStawkaPodatku`.
const RATES: [&str; 14] =
    ["23", "22", "8", "7", "5", "4", "3", "0 KR", "0 WDT", "0 EX", "zw", "oo", "np I", "np II"];

/// `TKodWaluty`, one code after the other.
const CURRENCIES: &str = "\
AEDAFNALLAMDANGAOAARSAUDAWGAZNBAMBBDBDTBGNBHDBIFBMDBNDBOBBOVBRLBSDBTNBWPBYNBZDCADCDFCHECHFCHWCLFCLPCNYCOPCOUCRCCUC\
CUPCVECZKDJFDKKDOPDZDEGPERNETBEURFJDFKPGBPGELGGPGHSGIPGMDGNFGTQGYDHKDHNLHRKHTGHUFIDRILSIMPINRIQDIRRISKJEPJMDJODJPY\
KESKGSKHRKMFKPWKRWKWDKYDKZTLAKLBPLKRLRDLSLLYDMADMDLMGAMKDMMKMNTMOPMRUMURMVRMWKMXNMXVMYRMZNNADNGNNIONOKNPRNZDOMRPAB\
PENPGKPHPPKRPLNPYGQARRONRSDRUBRWFSARSBDSCRSDGSEKSGDSHPSLLSOSSRDSSPSTNSVCSYPSZLTHBTJSTMTTNDTOPTRYTTDTWDTZSUAHUGXUSD\
USNUYIUYUUYWUZSVESVNDVUVWSTXAFXAGXAUXBAXBBXBCXBDXCDXCGXDRXOFXPDXPFXPTXSUXUAXXXYERZARZMWZWL";

/// Countries that the schema has besides those of ISO 3166-1: Northern Ireland and Kosovo, former and special territories.
const OTHER_COUNTRIES: [&str; 5] = ["XI", "XK", "XC", "XL", "AN"];

/// The text of `xsd:token`: white space at the ends removed, and inside made one space.
pub fn token(text: &str) -> String {
    let words = text.split([' ', '\t', '\n', '\r']).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// A character that KSeF refuses a file for: XML 1.0 has none such, or discourages it.
pub fn refused_character(text: &str) -> Option<char> {
    text.chars().find(|character| match *character {
        '\t' | '\n' | '\r' => false,
        '\u{0}'..='\u{1F}' | '\u{7F}'..='\u{84}' | '\u{86}'..='\u{9F}' | '\u{FDD0}'..='\u{FDEF}' => true,
        // The last two of every plane.
        other => u32::from(other) & 0xFFFE == 0xFFFE,
    })
}

/// The two lines of an address: street, then what stands in an address below it. None when nothing is left.
pub fn address_lines(
    street: Option<&str>,
    postcode: Option<&str>,
    locality: Option<&str>,
    region: Option<&str>,
) -> Option<(String, Option<String>)> {
    let part = |text: Option<&str>| text.map(token).filter(|text| !text.is_empty());
    let place: Vec<String> = [part(postcode), part(locality)].into_iter().flatten().collect();
    let place = [Some(place.join(" ")).filter(|place| !place.is_empty()), part(region)];
    let below =
        Some(place.into_iter().flatten().collect::<Vec<_>>().join(", ")).filter(|line| !line.is_empty());
    match (part(street), below) {
        (Some(street), below) => Some((street, below)),
        (None, Some(below)) => Some((below, None)),
        (None, None) => None,
    }
}

/// Why a document corrects others: each reason once. None when there is none.
pub fn reason<'a>(reasons: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut different = Vec::new();
    for reason in reasons.map(token).filter(|reason| !reason.is_empty()) {
        if !different.contains(&reason) {
            different.push(reason);
        }
    }
    (!different.is_empty()).then(|| different.join("; "))
}

/// A BIC as the schema wants it, in capital letters.
pub fn bic(text: &str) -> String {
    token(text).to_ascii_uppercase()
}

/// Whether the number of a company in another member state goes out as such.
pub fn is_eu_vat_number(country: &str, code: &str) -> bool {
    (EU_COUNTRY.allows)(country) && (EU_VAT_NUMBER.allows)(code)
}

/// Whether a quantity fits its type.
pub fn is_quantity(amount: Amount) -> bool {
    (QUANTITY.allows)(&amount.canonical(0).to_string())
}

/// Whether a price fits its type.
pub fn is_price(amount: Amount) -> bool {
    (PRICE.allows)(&amount.canonical(0).to_string())
}

/// Whether an amount of money fits its type, however it is rounded.
pub fn is_amount(amount: Amount) -> bool {
    let magnitude = Amount::new(amount.units.saturating_abs(), amount.scale);
    magnitude.cmp_value(Amount::new(9_999_999_999_999_999, 0)).is_lt()
}

fn has_chars(text: &str, max: usize) -> bool {
    (1..=max).contains(&text.chars().count())
}

fn is_email(text: &str) -> bool {
    let around = text.char_indices().filter(|(_, c)| *c == '@').any(|(at, _)| at > 0 && at + 1 < text.len());
    around && has_chars(text, 255)
}

/// The form as the schema has it (the second or the third digit is none of nought), and the check digit.
pub(crate) fn is_nip(text: &str) -> bool {
    const WEIGHTS: [u32; 9] = [6, 5, 7, 2, 3, 4, 5, 6, 7];
    let digits: Vec<u32> = text.chars().map_while(|c| c.to_digit(10)).collect();
    let [first, second, third, .., check] = digits.as_slice() else { return false };
    let sum: u32 = digits.iter().zip(WEIGHTS).map(|(digit, weight)| digit * weight).sum();
    text.len() == 10 && digits.len() == 10 && *first != 0 && (*second, *third) != (0, 0) && sum % 11 == *check
}

fn is_internal_id(text: &str) -> bool {
    let is_unit = |unit: &str| unit.len() == 5 && unit.bytes().all(|b| b.is_ascii_digit());
    text.split_once('-').is_some_and(|(nip, unit)| is_nip(nip) && is_unit(unit))
}

fn is_country(code: &str) -> bool {
    OTHER_COUNTRIES.contains(&code) || einvoice_gobl::country::normalise(code) == Some(code)
}

fn is_currency(code: &str) -> bool {
    code.len() == 3 && (0..CURRENCIES.len()).step_by(3).any(|at| CURRENCIES.get(at..at + 3) == Some(code))
}

fn is_day(text: &str, min: Date) -> bool {
    text.parse().is_ok_and(|day: Date| (min..=DAY_MAX).contains(&day))
}

/// RFC 3339 as the clock of the crate gobl prints it, which `xsd:dateTime` takes.
fn is_instant(text: &str) -> bool {
    einvoice_gobl::clock::today(text).is_some_and(|day| (INSTANT_DAY_MIN..=DAY_MAX).contains(&day))
}

fn is_bic(text: &str) -> bool {
    matches!(text.len(), 8 | 11)
        && text.bytes().enumerate().all(|(at, b)| b.is_ascii_uppercase() || (at >= 6 && b.is_ascii_digit()))
}

/// `-?([1-9]\d*|0)(\.\d+)?` with so many digits at most.
fn is_decimal(text: &str, whole_digits_max: usize, decimals_max: u8) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (whole, decimals) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    digits(whole)
        && digits(decimals)
        && whole.len() <= whole_digits_max
        && (whole == "0" || !whole.starts_with('0'))
        && decimals.len() <= usize::from(decimals_max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(of: SimpleType, texts: &[&str]) -> Vec<bool> {
        texts.iter().map(|text| (of.allows)(text)).collect()
    }

    #[test]
    fn the_simple_types_are_those_of_the_schema() {
        let long = "x".repeat(257);
        assert_eq!(allowed(TEXT, &["x", "", &long]), [true, false, false]);
        assert_eq!(allowed(LONG_TEXT, &[&long, &long.repeat(2)]), [true, false]);
        assert_eq!(
            allowed(NIP, &["9876543210", "9876543211", "1002223334", "987654321"]),
            [true, false, false, false]
        );
        assert_eq!(
            allowed(INTERNAL_ID, &["9876543210-12345", "9876543210-1", "9876543210"]),
            [true, false, false]
        );
        assert_eq!(
            allowed(EU_VAT_NUMBER, &["094259216", "", "1234567890123", "é"]),
            [true, false, false, false]
        );
        assert_eq!(allowed(COUNTRY, &["GB", "XI", "EL", "gb"]), [true, true, false, false]);
        assert_eq!(
            allowed(DAY, &["2006-01-01", "2005-12-31", "2050-01-01", "2050-01-02"]),
            [true, false, true, false]
        );
        assert_eq!(allowed(PAYMENT_DAY, &["2016-07-01", "2016-06-30"]), [true, false]);
        assert_eq!(
            allowed(AMOUNT, &["-0.50", "0", "01.00", "1.005", "1e3"]),
            [true, true, false, false, false]
        );
        assert_eq!(allowed(QUANTITY, &["0.000001", "0.0000001"]), [true, false]);
        assert_eq!(allowed(PRICE, &["0.00000001", "123456789012345"]), [true, false]);
        assert_eq!(
            allowed(BIC, &["WBKPPLPP", "WBKPPLPPXXX", "wbkpplpp", "WBKPPLP"]),
            [true, true, false, false]
        );
        assert_eq!(allowed(EMAIL, &["a@b", "@b", "a@", "ab"]), [true, false, false, false]);
        assert_eq!(
            allowed(INSTANT, &["2026-11-20T09:30:00+01:00", "2025-08-31T10:00:00Z", ""]),
            [true, false, false]
        );
        assert_eq!(
            allowed(CURRENCY, &["PLN", "XXX", "ABC", "pln", "LNE", ""]),
            [true, true, false, false, false, false]
        );
        assert_eq!(CURRENCIES.len(), 3 * 182);
        assert_eq!(allowed(ROW, &["1", "0"]), [true, false]);
        assert_eq!(allowed(ROLE, &["1", "11", "0", "12"]), [true, true, false, false]);
    }

    #[test]
    fn characters_that_ksef_refuses_are_found() {
        for refused in
            ['\u{0}', '\u{7f}', '\u{84}', '\u{86}', '\u{fdd0}', '\u{fffe}', '\u{1ffff}', '\u{10fffe}']
        {
            assert_eq!(refused_character(&format!("Ż{refused}")), Some(refused));
        }
        assert_eq!(refused_character("Zażółć\u{85}\u{a0}\tgęślą\r\njaźń €😀"), None);
    }

    #[test]
    fn white_space_is_what_a_token_has() {
        assert_eq!(token(" ul.\tGłówna \n 1 "), "ul. Główna 1");
        let lines = |street, region| address_lines(street, Some("00-001"), Some("Warszawa"), region);
        assert_eq!(
            lines(Some("ul. Główna 1"), None),
            Some(("ul. Główna 1".into(), Some("00-001 Warszawa".into())))
        );
        assert_eq!(lines(None, Some("Mazowsze")), Some(("00-001 Warszawa, Mazowsze".into(), None)));
        assert_eq!(address_lines(Some(" "), None, None, None), None);
    }
}
