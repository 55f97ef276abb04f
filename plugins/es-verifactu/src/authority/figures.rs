//! Amounts and percents as the agency compares them: in hundredths.

/// The agency overlooks differences up to this.
const TOLERANCE: Figure = Figure::euros(10);
/// Digits before the point of an amount.
const WHOLE_DIGITS_MAX: usize = 12;
/// Digits before the point of a percent.
const PERCENT_DIGITS_MAX: usize = 3;

/// An amount in cents, or a percent in hundredths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Figure(i128);

impl Figure {
    pub(super) const ZERO: Self = Self(0);

    pub(super) const fn euros(euros: i128) -> Self {
        Self(euros * 100)
    }

    /// An amount that fits the agency's schema: a sign, twelve digits, two decimals.
    pub(super) fn read(text: &str) -> Option<Self> {
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        let figure = decimal(unsigned, WHOLE_DIGITS_MAX)?;
        Some(if text.starts_with('-') { Self(-figure) } else { Self(figure) })
    }

    /// A percent that fits the agency's schema: three digits, two decimals.
    pub(super) fn read_percent(text: &str) -> Option<Self> {
        decimal(text, PERCENT_DIGITS_MAX).map(Self)
    }

    pub(super) const fn abs(self) -> Self {
        Self(self.0.abs())
    }

    #[must_use]
    pub(super) const fn plus(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }

    /// Whether both are the same, give or take ten euro.
    pub(super) fn is_about(self, other: Self) -> bool {
        Self(self.0 - other.0).abs() <= TOLERANCE
    }

    /// Whether it is `percent` of `base`, give or take ten euro.
    pub(super) fn is_about_percent(self, percent: Self, base: Self) -> bool {
        // Cents times hundredths of a percent are ten thousandths of a cent.
        (self.0 * 10_000 - base.0 * percent.0).abs() <= TOLERANCE.0 * 10_000
    }

    /// Whether one is above and the other below nought.
    pub(super) const fn has_opposite_sign(self, other: Self) -> bool {
        self.0.signum() * other.0.signum() < 0
    }
}

/// Hundredths of `digits[.dd]`.
fn decimal(text: &str, whole_digits_max: usize) -> Option<i128> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let is_valid = (1..=whole_digits_max).contains(&whole.len()) && decimals.len() <= 2;
    if !is_valid || !digits(whole) || !digits(decimals) {
        return None;
    }
    format!("{whole}{decimals:0<2}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_at_most_twelve_digits_and_two_decimals() {
        for (text, hundredths) in
            [("0", 0), ("-1.5", -150), ("+2.", 200), ("999999999999.99", 99_999_999_999_999)]
        {
            assert_eq!(Figure::read(text), Some(Figure(hundredths)), "{text}");
        }
        for text in ["", "-", ".5", "1.234", "1000000000000", "1e3", "1,5", "--1", "٣"] {
            assert_eq!(Figure::read(text), None, "{text}");
        }
        assert_eq!(Figure::read_percent("5.2"), Some(Figure(520)));
        assert!(["-1", "1000", "0.625"].into_iter().all(|text| Figure::read_percent(text).is_none()));
    }

    #[test]
    fn ten_euro_are_overlooked() {
        let (rate, base) = (Figure(2100), Figure::euros(100));
        assert!(Figure::euros(31).is_about_percent(rate, base) && !Figure(3101).is_about_percent(rate, base));
        assert!(Figure::euros(-5).is_about(Figure::euros(5)) && !Figure(-501).is_about(Figure::euros(5)));
    }
}
