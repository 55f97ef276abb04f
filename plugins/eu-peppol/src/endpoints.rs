//! Electronic addresses (BT-34, BT-49): a scheme of the list EAS and a number in it.

use einvoice_en16931::codes;
use einvoice_eu::vat::tax_country;

use crate::schemes;

/// Characters of a code in the format.
const CODE_CHARS_MAX: usize = 64;
/// The schemes of the standard's list that OpenPEPPOL does not take (PEPPOL-EN16931-CL008).
const NOT_IN_PEPPOL: &str = "0037 0147 0154 0158 0170 0177 0193 0194 0202 0203 0205 0212 0213 0215 0217 0219 0220 \
    AN AQ AS AU EM";
/// Countries whose VAT numbers are a scheme of their own, written with the country.
const VAT_SCHEMES: &[(&str, &str)] = &[
    ("AD", "9922"),
    ("AL", "9923"),
    ("AT", "9914"),
    ("BA", "9924"),
    ("BG", "9926"),
    ("CH", "9927"),
    ("CY", "9928"),
    ("CZ", "9929"),
    ("DE", "9930"),
    ("EE", "9931"),
    ("ES", "9920"),
    ("FR", "9957"),
    ("GB", "9932"),
    ("HR", "9934"),
    ("HU", "9910"),
    ("IE", "9935"),
    ("IT", "0211"),
    ("LI", "9936"),
    ("LT", "9937"),
    ("LU", "9938"),
    ("LV", "9939"),
    ("MC", "9940"),
    ("ME", "9941"),
    ("MK", "9942"),
    ("MT", "9943"),
    ("NL", "9944"),
    ("PL", "9945"),
    ("PT", "9946"),
    ("RO", "9947"),
    ("RS", "9948"),
    ("SI", "9949"),
    ("SK", "9950"),
    ("SM", "9951"),
    ("TR", "9952"),
    ("VA", "9953"),
];

/// A number in a scheme.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemeNumber {
    /// Four digits.
    pub scheme: String,
    /// The number, without white space around it.
    pub code: String,
}

impl SchemeNumber {
    /// A number in a scheme.
    pub fn new(scheme: &str, code: impl Into<String>) -> Self {
        Self { scheme: scheme.to_owned(), code: code.into() }
    }

    /// Reads `0088:5790000435968`. None when it is not written so; whether there is such a scheme is another question.
    pub fn read(text: &str) -> Option<Self> {
        let (scheme, code) = text.split_once(':')?;
        let (scheme, code) = (scheme.trim(), code.trim());
        let fits = (1..=CODE_CHARS_MAX).contains(&code.chars().count()) && !code.contains(char::is_control);
        (schemes::digits_of(scheme, 4) && fits).then(|| Self::new(scheme, code))
    }
}

/// Whether OpenPEPPOL, and the standard, take a scheme of electronic addresses.
pub fn is_scheme(code: &str) -> bool {
    codes::is_scheme(code) && !NOT_IN_PEPPOL.split(' ').any(|other| other == code)
}

/// The electronic address that follows from the VAT number of a country (ISO code), as participants of that country are
/// registered; none where the list has no scheme for it.
///
/// Belgium, Denmark, Finland, Norway and Sweden register the number that the VAT number is made of; Finland has no scheme
/// for VAT numbers that OpenPEPPOL takes. Greece writes its number without the country (GR-R-009).
pub fn of_vat_number(country: &str, code: &str) -> Option<SchemeNumber> {
    let number = match country {
        "AU" => SchemeNumber::new("0151", code),
        "BE" => SchemeNumber::new("0208", format!("{code:0>10}")),
        "DK" => SchemeNumber::new("0184", code),
        "FI" if schemes::digits_of(code, 8) => SchemeNumber::new("0216", format!("0037{code}")),
        "GR" => SchemeNumber::new("9933", code),
        "NO" => SchemeNumber::new("0192", code),
        "SE" => SchemeNumber::new("0007", code.get(..10)?),
        _ => {
            let (_, scheme) = VAT_SCHEMES.iter().find(|(known, _)| *known == country)?;
            SchemeNumber::new(scheme, format!("{}{code}", tax_country(country)))
        }
    };
    schemes::is_sound(&number.scheme, &number.code).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vat_number_is_an_address_where_the_list_has_a_scheme() {
        for (country, code, address) in [
            ("AT", "U10223006", "9914:ATU10223006"),
            ("AU", "51824753556", "0151:51824753556"),
            ("BE", "403019261", "0208:0403019261"),
            ("CH", "E100155212", "9927:CHE100155212"),
            ("DE", "111111125", "9930:DE111111125"),
            ("DK", "88146328", "0184:88146328"),
            ("FI", "01120389", "0216:003701120389"),
            ("GR", "094259216", "9933:094259216"),
            ("IT", "12345678903", "0211:IT12345678903"),
            ("NL", "004495445B01", "9944:NL004495445B01"),
            ("NO", "923609016", "0192:923609016"),
            ("SE", "556703748501", "0007:5567037485"),
        ] {
            assert_eq!(of_vat_number(country, code), SchemeNumber::read(address), "{country}");
        }
        for (country, code) in [("IS", "99999"), ("US", "123456789"), ("AU", "51824753557"), ("SE", "5567")] {
            assert_eq!(of_vat_number(country, code), None, "{country}");
        }
    }

    #[test]
    fn an_address_is_a_scheme_and_a_number() {
        assert_eq!(SchemeNumber::read(" 0088: 7300010000001 "), SchemeNumber::read("0088:7300010000001"));
        for wrong in ["", "0088", "0088:", "88:1", "GLN:1", "0088:a\nb", "a@b.eu"] {
            assert_eq!(SchemeNumber::read(wrong), None, "{wrong}");
        }
        assert!(is_scheme("0208") && is_scheme("9930"));
        assert!(!is_scheme("EM") && !is_scheme("0037") && !is_scheme("9999"));
        assert!(VAT_SCHEMES.iter().all(|(_, scheme)| is_scheme(scheme)));
    }
}
