//! The figures of a document.

use crate::money::{Amount, Percent, Rounding, TooLarge};
use crate::{ErrorCode, FieldError};
use serde::{Deserialize, Serialize};

/// The sums of one line, as printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineTotals {
    /// The unit price with at least the currency's decimals.
    pub unit_price: Amount,
    /// Quantity × unit price.
    pub sum: Amount,
    /// The sum less discounts, plus charges.
    pub total: Amount,
}

/// Everything that shares category, rate, exemption and surcharge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RateTotal {
    /// A key of the regime.
    pub category: String,
    /// Percent; none for an exemption.
    pub rate: Option<Percent>,
    /// A key of the regime.
    pub exemption: Option<String>,
    /// Percent on top of `rate` (recargo de equivalencia); none without one.
    pub surcharge: Option<Percent>,
    /// Net.
    pub base: Amount,
    /// Tax at `rate`.
    pub amount: Amount,
    /// Tax at `surcharge`.
    pub surcharge_amount: Option<Amount>,
}

/// The tax of one category. Rounded on its own, so it may differ by a cent from the sum of printed rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CategoryTotal {
    /// A key of the regime.
    pub category: String,
    /// Tax at the rates.
    pub amount: Amount,
    /// Tax at the surcharges.
    pub surcharge_amount: Option<Amount>,
}

/// What the recipient withholds of one tax.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetentionTotal {
    /// A key of the regime.
    pub category: String,
    /// Percent of `base`.
    pub rate: Percent,
    /// Net of all lines.
    pub base: Amount,
    /// Withheld.
    pub amount: Amount,
}

/// The figures of a document, each rounded to the currency on its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// By which rule of the format; kept, so that whatever is computed from the document later follows the same.
    #[serde(default, skip_serializing_if = "Rounding::is_precise")]
    pub rounding: Rounding,
    /// One per line, in order.
    pub lines: Vec<LineTotals>,
    /// Σ line totals, as the prices are.
    pub sum: Amount,
    /// The tax inside `sum`, when prices include it.
    pub tax_included: Option<Amount>,
    /// Before tax.
    pub net: Amount,
    /// Tax, surcharges included.
    pub tax: Amount,
    /// Net and tax.
    pub gross: Amount,
    /// Withheld by the recipient.
    pub retained: Amount,
    /// Gross less retained: what is paid.
    pub payable: Amount,
    /// The breakdown, in order of first appearance.
    pub rates: Vec<RateTotal>,
    /// The categories, in order of first appearance.
    pub categories: Vec<CategoryTotal>,
    /// The retentions, in order.
    pub retentions: Vec<RetentionTotal>,
}

/// Why a document has no figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TotalsError {
    /// Too many digits.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// The format takes the included tax out by one category per document.
    #[error("prices that include tax need one tax category for all lines: make one document per category")]
    MixedIncludedCategories,
}

/// The member that has no figures, and why.
impl From<TotalsError> for FieldError {
    fn from(error: TotalsError) -> Self {
        let (field, code) = match error {
            TotalsError::TooLarge(_) => ("lines", ErrorCode::TotalTooLarge),
            TotalsError::MixedIncludedCategories => ("prices_include_tax", ErrorCode::TaxCategoriesMixed),
        };
        Self::new(field, code, error.to_string())
    }
}
