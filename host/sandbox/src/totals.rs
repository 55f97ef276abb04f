//! The figures of a structured document, computed again from its lines: an independent check of what the
//! gateway and its plugins state. Knows the format's arithmetic and no country.

use crate::reader::{INPUT, Reader};
use gateway_domain::invoicing::currency_decimals;
use gateway_domain::money::{Amount, Percent, TooLarge};
use serde_json::Value;

/// Decimals beyond the currency's that intermediate figures carry.
const EXTRA_DECIMALS: u8 = 2;

/// The sums of one line, as printed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LineTotals {
    pub(crate) sum: Amount,
    pub(crate) total: Amount,
}

/// Everything of a category that shares percent, surcharge, country and extensions.
#[derive(Debug)]
pub(crate) struct RateTotals {
    tax: Tax,
    pub(crate) base: Amount,
    pub(crate) amount: Amount,
    pub(crate) surcharge_amount: Option<Amount>,
}

/// One tax category, in order of first appearance.
#[derive(Debug)]
pub(crate) struct CategoryTotals {
    pub(crate) code: String,
    pub(crate) rates: Vec<RateTotals>,
    pub(crate) amount: Amount,
    pub(crate) surcharge_amount: Option<Amount>,
    retained: bool,
}

/// The figures of a document, each rounded to the currency on its own.
#[derive(Debug)]
pub(crate) struct Totals {
    pub(crate) lines: Vec<LineTotals>,
    pub(crate) sum: Amount,
    pub(crate) discount: Amount,
    pub(crate) charge: Amount,
    pub(crate) tax_included: Amount,
    pub(crate) total: Amount,
    pub(crate) categories: Vec<CategoryTotals>,
    pub(crate) tax: Amount,
    pub(crate) total_with_tax: Amount,
    pub(crate) retained_tax: Amount,
    pub(crate) payable: Amount,
}

/// What makes a rate of its own.
#[derive(Debug, Clone)]
struct Tax {
    category: String,
    percent: Option<Percent>,
    surcharge: Option<Percent>,
    country: Option<String>,
    ext: Option<Value>,
}

impl Tax {
    fn same_rate(&self, other: &Self) -> bool {
        let same = |a: Option<Percent>, b: Option<Percent>| match (a, b) {
            (Some(a), Some(b)) => a.value().same_value(b.value()),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        same(self.percent, other.percent)
            && same(self.surcharge, other.surcharge)
            && self.country == other.country
            && self.ext == other.ext
    }
}

/// An amount that carries taxes.
struct Row {
    total: Amount,
    taxes: Vec<Tax>,
}

/// How a document is computed.
struct Rules {
    decimals: u8,
    working: u8,
    /// Every figure is rounded to the currency before it is added.
    currency_rounding: bool,
    /// The category whose tax the prices include.
    included: Option<String>,
    /// Categories the recipient withholds.
    retained: Vec<String>,
}

impl Rules {
    fn of(document: &Value) -> Self {
        let text = |pointer| document.pointer(pointer).and_then(Value::as_str);
        let decimals = currency_decimals(text("/currency").unwrap_or_default());
        let categories = document.pointer("/totals/taxes/categories").and_then(Value::as_array);
        let retained =
            categories.into_iter().flatten().filter(|c| c.get("retained") == Some(&Value::Bool(true)));
        Self {
            decimals,
            working: decimals.saturating_add(EXTRA_DECIMALS),
            currency_rounding: matches!(text("/tax/rounding"), Some("currency" | "round-then-sum")),
            included: text("/tax/prices_include").map(str::to_owned),
            retained: retained
                .filter_map(|c| c.get("code").and_then(Value::as_str))
                .map(str::to_owned)
                .collect(),
        }
    }

    /// Rounded now, when this document rounds early.
    fn step(&self, amount: Amount) -> Result<Amount, TooLarge> {
        if self.currency_rounding { amount.rescale(self.decimals) } else { amount.rescale_up(self.decimals) }
    }
}

impl Totals {
    /// Computes the figures. What cannot be read becomes a fault of `reader` and counts as nothing.
    pub(crate) fn of(document: &Value, reader: &mut Reader) -> Result<Self, TooLarge> {
        let rules = Rules::of(document);
        let zero = Amount::zero(rules.decimals);
        let (lines, mut rows) = lines(document, &rules, reader)?;
        let sum = rows.iter().try_fold(zero, |sum, row| sum.plus_exact(row.total))?;
        let mut total = sum;
        let mut adjust = |member: &str, sign: fn(Amount) -> Amount| -> Result<Amount, TooLarge> {
            let mut all = zero;
            for (index, item) in array(document, member).iter().enumerate() {
                let path = format!("$.doc.{member}[{index}]");
                let amount = rules.step(adjustment(item, &path, sum, &rules, reader)?)?;
                all = all.plus_exact(amount)?;
                rows.push(Row { total: sign(amount), taxes: taxes(item, &path, reader) });
            }
            total = total.plus_exact(sign(all))?;
            Ok(all)
        };
        let discount = adjust("discounts", Amount::negate)?;
        let charge = adjust("charges", |amount| amount)?;
        let categories = categories(rows, &rules)?;
        Self::round(lines, sum, (discount, charge), total, categories, &rules, document, reader)
    }

    #[expect(clippy::too_many_arguments, reason = "the last step of one algorithm, split for length")]
    fn round(
        lines: Vec<LineTotals>,
        sum: Amount,
        (discount, charge): (Amount, Amount),
        total: Amount,
        categories: Vec<CategoryTotals>,
        rules: &Rules,
        document: &Value,
        reader: &mut Reader,
    ) -> Result<Self, TooLarge> {
        let zero = Amount::zero(rules.decimals);
        let add = |retained: bool| {
            categories
                .iter()
                .filter(|category| category.retained == retained)
                .flat_map(|category| [Some(category.amount), category.surcharge_amount])
                .flatten()
                .try_fold(zero, Amount::plus_exact)
        };
        let (tax, retained_tax) = (add(false)?, add(true)?);
        let included = rules.included.as_deref();
        let tax_included =
            categories.iter().find(|c| Some(c.code.as_str()) == included).map_or(zero, |c| c.amount);
        let total = total.plus_exact(tax_included.negate())?;
        let total_with_tax = total.plus_exact(tax)?;
        let payable = total_with_tax.plus_exact(retained_tax.negate())?;
        let rounding = reader.amount(document.pointer("/totals/rounding"), "$.doc.totals.rounding");
        let round = |amount: Amount| amount.rescale(rules.decimals);
        let categories = categories
            .into_iter()
            .map(|category| category.round(rules.decimals))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            lines,
            sum: round(sum)?,
            discount: round(discount)?,
            charge: round(charge)?,
            tax_included: round(tax_included)?,
            total: round(total)?,
            categories,
            tax: round(tax)?,
            total_with_tax: round(total_with_tax)?,
            retained_tax: round(retained_tax)?,
            payable: round(payable)?.plus(rounding.unwrap_or(zero))?,
        })
    }
}

fn array<'a>(value: &'a Value, member: &str) -> &'a [Value] {
    value.get(member).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Line sums: price with at least the working decimals × quantity, then discounts and charges.
fn lines(
    document: &Value,
    rules: &Rules,
    reader: &mut Reader,
) -> Result<(Vec<LineTotals>, Vec<Row>), TooLarge> {
    let mut printed = Vec::new();
    let mut rows = Vec::new();
    for (index, line) in array(document, "lines").iter().enumerate() {
        let path = format!("$.doc.lines[{index}]");
        let price = reader.required(
            line.pointer("/item/price"),
            &format!("{path}.item.price"),
            "GOBL-BILL-INVOICE-08",
        );
        let quantity =
            reader.required(line.get("quantity"), &format!("{path}.quantity"), "GOBL-BILL-LINE-02");
        let price = price.rescale_up(rules.decimals)?;
        let working = if rules.currency_rounding { rules.decimals } else { rules.working };
        let sum = price.rescale_up(working)?.times(quantity)?;
        let sum = if rules.currency_rounding { sum.rescale(rules.decimals)? } else { sum };
        let mut total = sum;
        for (member, sign) in
            [("discounts", Amount::negate as fn(Amount) -> Amount), ("charges", |amount| amount)]
        {
            for (number, item) in array(line, member).iter().enumerate() {
                let path = format!("{path}.{member}[{number}]");
                let amount = match (item.get("rate"), item.get("percent")) {
                    (rate @ Some(_), None) => {
                        let by = reader
                            .amount(item.get("quantity"), &format!("{path}.quantity"))
                            .unwrap_or(quantity);
                        let rate = reader.required(rate, &format!("{path}.rate"), "GOBL-BILL-LINECHARGE-05");
                        rate.rescale_up(working)?.times(by)?
                    }
                    (_, _) => adjustment(item, &path, sum, rules, reader)?,
                };
                total = total.plus(sign(amount.rescale_up(rules.decimals)?))?;
            }
        }
        printed.push(LineTotals {
            sum: sum.rescale_down(price.scale())?,
            total: total.rescale_down(price.scale())?,
        });
        rows.push(Row { total, taxes: taxes(line, &path, reader) });
    }
    Ok((printed, rows))
}

/// A discount or charge: a share of its base or of `sum`, else a fixed amount.
fn adjustment(
    item: &Value,
    path: &str,
    sum: Amount,
    rules: &Rules,
    reader: &mut Reader,
) -> Result<Amount, TooLarge> {
    let Some(percent) = reader.percent(item.get("percent"), &format!("{path}.percent")) else {
        return Ok(reader.required(item.get("amount"), &format!("{path}.amount"), INPUT));
    };
    match reader.amount(item.get("base"), &format!("{path}.base")) {
        Some(base) => percent.of(rules.step(base.rescale_up(rules.working)?)?),
        None => percent.of(sum),
    }
}

fn taxes(item: &Value, path: &str, reader: &mut Reader) -> Vec<Tax> {
    let combos = array(item, "taxes").iter().enumerate();
    combos
        .map(|(index, combo)| {
            let path = format!("{path}.taxes[{index}]");
            let text = |member: &str| combo.get(member).and_then(Value::as_str).map(str::to_owned);
            let percent = reader.percent(combo.get("percent"), &format!("{path}.percent"));
            let surcharge = reader.percent(combo.get("surcharge"), &format!("{path}.surcharge"));
            let category = text("cat").unwrap_or_default();
            if category.is_empty() {
                reader.fault(INPUT, &format!("{path}.cat"), "a tax category is required");
            }
            Tax { category, percent, surcharge, country: text("country"), ext: combo.get("ext").cloned() }
        })
        .collect()
}

/// Bases aggregated per rate, then taxed; categories summed. All still exact.
fn categories(rows: Vec<Row>, rules: &Rules) -> Result<Vec<CategoryTotals>, TooLarge> {
    let zero = Amount::zero(rules.decimals);
    let mut categories: Vec<CategoryTotals> = Vec::new();
    for row in rows {
        let net = net_of(&row, rules)?;
        for tax in row.taxes {
            if !categories.iter().any(|category| category.code == tax.category) {
                categories.push(CategoryTotals {
                    code: tax.category.clone(),
                    rates: Vec::new(),
                    amount: zero,
                    surcharge_amount: None,
                    retained: rules.retained.contains(&tax.category),
                });
            }
            for category in categories.iter_mut().filter(|category| category.code == tax.category) {
                category.add(tax.clone(), net, rules)?;
            }
        }
    }
    for category in &mut categories {
        category.put_on_tax(zero)?;
    }
    Ok(categories)
}

/// The row without the tax its price includes.
fn net_of(row: &Row, rules: &Rules) -> Result<Amount, TooLarge> {
    let total = if row.taxes.is_empty() { row.total } else { row.total.rescale_up(rules.working)? };
    let included = rules.included.as_deref();
    let percent =
        row.taxes.iter().find(|tax| Some(tax.category.as_str()) == included).and_then(|tax| tax.percent);
    percent.map_or(Ok(total), |percent| percent.removed_from(total))
}

impl CategoryTotals {
    fn add(&mut self, tax: Tax, net: Amount, rules: &Rules) -> Result<(), TooLarge> {
        let add = |base: Amount| if rules.currency_rounding { base.plus(net) } else { base.plus_exact(net) };
        if let Some(rate) = self.rates.iter_mut().find(|rate| rate.tax.same_rate(&tax)) {
            rate.base = add(rate.base)?;
        } else {
            let zero = Amount::zero(rules.decimals);
            self.rates.push(RateTotals { tax, base: add(zero)?, amount: zero, surcharge_amount: None });
        }
        Ok(())
    }

    fn put_on_tax(&mut self, zero: Amount) -> Result<(), TooLarge> {
        for rate in &mut self.rates {
            rate.amount = rate.tax.percent.map_or(Ok(zero), |percent| percent.of(rate.base))?;
            self.amount = self.amount.plus_exact(rate.amount)?;
            if let Some(surcharge) = rate.tax.surcharge {
                let amount = surcharge.of(rate.base)?;
                rate.surcharge_amount = Some(amount);
                self.surcharge_amount = Some(self.surcharge_amount.unwrap_or(zero).plus_exact(amount)?);
            }
        }
        Ok(())
    }

    fn round(mut self, decimals: u8) -> Result<Self, TooLarge> {
        let round = |amount: Amount| amount.rescale(decimals);
        for rate in &mut self.rates {
            rate.base = round(rate.base)?;
            rate.amount = round(rate.amount)?;
            rate.surcharge_amount = rate.surcharge_amount.map(round).transpose()?;
        }
        self.amount = round(self.amount)?;
        self.surcharge_amount = self.surcharge_amount.map(round).transpose()?;
        Ok(self)
    }
}
