//! German numbers: the supplier's tax number and the Leitweg-ID of administrations.

use einvoice_eu::vat;

/// How a supplier is registered for VAT.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaxNumber {
    /// USt-IdNr., without the country.
    Vat(String),
    /// Steuernummer, as the tax office writes it.
    Local(String),
}

/// A supplier's tax id: a VAT number, or the number of a tax office. None when it is neither.
pub fn tax_number(text: &str) -> Option<TaxNumber> {
    vat::parse("DE", text).map(TaxNumber::Vat).ok().or_else(|| local(text).map(TaxNumber::Local))
}

/// Ten digits as 2/3/5, eleven as 3/3/5 unless they are written as 3/4/4.
fn local(text: &str) -> Option<String> {
    let text = text.trim();
    let parts: Vec<_> =
        text.split('/').map(|part| part.bytes().all(|b| b.is_ascii_digit()).then_some(part.len())).collect();
    if [[2, 3, 5], [3, 3, 5], [3, 4, 4]].iter().any(|form| parts == form.map(Some)) {
        return Some(text.to_owned());
    }
    let separator = |c: char| matches!(c, ' ' | '/' | '-' | '.');
    if !text.chars().all(|c| c.is_ascii_digit() || separator(c)) {
        return None;
    }
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let head = digits.len().checked_sub(8).filter(|head| matches!(head, 2 | 3))?;
    Some(format!("{}/{}/{}", digits.get(..head)?, digits.get(head..head + 3)?, digits.get(head + 3..)?))
}

/// Whether a text has the form of a Leitweg-ID: 2 to 12 digits, perhaps up to 30 letters and digits, two check digits.
pub fn looks_like_leitweg_id(text: &str) -> bool {
    let parts: Vec<_> = text.split('-').collect();
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let coarse = |part: &str| (2..=12).contains(&part.len()) && digits(part);
    let fine = |part: &str| (1..=30).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric());
    let check = |part: &str| part.len() == 2 && digits(part);
    match parts.as_slice() {
        [head, tail] => coarse(head) && check(tail),
        [head, middle, tail] => coarse(head) && fine(middle) && check(tail),
        _ => false,
    }
}

/// Whether the check digits of a Leitweg-ID are right (ISO 7064, modulo 97-10).
pub fn is_leitweg_id(text: &str) -> bool {
    let values = text.chars().filter_map(|c| c.to_ascii_uppercase().to_digit(36));
    let rest = values.fold(0, |rest, value| (rest * if value < 10 { 10 } else { 100 } + value) % 97);
    looks_like_leitweg_id(text) && rest == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_supplier_has_a_vat_number_or_the_number_of_a_tax_office() {
        let local = |text: &str| Some(TaxNumber::Local(text.to_owned()));
        assert_eq!(tax_number("DE 111 111 125"), Some(TaxNumber::Vat("111111125".to_owned())));
        assert_eq!(tax_number("92/345/67894"), local("92/345/67894"));
        assert_eq!(tax_number("9234567894"), local("92/345/67894"));
        assert_eq!(tax_number("123 456 78901"), local("123/456/78901"));
        assert_eq!(tax_number("133/8150/8159"), local("133/8150/8159"));
        for text in ["", "111111126", "92/34/567894x", "1234567890123", "//"] {
            assert_eq!(tax_number(text), None, "{text}");
        }
    }

    #[test]
    fn a_leitweg_id_has_the_right_check_digits() {
        for right in ["992-90009-96", "991-12345-73", "04011000-1234512345-06", "04011000-12345abc-38"] {
            assert!(is_leitweg_id(right), "{right}");
        }
        assert!(looks_like_leitweg_id("992-90009-97") && !is_leitweg_id("992-90009-97"));
        for other in ["12345", "PO-2026-77A", "", "9-1-1", "992--96"] {
            assert!(!looks_like_leitweg_id(other), "{other}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".{0,20}", digits in "[0-9/é-]{0,16}") {
            let _ = (tax_number(&text), tax_number(&digits), is_leitweg_id(&text), is_leitweg_id(&digits));
        }
    }
}
