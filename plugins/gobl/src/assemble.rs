//! An invoice and what its country says of it become the document.

use std::io;

use einvoice_plugin::{
    Amount, CategoryTotal, DocumentKind, Faults, Invoice, Line, Preceding, RetentionTotal, Totals,
};
use serde::Serialize as _;

use crate::breakdown::{self, Breakdown, CodedRow, included_category};
use crate::format::{self, Ext, Text};
use crate::mapping::{Mapping, Row, Treatment, known};
use crate::text::{composed, non_blank};
use crate::{Money, Percent, SCHEMA};

/// What differs from country to country beside the tax rows.
#[derive(Debug, Default)]
pub struct Parts<'a> {
    /// The format's document type; `standard` when it is empty.
    pub kind: &'static str,
    /// From which the format derives types and notes.
    pub tags: Vec<Text<'a>>,
    /// The document's number.
    pub code: &'a str,
    /// What the document refers to; see [`preceding`](fn@preceding).
    pub preceding: Vec<format::DocumentRef<'a>>,
    /// Codes of the document as a whole.
    pub tax_ext: Ext<'a>,
    /// Who issues it; see [`party::supplier`](crate::party::supplier).
    pub supplier: format::Party<'a>,
    /// Whom it is for; see [`party::customer`](crate::party::customer).
    pub customer: Option<format::Party<'a>>,
}

/// The document. What is still missing of one country is set on the result.
pub fn assemble<'a, M: Mapping>(
    mapping: &M,
    invoice: &'a Invoice,
    parts: Parts<'a>,
) -> Result<format::Invoice<'a>, Faults> {
    let includes = included_category(invoice);
    let tax = (includes.is_some() || !parts.tax_ext.is_empty()).then(|| format::DocumentTax {
        prices_include: includes.map(Text::Borrowed),
        rounding: None,
        ext: parts.tax_ext,
        notes: Vec::new(),
    });
    let notes = non_blank(invoice.notes.as_deref());
    Ok(format::Invoice {
        schema: SCHEMA.into(),
        regime: M::REGIME.into(),
        addons: M::ADDONS.iter().map(|addon| Text::Borrowed(*addon)).collect(),
        tags: parts.tags,
        uuid: invoice.uuid.as_str().into(),
        kind: if parts.kind.is_empty() { "standard" } else { parts.kind }.into(),
        series: None,
        code: parts.code.into(),
        issue_date: invoice.issue_date.as_str().into(),
        op_date: invoice.operation_date.as_deref().map(Text::Borrowed),
        currency: invoice.currency.as_str().into(),
        preceding: parts.preceding,
        tax,
        supplier: parts.supplier,
        customer: parts.customer,
        lines: invoice
            .lines
            .iter()
            .map(|one| line(mapping, one, &invoice.totals))
            .collect::<Result<_, _>>()?,
        ordering: None,
        payment: payment(invoice),
        totals: totals(mapping, invoice)?,
        notes: notes
            .map(|text| format::Note { key: "general".into(), text: text.into(), ..format::Note::default() })
            .into_iter()
            .collect(),
        meta: Vec::new(),
    })
}

/// The document as JSON, its texts in composed characters (NFC). The error says why there is none, which no document of
/// this crate's types causes.
pub fn write(document: &format::Invoice<'_>) -> Result<String, String> {
    let mut json = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut json, Composed);
    document.serialize(&mut serializer).map_err(|error| error.to_string())?;
    String::from_utf8(json).map_err(|error| error.to_string())
}

/// Composes texts on their way: the format does so with its codes, and what is composed already it leaves alone.
struct Composed;

impl serde_json::ser::Formatter for Composed {
    fn write_string_fragment<W: io::Write + ?Sized>(&mut self, writer: &mut W, text: &str) -> io::Result<()> {
        writer.write_all(composed(text).as_bytes())
    }
}

/// A document this one refers to. `with_figures` carries what it came to, as the format's own corrections do; figures
/// of taxes this system does not know are left out, and so are the sums of surcharges and of what is withheld: the format
/// adds them up anew, on top of what is stated.
pub fn preceding<'a, M: Mapping>(
    mapping: &M,
    preceding: &'a Preceding,
    with_figures: bool,
) -> format::DocumentRef<'a> {
    let figures = preceding.totals.as_ref().filter(|_| with_figures);
    format::DocumentRef {
        uuid: preceding.uuid.as_str().into(),
        kind: match preceding.kind {
            DocumentKind::Invoice | DocumentKind::SimplifiedInvoice | DocumentKind::ReplacementInvoice => {
                "standard"
            }
            DocumentKind::CreditNote => "credit-note",
            DocumentKind::DebitNote => "debit-note",
        }
        .into(),
        issue_date: preceding.issue_date.as_str().into(),
        code: preceding.number.as_str().into(),
        reason: non_blank(preceding.reason.as_deref()).map(Text::Borrowed),
        stamps: Vec::new(),
        tax: figures.and_then(|figures| {
            let breakdown = breakdown::breakdown(mapping, figures, None).ok()?;
            Some(without_sums(taxes(mapping, figures, breakdown)))
        }),
        payable: figures.map(|figures| Money(figures.payable)),
        ext: Vec::new(),
    }
}

fn without_sums(mut taxes: format::TaxTotal<'_>) -> format::TaxTotal<'_> {
    taxes.retained = None;
    for category in &mut taxes.categories {
        category.surcharge = None;
    }
    taxes
}

fn line<'a, M: Mapping>(mapping: &M, line: &'a Line, totals: &'a Totals) -> Result<format::Line<'a>, Faults> {
    let tax = &line.tax;
    let Treatment { key, ext } = known(mapping, &Row::of_line(line))?;
    let mut taxes = vec![format::Combo {
        cat: tax.category.as_str().into(),
        key: key.map(Text::Borrowed),
        rate: None,
        percent: tax.rate.map(percent::<M>),
        surcharge: tax.surcharge.map(percent::<M>),
        ext,
    }];
    taxes.extend(totals.retentions.iter().map(|retention| {
        let Treatment { key, ext } = mapping.retention(&retention.category);
        format::Combo {
            cat: retention.category.as_str().into(),
            key: key.map(Text::Borrowed),
            rate: None,
            percent: Some(percent::<M>(retention.rate)),
            surcharge: None,
            ext,
        }
    }));
    let period = line.period.as_ref();
    let (quantity, price) = at_no_negative_price(line);
    Ok(format::Line {
        i: line.index,
        quantity: Money(quantity),
        period: period
            .map(|days| format::Period { start: days.start.as_str().into(), end: days.end.as_str().into() }),
        item: format::Item {
            name: line.description.trim().into(),
            price: Money(price),
            ..format::Item::default()
        },
        sum: Money(line.sum),
        taxes,
        total: Money(line.total),
    })
}

/// Quantity and price of a line. A price is not negative in the format: the quantity is, as the format itself has it when it
/// computes the document again.
fn at_no_negative_price(line: &Line) -> (Amount, Amount) {
    let (quantity, price) = (line.quantity, line.unit_price);
    match (price.is_negative(), quantity.units.checked_neg(), price.units.checked_neg()) {
        (true, Some(quantity_units), Some(price_units)) => {
            (Amount::new(quantity_units, quantity.scale), Amount::new(price_units, price.scale))
        }
        _ => (quantity, price),
    }
}

fn payment(invoice: &Invoice) -> Option<format::Payment<'_>> {
    let terms = invoice.payment.as_ref()?;
    let notes = non_blank(terms.note.as_deref());
    let due_date = terms.due_date.as_deref();
    if notes.is_none() && due_date.is_none() {
        return None;
    }
    let due = |date| format::DueDate { date, amount: Money(invoice.totals.payable), percent: "100%".into() };
    let terms = format::Terms {
        key: due_date.map(|_| "due-date".into()),
        due_dates: due_date.map(Text::Borrowed).map(due).into_iter().collect(),
        notes: notes.map(Text::Borrowed),
    };
    Some(format::Payment { terms: Some(terms), ..format::Payment::default() })
}

fn totals<'a, M: Mapping>(mapping: &M, invoice: &'a Invoice) -> Result<format::Totals<'a>, Faults> {
    let breakdown = breakdown::breakdown(mapping, &invoice.totals, Some(invoice))?;
    let totals = breakdown.totals.clone();
    Ok(format::Totals {
        sum: Money(totals.sum),
        tax_included: totals.tax_included.map(Money),
        total: Money(totals.net),
        taxes: Some(taxes(mapping, &invoice.totals, breakdown)),
        tax: Money(totals.tax),
        total_with_tax: Money(totals.gross),
        retained_tax: retained(&totals),
        payable: Money(totals.payable),
        advance: None,
        due: None,
    })
}

/// `totals` has the names that the breakdown's figures belong to.
fn taxes<'a, M: Mapping>(mapping: &M, totals: &'a Totals, breakdown: Breakdown<'_>) -> format::TaxTotal<'a> {
    let figures = &breakdown.totals;
    let mut categories: Vec<_> = totals
        .categories
        .iter()
        .zip(&figures.categories)
        .zip(breakdown.rows)
        .map(|((names, figures), rows)| category::<M>(&names.category, figures, rows))
        .collect();
    // Retentions stand beside the tax of the first line, so the format lists them after its category.
    let at = categories.len().min(1);
    categories.splice(at..at, totals.retentions.iter().map(|one| retention(mapping, one)));
    format::TaxTotal { categories, sum: Money(figures.tax), retained: retained(figures) }
}

fn retained(totals: &Totals) -> Option<Money> {
    (!totals.retentions.is_empty()).then_some(Money(totals.retained))
}

fn category<'a, M: Mapping>(
    code: &'a str,
    total: &CategoryTotal,
    rows: Vec<CodedRow>,
) -> format::CategoryTotal<'a> {
    let rate = |CodedRow { treatment: Treatment { key, ext }, row }: CodedRow| {
        let surcharge = row.surcharge.zip(row.surcharge_amount).map(|(rate, amount)| {
            format::SurchargeTotal { percent: percent::<M>(rate), amount: Money(amount) }
        });
        format::RateTotal {
            key: key.map(Text::Borrowed),
            ext,
            base: Money(row.base),
            percent: row.rate.map(percent::<M>),
            surcharge,
            amount: Money(row.amount),
        }
    };
    format::CategoryTotal {
        code: code.into(),
        retained: false,
        rates: rows.into_iter().map(rate).collect(),
        amount: Money(total.amount),
        surcharge: total.surcharge_amount.map(Money),
    }
}

fn retention<'a, M: Mapping>(mapping: &M, total: &'a RetentionTotal) -> format::CategoryTotal<'a> {
    let Treatment { key, ext } = mapping.retention(&total.category);
    let rate = format::RateTotal {
        key: key.map(Text::Borrowed),
        ext,
        base: Money(total.base),
        percent: Some(percent::<M>(total.rate)),
        surcharge: None,
        amount: Money(total.amount),
    };
    format::CategoryTotal {
        code: total.category.as_str().into(),
        retained: true,
        rates: vec![rate],
        amount: Money(total.amount),
        surcharge: None,
    }
}

fn percent<M: Mapping>(value: Amount) -> Percent {
    Percent { value, decimals: M::PERCENT_DECIMALS }
}

#[cfg(test)]
mod tests;
