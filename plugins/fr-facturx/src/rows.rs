//! Tax rows in the terms of the European standard, with the reason of those that are not taxed.

use einvoice_gobl::{Mapping, Row, Treatment};

use crate::PREFIX;
use crate::exemptions::reason_of;
use crate::tables::{EXT_EXEMPTION, EXT_TAX_CATEGORY};

/// VAT categories of the European standard.
pub(crate) struct Rows;

impl Mapping for Rows {
    const FAULT_PREFIX: &'static str = PREFIX;
    const REGIME: &'static str = "FR";
    const ADDONS: &'static [&'static str] = &["eu-en16931-v2017", "fr-facturx-v1"];
    const PERCENT_DECIMALS: u8 = 0;

    fn treatment(&self, row: &Row<'_>) -> Option<Treatment> {
        let (key, code, vatex) = match (row.rate, row.exemption) {
            (Some(rate), None) if rate.is_zero() => ("zero", "Z", ""),
            (Some(_), None) => ("standard", "S", ""),
            (None, Some(key)) => {
                let reason = reason_of(key)?;
                (reason.exemption.format_key, reason.exemption.code, reason.vatex)
            }
            (Some(_), Some(_)) | (None, None) => return None,
        };
        let mut ext = vec![(EXT_TAX_CATEGORY, code.into())];
        if !vatex.is_empty() {
            ext.push((EXT_EXEMPTION, vatex.into()));
        }
        Some(Treatment { key: Some(key), ext })
    }
}
