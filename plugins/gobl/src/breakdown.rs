//! The rows of the tax breakdown in the format's terms.
//!
//! The gateway groups lines by category, rate, surcharge and exemption; the format by category, percent, surcharge and
//! the codes of the add-ons. Where both group alike, the gateway's figures stand. Where a line's own codes split a row,
//! or two exemptions share their codes, the rows are computed again from the lines, as the format does it.

use einvoice_plugin::{Amount, Faults, Invoice, Line, RateTotal, Totals};

use crate::assemble::{Mapping, Row, Treatment, included_category};
use crate::exact::Exact;

/// A row with its codes.
#[derive(Debug, Clone)]
pub(crate) struct Told {
    pub(crate) treatment: Treatment,
    pub(crate) row: RateTotal,
}

/// The rows of every category of `totals`, in its order. `lines` are those the totals were computed from, when they are
/// known.
pub(crate) fn rows<M: Mapping>(
    mapping: &M,
    totals: &Totals,
    invoice: Option<&Invoice>,
) -> Result<Vec<Vec<Told>>, Faults> {
    let lines = invoice.map_or(&[][..], |invoice| &invoice.lines);
    let mut told = Vec::with_capacity(totals.categories.len());
    for category in &totals.categories {
        let mut rows: Vec<Told> = Vec::with_capacity(category.rates.len());
        let mut alike = true;
        for row in &category.rates {
            let of_total = Row::of_total(category, row);
            let mut treatments = lines.iter().map(Row::of_line).filter(|line| line.is_of(&of_total));
            let treatment = known(mapping, &treatments.next().unwrap_or(of_total))?;
            alike &= treatments
                .all(|line| mapping.treatment(&line).is_some_and(|other| other.ext == treatment.ext));
            alike &= !rows
                .iter()
                .any(|other| other.treatment.ext == treatment.ext && same_percents(&other.row, row));
            rows.push(Told { treatment, row: row.clone() });
        }
        if !alike && let Some(invoice) = invoice {
            rows = regrouped(mapping, invoice, &category.category)?;
        }
        told.push(rows);
    }
    Ok(told)
}

fn known<M: Mapping>(mapping: &M, row: &Row<'_>) -> Result<Treatment, Faults> {
    mapping.treatment(row).ok_or_else(|| mapping.unmapped())
}

fn same_percents(a: &RateTotal, b: &RateTotal) -> bool {
    same(a.rate, b.rate) && same(a.surcharge, b.surcharge)
}

/// Whether two percents are the same number, or both absent.
pub(crate) fn same(a: Option<Amount>, b: Option<Amount>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.same_value(b),
        (a, b) => a.is_none() && b.is_none(),
    }
}

fn regrouped<M: Mapping>(mapping: &M, invoice: &Invoice, category: &str) -> Result<Vec<Told>, Faults> {
    let mut groups: Vec<(Treatment, &Line, Exact)> = Vec::new();
    for line in invoice.lines.iter().filter(|line| line.tax.category == category) {
        let treatment = known(mapping, &Row::of_line(line))?;
        let base = net(invoice, line).ok_or_else(|| mapping.unmapped())?;
        let found = groups.iter_mut().find(|(of, first, _)| {
            of.ext == treatment.ext
                && same(first.tax.rate, line.tax.rate)
                && same(first.tax.surcharge, line.tax.surcharge)
        });
        match found {
            Some((_, _, sum)) => *sum = sum.plus(base).ok_or_else(|| mapping.unmapped())?,
            None => groups.push((treatment, line, Exact::ZERO.plus(base).ok_or_else(|| mapping.unmapped())?)),
        }
    }
    let rows = groups.into_iter().map(|(treatment, line, base)| {
        let row = row(line, base).ok_or_else(|| mapping.unmapped())?;
        Ok(Told { treatment, row })
    });
    rows.collect()
}

/// What a line adds to its base.
fn net(invoice: &Invoice, line: &Line) -> Option<Exact> {
    let exact = Exact::line(line.unit_price, line.quantity)?;
    match line.tax.rate {
        Some(rate) if included_category(invoice) == Some(&line.tax.category) => exact.without(rate),
        _ => Some(exact),
    }
}

fn row(line: &Line, base: Exact) -> Option<RateTotal> {
    let of = |percent: Option<Amount>| percent.map(|percent| base.percent(percent)?.printed());
    let tax = &line.tax;
    Some(RateTotal {
        rate: tax.rate,
        surcharge: tax.surcharge,
        exemption: tax.exemption.clone(),
        base: base.printed()?,
        amount: of(tax.rate).unwrap_or_else(|| Exact::ZERO.printed())?,
        surcharge_amount: match of(tax.surcharge) {
            Some(amount) => Some(amount?),
            None => None,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness;
    use einvoice_plugin::Fault;
    use serde_json::{Value, json};

    /// Codes come from the line, untaxed rows share them.
    struct ByLine;

    impl Mapping for ByLine {
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
        fn retention(&self, _: &str) -> Treatment {
            Treatment::default()
        }
        fn unmapped(&self) -> Faults {
            vec![Fault::error("XX", "", "")]
        }
    }

    fn told(included: bool, lines: &Value) -> Vec<(String, String, String)> {
        let document = json!({"issue_date": "2026-11-20", "prices_include_tax": included, "lines": lines});
        let invoice = harness::invoice(&document).unwrap();
        let rows = rows(&ByLine, &invoice.totals, Some(&invoice)).unwrap();
        let shown = |told: &Told| {
            let (base, amount) = (told.row.base.to_string(), told.row.amount.to_string());
            (told.treatment.ext[0].1.to_string(), base, amount)
        };
        rows.iter().flatten().map(shown).collect()
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
        assert_eq!(told(false, &lines), text(&[("goods", "0.67", "0.14"), ("services", "0.33", "0.07")]));
        let gross = json!([line("121.00", "goods", &vat), line("10.00", "services", &vat)]);
        assert_eq!(told(true, &gross), text(&[("goods", "100.00", "21.00"), ("services", "8.26", "1.74")]));
    }

    #[test]
    fn rows_with_the_same_codes_become_one() {
        let untaxed = |key: &str| json!({"category": "VAT", "exemption": key});
        let lines = json!([line("10.00", "", &untaxed("a")), line("5.00", "", &untaxed("b"))]);
        assert_eq!(told(false, &lines), text(&[("services", "15.00", "0.00")]));
    }

    #[test]
    fn rows_that_agree_keep_the_gateways_figures() {
        let lines = json!([
            line("10.00", "goods", &json!({"category": "VAT", "rate": "21.0"})),
            line("10.00", "goods", &json!({"category": "VAT", "rate": "10.0"}))
        ]);
        assert_eq!(told(false, &lines), text(&[("goods", "10.00", "2.10"), ("goods", "10.00", "1.00")]));
    }
}
