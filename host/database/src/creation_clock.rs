//! Where a new row stands among those that pages list in the order (`created_at`, id).
//!
//! Somebody who follows a list page by page continues behind the last row they saw. A row that becomes visible later
//! must stand behind it, whatever the clocks of replicas say and however long its transaction takes: so transactions
//! that make such rows take turns.

use crate::db::Tx;
use crate::error::StoreError;
use crate::sql::{Sql, params, statements};
use crate::value::Ts;
use jiff::{SignedDuration, Timestamp};

statements! {
    NEWEST = each ["SELECT at FROM creation_clock", (lock " FOR UPDATE")];
    MOVE = "UPDATE creation_clock SET at = $1";
    NEWEST_DOCUMENT = each ["SELECT at FROM document_creation_clock", (lock " FOR UPDATE")];
    MOVE_DOCUMENT = "UPDATE document_creation_clock SET at = $1";
}

/// Databases keep instants to the microsecond.
const NEXT: SignedDuration = SignedDuration::from_micros(1);

/// The instant to make rows of the platform with: now, or a little later than the last one that was given. Others wait
/// until the transaction ends, so take it before any other lock.
pub async fn next(tx: &mut Tx, now: Timestamp) -> Result<Timestamp, StoreError> {
    advance(tx, (&NEWEST, &MOVE), now).await
}

/// The same for an invoice document. Only who makes a document waits, not who issues one; take it last, when nothing
/// is left to lock that another document's transaction may hold.
pub async fn next_document(tx: &mut Tx, now: Timestamp) -> Result<Timestamp, StoreError> {
    advance(tx, (&NEWEST_DOCUMENT, &MOVE_DOCUMENT), now).await
}

async fn advance(
    tx: &mut Tx,
    (newest, moved): (&Sql, &Sql),
    now: Timestamp,
) -> Result<Timestamp, StoreError> {
    let (Ts(newest),): (Ts,) = tx.fetch_one(newest, params![]).await?;
    let at = now.max(newest.checked_add(NEXT).unwrap_or(newest));
    tx.execute_later(moved, params![at]);
    Ok(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, at};

    #[tokio::test]
    async fn places_only_go_forward() {
        for db in testing::both().await {
            let mut tx = db.begin().await.unwrap();
            assert_eq!(next(&mut tx, at(5)).await.unwrap(), at(5));
            tx.commit().await.unwrap();
            let mut tx = db.begin().await.unwrap();
            let behind = next(&mut tx, at(3)).await.unwrap();
            assert_eq!(behind, at(5) + NEXT, "another replica's clock is late");
            assert_eq!(next(&mut tx, at(9)).await.unwrap(), at(9));
            assert_eq!(
                next_document(&mut tx, at(2)).await.unwrap(),
                at(2),
                "documents stand in a line of their own"
            );
            assert_eq!(next_document(&mut tx, at(2)).await.unwrap(), at(2) + NEXT);
        }
    }

    #[tokio::test]
    async fn who_comes_later_waits_for_the_one_before() {
        for db in testing::both().await {
            let mut first = db.begin().await.unwrap();
            let one = next(&mut first, at(7)).await.unwrap();
            let other = db.db().clone();
            let second = tokio::spawn(async move {
                let mut tx = other.begin().await.unwrap();
                let place = next(&mut tx, at(1)).await.unwrap();
                tx.commit().await.unwrap();
                place
            });
            tokio::task::yield_now().await;
            assert!(!second.is_finished());
            first.commit().await.unwrap();
            assert!(second.await.unwrap() > one);
        }
    }
}
