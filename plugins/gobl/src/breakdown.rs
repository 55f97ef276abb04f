//! The rows of the tax breakdown in the format's terms.
//!
//! The gateway groups lines by category, rate, surcharge and exemption; the format by category, percent, surcharge and
//! the codes of the add-ons. Where both group alike, the gateway's figures stand. Where a line's own codes split a row,
//! or two exemptions share their codes, the rows are computed again from the lines, as the format does it.

use std::borrow::Cow;

use einvoice_plugin::{Amount, Faults, Invoice, Line, RateTotal, Tax, Totals};

use crate::currency;
use crate::exact::Exact;
use crate::mapping::{Mapping, Row, Treatment, known, same, unmapped};

/// A row with its codes.
#[derive(Debug, Clone)]
pub(crate) struct CodedRow {
    pub(crate) treatment: Treatment,
    pub(crate) row: RateTotal,
}

/// The breakdown of a document.
#[derive(Debug)]
pub(crate) struct Breakdown<'a> {
    /// The gateway's figures, or those of the regrouped rows.
    pub(crate) totals: Cow<'a, Totals>,
    /// The rows of every category of `totals`, in its order.
    pub(crate) rows: Vec<Vec<CodedRow>>,
}

/// The breakdown of `totals`. `invoice` is what they were computed from, when it is known.
pub(crate) fn breakdown<'a, M: Mapping>(
    mapping: &M,
    totals: &'a Totals,
    invoice: Option<&Invoice>,
) -> Result<Breakdown<'a>, Faults> {
    let lines = invoice.map_or(&[][..], |invoice| &invoice.lines);
    let mut coded = Vec::with_capacity(totals.categories.len());
    let mut alike = true;
    for category in &totals.categories {
        let mut rows: Vec<CodedRow> = Vec::with_capacity(category.rates.len());
        for row in &category.rates {
            let of_total = Row::of_total(category, row);
            let mut treatments = lines.iter().map(Row::of_line).filter(|line| line.is_of(&of_total));
            let treatment = known(mapping, &treatments.next().unwrap_or(of_total))?;
            alike &= treatments
                .all(|line| mapping.treatment(&line).is_some_and(|other| other.ext == treatment.ext));
            alike &= !rows
                .iter()
                .any(|other| other.treatment.ext == treatment.ext && same_percents(&other.row, row));
            rows.push(CodedRow { treatment, row: row.clone() });
        }
        coded.push(rows);
    }
    match invoice {
        Some(invoice) if !alike => regrouped(mapping, invoice),
        _ => Ok(Breakdown { totals: Cow::Borrowed(totals), rows: coded }),
    }
}

fn same_percents(a: &RateTotal, b: &RateTotal) -> bool {
    same(a.rate, b.rate) && same(a.surcharge, b.surcharge)
}

/// The one category whose tax the prices include.
pub fn included_category(invoice: &Invoice) -> Option<&str> {
    let first = invoice.lines.first().filter(|_| invoice.prices_include_tax)?;
    Some(&first.tax.category)
}

/// Lines that share a row of the format.
struct Group<'a> {
    treatment: Treatment,
    tax: &'a Tax,
    base: Exact,
}

/// Everything computed again: rows that are rounded apart may change the tax by a cent.
fn regrouped<'a, M: Mapping>(mapping: &M, invoice: &Invoice) -> Result<Breakdown<'a>, Faults> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for line in &invoice.lines {
        let (treatment, tax) = (known(mapping, &Row::of_line(line))?, &line.tax);
        let base = net(invoice, line).ok_or_else(unmapped::<M>)?;
        let found = groups.iter_mut().find(|group| {
            group.tax.category == tax.category
                && group.treatment.ext == treatment.ext
                && same(group.tax.rate, tax.rate)
                && same(group.tax.surcharge, tax.surcharge)
        });
        match found {
            Some(group) => group.base = group.base.plus(base).ok_or_else(unmapped::<M>)?,
            None => groups.push(Group { treatment, tax, base }),
        }
    }
    computed(invoice, &groups).ok_or_else(unmapped::<M>)
}

/// What a line comes to.
fn gross(invoice: &Invoice, line: &Line) -> Option<Exact> {
    let decimals = currency::decimals_of_the_format(&invoice.currency);
    Exact::line_in(decimals, line.unit_price, line.quantity)
}

/// What a line adds to its base.
fn net(invoice: &Invoice, line: &Line) -> Option<Exact> {
    let exact = gross(invoice, line)?;
    match line.tax.rate {
        Some(rate) if included_category(invoice) == Some(&line.tax.category) => exact.without(rate),
        _ => Some(exact),
    }
}

fn computed<'a>(invoice: &Invoice, groups: &[Group<'_>]) -> Option<Breakdown<'a>> {
    let decimals = currency::decimals_of_the_format(&invoice.currency);
    let mut totals = invoice.totals.clone();
    let (mut sum, mut tax, mut included, mut base) = (Exact::ZERO, Exact::ZERO, Exact::ZERO, Exact::ZERO);
    for line in &invoice.lines {
        sum = sum.plus(gross(invoice, line)?)?;
        base = base.plus(net(invoice, line)?)?;
    }
    let mut rows: Vec<Vec<CodedRow>> = totals.categories.iter().map(|_| Vec::new()).collect();
    for (category, rows) in totals.categories.iter_mut().zip(&mut rows) {
        let (mut amount, mut surcharge) = (Exact::ZERO, None);
        for group in groups.iter().filter(|group| group.tax.category == category.category) {
            let percent = |percent: Option<Amount>| match percent {
                Some(percent) => Some(Some(group.base.percent(percent)?)),
                None => Some(None),
            };
            let (of_rate, of_surcharge) = (percent(group.tax.rate)?, percent(group.tax.surcharge)?);
            amount = amount.plus(of_rate.unwrap_or(Exact::ZERO))?;
            if let Some(more) = of_surcharge {
                surcharge = Some(surcharge.unwrap_or(Exact::ZERO).plus(more)?);
            }
            rows.push(CodedRow {
                treatment: group.treatment.clone(),
                row: row(group, decimals, of_rate, of_surcharge)?,
            });
        }
        if included_category(invoice) == Some(&category.category) {
            included = amount;
        }
        tax = tax.plus(amount)?.plus(surcharge.unwrap_or(Exact::ZERO))?;
        category.amount = amount.printed(decimals)?;
        category.surcharge_amount = surcharge.map_or(Some(None), |more| more.printed(decimals).map(Some))?;
    }
    let mut retained = Exact::ZERO;
    for retention in &totals.retentions {
        retained = retained.plus(base.percent(retention.rate)?)?;
    }
    let net = sum.minus(included)?;
    let gross = net.plus(tax)?;
    totals.tax_included = totals.tax_included.map_or(Some(None), |_| included.printed(decimals).map(Some))?;
    (totals.net, totals.tax, totals.gross) =
        (net.printed(decimals)?, tax.printed(decimals)?, gross.printed(decimals)?);
    totals.payable = gross.minus(retained)?.printed(decimals)?;
    Some(Breakdown { totals: Cow::Owned(totals), rows })
}

fn row(
    group: &Group<'_>,
    decimals: u8,
    amount: Option<Exact>,
    surcharge: Option<Exact>,
) -> Option<RateTotal> {
    Some(RateTotal {
        rate: group.tax.rate,
        surcharge: group.tax.surcharge,
        exemption: group.tax.exemption.clone(),
        base: group.base.printed(decimals)?,
        amount: amount.unwrap_or(Exact::ZERO).printed(decimals)?,
        surcharge_amount: surcharge.map_or(Some(None), |more| more.printed(decimals).map(Some))?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness;
    use serde_json::{Value, json};

    /// Codes come from the line, untaxed rows share them.
    struct ByLine;

    impl Mapping for ByLine {
        const FAULT_PREFIX: &'static str = "XX";
        const REGIME: &'static str = "XX";
        const ADDONS: &'static [&'static str] = &[];
        const PERCENT_DECIMALS: u8 = 1;

        fn treatment(&self, row: &Row<'_>) -> Option<Treatment> {
            let goods = row.ext.iter().any(|ext| ext.value == "goods");
            Some(Treatment {
                key: None,
                ext: vec![("product", if goods { "goods" } else { "services" }.into())],
            })
        }
    }

    fn coded_rows(included: bool, lines: &Value) -> Vec<(String, String, String)> {
        let document = json!({"issue_date": "2026-11-20", "prices_include_tax": included, "lines": lines});
        let invoice = harness::invoice(&document).unwrap();
        let rows = breakdown(&ByLine, &invoice.totals, Some(&invoice)).unwrap().rows;
        let texts = |coded: &CodedRow| {
            let (base, amount) = (coded.row.base.to_string(), coded.row.amount.to_string());
            (coded.treatment.ext[0].1.to_string(), base, amount)
        };
        rows.iter().flatten().map(texts).collect()
    }

    fn line(price: &str, product: &str, tax: &Value) -> Value {
        json!({"description": "x", "quantity": "1", "unit_price": price, "tax": tax, "ext": {"product": product}})
    }

    fn text(rows: &[(&str, &str, &str)]) -> Vec<(String, String, String)> {
        rows.iter().map(|(a, b, c)| ((*a).to_owned(), (*b).to_owned(), (*c).to_owned())).collect()
    }

    #[test]
    fn a_row_is_split_by_the_codes_of_its_lines() {
        let vat = json!({"category": "VAT", "rate": "21.0"});
        let lines = json!([
            line("0.333", "goods", &vat),
            line("0.333", "services", &vat),
            line("0.333", "goods", &vat)
        ]);
        assert_eq!(
            coded_rows(false, &lines),
            text(&[("goods", "0.67", "0.14"), ("services", "0.33", "0.07")])
        );
        let gross = json!([line("121.00", "goods", &vat), line("10.00", "services", &vat)]);
        assert_eq!(
            coded_rows(true, &gross),
            text(&[("goods", "100.00", "21.00"), ("services", "8.26", "1.74")])
        );
    }

    #[test]
    fn rows_that_are_rounded_apart_may_change_the_tax_by_a_cent() {
        let vat = |rate: &str| json!({"category": "VAT", "rate": rate});
        let document = json!({"issue_date": "2026-11-20", "prices_include_tax": true, "lines": [
            {"description": "x", "quantity": "1", "unit_price": "-35.00", "tax": vat("21.0")},
            {"description": "x", "quantity": "12", "unit_price": "100", "tax": vat("10.0")},
            {"description": "x", "quantity": "12", "unit_price": "38.5848", "tax": vat("21.0"),
             "ext": {"product": "goods"}},
        ]});
        let invoice = harness::invoice(&document).unwrap();
        let totals = breakdown(&ByLine, &invoice.totals, Some(&invoice)).unwrap().totals;
        assert_eq!([invoice.totals.tax, totals.tax].map(|tax| tax.to_string()), ["183.38", "183.37"]);
        assert_eq!([totals.gross, totals.payable], [invoice.totals.gross, invoice.totals.payable]);
    }

    #[test]
    fn rows_that_are_computed_again_have_the_decimals_of_their_currency() {
        let vat = json!({"category": "VAT", "rate": "10"});
        let lines = json!([line("333.335", "goods", &vat), line("10.5", "services", &vat)]);
        let document = json!({"issue_date": "2026-11-20", "currency": "JPY", "lines": lines});
        let invoice = harness::invoice(&document).unwrap();
        let rows = breakdown(&ByLine, &invoice.totals, Some(&invoice)).unwrap().rows;
        let figures: Vec<_> = rows
            .iter()
            .flatten()
            .map(|coded| (coded.row.base.to_string(), coded.row.amount.to_string()))
            .collect();
        let figures: Vec<_> = figures.iter().map(|(base, amount)| (base.as_str(), amount.as_str())).collect();
        assert_eq!(figures, [("333", "33"), ("11", "1")]);
    }

    #[test]
    fn rows_with_the_same_codes_become_one() {
        let untaxed = |key: &str| json!({"category": "VAT", "exemption": key});
        let lines = json!([line("10.00", "", &untaxed("a")), line("5.00", "", &untaxed("b"))]);
        assert_eq!(coded_rows(false, &lines), text(&[("services", "15.00", "0.00")]));
    }

    #[test]
    fn rows_that_agree_keep_the_gateways_figures() {
        let lines = json!([
            line("10.00", "goods", &json!({"category": "VAT", "rate": "21.0"})),
            line("10.00", "goods", &json!({"category": "VAT", "rate": "10.0"}))
        ]);
        assert_eq!(
            coded_rows(false, &lines),
            text(&[("goods", "10.00", "2.10"), ("goods", "10.00", "1.00")])
        );
    }
}
