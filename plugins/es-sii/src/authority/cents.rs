//! Amounts as the agency writes and compares them: in cents.

use einvoice_plugin::Amount;

/// Digits before the point of an amount (`ImporteSgn12.2Type`).
const WHOLE_DIGITS_MAX: u32 = 12;
/// The agency overlooks differences up to this.
const TOLERANCE: Cents = Cents::euros(10);

/// An amount in hundredths of a euro, or a percent in hundredths.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cents(i128);

impl Cents {
    pub(super) const fn euros(euros: i128) -> Self {
        Self(euros * 100)
    }

    /// An amount that fits the agency's schema: a sign, twelve digits, two decimals.
    pub(super) fn read(text: &str) -> Option<Self> {
        let amount: Amount = text.parse().ok()?;
        let cents = amount.canonical(2);
        let fits = cents.scale == 2 && cents.units.unsigned_abs() < 10_u64.pow(WHOLE_DIGITS_MAX + 2);
        fits.then_some(Self(cents.units.into()))
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

    /// As the agency writes it: `-121.00`.
    pub(super) fn written(self) -> String {
        let sign = if self.0 < 0 { "-" } else { "" };
        let digits = self.0.unsigned_abs();
        format!("{sign}{}.{:02}", digits / 100, digits % 100)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_at_most_twelve_digits_and_two_decimals() {
        for (text, written) in
            [("0", "0.00"), ("-1.5", "-1.50"), ("0.050", "0.05"), ("999999999999.99", "999999999999.99")]
        {
            assert_eq!(Cents::read(text).map(Cents::written).as_deref(), Some(written), "{text}");
        }
        for text in ["", "-", "1.234", "1000000000000", "1e3", "1,5"] {
            assert_eq!(Cents::read(text), None, "{text}");
        }
    }

    #[test]
    fn ten_euro_are_overlooked() {
        let (rate, base) = (Cents(2100), Cents::euros(100));
        assert!(Cents::euros(31).is_about_percent(rate, base) && !Cents(3101).is_about_percent(rate, base));
        assert!(Cents::euros(-5).is_about(Cents::euros(5)) && !Cents(-501).is_about(Cents::euros(5)));
    }
}
