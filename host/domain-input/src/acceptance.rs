//! The authority's proof as callers give it: it is printed on documents and opened by people.

use url::Url;

/// Longest address, characters.
const ADDRESS_CHARS_MAX: usize = 2_000;
/// Longest hash, characters.
const HASH_CHARS_MAX: usize = 500;

/// What is wrong with the address at which anybody verifies the document, if anything.
pub fn wrong_address(text: &str) -> Option<String> {
    let web = Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    (!web || text.chars().count() > ADDRESS_CHARS_MAX)
        .then(|| format!("use an http(s) address of at most {ADDRESS_CHARS_MAX} characters"))
}

/// What is wrong with the tax system's hash, if anything.
pub fn wrong_hash(text: &str) -> Option<String> {
    let sound = !text.trim().is_empty()
        && text.chars().count() <= HASH_CHARS_MAX
        && !text.chars().any(char::is_control);
    (!sound).then(|| format!("use 1 to {HASH_CHARS_MAX} characters"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_that_people_may_open_are_taken() {
        assert_eq!(wrong_address("https://verify.example/1?a=b"), None);
        let long = format!("https://x.example/{}", "a".repeat(2_000));
        for wrong in ["javascript:alert(1)", "file:///etc/passwd", "verify.example", "", "http://", &long] {
            assert!(wrong_address(wrong).is_some(), "{wrong}");
        }
    }

    #[test]
    fn a_hash_is_a_line_of_moderate_length() {
        assert_eq!(wrong_hash("ABC="), None);
        for wrong in ["", " ", "a\nb", &"a".repeat(501)] {
            assert!(wrong_hash(wrong).is_some(), "{wrong}");
        }
    }
}
