//! Lines of the file: net, in cents.

use einvoice_gobl::decimal::Decimal;
use einvoice_gobl::stored;

use super::{Line, Product, Row, Tax};
use crate::number::SEPARATOR;
use crate::tables::{EXT_EXEMPTION, EXT_PRODUCT_TYPE, EXT_REGION, EXT_TAX_RATE};

/// The category of the format.
pub(super) const VAT: &str = "VAT";
/// How many cents a row may differ from its lines by rounding alone.
const LEFT_CENTS_MAX: i128 = 100;
/// How far a line's total may lie from its price times its quantity, for the format rounds it.
const TOTAL_TOLERANCE: Decimal = Decimal::hundredths(1);

/// All lines with the products that they sell. `rows` is what they add up to.
pub(super) fn lines(document: &stored::Invoice, rows: &[Row]) -> (Vec<Line>, Vec<Product>) {
    let mut products = Vec::new();
    let mut lines: Vec<_> = document.lines.iter().map(|line| of(document, line, &mut products)).collect();
    share(&mut lines, rows);
    (lines, products)
}

fn of(document: &stored::Invoice, line: &stored::Line, products: &mut Vec<Product>) -> Line {
    let vat = line.taxes.iter().find(|combo| combo.cat == VAT);
    let tax = vat.map_or_else(|| tax(&stored::Ext::new(), None), |combo| tax(&combo.ext, combo.percent));
    let includes = document.tax.prices_include == VAT;
    let net = |amount: Decimal| if includes { amount.without_percent(tax.percent) } else { Some(amount) };
    // The format rounds the total to the decimals of the price; here it is wanted in full.
    let exact = line.item.price.times(line.quantity).unwrap_or(line.total);
    let is_rounded = exact.minus(line.total).abs() <= TOTAL_TOLERANCE;
    let total = if is_rounded { exact } else { line.total };
    let description = one_line(&line.item.name);
    let kind = line.item.ext.get(EXT_PRODUCT_TYPE).cloned().unwrap_or_default();
    let product = Product { kind, description: description.clone() };
    let at = products.iter().position(|known| *known == product).unwrap_or_else(|| {
        products.push(product);
        products.len() - 1
    });
    let tax_point = if document.op_date.is_empty() { &document.issue_date } else { &document.op_date };
    let references = document.preceding.iter();
    Line {
        index: line.i,
        product: at,
        description,
        quantity: line.quantity,
        price: net(line.item.price).unwrap_or(line.item.price),
        tax_point: tax_point.clone(),
        references: references.map(|one| (one.number(SEPARATOR), one_line(&one.reason))).collect(),
        amount: net(total).unwrap_or(total),
        tax,
    }
}

/// A tax by its codes.
pub(super) fn tax(ext: &stored::Ext, percent: Option<einvoice_gobl::decimal::Percent>) -> Tax {
    let code = |key: &str| ext.get(key).cloned();
    Tax {
        region: code(EXT_REGION).unwrap_or_default(),
        code: code(EXT_TAX_RATE).unwrap_or_default(),
        percent: percent.map_or(Decimal::ZERO, |percent| percent.0),
        exemption: code(EXT_EXEMPTION),
    }
}

/// Rounds the lines, so that those of a row add up to its base.
fn share(lines: &mut [Line], rows: &[Row]) {
    for row in rows {
        let (mut exact, mut rounded) = (Decimal::ZERO, Decimal::ZERO);
        let mut largest: Option<&mut Line> = None;
        for line in lines.iter_mut().filter(|line| line.tax == row.tax) {
            exact = exact.plus(line.amount);
            line.amount = exact.rounded().minus(rounded);
            rounded = exact.rounded();
            if largest.as_ref().is_none_or(|largest| largest.amount < line.amount) {
                largest = Some(line);
            }
        }
        let left = row.base.minus(rounded);
        if let Some(line) = largest.filter(|_| left.abs() <= Decimal::hundredths(LEFT_CENTS_MAX)) {
            line.amount = line.amount.plus(left);
        }
    }
}

/// A text without line breaks and double spaces.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
