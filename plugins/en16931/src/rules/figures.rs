//! Sums, and their decimals.

use einvoice_gobl::exact::Exact;
use einvoice_plugin::Amount;

use super::{Rule, rule};

/// Decimals of every amount but a price.
const DECIMALS: u8 = 2;

pub(super) const RULES: &[Rule] = &[
    rule(
        "BR-CO-13",
        |invoice| !is(Some(Exact::of(invoice.totals.net)), Some(Exact::of(invoice.totals.lines))),
        "The total without VAT (BT-109) is not the sum of the lines; convert the invoice again.",
    ),
    rule(
        "BR-CO-14",
        |invoice| {
            let rows = sum(invoice.tax_rows.iter().map(|row| row.amount));
            !invoice.tax_rows.is_empty() && !is(Some(Exact::of(invoice.totals.tax)), rows)
        },
        "The total VAT (BT-110) is not the sum of the breakdown; convert the invoice again.",
    ),
    rule(
        "BR-CO-15",
        |invoice| {
            let parts = sum([invoice.totals.net, invoice.totals.tax].into_iter());
            !is(Some(Exact::of(invoice.totals.gross)), parts)
        },
        "The total with VAT (BT-112) is not the total without it and the VAT; convert the invoice again.",
    ),
    rule(
        "BR-CO-16",
        |invoice| {
            let totals = &invoice.totals;
            let due = sum([totals.gross].into_iter().chain(totals.rounding));
            let paid = sum(totals.paid.into_iter());
            !is(Some(Exact::of(totals.payable)), due.zip(paid).and_then(|(due, paid)| due.minus(paid)))
        },
        "The amount due (BT-115) is not the total with VAT less what was paid; convert the invoice again.",
    ),
    rule(
        "BR-CO-17",
        |invoice| {
            invoice.tax_rows.iter().any(|row| {
                let tax = Exact::of(row.base).percent(row.rate.unwrap_or(Amount::new(0, 0)));
                !is_near_in_size(tax, row.amount)
            })
        },
        "The VAT of a row (BT-117) is not its base at its rate; convert the invoice again.",
    ),
    rule(
        "BR-DEC-18",
        |invoice| invoice.totals.payable.scale > DECIMALS,
        "The amount due (BT-115) has more than two decimals; issue the invoice in another currency.",
    ),
    rule(
        "BR-DEC-19",
        |invoice| invoice.tax_rows.iter().any(|row| row.base.scale > DECIMALS),
        "A base of VAT (BT-116) has more than two decimals; issue the invoice in another currency.",
    ),
    rule(
        "BR-DEC-20",
        |invoice| invoice.tax_rows.iter().any(|row| row.amount.scale > DECIMALS),
        "A VAT amount (BT-117) has more than two decimals; issue the invoice in another currency.",
    ),
    rule(
        "BR-DEC-23",
        |invoice| invoice.lines.iter().any(|line| line.net.scale > DECIMALS),
        "The net amount of a line (BT-131) has more than two decimals; issue the invoice in another currency.",
    ),
];

/// The exact sum; none when there are too many digits.
pub(super) fn sum(mut amounts: impl Iterator<Item = Amount>) -> Option<Exact> {
    amounts.try_fold(Exact::ZERO, |sum, amount| sum.plus(Exact::of(amount)))
}

/// Whether both are known and the same.
pub(super) fn is(a: Option<Exact>, b: Option<Exact>) -> bool {
    a.zip(b).and_then(|(a, b)| a.compare(b)).is_some_and(std::cmp::Ordering::is_eq)
}

/// Whether a figure is less than one unit of the currency away from what it should be; signs are not looked at.
pub(super) fn is_near_in_size(expected: Option<Exact>, stated: Amount) -> bool {
    let stated = size(Exact::of(stated));
    stated.and_then(Exact::amount).is_some_and(|stated| is_near(expected.and_then(size), stated))
}

/// Whether a figure is less than one unit of the currency away from what it should be.
pub(super) fn is_near(expected: Option<Exact>, stated: Amount) -> bool {
    let off = expected.and_then(|expected| size(expected.minus(Exact::of(stated))?));
    let one = Exact::of(Amount::new(1, 0));
    off.and_then(|off| off.compare(one)).is_some_and(std::cmp::Ordering::is_lt)
}

fn size(figure: Exact) -> Option<Exact> {
    if figure.units() < 0 { Exact::ZERO.minus(figure) } else { Some(figure) }
}
