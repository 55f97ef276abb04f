//! Tax rows in the terms of the European standard.

use einvoice_en16931::codes::exemption;
use einvoice_eu::taxes;
use einvoice_gobl::{Mapping, Row, Treatment};

use crate::PREFIX;
use crate::tables::{EXEMPTIONS, EXT_TAX_CATEGORY, EXT_VATEX};

/// VAT categories of the European standard, with the reasons of exempt ones.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Rows {
    /// VATEX of exempt lines.
    pub(crate) vatex_of_exempt: Option<&'static str>,
}

impl Mapping for Rows {
    const FAULT_PREFIX: &'static str = PREFIX;
    /// The conversion writes that of the supplier's country.
    const REGIME: &'static str = "";
    const ADDONS: &'static [&'static str] = &["eu-en16931-v2017"];
    const PERCENT_DECIMALS: u8 = 1;

    fn treatment(&self, row: &Row<'_>) -> Option<Treatment> {
        let (key, category) = match (row.rate, row.exemption) {
            (Some(rate), None) if rate.is_zero() => ("zero", "Z"),
            (Some(_), None) => ("standard", "S"),
            (None, Some(key)) => {
                let exemption = taxes::exempt_by(EXEMPTIONS, key)?;
                (exemption.format_key, exemption.code)
            }
            (Some(_), Some(_)) | (None, None) => return None,
        };
        let own = self.vatex_of_exempt.filter(|_| category == "E");
        let vatex = own.or_else(|| exemption(category)).map(|code| (EXT_VATEX, code.into()));
        let ext = vatex.into_iter().chain([(EXT_TAX_CATEGORY, category.into())]).collect();
        Some(Treatment { key: Some(key), ext })
    }
}
