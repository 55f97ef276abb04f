//! Which of the format's two rules the figures of an invoice follow.
//!
//! Both round half away from zero. `precise` adds exact rows and rounds once at the end; `currency` rounds every row to
//! the currency before it is added. Most invoices come to the same by both.

use einvoice_plugin::{Amount, Invoice, Tax, Totals};

use crate::breakdown::included_category;
use crate::currency;
use crate::exact::{Exact, working_decimals};
use crate::mapping::same;

/// What the format's `tax.rounding` says of figures by the second rule.
pub const CURRENCY: &str = "currency";

/// Whether the lines and totals of an invoice are what the rule `currency` gives, which its document then has to say: the
/// format goes by `precise` where nothing is said. Retentions are not looked at.
pub fn is_currency(invoice: &Invoice) -> bool {
    follows_currency(invoice).unwrap_or(false)
}

/// A row of the breakdown on its way: every line is rounded when it is added.
struct Row<'a> {
    tax: &'a Tax,
    base: Exact,
}

fn follows_currency(invoice: &Invoice) -> Option<bool> {
    let included = included_category(invoice);
    let decimals = currency::decimals_of_the_format(&invoice.currency);
    let (mut sum, mut rows) = (Exact::ZERO, Vec::<Row<'_>>::new());
    for line in &invoice.lines {
        let price = Exact::of(line.unit_price).widen(decimals)?;
        let gross = price.times(line.quantity)?.round(decimals)?;
        if !equal(gross, line.total) {
            return Some(false);
        }
        sum = sum.plus(gross)?;
        let wide = gross.widen(working_decimals(decimals))?;
        let net = match line.tax.rate {
            Some(rate) if included == Some(&line.tax.category) => wide.without(rate)?,
            _ => wide,
        };
        let net = net.round(decimals)?;
        match rows.iter_mut().find(|row| shares(row.tax, &line.tax)) {
            Some(row) => row.base = row.base.plus(net)?,
            None => rows.push(Row { tax: &line.tax, base: net }),
        }
    }
    let (mut tax, mut tax_included) = (Exact::ZERO, Exact::ZERO);
    for Row { tax: of, base } in &rows {
        let percent = |rate: Option<Amount>| rate.map_or(Some(Exact::ZERO), |rate| base.percent(rate));
        let (amount, surcharge) = (percent(of.rate)?, percent(of.surcharge)?);
        if !states(&invoice.totals, of, *base, amount) {
            return Some(false);
        }
        tax = tax.plus(amount)?.plus(surcharge)?;
        if included == Some(&of.category) {
            tax_included = tax_included.plus(amount)?;
        }
    }
    let net = sum.minus(tax_included)?;
    let totals = &invoice.totals;
    Some(
        equal(sum, totals.sum)
            && equal(net, totals.net)
            && equal(tax, totals.tax)
            && equal(net.plus(tax)?, totals.gross),
    )
}

/// Whether a row of the totals has these figures.
fn states(totals: &Totals, tax: &Tax, base: Exact, amount: Exact) -> bool {
    let categories = totals.categories.iter().filter(|category| category.category == tax.category);
    categories.flat_map(|category| &category.rates).any(|row| {
        row.exemption == tax.exemption
            && same(row.rate, tax.rate)
            && same(row.surcharge, tax.surcharge)
            && equal(base, row.base)
            && equal(amount, row.amount)
    })
}

fn shares(a: &Tax, b: &Tax) -> bool {
    a.category == b.category
        && a.exemption == b.exemption
        && same(a.rate, b.rate)
        && same(a.surcharge, b.surcharge)
}

fn equal(exact: Exact, stated: Amount) -> bool {
    exact.amount().is_some_and(|amount| amount.same_value(stated))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness;
    use einvoice_plugin::Rounding;
    use einvoice_plugin::harness::invoice_rounded;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn document(included: bool, prices: &[&str]) -> Value {
        let lines: Vec<_> = prices
            .iter()
            .map(|price| {
                json!({"description": "x", "quantity": "1", "unit_price": price,
                       "tax": {"category": "VAT", "rate": "7"}})
            })
            .collect();
        json!({"issue_date": "2026-11-20", "prices_include_tax": included, "lines": lines})
    }

    #[test]
    fn figures_that_were_rounded_row_by_row_are_known_from_those_that_were_not() {
        for (included, prices) in [(true, &["0.99"; 9][..]), (false, &["0.3333", "0.3333"])] {
            let document = document(included, prices);
            assert!(!is_currency(&harness::invoice(&document).unwrap()), "{included}");
            assert!(is_currency(&invoice_rounded(&document, Rounding::Currency).unwrap()), "{included}");
        }
        let plain = document(false, &["100.00"]);
        assert!(is_currency(&harness::invoice(&plain).unwrap()), "both rules give the same");
    }

    /// A document of up to 12 lines with net prices, or such as include the tax: of 0 to 4 decimals, at two rates or none.
    fn any_document() -> impl Strategy<Value = Value> {
        let rate = prop::sample::select(vec![Some("7"), Some("19"), None]);
        let line = (1_u32..2_000, 0_u8..5, -3_i8..=30, rate).prop_map(|(price, decimals, quantity, rate)| {
            let price = Amount::new(i64::from(price), decimals).to_string();
            let tax = match rate {
                Some(rate) => json!({"category": "VAT", "rate": rate}),
                None => json!({"category": "VAT", "exemption": "exempt"}),
            };
            json!({"description": "x", "quantity": quantity.to_string(), "unit_price": price, "tax": tax})
        });
        (prop::collection::vec(line, 1..=12), any::<bool>()).prop_map(|(lines, included)| {
            json!({"issue_date": "2026-11-20", "prices_include_tax": included, "lines": lines})
        })
    }

    /// Every figure of an invoice, as a number: the rules differ in the decimals that they print.
    fn figures(invoice: &Invoice) -> Vec<Option<Exact>> {
        let totals = &invoice.totals;
        let sums = [totals.sum, totals.net, totals.tax, totals.gross, totals.payable];
        let lines = invoice.lines.iter().flat_map(|line| [line.sum, line.total]);
        let rates = totals.categories.iter().flat_map(|category| &category.rates);
        let rates = rates.flat_map(|rate| [rate.base, rate.amount]);
        let categories = totals.categories.iter().map(|category| category.amount);
        let all = sums.into_iter().chain(totals.tax_included).chain(lines).chain(rates).chain(categories);
        all.map(|amount| Exact::of(amount).widen(4)).collect()
    }

    proptest! {
        /// Where figures are by `precise`, those of the format are by the rule that the document states.
        #[test]
        fn figures_are_computed_again_to_the_same_by_the_rule_that_the_document_states(document in any_document()) {
            let precise = harness::invoice(&document).unwrap();
            let currency = invoice_rounded(&document, Rounding::Currency).unwrap();
            prop_assert_eq!(is_currency(&precise), figures(&precise) == figures(&currency));
            prop_assert!(is_currency(&currency));
        }
    }
}
