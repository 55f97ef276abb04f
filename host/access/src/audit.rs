//! The audit trail: who changed what outside of documents. Secrets have no place in it.

use gateway_domain::StoreError;
use gateway_domain::access::Actor;
use gateway_domain::ports::{Clock, Ids};
use gateway_domain_events::{AuditEntry, AuditFilter};
use gateway_storage::audit;
use gateway_storage::{Db, Tx};
use jiff::Timestamp;
use serde::Serialize;
use std::sync::Arc;
use uuid::Uuid;

/// What is recorded where the action and its subject say everything: `{}`.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct NoDetails {}

/// Writes the audit trail, and reads it for operators. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Audit {
    db: Db,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
}

impl Audit {
    /// The trail in this database.
    pub fn new(db: Db, clock: Arc<dyn Clock>, ids: Arc<dyn Ids>) -> Self {
        Self { db, clock, ids }
    }

    /// Writes down who did what to which subject (`client:<uuid>`), in the transaction of the change. `data` is a JSON
    /// object.
    pub async fn record(
        &self,
        tx: &mut Tx,
        actor: &Actor,
        action: &str,
        subject: String,
        data: &impl Serialize,
    ) -> Result<(), StoreError> {
        let entry = AuditEntry {
            id: self.ids.next(),
            at: self.clock.now(),
            actor: actor.clone(),
            action: action.to_owned(),
            subject,
            data: StoreError::json_value(data)?,
        };
        audit::append(tx, &entry).await
    }

    /// Entries from the newest on, or those before a place, and whether there are older ones.
    pub async fn page(
        &self,
        filter: AuditFilter<'_>,
        before: Option<(Timestamp, Uuid)>,
        first: usize,
    ) -> Result<(Vec<AuditEntry>, bool), StoreError> {
        let limit = i64::try_from(first).unwrap_or(i64::MAX).saturating_add(1);
        let mut entries = audit::filtered(&self.db, filter, before, limit).await?;
        let more = entries.len() > first;
        entries.truncate(first);
        Ok((entries, more))
    }
}
