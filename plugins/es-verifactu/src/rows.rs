//! Tax rows in the agency's terms.

use std::iter;

use einvoice_es::exemptions::Class;
use einvoice_es::taxes::{self, Category};
use einvoice_gobl::{Mapping, Row, Treatment};
use einvoice_plugin::{Ext, Invoice, Line};

use crate::SYSTEM;
use crate::codes::{self, EXPORT, EXT_EXEMPT, EXT_OP_CLASS, EXT_REGIME, GENERAL, SURCHARGE, find_regime};
use crate::regimes;

/// The agency's codes of the tax rows of an invoice.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rows<'a> {
    pub(crate) invoice: &'a Invoice,
}

impl Rows<'_> {
    /// The regime: the line says it, the document or the treatment.
    pub(crate) fn regime(self, line: &[Ext], treatment: taxes::Treatment) -> &'static str {
        let entry = find_regime(line).or_else(|| find_regime(&self.invoice.ext));
        entry.and_then(|entry| codes::regime(&entry.value)).unwrap_or(match treatment {
            taxes::Treatment::Taxed { surcharge: true, .. } => SURCHARGE,
            _ if treatment.is_export() => EXPORT,
            _ => GENERAL,
        })
    }

    /// A line's row as its regime looks at it. None for IPSI, which has no regimes, and for a line without sound treatment.
    pub(crate) fn under_regime(self, line: &Line) -> Option<(regimes::Row<'static>, taxes::Treatment)> {
        let tax = &line.tax;
        let category = Category::parse(&tax.category).filter(|category| *category != Category::Ipsi)?;
        let treatment = taxes::Treatment::of(&SYSTEM, tax.rate, tax.surcharge, tax.exemption.as_deref())?;
        let (key, code) = code_of(treatment);
        let row = regimes::Row {
            regime: self.regime(&line.ext, treatment),
            category,
            class: (key == EXT_OP_CLASS).then_some(code),
            exemption: (key == EXT_EXEMPT).then_some(code),
            percent: tax.rate,
        };
        Some((row, treatment))
    }
}

/// Whether a line goes out under a regime whose operations may lie after the day of issue.
pub(crate) fn may_be_billed_ahead(invoice: &Invoice) -> bool {
    let rows = Rows { invoice };
    let mut lines = invoice.lines.iter().filter_map(|line| rows.under_regime(line));
    lines.any(|(row, _)| regimes::may_be_billed_ahead(row.regime))
}

impl Mapping for Rows<'_> {
    const FAULT_PREFIX: &'static str = SYSTEM.prefix;
    const REGIME: &'static str = "ES";
    const ADDONS: &'static [&'static str] = &["es-verifactu-v1"];
    const PERCENT_DECIMALS: u8 = 1;

    fn treatment(&self, row: &Row<'_>) -> Option<Treatment> {
        let category = Category::parse(row.category)?;
        let found = taxes::Treatment::of(&SYSTEM, row.rate, row.surcharge, row.exemption)?;
        let class = code_of(found);
        // The agency refuses a regime beside IPSI (1260).
        let regime = (category != Category::Ipsi).then(|| (EXT_REGIME, self.regime(row.ext, found)));
        let ext = iter::once(class).chain(regime).map(|(key, code)| (key, code.into())).collect();
        Some(Treatment { key: found.format_key(category), ext })
    }
}

/// The add-on's key and code of what happens to a row: its class, or why it is exempt.
const fn code_of(treatment: taxes::Treatment) -> (&'static str, &'static str) {
    match treatment {
        taxes::Treatment::Taxed { .. } => (EXT_OP_CLASS, "S1"),
        taxes::Treatment::Untaxed(exemption) => class(exemption.class),
    }
}

const fn class(class: Class) -> (&'static str, &'static str) {
    match class {
        Class::Exempt(code) => (EXT_EXEMPT, code),
        Class::ReverseCharge => (EXT_OP_CLASS, "S2"),
        Class::OutsideScope => (EXT_OP_CLASS, "N1"),
        Class::OutsideScopeLocation => (EXT_OP_CLASS, "N2"),
        Class::Own(code) => (EXT_OP_CLASS, code),
    }
}

/// Whether an untaxed row is an export that the general regime has no place for.
pub(crate) fn is_export_of_articles_21_and_22(treatment: taxes::Treatment) -> bool {
    matches!(code_of(treatment), (EXT_EXEMPT, "E2" | "E3"))
}
