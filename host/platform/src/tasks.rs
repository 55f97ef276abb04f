//! What is to be done.

use super::{Page, PageRequest, Window};
use crate::Platform;
use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::ids::{TaskId, WorkspaceId};
use gateway_domain_platform::tasks::Task;
use gateway_domain_platform::{NumberedPage, Stamped};
use gateway_storage::tasks;
use std::collections::HashMap;

use gateway_domain_platform::lists::TaskFilter;

/// Tasks.
impl Platform {
    /// A page of tasks.
    pub async fn tasks(
        &self,
        acting: &Acting,
        filter: &TaskFilter,
        page: PageRequest,
    ) -> Result<Page<Task>, StoreError> {
        Ok(page.page(tasks::page(self.db(), &acting.workspaces, filter, page.after, page.limit()).await?))
    }

    /// A window of the tasks of a workspace.
    pub async fn tasks_window(
        &self,
        acting: &Acting,
        workspace: WorkspaceId,
        filter: &TaskFilter,
        window: Window,
    ) -> Result<NumberedPage<Stamped<Task>>, StoreError> {
        Ok(tasks::window(self.db(), &acting.workspaces, workspace, filter, window).await?.into())
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
