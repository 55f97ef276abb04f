//! Amounts and percents that the agency's schema takes: two decimals at most, twelve digits before the point of an amount and
//! three of a percent.

use einvoice_gobl::decimal::Decimal;

/// The agency overlooks differences up to this.
const TOLERANCE: Decimal = euros(10);
/// Digits before the point of an amount.
const WHOLE_DIGITS_MAX: usize = 12;
/// Digits before the point of a percent.
const PERCENT_DIGITS_MAX: usize = 3;

/// An amount without cents.
pub(super) const fn euros(euros: i128) -> Decimal {
    Decimal::hundredths(euros * 100)
}

/// An amount that fits the agency's schema. None for any other text.
pub(super) fn read(text: &str) -> Option<Decimal> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let figure = decimal(unsigned, WHOLE_DIGITS_MAX)?;
    Some(if text.starts_with('-') { figure.negated() } else { figure })
}

/// A percent that fits the agency's schema. None for any other text.
pub(super) fn read_percent(text: &str) -> Option<Decimal> {
    decimal(text, PERCENT_DIGITS_MAX)
}

/// Whether both are the same, give or take ten euro.
pub(super) fn are_close(one: Decimal, other: Decimal) -> bool {
    one.minus(other).abs() <= TOLERANCE
}

/// Whether one is above and the other below nought.
pub(super) fn have_opposite_signs(one: Decimal, other: Decimal) -> bool {
    one.min(other).is_negative() && one.max(other) > Decimal::ZERO
}

/// `digits[.dd]`.
fn decimal(text: &str, whole_digits_max: usize) -> Option<Decimal> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let is_valid = (1..=whole_digits_max).contains(&whole.len()) && decimals.len() <= 2;
    if !is_valid || !digits(whole) || !digits(decimals) {
        return None;
    }
    format!("{whole}{decimals:0<2}").parse().ok().map(Decimal::hundredths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_at_most_twelve_digits_and_two_decimals() {
        for (text, hundredths) in
            [("0", 0), ("-1.5", -150), ("+2.", 200), ("999999999999.99", 99_999_999_999_999)]
        {
            assert_eq!(read(text), Some(Decimal::hundredths(hundredths)), "{text}");
        }
        for text in ["", "-", ".5", "1.234", "1000000000000", "1e3", "1,5", "--1", "٣"] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read_percent("5.2"), Some(Decimal::hundredths(520)));
        assert!(["-1", "1000", "0.625"].into_iter().all(|text| read_percent(text).is_none()));
    }

    #[test]
    fn ten_euro_are_overlooked() {
        let tax = euros(100).percent(euros(21)).unwrap();
        assert!(are_close(euros(31), tax) && !are_close(Decimal::hundredths(3101), tax));
        assert!(are_close(euros(-5), euros(5)) && !are_close(Decimal::hundredths(-501), euros(5)));
        let largest = read("999999999999.99").unwrap();
        assert_eq!(largest.percent(read_percent("999.99").unwrap()), Decimal::read("9999899999999.900001"));
    }

    #[test]
    fn nought_is_on_neither_side() {
        let (above, below) = (euros(1), euros(-1));
        assert!(have_opposite_signs(above, below) && have_opposite_signs(below, above));
        for (one, other) in [(above, above), (below, Decimal::ZERO), (Decimal::ZERO, above)] {
            assert!(!have_opposite_signs(one, other), "{one:?} {other:?}");
        }
    }
}
