//! Reports: what documents come to together, exactly, currency by currency.

use super::{DocumentKind, IssuePeriod, Status, currency_decimals};
use crate::ids::WorkspaceId;
use crate::money::{Amount, TooLarge};

/// Decimals of what is added up: most that a currency has (ISO 4217).
const DECIMALS: u8 = super::lists::GROSS_DECIMALS_MAX;

/// By what documents are put together. Kinds of document and currencies are never mixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportGroup {
    /// Issued documents, by the month of their issue date.
    Month,
    /// Issued documents, by the rows of their breakdown: category, rate, exemption and surcharge.
    Rate,
    /// All documents, by their state.
    Status,
}

impl ReportGroup {
    /// As requests write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Month => "month",
            Self::Rate => "rate",
            Self::Status => "status",
        }
    }

    /// What a request wrote.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Month, Self::Rate, Self::Status].into_iter().find(|group| group.as_str() == text)
    }
}

/// Which documents a report is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportScope {
    /// Those of this workspace.
    pub workspace: WorkspaceId,
    /// Those with an issue date in this period. Without one, documents that have no issue date yet count as well.
    pub period: IssuePeriod,
}

/// What documents come to, in their currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportSums {
    /// Without tax.
    pub net: Amount,
    /// The tax.
    pub tax: Amount,
    /// With tax.
    pub gross: Amount,
    /// What recipients withhold.
    pub retained: Amount,
    /// What is to be paid.
    pub payable: Amount,
}

/// What a row of a report has in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReportKey {
    /// `2026-11`.
    Month(String),
    /// A state.
    Status(Status),
}

/// Documents of one key, kind and currency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportRow {
    /// What they have in common.
    pub key: ReportKey,
    /// Their kind. Figures of credit notes are positive: what is credited.
    pub document_type: DocumentKind,
    /// Their currency, ISO 4217.
    pub currency: String,
    /// How many they are.
    pub documents: i64,
    /// What they come to.
    pub sums: ReportSums,
}

/// Rows of breakdowns of one category, rate, exemption and surcharge, kind and currency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateReportRow {
    /// A key of the regime.
    pub category: String,
    /// Percent; none for an exemption.
    pub rate: Option<String>,
    /// A key of the regime; none for a rate.
    pub exemption: Option<String>,
    /// Percent; none without one.
    pub surcharge: Option<String>,
    /// The kind of the documents.
    pub document_type: DocumentKind,
    /// Their currency, ISO 4217.
    pub currency: String,
    /// How many documents have such a row.
    pub documents: i64,
    /// What is taxed.
    pub base: Amount,
    /// The tax, surcharges included.
    pub amount: Amount,
}

/// A sum of ten-thousandths as an amount of a currency. Fails where it has more digits than can be computed with.
pub fn report_amount(ten_thousandths: i128, currency: &str) -> Result<Amount, TooLarge> {
    let decimals = currency_decimals(currency);
    let superfluous = 10_i128.pow(u32::from(DECIMALS.saturating_sub(decimals)));
    // Documents have at most the decimals of their currency, so nothing is cut.
    let units = ten_thousandths.checked_div(superfluous).and_then(|units| i64::try_from(units).ok());
    Amount::new(units.ok_or(TooLarge)?, decimals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_has_the_decimals_of_its_currency() {
        for (sum, currency, text) in [
            (1_234_500, "EUR", "123.45"),
            (1_230_000, "JPY", "123"),
            (1_234_560, "KWD", "123.456"),
            (-10_000, "EUR", "-1.00"),
        ] {
            assert_eq!(report_amount(sum, currency).unwrap().to_string(), text);
        }
        assert!(report_amount(i128::MAX, "EUR").is_err());
    }
}
