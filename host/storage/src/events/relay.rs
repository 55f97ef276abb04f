//! The places of events in the feed: one relay after another gives them, behind the commits.

use gateway_database::error::StoreError;
use gateway_database::sql::{params, statements};
use gateway_database::{Db, Tx};

statements! {
    ANY_NEW = "SELECT ord FROM event WHERE position IS NULL LIMIT 1";
    LOCK_FEED = each ["SELECT position FROM feed WHERE name = 'events'", (lock " FOR UPDATE SKIP LOCKED")];
    WAIT_FOR_FEED = each ["SELECT position FROM feed WHERE name = 'events'", (lock " FOR UPDATE")];
    STAMP = "UPDATE event SET position = $1 + pending.place
        FROM (SELECT ord, ROW_NUMBER() OVER (ORDER BY ord) AS place FROM event
            WHERE position IS NULL ORDER BY ord LIMIT $2) AS pending
        WHERE event.ord = pending.ord";
    MOVE_FEED = "UPDATE feed SET position = position + $1 WHERE name = 'events'";
}

/// Gives positions to up to `limit` committed events, in order, and says how many. Any number of relays may run; one
/// works, the others find nothing to do. Costs a read when there is nothing new.
pub async fn relay(db: &Db, limit: i64) -> Result<u64, StoreError> {
    let pending: Option<(i64,)> = db.fetch_optional(&ANY_NEW, params![]).await?;
    if pending.is_none() {
        return Ok(0);
    }
    let mut tx = db.begin().await?;
    let Some((position,)) = tx.fetch_optional::<(i64,)>(&LOCK_FEED, params![]).await? else {
        tx.rollback().await?;
        return Ok(0);
    };
    let stamped = tx.execute(&STAMP, params![position, limit]).await?;
    tx.execute_later(&MOVE_FEED, params![i64::try_from(stamped).unwrap_or(i64::MAX)]);
    tx.commit_at("relayed").await?;
    Ok(stamped)
}

/// Gives positions to every event that is committed at this moment: what happens from now on comes behind them. Whoever
/// relays meanwhile waits.
pub async fn relay_all(tx: &mut Tx) -> Result<(), StoreError> {
    let feed: Option<(i64,)> = tx.fetch_optional(&WAIT_FOR_FEED, params![]).await?;
    let Some((position,)) = feed else { return Ok(()) };
    let stamped = tx.execute(&STAMP, params![position, i64::MAX]).await?;
    tx.execute_later(&MOVE_FEED, params![i64::try_from(stamped).unwrap_or(i64::MAX)]);
    Ok(())
}
