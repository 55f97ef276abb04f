//! French numbers: SIREN (a company), SIRET (one of its establishments), the VAT number made of the SIREN.

use einvoice_eu::vat::{self, NotAVatNumber};

/// ISO 6523: SIREN.
pub const SCHEME_SIREN: &str = "0002";
/// ISO 6523: SIRET.
pub const SCHEME_SIRET: &str = "0009";
/// La Poste, whose establishments have check digits of their own.
const LA_POSTE: &str = "356000000";
const SIREN_DIGITS: usize = 9;
const SIRET_DIGITS: usize = 14;

/// A French company, by its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompanyNumber {
    /// Two digits of check and the SIREN, without the country.
    pub vat: String,
    /// The establishment, if it is one.
    pub siret: Option<String>,
}

impl CompanyNumber {
    /// Nine digits.
    pub fn siren(&self) -> &str {
        self.vat.get(2..).unwrap_or_default()
    }
}

/// Reads a VAT number, a SIREN or a SIRET as people write it.
pub fn company_number(text: &str) -> Result<CompanyNumber, NotAVatNumber> {
    let upper: String = text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_uppercase();
    let digits = upper.strip_prefix("FR").unwrap_or(&upper);
    let siret = (digits.len() == SIRET_DIGITS && is_digits(digits)).then(|| digits.to_owned());
    let whole = siret.as_deref().is_none_or(is_siret);
    let named = digits.len() != SIREN_DIGITS || !is_digits(digits) || is_siren(digits);
    if !(whole && named) {
        return Err(NotAVatNumber::CheckDigit);
    }
    let number = CompanyNumber { vat: vat::parse("FR", text)?, siret };
    if is_siren(number.siren()) { Ok(number) } else { Err(NotAVatNumber::CheckDigit) }
}

/// Nine digits with the right check digit.
pub fn is_siren(text: &str) -> bool {
    text.len() == SIREN_DIGITS && is_digits(text) && luhn(text)
}

/// Fourteen digits with the right check digit, that of the SIREN too.
pub fn is_siret(text: &str) -> bool {
    let Some(siren) = text.get(..SIREN_DIGITS).filter(|siren| is_siren(siren)) else { return false };
    let digits = || text.chars().filter_map(|c| c.to_digit(10));
    let of_la_poste = siren == LA_POSTE && digits().sum::<u32>().is_multiple_of(5);
    text.len() == SIRET_DIGITS && is_digits(text) && (luhn(text) || of_la_poste)
}

/// Whether there are digits only.
pub fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// Every second digit from the right counts twice; the sum is a multiple of ten.
fn luhn(digits: &str) -> bool {
    let values = digits.chars().rev().filter_map(|c| c.to_digit(10)).enumerate();
    let sum: u32 = values
        .map(|(at, digit)| match (at % 2, digit * 2) {
            (0, _) => digit,
            (_, double) => double / 10 + double % 10,
        })
        .sum();
    sum.is_multiple_of(10)
}

/// Whether a number of a document is one (BR-FR-01, BR-FR-02): at most 35 letters, digits and `+ - _ /`.
pub fn is_document_number(text: &str) -> bool {
    let known = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'_' | b'/');
    (1..=NUMBER_CHARS_MAX).contains(&text.len()) && text.bytes().all(known)
}

/// Characters of a document's number.
pub const NUMBER_CHARS_MAX: usize = 35;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_company_is_known_by_vat_number_siren_or_siret() {
        for text in ["FR44 732 829 320", "44732829320", "732 829 320", "FR732829320"] {
            let number = company_number(text).unwrap();
            assert_eq!(
                (number.vat.as_str(), number.siren(), &number.siret),
                ("44732829320", "732829320", &None)
            );
        }
        let number = company_number("732 829 320 00074").unwrap();
        assert_eq!((number.siren(), number.siret.as_deref()), ("732829320", Some("73282932000074")));
        for text in ["732829321", "73282932000075", "45732829320"] {
            assert_eq!(company_number(text), Err(NotAVatNumber::CheckDigit), "{text}");
        }
        // The key is right, the SIREN is not.
        assert_eq!(company_number("47732829321"), Err(NotAVatNumber::CheckDigit));
        for text in ["", "FR", "7328"] {
            assert!(company_number(text).is_err(), "{text}");
        }
    }

    #[test]
    fn establishments_of_la_poste_have_check_digits_of_their_own() {
        assert!(is_siren(LA_POSTE) && is_siret("35600000000048") && is_siret("35600000049837"));
        assert!(!is_siret("35600000049838") && !is_siret("73282932049837") && !is_siret(""));
    }

    #[test]
    fn a_document_number_has_few_characters() {
        for right in ["F-2026-000101", "A/1", "a+b_c", &"9".repeat(35)] {
            assert!(is_document_number(right), "{right}");
        }
        for wrong in ["", "F 1", "F.1", "é", &"9".repeat(36)] {
            assert!(!is_document_number(wrong), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".{0,20}", digits in "[0-9éA-Z ]{0,16}") {
            let _ = (company_number(&text), company_number(&digits), is_siret(&text), is_siret(&digits));
        }
    }
}
