//! Texts of any country.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick};
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory as _};

/// A text without white space around it, or nothing.
pub fn non_blank(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

/// The start of a text that may be anything, for a message.
pub fn excerpt(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(40).collect()
}

/// Eight, four, four, four and twelve hexadecimal digits.
pub fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// A text in composed characters (NFC), as the format keeps its codes and as records count characters.
pub fn composed(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.nfc().collect())
    }
}

/// The first character that nobody sees and that the format takes out of its codes: control and format characters (zero
/// width, direction, byte order mark), spaces but the usual one, what has no meaning in Unicode.
pub fn unprintable(text: &str) -> Option<char> {
    use GeneralCategoryGroup::{Letter, Mark, Number, Punctuation, Symbol};
    let is_printable = |c: char| {
        c == ' ' || matches!(c.general_category_group(), Letter | Mark | Number | Punctuation | Symbol)
    };
    text.chars().find(|c| !is_printable(*c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn letters_and_their_marks_become_one_character() {
        assert!(matches!(composed("Café 1"), Cow::Borrowed("Café 1")));
        assert_eq!(composed("Cafe\u{301} n\u{303}"), "Café ñ");
        assert_eq!(composed("\u{212B}\u{1E9B}\u{323}"), "Åẛ̣");
    }

    #[test]
    fn what_nobody_sees_is_found() {
        for c in [
            '\u{0}',
            '\n',
            '\u{85}',
            '\u{A0}',
            '\u{AD}',
            '\u{200B}',
            '\u{200D}',
            '\u{202E}',
            '\u{202F}',
            '\u{2028}',
            '\u{2060}',
            '\u{2066}',
            '\u{3000}',
            '\u{FEFF}',
            '\u{E000}',
            '\u{FFFF}',
            '\u{E0041}',
        ] {
            assert_eq!(unprintable(&format!("A {c}1")), Some(c), "{c:?}");
        }
        assert_eq!(unprintable("F-2026/1 ñ&Ω東e\u{301}€"), None);
    }

    proptest! {
        #[test]
        fn what_is_composed_stays_as_it_is(text in ".{0,20}") {
            let once = composed(&text).into_owned();
            prop_assert_eq!(composed(&once), once.as_str());
        }
    }
}
