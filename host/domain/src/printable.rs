//! Texts of others on their way to a terminal or a log.

use std::borrow::Cow;

/// The text with everything escaped that would move the cursor, colour what follows, or show it in another order, but for the
/// characters in `exceptions`.
pub fn printable<'t>(text: &'t str, exceptions: &[char]) -> Cow<'t, str> {
    let is_escaped = |c: char| is_steering(c) && !exceptions.contains(&c);
    if !text.contains(is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if is_escaped(c) {
            safe.extend(c.escape_default());
        } else {
            safe.push(c);
        }
    }
    Cow::Owned(safe)
}

fn is_steering(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_shown_and_not_done() {
        assert!(matches!(printable("line 1\nÄnne", &['\n']), Cow::Borrowed("line 1\nÄnne")));
        assert_eq!(printable("line 1\n\tÄnne", &[]), "line 1\\n\\tÄnne");
        assert_eq!(printable("\u{1b}[2Jgone\r\u{9b}1m", &['\n']), "\\u{1b}[2Jgone\\r\\u{9b}1m");
        assert_eq!(printable("abc\u{202e}fdp.exe\u{2066}", &['\n']), "abc\\u{202e}fdp.exe\\u{2066}");
    }
}
