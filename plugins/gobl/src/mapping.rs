//! What a country says of tax rows, and the rows it is asked for.

use einvoice_plugin::{Amount, CategoryTotal, Ext as WitExt, Fault, Faults, Line, RateTotal};

use crate::codes::{TAX_TREATMENT, full_code};
use crate::format::Ext;

/// What a country says where the common document leaves it open.
pub trait Mapping {
    /// What stands before every fault code of the plugin: `ES-SII`.
    const FAULT_PREFIX: &'static str;
    /// The country whose regime it is, as the format writes it: `ES`.
    const REGIME: &'static str;
    /// The add-ons, in the order the format needs them.
    const ADDONS: &'static [&'static str];
    /// Decimals a percent has at least in the regime's rate tables: 1 for `21.0%`, 0 for `19%`.
    const PERCENT_DECIMALS: u8;

    /// How the format tells a tax row. None when this system does not know it.
    ///
    /// It is asked for every line, and for every row of the breakdown by its lines. The format adds up what has equal
    /// codes and percents.
    fn treatment(&self, row: &Row<'_>) -> Option<Treatment>;

    /// How the format tells a tax of this category that the recipient withholds. Most systems have no codes for it.
    fn retention(&self, _category: &str) -> Treatment {
        Treatment::default()
    }
}

/// A tax on a line, or a row of the breakdown.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// The document's key.
    pub category: &'a str,
    /// Percent.
    pub rate: Option<Amount>,
    /// Percent.
    pub surcharge: Option<Amount>,
    /// The document's key.
    pub exemption: Option<&'a str>,
    /// What the line says besides. Empty for a row whose lines are not known.
    pub ext: &'a [WitExt],
}

impl<'a> Row<'a> {
    /// The tax of a line.
    pub fn of_line(line: &'a Line) -> Self {
        let tax = &line.tax;
        Self {
            category: &tax.category,
            rate: tax.rate,
            surcharge: tax.surcharge,
            exemption: tax.exemption.as_deref(),
            ext: &line.ext,
        }
    }

    /// Whether both are in the same row of the gateway's breakdown.
    pub(crate) fn is_of(&self, total: &Self) -> bool {
        self.category == total.category
            && self.exemption == total.exemption
            && same(self.rate, total.rate)
            && same(self.surcharge, total.surcharge)
    }

    pub(crate) fn of_total(category: &'a CategoryTotal, row: &'a RateTotal) -> Self {
        Self {
            category: &category.category,
            rate: row.rate,
            surcharge: row.surcharge,
            exemption: row.exemption.as_deref(),
            ext: &[],
        }
    }
}

/// How the format says what happens to a row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Treatment {
    /// The situation: `standard`, `reverse-charge`.
    pub key: Option<&'static str>,
    /// Codes of the add-ons.
    pub ext: Ext<'static>,
}

/// The treatment of a row, or the mapping's fault.
pub(crate) fn known<M: Mapping>(mapping: &M, row: &Row<'_>) -> Result<Treatment, Faults> {
    mapping.treatment(row).ok_or_else(unmapped::<M>)
}

/// The fault of a row that a mapping does not know.
pub(crate) fn unmapped<M: Mapping>() -> Faults {
    let message = "A row of the totals matches no tax treatment; compute the totals again.";
    vec![Fault::error(full_code(M::FAULT_PREFIX, TAX_TREATMENT), "/totals/rates", message)]
}

/// Whether two percents are the same number, or both absent.
pub(crate) fn same(a: Option<Amount>, b: Option<Amount>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.same_value(b),
        (a, b) => a.is_none() && b.is_none(),
    }
}
