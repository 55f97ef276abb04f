//! Amounts as myDATA writes them: two decimals (`AmountType`), and what they are computed of.

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

/// A percentage: 24 for `24%`.
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

    /// Whether it is below nought.
    pub const fn is_negative(self) -> bool {
        self.0 < 0
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
        let cents = self.rounded().0 / CENT;
        let sign = if cents < 0 { "-" } else { "" };
        let magnitude = cents.unsigned_abs();
        format!("{sign}{}.{:02}", magnitude / 100, magnitude % 100)
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
    fn an_amount_has_two_decimals() {
        for (text, amount) in [("0", "0.00"), ("-0.05", "-0.05"), ("113.645", "113.65"), ("-1.005", "-1.01")]
        {
            assert_eq!(read(text).amount(), amount);
        }
        for text in ["", "-", ".5", "1.", "1e3", "1,5", "--1", "٣", "1234567890123456789"] {
            assert_eq!(Decimal::read(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_too_large_is_no_number() {
        let large = read("999999999999999999");
        assert_eq!((large.times(large), large.percent(large)), (None, None));
        assert_eq!(read("2.5").times(read("-4.02")), Some(read("-10.05")));
        assert_eq!(read("124.00").without_percent(read("24")), Some(read("100")));
    }
}
