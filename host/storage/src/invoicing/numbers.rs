//! Numbers that were given: each once, and for ever. No two documents of one supplier get the same, whichever
//! workspaces, kinds and patterns they come from.

use crate::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::StoreError;
use gateway_database::sql::{params, statements};
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{InvoiceNumber, SeriesKey};
use gateway_domain::tax_id::Issuer;
use jiff::Timestamp;

statements! {
    CLAIM = "INSERT INTO issuer_number (issuer, number, invoice_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    RECORD = "INSERT INTO invoice_number (workspace_id, kind, year, no, number, invoice_id, given_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    CLAIM_ALL = "INSERT INTO issuer_number (issuer, number, invoice_id)
        SELECT $1, number, invoice_id FROM (
            SELECT number, invoice_id FROM invoice_number WHERE workspace_id = $2
            UNION ALL SELECT number, id FROM invoice WHERE workspace_id = $2 AND imported IS NOT NULL) AS used
        WHERE true ON CONFLICT DO NOTHING";
    GIVEN = "SELECT COUNT(*) FROM issuer_number WHERE issuer = $1 AND number = $2";
    PAGE = "SELECT number FROM issuer_number WHERE issuer = $1 AND number > $2 AND number < $3 ORDER BY number LIMIT $4";
    LATER_YEAR = "SELECT no FROM invoice_number WHERE workspace_id = $1 AND kind = $2 AND year > $3 LIMIT 1";
    ANY_IN = "SELECT no FROM invoice_number WHERE workspace_id = $1 AND kind = $2 AND year = $3 LIMIT 1";
    ANY_OF = "SELECT no FROM invoice_number WHERE workspace_id = $1 LIMIT 1";
    OF_WORKSPACE = "SELECT number FROM invoice_number WHERE workspace_id = $1 AND number > $2 ORDER BY number LIMIT $3";
}

/// Behind every character that numbers have.
const LAST: char = '\u{7f}';

/// Gives a document the number at a position of its series; `false` when a document of the same issuer has it
/// already, and then the transaction has to be rolled back. On PostgreSQL this waits for another transaction that is about to give the same number.
pub async fn give(
    tx: &mut Tx,
    issuer: &Issuer,
    series: SeriesKey,
    position: i64,
    number: &InvoiceNumber,
    invoice: InvoiceId,
    now: Timestamp,
) -> Result<bool, StoreError> {
    if tx.execute(&CLAIM, params![issuer.as_str(), &number.0, invoice]).await? == 0 {
        return Ok(false);
    }
    let arguments =
        params![series.workspace, series.kind.as_str(), series.year, position, &number.0, invoice, now];
    tx.execute(&RECORD, arguments).await?;
    Ok(true)
}

/// Takes a number for a document that another system issued under it: no series gave it. `false` when a document of the same
/// issuer has it already.
pub async fn take_over(
    tx: &mut Tx,
    issuer: &Issuer,
    number: &InvoiceNumber,
    invoice: InvoiceId,
) -> Result<bool, StoreError> {
    Ok(tx.execute(&CLAIM, params![issuer.as_str(), &number.0, invoice]).await? == 1)
}

/// Whether a document of the issuer has this number.
pub async fn is_given(
    on: impl Into<Executor<'_>>,
    issuer: &Issuer,
    number: &InvoiceNumber,
) -> Result<bool, StoreError> {
    let (count,): (i64,) = on.into().one(&GIVEN, params![issuer.as_str(), &number.0]).await?;
    Ok(count > 0)
}

/// Whether a number was given in the same series of a later year.
pub async fn later_year(on: impl Into<Executor<'_>>, series: SeriesKey) -> Result<bool, StoreError> {
    let params = params![series.workspace, series.kind.as_str(), series.year];
    let row: Option<(i64,)> = on.into().optional(&LATER_YEAR, params).await?;
    Ok(row.is_some())
}

/// Makes what a workspace gave so far count for an issuer too.
pub(crate) async fn count_for(
    tx: &mut Tx,
    issuer: &Issuer,
    workspace: WorkspaceId,
) -> Result<(), StoreError> {
    tx.execute(&CLAIM_ALL, params![issuer.as_str(), workspace]).await?;
    Ok(())
}

/// The numbers of an issuer that start with `prefix`, in order, those after `after` (empty for the first), at most
/// `limit`.
pub async fn starting_with(
    tx: &mut Tx,
    issuer: &Issuer,
    prefix: &str,
    after: &str,
    limit: i64,
) -> Result<Vec<String>, StoreError> {
    let from = after.max(prefix);
    let arguments = params![issuer.as_str(), from, format!("{prefix}{LAST}"), limit];
    let rows: Vec<(String,)> = tx.fetch_all(&PAGE, arguments).await?;
    Ok(rows.into_iter().map(|(number,)| number).collect())
}

/// Whether a series gave a number.
pub async fn any_in(on: impl Into<Executor<'_>>, series: SeriesKey) -> Result<bool, StoreError> {
    let params = params![series.workspace, series.kind.as_str(), series.year];
    let row: Option<(i64,)> = on.into().optional(&ANY_IN, params).await?;
    Ok(row.is_some())
}

/// Whether a workspace ever gave a number.
pub async fn any_of(on: impl Into<Executor<'_>>, workspace: WorkspaceId) -> Result<bool, StoreError> {
    let row: Option<(i64,)> = on.into().optional(&ANY_OF, params![workspace]).await?;
    Ok(row.is_some())
}

/// The numbers that a workspace gave, in some order, those after `after` (empty for the first), at most `limit`.
pub async fn of_workspace(
    tx: &mut Tx,
    workspace: WorkspaceId,
    after: &str,
    limit: i64,
) -> Result<Vec<String>, StoreError> {
    let rows: Vec<(String,)> = tx.fetch_all(&OF_WORKSPACE, params![workspace, after, limit]).await?;
    Ok(rows.into_iter().map(|(number,)| number).collect())
}
