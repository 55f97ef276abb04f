//! What every country finds wrong with a line, and with what recipients withhold. `path` is the path of a member of the line.

use einvoice_plugin::{Amount, Invoice, Line, Tax};

use crate::codes::{
    FIGURE_TOO_LARGE, LINE_OUTLAY, RETENTION_CATEGORY, RETENTION_RATE, RETENTION_TWICE, TAX_TREATMENT,
};
use crate::date::Date;
use crate::findings::{FaultPrefix, Findings};
use crate::text::excerpt;

/// Refuses an outlay. `system` is the system's name in a sentence.
pub fn outlay<S: FaultPrefix>(
    line: &Line,
    system: &str,
    path: &impl Fn(&str) -> String,
    findings: &mut Findings<S>,
) {
    if line.outlay {
        let message =
            format!("Outlays cannot go out through {system} yet; bill them in a document of their own.");
        findings.error(LINE_OUTLAY, path("outlay"), message);
    }
}

/// Refuses a period that is no pair of days in order, under this code.
pub fn period<S: FaultPrefix>(
    line: &Line,
    code: &str,
    path: &impl Fn(&str) -> String,
    findings: &mut Findings<S>,
) {
    let Some(period) = &line.period else { return };
    let days: Result<(Date, Date), _> =
        period.start.parse().and_then(|start| Ok((start, period.end.parse::<Date>()?)));
    if !days.is_ok_and(|(start, end)| start <= end) {
        let message = "The line's period has no days in order; write them as YYYY-MM-DD, the earlier first.";
        findings.error(code, path("period"), message);
    }
}

/// Refuses figures with more digits than the format carries.
pub fn figures<S: FaultPrefix>(line: &Line, path: &impl Fn(&str) -> String, findings: &mut Findings<S>) {
    let figures = [
        ("quantity", line.quantity),
        ("unit_price", line.unit_price),
        ("unit_price", line.sum),
        ("unit_price", line.total),
    ];
    if let Some((member, _)) = figures.into_iter().find(|(_, amount)| !amount.is_representable()) {
        let message = "The line's figures have more than 18 digits; use fewer decimals or smaller amounts.";
        findings.error(FIGURE_TOO_LARGE, path(member), message);
    }
}

/// Refuses a tax with both or neither of rate and exemption.
pub fn treatment<S: FaultPrefix>(tax: &Tax, path: &impl Fn(&str) -> String, findings: &mut Findings<S>) {
    match (tax.rate, &tax.exemption) {
        (Some(_), None) | (None, Some(_)) => {}
        (Some(_), Some(_)) => {
            let message = "A line has either a rate or an exemption; remove one of them.";
            findings.error(TAX_TREATMENT, path("tax/exemption"), message);
        }
        (None, None) => {
            let message = "The line has neither a rate nor an exemption; add one.";
            findings.error(TAX_TREATMENT, path("tax/rate"), message);
        }
    }
}

/// Refuses retentions that are not among the `known` ones (key and title), stand twice or have no percent. `unknown` says of a
/// category, as it stands in the document, that it is none.
pub fn retentions<S: FaultPrefix>(
    invoice: &Invoice,
    known: &[(&str, &str)],
    unknown: impl Fn(&str) -> String,
    findings: &mut Findings<S>,
) {
    let retentions = &invoice.totals.retentions;
    for (at, retention) in retentions.iter().enumerate() {
        if !known.iter().any(|(known, _)| *known == retention.category) {
            let message = unknown(&excerpt(&retention.category));
            findings.error(RETENTION_CATEGORY, format!("/retentions/{at}/category"), message);
        }
        if retentions.iter().take(at).any(|earlier| earlier.category == retention.category) {
            let message = "A retention may appear once; remove the second one.";
            findings.error(RETENTION_TWICE, format!("/retentions/{at}/category"), message);
        }
        if !is_percent(retention.rate) {
            let message = "The rate is no percent between 0 and 100; correct it.";
            findings.error(RETENTION_RATE, format!("/retentions/{at}/rate"), message);
        }
    }
}

/// Whether it can be the rate of a tax or a retention: from 0 to 100, with at most four decimals that count.
pub fn is_percent(percent: Amount) -> bool {
    !percent.is_negative()
        && percent.cmp_value(Amount::new(100, 0)).is_le()
        && percent.canonical(0).scale <= 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percent_lies_between_0_and_100_with_four_decimals() {
        for (units, scale, is_one) in [
            (0, 0, true),
            (1_000_000, 4, true),
            (2_100_000, 5, true),
            (-1, 0, false),
            (1_000_001, 4, false),
            (2_100_001, 5, false),
        ] {
            assert_eq!(is_percent(Amount::new(units, scale)), is_one, "{units} {scale}");
        }
    }
}
