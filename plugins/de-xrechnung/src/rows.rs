//! Tax rows in the terms of the European standard.

use einvoice_eu::taxes;
use einvoice_gobl::{Mapping, Row, Treatment};

use crate::PREFIX;
use crate::tables::{EXEMPTIONS, EXT_TAX_CATEGORY};

/// VAT categories of the European standard.
pub(crate) struct Rows;

impl Mapping for Rows {
    const FAULT_PREFIX: &'static str = PREFIX;
    const REGIME: &'static str = "DE";
    const ADDONS: &'static [&'static str] = &["eu-en16931-v2017", "de-xrechnung-v3"];
    const PERCENT_DECIMALS: u8 = 0;

    fn treatment(&self, row: &Row<'_>) -> Option<Treatment> {
        let (key, code) = match (row.rate, row.exemption) {
            (Some(rate), None) if rate.is_zero() => ("zero", "Z"),
            (Some(_), None) => ("standard", "S"),
            (None, Some(key)) => {
                let exemption = taxes::exempt_by(EXEMPTIONS, key)?;
                (exemption.format_key, exemption.code)
            }
            (Some(_), Some(_)) | (None, None) => return None,
        };
        Some(Treatment { key: Some(key), ext: vec![(EXT_TAX_CATEGORY, code.into())] })
    }
}
