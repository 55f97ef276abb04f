//! Lines of a file: net in an ordinary one, with tax in a simplified one.

use einvoice_gobl::decimal::Decimal;
use einvoice_gobl::stored;

use super::{Line, Summary, breakdown};
use crate::tables::EXT_EXEMPT;

/// How far a line's total may lie from its price times its quantity, for the format rounds it.
const TOTAL_TOLERANCE: Decimal = Decimal::hundredths(1);

/// All lines. `summary` is what they add up to.
pub(super) fn lines(document: &stored::Invoice, summary: &[Summary]) -> Vec<Line> {
    let includes = document.tax.prices_include == breakdown::VAT;
    let mut lines: Vec<_> = document.lines.iter().map(|line| of(line, includes)).collect();
    share(&mut lines, summary);
    lines
}

fn of(line: &stored::Line, includes: bool) -> Line {
    let vat = line.taxes.iter().find(|combo| combo.cat == breakdown::VAT);
    let rate = vat.and_then(|combo| combo.percent).map_or(Decimal::ZERO, |percent| percent.0);
    let net = |amount: Decimal| if includes { amount.without_percent(rate) } else { Some(amount) };
    // A negative quantity is none in the schema, a negative price is one.
    let sign = |amount: Decimal| if line.quantity.is_negative() { amount.negated() } else { amount };
    let price = line.item.price;
    // The format rounds the total to the decimals of the price; the file has it in full, as SdI computes it.
    let exact = price.times(line.quantity).unwrap_or(line.total);
    let is_rounded = exact.minus(line.total).abs() <= TOTAL_TOLERANCE;
    let total = if is_rounded { exact } else { line.total };
    let net_total = net(total).unwrap_or(total);
    let with_tax = if includes { Some(total) } else { total.percent(rate).map(|tax| total.plus(tax)) };
    let withheld = |combo: &stored::Combo| breakdown::retention_kind(&combo.cat).is_some();
    Line {
        index: line.i,
        description: line.item.name.split_whitespace().collect::<Vec<_>>().join(" "),
        quantity: line.quantity.abs(),
        period: line.period.as_ref().map(|period| (period.start.clone(), period.end.clone())),
        price: sign(net(price).unwrap_or(price)),
        total: net_total,
        total_with_tax: with_tax.unwrap_or(total),
        rate,
        is_withheld: line.taxes.iter().any(withheld),
        nature: vat.and_then(|combo| combo.ext.get(EXT_EXEMPT).cloned()),
    }
}

/// Rounds what the lines come to with tax, so that those of a row add up to the row.
fn share(lines: &mut [Line], summary: &[Summary]) {
    for row in summary {
        let of_row = |line: &&mut Line| line.rate == row.rate && line.nature == row.nature;
        let (mut exact, mut rounded) = (Decimal::ZERO, Decimal::ZERO);
        let mut last = None;
        for line in lines.iter_mut().filter(of_row) {
            exact = exact.plus(line.total_with_tax);
            line.total_with_tax = exact.rounded().minus(rounded);
            rounded = exact.rounded();
            last = Some(line);
        }
        let left = row.base.plus(row.tax).minus(rounded);
        if let Some(line) = last.filter(|_| left.abs() <= Decimal::hundredths(LEFT_CENTS_MAX)) {
            line.total_with_tax = line.total_with_tax.plus(left);
        }
    }
}

/// How many cents a row may differ from its lines by rounding alone.
const LEFT_CENTS_MAX: i128 = 100;
