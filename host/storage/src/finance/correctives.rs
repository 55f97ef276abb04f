//! Corrective drafts (rejection strategy B) and the rejected invoices they wait for, wherever documents are kept.

use crate::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::StoreError;
use gateway_database::sql::{Sql, params, statements};
use gateway_database::value::{Id, Ts};
use gateway_domain::ids::InvoiceId;
use jiff::Timestamp;

/// A statement on the correctives of a table; the tables of both places have the same columns.
macro_rules! on_table {
    (keep $table:literal) => {
        concat!("INSERT INTO ", $table, " (document_id, original_id) VALUES ($1, $2)")
    };
    (of $table:literal) => {
        concat!("SELECT document_id, released_at FROM ", $table, " WHERE original_id = $1")
    };
    (find $table:literal) => {
        concat!("SELECT document_id, released_at FROM ", $table, " WHERE document_id = $1")
    };
    (release $table:literal) => {
        concat!("UPDATE ", $table, " SET released_at = $2 WHERE original_id = $1 AND released_at IS NULL")
    };
}

statements! {
    KEEP_LOCAL = both on_table!(keep "corrective");
    OF_LOCAL = both on_table!(of "corrective");
    FIND_LOCAL = both on_table!(find "corrective");
    RELEASE_LOCAL = both on_table!(release "corrective");
    KEEP_REMOTE = both on_table!(keep "finance_corrective");
    OF_REMOTE = both on_table!(of "finance_corrective");
    FIND_REMOTE = both on_table!(find "finance_corrective");
    RELEASE_REMOTE = both on_table!(release "finance_corrective");
    FORGET_REMOTE = "DELETE FROM finance_corrective WHERE document_id = $1";
}

/// Correctives of documents that are kept in one place.
#[derive(Debug, Clone, Copy)]
pub struct Correctives {
    keep: Sql,
    of: Sql,
    find: Sql,
    release: Sql,
}

/// Of documents in this database: a corrective goes with its document.
pub const LOCAL: Correctives =
    Correctives { keep: KEEP_LOCAL, of: OF_LOCAL, find: FIND_LOCAL, release: RELEASE_LOCAL };
/// Of documents that a remote invoice data service keeps.
pub const REMOTE: Correctives =
    Correctives { keep: KEEP_REMOTE, of: OF_REMOTE, find: FIND_REMOTE, release: RELEASE_REMOTE };

/// A draft that takes the place of a rejected invoice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Corrective {
    /// Of the draft, not of the rejected invoice.
    pub document: InvoiceId,
    /// Whether it has to wait for the rejected invoice.
    pub blocked: bool,
}

#[derive(sqlx::FromRow)]
struct Row {
    document_id: Id,
    released_at: Option<Ts>,
}

impl From<Row> for Corrective {
    fn from(row: Row) -> Self {
        Self { document: InvoiceId(row.document_id.0), blocked: row.released_at.is_none() }
    }
}

impl Correctives {
    /// Blocks a corrective draft until its original is credited. An original has one at most.
    pub async fn keep(
        &self,
        tx: &mut Tx,
        document: InvoiceId,
        original: InvoiceId,
    ) -> Result<(), StoreError> {
        tx.execute(&self.keep, params![document, original]).await?;
        Ok(())
    }

    /// The corrective draft of an original.
    pub async fn of(
        &self,
        on: impl Into<Executor<'_>>,
        original: InvoiceId,
    ) -> Result<Option<Corrective>, StoreError> {
        let row: Option<Row> = on.into().optional(&self.of, params![original]).await?;
        Ok(row.map(Corrective::from))
    }

    /// Whether a document is a corrective draft that has to wait.
    pub async fn is_blocked(
        &self,
        on: impl Into<Executor<'_>>,
        document: InvoiceId,
    ) -> Result<bool, StoreError> {
        let row: Option<Row> = on.into().optional(&self.find, params![document]).await?;
        Ok(row.map(Corrective::from).is_some_and(|corrective| corrective.blocked))
    }

    /// The original is credited: its corrective draft may go; `false` when there is none that waits.
    pub async fn release(
        &self,
        tx: &mut Tx,
        original: InvoiceId,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        Ok(tx.execute(&self.release, params![original, now]).await? == 1)
    }
}

/// A draft of a remote service was never written, or is no more.
pub(crate) async fn forget_remote(tx: &mut Tx, document: InvoiceId) -> Result<(), StoreError> {
    tx.execute(&FORGET_REMOTE, params![document]).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, samples::at};
    use uuid::Uuid;

    #[tokio::test]
    async fn a_corrective_draft_waits_until_it_is_released() {
        let [draft, original] = [1, 2].map(|id| InvoiceId(Uuid::from_u128(id)));
        for db in testing::both().await {
            let mut tx = db.begin().await.unwrap();
            assert!(!REMOTE.is_blocked(&mut tx, draft).await.unwrap());
            REMOTE.keep(&mut tx, draft, original).await.unwrap();
            assert!(REMOTE.is_blocked(&mut tx, draft).await.unwrap());
            assert!(!REMOTE.is_blocked(&mut tx, original).await.unwrap());
            assert!(!LOCAL.is_blocked(&mut tx, draft).await.unwrap(), "it is another place");
            assert!(REMOTE.release(&mut tx, original, at(0)).await.unwrap());
            assert!(!REMOTE.release(&mut tx, original, at(1)).await.unwrap());
            let known = REMOTE.of(&mut tx, original).await.unwrap();
            assert_eq!(known, Some(Corrective { document: draft, blocked: false }));
            forget_remote(&mut tx, draft).await.unwrap();
            assert_eq!(REMOTE.of(&mut tx, original).await.unwrap(), None);
        }
    }
}
