//! Everything a database holds of documents and their ways, read at once: for whoever checks from outside that nothing
//! was lost, doubled or left behind.

use gateway_database::db::Db;
use gateway_database::dispatch::Record;
use gateway_database::error::StoreError;
use gateway_database::sql::Sql;
use gateway_database::value::{Id, Ts};

/// A document.
#[derive(Debug, Clone, sqlx::FromRow)]
#[expect(missing_docs, reason = "the columns of the table of this name")]
pub struct InvoiceRow {
    pub id: Id,
    pub workspace_id: i64,
    pub kind: String,
    pub status: String,
    pub number: Option<String>,
    pub send_to_tax_authority: bool,
    pub acceptance: Option<String>,
    pub rejection_reason: Option<String>,
    pub version: i64,
}

/// A number that was given.
#[derive(Debug, Clone, sqlx::FromRow)]
#[expect(missing_docs, reason = "the columns of the table of this name")]
pub struct NumberRow {
    pub workspace_id: i64,
    pub kind: String,
    pub year: i64,
    pub no: i64,
    pub number: String,
    pub invoice_id: Id,
}

/// Where a series goes on.
#[derive(Debug, Clone, sqlx::FromRow)]
#[expect(missing_docs, reason = "the columns of the table of this name")]
pub struct SeriesRow {
    pub workspace_id: i64,
    pub kind: String,
    pub year: i64,
    pub next_no: i64,
}

/// A submission.
#[derive(Debug, Clone, sqlx::FromRow)]
#[expect(missing_docs, reason = "the columns of the table of this name")]
pub struct SubmissionRow {
    pub document_id: Id,
    pub stage: String,
    pub number: Option<String>,
    pub alert_code: Option<String>,
    pub updated_at: Ts,
}

/// An attempt: one job of the provider.
#[derive(Debug, Clone, sqlx::FromRow)]
#[expect(missing_docs, reason = "the columns of the table of this name")]
pub struct AttemptRow {
    pub job_id: Id,
    pub document_id: Id,
    pub ordinal: i64,
    pub number: Option<String>,
    pub outcome: Option<String>,
}

/// An entry id that was used at the provider.
#[derive(Debug, Clone, sqlx::FromRow)]
#[expect(missing_docs, reason = "the columns of the table of this name")]
pub struct EntryRow {
    pub entry_id: Id,
    pub document_id: Id,
}

/// An event.
#[derive(Debug, Clone, sqlx::FromRow)]
#[expect(missing_docs, reason = "the columns of the table of this name")]
pub struct EventRow {
    pub id: Id,
    pub source: String,
    pub subject: Id,
    pub sequence: i64,
    pub r#type: String,
    pub position: Option<i64>,
}

/// Waiting work.
#[derive(Debug, Clone, sqlx::FromRow)]
#[expect(missing_docs, reason = "the columns of the table of this name")]
pub struct JobRow {
    pub kind: String,
    pub subject: String,
    pub run_at: Ts,
    pub lease_owner: Option<String>,
    pub attempts: i64,
}

/// A credit note and what it credits.
#[derive(Debug, Clone, sqlx::FromRow)]
#[expect(missing_docs, reason = "the columns of the table of this name")]
pub struct ReferenceRow {
    pub document_id: Id,
    pub referenced_id: Id,
}

/// The whole book. Read while nothing moves: the tables are read one after another.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each member is the table of its name")]
pub struct Ledger {
    pub invoices: Vec<InvoiceRow>,
    pub numbers: Vec<NumberRow>,
    pub series: Vec<SeriesRow>,
    pub submissions: Vec<SubmissionRow>,
    pub attempts: Vec<AttemptRow>,
    pub entries: Vec<EntryRow>,
    pub events: Vec<EventRow>,
    pub jobs: Vec<JobRow>,
    pub references: Vec<ReferenceRow>,
    /// Documents the watchdog has an alert about.
    pub watched: Vec<(Id,)>,
    /// The last position of the feed.
    pub feed: i64,
}

async fn all<T: Record>(db: &Db, text: &'static str) -> Result<Vec<T>, StoreError> {
    db.fetch_all(&Sql::both(text), Vec::new()).await
}

/// Reads everything.
///
/// # Errors
/// When the database does not answer, or is not migrated.
pub async fn ledger(db: &Db) -> Result<Ledger, StoreError> {
    let (feed,): (i64,) =
        db.fetch_one(&Sql::both("SELECT position FROM feed WHERE name = 'events'"), Vec::new()).await?;
    Ok(Ledger {
        invoices: all(db, "SELECT id, workspace_id, kind, status, number, send_to_tax_authority, acceptance, rejection_reason, version FROM invoice ORDER BY created_at, id").await?,
        numbers: all(db, "SELECT workspace_id, kind, year, no, number, invoice_id FROM invoice_number ORDER BY workspace_id, kind, year, no").await?,
        series: all(db, "SELECT workspace_id, kind, year, next_no FROM series ORDER BY workspace_id, kind, year").await?,
        submissions: all(db, "SELECT document_id, stage, number, alert_code, updated_at FROM submission ORDER BY created_at, document_id").await?,
        attempts: all(db, "SELECT job_id, document_id, ordinal, number, outcome FROM submission_attempt ORDER BY document_id, ordinal").await?,
        entries: all(db, "SELECT entry_id, document_id FROM submission_entry ORDER BY entry_id").await?,
        events: all(db, "SELECT id, source, subject, sequence, type, position FROM event ORDER BY source, subject, sequence").await?,
        jobs: all(db, "SELECT kind, subject, run_at, lease_owner, attempts FROM job ORDER BY run_at").await?,
        references: all(db, "SELECT document_id, referenced_id FROM invoice_reference ORDER BY document_id").await?,
        watched: all(db, "SELECT document_id FROM watchdog_alert ORDER BY document_id").await?,
        feed,
    })
}

#[cfg(test)]
mod tests {
    #[tokio::test]
    async fn the_whole_book_is_read_on_both_engines() {
        for db in crate::testing::both().await {
            let ledger = super::ledger(&db).await.unwrap();
            assert!(ledger.invoices.is_empty() && ledger.jobs.is_empty());
            assert_eq!(ledger.feed, 0);
        }
    }
}
