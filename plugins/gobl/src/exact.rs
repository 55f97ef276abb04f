//! Exact figures, for what the gateway did not compute: wide enough for products, rounded half away from zero only where
//! the format rounds. Every operation is None when there are too many digits.

use std::cmp::Ordering;

use einvoice_plugin::Amount;

/// Decimals of most currencies.
const CURRENCY_DECIMALS: u8 = 2;
/// Decimals that intermediate figures of most currencies carry at least.
pub const WORKING_DECIMALS: u8 = working_decimals(CURRENCY_DECIMALS);

/// Decimals that intermediate figures carry at least, in a currency of so many.
pub const fn working_decimals(currency_decimals: u8) -> u8 {
    currency_decimals.saturating_add(2)
}

/// `units` × 10^-`scale`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exact {
    units: i128,
    scale: u8,
}

impl Exact {
    /// Nought.
    pub const ZERO: Self = Self { units: 0, scale: 0 };

    /// The value of an amount.
    pub fn of(amount: Amount) -> Self {
        Self { units: i128::from(amount.units), scale: amount.scale }
    }

    /// Price × quantity as the format computes a line in most currencies.
    pub fn line(price: Amount, quantity: Amount) -> Option<Self> {
        Self::line_in(CURRENCY_DECIMALS, price, quantity)
    }

    /// Price × quantity as the format computes a line in a currency of so many decimals.
    pub fn line_in(currency_decimals: u8, price: Amount, quantity: Amount) -> Option<Self> {
        Self::of(price).widen(working_decimals(currency_decimals))?.times(quantity)
    }

    /// Rounded to a currency of so many decimals.
    pub fn printed(self, currency_decimals: u8) -> Option<Amount> {
        self.round(currency_decimals)?.amount()
    }

    /// With all its decimals.
    pub fn amount(self) -> Option<Amount> {
        Some(Amount::new(i64::try_from(self.units).ok()?, self.scale))
    }

    /// `units` × 10^-`scale`.
    pub const fn units(self) -> i128 {
        self.units
    }

    /// The order of the values: 1.0 equals 1.00.
    pub fn compare(self, other: Self) -> Option<Ordering> {
        let scale = self.scale.max(other.scale);
        Some(self.widen(scale)?.units.cmp(&other.widen(scale)?.units))
    }

    /// Keeps every decimal of both.
    pub fn plus(self, other: Self) -> Option<Self> {
        let scale = self.scale.max(other.scale);
        let (left, right) = (self.widen(scale)?, other.widen(scale)?);
        Some(Self { units: left.units.checked_add(right.units)?, scale })
    }

    /// Keeps every decimal of both.
    pub fn minus(self, other: Self) -> Option<Self> {
        self.plus(Self { units: other.units.checked_neg()?, ..other })
    }

    /// So many percent of it, with its decimals.
    pub fn percent(self, percent: Amount) -> Option<Self> {
        self.times(Amount::new(percent.units, percent.scale.checked_add(2)?))
    }

    /// What is left when a tax of so many percent is taken out.
    pub fn without(self, percent: Amount) -> Option<Self> {
        let hundred = power(percent.scale.checked_add(2)?)?;
        let whole = hundred.checked_add(i128::from(percent.units)).filter(|whole| *whole > 0)?;
        Some(Self { units: divide(self.units.checked_mul(hundred)?, whole)?, ..self })
    }

    /// With at least so many decimals.
    pub fn widen(self, scale: u8) -> Option<Self> {
        if self.scale >= scale { Some(self) } else { self.round(scale) }
    }

    /// With exactly so many decimals, half away from zero.
    pub fn round(self, scale: u8) -> Option<Self> {
        let units = match scale.checked_sub(self.scale) {
            Some(more) => self.units.checked_mul(power(more)?)?,
            None => divide(self.units, power(self.scale.checked_sub(scale)?)?)?,
        };
        Some(Self { units, scale })
    }

    /// The product, with the decimals of `self`.
    pub fn times(self, factor: Amount) -> Option<Self> {
        let product = self.units.checked_mul(i128::from(factor.units))?;
        Some(Self { units: divide(product, power(factor.scale)?)?, ..self })
    }
}

fn power(exponent: u8) -> Option<i128> {
    10_i128.checked_pow(u32::from(exponent))
}

/// Half away from zero, for a positive divisor.
fn divide(units: i128, by: i128) -> Option<i128> {
    let (quotient, rest) = (units.checked_div(by)?, units.checked_rem(by)?);
    if rest.checked_abs()?.checked_mul(2)? >= by {
        quotient.checked_add(units.signum())
    } else {
        Some(quotient)
    }
}
