//! Tax rows in KSeF's terms.

use einvoice_eu::taxes;
use einvoice_gobl::date::Date;
use einvoice_gobl::{Mapping, Row, Treatment};
use einvoice_plugin::Invoice;

use crate::PREFIX;
use crate::tables::{EXEMPTIONS, EXT_TAX_CATEGORY, tax_category};

/// KSeF's codes of tax rows.
pub(crate) struct Rows {
    day: Option<Date>,
}

impl Rows {
    /// The codes on the day of issue.
    pub(crate) fn of(invoice: &Invoice) -> Self {
        Self { day: invoice.issue_date.parse().ok() }
    }
}

impl Mapping for Rows {
    const FAULT_PREFIX: &'static str = PREFIX;
    const REGIME: &'static str = "PL";
    const ADDONS: &'static [&'static str] = &["pl-favat-v3"];
    const PERCENT_DECIMALS: u8 = 1;

    fn treatment(&self, row: &Row<'_>) -> Option<Treatment> {
        let code = tax_category(row.rate, row.exemption, self.day)?;
        let key = match (row.rate, row.exemption) {
            (Some(rate), _) if rate.is_zero() => "zero",
            (Some(_), _) => "standard",
            (None, exemption) => taxes::exempt_by(EXEMPTIONS, exemption?)?.format_key,
        };
        Some(Treatment { key: Some(key), ext: vec![(EXT_TAX_CATEGORY, code.into())] })
    }
}
