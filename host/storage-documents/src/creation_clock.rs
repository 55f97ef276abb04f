//! Where a new row stands among those that pages list in the order (`created_at`, id).
//!
//! Somebody who follows a list page by page continues behind the last row they saw. A row that becomes visible later
//! must stand behind it, whatever the clocks of replicas say and however long its transaction takes: so transactions
//! that make such rows take turns.

use gateway_database::Tx;
use gateway_database::error::StoreError;
use gateway_database::sql::{Sql, params, statements};
use gateway_database::value::Ts;
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
