//! Tax rows in myDATA's terms.

use einvoice_eu::taxes;
use einvoice_gobl::{Mapping, Row, Treatment};

use crate::PREFIX;
use crate::tables::{EXEMPTIONS, EXT_EXEMPTION, EXT_VAT_RATE, UNTAXED, vat_category};

/// myDATA's codes of tax rows.
pub(crate) struct Rows;

impl Mapping for Rows {
    const FAULT_PREFIX: &'static str = PREFIX;
    const REGIME: &'static str = "EL";
    const ADDONS: &'static [&'static str] = &["gr-mydata-v1"];
    const PERCENT_DECIMALS: u8 = 0;

    fn treatment(&self, row: &Row<'_>) -> Option<Treatment> {
        match (row.rate, row.exemption) {
            (Some(percent), None) => {
                let ext = vec![(EXT_VAT_RATE, vat_category(percent)?.into())];
                Some(Treatment { key: Some("standard"), ext })
            }
            (None, Some(key)) => {
                let exemption = taxes::exempt_by(EXEMPTIONS, key)?;
                let ext = vec![(EXT_VAT_RATE, UNTAXED.into()), (EXT_EXEMPTION, exemption.code.into())];
                Some(Treatment { key: Some(exemption.format_key), ext })
            }
            (Some(_), Some(_)) | (None, None) => None,
        }
    }
}
