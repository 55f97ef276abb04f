//! What each VAT category demands of lines, breakdown and parties. `L` and `M` (Canary Islands, Ceuta and Melilla) are not
//! here: no plugin has them yet.

use crate::Invoice;
use crate::model::{Line, TaxRow};

use super::figures::{is, is_near, is_near_in_size, sum};
use super::{Rule, rule};
use einvoice_gobl::exact::Exact;

/// Rules that every category has, under its own ids: a row, a seller who is known, the rate of lines, base and tax.
macro_rules! category {
    ($code:literal, $id:literal, seller: $seller:expr, $seller_meaning:literal, rate: $rate:expr, $rate_meaning:literal,
     base: $base:expr, tax: $tax:expr) => {
        [
            rule(
                concat!($id, "-01"),
                |invoice| has_line(invoice, $code) != has_row(invoice, $code),
                concat!(
                    "VAT category ",
                    $code,
                    " stands on lines or in the breakdown only; convert the invoice again."
                ),
            ),
            rule(
                concat!($id, "-02"),
                |invoice| has_line(invoice, $code) && $seller(invoice),
                $seller_meaning,
            ),
            rule(
                concat!($id, "-05"),
                |invoice| lines(invoice, $code).any(|line| !$rate(line)),
                concat!("A line of VAT category ", $code, $rate_meaning),
            ),
            rule(
                concat!($id, "-08"),
                |invoice| rows(invoice, $code).any(|row| !$base(invoice, row)),
                concat!(
                    "The base of VAT category ",
                    $code,
                    " is not the sum of its lines; convert the invoice again."
                ),
            ),
            rule(
                concat!($id, "-09"),
                |invoice| rows(invoice, $code).any(|row| !$tax(row)),
                concat!(
                    "The tax of VAT category ",
                    $code,
                    " is not its base at its rate; convert the invoice again."
                ),
            ),
        ]
    };
}

const STANDARD: [Rule; 5] = category!("S", "BR-S", seller: is_unknown,
    "Taxed lines need the supplier's VAT number or tax number; correct the workspace.",
    rate: is_taxed, " has no rate above nought (BT-152); correct its tax.", base: nearly_adds_up, tax: is_at_rate);
const ZERO: [Rule; 5] = category!("Z", "BR-Z", seller: is_unknown,
    "Lines at nought percent need the supplier's VAT number or tax number; correct the workspace.",
    rate: is_untaxed, " has a rate (BT-152); correct its tax.", base: adds_up, tax: is_free);
const EXEMPT: [Rule; 5] = category!("E", "BR-E", seller: is_unknown,
    "Exempt lines need the supplier's VAT number or tax number; correct the workspace.",
    rate: is_untaxed, " has a rate (BT-152); correct its tax.", base: adds_up, tax: is_free);
const REVERSE_CHARGE: [Rule; 5] = category!("AE", "BR-AE", seller: |invoice: &Invoice| is_unknown(invoice) || has_no_buyer(invoice),
    "A reverse charge needs the recipient's VAT number; add it.",
    rate: is_untaxed, " has a rate (BT-152); correct its tax.", base: adds_up, tax: is_free);
const INTRA_COMMUNITY: [Rule; 5] = category!("K", "BR-IC", seller: |invoice: &Invoice| has_no_vat_id(invoice) || has_no_buyer(invoice),
    "An intra-Community supply needs the VAT numbers of supplier and recipient; add what is missing.",
    rate: is_untaxed, " has a rate (BT-152); correct its tax.", base: adds_up, tax: is_free);
const EXPORT: [Rule; 5] = category!("G", "BR-G", seller: has_no_vat_id,
    "An export needs the supplier's VAT number; correct the workspace.",
    rate: is_untaxed, " has a rate (BT-152); correct its tax.", base: adds_up, tax: is_free);

/// What only some categories have.
const OTHERS: &[Rule] = &[
    rule(
        "BR-O-01",
        |invoice| has_line(invoice, "O") != has_row(invoice, "O"),
        "VAT category O stands on lines or in the breakdown only; convert the invoice again.",
    ),
    rule(
        "BR-O-05",
        |invoice| lines(invoice, "O").any(|line| line.rate.is_some()),
        "A line that is not subject to VAT has a rate (BT-152); correct its tax.",
    ),
    rule(
        "BR-O-08",
        |invoice| rows(invoice, "O").any(|row| !adds_up(invoice, row)),
        "The base of VAT category O is not the sum of its lines; convert the invoice again.",
    ),
    rule(
        "BR-O-09",
        |invoice| rows(invoice, "O").any(|row| !row.amount.is_zero()),
        "What is not subject to VAT states a tax (BT-117); convert the invoice again.",
    ),
    rule(
        "BR-S-10",
        |invoice| has_reason(invoice, "S"),
        "What is taxed states a reason not to tax it (BT-121); convert the invoice again.",
    ),
    rule(
        "BR-Z-10",
        |invoice| has_reason(invoice, "Z"),
        "What is taxed at nought percent states a reason not to tax it (BT-121); convert the invoice again.",
    ),
    rule(
        "BR-E-10",
        |invoice| rows(invoice, "E").any(|row| row.reason.is_none() && row.reason_code.is_none()),
        "The document does not say why lines are exempt (BT-120); add exemption_texts to the settings.",
    ),
    rule(
        "BR-IC-11",
        |invoice| has_row(invoice, "K") && invoice.delivery_date.is_none() && invoice.period.is_none(),
        "An intra-Community supply says when it was delivered (BT-72); add the operation date.",
    ),
    rule(
        "BR-IC-12",
        |invoice| {
            let country = invoice.deliver_to.as_ref().map_or("", |to| &to.country);
            has_row(invoice, "K") && country.is_empty()
        },
        "An intra-Community supply says where it went (BT-80); add the country to the recipient's address.",
    ),
    rule(
        "BR-O-11",
        |invoice| has_row(invoice, "O") && invoice.tax_rows.iter().any(|row| row.category != "O"),
        "What is outside the scope of VAT stands beside other lines; issue two invoices.",
    ),
    rule(
        "BR-O-12",
        |invoice| has_row(invoice, "O") && invoice.lines.iter().any(|line| line.category != "O"),
        "A line that is subject to VAT stands beside what is not; issue two invoices.",
    ),
];

pub(super) fn rules() -> impl Iterator<Item = &'static Rule> {
    OTHERS
        .iter()
        .chain(&STANDARD)
        .chain(&ZERO)
        .chain(&EXEMPT)
        .chain(&REVERSE_CHARGE)
        .chain(&INTRA_COMMUNITY)
        .chain(&EXPORT)
}

fn lines<'a>(invoice: &'a Invoice, code: &'a str) -> impl Iterator<Item = &'a Line> {
    invoice.lines.iter().filter(move |line| line.category == code)
}

fn rows<'a>(invoice: &'a Invoice, code: &'a str) -> impl Iterator<Item = &'a TaxRow> {
    invoice.tax_rows.iter().filter(move |row| row.category == code)
}

fn has_line(invoice: &Invoice, code: &str) -> bool {
    lines(invoice, code).next().is_some()
}

fn has_row(invoice: &Invoice, code: &str) -> bool {
    rows(invoice, code).next().is_some()
}

/// A row of the category has BT-121.
fn has_reason(invoice: &Invoice, code: &str) -> bool {
    rows(invoice, code).any(|row| row.reason_code.is_some())
}

/// BT-31 and BT-32 are missing.
fn is_unknown(invoice: &Invoice) -> bool {
    has_no_vat_id(invoice) && invoice.seller.tax_number.is_none()
}

fn has_no_vat_id(invoice: &Invoice) -> bool {
    invoice.seller.vat_id.is_none()
}

fn has_no_buyer(invoice: &Invoice) -> bool {
    invoice.buyer.vat_id.is_none()
}

fn is_taxed(line: &Line) -> bool {
    line.rate.is_some_and(|rate| !rate.is_zero() && !rate.is_negative())
}

fn is_untaxed(line: &Line) -> bool {
    line.rate.is_some_and(einvoice_plugin::Amount::is_zero)
}

fn base_of(invoice: &Invoice, row: &TaxRow) -> Option<Exact> {
    sum(invoice.lines.iter().filter(|line| crate::lines::is_of(line, row)).map(|line| line.net))
}

fn adds_up(invoice: &Invoice, row: &TaxRow) -> bool {
    is(base_of(invoice, row), Some(Exact::of(row.base)))
}

/// The standard rate leaves room for roundings.
fn nearly_adds_up(invoice: &Invoice, row: &TaxRow) -> bool {
    is_near(base_of(invoice, row), row.base)
}

fn is_at_rate(row: &TaxRow) -> bool {
    is_near_in_size(row.rate.and_then(|rate| Exact::of(row.base).percent(rate)), row.amount)
}

fn is_free(row: &TaxRow) -> bool {
    row.amount.is_zero()
}
