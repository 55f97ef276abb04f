//! What the document comes to, row by row of the declaration.

use super::Fields;
use crate::authority::document::{Invoice, Rate};
use crate::authority::figures::Figure;
use crate::fa3;

/// A row of the declaration with its elements, in the schema's order: net, tax, tax in zloty.
const ROWS: [(&str, &str, Option<&str>, Option<&str>); 13] = [
    ("1", "P_13_1", Some("P_14_1"), Some("P_14_1W")),
    ("2", "P_13_2", Some("P_14_2"), Some("P_14_2W")),
    ("3", "P_13_3", Some("P_14_3"), Some("P_14_3W")),
    ("4", "P_13_4", Some("P_14_4"), Some("P_14_4W")),
    ("5", "P_13_5", Some("P_14_5"), None),
    ("6.1", "P_13_6_1", None, None),
    ("6.2", "P_13_6_2", None, None),
    ("6.3", "P_13_6_3", None, None),
    ("7", "P_13_7", None, None),
    ("8", "P_13_8", None, None),
    ("9", "P_13_9", None, None),
    ("10", "P_13_10", None, None),
    ("11", "P_13_11", None, None),
];

/// From `P_13_1` to `P_15`, and the rate of exchange of an advance.
pub(super) fn sums(fields: &mut Fields<'_>, invoice: &Invoice) {
    let rate = invoice.exchange_rate();
    for (category, net, tax, tax_in_zloty) in ROWS {
        let rows: Vec<&Rate> = invoice.rates().filter(|row| row.category() == category).collect();
        if rows.is_empty() {
            continue;
        }
        let sum = |figure: fn(&Rate) -> Figure| {
            let sum = rows.iter().map(|row| figure(row)).fold(Figure::default(), Figure::plus);
            stated(invoice, sum)
        };
        let tax_sum = sum(|row| row.amount);
        fields.text(net, fa3::AMOUNT, &sum(|row| row.base).money());
        if let Some(tax) = tax {
            fields.text(tax, fa3::AMOUNT, &tax_sum.money());
        }
        if let (Some(name), Some(rate)) = (tax_in_zloty, rate) {
            fields.text(name, fa3::AMOUNT, &tax_sum.times(rate).money());
        }
    }
    fields.text("P_15", fa3::AMOUNT, &stated(invoice, invoice.totals.payable).money());
    if let Some(rate) = rate.filter(|_| invoice.invoice_type() == "ZAL") {
        fields.text("KursWalutyZ", fa3::QUANTITY, &rate.plain());
    }
}

/// A figure of the document as KSeF takes it: what is credited is a difference below nought.
pub(super) fn stated(invoice: &Invoice, figure: Figure) -> Figure {
    if invoice.is_credit() { figure.negated() } else { figure }
}
