//! Figures of a stored document as the records of authorities print them: two decimals of amounts, up to eight of prices.
//!
//! [`exact`](crate::exact) computes what the gateway did not, in the format's own way.

use serde::{Deserialize, Deserializer, de};

/// Units of one.
const ONE: i128 = 100_000_000;
/// Units of a hundredth.
const CENT: i128 = 1_000_000;
const DECIMALS: usize = 8;
/// Digits before the point that are read: the format has 18 in all.
const WHOLE_DIGITS_MAX: usize = 18;

/// A number in units of 10^-8. Rounding is half away from nought.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Decimal(i128);

/// A percentage: 22 for `22.0%`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Percent(pub Decimal);

impl Decimal {
    /// Nought.
    pub const ZERO: Self = Self(0);

    /// Hundredths: 150 for 1.50.
    pub const fn hundredths(units: i128) -> Self {
        Self(units * CENT)
    }

    /// Reads `-?[0-9]+(\.[0-9]+)?`; what does not fit into eight decimals is rounded.
    pub fn read(text: &str) -> Option<Self> {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (whole, decimals) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole) || !digits(decimals) || whole.len() > WHOLE_DIGITS_MAX {
            return None;
        }
        // One digit more than is written decides which way it is rounded.
        let fraction: String = decimals.chars().chain("000000000".chars()).take(DECIMALS + 1).collect();
        let tenths: i128 = format!("{whole}{fraction}").parse().ok()?;
        let magnitude = divided(tenths, 10)?;
        Some(Self(if unsigned.len() == text.len() { magnitude } else { -magnitude }))
    }

    /// The number without its sign.
    #[must_use]
    pub const fn abs(self) -> Self {
        Self(self.0.abs())
    }

    /// The number with the other sign.
    #[must_use]
    pub const fn negated(self) -> Self {
        Self(-self.0)
    }

    /// Whether it is below nought.
    pub const fn is_negative(self) -> bool {
        self.0 < 0
    }

    /// Whether two decimals are enough.
    pub const fn is_in_hundredths(self) -> bool {
        self.0 % CENT == 0
    }

    /// The sum of both.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// What is left after taking the other.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// The product, unless it has too many digits.
    pub fn times(self, other: Self) -> Option<Self> {
        divided(self.0.checked_mul(other.0)?, ONE).map(Self)
    }

    /// So much percent of it, unless that has too many digits.
    pub fn percent(self, percent: Self) -> Option<Self> {
        divided(self.0.checked_mul(percent.0)?, 100 * ONE).map(Self)
    }

    /// What it is with so much percent more, unless that has too many digits.
    pub fn with_percent(self, percent: Self) -> Option<Self> {
        self.percent(percent).map(|more| self.plus(more))
    }

    /// What it is without the tax of this percent that it includes, unless that has too many digits.
    pub fn without_percent(self, percent: Self) -> Option<Self> {
        let hundred = 100 * ONE;
        divided(self.0.checked_mul(hundred)?, hundred.checked_add(percent.0)?).map(Self)
    }

    /// Rounded to two decimals.
    #[must_use]
    pub fn rounded(self) -> Self {
        Self(divided(self.0, CENT).unwrap_or_default() * CENT)
    }

    /// With two decimals.
    pub fn amount(self) -> String {
        self.rounded().text(2)
    }

    /// With two to eight decimals.
    pub fn precise(self) -> String {
        self.text(2)
    }

    /// How many digits stand before the point.
    pub fn whole_digits(self) -> usize {
        (self.0.unsigned_abs() / ONE.unsigned_abs()).to_string().len()
    }

    fn text(self, decimals_min: usize) -> String {
        let magnitude = self.0.unsigned_abs();
        let (whole, fraction) = (magnitude / ONE.unsigned_abs(), magnitude % ONE.unsigned_abs());
        let digits = format!("{fraction:08}");
        let significant = digits.trim_end_matches('0').len().max(decimals_min);
        let sign = if self.0 < 0 { "-" } else { "" };
        format!("{sign}{whole}.{}", digits.get(..significant).unwrap_or(&digits))
    }
}

/// Rounded half away from nought. None for a divisor that is not positive.
fn divided(number: i128, divisor: i128) -> Option<i128> {
    if divisor <= 0 {
        return None;
    }
    Some(number.checked_add(divisor / 2 * number.signum())? / divisor)
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::read(&text).ok_or_else(|| de::Error::custom("an amount is no decimal number"))
    }
}

impl<'de> Deserialize<'de> for Percent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let value = text.strip_suffix('%').and_then(Decimal::read);
        value.map(Self).ok_or_else(|| de::Error::custom("a percentage is none"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Decimal {
        Decimal::read(text).unwrap()
    }

    #[test]
    fn a_number_has_two_to_eight_decimals() {
        for (text, precise, amount) in [
            ("0", "0.00", "0.00"),
            ("-0.05", "-0.05", "-0.05"),
            ("113.6364", "113.6364", "113.64"),
            ("113.645", "113.645", "113.65"),
            ("1.123456785", "1.12345679", "1.12"),
            ("-1.005", "-1.005", "-1.01"),
            ("100000000000.00", "100000000000.00", "100000000000.00"),
        ] {
            assert_eq!((read(text).precise().as_str(), read(text).amount().as_str()), (precise, amount));
        }
        for text in ["", "-", ".5", "1.", "1e3", "1,5", "--1", "٣", "1234567890123456789"] {
            assert_eq!(Decimal::read(text), None, "{text}");
        }
    }

    #[test]
    fn a_price_without_the_tax_it_includes_has_eight_decimals() {
        assert_eq!(read("125.00").without_percent(read("10")).unwrap().precise(), "113.63636364");
        assert_eq!(read("122").without_percent(read("22")), Some(read("100")));
        assert_eq!(read("124.00").without_percent(read("24")), Some(read("100")));
        assert_eq!(read("-122").without_percent(read("22")), Some(read("-100")));
        assert_eq!(read("-33.33").with_percent(read("21")), Some(read("-40.3293")));
    }

    #[test]
    fn what_is_too_large_is_no_number() {
        let large = read("999999999999999999");
        assert_eq!((large.times(large), large.percent(large)), (None, None));
        assert_eq!(read("2.5").times(read("-4.02")), Some(read("-10.05")));
        assert_eq!(read("0.03").percent(read("50")), Some(read("0.015")));
    }
}
