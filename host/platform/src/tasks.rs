//! What is to be done.

use crate::context::Context;
use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::ids::{TaskId, WorkspaceId};
use gateway_domain_lists::{NumberedPage, Page, PageRequest, Stamped, Window};
use gateway_domain_platform::tasks::{Task, TaskFilter};
use gateway_storage::tasks;
use std::collections::HashMap;

/// Tasks. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Tasks {
    context: Context,
}

impl Tasks {
    pub(crate) const fn new(context: Context) -> Self {
        Self { context }
    }

    /// A page of tasks.
    pub async fn tasks(
        &self,
        acting: &Acting,
        filter: &TaskFilter,
        page: PageRequest,
    ) -> Result<Page<Task>, StoreError> {
        Ok(page.page(
            tasks::page(self.context.db(), &acting.workspaces, filter, page.after, page.limit()).await?,
        ))
    }

    /// A window of the tasks of a workspace.
    pub async fn tasks_window(
        &self,
        acting: &Acting,
        workspace: WorkspaceId,
        filter: &TaskFilter,
        window: Window,
    ) -> Result<NumberedPage<Stamped<Task>>, StoreError> {
        Ok(tasks::window(self.context.db(), &acting.workspaces, workspace, filter, window).await?.into())
    }

    /// How many tasks all pages have together.
    pub async fn tasks_count(&self, acting: &Acting, filter: &TaskFilter) -> Result<i64, StoreError> {
        tasks::count(self.context.db(), &acting.workspaces, filter).await
    }

    /// Tasks by their ids; those that do not exist for the caller are absent.
    pub async fn tasks_by_ids(
        &self,
        acting: &Acting,
        ids: &[TaskId],
    ) -> Result<HashMap<TaskId, Stamped<Task>>, StoreError> {
        tasks::by_ids(self.context.db(), &acting.workspaces, ids).await
    }
}
