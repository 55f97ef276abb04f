//! The lines: net amounts that come to their tax row to the cent, and net prices.
//!
//! See the crate's documentation for what becomes of cents.

use std::cmp::Ordering;

use einvoice_gobl::exact::{Exact, WORKING_DECIMALS};
use einvoice_plugin::Amount;

use crate::codes::UNIT_ONE;
use crate::model::{Line, TaxRow};
use crate::read::{self, Underivable, amount, period, rate_of};
use crate::stored::{self, Document};

/// Decimals of a net price out of one with tax, at least and at most.
const PRICE_DECIMALS: std::ops::RangeInclusive<u8> = 4..=10;

/// A line on its way.
pub(crate) struct NetLine {
    pub(crate) line: Line,
    /// Its total as the document has it, taxes included or not.
    stated: Exact,
    /// Without tax, before it is rounded.
    exact: Exact,
    /// Whether the tax was taken out.
    includes_tax: bool,
}

/// The lines, each rounded on its own.
pub(crate) fn net_lines(document: &Document, decimals: u8) -> Result<Vec<NetLine>, Underivable> {
    document
        .lines
        .iter()
        .zip(1_u32..)
        .map(|(line, position)| read_line(document, line, position, decimals))
        .collect()
}

fn read_line(
    document: &Document,
    stored: &stored::Line,
    position: u32,
    decimals: u8,
) -> Result<NetLine, Underivable> {
    let (mut price, mut quantity) = (amount(&stored.item.price)?, amount(&stored.quantity)?);
    if price.is_negative() {
        price = negated(price).ok_or(Underivable::Figure)?;
        quantity = negated(quantity).ok_or(Underivable::Figure)?;
    }
    let combo = stored.charged(document);
    if combo.is_some_and(|combo| combo.surcharge.is_some()) {
        return Err(Underivable::Surcharge);
    }
    let category = combo.map(rate_category).unwrap_or_default();
    let rate = combo.map(|combo| rate_of(combo.percent.as_deref(), category)).transpose()?.flatten();
    let stated = stated(document, stored, price, quantity, decimals)?;
    let taxed = rate.filter(|rate| !rate.is_zero());
    let included = combo.is_some_and(|combo| combo.cat == document.tax.prices_include);
    let (exact, price) = match taxed.filter(|_| included) {
        Some(rate) => {
            let wide = stated.widen(WORKING_DECIMALS).and_then(|stated| stated.without(rate));
            (wide.ok_or(Underivable::Figure)?, net_price(price, quantity, rate).ok_or(Underivable::Figure)?)
        }
        None => (stated, price),
    };
    let net = exact.round(decimals).and_then(Exact::amount).ok_or(Underivable::Figure)?;
    let line = Line {
        id: if stored.i == 0 { position } else { stored.i }.to_string(),
        quantity,
        unit: UNIT_ONE,
        net,
        period: stored.period.as_ref().map(period).transpose()?,
        price,
        category: category.to_owned(),
        rate,
        name: stored.item.name.trim().to_owned(),
    };
    Ok(NetLine { line, stated, exact, includes_tax: included && taxed.is_some() })
}

/// The VAT category (UNTDID 5305) of a line.
fn rate_category(combo: &stored::Combo) -> &str {
    read::category(&combo.ext, &combo.key)
}

/// The line's total with all its decimals: price × quantity where that is what the document states, rounded.
fn stated(
    document: &Document,
    stored: &stored::Line,
    price: Amount,
    quantity: Amount,
    decimals: u8,
) -> Result<Exact, Underivable> {
    let printed = Exact::of(amount(&stored.total)?);
    let by_rows = document.tax.rounding == "currency";
    let computed = if by_rows {
        Exact::of(price).widen(decimals).and_then(|price| price.times(quantity)?.round(decimals))
    } else {
        Exact::line(price, quantity)
    };
    let exact = computed.ok_or(Underivable::Figure)?;
    let scale = amount(&stored.total)?.scale;
    let same = exact.round(scale).and_then(|rounded| rounded.compare(printed)) == Some(Ordering::Equal);
    Ok(if same { exact } else { printed })
}

/// With as many decimals as keep quantity × price within half a cent of what it was.
fn net_price(price: Amount, quantity: Amount, rate: Amount) -> Option<Amount> {
    let whole = Exact::of(quantity).round(0)?.units().unsigned_abs();
    let digits = u8::try_from(whole.checked_ilog10().unwrap_or_default().checked_add(1)?).ok()?;
    let (least, most) = (*PRICE_DECIMALS.start(), *PRICE_DECIMALS.end());
    let decimals = digits.checked_add(2)?.clamp(least, most);
    let net = Exact::of(price).widen(decimals)?.without(rate)?.amount()?;
    Some(net.canonical(2))
}

fn negated(amount: Amount) -> Option<Amount> {
    Some(Amount::new(amount.units.checked_neg()?, amount.scale))
}

/// Lets the lines of a tax row come to it, and gives the row's base.
///
/// Where prices include the tax, that is the gross of its lines less its tax; else what the document states. A base that is
/// off by more than the roundings of its lines, to `precision` decimals, stays as it is stated, for the rules to find. A currency
/// without cents rounds more than cents can settle: there the lines stay as they are, and the base is their sum.
pub(crate) fn settle(lines: &mut [NetLine], row: &TaxRow, precision: u8) -> Option<Amount> {
    let decimals = precision.max(2);
    let mut of_row: Vec<&mut NetLine> = lines.iter_mut().filter(|line| is_of(&line.line, row)).collect();
    let stated = row.base;
    let mut target = Exact::of(stated);
    if !of_row.is_empty() && of_row.iter().all(|line| line.includes_tax) {
        let zero = Exact::of(Amount::new(0, decimals));
        let gross = of_row.iter().try_fold(zero, |sum, line| sum.plus(line.stated))?.round(decimals)?;
        let net = gross.minus(Exact::of(row.amount))?;
        if within(net, target, of_row.len().saturating_add(1), precision)? {
            target = net;
        }
    }
    let mut sum = Exact::of(Amount::new(0, decimals));
    for line in &of_row {
        sum = sum.plus(Exact::of(line.line.net))?;
    }
    let off = target.minus(sum)?;
    let cents = off.round(decimals)?;
    let count = usize::try_from(cents.units().unsigned_abs()).ok()?;
    if count > 0 && count <= of_row.len() && cents.compare(off)? == Ordering::Equal {
        // What rounding took from a line, most first where cents are missing, least first where they are too many.
        let moved = |line: &NetLine| line.exact.minus(Exact::of(line.line.net));
        of_row.sort_by(|a, b| {
            let order = moved(a).zip(moved(b)).and_then(|(a, b)| a.compare(b)).unwrap_or(Ordering::Equal);
            if cents.units() > 0 { order.reverse() } else { order }
        });
        let cent = i64::try_from(cents.units().signum()).ok()?;
        for line in of_row.iter_mut().take(count) {
            line.line.net.units = line.line.net.units.checked_add(cent)?;
        }
    } else if precision < decimals && within(target, sum, of_row.len().saturating_add(1), precision)? {
        target = sum;
    }
    target.amount()
}

/// Whether a line belongs to a tax row.
pub(crate) fn is_of(line: &Line, row: &TaxRow) -> bool {
    let rate = |rate: Option<Amount>| rate.unwrap_or(Amount::new(0, 0));
    line.category == row.category && rate(line.rate).same_value(rate(row.rate))
}

/// Whether two figures differ by no more than half a unit for each of `roundings`.
pub(crate) fn within(a: Exact, b: Exact, roundings: usize, decimals: u8) -> Option<bool> {
    let halves = i64::try_from(roundings).ok()?.checked_mul(5)?;
    let limit = Exact::of(Amount::new(halves, decimals.checked_add(1)?));
    let off = a.minus(b)?;
    let size = if off.units() < 0 { b.minus(a)? } else { off };
    Some(size.compare(limit)? != Ordering::Greater)
}
