//! Keeps sums and counts of documents together: changes that the database wrote down are added up behind the requests.

use gateway_domain::StoreError;
use gateway_storage::{Db, sums, write_behind};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How long changes lie beside the sums, where every report reads them too.
const INTERVAL: Duration = Duration::from_secs(5);

/// The sums and counts of documents in a database. Cheap to clone.
#[derive(Debug, Clone)]
pub struct DocumentSums(Db);

impl DocumentSums {
    /// Those in this database.
    pub const fn new(db: Db) -> Self {
        Self(db)
    }

    /// Adds up what changed so far. Another process may do so at the same time.
    ///
    /// # Errors
    /// The database failed: what is left is added up the next time.
    pub async fn add_up(&self) -> Result<(), StoreError> {
        while sums::any_change(&self.0).await? {
            let mut tx = self.0.begin().await?;
            let added = sums::add_up(&mut tx).await?;
            tx.commit_at("sums-added-up").await?;
            // Another process has the rest in hand.
            if added == 0 {
                break;
            }
        }
        Ok(())
    }

    /// Adds up every few seconds until `shutdown`.
    pub async fn run(self, shutdown: CancellationToken) {
        write_behind(INTERVAL, shutdown, "Sums of documents are not added up yet", || self.add_up()).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gateway_storage::{Sql, invoice_lists, testing};

    const CHANGE: Sql = Sql::both(
        "INSERT INTO derived_document_sum_change (workspace_id, status, issue_date, kind, currency, documents, net_high, net_low,
            tax_high, tax_low, gross_high, gross_low, retained_high, retained_low, payable_high, payable_low)
        VALUES (1, 'draft', '', 'invoice', 'EUR', 1, 0, 10, 0, 1, 0, 11, 0, 0, 0, 11)",
    );

    #[tokio::test]
    async fn what_changed_is_added_up_and_counted_as_before() {
        for db in testing::both().await {
            let mut tx = db.begin().await.unwrap();
            for _ in 0..3 {
                tx.execute(&CHANGE, Vec::new()).await.unwrap();
            }
            tx.commit().await.unwrap();
            let before = invoice_lists::counts_by_status(db.db()).await.unwrap();
            assert_eq!(before.iter().map(|count| count.documents).collect::<Vec<_>>(), [3]);
            DocumentSums::new(db.db().clone()).add_up().await.unwrap();
            assert!(!sums::any_change(db.db()).await.unwrap());
            assert_eq!(invoice_lists::counts_by_status(db.db()).await.unwrap(), before);
        }
    }
}
