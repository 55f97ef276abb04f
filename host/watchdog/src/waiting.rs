//! What waits for somebody, for whoever looks without a process that serves.

use crate::{UNSUBMITTED_MAX, unsubmitted};
use gateway_domain::StoreError;
use gateway_domain::access::Workspaces;
use gateway_domain::ports::Clock;
use gateway_storage::{Db, submissions};
use std::sync::Arc;

/// Reads what waits for somebody, in all workspaces, with nothing but the database. Cheap to clone.
#[derive(Debug, Clone)]
pub struct WaitingForSomebody {
    db: Db,
    clock: Arc<dyn Clock>,
}

impl WaitingForSomebody {
    /// In a database; `clock` says how long something waits.
    pub fn new(db: Db, clock: Arc<dyn Clock>) -> Self {
        Self { db, clock }
    }

    /// How many submissions have an alert, by its code, in the order of the codes.
    pub async fn alerts(&self) -> Result<Vec<(String, i64)>, StoreError> {
        let mut alerts = submissions::alerts(&self.db).await?;
        alerts.sort();
        Ok(alerts)
    }

    /// How many documents are issuing and nobody submits them; no more than [`UNSUBMITTED_MAX`] are counted.
    pub async fn unsubmitted(&self) -> Result<usize, StoreError> {
        let found = unsubmitted(&self.db, &Workspaces::All, self.clock.now(), UNSUBMITTED_MAX).await?;
        Ok(found.len())
    }
}
