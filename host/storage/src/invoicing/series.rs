//! Gapless number series: the row of a series is the only serial point, so reserve as late as the transaction allows.

use super::numbers;
use gateway_database::db::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::StoreError;
use gateway_database::sql::{params, statements};
use gateway_domain::invoicing::{SeriesKey, SeriesStand};

statements! {
    RESERVE = "INSERT INTO series (workspace_id, kind, year, next_no, first_no) VALUES ($1, $2, $3, 2, 1)
        ON CONFLICT (workspace_id, kind, year) DO UPDATE SET next_no = series.next_no + 1
        RETURNING next_no - 1";
    START_AT = "INSERT INTO series (workspace_id, kind, year, next_no, first_no) VALUES ($1, $2, $3, $4, $4)
        ON CONFLICT (workspace_id, kind, year) DO UPDATE SET next_no = excluded.next_no, first_no = excluded.first_no
        WHERE series.next_no = 1";
    // Whoever numbers a document waits, so what is read stays true until the transaction ends.
    LOCK = each ["SELECT next_no FROM series WHERE workspace_id = $1 AND kind = $2 AND year = $3", (lock " FOR UPDATE")];
    RESUME_AT = "INSERT INTO series (workspace_id, kind, year, next_no, first_no) VALUES ($1, $2, $3, $4, $4)
        ON CONFLICT (workspace_id, kind, year) DO UPDATE SET next_no = excluded.next_no, first_no = excluded.first_no
        WHERE series.next_no = $5";
    NEXT = "SELECT next_no FROM series WHERE workspace_id = $1 AND kind = $2 AND year = $3";
}

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
pub async fn lock(tx: &mut Tx, series: SeriesKey) -> Result<SeriesStand, StoreError> {
    let key = || params![series.workspace, series.kind.as_str(), series.year];
    let row: Option<(i64,)> = tx.fetch_optional(&LOCK, key()).await?;
    Ok(SeriesStand { next: row.map(|(next,)| next), has_given: numbers::any_in(tx, series).await? })
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
    let row: Option<(i64,)> = on.into().optional(&NEXT, params).await?;
    Ok(row.is_some())
}

/// The position that the next document of the series gets.
pub async fn next(on: impl Into<Executor<'_>>, series: SeriesKey) -> Result<i64, StoreError> {
    let params = params![series.workspace, series.kind.as_str(), series.year];
    let row: Option<(i64,)> = on.into().optional(&NEXT, params).await?;
    Ok(row.map_or(1, |(next,)| next))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, samples};
    use gateway_domain::ids::WorkspaceId;
    use gateway_domain::invoicing::DocumentKind;
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
            assert_eq!(next(db.db(), series(2026)).await.unwrap(), 3);
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
            assert_eq!(next(db.db(), series(2026)).await.unwrap(), 501);
        }
    }

    #[tokio::test]
    async fn a_series_goes_on_behind_numbers_of_another_system_while_it_stands_where_it_was_read() {
        for db in testing::both().await {
            samples::stored_workspace(&db, 1).await;
            let mut tx = db.begin().await.unwrap();
            assert_eq!(
                lock(&mut tx, series(2026)).await.unwrap(),
                SeriesStand { next: None, has_given: false }
            );
            assert!(resume_at(&mut tx, series(2026), None, 413).await.unwrap());
            assert!(!resume_at(&mut tx, series(2026), None, 2).await.unwrap(), "somebody was first");
            assert!(!resume_at(&mut tx, series(2026), Some(412), 414).await.unwrap());
            assert!(resume_at(&mut tx, series(2026), Some(413), 414).await.unwrap());
            let stand = SeriesStand { next: Some(414), has_given: false };
            assert_eq!(lock(&mut tx, series(2026)).await.unwrap(), stand);
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
