//! Tax rows in SdI's terms.

use einvoice_eu::taxes;
use einvoice_gobl::{Mapping, Row, Treatment, ext};
use einvoice_plugin::{Ext, Invoice};

use crate::PREFIX;
use crate::tables::{EXEMPTIONS, EXT, EXT_EXEMPT, EXT_RETAINED, EXT_VAT_LIABILITY, LIABILITIES, Settings};

/// SdI's codes of tax rows.
pub(crate) struct Rows<'a> {
    retention_reason: String,
    of_document: &'a [Ext],
}

impl<'a> Rows<'a> {
    /// The codes of a workspace's document.
    pub(crate) fn of(settings: &Settings, invoice: &'a Invoice) -> Self {
        Self { retention_reason: settings.retention_reason.clone(), of_document: &invoice.ext }
    }
}

/// When the VAT is due, if it is said and SdI knows it.
pub(crate) fn liability(ext: &[Ext]) -> Option<&'static str> {
    let stated = ext::of(EXT, ext, EXT_VAT_LIABILITY)?;
    LIABILITIES.into_iter().find(|known| stated.value == *known)
}

impl Mapping for Rows<'_> {
    const FAULT_PREFIX: &'static str = PREFIX;
    const REGIME: &'static str = "IT";
    const ADDONS: &'static [&'static str] = &["it-sdi-v1"];
    const PERCENT_DECIMALS: u8 = 1;

    fn treatment(&self, row: &Row<'_>) -> Option<Treatment> {
        match (row.rate, row.exemption) {
            (Some(_), None) => {
                let liability = liability(row.ext).or_else(|| liability(self.of_document));
                let ext = liability.map(|liability| (EXT_VAT_LIABILITY, liability.into()));
                Some(Treatment { key: Some("standard"), ext: ext.into_iter().collect() })
            }
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
