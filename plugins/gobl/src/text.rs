//! Texts of any country.

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

/// Whether a text looks like an electronic mail address: one `@`, something before it, a host after it.
pub fn is_email(text: &str) -> bool {
    let plain = text.chars().all(|c| !c.is_whitespace() && !c.is_control());
    let Some((local, host)) = text.rsplit_once('@') else { return false };
    let labels = host
        .split('.')
        .all(|label| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-'));
    plain && !local.is_empty() && !local.contains('@') && host.contains('.') && labels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_needs_a_name_and_a_host() {
        assert!(is_email("jane.roe+x@example.com"));
        for text in
            ["", "jane", "@example.com", "jane@", "jane@host", "a b@example.com", "a@b@example.com", "a@.com"]
        {
            assert!(!is_email(text), "{text}");
        }
    }
}
