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
