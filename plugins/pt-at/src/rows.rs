//! Tax rows in SAF-T's terms.

use einvoice_eu::taxes;
use einvoice_gobl::date::Date;
use einvoice_gobl::{Mapping, Row, Treatment, ext};
use einvoice_plugin::{Amount, Ext, Invoice, Line};

use crate::PREFIX;
use crate::settings::Settings;
use crate::tables::{
    EXEMPT, EXEMPTIONS, EXT, EXT_EXEMPTION, EXT_PRODUCT_TYPE, EXT_REGION, EXT_TAX_RATE, PRODUCT_TYPES,
    REGIONS, RegionRate, region_rate,
};

/// SAF-T's codes of tax rows.
pub(crate) struct Rows<'a> {
    region: String,
    product_type: String,
    day: Option<Date>,
    of_document: &'a [Ext],
}

impl<'a> Rows<'a> {
    /// The codes of a workspace's document.
    pub(crate) fn of(settings: &Settings, invoice: &'a Invoice) -> Self {
        let day = invoice.operation_date.as_deref().unwrap_or(&invoice.issue_date);
        Self {
            region: settings.region.clone(),
            product_type: settings.product_type.clone(),
            day: day.parse().ok(),
            of_document: &invoice.ext,
        }
    }

    /// Where the tax of a line is due, if it is one of the AT's regions.
    pub(crate) fn region(&self, of_line: &[Ext]) -> Option<&'static str> {
        let region = self.stated(of_line, EXT_REGION).unwrap_or(&self.region);
        REGIONS.into_iter().find(|known| *known == region)
    }

    /// What a line sells, if it is one of SAF-T's sorts.
    pub(crate) fn product_type(&self, of_line: &[Ext]) -> Option<&'static str> {
        let product_type = self.stated(of_line, EXT_PRODUCT_TYPE).unwrap_or(&self.product_type);
        PRODUCT_TYPES.into_iter().find(|known| *known == product_type)
    }

    /// The region's rate of a percent on the document's day.
    pub(crate) fn rate(&self, of_line: &[Ext], percent: Amount) -> Option<&'static RegionRate> {
        region_rate(self.region(of_line)?, percent, self.day?)
    }

    /// The codes of a line: those of its tax, and what it sells.
    pub(crate) fn of_line(&self, line: &Line) -> Option<Treatment> {
        let mut treatment = self.treatment(&Row::of_line(line))?;
        treatment.ext.push((EXT_PRODUCT_TYPE, self.product_type(&line.ext)?.into()));
        Some(treatment)
    }

    fn stated(&self, of_line: &'a [Ext], key: &str) -> Option<&'a str> {
        let stated = ext::of(EXT, of_line, key).or_else(|| ext::of(EXT, self.of_document, key))?;
        Some(&stated.value)
    }
}

impl Mapping for Rows<'_> {
    const FAULT_PREFIX: &'static str = PREFIX;
    const REGIME: &'static str = "PT";
    const ADDONS: &'static [&'static str] = &["pt-saft-v1"];
    const PERCENT_DECIMALS: u8 = 1;

    fn treatment(&self, row: &Row<'_>) -> Option<Treatment> {
        let region = self.region(row.ext)?;
        let (key, mut ext) = match (row.rate, row.exemption) {
            (Some(percent), None) => {
                // The regime has a rate of this code for what the tables do not know; the check refuses it.
                let code = self.rate(row.ext, percent).map_or("OUT", |rate| rate.code);
                ("standard", vec![(EXT_TAX_RATE, code.into())])
            }
            (None, Some(key)) => {
                let exemption = taxes::exempt_by(EXEMPTIONS, key)?;
                (
                    exemption.format_key,
                    vec![(EXT_EXEMPTION, exemption.code.into()), (EXT_TAX_RATE, EXEMPT.into())],
                )
            }
            (Some(_), Some(_)) | (None, None) => return None,
        };
        ext.insert(0, (EXT_REGION, region.into()));
        Some(Treatment { key: Some(key), ext })
    }
}
