//! Lines, their taxes and the retentions.

use einvoice_gobl::lines;
use einvoice_gobl::text::excerpt;
use einvoice_plugin::{Amount, Invoice, Line, Tax};

use crate::date::Date;
use crate::doc_type::DocType;
use crate::exemptions::REVERSE_CHARGE;
use crate::faults::{Findings, codes};
use crate::rates::{self, VatPercent};
use crate::taxes::{Category, RETENTIONS};
use crate::text::{self, TextProblem};

/// All lines. `day` is the day of the operation, when it is known.
pub(super) fn lines(invoice: &Invoice, day: Option<Date>, findings: &mut Findings) {
    if invoice.lines.is_empty() {
        findings.error(codes::LINES_MISSING, "/lines", "The invoice has no lines; add at least one.");
    }
    for (at, line) in invoice.lines.iter().enumerate() {
        let path = |member: &str| format!("/lines/{at}/{member}");
        check_description(line, &path, findings);
        lines::figures(line, &path, findings);
        check_tax(&line.tax, day, &path, findings);
    }
    let first = invoice.lines.first().map(|line| &line.tax.category).filter(|_| invoice.prices_include_tax);
    let other = invoice.lines.iter().position(|line| first.is_some_and(|first| *first != line.tax.category));
    if let Some(at) = other {
        let message = "Prices that include tax allow one tax category per invoice; use net prices or split the invoice.";
        findings.error(codes::TAX_INCLUDED_MIXED, format!("/lines/{at}/tax/category"), message);
    }
}

fn check_description(line: &Line, path: &impl Fn(&str) -> String, findings: &mut Findings) {
    let chars_max = findings.system.line_chars_max;
    let problem = match text::prose(&line.description, chars_max) {
        Ok(()) if line.description.trim().is_empty() => Some("is empty".to_owned()),
        Ok(()) | Err(TextProblem::Empty) => None,
        Err(TextProblem::TooLong { chars }) => Some(format!("has {chars} characters, {chars_max} fit")),
        Err(TextProblem::Character(character)) => {
            Some(format!("contains the control character {character:?}"))
        }
    };
    if let Some(problem) = problem {
        let message = format!("The line's description {problem}; correct it.");
        findings.error(codes::LINE_DESCRIPTION, path("description"), message);
    }
    let system = findings.system.name;
    lines::outlay(line, system, path, findings);
    lines::period(line, codes::PERIOD_MALFORMED, path, findings);
}

fn check_tax(tax: &Tax, day: Option<Date>, path: &impl Fn(&str) -> String, findings: &mut Findings) {
    let category = Category::parse(&tax.category);
    if category.is_none() {
        let message = format!("'{}' is no tax of Spain; use VAT, IGIC or IPSI.", excerpt(&tax.category));
        findings.error(codes::TAX_CATEGORY, path("tax/category"), message);
    }
    match (tax.rate, &tax.exemption) {
        (Some(percent), None) => check_rate(category, percent, day, path, findings),
        (None, Some(key)) => check_exemption(category, key, path, findings),
        (Some(_), Some(_)) | (None, None) => lines::treatment(tax, path, findings),
    }
    if let (Some(category), Some(percent)) = (category, tax.surcharge) {
        check_surcharge(category, tax.rate, percent, path, findings);
    }
}

fn check_rate(
    category: Option<Category>,
    percent: Amount,
    day: Option<Date>,
    path: &impl Fn(&str) -> String,
    findings: &mut Findings,
) {
    let path = path("tax/rate");
    if !lines::is_percent(percent) {
        findings.error(codes::TAX_RATE, path, "The rate is no percent between 0 and 100; correct it.");
        return;
    }
    let unusual = match category {
        Some(Category::Vat) => return check_vat_rate(percent, day, path, findings),
        Some(Category::Igic) => !rates::IGIC.iter().any(|known| known.percent.same_value(percent)),
        Some(Category::Ipsi) => percent.cmp_value(rates::IPSI_MAX).is_gt(),
        None => false,
    };
    if unusual {
        let key = category.map_or("", Category::key);
        let message =
            format!("{key} of {percent} % is unusual; check the rate before you issue the invoice.");
        findings.warning(codes::TAX_RATE_UNUSUAL, path, message);
    }
}

fn check_vat_rate(percent: Amount, day: Option<Date>, path: String, findings: &mut Findings) {
    match day.map(|day| rates::vat_percent(percent, day)) {
        Some(VatPercent::Unknown) => {
            let message = format!("The tax agency knows no VAT of {percent} %; use 21, 10, 4 or 0.");
            findings.error(codes::TAX_RATE, path, message);
        }
        Some(VatPercent::Temporary(from, to)) => {
            let message = format!("VAT of {percent} % held from {from} to {to} only; use 21, 10, 4 or 0.");
            findings.error(codes::TAX_RATE_EXPIRED, path, message);
        }
        Some(VatPercent::Accepted) | None => {}
    }
}

fn check_exemption(
    category: Option<Category>,
    key: &str,
    path: &impl Fn(&str) -> String,
    findings: &mut Findings,
) {
    if !findings.system.exemptions().any(|known| known.key == key) {
        let known: Vec<_> = findings.system.exemptions().map(|known| known.key).collect();
        let message = format!("'{}' is no exemption; use one of {}.", excerpt(key), known.join(", "));
        findings.error(codes::TAX_EXEMPTION, path("tax/exemption"), message);
    } else if category == Some(Category::Ipsi) {
        // The agencies' reasons are articles of the VAT law, and the structured format has no situation but a rate for it.
        let message = "IPSI has no exemption that a tax agency takes; use a rate of 0.";
        findings.error(codes::TAX_IPSI_EXEMPT, path("tax/exemption"), message);
    }
}

fn check_surcharge(
    category: Category,
    rate: Option<Amount>,
    percent: Amount,
    path: &impl Fn(&str) -> String,
    findings: &mut Findings,
) {
    let path = path("tax/surcharge");
    let allowed = rate.filter(|_| category == Category::Vat).map_or(&[][..], rates::vat_surcharges);
    if allowed.iter().any(|known| known.same_value(percent)) {
        return;
    }
    let message = match (rate, allowed.first()) {
        (Some(rate), Some(usual)) => {
            format!(
                "An equivalence surcharge of {percent} % does not belong to VAT of {rate} %; use {usual}."
            )
        }
        _ => "Only a VAT rate has an equivalence surcharge; remove the surcharge.".to_owned(),
    };
    findings.error(codes::TAX_SURCHARGE, path, message);
}

/// A recipient who accounts for the tax has to be identified (error 1197).
pub(super) fn reverse_charge(invoice: &Invoice, doc_type: DocType, findings: &mut Findings) {
    if !doc_type.is_simplified() {
        return;
    }
    for (at, line) in invoice.lines.iter().enumerate() {
        if line.tax.exemption.as_deref() == Some(REVERSE_CHARGE) {
            let message = "Reverse charge needs an identified recipient; issue a regular invoice.";
            findings.error(codes::TAX_REVERSE_CHARGE, format!("/lines/{at}/tax/exemption"), message);
        }
    }
}

/// What the recipient withholds.
pub(super) fn retentions(invoice: &Invoice, findings: &mut Findings) {
    let unknown = |category: &str| format!("'{category}' is no retention; use IRPF or IRNR.");
    lines::retentions(invoice, RETENTIONS, unknown, findings);
}
