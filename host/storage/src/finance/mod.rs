//! What the finance service keeps: submissions with what was sent and answered, its copies of documents, and what it is
//! about to do.

use crate::events::LAST_DOCUMENT;
use gateway_database::Tx;
use gateway_database::error::StoreError;
use gateway_database::sql::{Sql, params};
use gateway_domain_events::DocumentRange;

pub mod activity;
pub mod attempts;
pub mod booking_documents;
pub mod correctives;
pub mod destination;
pub mod finance_documents;
pub mod intents;
pub mod issue_times;
pub mod messages;
pub mod submissions;
pub mod watchdog;

/// Deletes the rows of a range of documents: with `first` up to its last one, with `between` also behind the one that it
/// follows.
async fn clear(tx: &mut Tx, range: DocumentRange, first: &Sql, between: &Sql) -> Result<(), StoreError> {
    let last = range.last.unwrap_or(LAST_DOCUMENT);
    match range.after {
        None => tx.execute(first, params![last]).await?,
        Some(after) => tx.execute(between, params![after, last]).await?,
    };
    Ok(())
}
