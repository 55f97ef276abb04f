//! Addresses for electronic mail, as RFC 5321 has them and the format takes them.

use crate::text::composed;

/// Bytes of a whole address: a path has 256 with its brackets (RFC 5321, 4.5.3.1.3).
const BYTES_MAX: usize = 254;
/// Bytes before the `@` (RFC 5321, 4.5.3.1.1).
const LOCAL_BYTES_MAX: usize = 64;
/// Bytes of a label of the domain (RFC 1035, 2.3.4).
const LABEL_BYTES_MAX: usize = 63;

/// Whether it is an address: what stands before the last `@` is a dotted or quoted string, what follows it a domain of two
/// labels at least, the last of which begins and ends with a letter.
///
/// Letters of all scripts count as letters (RFC 6531). What RFC 5321 allows and the format does not is refused: escapes in
/// quoted strings, and addresses of the network instead of a domain.
pub fn is_email(text: &str) -> bool {
    let text = composed(text);
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    text.len() <= BYTES_MAX
        && local.len() <= LOCAL_BYTES_MAX
        && (is_dotted(local) || is_quoted(local))
        && is_domain(domain)
}

/// `jane.roe+x`.
fn is_dotted(local: &str) -> bool {
    let is_allowed =
        |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c) || is_foreign(c);
    local.split('.').all(|part| !part.is_empty() && part.chars().all(is_allowed))
}

/// `"jane roe"`.
fn is_quoted(local: &str) -> bool {
    let inner = local.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let is_allowed = |c: char| (matches!(c, ' '..='~') && !matches!(c, '"' | '\\')) || is_foreign(c);
    inner.is_some_and(|inner| inner.chars().all(is_allowed))
}

fn is_domain(domain: &str) -> bool {
    let is_label = |label: &str| {
        (1..=LABEL_BYTES_MAX).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || is_foreign(c))
    };
    let is_letter = |c: char| c.is_ascii_alphabetic() || (is_foreign(c) && c.is_alphabetic());
    domain.split('.').all(is_label)
        && domain
            .rsplit_once('.')
            .is_some_and(|(_, last)| last.starts_with(is_letter) && last.ends_with(is_letter))
}

/// Letters and digits beside those of English, in the blocks that the format takes.
fn is_foreign(c: char) -> bool {
    matches!(c, '\u{A0}'..='\u{D7FF}' | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFEF}')
        && c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_address_has_a_local_part_and_a_domain() {
        let longest = format!("{}@{}.example.com", "a".repeat(64), "b".repeat(63));
        for text in [
            "jane.roe+x@example.com",
            "o'neill!#$%&*/=?^_`{|}~-@example.com",
            "jürgen@müller.de",
            "ju\u{308}rgen@mu\u{308}ller.de",
            "δοκιμή@παράδειγμα.ελ",
            "\"jane roe\"@example.com",
            "\"a@b..c\"@example.com",
            "a@b.c",
            "a@1.2.museum",
            "a@xn--80ak6aa92e.com",
            longest.as_str(),
        ] {
            assert!(is_email(text), "{text}");
        }
    }

    #[test]
    fn what_the_provider_would_refuse_is_no_address() {
        let local = format!("{}@example.com", "a".repeat(65));
        let label = format!("a@{}.com", "b".repeat(64));
        let whole = format!("a@{}com", "b234567890.".repeat(23));
        assert!(whole.len() > BYTES_MAX);
        for text in [
            "",
            "jane",
            "@example.com",
            "jane@",
            "jane@host",
            "a b@example.com",
            "a@b@example.com",
            "a@.com",
            "a@example..com",
            "a@example.com.",
            ".a@example.com",
            "a.@example.com",
            "a..b@example.com",
            "a@-b.com",
            "a@b-.com",
            "a@b.c1",
            "a@b.123",
            "a@[127.0.0.1]",
            "a@b_c.com",
            "a,b@example.com",
            "<a@example.com>",
            "Jane <a@example.com>",
            "\"a@example.com",
            "\"a\\\"b\"@example.com",
            "\"a\"b@example.com",
            "a\u{200B}b@example.com",
            "a\u{A0}b@example.com",
            "a\n@example.com",
            "a@exa\u{AD}mple.com",
            local.as_str(),
            label.as_str(),
            whole.as_str(),
        ] {
            assert!(!is_email(text), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics_and_none_with_white_space_outside_quotes_passes(text in "\\PC{0,30}", at in "[a-z\"@.\\- ]{0,20}") {
            for text in [text, at] {
                if is_email(&text) && !text.starts_with('"') {
                    prop_assert!(!text.contains(char::is_whitespace));
                }
            }
        }
    }
}
