//! E-reporting of sales to consumers (flux 10.3 of the State's specifications): what one document adds to the report of
//! its period.
//!
//! A platform adds up the documents of a day, by kind of sale and rate, and reports every ten days or every month. This is
//! such a report with one document in it, so that the platform only has to add:
//!
//! | element | is |
//! |---|---|
//! | `ReportDocument` | the document's number, the workspace's platform, the supplier by its SIREN |
//! | `ReportPeriod` | the ten days, or the month, of the issue date |
//! | `Transactions` | `TLB1` goods or `TPS1` services at their rates; `TNT1` what is not taxed |
//!
//! What a credit note gives back is negative. The instant is the issue date at midnight, and the platform `0000` where the
//! settings name none: whoever sends the report writes its own.

use einvoice_en16931::Invoice;
use einvoice_en16931::model::TaxRow;
use einvoice_gobl::date::Date;
use einvoice_gobl::exact::Exact;
use einvoice_plugin::Amount;
use einvoice_xml::{Writer, document};

use crate::numbers::SCHEME_SIREN;
use crate::treatment::{Nature, nature};

/// ISO 6523: approved platforms.
const SCHEME_PLATFORM: &str = "0238";
/// What is sold without VAT.
const NOT_TAXED: &str = "TNT1";

/// The approved platform.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sender {
    /// Four digits.
    pub id: String,
    /// As it is registered.
    pub name: String,
}

/// How often it reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Period {
    /// From the 1st, the 11th and the 21st.
    TenDays,
    /// From the 1st.
    Month,
}

/// One document's share of a report.
#[derive(Debug)]
pub struct Report {
    /// The document's number.
    pub number: String,
    /// Of the document.
    pub day: Date,
    /// Who reports.
    pub sender: Sender,
    /// Nine digits.
    pub siren: String,
    /// The supplier.
    pub name: String,
    /// ISO 4217.
    pub currency: String,
    /// The first and the last day.
    pub period: (Date, Date),
    /// What the document comes to: without tax, the tax.
    pub stated: (Amount, Amount),
    /// What is taxed, then what is not.
    pub transactions: Vec<Transactions>,
}

/// Sales of one kind.
#[derive(Debug)]
pub struct Transactions {
    /// `TLB1`, `TPS1` or `TNT1`; empty when nobody says what is sold.
    pub category: &'static str,
    /// By rate.
    pub rows: Vec<Row>,
    /// Without tax.
    pub net: Amount,
    /// The tax.
    pub tax: Amount,
}

/// Sales at one rate.
#[derive(Debug)]
pub struct Row {
    /// Percent.
    pub rate: Amount,
    /// Without tax.
    pub base: Amount,
    /// The tax.
    pub tax: Amount,
}

impl Report {
    /// The share of a derived invoice. None when a figure is too large, a date missing, or nothing is sold.
    pub fn of(invoice: &Invoice, sender: Sender, period: Period) -> Option<Self> {
        let day: Date = invoice.issue_date.parse().ok()?;
        let is_credit = invoice.is_credit_note();
        let signed = |amount: Amount| {
            let units = if is_credit { amount.units.checked_neg()? } else { amount.units };
            Some(Amount::new(units, amount.scale))
        };
        let taxed_category = match nature(invoice.profile.process_id) {
            Some(Nature::Goods) => "TLB1",
            Some(Nature::Services) => "TPS1",
            Some(Nature::Mixed) | None => "",
        };
        let mut transactions = Vec::new();
        for (category, taxed) in [(taxed_category, true), (NOT_TAXED, false)] {
            let of_kind = invoice.tax_rows.iter().filter(|row| is_taxed(row) == taxed);
            let mut rows: Vec<Row> = Vec::new();
            for row in of_kind {
                let (base, tax) = (signed(row.base)?, signed(row.amount)?);
                let rate = row.rate.unwrap_or(Amount::new(0, 0));
                match rows.iter_mut().find(|known| known.rate.same_value(rate)) {
                    Some(known) => {
                        known.base = sum([known.base, base].into_iter())?;
                        known.tax = sum([known.tax, tax].into_iter())?;
                    }
                    None => rows.push(Row { rate, base, tax }),
                }
            }
            if !rows.is_empty() {
                let (net, tax) =
                    (sum(rows.iter().map(|row| row.base))?, sum(rows.iter().map(|row| row.tax))?);
                transactions.push(Transactions { category, rows, net, tax });
            }
        }
        let seller = &invoice.seller;
        (!transactions.is_empty()).then_some(Self {
            number: invoice.number.clone(),
            day,
            sender,
            siren: seller.legal_id.as_ref().map(|legal| legal.id.clone()).unwrap_or_default(),
            name: seller.name.clone(),
            currency: invoice.currency.clone(),
            period: bounds(day, period),
            stated: (signed(invoice.totals.net)?, signed(invoice.totals.tax)?),
            transactions,
        })
    }

    /// As XML, in no namespace.
    pub fn xml(&self) -> String {
        document("Report", &[], "", |xml| {
            xml.element("ReportDocument", |xml| self.head(xml));
            xml.element("TransactionsReport", |xml| {
                xml.element("ReportPeriod", |xml| {
                    xml.text("StartDate", &compact(self.period.0));
                    xml.text("EndDate", &compact(self.period.1));
                });
                for transactions in &self.transactions {
                    xml.element("Transactions", |xml| self.sales(xml, transactions));
                }
            });
        })
    }

    fn head(&self, xml: &mut Writer) {
        xml.text("Id", &self.number);
        xml.element("IssueDateTime", |xml| {
            xml.text("DateTimeString", &format!("{}000000", compact(self.day)));
        });
        xml.text("TypeCode", "IN");
        xml.element("Sender", |xml| {
            xml.text_with("Id", &[("schemeId", SCHEME_PLATFORM)], &self.sender.id);
            xml.text("Name", &self.sender.name);
            xml.text("RoleCode", "WK");
        });
        xml.element("Issuer", |xml| {
            xml.text_with("Id", &[("schemeId", SCHEME_SIREN)], &self.siren);
            xml.text("Name", &self.name);
            xml.text("RoleCode", "SE");
        });
    }

    fn sales(&self, xml: &mut Writer, transactions: &Transactions) {
        let figure = |xml: &mut Writer, name: &str, amount: Amount| {
            xml.text(name, &amount.canonical(2).to_string());
        };
        xml.text("Date", &compact(self.day));
        xml.text("TransactionsCurrency", &self.currency);
        xml.text("CategoryCode", transactions.category);
        figure(xml, "TaxExclusiveAmount", transactions.net);
        figure(xml, "TaxTotal", transactions.tax);
        xml.text("TransactionsCount", "1");
        for row in &transactions.rows {
            xml.element("TaxSubtotal", |xml| {
                figure(xml, "TaxPercent", row.rate);
                figure(xml, "TaxableAmount", row.base);
                figure(xml, "TaxTotal", row.tax);
            });
        }
    }
}

fn is_taxed(row: &TaxRow) -> bool {
    matches!(row.category.as_str(), "S" | "Z")
}

fn sum(mut amounts: impl Iterator<Item = Amount>) -> Option<Amount> {
    amounts.try_fold(Exact::ZERO, |sum, amount| sum.plus(Exact::of(amount))).and_then(Exact::amount)
}

/// A day as `YYYYMMDD`.
fn compact(day: Date) -> String {
    day.to_string().replace('-', "")
}

/// The first and the last day of the period in which a day lies.
fn bounds(day: Date, period: Period) -> (Date, Date) {
    let (first, last) = match (period, day.day_of_month()) {
        (Period::TenDays, 1..=10) => (1, Some(10)),
        (Period::TenDays, 11..=20) => (11, Some(20)),
        (Period::TenDays, _) => (21, None),
        (Period::Month, _) => (1, None),
    };
    let of_month = |number: u8| Date::new(day.year(), day.month(), number);
    (of_month(first), last.map_or_else(|| month_end(day), of_month))
}

fn month_end(day: Date) -> Date {
    let next = |day: &Date| day.following_day().filter(|next| next.month() == day.month());
    std::iter::successors(Some(day), next).last().unwrap_or(day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_is_ten_days_or_a_month() {
        let of = |day: &str, period| {
            let (first, last) = bounds(day.parse().unwrap(), period);
            format!("{first}/{last}")
        };
        assert_eq!(of("2026-11-01", Period::TenDays), "2026-11-01/2026-11-10");
        assert_eq!(of("2026-11-20", Period::TenDays), "2026-11-11/2026-11-20");
        assert_eq!(of("2028-02-21", Period::TenDays), "2028-02-21/2028-02-29");
        assert_eq!(of("2026-12-31", Period::TenDays), "2026-12-21/2026-12-31");
        assert_eq!(of("2026-02-03", Period::Month), "2026-02-01/2026-02-28");
        assert_eq!(of("9999-12-31", Period::Month), "9999-12-01/9999-12-31");
    }
}
