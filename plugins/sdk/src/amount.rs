//! Exact decimals, printed and read as the structured format does.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use crate::Amount;

/// The most digits an amount carries.
const DIGITS_MAX: usize = 18;

/// A text that is no decimal of at most 18 digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAnAmount;

impl fmt::Display for NotAnAmount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a decimal number of at most 18 digits")
    }
}

impl std::error::Error for NotAnAmount {}

impl Amount {
    /// `units` × 10^-`scale`: `Amount::new(1234, 2)` is 12.34.
    pub const fn new(units: i64, scale: u8) -> Self {
        Self { units, scale }
    }

    /// Whether it is nought, whatever its scale.
    pub const fn is_zero(self) -> bool {
        self.units == 0
    }

    /// Whether it is below nought.
    pub const fn is_negative(self) -> bool {
        self.units < 0
    }

    /// Whether the structured format carries it without loss: at most 18 digits and 18 decimals.
    pub const fn is_representable(self) -> bool {
        self.units.unsigned_abs() < 1_000_000_000_000_000_000 && self.scale <= 18
    }

    /// The same value without trailing zeros, but with at least `scale_min` decimals: 21.00 to one decimal is 21.0.
    /// A value that would overflow stays as it is.
    #[must_use]
    pub const fn canonical(self, scale_min: u8) -> Self {
        let mut value = self;
        while value.scale > scale_min && value.units % 10 == 0 {
            value.units /= 10;
            value.scale -= 1;
        }
        while value.scale < scale_min {
            let Some(units) = value.units.checked_mul(10) else { return self };
            value.units = units;
            value.scale += 1;
        }
        value
    }

    /// The order of the values: 1.0 equals 1.00.
    pub fn cmp_value(self, other: Self) -> Ordering {
        let (a, b) = (self.canonical(0), other.canonical(0));
        let scale = a.scale.max(b.scale);
        match (widen(a, scale), widen(b, scale)) {
            (Some(x), Some(y)) => x.cmp(&y),
            // Only scales beyond 18 come here; the signs and then the scales tell.
            _ => a
                .units
                .signum()
                .cmp(&b.units.signum())
                .then_with(|| if a.is_negative() { a.scale.cmp(&b.scale) } else { b.scale.cmp(&a.scale) }),
        }
    }

    /// Whether both are the same number, whatever their scales.
    pub fn same_value(self, other: Self) -> bool {
        self.cmp_value(other) == Ordering::Equal
    }
}

fn widen(amount: Amount, scale: u8) -> Option<i128> {
    let factor = 10_i128.checked_pow(u32::from(scale.checked_sub(amount.scale)?))?;
    i128::from(amount.units).checked_mul(factor)
}

impl fmt::Display for Amount {
    /// `-0.05` for `{ units: -5, scale: 2 }`: all decimals, no exponent, no thousands.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scale = usize::from(self.scale);
        let digits = self.units.unsigned_abs().to_string();
        let sign = if self.is_negative() { "-" } else { "" };
        let split = digits.len().saturating_sub(scale);
        let (whole, decimals) = digits.split_at(split);
        let whole = if whole.is_empty() { "0" } else { whole };
        if scale == 0 { write!(f, "{sign}{whole}") } else { write!(f, "{sign}{whole}.{decimals:0>scale$}") }
    }
}

impl FromStr for Amount {
    type Err = NotAnAmount;

    /// Reads `-?[0-9]+(\.[0-9]+)?`, keeping every decimal.
    fn from_str(text: &str) -> Result<Self, NotAnAmount> {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (whole, decimals) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let well_formed = digits(whole) && (decimals.is_empty() != unsigned.contains('.')) && {
            decimals.is_empty() || digits(decimals)
        };
        if !well_formed || whole.len() + decimals.len() > DIGITS_MAX {
            return Err(NotAnAmount);
        }
        let magnitude: i64 = format!("{whole}{decimals}").parse().map_err(|_| NotAnAmount)?;
        let units = if text.starts_with('-') { -magnitude } else { magnitude };
        Ok(Self { units, scale: u8::try_from(decimals.len()).map_err(|_| NotAnAmount)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_amount_prints_all_its_decimals() {
        let printed = [(0, 2), (-5, 2), (1234, 2), (7, 0), (-1050, 3), (i64::MIN, 4)]
            .map(|(units, scale)| Amount::new(units, scale).to_string());
        assert_eq!(printed, ["0.00", "-0.05", "12.34", "7", "-1.050", "-922337203685477.5808"]);
    }

    #[test]
    fn what_is_no_plain_decimal_is_refused() {
        for text in ["", "-", ".5", "1.", "1e3", "+1", "1,0", "1.2.3", " 1", "1234567890123456789"] {
            assert_eq!(text.parse::<Amount>(), Err(NotAnAmount), "{text}");
        }
    }

    #[test]
    fn equal_values_of_different_scale_are_the_same_number() {
        assert!(Amount::new(21, 0).same_value(Amount::new(2100, 2)));
        assert!(!Amount::new(-21, 0).same_value(Amount::new(21, 0)));
        assert_eq!(Amount::new(2100, 2).canonical(1), Amount::new(210, 1));
        assert_eq!(Amount::new(4, 0).canonical(1), Amount::new(40, 1));
    }

    proptest! {
        #[test]
        fn printing_and_reading_lose_nothing(units in -999_999_999_999_999_999_i64..=999_999_999_999_999_999, scale in 0_u8..18) {
            let amount = Amount::new(units, scale);
            let text = amount.to_string();
            if text.bytes().filter(u8::is_ascii_digit).count() <= DIGITS_MAX {
                prop_assert_eq!(text.parse::<Amount>(), Ok(amount));
            }
        }

        #[test]
        fn no_amount_panics(units: i64, scale: u8, other: i64, other_scale: u8, least: u8) {
            let (a, b) = (Amount::new(units, scale), Amount::new(other, other_scale));
            let _ = (a.to_string(), a.canonical(least));
            prop_assert_eq!(a.cmp_value(b), b.cmp_value(a).reverse());
        }
    }
}
