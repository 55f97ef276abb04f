//! Workspaces as they are stored, for whoever has no key: no token is opened.

use super::BATCH;
use gateway_domain::StoreError;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::regime::RegimeKey;
use gateway_domain::workspace::Workspace;
use gateway_storage::{Db, workspaces as store};

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

    /// Through which tax regime a workspace sends its documents; none: it sends none.
    pub async fn regime(&self, id: WorkspaceId) -> Result<Option<RegimeKey>, StoreError> {
        let configured = store::e_invoicing(&self.0, id).await?;
        Ok(configured.map(|sealed| sealed.configuration.regime))
    }
}
