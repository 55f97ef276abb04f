//! Figures of the stored document as the file states them.

use std::fmt;

use einvoice_plugin::Amount;
use serde::{Deserialize, Deserializer};

/// Decimals of an amount of money.
const MONEY_DECIMALS: u8 = 2;

/// A decimal with so many digits that sums and conversions of what the format carries do not overflow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Figure {
    units: i128,
    scale: u8,
}

impl Figure {
    /// The other way round: what is credited.
    #[must_use]
    pub(super) const fn negated(self) -> Self {
        Self { units: self.units.saturating_neg(), ..self }
    }

    /// In zloty, at so many for one.
    #[must_use]
    pub(super) const fn times(self, rate: Self) -> Self {
        Self { units: self.units.saturating_mul(rate.units), scale: self.scale.saturating_add(rate.scale) }
    }

    /// The sum, with the decimals of both.
    #[must_use]
    pub(super) fn plus(self, other: Self) -> Self {
        let scale = self.scale.max(other.scale);
        Self { units: self.widened(scale).saturating_add(other.widened(scale)), scale }
    }

    /// As money: two decimals, rounded half away from nought.
    pub(super) fn money(self) -> String {
        if self.scale <= MONEY_DECIMALS {
            return Self { units: self.widened(MONEY_DECIMALS), scale: MONEY_DECIMALS }.to_string();
        }
        let divisor = power(self.scale - MONEY_DECIMALS);
        let half = divisor / 2 * self.units.signum();
        let units = self.units.saturating_add(half) / divisor;
        Self { units, scale: MONEY_DECIMALS }.to_string()
    }

    /// As it is, without decimals that say nothing.
    pub(super) fn plain(self) -> String {
        self.with_decimals(0)
    }

    /// As a price: all that it says, in two decimals at least.
    pub(super) fn price(self) -> String {
        self.with_decimals(MONEY_DECIMALS)
    }

    fn with_decimals(self, min: u8) -> String {
        let Self { mut units, mut scale } = self;
        while scale > min && units % 10 == 0 {
            (units, scale) = (units / 10, scale - 1);
        }
        let scale = scale.max(min);
        Self { units: Self { units, scale: scale.min(self.scale) }.widened(scale), scale }.to_string()
    }

    fn widened(self, scale: u8) -> i128 {
        self.units.saturating_mul(power(scale.saturating_sub(self.scale)))
    }
}

fn power(exponent: u8) -> i128 {
    // Two figures of 18 decimals at most make 36, which an i128 holds.
    10_i128.saturating_pow(u32::from(exponent))
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scale = usize::from(self.scale);
        let digits = format!("{:0>width$}", self.units.unsigned_abs(), width = scale + 1);
        let (whole, decimals) = digits.split_at(digits.len() - scale);
        let sign = if self.units < 0 { "-" } else { "" };
        if scale == 0 { write!(f, "{sign}{whole}") } else { write!(f, "{sign}{whole}.{decimals}") }
    }
}

impl<'de> Deserialize<'de> for Figure {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let amount: Amount =
            text.parse().map_err(|error| serde::de::Error::custom(format!("{text} is {error}")))?;
        Ok(Self { units: i128::from(amount.units), scale: amount.scale })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(text: &str) -> Figure {
        serde_json::from_value(text.into()).unwrap()
    }

    #[test]
    fn money_has_two_decimals_and_is_rounded_half_away_from_nought() {
        let money = ["1", "1.005", "-1.005", "1.0049", "-0.004", "0.5"].map(|text| figure(text).money());
        assert_eq!(money, ["1.00", "1.01", "-1.01", "1.00", "0.00", "0.50"]);
        assert_eq!(figure("100.00").negated().money(), "-100.00");
        assert_eq!(figure("1.5").plus(figure("0.25")).money(), "1.75");
        assert_eq!(figure("23.00").times(figure("4.3215")).money(), "99.39");
    }

    #[test]
    fn quantities_and_prices_keep_what_they_say() {
        let plain = ["3.00", "0.250", "-20.00", "0", "100"].map(|text| figure(text).plain());
        assert_eq!(plain, ["3", "0.25", "-20", "0", "100"]);
        let prices = ["3", "240.5", "0.12340", "-20.000"].map(|text| figure(text).price());
        assert_eq!(prices, ["3.00", "240.50", "0.1234", "-20.00"]);
        assert!(
            serde_json::from_str::<Figure>("\"1e3\"").is_err()
                && serde_json::from_str::<Figure>("1").is_err()
        );
    }
}
