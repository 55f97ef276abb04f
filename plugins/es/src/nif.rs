//! Spanish tax identifiers (NIF): of citizens (DNI), of foreigners (NIE) and of organisations (CIF).

use std::fmt;

/// The check letters of natural persons, by the number modulo 23.
const PERSON_LETTERS: &[u8; 23] = b"TRWAGMYFPDXBNJZSQVHLCKE";
/// The check letters of organisations, by the check digit.
const ORGANISATION_LETTERS: &[u8; 10] = b"JABCDEFGHI";
/// Characters of a tax identifier.
const LENGTH: usize = 9;

/// Whose identifier it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// DNI: eight digits and a letter.
    Citizen,
    /// NIE: X, Y or Z, seven digits and a letter.
    Foreigner,
    /// CIF: a letter for the legal form, seven digits and a check character.
    Organisation,
    /// K, L or M: minors, residents abroad and foreigners without NIE.
    OtherPerson,
}

/// A Spanish tax identifier whose check character is right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nif {
    code: String,
    holder: Holder,
}

/// Why a text is no Spanish tax identifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotANif {
    /// Nothing is left after normalisation.
    Empty,
    /// No known form.
    Malformed,
    /// The form is right, the check character is not.
    CheckCharacter {
        /// What the last character should be.
        expected: char,
    },
}

impl fmt::Display for NotANif {
    /// A clause that follows the identifier: `… should end in P`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("is empty"),
            Self::Malformed => f.write_str("has not the form of a Spanish NIF, NIE or CIF"),
            Self::CheckCharacter { expected } => {
                write!(f, "has a wrong check character, it should end in {expected}")
            }
        }
    }
}

impl std::error::Error for NotANif {}

/// Upper case, without separators and without the country prefix; numbers padded to nine characters.
///
/// Says nothing about whether the result is an identifier; see [`Nif::parse`].
pub fn normalise(text: &str) -> String {
    let kept: String = text
        .chars()
        .flat_map(char::to_uppercase)
        .filter(|c| matches!(c, 'A'..='Z' | '0'..='9' | 'Ñ' | '&'))
        .collect();
    let code = kept.strip_prefix("ES").unwrap_or(&kept);
    if code.starts_with(|c: char| c.is_ascii_digit()) { format!("{code:0>LENGTH$}") } else { code.to_owned() }
}

impl Nif {
    /// Normalises and checks an identifier.
    pub fn parse(text: &str) -> Result<Self, NotANif> {
        let code = normalise(text);
        if code.is_empty() {
            return Err(NotANif::Empty);
        }
        let holder = match code.as_bytes() {
            [digits @ .., last] if digits.len() == LENGTH - 1 => check(digits, *last)?,
            _ => return Err(NotANif::Malformed),
        };
        Ok(Self { code, holder })
    }

    /// The normalised identifier.
    pub fn as_str(&self) -> &str {
        &self.code
    }

    /// Whose it is.
    pub fn holder(&self) -> Holder {
        self.holder
    }
}

fn check(body: &[u8], last: u8) -> Result<Holder, NotANif> {
    let [first, rest @ ..] = body else { return Err(NotANif::Malformed) };
    match first {
        b'0'..=b'9' => {
            let number = number(body).filter(|number| *number != 0).ok_or(NotANif::Malformed)?;
            person(number, last).map(|()| Holder::Citizen)
        }
        b'X'..=b'Z' => {
            let leading = u32::from(first - b'X');
            let number = number(rest).ok_or(NotANif::Malformed)?;
            person(leading * 10_000_000 + number, last).map(|()| Holder::Foreigner)
        }
        b'A'..=b'H' | b'J' | b'N' | b'P'..=b'S' | b'U'..=b'W' => {
            organisation(rest, last).map(|()| Holder::Organisation)
        }
        b'K'..=b'M' => organisation(rest, last).map(|()| Holder::OtherPerson),
        _ => Err(NotANif::Malformed),
    }
}

fn number(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0_u32, |number, digit| {
        digit.is_ascii_digit().then(|| number.saturating_mul(10).saturating_add(u32::from(digit - b'0')))
    })
}

fn person(number: u32, last: u8) -> Result<(), NotANif> {
    let letter = PERSON_LETTERS.get(usize::try_from(number % 23).unwrap_or_default()).copied();
    match letter {
        Some(expected) if expected == last => Ok(()),
        Some(expected) if last.is_ascii_uppercase() => {
            Err(NotANif::CheckCharacter { expected: char::from(expected) })
        }
        _ => Err(NotANif::Malformed),
    }
}

/// Control character of an organisation: a digit or the letter that stands for it, whatever the legal form.
fn organisation(digits: &[u8], last: u8) -> Result<(), NotANif> {
    let mut sum = 0_u32;
    for (position, byte) in digits.iter().enumerate() {
        if !byte.is_ascii_digit() {
            return Err(NotANif::Malformed);
        }
        let digit = u32::from(byte - b'0');
        sum += if position % 2 == 0 { digit * 2 / 10 + digit * 2 % 10 } else { digit };
    }
    let control = usize::try_from((10 - sum % 10) % 10).unwrap_or_default();
    let letter = ORGANISATION_LETTERS.get(control).copied().unwrap_or_default();
    let digit = b"0123456789".get(control).copied().unwrap_or_default();
    if last == letter || last == digit {
        Ok(())
    } else if last.is_ascii_digit() {
        Err(NotANif::CheckCharacter { expected: char::from(digit) })
    } else if last.is_ascii_uppercase() {
        Err(NotANif::CheckCharacter { expected: char::from(letter) })
    } else {
        Err(NotANif::Malformed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn real_identifiers_of_every_holder_are_accepted() {
        let holders = ["54387763P", "X1234567L", "B98602642", "B85905495", "K0867756I"]
            .map(|code| Nif::parse(code).map(|nif| nif.holder()));
        assert_eq!(
            holders,
            [
                Ok(Holder::Citizen),
                Ok(Holder::Foreigner),
                Ok(Holder::Organisation),
                Ok(Holder::Organisation),
                Ok(Holder::OtherPerson)
            ]
        );
    }

    #[test]
    fn a_wrong_check_character_says_the_right_one() {
        assert_eq!(Nif::parse("54387763A"), Err(NotANif::CheckCharacter { expected: 'P' }));
        assert_eq!(Nif::parse("B98602643"), Err(NotANif::CheckCharacter { expected: '2' }));
        assert_eq!(Nif::parse("X1234567A"), Err(NotANif::CheckCharacter { expected: 'L' }));
    }

    #[test]
    fn separators_prefix_and_missing_zeros_are_normalised() {
        assert_eq!(normalise("es-b 98.602.642"), "B98602642");
        assert_eq!(normalise("4265800j"), "04265800J");
        assert_eq!(
            Nif::parse("ES 54387763-p").map(|nif| nif.as_str().to_owned()),
            Ok("54387763P".to_owned())
        );
    }

    #[test]
    fn what_has_no_known_form_is_malformed() {
        for text in ["00000000T", "1234", "ABCDEFGHI", "5438776PP", "I12345678", "543877631", "Ñ1234567L"] {
            assert_eq!(Nif::parse(text), Err(NotANif::Malformed), "{text}");
        }
        assert_eq!(Nif::parse(" - "), Err(NotANif::Empty));
    }

    proptest! {
        #[test]
        fn every_number_has_exactly_one_letter(number in 1_u32..100_000_000) {
            let accepted = ('A'..='Z').filter(|letter| Nif::parse(&format!("{number:08}{letter}")).is_ok()).count();
            prop_assert_eq!(accepted, 1);
        }

        #[test]
        fn no_text_panics(text: String) {
            let _ = Nif::parse(&text).map(|nif| nif.as_str().len());
        }
    }
}
