//! Lines of a record: net values and VAT to the cent that add up to the totals.

use einvoice_gobl::decimal::Decimal;
use einvoice_gobl::stored;

use super::{Income, Line};
use crate::tables::{EXT_EXEMPTION, EXT_INCOME_CATEGORY, EXT_INCOME_TYPE, EXT_VAT_RATE};

/// The tax that a record states on its lines.
const VAT: &str = "VAT";
/// How far a line's total may lie from its price times its quantity, for the format rounds it.
const TOTAL_TOLERANCE: Decimal = Decimal::hundredths(1);
/// How far totals may lie from their lines by rounding alone.
const LEFT_MAX: Decimal = Decimal::hundredths(10);

/// All lines, whose figures come to `net` and `vat`.
pub(super) fn lines(document: &stored::Invoice, net: Decimal, vat: Decimal) -> Vec<Line> {
    let includes = document.tax.prices_include == VAT;
    let mut lines: Vec<_> = document.lines.iter().map(|line| of(line, includes)).collect();
    share(&mut lines, |line| &mut line.net, net);
    share(&mut lines, |line| &mut line.vat, vat);
    lines
}

/// A line with exact figures.
fn of(line: &stored::Line, includes: bool) -> Line {
    let combo = line.taxes.iter().find(|combo| combo.cat == VAT);
    let percent = combo.and_then(|combo| combo.percent).map_or(Decimal::ZERO, |percent| percent.0);
    // The format rounds the total to the decimals of the price.
    let exact = line.item.price.times(line.quantity).unwrap_or(line.total);
    let is_rounded = exact.minus(line.total).abs() <= TOTAL_TOLERANCE;
    let total = if is_rounded { exact } else { line.total };
    let net = if includes { total.without_percent(percent) } else { Some(total) }.unwrap_or(total);
    let code = |key: &str| combo.and_then(|combo| combo.ext.get(key).cloned());
    let of_item = |key: &str| line.item.ext.get(key).cloned();
    Line {
        index: line.i,
        net,
        vat_category: code(EXT_VAT_RATE).unwrap_or_default(),
        vat: net.percent(percent).unwrap_or_default(),
        exemption: code(EXT_EXEMPTION),
        income: of_item(EXT_INCOME_TYPE)
            .zip(of_item(EXT_INCOME_CATEGORY))
            .map(|(kind, category)| Income { kind, category }),
    }
}

/// Rounds a figure of all lines. What they have been rounded by so far goes on to the next, so that none is off by more
/// than a cent; what the total was rounded by goes to the largest.
fn share(lines: &mut [Line], figure: fn(&mut Line) -> &mut Decimal, total: Decimal) {
    let (mut exact, mut rounded) = (Decimal::ZERO, Decimal::ZERO);
    for line in lines.iter_mut() {
        let own = figure(line);
        exact = exact.plus(*own);
        *own = exact.rounded().minus(rounded);
        rounded = exact.rounded();
    }
    let left = total.minus(rounded);
    let largest = lines.iter_mut().map(figure).max();
    if let Some(own) = largest.filter(|own| left.abs() <= LEFT_MAX && !own.plus(left).is_negative()) {
        *own = own.plus(left);
    }
}
