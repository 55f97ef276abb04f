//! The Italian fiscal code (codice fiscale): sixteen characters of a natural person, eleven digits of anybody else.

use std::fmt;

use einvoice_eu::vat;

/// Why a text is no fiscal code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotAFiscalCode {
    /// Not one of the two forms.
    Malformed,
    /// The form is right, the check character is not.
    CheckCharacter,
}

impl fmt::Display for NotAFiscalCode {
    /// A clause that follows the code.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Malformed => "has not the form of a fiscal code",
            Self::CheckCharacter => "has a wrong check character",
        })
    }
}

impl std::error::Error for NotAFiscalCode {}

/// A fiscal code as people write it, normalised: upper case, without separators.
pub fn parse(text: &str) -> Result<String, NotAFiscalCode> {
    let upper: String = text.to_uppercase().chars().filter(char::is_ascii_alphanumeric).collect();
    let code = upper.strip_prefix("IT").filter(|rest| matches!(rest.len(), 11 | 16)).unwrap_or(&upper);
    let right = match code.len() {
        11 => return of_organisation(code),
        16 if is_personal(code) => check_letter(code) == code.chars().next_back(),
        _ => return Err(NotAFiscalCode::Malformed),
    };
    if right { Ok(code.to_owned()) } else { Err(NotAFiscalCode::CheckCharacter) }
}

fn of_organisation(code: &str) -> Result<String, NotAFiscalCode> {
    vat::parse("IT", code).map_err(|wrong| match wrong {
        vat::NotAVatNumber::CheckDigit => NotAFiscalCode::CheckCharacter,
        vat::NotAVatNumber::Empty | vat::NotAVatNumber::Malformed => NotAFiscalCode::Malformed,
    })
}

/// A digit, or the letter that stands for it where two people would have the same code.
fn digit(character: char) -> Option<u32> {
    const LETTERS: &str = "LMNPQRSTUV";
    character.to_digit(10).or_else(|| LETTERS.find(character).and_then(|at| u32::try_from(at).ok()))
}

fn is_personal(code: &str) -> bool {
    let mut characters = code.chars();
    let mut take = || characters.next().unwrap_or(' ');
    let surname = [take(), take(), take()];
    let given = [take(), take(), take()];
    let year = [take(), take()];
    let month = take();
    let day = [take(), take()];
    let (place, at) = (take(), [take(), take(), take()]);
    is_name(surname)
        && is_name(given)
        && is_birthday(year, month, day)
        && is_place(place, at)
        && take().is_ascii_uppercase()
}

fn is_name([a, b, c]: [char; 3]) -> bool {
    let vowel = |c: char| matches!(c, 'A' | 'E' | 'I' | 'O' | 'U');
    let letter = |c: char| c.is_ascii_uppercase();
    let consonant = |c: char| letter(c) && !vowel(c);
    (letter(a) && vowel(b) && (vowel(c) || c == 'X'))
        || (vowel(a) && b == 'X' && c == 'X')
        || (consonant(a) && consonant(b) && letter(c))
}

/// Forty is added to the day of women.
fn is_birthday([y1, y2]: [char; 2], month: char, [d1, d2]: [char; 2]) -> bool {
    let (Some(y1), Some(y2), Some(tens), Some(units)) = (digit(y1), digit(y2), digit(d1), digit(d2)) else {
        return false;
    };
    let days = match month {
        'A' | 'C' | 'E' | 'L' | 'M' | 'R' | 'T' => 31,
        'D' | 'H' | 'P' | 'S' => 30,
        'B' if (y1 * 10 + y2).is_multiple_of(4) => 29,
        'B' => 28,
        _ => return false,
    };
    let day = tens * 10 + units;
    (1..=days).contains(&day) || (41..=40 + days).contains(&day)
}

/// The municipality or the country of birth.
fn is_place(letter: char, [a, b, c]: [char; 3]) -> bool {
    let (Some(a), Some(b), Some(c)) = (digit(a), digit(b), digit(c)) else { return false };
    let number = a * 100 + b * 10 + c;
    (matches!(letter, 'A'..='M') && number > 0) || (letter == 'Z' && a > 0)
}

/// What the last character should be.
fn check_letter(code: &str) -> Option<char> {
    const ODD: [u32; 26] =
        [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];
    let value = |c: char| c.to_digit(10).or_else(|| u32::from(c).checked_sub(u32::from('A')));
    let sum = code.chars().take(15).enumerate().try_fold(0, |sum, (at, c)| {
        let value = value(c)?;
        let add = if at % 2 == 1 { value } else { *ODD.get(usize::try_from(value).ok()?)? };
        Some(sum + add)
    })?;
    char::from_u32(u32::from('A') + sum % 26)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn codes_of_persons_and_organisations_are_taken_as_people_write_them() {
        for (text, code) in [
            ("RSSGNN60R30H501U", "RSSGNN60R30H501U"),
            ("rss gnn 60r30 h501u", "RSSGNN60R30H501U"),
            ("RSSMRA85T10A562S", "RSSMRA85T10A562S"),
            ("IT12345678903", "12345678903"),
        ] {
            assert_eq!(parse(text).as_deref(), Ok(code), "{text}");
        }
    }

    #[test]
    fn a_wrong_check_character_is_told_from_a_wrong_form() {
        assert_eq!(parse("RSSGNN60R30H501V"), Err(NotAFiscalCode::CheckCharacter));
        assert_eq!(parse("12345678904"), Err(NotAFiscalCode::CheckCharacter));
        for text in
            ["", "RSSGNN60R30H501", "RSSGNN60B30H501U", "RSSGNN61B29H501U", "RSSGNN60R00H501U", "AA123456"]
        {
            assert_eq!(parse(text), Err(NotAFiscalCode::Malformed), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".{0,20}", code in "[A-Z]{6}[0-9L-V]{2}[A-T][0-9]{2}[A-Z][0-9]{3}[A-Z]") {
            let _ = (parse(&text), parse(&code));
        }
    }
}
