//! A number as myDATA has it: digits (`aa`, error 212) within a series, which the workspace's settings say.

/// Whether a text is a number within a series.
pub fn is_aa(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::is_aa;

    #[test]
    fn a_number_is_digits_only() {
        assert!(["0", "000017", "2026000017", "18446744073709551615"].into_iter().all(is_aa));
        assert!(!["", "A1", "+1", "-1", "1 ", "F-17", "18446744073709551616", "١"].into_iter().any(is_aa));
    }
}
