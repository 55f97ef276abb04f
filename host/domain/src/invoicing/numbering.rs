//! Invoice numbers: one gapless series per workspace, document kind and year.

mod conflict;

use super::{DocumentKind, InvoiceNumber};
use crate::ids::WorkspaceId;
use std::fmt;
use std::str::FromStr;

/// Longest number the strictest known authority takes (VERI*FACTU: `NumSerieFactura`, 60 characters).
pub(super) const NUMBER_CHARS_MAX: usize = 60;

/// How many digits of a year are shown.
const YEAR_DIGITS: usize = 4;

/// The series a number is drawn from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SeriesKey {
    /// Each supplier counts for itself.
    pub workspace: WorkspaceId,
    /// Invoices and credit notes count apart.
    pub kind: DocumentKind,
    /// The year of the issue date.
    pub year: i16,
}

/// How numbers of a series look: text with `{year}` and `{number}` or `{number:06}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberPattern(Vec<Piece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Year,
    Number { width: usize },
}

/// A text is no number pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{pattern}' is no number pattern: {why}; an example is F-{{year}}-{{number:06}}")]
pub struct NotAPattern {
    pattern: String,
    why: &'static str,
}

impl NumberPattern {
    /// The number of the `position`-th document of `year`.
    pub fn format(&self, year: i16, position: i64) -> InvoiceNumber {
        let text = self.0.iter().map(|piece| match piece {
            Piece::Text(literal) => literal.clone(),
            Piece::Year => format!("{year:04}"),
            Piece::Number { width } => format!("{position:0width$}"),
        });
        InvoiceNumber(text.collect())
    }

    /// The position of a number of `year`; none of what is no number of this pattern.
    pub fn position(&self, year: i16, number: &str) -> Option<i64> {
        let at = self.0.iter().position(|piece| matches!(piece, Piece::Number { .. }))?;
        let (before, after) = self.0.split_at_checked(at)?;
        let text = |pieces: &[Piece]| Self(pieces.to_vec()).format(year, 0).0;
        let digits = number.strip_prefix(&text(before))?.strip_suffix(&text(after.get(1..)?))?;
        let position = digits.parse().ok()?;
        (self.format(year, position).0 == number).then_some(position)
    }

    /// `F-{year}-{number:06}`.
    pub fn default_invoice() -> Self {
        Self::prefixed("F-")
    }

    /// `R-{year}-{number:06}`.
    pub fn default_credit() -> Self {
        Self::prefixed("R-")
    }

    fn prefixed(prefix: &str) -> Self {
        Self(vec![
            Piece::Text(prefix.to_owned()),
            Piece::Year,
            Piece::Text("-".to_owned()),
            Piece::Number { width: 6 },
        ])
    }
}

impl FromStr for NumberPattern {
    type Err = NotAPattern;

    fn from_str(pattern: &str) -> Result<Self, NotAPattern> {
        let refuse = |why| NotAPattern { pattern: pattern.to_owned(), why };
        let mut pieces = Vec::new();
        let mut rest = pattern;
        while !rest.is_empty() {
            let (text, tail) = rest.split_once('{').map_or((rest, None), |(text, tail)| (text, Some(tail)));
            if text.chars().any(|c| !c.is_ascii_graphic() || "\"'<>=}".contains(c)) {
                return Err(refuse("use printable ASCII without spaces, quotes, <, >, = and }"));
            }
            if !text.is_empty() {
                pieces.push(Piece::Text(text.to_owned()));
            }
            let Some(tail) = tail else { break };
            let (name, after) = tail.split_once('}').ok_or_else(|| refuse("a { has no }"))?;
            pieces.push(
                placeholder(name).ok_or_else(|| refuse("only {year}, {number} and {number:0W} are known"))?,
            );
            rest = after;
        }
        if pieces.iter().filter(|piece| matches!(piece, Piece::Number { .. })).count() != 1 {
            return Err(refuse("it needs {number} exactly once"));
        }
        if !pieces.contains(&Piece::Year) {
            return Err(refuse("it needs {year}, because every year starts at 1 again"));
        }
        let pattern = Self(pieces);
        if pattern.format(9999, i64::from(u32::MAX)).0.len() > NUMBER_CHARS_MAX {
            return Err(refuse("its numbers would be longer than 60 characters"));
        }
        Ok(pattern)
    }
}

fn placeholder(name: &str) -> Option<Piece> {
    match name.split_once(':') {
        None if name == "year" => Some(Piece::Year),
        None if name == "number" => Some(Piece::Number { width: 1 }),
        Some(("number", width)) => {
            let digits = width.strip_prefix('0')?;
            let width = digits.parse::<usize>().ok().filter(|width| (1..=12).contains(width))?;
            Some(Piece::Number { width })
        }
        _ => None,
    }
}

impl fmt::Display for NumberPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for piece in &self.0 {
            match piece {
                Piece::Text(text) => f.write_str(text)?,
                Piece::Year => f.write_str("{year}")?,
                Piece::Number { width: 1 } => f.write_str("{number}")?,
                Piece::Number { width } => write!(f, "{{number:0{width}}}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_shows_year_and_number() {
        let pattern: NumberPattern = "F-{year}-{number:06}".parse().unwrap();
        assert_eq!(pattern.format(2026, 42).0, "F-2026-000042");
        assert_eq!(pattern, NumberPattern::default_invoice());
    }

    #[test]
    fn the_position_of_a_number_is_read_back_by_its_pattern_alone() {
        for pattern in ["F-{year}-{number:06}", "{number}/{year}", "{year}{number:03}X"] {
            let pattern: NumberPattern = pattern.parse().unwrap();
            for position in [1, 7, 999, 1_000_000] {
                let number = pattern.format(2026, position).0;
                assert_eq!(pattern.position(2026, &number), Some(position), "{number}");
                assert_eq!(pattern.position(2027, &number), None, "{number}");
            }
        }
        let usual = NumberPattern::default_invoice();
        for other in ["F-2026-1", "R-2026-000001", "F-2026-", "F-2026-00000a", ""] {
            assert_eq!(usual.position(2026, other), None, "{other}");
        }
    }

    #[test]
    fn a_pattern_is_written_as_it_was_read() {
        for text in ["F-{year}-{number:06}", "{number}/{year}", "A{year}B{number:012}"] {
            assert_eq!(text.parse::<NumberPattern>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_pattern_whose_numbers_could_repeat_or_be_refused_is_refused() {
        for text in [
            "",
            "F-{year}",
            "F-{number}",
            "{year}{number}{number}",
            "{year",
            "{year} {number}",
            "{year}{n}",
            "{year}{number:99}",
            "{year}<{number}",
        ] {
            assert!(text.parse::<NumberPattern>().is_err(), "{text:?}");
        }
    }
}
