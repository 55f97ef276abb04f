//! Exact figures, for the few rows of a breakdown that the gateway did not compute: wide enough for products, rounded
//! half away from zero only where the format rounds.

use einvoice_plugin::Amount;

/// Decimals of the currency.
pub(crate) const CURRENCY_DECIMALS: u8 = 2;
/// Decimals that intermediate figures carry at least.
const WORKING_DECIMALS: u8 = CURRENCY_DECIMALS + 2;

/// `units` × 10^-`scale`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Exact {
    units: i128,
    scale: u8,
}

impl Exact {
    pub(crate) const ZERO: Self = Self { units: 0, scale: CURRENCY_DECIMALS };

    /// Price × quantity as the format computes a line. None when there are too many digits.
    pub(crate) fn line(price: Amount, quantity: Amount) -> Option<Self> {
        let price = Self { units: i128::from(price.units), scale: price.scale };
        price.widen(WORKING_DECIMALS)?.times(quantity)
    }

    /// Rounded to the currency.
    pub(crate) fn printed(self) -> Option<Amount> {
        let rounded = self.round(CURRENCY_DECIMALS)?;
        Some(Amount::new(i64::try_from(rounded.units).ok()?, rounded.scale))
    }

    /// Keeps every decimal of both.
    pub(crate) fn plus(self, other: Self) -> Option<Self> {
        let scale = self.scale.max(other.scale);
        let (left, right) = (self.widen(scale)?, other.widen(scale)?);
        Some(Self { units: left.units.checked_add(right.units)?, scale })
    }

    /// So many percent of it, with its decimals.
    pub(crate) fn percent(self, percent: Amount) -> Option<Self> {
        self.times(Amount::new(percent.units, percent.scale.checked_add(2)?))
    }

    /// What is left when a tax of so many percent is taken out.
    pub(crate) fn without(self, percent: Amount) -> Option<Self> {
        let hundred = power(percent.scale.checked_add(2)?)?;
        let whole = hundred.checked_add(i128::from(percent.units)).filter(|whole| *whole > 0)?;
        Some(Self { units: divide(self.units.checked_mul(hundred)?, whole)?, ..self })
    }

    fn widen(self, scale: u8) -> Option<Self> {
        if self.scale >= scale { Some(self) } else { self.round(scale) }
    }

    fn round(self, scale: u8) -> Option<Self> {
        let units = match scale.checked_sub(self.scale) {
            Some(more) => self.units.checked_mul(power(more)?)?,
            None => divide(self.units, power(self.scale.checked_sub(scale)?)?)?,
        };
        Some(Self { units, scale })
    }

    fn times(self, factor: Amount) -> Option<Self> {
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
