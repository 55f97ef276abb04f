//! What the tax agency's fields hold: lengths and characters.

pub use einvoice_gobl::email::is_email;
use einvoice_gobl::text::{composed, unprintable};

/// Characters of a name (`NombreRazon`).
pub const NAME_CHARS_MAX: usize = 120;
/// Characters of an invoice number (`NumSerieFactura`).
pub const NUMBER_CHARS_MAX: usize = 60;
/// Characters of an identity document (`IDOtro.ID`).
pub const IDENTITY_CHARS_MAX: usize = 20;
/// Characters of the description of the operation.
pub const DESCRIPTION_CHARS_MAX: usize = 500;

/// Why a text does not fit a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextProblem {
    /// Nothing but white space.
    Empty,
    /// More than the field holds.
    TooLong {
        /// How many characters there are.
        chars: usize,
    },
    /// A character the agency refuses.
    Character(char),
}

/// The first character that the agency refuses in numbers and identity documents, or that nobody sees.
fn forbidden(text: &str) -> Option<char> {
    text.chars().find(|c| matches!(c, '"' | '\'' | '<' | '>' | '=')).or_else(|| unprintable(text))
}

/// An invoice number: printable ASCII without `" ' < > =`, no space at either end.
pub fn number(text: &str) -> Result<(), TextProblem> {
    number_of(text, NUMBER_CHARS_MAX)
}

/// The same, for a system with another length.
pub fn number_of(text: &str, chars_max: usize) -> Result<(), TextProblem> {
    field(text, chars_max, |text| {
        text.chars().find(|c| !matches!(c, ' '..='~')).or_else(|| forbidden(text))
    })?;
    if text.starts_with(' ') || text.ends_with(' ') { Err(TextProblem::Character(' ')) } else { Ok(()) }
}

/// An identity document's number.
pub fn identity(text: &str) -> Result<(), TextProblem> {
    field(text.trim(), IDENTITY_CHARS_MAX, forbidden)
}

/// A person's or company's name.
pub fn name(text: &str) -> Result<(), TextProblem> {
    field(text, NAME_CHARS_MAX, |text| text.chars().find(|c| c.is_control()))
}

/// A text for people, which may be empty and may have several lines.
pub fn prose(text: &str, chars_max: usize) -> Result<(), TextProblem> {
    let is_refused = |c: &char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    match field(text, chars_max, |text| text.chars().find(is_refused)) {
        Err(TextProblem::Empty) => Ok(()),
        other => other,
    }
}

fn field(text: &str, chars_max: usize, refused: impl Fn(&str) -> Option<char>) -> Result<(), TextProblem> {
    let text_trimmed = text.trim();
    if text_trimmed.is_empty() {
        return Err(TextProblem::Empty);
    }
    if let Some(character) = refused(text) {
        return Err(TextProblem::Character(character));
    }
    let chars = composed(text_trimmed).chars().count();
    if chars > chars_max { Err(TextProblem::TooLong { chars }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_takes_printable_ascii_but_five_characters() {
        assert_eq!(number("F-2026/000001 A&B"), Ok(()));
        for bad in ['"', '\'', '<', '>', '=', 'ñ', '\n'] {
            assert_eq!(number(&format!("F{bad}1")), Err(TextProblem::Character(bad)));
        }
        assert_eq!(number("F1 "), Err(TextProblem::Character(' ')));
        assert_eq!(number(&"F".repeat(61)), Err(TextProblem::TooLong { chars: 61 }));
        assert_eq!(number("  "), Err(TextProblem::Empty));
    }

    #[test]
    fn lengths_count_characters_not_bytes() {
        assert_eq!(name(&"ñ".repeat(120)), Ok(()));
        assert_eq!(name(&"ñ".repeat(121)), Err(TextProblem::TooLong { chars: 121 }));
        assert_eq!(name(&"n\u{303}".repeat(120)), Ok(()), "in composed characters");
        assert_eq!(identity("123456789012345678901"), Err(TextProblem::TooLong { chars: 21 }));
    }

    #[test]
    fn an_identity_document_has_no_character_that_nobody_sees() {
        assert_eq!(identity(" AB-123 ñ n\u{303}\n"), Ok(()), "white space around it is not sent");
        for hidden in ['\u{200B}', '\u{FEFF}', '\u{202E}', '\u{A0}', '\t'] {
            assert_eq!(identity(&format!("AB{hidden}123")), Err(TextProblem::Character(hidden)));
        }
    }

    #[test]
    fn prose_may_be_empty_and_have_lines() {
        assert_eq!(prose("", 10), Ok(()));
        assert_eq!(prose("a\nb", 10), Ok(()));
        assert_eq!(prose("a\u{0}b", 10), Err(TextProblem::Character('\u{0}')));
    }
}
