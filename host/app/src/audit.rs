//! The audit trail: who changed what, as operators read it.

use crate::{Gateway, StoreError};
use gateway_storage::audit;
pub use gateway_storage::audit::Entry;
use jiff::Timestamp;
use uuid::Uuid;

impl Gateway {
    /// Entries from the newest on, or those before a place, and whether there are older ones.
    pub async fn audit_trail(
        &self,
        before: Option<(Timestamp, Uuid)>,
        first: usize,
    ) -> Result<(Vec<Entry>, bool), StoreError> {
        let limit = i64::try_from(first).unwrap_or(i64::MAX).saturating_add(1);
        let mut entries = audit::page(self.db(), before, limit).await?;
        let more = entries.len() > first;
        entries.truncate(first);
        Ok((entries, more))
    }
}
