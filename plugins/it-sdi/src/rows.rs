//! Tax rows in SdI's terms.

use einvoice_eu::taxes;
use einvoice_gobl::{Mapping, Row, Treatment};

use crate::PREFIX;
use crate::tables::{EXEMPTIONS, EXT_EXEMPT, EXT_RETAINED, Settings};

/// SdI's codes of tax rows.
pub(crate) struct Rows {
    retention_reason: String,
}

impl Rows {
    /// The codes of a workspace's documents.
    pub(crate) fn of(settings: &Settings) -> Self {
        Self { retention_reason: settings.retention_reason.clone() }
    }
}

impl Mapping for Rows {
    const FAULT_PREFIX: &'static str = PREFIX;
    const REGIME: &'static str = "IT";
    const ADDONS: &'static [&'static str] = &["it-sdi-v1"];
    const PERCENT_DECIMALS: u8 = 1;

    fn treatment(&self, row: &Row<'_>) -> Option<Treatment> {
        match (row.rate, row.exemption) {
            (Some(_), None) => Some(Treatment { key: Some("standard"), ext: Vec::new() }),
            (None, Some(key)) => {
                let exemption = taxes::exempt_by(EXEMPTIONS, key)?;
                let ext = vec![(EXT_EXEMPT, exemption.code.into())];
                Some(Treatment { key: Some(exemption.format_key), ext })
            }
            (Some(_), Some(_)) | (None, None) => None,
        }
    }

    fn retention(&self, _: &str) -> Treatment {
        Treatment { key: None, ext: vec![(EXT_RETAINED, self.retention_reason.clone().into())] }
    }
}
