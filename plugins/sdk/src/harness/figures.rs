//! Line sums and totals by the algorithm of the structured format: net to gross, aggregated per rate, rounded half away
//! from zero; at the very end, or, with [`Rounding::Currency`], whenever a row is added.

use super::CURRENCY_DECIMALS;
use crate::{Amount, CategoryTotal, Invoice, RateTotal, Rounding, Tax};

/// Decimals that intermediate figures carry beyond the currency's.
const WORKING_DECIMALS: u8 = CURRENCY_DECIMALS + 2;

/// An exact figure on its way: wide enough for products.
#[derive(Clone, Copy)]
struct Exact {
    units: i128,
    scale: u8,
}

type FigureResult<T> = Result<T, String>;

/// Fills `sum` and `total` of every line and every figure of `invoice.totals`.
pub(super) fn fill(invoice: &mut Invoice, rounding: Rounding) -> FigureResult<()> {
    let step = |figure: Exact| match rounding {
        Rounding::Precise => Ok(figure),
        Rounding::Currency => figure.round(CURRENCY_DECIMALS),
    };
    let decimals = match rounding {
        Rounding::Precise => WORKING_DECIMALS,
        Rounding::Currency => CURRENCY_DECIMALS,
    };
    let included = invoice
        .prices_include_tax
        .then(|| invoice.lines.first().map(|line| line.tax.category.clone()))
        .flatten();
    let (mut sum, mut bases) = (Exact::ZERO, Vec::<(Tax, Exact)>::new());
    let mut net_base = Exact::ZERO;
    for line in &mut invoice.lines {
        line.unit_price = Exact::of(line.unit_price).widen(CURRENCY_DECIMALS)?.to_amount()?;
        let exact = step(Exact::of(line.unit_price).widen(decimals)?.times(line.quantity)?)?;
        line.sum = exact.narrow(line.unit_price.scale)?.to_amount()?;
        line.total = line.sum;
        sum = sum.plus(exact)?;
        let net = match line.tax.rate {
            Some(rate) if included.as_deref() == Some(line.tax.category.as_str()) => {
                exact.widen(WORKING_DECIMALS)?.without(rate)?
            }
            _ => exact,
        };
        let net = step(net)?;
        net_base = net_base.plus(net)?;
        match bases.iter_mut().find(|(tax, _)| same_row(tax, &line.tax)) {
            Some((_, base)) => *base = base.plus(net)?,
            None => bases.push((line.tax.clone(), Exact::ZERO.plus(net)?)),
        }
    }
    let exact = totals_of(invoice, &bases, included.as_deref())?;
    let totals = &mut invoice.totals;
    totals.sum = sum.to_printed()?;
    totals.tax_included = included.map(|_| exact.included.to_printed()).transpose()?;
    let net = sum.minus(exact.included)?;
    let gross = net.plus(exact.tax)?;
    let mut retained = Exact::ZERO;
    for retention in &mut totals.retentions {
        let amount = net_base.percent(retention.rate)?;
        retained = retained.plus(amount)?;
        (retention.base, retention.amount) = (net_base.to_printed()?, amount.to_printed()?);
    }
    totals.net = net.to_printed()?;
    totals.tax = exact.tax.to_printed()?;
    totals.gross = gross.to_printed()?;
    totals.retained = retained.to_printed()?;
    totals.payable = gross.minus(retained)?.to_printed()?;
    Ok(())
}

/// Whether two lines share a row of the breakdown: percents compare by value, 10 is 10.0.
fn same_row(a: &Tax, b: &Tax) -> bool {
    let same = |a: Option<Amount>, b: Option<Amount>| match (a, b) {
        (Some(a), Some(b)) => a.same_value(b),
        (a, b) => a.is_none() && b.is_none(),
    };
    a.category == b.category
        && a.exemption == b.exemption
        && same(a.rate, b.rate)
        && same(a.surcharge, b.surcharge)
}

struct ExactTotals {
    tax: Exact,
    included: Exact,
}

fn totals_of(
    invoice: &mut Invoice,
    bases: &[(Tax, Exact)],
    included: Option<&str>,
) -> FigureResult<ExactTotals> {
    let (mut tax, mut included_tax) = (Exact::ZERO, Exact::ZERO);
    let mut exact: Vec<(Exact, Option<Exact>)> = Vec::new();
    for (of, base) in bases {
        let amount = of.rate.map_or(Ok(Exact::ZERO), |rate| base.percent(rate))?;
        let surcharge = of.surcharge.map(|rate| base.percent(rate)).transpose()?;
        tax = tax.plus(amount)?.plus(surcharge.unwrap_or(Exact::ZERO))?;
        if included == Some(of.category.as_str()) {
            included_tax = included_tax.plus(amount)?;
        }
        let categories = &mut invoice.totals.categories;
        let at = categories.iter().position(|category| category.category == of.category);
        let at = at.unwrap_or_else(|| {
            let zero = Amount::new(0, CURRENCY_DECIMALS);
            let category = of.category.clone();
            categories.push(CategoryTotal {
                category,
                rates: Vec::new(),
                amount: zero,
                surcharge_amount: None,
            });
            exact.push((Exact::ZERO, None));
            categories.len() - 1
        });
        let (Some(category), Some(sums)) = (categories.get_mut(at), exact.get_mut(at)) else { continue };
        sums.0 = sums.0.plus(amount)?;
        if let Some(more) = surcharge {
            sums.1 = Some(sums.1.unwrap_or(Exact::ZERO).plus(more)?);
        }
        category.amount = sums.0.to_printed()?;
        category.surcharge_amount = sums.1.map(Exact::to_printed).transpose()?;
        category.rates.push(RateTotal {
            rate: of.rate,
            surcharge: of.surcharge,
            exemption: of.exemption.clone(),
            base: base.to_printed()?,
            amount: amount.to_printed()?,
            surcharge_amount: surcharge.map(Exact::to_printed).transpose()?,
        });
    }
    Ok(ExactTotals { tax, included: included_tax })
}

impl Exact {
    const ZERO: Self = Self { units: 0, scale: CURRENCY_DECIMALS };

    fn of(amount: Amount) -> Self {
        Self { units: i128::from(amount.units), scale: amount.scale }
    }

    fn to_amount(self) -> FigureResult<Amount> {
        Ok(Amount::new(i64::try_from(self.units).map_err(|_| too_large())?, self.scale))
    }

    fn to_printed(self) -> FigureResult<Amount> {
        self.round(CURRENCY_DECIMALS)?.to_amount()
    }

    /// To at least `scale` decimals.
    fn widen(self, scale: u8) -> FigureResult<Self> {
        if self.scale >= scale { Ok(self) } else { self.round(scale) }
    }

    /// To at most `scale` decimals.
    fn narrow(self, scale: u8) -> FigureResult<Self> {
        if self.scale <= scale { Ok(self) } else { self.round(scale) }
    }

    /// To exactly `scale` decimals, half away from zero.
    fn round(self, scale: u8) -> FigureResult<Self> {
        let units = if scale >= self.scale {
            self.units.checked_mul(power(scale - self.scale)?).ok_or_else(too_large)?
        } else {
            divide(self.units, power(self.scale - scale)?)
        };
        Ok(Self { units, scale })
    }

    /// Keeps every decimal of both.
    fn plus(self, other: Self) -> FigureResult<Self> {
        let scale = self.scale.max(other.scale);
        let (left, right) = (self.widen(scale)?, other.widen(scale)?);
        Ok(Self { units: left.units.checked_add(right.units).ok_or_else(too_large)?, scale })
    }

    fn minus(self, other: Self) -> FigureResult<Self> {
        self.plus(Self { units: -other.units, scale: other.scale })
    }

    /// The product, with the decimals of `self`.
    fn times(self, factor: Amount) -> FigureResult<Self> {
        let product = self.units.checked_mul(i128::from(factor.units)).ok_or_else(too_large)?;
        Ok(Self { units: divide(product, power(factor.scale)?), scale: self.scale })
    }

    fn percent(self, percent: Amount) -> FigureResult<Self> {
        self.times(Amount::new(percent.units, percent.scale + 2))
    }

    /// What is left when `percent` is taken out.
    fn without(self, percent: Amount) -> FigureResult<Self> {
        let hundred = power(percent.scale + 2)?;
        let scaled = self.units.checked_mul(hundred).ok_or_else(too_large)?;
        Ok(Self { units: divide(scaled, hundred + i128::from(percent.units)), scale: self.scale })
    }
}

fn power(exponent: u8) -> FigureResult<i128> {
    10_i128.checked_pow(u32::from(exponent)).ok_or_else(too_large)
}

/// Half away from zero, for a positive divisor.
fn divide(units: i128, by: i128) -> i128 {
    let (quotient, rest) = (units / by, units % by);
    if rest.abs() * 2 >= by { quotient + units.signum() } else { quotient }
}

fn too_large() -> String {
    "a figure has too many digits".to_owned()
}
