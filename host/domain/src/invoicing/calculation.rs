//! The figures of a document, by the exact algorithm of the structured format (GOBL, `bill.Invoice`, rounding rules
//! "precise" and "currency"): net to gross, aggregated per rate. The order of operations and the decimals of every
//! intermediate figure are part of the algorithm; see each step.

use super::{
    CategoryTotal, Content, Line, LineTax, LineTotals, RateTotal, Retention, RetentionTotal, Totals,
    TotalsError, currency_decimals,
};
use crate::money::{Amount, Rounding, TooLarge};

/// Decimals beyond the currency's that intermediate figures carry.
const EXTRA_DECIMALS: u8 = 2;

/// A line on its way through the algorithm: exact sum, then net.
struct Row<'a> {
    line: &'a Line,
    net: Amount,
}

/// A rate on its way: exact base.
struct Rate<'a> {
    tax: &'a LineTax,
    base: Amount,
}

/// How many decimals the currency has, and when the rule rounds to them.
#[derive(Debug, Clone, Copy)]
struct Step {
    decimals: u8,
    rounding: Rounding,
}

impl Step {
    /// The decimals of intermediate figures.
    const fn working(self) -> u8 {
        self.decimals.saturating_add(EXTRA_DECIMALS)
    }

    /// The decimals of a price that is multiplied.
    const fn of_price(self) -> u8 {
        match self.rounding {
            Rounding::Precise => self.working(),
            Rounding::Currency => self.decimals,
        }
    }

    /// A row as it is added to others.
    fn added(self, row: Amount) -> Result<Amount, TooLarge> {
        match self.rounding {
            Rounding::Precise => Ok(row),
            Rounding::Currency => row.rescale(self.decimals),
        }
    }
}

impl Totals {
    /// Computes the figures of `content` where no tax system says how they are rounded: exact, and rounded once at the end.
    pub fn of(content: &Content) -> Result<Self, TotalsError> {
        Self::rounded(content, Rounding::Precise)
    }

    /// Computes the figures of `content` by a rule.
    pub fn rounded(content: &Content, rounding: Rounding) -> Result<Self, TotalsError> {
        let decimals = currency_decimals(&content.currency);
        let step = Step { decimals, rounding };
        let included = included_category(content)?;

        let (lines, mut rows) = line_sums(content, step)?;
        let sum = exact_sum(Amount::zero(decimals), rows.iter().map(|row| row.net))?;
        for row in &mut rows {
            row.net = step.added(net_of(row, included, step.working())?)?;
        }
        let (rates, categories) = breakdown(&rows, decimals)?;
        let tax_exact = exact_sum(
            Amount::zero(decimals),
            categories
                .iter()
                .flat_map(|category| [Some(category.amount), category.surcharge_amount])
                .flatten(),
        )?;
        let included_exact = included.and_then(|key| {
            categories.iter().find(|category| category.category == key).map(|category| category.amount)
        });
        // The format subtracts and adds with the decimals of the left side, after widening it.
        let net_exact = included_exact.map_or(Ok(sum), |tax| sum.plus_exact(tax.negate()))?;
        let gross_exact = net_exact.plus_exact(tax_exact)?;
        let retentions = retentions(&content.retentions, &rows, decimals)?;
        let retained_exact =
            exact_sum(Amount::zero(decimals), retentions.iter().map(|retention| retention.amount))?;
        let payable_exact = gross_exact.plus_exact(retained_exact.negate())?;

        let round = |amount: Amount| amount.rescale(decimals);
        Ok(Self {
            rounding,
            lines,
            sum: round(sum)?,
            tax_included: included_exact.map(round).transpose()?,
            net: round(net_exact)?,
            tax: round(tax_exact)?,
            gross: round(gross_exact)?,
            retained: round(retained_exact)?,
            payable: round(payable_exact)?,
            rates: rates.into_iter().map(|rate| rate.rounded(decimals)).collect::<Result<_, _>>()?,
            categories: categories.into_iter().map(|c| c.rounded(decimals)).collect::<Result<_, _>>()?,
            retentions: retentions.into_iter().map(|r| r.rounded(decimals)).collect::<Result<_, _>>()?,
        })
    }
}

/// The one category that prices include, or none when they are net.
fn included_category(content: &Content) -> Result<Option<&str>, TotalsError> {
    if !content.prices_include_tax {
        return Ok(None);
    }
    let mut categories = content.lines.iter().map(|line| line.tax.category.as_str());
    let Some(first) = categories.next() else { return Ok(None) };
    if categories.all(|category| category == first) {
        Ok(Some(first))
    } else {
        Err(TotalsError::MixedIncludedCategories)
    }
}

/// Line sums: price with at least the decimals of the rule × quantity, keeping the price's decimals.
fn line_sums(content: &Content, step: Step) -> Result<(Vec<LineTotals>, Vec<Row<'_>>), TooLarge> {
    let mut printed = Vec::with_capacity(content.lines.len());
    let mut rows = Vec::with_capacity(content.lines.len());
    for line in &content.lines {
        let unit_price = line.unit_price.rescale_up(step.decimals)?;
        let sum = step.added(unit_price.rescale_up(step.of_price())?.times(line.quantity)?)?;
        let rounded = sum.rescale_down(unit_price.scale())?;
        printed.push(LineTotals { unit_price, sum: rounded, total: rounded });
        rows.push(Row { line, net: sum });
    }
    Ok((printed, rows))
}

/// The row without the tax its price includes.
fn net_of(row: &Row<'_>, included: Option<&str>, working: u8) -> Result<Amount, TooLarge> {
    let gross = row.net.rescale_up(working)?;
    match (included, row.line.tax.rate) {
        (Some(category), Some(rate)) if category == row.line.tax.category => rate.removed_from(gross),
        _ => Ok(gross),
    }
}

/// Bases aggregated per rate, then taxed; categories summed. All still exact.
fn breakdown(rows: &[Row<'_>], decimals: u8) -> Result<(Vec<RateTotal>, Vec<CategoryTotal>), TooLarge> {
    let mut rates: Vec<Rate<'_>> = Vec::new();
    for row in rows {
        match rates.iter_mut().find(|rate| *rate.tax == row.line.tax) {
            Some(rate) => rate.base = rate.base.plus_exact(row.net)?,
            None => {
                rates.push(Rate { tax: &row.line.tax, base: Amount::zero(decimals).plus_exact(row.net)? });
            }
        }
    }
    let mut totals = Vec::with_capacity(rates.len());
    let mut categories: Vec<CategoryTotal> = Vec::new();
    for Rate { tax, base } in rates {
        let amount = tax.rate.map_or(Ok(Amount::zero(decimals)), |rate| rate.of(base))?;
        let surcharge_amount = tax.surcharge.map(|surcharge| surcharge.of(base)).transpose()?;
        add_to_category(&mut categories, &tax.category, amount, surcharge_amount, decimals)?;
        totals.push(RateTotal {
            category: tax.category.clone(),
            rate: tax.rate,
            exemption: tax.exemption.clone(),
            surcharge: tax.surcharge,
            base,
            amount,
            surcharge_amount,
        });
    }
    Ok((totals, categories))
}

fn add_to_category(
    categories: &mut Vec<CategoryTotal>,
    key: &str,
    amount: Amount,
    surcharge: Option<Amount>,
    decimals: u8,
) -> Result<(), TooLarge> {
    if !categories.iter().any(|category| category.category == key) {
        let amount = Amount::zero(decimals);
        categories.push(CategoryTotal { category: key.to_owned(), amount, surcharge_amount: None });
    }
    for category in categories.iter_mut().filter(|category| category.category == key) {
        category.amount = category.amount.plus_exact(amount)?;
        if let Some(more) = surcharge {
            let so_far = category.surcharge_amount.unwrap_or(Amount::zero(decimals));
            category.surcharge_amount = Some(so_far.plus_exact(more)?);
        }
    }
    Ok(())
}

fn retentions(
    retentions: &[Retention],
    rows: &[Row<'_>],
    decimals: u8,
) -> Result<Vec<RetentionTotal>, TooLarge> {
    let base = exact_sum(Amount::zero(decimals), rows.iter().map(|row| row.net))?;
    retentions
        .iter()
        .map(|retention| {
            let amount = retention.rate.of(base)?;
            Ok(RetentionTotal { category: retention.category.clone(), rate: retention.rate, base, amount })
        })
        .collect()
}

fn exact_sum(zero: Amount, mut amounts: impl Iterator<Item = Amount>) -> Result<Amount, TooLarge> {
    amounts.try_fold(zero, Amount::plus_exact)
}

impl RateTotal {
    fn rounded(self, decimals: u8) -> Result<Self, TooLarge> {
        Ok(Self {
            base: self.base.rescale(decimals)?,
            amount: self.amount.rescale(decimals)?,
            surcharge_amount: self.surcharge_amount.map(|amount| amount.rescale(decimals)).transpose()?,
            ..self
        })
    }
}

impl CategoryTotal {
    fn rounded(self, decimals: u8) -> Result<Self, TooLarge> {
        Ok(Self {
            amount: self.amount.rescale(decimals)?,
            surcharge_amount: self.surcharge_amount.map(|amount| amount.rescale(decimals)).transpose()?,
            ..self
        })
    }
}

impl RetentionTotal {
    fn rounded(self, decimals: u8) -> Result<Self, TooLarge> {
        Ok(Self { base: self.base.rescale(decimals)?, amount: self.amount.rescale(decimals)?, ..self })
    }
}
