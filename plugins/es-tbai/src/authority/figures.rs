//! Decimals as the treasuries' schema writes them: twelve digits before the point, and eight after it at most.

use einvoice_plugin::Amount;

/// Decimals of a quantity or a price.
const DECIMALS: u32 = 8;
const ONE: i128 = 10_i128.pow(DECIMALS);
/// A hundred percent.
const HUNDRED: i128 = 100 * ONE;
/// From here on an amount has more digits before the point than the schema takes.
const TOO_LARGE: i128 = ONE * 1_000_000_000_000;
/// From here on a percent has.
const PERCENT_TOO_LARGE: i128 = ONE * 1000;

/// A decimal, or a percent, in hundred-millionths.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Figure(i128);

impl Figure {
    /// None for what is no amount, or one with too many digits for the schema.
    pub(super) fn read(text: &str) -> Option<Self> {
        let Amount { units, scale } = text.parse().ok()?;
        let (units, scale) = (i128::from(units), u32::from(scale));
        let figure = match DECIMALS.checked_sub(scale) {
            Some(more) => units.checked_mul(10_i128.checked_pow(more)?)?,
            None => divided(units, 10_i128.checked_pow(scale.checked_sub(DECIMALS)?)?)?,
        };
        (figure.checked_abs()? < TOO_LARGE).then_some(Self(figure))
    }

    /// `21.0%`. None for what is no percent, or one with too many digits for the schema.
    pub(super) fn read_percent(text: &str) -> Option<Self> {
        Self::read(text.trim_end_matches('%')).filter(|percent| (0..PERCENT_TOO_LARGE).contains(&percent.0))
    }

    #[must_use]
    pub(super) const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// So many percent more.
    pub(super) fn with(self, percent: Self) -> Option<Self> {
        let whole = HUNDRED.checked_add(percent.0)?;
        divided(self.0.checked_mul(whole)?, HUNDRED).map(Self)
    }

    /// What it is so many percent more than.
    pub(super) fn without(self, percent: Self) -> Option<Self> {
        let whole = HUNDRED.checked_add(percent.0)?;
        divided(self.0.checked_mul(HUNDRED)?, whole).map(Self)
    }

    /// As an amount: two decimals.
    pub(super) fn cents(self) -> String {
        const CENT: i128 = ONE / 100;
        printed(divided(self.0, CENT).unwrap_or_default(), 2)
    }

    /// With all decimals that say something, and two at least.
    pub(super) fn exact(self) -> String {
        let (mut units, mut decimals) = (self.0, DECIMALS);
        while decimals > 2 && units % 10 == 0 {
            (units, decimals) = (units / 10, decimals - 1);
        }
        printed(units, decimals)
    }
}

/// Half away from nought, for a positive divisor.
fn divided(units: i128, by: i128) -> Option<i128> {
    let (quotient, rest) = (units.checked_div(by)?, units.checked_rem(by)?);
    if rest.checked_abs()?.checked_mul(2)? >= by {
        quotient.checked_add(units.signum())
    } else {
        Some(quotient)
    }
}

fn printed(units: i128, decimals: u32) -> String {
    let sign = if units < 0 { "-" } else { "" };
    let one = 10_u128.pow(decimals);
    let (whole, rest) = (units.unsigned_abs() / one, units.unsigned_abs() % one);
    let width = usize::try_from(decimals).unwrap_or_default();
    format!("{sign}{whole}.{rest:0width$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_printed_as_the_schema_takes_them() {
        for (text, cents, exact) in [
            ("0", "0.00", "0.00"),
            ("-0.001", "0.00", "-0.001"),
            ("-1.5", "-1.50", "-1.50"),
            ("12.345678", "12.35", "12.345678"),
            ("999999999999.99", "999999999999.99", "999999999999.99"),
            ("0.0000000049", "0.00", "0.00"),
        ] {
            let figure = Figure::read(text).unwrap();
            assert_eq!((figure.cents().as_str(), figure.exact().as_str()), (cents, exact), "{text}");
        }
        for text in ["", "x", "1.", "1,5", "1e3", "1000000000000", "999999999999999999"] {
            assert_eq!(Figure::read(text), None, "{text}");
        }
        assert_eq!(Figure::read_percent("21.0%").unwrap().cents(), "21.00");
        assert!(["1000%", "-1%", "%"].into_iter().all(|text| Figure::read_percent(text).is_none()));
    }

    #[test]
    fn a_tax_goes_in_and_out_of_a_price() {
        let (price, percent) = (Figure::read("121.00").unwrap(), Figure::read_percent("21.0%").unwrap());
        assert_eq!(price.without(percent).unwrap().exact(), "100.00");
        assert_eq!(Figure::read("89.90").unwrap().without(percent).unwrap().exact(), "74.29752066");
        assert_eq!(Figure::read("-33.33").unwrap().with(percent).unwrap().exact(), "-40.3293");
    }
}
