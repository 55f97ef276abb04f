//! Workspaces as they are stored, for whoever has no key: no token is opened.

use super::BATCH;
use gateway_domain::StoreError;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::regime::RegimeKey;
use gateway_domain::workspace::Workspace;
use gateway_storage::{Db, workspaces as store};
use std::collections::BTreeMap;

/// Reads workspaces with nothing but the database. Cheap to clone.
#[derive(Debug, Clone)]
pub struct StoredWorkspaces(Db);

impl StoredWorkspaces {
    /// Those of a database.
    pub const fn new(db: Db) -> Self {
        Self(db)
    }

    /// One of them.
    pub async fn find(&self, id: WorkspaceId) -> Result<Option<Workspace>, StoreError> {
        store::find(&self.0, id).await
    }

    /// Every workspace, by id.
    pub async fn list(&self) -> Result<Vec<Workspace>, StoreError> {
        let mut all: Vec<Workspace> = Vec::new();
        loop {
            let after = all.last().map_or(WorkspaceId(0), |last| last.id);
            let batch = store::list(&self.0, after, BATCH).await?;
            if batch.is_empty() {
                return Ok(all);
            }
            all.extend(batch);
        }
    }

    /// Through which tax regime each workspace sends its documents; those that send none are absent.
    pub async fn regimes(&self) -> Result<BTreeMap<WorkspaceId, RegimeKey>, StoreError> {
        let mut all = BTreeMap::new();
        loop {
            let after = all.last_key_value().map_or(WorkspaceId(0), |(last, _)| *last);
            let batch = store::regimes(&self.0, after, BATCH).await?;
            if batch.is_empty() {
                return Ok(all);
            }
            all.extend(batch);
        }
    }
}
