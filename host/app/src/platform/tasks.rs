//! What is to be done.

use super::{Page, PageRequest};
use crate::Gateway;
use gateway_domain::Stamped;
use gateway_domain::access::Acting;
use gateway_domain::ids::TaskId;
use gateway_domain::tasks::Task;
use gateway_storage::{StoreError, tasks};
use std::collections::HashMap;

pub use gateway_storage::tasks::Filter as TaskFilter;

/// Tasks.
impl Gateway {
    /// A page of tasks.
    pub async fn tasks(
        &self,
        acting: &Acting,
        filter: &TaskFilter,
        page: PageRequest,
    ) -> Result<Page<Task>, StoreError> {
        Ok(page.page(tasks::page(self.db(), &acting.workspaces, filter, page.after, page.limit()).await?))
    }

    /// How many tasks all pages have together.
    pub async fn tasks_count(&self, acting: &Acting, filter: &TaskFilter) -> Result<i64, StoreError> {
        tasks::count(self.db(), &acting.workspaces, filter).await
    }

    /// Tasks by their ids; those that do not exist for the caller are absent.
    pub async fn tasks_by_ids(
        &self,
        acting: &Acting,
        ids: &[TaskId],
    ) -> Result<HashMap<TaskId, Stamped<Task>>, StoreError> {
        tasks::by_ids(self.db(), &acting.workspaces, ids).await
    }
}
