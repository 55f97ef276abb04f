//! Reports as tables: what documents come to by month, by tax or by state, currency by currency.

use crate::{format, taxes};
use gateway_domain::invoicing::{RateReportRow, ReportGroup, ReportKey, ReportRow};
use gateway_domain::money::Amount;

const SUMS: &[&str] = &["Net", "Tax", "Gross", "Retained", "To pay"];
const RATE_SUMS: &[&str] = &["Taxed", "Tax, surcharges included"];
const NOTHING_ISSUED: &str = "No document of this workspace was issued in this period.";
const NOTHING: &str = "This workspace has no document of this period.";

/// Documents of one month, tax or state, of one kind and one currency.
#[derive(Debug)]
pub struct SumsRow {
    /// The month, tax or state.
    pub key: String,
    /// What kind of document.
    pub kind: String,
    /// ISO 4217.
    pub currency: String,
    /// How many they are.
    pub documents: i64,
    /// One for each of [`ReportTable::figure_titles`].
    pub figures: Vec<String>,
}

fn figures(amounts: &[Amount]) -> Vec<String> {
    amounts.iter().map(ToString::to_string).collect()
}

impl From<ReportRow> for SumsRow {
    fn from(row: ReportRow) -> Self {
        let sums = row.sums;
        Self {
            key: match row.key {
                ReportKey::Month(month) => month,
                ReportKey::Status(status) => format::title(status.as_str()),
            },
            kind: format::title(row.document_type.as_str()),
            currency: row.currency,
            documents: row.documents,
            figures: figures(&[sums.net, sums.tax, sums.gross, sums.retained, sums.payable]),
        }
    }
}

impl From<RateReportRow> for SumsRow {
    fn from(row: RateReportRow) -> Self {
        Self {
            key: taxes::label(&row.category, row.rate, row.exemption.as_deref(), row.surcharge),
            kind: format::title(row.document_type.as_str()),
            currency: row.currency,
            documents: row.documents,
            figures: figures(&[row.base, row.amount]),
        }
    }
}

/// A report as a table.
#[derive(Debug)]
pub struct ReportTable {
    /// What the keys of the rows are.
    pub key_title: &'static str,
    /// What the figures of the rows are.
    pub figure_titles: &'static [&'static str],
    /// Every row.
    pub rows: Vec<SumsRow>,
    /// What stands in the place of a table without rows.
    pub empty: &'static str,
}

impl ReportTable {
    /// The rows of a report.
    pub fn of(group: ReportGroup, rows: Vec<SumsRow>) -> Self {
        let (figure_titles, empty) = match group {
            ReportGroup::Month => (SUMS, NOTHING_ISSUED),
            ReportGroup::Rate => (RATE_SUMS, NOTHING_ISSUED),
            ReportGroup::Status => (SUMS, NOTHING),
        };
        Self { key_title: title(group), figure_titles, rows, empty }
    }
}

/// By what documents are put together.
pub const fn title(group: ReportGroup) -> &'static str {
    match group {
        ReportGroup::Month => "Month of issue",
        ReportGroup::Rate => "Tax",
        ReportGroup::Status => "State",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gateway_domain::invoicing::DocumentKind;

    #[test]
    fn every_row_has_a_figure_for_each_title() {
        let row = RateReportRow {
            category: "VAT".to_owned(),
            rate: Some("10.0".to_owned()),
            exemption: None,
            surcharge: None,
            document_type: DocumentKind::CreditNote,
            currency: "EUR".to_owned(),
            documents: 2,
            base: "100.30".parse().unwrap(),
            amount: "10.03".parse().unwrap(),
        };
        let table = ReportTable::of(ReportGroup::Rate, vec![row.into()]);
        let row = &table.rows[0];
        assert_eq!((row.key.as_str(), row.kind.as_str()), ("VAT 10.0 %", "Credit note"));
        assert_eq!(row.figures, ["100.30", "10.03"]);
        assert_eq!(row.figures.len(), table.figure_titles.len());
    }
}
