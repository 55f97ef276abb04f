//! The export scope: issued documents only, in an order that issuing more of them does not disturb.

use crate::invoicing::invoices::{Row, columns};
use gateway_database::dispatch::Executor;
use gateway_database::error::StoreError;
use gateway_database::sql::{params, statements};
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::Invoice;
use gateway_domain::invoicing::IssuePeriod;
use jiff::civil::Date;
use uuid::Uuid;

statements! {
    PAGE = both concat!("SELECT ", columns!(), " FROM invoice \
        WHERE workspace_id = $1 AND status = 'issued' AND issue_date >= $2 AND issue_date <= $3 \
        AND (issue_date, id) > ($4, $5) ORDER BY issue_date, id LIMIT $6");
}

/// A place in the order of the export: issue date, then id. Neither changes once a document is issued.
pub type ExportKey = (Date, InvoiceId);

/// Issued documents of one workspace after a place, in order of issue date and id.
pub async fn page(
    on: impl Into<Executor<'_>>,
    workspace: WorkspaceId,
    period: IssuePeriod,
    after: Option<ExportKey>,
    limit: i64,
) -> Result<Vec<Invoice>, StoreError> {
    // Dates are texts of one width, so that they sort as dates; the empty text comes before all of them.
    let (day, id) = after.map_or((String::new(), Uuid::nil()), |(day, id)| (day.to_string(), id.0));
    let params = params![
        workspace,
        period.from.map(|day| day.to_string()).unwrap_or_default(),
        period.to.unwrap_or(Date::MAX).to_string(),
        day,
        id,
        limit,
    ];
    let rows: Vec<Row> = on.into().all(&PAGE, params).await?;
    Ok(rows.into_iter().map(Invoice::try_from).collect::<Result<_, _>>()?)
}
