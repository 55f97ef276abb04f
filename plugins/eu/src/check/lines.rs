//! Lines, their taxes and the retentions.

use einvoice_gobl::date::Date;
use einvoice_gobl::lines;
use einvoice_gobl::text::excerpt;
use einvoice_plugin::{Amount, Invoice, Line, Tax};

use super::{Rules, text_problem};
use crate::taxes::{exempt_by, in_force};
use crate::{Findings, codes};

/// All lines.
pub(super) fn lines(invoice: &Invoice, rules: &Rules, findings: &mut Findings) {
    if invoice.lines.is_empty() {
        findings.error(codes::LINES_MISSING, "/lines", "The invoice has no lines; add at least one.");
    }
    let day = invoice.operation_date.as_deref().unwrap_or(&invoice.issue_date).parse().ok();
    for (at, line) in invoice.lines.iter().enumerate() {
        let path = |member: &str| format!("/lines/{at}/{member}");
        check_description(line, rules, &path, findings);
        lines::figures(line, &path, findings);
        check_tax(&line.tax, day, rules, &path, findings);
    }
}

fn check_description(line: &Line, rules: &Rules, path: &impl Fn(&str) -> String, findings: &mut Findings) {
    if let Some(problem) = text_problem(&line.description, rules.description_chars_max, rules.latin1) {
        let message = format!("The line's description {problem}; correct it.");
        findings.error(codes::LINE_DESCRIPTION, path("description"), message);
    }
    lines::outlay(line, rules.system, path, findings);
    lines::period(line, codes::PERIOD_MALFORMED, path, findings);
}

fn check_tax(
    tax: &Tax,
    day: Option<Date>,
    rules: &Rules,
    path: &impl Fn(&str) -> String,
    findings: &mut Findings,
) {
    if tax.category != "VAT" {
        let message =
            format!("'{}' is no tax that {} takes on lines; use VAT.", excerpt(&tax.category), rules.system);
        findings.error(codes::TAX_CATEGORY, path("tax/category"), message);
    }
    match (tax.rate, &tax.exemption) {
        (Some(percent), None) => check_rate(percent, day, rules, path("tax/rate"), findings),
        (None, Some(key)) => {
            if exempt_by(rules.exemptions, key).is_none() {
                let known: Vec<_> = rules.exemptions.iter().map(|known| known.key).collect();
                let message = format!("'{}' is no exemption; use one of {}.", excerpt(key), known.join(", "));
                findings.error(codes::TAX_EXEMPTION, path("tax/exemption"), message);
            }
        }
        (Some(_), Some(_)) | (None, None) => lines::treatment(tax, path, findings),
    }
    if tax.surcharge.is_some() {
        let message = "This country has no surcharge on VAT; remove it.";
        findings.error(codes::TAX_SURCHARGE, path("tax/surcharge"), message);
    }
}

fn check_rate(percent: Amount, day: Option<Date>, rules: &Rules, path: String, findings: &mut Findings) {
    if !lines::is_percent(percent) {
        let message = "The rate is no percent between 0 and 100; correct it.";
        return findings.error(codes::TAX_RATE, path, message);
    }
    if let Some(message) = (rules.rate_refused)(percent) {
        return findings.error(codes::TAX_RATE, path, message);
    }
    let any = rules.rates.is_empty() || percent.is_zero();
    let known = any || day.is_none_or(|day| in_force(rules.rates, percent, day).is_some());
    if !known {
        let message = format!(
            "VAT of {percent} % is unusual on this day; check the rate before you issue the invoice."
        );
        findings.warning(codes::TAX_RATE_UNUSUAL, path, message);
    }
}

/// What the recipient withholds.
pub(super) fn retentions(invoice: &Invoice, rules: &Rules, findings: &mut Findings) {
    let unknown = |category: &str| format!("'{category}' is no tax that recipients withhold here.");
    lines::retentions(invoice, rules.retentions, unknown, findings);
}
