//! Exact decimals with the rounding rules of the structured format.
//!
//! An [`Amount`] remembers how many decimals it was written with, because the format's arithmetic depends on
//! it: a sum keeps the decimals of its left side, a product too, and whatever does not fit is rounded half
//! away from zero. Nothing here ever goes through a float.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

/// Most significant digits a decimal may be written with; as in the structured format.
pub const DIGITS_MAX: usize = 18;
/// The same, as decimals.
const SCALE_MAX: u8 = 18;

/// When the format rounds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rounding {
    /// Sums are exact and rounded once at the end.
    #[default]
    Precise,
    /// Every row is rounded to the currency before it is added.
    Currency,
}

impl Rounding {
    /// Both rules, the format's own first.
    pub const ALL: [Self; 2] = [Self::Precise, Self::Currency];

    /// Whether it is what the format goes by where nothing is said.
    pub const fn is_precise(&self) -> bool {
        matches!(self, Self::Precise)
    }
}

/// An exact decimal: `units` × 10^-`scale`; 12.345 is `{ 12345, 3 }`.
///
/// Equality is by value *and* decimals ("1.0" ≠ "1.00"); compare values with [`Amount::same_value`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Amount {
    units: i64,
    scale: u8,
}

/// Why a text is no decimal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAnAmount {
    /// Something else than an optional sign, digits and at most one point with digits behind it.
    #[error("write a decimal number as a string, such as \"12.50\"")]
    Syntax,
    /// More digits than can be computed with exactly.
    #[error("a decimal number may have at most {DIGITS_MAX} digits")]
    TooManyDigits,
}

/// A result does not fit the exact arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the amounts are too large to be computed exactly: split the document or use fewer digits")]
pub struct TooLarge;

impl Amount {
    /// Nothing, without decimals.
    pub const ZERO: Self = Self { units: 0, scale: 0 };

    /// `units` × 10^-`scale`. Fails above [`DIGITS_MAX`] decimals.
    pub const fn new(units: i64, scale: u8) -> Result<Self, TooLarge> {
        if scale > SCALE_MAX { Err(TooLarge) } else { Ok(Self { units, scale }) }
    }

    /// Nothing, with the decimals of a currency.
    pub const fn zero(scale: u8) -> Self {
        Self { units: 0, scale }
    }

    /// The digits without the point.
    pub const fn units(self) -> i64 {
        self.units
    }

    /// How many of the digits stand behind the point.
    pub const fn scale(self) -> u8 {
        self.scale
    }

    /// Whether the value is zero.
    pub const fn is_zero(self) -> bool {
        self.units == 0
    }

    /// Whether the value is below zero.
    pub const fn is_negative(self) -> bool {
        self.units < 0
    }

    fn narrowed(wide: Option<i128>, scale: u8) -> Result<Self, TooLarge> {
        let units = wide.and_then(|units| i64::try_from(units).ok()).ok_or(TooLarge)?;
        Self::new(units, scale)
    }

    /// The same value with `scale` decimals, rounded half away from zero when some are dropped.
    pub fn rescale(self, scale: u8) -> Result<Self, TooLarge> {
        let units = i128::from(self.units);
        if scale >= self.scale {
            Self::narrowed(units.checked_mul(power_of_ten(scale.saturating_sub(self.scale))), scale)
        } else {
            Self::narrowed(divide_rounded(units, power_of_ten(self.scale.saturating_sub(scale))), scale)
        }
    }

    /// At least `scale` decimals.
    pub fn rescale_up(self, scale: u8) -> Result<Self, TooLarge> {
        if scale > self.scale { self.rescale(scale) } else { Ok(self) }
    }

    /// At most `scale` decimals.
    pub fn rescale_down(self, scale: u8) -> Result<Self, TooLarge> {
        if scale < self.scale { self.rescale(scale) } else { Ok(self) }
    }

    /// The sum, with the decimals of `self`: the other side is rounded to them first.
    pub fn plus(self, other: Self) -> Result<Self, TooLarge> {
        let other = other.rescale(self.scale)?;
        Self::narrowed(i128::from(self.units).checked_add(i128::from(other.units)), self.scale)
    }

    /// The sum, with the decimals of whichever side has more: exact.
    pub fn plus_exact(self, other: Self) -> Result<Self, TooLarge> {
        self.rescale_up(other.scale)?.plus(other)
    }

    /// The product, rounded to the decimals of `self`.
    pub fn times(self, other: Self) -> Result<Self, TooLarge> {
        let product = i128::from(self.units).checked_mul(i128::from(other.units));
        Self::narrowed(product.and_then(|wide| divide_rounded(wide, power_of_ten(other.scale))), self.scale)
    }

    /// The quotient, rounded to the decimals of `self`. Fails on zero.
    pub fn divided_by(self, other: Self) -> Result<Self, TooLarge> {
        let scaled = i128::from(self.units).checked_mul(power_of_ten(other.scale));
        Self::narrowed(scaled.and_then(|wide| divide_rounded(wide, i128::from(other.units))), self.scale)
    }

    /// The value with its sign turned.
    #[must_use]
    pub const fn negate(self) -> Self {
        Self { units: self.units.saturating_neg(), scale: self.scale }
    }

    /// Whether both are the same number, however it is written.
    pub fn same_value(self, other: Self) -> bool {
        self.cmp_value(other).is_eq()
    }

    /// Which of two is larger, however they are written.
    pub fn cmp_value(self, other: Self) -> std::cmp::Ordering {
        let scale = self.scale.max(other.scale);
        let wide = |amount: Self| {
            i128::from(amount.units).saturating_mul(power_of_ten(scale.saturating_sub(amount.scale)))
        };
        wide(self).cmp(&wide(other))
    }
}

/// A percentage as people write it: 21.0 is `{ 210, 1 }`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ToSchema)]
#[schema(
    value_type = String,
    description = "A percentage without sign, with at least one decimal.",
    pattern = "^-?[0-9]+\\.[0-9]+$",
    examples("10.0")
)]
pub struct Percent(Amount);

impl Percent {
    /// `percent` as people write it, with at least one and no superfluous decimals: "10" is 10.0, "5.20" is 5.2.
    pub fn new(percent: Amount) -> Result<Self, TooLarge> {
        let mut normalised = percent.rescale_up(1)?;
        while normalised.scale > 1 && normalised.units % 10 == 0 {
            normalised = Amount { units: normalised.units / 10, scale: normalised.scale.saturating_sub(1) };
        }
        Ok(Self(normalised))
    }

    /// The percentage as written: 21.0.
    pub const fn value(self) -> Amount {
        self.0
    }

    fn fraction(self) -> Amount {
        Amount { units: self.0.units, scale: self.0.scale.saturating_add(2) }
    }

    /// This share of `base`, with the decimals of `base`.
    pub fn of(self, base: Amount) -> Result<Amount, TooLarge> {
        base.times(self.fraction())
    }

    /// What `amount` was before this percentage was put on it, with the decimals of `amount`.
    pub fn removed_from(self, amount: Amount) -> Result<Amount, TooLarge> {
        let fraction = self.fraction();
        let one = Amount { units: 1, scale: 0 }.rescale(fraction.scale)?;
        amount.divided_by(one.plus(fraction)?)
    }
}

fn power_of_ten(exponent: u8) -> i128 {
    10_i128.saturating_pow(u32::from(exponent))
}

/// Quotient rounded half away from zero; `None` on division by zero.
fn divide_rounded(dividend: i128, divisor: i128) -> Option<i128> {
    let quotient = dividend.checked_div(divisor)?;
    let rest = dividend.checked_rem(divisor)?;
    if rest.unsigned_abs().checked_mul(2)? < divisor.unsigned_abs() {
        return Some(quotient);
    }
    quotient.checked_add(if (dividend < 0) == (divisor < 0) { 1 } else { -1 })
}

impl FromStr for Amount {
    type Err = NotAnAmount;

    fn from_str(text: &str) -> Result<Self, NotAnAmount> {
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (whole, decimals) = digits.split_once('.').map_or((digits, None), |(w, d)| (w, Some(d)));
        let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !all_digits(whole) || !decimals.is_none_or(all_digits) {
            return Err(NotAnAmount::Syntax);
        }
        let decimals = decimals.unwrap_or_default();
        let significant = whole.trim_start_matches('0').len().saturating_add(decimals.len());
        if significant > DIGITS_MAX {
            return Err(NotAnAmount::TooManyDigits);
        }
        let scale = u8::try_from(decimals.len()).map_err(|_| NotAnAmount::TooManyDigits)?;
        let units: i64 = format!("{whole}{decimals}").parse().map_err(|_| NotAnAmount::TooManyDigits)?;
        Ok(Self { units: if negative { units.saturating_neg() } else { units }, scale })
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.units < 0 { "-" } else { "" };
        let digits = self.units.unsigned_abs();
        if self.scale == 0 {
            return write!(f, "{sign}{digits}");
        }
        let power = 10_u64.saturating_pow(u32::from(self.scale));
        let (whole, decimals) = (digits / power, digits % power);
        write!(f, "{sign}{whole}.{decimals:0width$}", width = usize::from(self.scale))
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl PartialSchema for Amount {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some("A decimal number of at most 18 digits, never a JSON number."))
            .pattern(Some(r"^-?[0-9]+(\.[0-9]+)?$"))
            .examples(["89.90"])
            .into()
    }
}

impl ToSchema for Amount {
    fn name() -> Cow<'static, str> {
        "Decimal".into()
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl Serialize for Percent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Percent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(Amount::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn amount(text: &str) -> Amount {
        text.parse().unwrap()
    }

    #[test]
    fn what_is_read_is_written_again() {
        for text in
            ["0", "-0.05", "12.50", "1209.181", "-390.078", "999999999999999999", "0.000000000000000001"]
        {
            assert_eq!(amount(text).to_string(), text);
        }
    }

    #[test]
    fn what_is_no_plain_decimal_is_refused() {
        for text in ["", "-", ".5", "5.", "1e3", "+1", "1,5", " 1", "1.2.3", "--1", "٣"] {
            assert_eq!(text.parse::<Amount>(), Err(NotAnAmount::Syntax), "{text:?}");
        }
        assert_eq!("1234567890123456789".parse::<Amount>(), Err(NotAnAmount::TooManyDigits));
    }

    #[test]
    fn halves_are_rounded_away_from_zero() {
        assert_eq!(amount("2.5").rescale(0), Ok(amount("3")));
        assert_eq!(amount("-2.5").rescale(0), Ok(amount("-3")));
        assert_eq!(amount("2.49").rescale(0), Ok(amount("2")));
        assert_eq!(amount("-1.005").rescale(2), Ok(amount("-1.01")));
    }

    #[test]
    fn a_product_and_a_quotient_keep_the_left_decimals() {
        assert_eq!(amount("10.00").times(amount("0.3333")), Ok(amount("3.33")));
        assert_eq!(amount("10.00").divided_by(amount("3")), Ok(amount("3.33")));
        assert_eq!(amount("-20.00").divided_by(amount("3")), Ok(amount("-6.67")));
        assert_eq!(amount("1.00").divided_by(Amount::ZERO), Err(TooLarge));
    }

    #[test]
    fn a_percentage_is_shown_with_at_least_one_decimal() {
        for (text, expected) in
            [("10", "10.0"), ("21.00", "21.0"), ("5.20", "5.2"), ("0", "0.0"), ("7.25", "7.25")]
        {
            assert_eq!(Percent::new(amount(text)).unwrap().to_string(), expected);
        }
    }

    #[test]
    fn a_percentage_is_put_on_and_taken_off() {
        let vat = Percent::new(amount("21")).unwrap();
        assert_eq!(vat.of(amount("100.0000")), Ok(amount("21.0000")));
        assert_eq!(vat.removed_from(amount("121.0000")), Ok(amount("100.0000")));
    }

    #[test]
    fn an_overflow_is_an_error_not_a_wrong_number() {
        assert_eq!(amount("999999999999999999").times(amount("1000")), Err(TooLarge));
        assert_eq!(amount("999999999999999999").rescale(4), Err(TooLarge));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_and_never_panics(text in ".{0,40}") {
            if let Ok(read) = text.parse::<Amount>() {
                prop_assert!(read.same_value(read.to_string().parse().unwrap()));
            }
        }

        #[test]
        fn rounding_moves_a_value_by_at_most_half_a_unit(units in -9_000_000_000_i64..9_000_000_000, from in 0_u8..9, to in 0_u8..9) {
            let exact = Amount::new(units, from).unwrap();
            let rounded = exact.rescale(to).unwrap();
            let off = i128::from(rounded.units) * power_of_ten(9 - to) - i128::from(units) * power_of_ten(9 - from);
            prop_assert!(off.abs() * 2 <= power_of_ten(9 - to));
        }
    }
}
