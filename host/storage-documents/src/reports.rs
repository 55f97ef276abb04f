//! What documents come to together, read from the sums of days that are kept where documents change ([`crate::sums`]). Sums are whole numbers of
//! ten-thousandths, in two halves, so that none overflows and none is rounded.

use gateway_database::db::Db;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::sql::{Sql, params, statements};
use gateway_domain::invoicing::{
    DocumentKind, RateReportRow, ReportKey, ReportRow, ReportScope, ReportSums, Status, report_amount,
};
use gateway_domain::money::Amount;

/// The halves of a sum of all days.
macro_rules! halves_of_days {
    ($name:literal) => {
        concat!(
            "CAST(SUM(",
            $name,
            "_high) AS BIGINT) AS ",
            $name,
            "_high, CAST(SUM(",
            $name,
            "_low) AS BIGINT) AS ",
            $name,
            "_low"
        )
    };
}

/// What documents of a day come to, as it is kept and as it changed since ([`crate::sums`]).
macro_rules! days {
    ($where:literal) => {
        concat!(
            "(SELECT ",
            day_columns!(),
            " FROM derived_document_sum WHERE workspace_id = $1 AND currency <> ''",
            $where,
            " UNION ALL SELECT ",
            day_columns!(),
            " FROM derived_document_sum_change WHERE workspace_id = $1 AND currency <> ''",
            $where,
            ") AS day"
        )
    };
}

macro_rules! day_columns {
    () => {
        "status, issue_date, kind, currency, documents, net_high, net_low, tax_high, tax_low, gross_high, gross_low, \
         retained_high, retained_low, payable_high, payable_low"
    };
}

macro_rules! sums {
    ($key:literal, $where:literal) => {
        concat!(
            "SELECT ",
            $key,
            " AS key, kind, currency, CAST(SUM(documents) AS BIGINT) AS documents, ",
            halves_of_days!("net"),
            ", ",
            halves_of_days!("tax"),
            ", ",
            halves_of_days!("gross"),
            ", ",
            halves_of_days!("retained"),
            ", ",
            halves_of_days!("payable"),
            " FROM ",
            days!($where),
            " GROUP BY ",
            $key,
            ", kind, currency HAVING SUM(documents) <> 0 ORDER BY ",
            $key,
            ", kind, currency"
        )
    };
}

/// What rows of breakdowns have in common that are added up.
macro_rules! rate_keys {
    () => {
        "category, rate, exemption, surcharge, kind, currency"
    };
}

macro_rules! rate_columns {
    () => {
        concat!(rate_keys!(), ", documents, base_high, base_low, amount_high, amount_low")
    };
}

statements! {
    BY_MONTH = both sums!("SUBSTR(issue_date, 1, 7)", " AND status = 'issued' AND issue_date >= $2 AND issue_date <= $3");
    BY_STATUS = both sums!("status", "");
    BY_STATUS_IN_PERIOD = both sums!("status", " AND issue_date >= $2 AND issue_date <= $3");
    // Only issued documents have a breakdown.
    BY_RATE = both concat!(
        "SELECT ", rate_keys!(), ", CAST(SUM(documents) AS BIGINT) AS documents, ",
        halves_of_days!("base"), ", ", halves_of_days!("amount"),
        " FROM (SELECT ", rate_columns!(), " FROM derived_rate_sum WHERE workspace_id = $1 AND issue_date >= $2 AND issue_date <= $3 \
         UNION ALL SELECT ", rate_columns!(), " FROM derived_rate_sum_change WHERE workspace_id = $1 AND issue_date >= $2 AND issue_date <= $3 \
         ) AS day GROUP BY ", rate_keys!(), " HAVING SUM(documents) <> 0"
    );
}

/// Before and behind every issue date.
const OPEN: (&str, &str) = ("0000-01-01", "9999-12-31");

#[derive(sqlx::FromRow)]
struct Row {
    key: String,
    kind: String,
    currency: String,
    documents: i64,
    net_high: i64,
    net_low: i64,
    tax_high: i64,
    tax_low: i64,
    gross_high: i64,
    gross_low: i64,
    retained_high: i64,
    retained_low: i64,
    payable_high: i64,
    payable_low: i64,
}

#[derive(sqlx::FromRow)]
struct RateRow {
    category: String,
    // Empty where there is none.
    rate: String,
    exemption: String,
    surcharge: String,
    kind: String,
    currency: String,
    documents: i64,
    base_high: i64,
    base_low: i64,
    amount_high: i64,
    amount_low: i64,
}

fn amount(high: i64, low: i64, currency: &str) -> Result<Amount, Corrupt> {
    const LOW_MODULUS: i128 = 1_000_000_000;
    let sum = i128::from(high).checked_mul(LOW_MODULUS).and_then(|sum| sum.checked_add(i128::from(low)));
    let amount = sum.and_then(|sum| report_amount(sum, currency).ok());
    amount.ok_or_else(|| Corrupt::new("invoice", currency, "sum", "more digits than can be computed with"))
}

fn kind(text: &str) -> Result<DocumentKind, Corrupt> {
    DocumentKind::parse(text).ok_or_else(|| Corrupt::new("invoice", text, "kind", text))
}

impl Row {
    fn parse(self, key: fn(String) -> Result<ReportKey, Corrupt>) -> Result<ReportRow, Corrupt> {
        let of = |high, low| amount(high, low, &self.currency);
        Ok(ReportRow {
            sums: ReportSums {
                net: of(self.net_high, self.net_low)?,
                tax: of(self.tax_high, self.tax_low)?,
                gross: of(self.gross_high, self.gross_low)?,
                retained: of(self.retained_high, self.retained_low)?,
                payable: of(self.payable_high, self.payable_low)?,
            },
            key: key(self.key)?,
            document_type: kind(&self.kind)?,
            documents: self.documents,
            currency: self.currency,
        })
    }
}

impl TryFrom<RateRow> for RateReportRow {
    type Error = Corrupt;

    fn try_from(row: RateRow) -> Result<Self, Corrupt> {
        Ok(Self {
            base: amount(row.base_high, row.base_low, &row.currency)?,
            amount: amount(row.amount_high, row.amount_low, &row.currency)?,
            document_type: kind(&row.kind)?,
            category: row.category,
            rate: non_empty(row.rate),
            exemption: non_empty(row.exemption),
            surcharge: non_empty(row.surcharge),
            documents: row.documents,
            currency: row.currency,
        })
    }
}

fn non_empty(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

fn bounds(scope: ReportScope) -> (String, String) {
    let (from, to) = (scope.period.from, scope.period.to);
    let text = |date: Option<jiff::civil::Date>, open: &str| {
        date.map_or_else(|| open.to_owned(), |date| date.to_string())
    };
    (text(from, OPEN.0), text(to, OPEN.1))
}

/// What issued documents come to, month by month.
pub async fn by_month(db: &Db, scope: ReportScope) -> Result<Vec<ReportRow>, StoreError> {
    let (from, to) = bounds(scope);
    let rows: Vec<Row> = Executor::from(db).all(&BY_MONTH, params![scope.workspace, from, to]).await?;
    parsed(rows, |month| Ok(ReportKey::Month(month)))
}

/// What documents come to, state by state.
pub async fn by_status(db: &Db, scope: ReportScope) -> Result<Vec<ReportRow>, StoreError> {
    let is_open = scope.period.from.is_none() && scope.period.to.is_none();
    let (statement, arguments): (&Sql, _) = if is_open {
        (&BY_STATUS, params![scope.workspace])
    } else {
        let (from, to) = bounds(scope);
        (&BY_STATUS_IN_PERIOD, params![scope.workspace, from, to])
    };
    parsed(Executor::from(db).all(statement, arguments).await?, |status| {
        let found =
            Status::parse(&status).ok_or_else(|| Corrupt::new("invoice", &status, "status", &status))?;
        Ok(ReportKey::Status(found))
    })
}

fn parsed(
    rows: Vec<Row>,
    key: fn(String) -> Result<ReportKey, Corrupt>,
) -> Result<Vec<ReportRow>, StoreError> {
    Ok(rows.into_iter().map(|row| row.parse(key)).collect::<Result<_, _>>()?)
}

/// What the breakdowns of issued documents come to.
pub async fn by_rate(db: &Db, scope: ReportScope) -> Result<Vec<RateReportRow>, StoreError> {
    let (from, to) = bounds(scope);
    let rows: Vec<RateRow> = Executor::from(db).all(&BY_RATE, params![scope.workspace, from, to]).await?;
    let mut rows: Vec<RateReportRow> = gateway_database::lists::parsed(rows)?;
    // The engines do not agree where NULL stands.
    rows.sort_by(|one, other| order(one).cmp(&order(other)));
    Ok(rows)
}

type RateOrder<'a> = (&'a str, Option<&'a str>, Option<&'a str>, Option<&'a str>, &'a str, &'a str);

fn order(row: &RateReportRow) -> RateOrder<'_> {
    let texts = (row.rate.as_deref(), row.exemption.as_deref(), row.surcharge.as_deref());
    (&row.category, texts.0, texts.1, texts.2, row.document_type.as_str(), &row.currency)
}
