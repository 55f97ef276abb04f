//! The rows of a category: a structured document may split ours by codes of the tax system, or put some together.
//!
//! Rows of the same percent have to come to the same. Each printed row is rounded on its own, so where there are more
//! of them than ours, or fewer, the sums may differ by less than half a cent for every row of both. Some systems write
//! `0%` beside an exemption: where no row of ours is taxed at zero, that is a row without a percent.

use super::Difference;
use gateway_domain::invoicing::RateTotal;
use gateway_domain::money::{Amount, Percent};
use serde_json::Value;

/// A row of the structured document.
struct StatedRow {
    at: usize,
    /// None of a row that is not taxed.
    percent: Option<Percent>,
    base: Amount,
    amount: Amount,
}

/// The first difference between our rows of a category and those it states, which stand at `pointer`.
pub(super) fn differ(ours: &[&RateTotal], category: &Value, pointer: &str) -> Option<Difference> {
    compare(ours, category, pointer).err()
}

fn compare(ours: &[&RateTotal], category: &Value, pointer: &str) -> Result<(), Difference> {
    let none = Vec::new();
    let stated = category.get("rates").and_then(Value::as_array).unwrap_or(&none);
    let mut theirs = Vec::with_capacity(stated.len());
    for (at, row) in stated.iter().enumerate() {
        let mut row = read(at, row, pointer)?;
        let of_percent = |percent| ours.iter().any(|ours| ours.rate == percent);
        if row.percent.is_some_and(|percent| percent.value().is_zero()) && !of_percent(row.percent) {
            row.percent = None;
        }
        if !of_percent(row.percent) {
            return Err(Difference {
                figure: format!("{pointer}/{at}/percent"),
                ours: "no row of this percent".to_owned(),
                theirs: row.percent.map_or_else(|| "none".to_owned(), |percent| format!("{percent}%")),
            });
        }
        theirs.push(row);
    }
    for (at, row) in ours.iter().enumerate() {
        let first = ours.iter().take(at).all(|earlier| earlier.rate != row.rate);
        if first {
            compare_percent(ours, &theirs, row.rate, pointer)?;
        }
    }
    Ok(())
}

/// Compares the sums of all rows of one percent.
fn compare_percent(
    ours: &[&RateTotal],
    theirs: &[StatedRow],
    percent: Option<Percent>,
    pointer: &str,
) -> Result<(), Difference> {
    let ours = || ours.iter().filter(|row| row.rate == percent);
    let theirs = || theirs.iter().filter(|row| row.percent == percent);
    let figure = |member: &str| match theirs().next() {
        Some(first) => format!("{pointer}/{}/{member}", first.at),
        None => pointer.to_owned(),
    };
    let sums = [
        ("base", ours().map(|row| row.base).collect(), theirs().map(|row| row.base).collect()),
        ("amount", ours().map(|row| row.amount).collect(), theirs().map(|row| row.amount).collect()),
    ];
    let wrong = sums.into_iter().find(|(_, ours, theirs): &(_, Vec<_>, Vec<_>)| !agree(ours, theirs));
    wrong.map_or(Ok(()), |(member, ours, theirs)| {
        Err(Difference { figure: figure(member), ours: listed(&ours), theirs: listed(&theirs) })
    })
}

fn agree(ours: &[Amount], theirs: &[Amount]) -> bool {
    let off = sum(ours).zip(sum(theirs)).and_then(|(ours, theirs)| theirs.plus_exact(ours.negate()).ok());
    off.is_some_and(|off| off.is_zero() || ours.len() != theirs.len() && is_rounding(off, ours, theirs))
}

/// Whether `off` is less than half a unit of the last decimal for every row.
fn is_rounding(off: Amount, ours: &[Amount], theirs: &[Amount]) -> bool {
    let decimals = ours.iter().map(|amount| amount.scale()).max().unwrap_or_default();
    let rows = ours.len().saturating_add(theirs.len());
    let halves = i64::try_from(rows).ok().and_then(|rows| rows.checked_mul(5));
    let limit = halves.zip(decimals.checked_add(1)).and_then(|(units, scale)| Amount::new(units, scale).ok());
    let size = if off.is_negative() { off.negate() } else { off };
    limit.is_some_and(|limit| size.cmp_value(limit).is_lt())
}

fn sum(amounts: &[Amount]) -> Option<Amount> {
    let (first, rest) = amounts.split_first()?;
    rest.iter().try_fold(*first, |sum, amount| sum.plus_exact(*amount).ok())
}

fn listed(amounts: &[Amount]) -> String {
    sum(amounts).map_or_else(|| "nothing".to_owned(), |sum| sum.to_string())
}

/// A row as stated, or what of it cannot be read.
fn read(at: usize, row: &Value, pointer: &str) -> Result<StatedRow, Difference> {
    let unreadable = |member: &str, found: Option<&Value>| Difference {
        figure: format!("{pointer}/{at}/{member}"),
        ours: "a figure".to_owned(),
        theirs: found.map_or_else(|| "nothing".to_owned(), Value::to_string),
    };
    let amount = |member: &str| {
        let found = row.get(member);
        let read = found.and_then(Value::as_str).and_then(|text| text.parse::<Amount>().ok());
        read.ok_or_else(|| unreadable(member, found))
    };
    let percent = match row.get("percent").filter(|percent| !percent.is_null()) {
        None => None,
        found @ Some(stated) => {
            let read = stated.as_str().and_then(percent);
            Some(read.ok_or_else(|| unreadable("percent", found))?)
        }
    };
    Ok(StatedRow { at, percent, base: amount("base")?, amount: amount("amount")? })
}

/// `21.0%`; without the sign the format means a fraction, `0.21`.
fn percent(text: &str) -> Option<Percent> {
    let percent = match text.strip_suffix('%') {
        Some(percent) => percent.parse::<Amount>().ok()?,
        None => text.parse::<Amount>().ok()?.times(Amount::new(100, 0).ok()?).ok()?,
    };
    Percent::new(percent).ok()
}
