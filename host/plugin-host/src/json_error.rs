//! Where a text stops being JSON, with what stands there.

use gateway_domain::printable;
use std::fmt;

/// Characters shown before and after the place.
const CONTEXT_CHARS: usize = 30;

/// Why a text is no JSON, as one clause: `expected ',' or '}' at line 3 column 7, at '…"a": 1 ⟨here⟩"b": 2…'`. It quotes the
/// text, and is for whoever wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonError {
    why: String,
    excerpt: String,
}

impl JsonError {
    /// The parser's own words about `text`, and the text around the place that they name.
    pub fn new(text: &str, error: &serde_json::Error) -> Self {
        Self { why: error.to_string(), excerpt: excerpt(text, error.line(), error.column()) }
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, at '{}'", self.why, self.excerpt)
    }
}

/// The characters around a place, control characters escaped; `⟨here⟩` stands behind the last one that was read.
fn excerpt(text: &str, line: usize, column: usize) -> String {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    // The parser counts bytes.
    let mut place = before.saturating_add(column).min(text.len());
    while !text.is_char_boundary(place) {
        place = place.saturating_sub(1);
    }
    let (read, unread) = text.split_at(place);
    let from = read.char_indices().rev().nth(CONTEXT_CHARS.saturating_sub(1)).map_or(0, |(at, _)| at);
    let to = unread.char_indices().nth(CONTEXT_CHARS).map_or(unread.len(), |(at, _)| at);
    let (read, unread) = (read.split_at(from), unread.split_at(to));
    let dots = |rest: &str| if rest.is_empty() { "" } else { "…" };
    format!("{}{}⟨here⟩{}{}", dots(read.0), printable(read.1, &[]), printable(unread.0, &[]), dots(unread.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message_of(text: &str) -> String {
        let error = serde_json::from_str::<serde::de::IgnoredAny>(text).unwrap_err();
        JsonError::new(text, &error).to_string()
    }

    #[test]
    fn the_place_is_named_and_shown() {
        assert_eq!(
            message_of("{\n  \"a\": 1\n  \"b\": 2\n}"),
            r#"expected `,` or `}` at line 3 column 3, at '{\n  "a": 1\n  "⟨here⟩b": 2\n}'"#
        );
        assert_eq!(message_of(""), "EOF while parsing a value at line 1 column 0, at '⟨here⟩'");
    }

    #[test]
    fn what_is_shown_is_short_and_steers_no_terminal() {
        let long = format!("[\"{}\u{1b}[2J\", oops, \"{}\"]", "ä".repeat(1000), "ö".repeat(1000));
        let said = message_of(&long);
        assert!(said.chars().count() < 200, "{said}");
        assert!(!said.contains(char::is_control), "{said}");
        assert!(said.contains("ä⟨here⟩\\u{1b}") && said.contains('…'), "{said}");
    }
}
