//! Rules of flux 10 (the State's annex 7, version 1.8) that a document's share of a report can break.

use einvoice_gobl::exact::Exact;
use einvoice_plugin::Amount;

use crate::numbers::{is_digits, is_document_number, is_siren};
use crate::report::{Report, Row, Transactions};
use crate::tables::is_french_rate;

/// A rule of e-reporting.
#[derive(Debug, Clone, Copy)]
pub struct ReportRule {
    /// As the State numbers it: `G1.24`. Stable for ever.
    pub id: &'static str,
    /// Whether a report breaks it.
    pub is_broken: fn(&Report) -> bool,
    /// What is wrong and what to do next, one sentence.
    pub meaning: &'static str,
}

const fn rule(id: &'static str, is_broken: fn(&Report) -> bool, meaning: &'static str) -> ReportRule {
    ReportRule { id, is_broken, meaning }
}

/// All rules, in the order they are reported.
pub(super) const RULES: &[ReportRule] = &[
    rule(
        "G1.104",
        |report| !is_document_number(&report.number),
        "The report's number has more than letters, digits and + - _ /; correct the workspace's number pattern.",
    ),
    rule(
        "G1.36",
        |report| !(2000..=2099).contains(&report.day.year()),
        "The issue date lies outside the years 2000 to 2099; correct it.",
    ),
    rule(
        "G6.22",
        |report| report.sender.id.len() != 4 || !is_digits(&report.sender.id),
        "The platform that reports has no number of four digits; add platform to the settings.",
    ),
    rule(
        "G6.26",
        |report| !is_siren(&report.siren),
        "The supplier has no SIREN of nine digits; correct the workspace's tax id.",
    ),
    rule(
        "G1.68",
        |report| report.transactions.iter().any(|sales| sales.category.is_empty()),
        "The report does not say whether goods or services were sold; use a business process that begins with B or S.",
    ),
    rule(
        "G1.24",
        |report| rows(report).any(|row| !is_french_rate(row.rate)),
        "A rate of VAT is none of France's; correct the lines.",
    ),
    rule(
        "G1.14",
        |report| rows(report).any(|row| row.base.canonical(0).scale > 2 || row.tax.canonical(0).scale > 2),
        "An amount has more than two decimals; issue the document in euro.",
    ),
    rule(
        "G1.53",
        |report| {
            let (net, tax) = report.stated;
            let off = |stated: Amount, part: fn(&Transactions) -> Amount| {
                !is_near(stated, report.transactions.iter().map(part), rows(report).count())
            };
            off(net, |sales| sales.net) || off(tax, |sales| sales.tax)
        },
        "The totals are not the sums of their rates; convert the document again.",
    ),
];

fn rows(report: &Report) -> impl Iterator<Item = &Row> {
    report.transactions.iter().flat_map(|sales| &sales.rows)
}

/// Within a cent for each row.
fn is_near(stated: Amount, mut parts: impl Iterator<Item = Amount>, rows: usize) -> bool {
    let sum = parts.try_fold(Exact::ZERO, |sum, part| sum.plus(Exact::of(part)));
    let off =
        sum.and_then(|sum| sum.minus(Exact::of(stated))?.round(2)).map(|off| off.units().unsigned_abs());
    off.is_some_and(|off| u128::try_from(rows).is_ok_and(|rows| off <= rows))
}
