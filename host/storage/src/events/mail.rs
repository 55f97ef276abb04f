//! Notices that wait to be mailed, and how each group of recipients was written to so far.

use super::Row;
use gateway_database::dispatch::Executor;
use gateway_database::error::StoreError;
use gateway_database::sql::{ids, params, statements};
use gateway_database::value::{Id, Ts};
use gateway_database::{Db, Tx};
use gateway_domain::ids::EventId;
use gateway_domain_events::StoredEvent;
use gateway_domain_events::notices::Mailing;

statements! {
    PUT = "INSERT INTO mail_notice (event_id) VALUES ($1) ON CONFLICT DO NOTHING";
    ANY_WAITING = "SELECT event_id FROM mail_notice LIMIT 1";
    WAITING = both concat!("SELECT ", columns!(), " FROM event
        WHERE id IN (SELECT event_id FROM mail_notice) ORDER BY position LIMIT $1");
    REMOVE = each ["DELETE FROM mail_notice WHERE ", (among "event_id", "$1")];
    MAILING = "SELECT sent_at, failures, failed_at FROM mail_digest WHERE recipients = $1";
    PUT_MAILING = "INSERT INTO mail_digest (recipients, sent_at, failures, failed_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (recipients) DO UPDATE SET sent_at = excluded.sent_at, failures = excluded.failures,
            failed_at = excluded.failed_at";
}

#[derive(sqlx::FromRow)]
struct MailingRow {
    sent_at: Option<Ts>,
    failures: i64,
    failed_at: Option<Ts>,
}

/// Keeps a notice until it is mailed; one that waits already waits once.
pub async fn put(tx: &mut Tx, notice: EventId) -> Result<(), StoreError> {
    tx.execute(&PUT, params![notice]).await?;
    Ok(())
}

/// The notices that wait, in the order of the feed. Costs a read of an empty table when there are none.
pub async fn waiting(db: &Db, limit: i64) -> Result<Vec<StoredEvent>, StoreError> {
    let any: Option<(Id,)> = db.fetch_optional(&ANY_WAITING, params![]).await?;
    if any.is_none() {
        return Ok(Vec::new());
    }
    let rows: Vec<Row> = db.fetch_all(&WAITING, params![limit]).await?;
    Ok(rows.into_iter().map(StoredEvent::from).collect())
}

/// They are mailed.
pub async fn remove(tx: &mut Tx, notices: &[EventId]) -> Result<u64, StoreError> {
    tx.execute(&REMOVE, vec![ids(notices)]).await
}

/// How recipients were written to so far.
pub async fn mailing(on: impl Into<Executor<'_>>, recipients: &str) -> Result<Mailing, StoreError> {
    let row: Option<MailingRow> = on.into().optional(&MAILING, params![recipients]).await?;
    Ok(row.map_or_else(Mailing::default, |row| Mailing {
        sent_at: row.sent_at.map(|at| at.0),
        failures: u32::try_from(row.failures).unwrap_or(u32::MAX),
        failed_at: row.failed_at.map(|at| at.0),
    }))
}

/// Writes down how they were written to.
pub async fn put_mailing(tx: &mut Tx, recipients: &str, mailing: Mailing) -> Result<(), StoreError> {
    let Mailing { sent_at, failures, failed_at } = mailing;
    tx.execute(&PUT_MAILING, params![recipients, sent_at, i64::from(failures), failed_at]).await?;
    Ok(())
}
