//! Numbers of documents. Series are without gaps: the row of a series is the only serial point, so reserve as late as the
//! transaction allows. A number is given once, and for ever: no two documents of one supplier get the same, whichever
//! workspaces, kinds and patterns they come from.

use crate::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::StoreError;
use gateway_database::sql::{params, statements};
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{DocumentKind, InvoiceNumber, SeriesKey, SeriesStand};
use gateway_domain::tax_id::Issuer;
use jiff::Timestamp;

statements! {
    RESERVE = "INSERT INTO series (workspace_id, kind, year, next_no, first_no) VALUES ($1, $2, $3, 2, 1)
        ON CONFLICT (workspace_id, kind, year) DO UPDATE SET next_no = series.next_no + 1
        RETURNING next_no - 1";
    START_AT = "INSERT INTO series (workspace_id, kind, year, next_no, first_no) VALUES ($1, $2, $3, $4, $4)
        ON CONFLICT (workspace_id, kind, year) DO UPDATE SET next_no = excluded.next_no, first_no = excluded.first_no
        WHERE series.next_no = 1";
    // Whoever numbers a document waits, so what is read stays true until the transaction ends.
    LOCK_SERIES = each ["SELECT next_no FROM series WHERE workspace_id = $1 AND kind = $2 AND year = $3", (lock " FOR UPDATE")];
    RESUME_AT = "INSERT INTO series (workspace_id, kind, year, next_no, first_no) VALUES ($1, $2, $3, $4, $4)
        ON CONFLICT (workspace_id, kind, year) DO UPDATE SET next_no = excluded.next_no, first_no = excluded.first_no
        WHERE series.next_no = $5";
    NEXT_POSITION = "SELECT next_no FROM series WHERE workspace_id = $1 AND kind = $2 AND year = $3";
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
    ANY_OF_KIND = "SELECT no FROM invoice_number WHERE workspace_id = $1 AND kind = $2 LIMIT 1";
    OF_WORKSPACE = "SELECT number FROM invoice_number WHERE workspace_id = $1 AND number > $2 ORDER BY number LIMIT $3";
}

/// Behind every character that numbers have.
const LAST: char = '\u{7f}';

/// Takes the next position of a series, from 1. The series stays locked until the transaction ends; a rollback
/// gives the position back.
pub async fn reserve(tx: &mut Tx, series: SeriesKey) -> Result<i64, StoreError> {
    let (position,): (i64,) =
        tx.fetch_one(&RESERVE, params![series.workspace, series.kind.as_str(), series.year]).await?;
    Ok(position)
}

/// Makes a series that was never used start at `position` (at least 1); `false` when it was started or used before.
pub async fn start_at(tx: &mut Tx, series: SeriesKey, position: i64) -> Result<bool, StoreError> {
    let params = params![series.workspace, series.kind.as_str(), series.year, position];
    Ok(tx.execute(&START_AT, params).await? == 1)
}

/// How the series stands, held until the transaction ends where anybody used it or told it where to start.
pub async fn lock_series(tx: &mut Tx, series: SeriesKey) -> Result<SeriesStand, StoreError> {
    let key = || params![series.workspace, series.kind.as_str(), series.year];
    let row: Option<(i64,)> = tx.fetch_optional(&LOCK_SERIES, key()).await?;
    Ok(SeriesStand { next: row.map(|(next,)| next), has_given: any_in(tx, series).await? })
}

/// Makes a series that gave no number and stands at `from` begin at `position`, behind a number of another system; `false` when it
/// stands elsewhere by now. None: nobody used it or told it where to start.
pub async fn resume_at(
    tx: &mut Tx,
    series: SeriesKey,
    from: Option<i64>,
    position: i64,
) -> Result<bool, StoreError> {
    // No series stands at 0, so one that is there by now stays as it is.
    let from = from.unwrap_or(0);
    let params = params![series.workspace, series.kind.as_str(), series.year, position, from];
    Ok(tx.execute(&RESUME_AT, params).await? == 1)
}

/// Whether the series was used, or told where to start.
pub async fn is_begun(on: impl Into<Executor<'_>>, series: SeriesKey) -> Result<bool, StoreError> {
    let params = params![series.workspace, series.kind.as_str(), series.year];
    let row: Option<(i64,)> = on.into().optional(&NEXT_POSITION, params).await?;
    Ok(row.is_some())
}

/// The position that the next document of the series gets.
pub async fn next_position(on: impl Into<Executor<'_>>, series: SeriesKey) -> Result<i64, StoreError> {
    let params = params![series.workspace, series.kind.as_str(), series.year];
    let row: Option<(i64,)> = on.into().optional(&NEXT_POSITION, params).await?;
    Ok(row.map_or(1, |(next,)| next))
}

/// Gives a document the number at a position of its series; `false` when a document of the same issuer has it
/// already, and then the transaction has to be rolled back. A position that was given before fails the commit. On PostgreSQL
/// this waits for another transaction that is about to give the same number.
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
    tx.execute_later(&RECORD, arguments);
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

/// Whether a workspace ever gave a number to a document of this kind.
pub async fn any_of_kind(
    on: impl Into<Executor<'_>>,
    workspace: WorkspaceId,
    kind: DocumentKind,
) -> Result<bool, StoreError> {
    let row: Option<(i64,)> = on.into().optional(&ANY_OF_KIND, params![workspace, kind.as_str()]).await?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, samples};
    use gateway_domain::ids::WorkspaceId;
    use std::collections::BTreeSet;

    fn series(year: i16) -> SeriesKey {
        SeriesKey { workspace: WorkspaceId(1), kind: DocumentKind::Invoice, year }
    }

    #[tokio::test]
    async fn a_series_counts_from_one_and_a_rollback_leaves_no_gap() {
        for db in testing::both().await {
            samples::stored_workspace(&db, 1).await;
            let mut tx = db.begin().await.unwrap();
            assert_eq!(reserve(&mut tx, series(2026)).await.unwrap(), 1);
            assert_eq!(reserve(&mut tx, series(2026)).await.unwrap(), 2);
            assert_eq!(reserve(&mut tx, series(2027)).await.unwrap(), 1);
            tx.commit().await.unwrap();
            let mut tx = db.begin().await.unwrap();
            assert_eq!(reserve(&mut tx, series(2026)).await.unwrap(), 3);
            tx.rollback().await.unwrap();
            assert_eq!(next_position(db.db(), series(2026)).await.unwrap(), 3);
        }
    }

    #[tokio::test]
    async fn only_an_unused_series_can_be_told_where_to_start() {
        for db in testing::both().await {
            samples::stored_workspace(&db, 1).await;
            let mut tx = db.begin().await.unwrap();
            assert!(start_at(&mut tx, series(2026), 500).await.unwrap());
            assert!(!start_at(&mut tx, series(2026), 600).await.unwrap());
            assert_eq!(reserve(&mut tx, series(2026)).await.unwrap(), 500);
            assert!(!start_at(&mut tx, series(2026), 900).await.unwrap());
            tx.commit().await.unwrap();
            assert_eq!(next_position(db.db(), series(2026)).await.unwrap(), 501);
        }
    }

    #[tokio::test]
    async fn a_series_goes_on_behind_numbers_of_another_system_while_it_stands_where_it_was_read() {
        for db in testing::both().await {
            samples::stored_workspace(&db, 1).await;
            let mut tx = db.begin().await.unwrap();
            assert_eq!(
                lock_series(&mut tx, series(2026)).await.unwrap(),
                SeriesStand { next: None, has_given: false }
            );
            assert!(resume_at(&mut tx, series(2026), None, 413).await.unwrap());
            assert!(!resume_at(&mut tx, series(2026), None, 2).await.unwrap(), "somebody was first");
            assert!(!resume_at(&mut tx, series(2026), Some(412), 414).await.unwrap());
            assert!(resume_at(&mut tx, series(2026), Some(413), 414).await.unwrap());
            let stand = SeriesStand { next: Some(414), has_given: false };
            assert_eq!(lock_series(&mut tx, series(2026)).await.unwrap(), stand);
            assert_eq!(reserve(&mut tx, series(2026)).await.unwrap(), 414);
            tx.commit().await.unwrap();
        }
    }

    #[tokio::test]
    async fn parallel_reservations_get_consecutive_positions() {
        for db in testing::both().await {
            samples::stored_workspace(&db, 1).await;
            let tasks: Vec<_> = (0..40)
                .map(|_| {
                    let db = db.db().clone();
                    tokio::spawn(async move {
                        let mut tx = db.begin().await.unwrap();
                        let position = reserve(&mut tx, series(2026)).await.unwrap();
                        tx.commit().await.unwrap();
                        position
                    })
                })
                .collect();
            let mut positions = BTreeSet::new();
            for task in tasks {
                positions.insert(task.await.unwrap());
            }
            assert_eq!(positions, (1..=40).collect());
        }
    }
}
