//! The provider's notification: only which entry has news is taken from it, and nothing is trusted.

use super::Submissions;
use crate::jobs::{SubmitDocument, WatchAttempts};
use gateway_domain::StoreError;
use gateway_domain::ids::WorkspaceId;
use gateway_jobs::Job as _;
use gateway_storage::{jobs, submissions};
use uuid::Uuid;

/// The kind of the jobs that bring amendments to the authority, which whoever amends registers.
pub const AMENDMENT_JOB: &str = "amendment";

/// What became of a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotificationOutcome {
    /// The document's submission looks at the provider now.
    Known,
    /// No document has such an entry, or none of the sender's workspaces.
    Unknown,
}

impl Submissions {
    /// Takes a notification about an entry. `workspaces` are those whose token the sender showed; none when no
    /// token is demanded.
    pub async fn provider_notified(
        &self,
        entry: Uuid,
        workspaces: Option<&[WorkspaceId]>,
    ) -> Result<NotificationOutcome, StoreError> {
        let owner = submissions::by_entry(self.context.db(), entry).await?;
        let Some((document, workspace)) = owner else { return Ok(NotificationOutcome::Unknown) };
        if workspaces.is_some_and(|readable| !readable.contains(&workspace)) {
            return Ok(NotificationOutcome::Unknown);
        }
        let mut tx = self.context.db().begin().await?;
        let kinds = [SubmitDocument::NAME, WatchAttempts::NAME, AMENDMENT_JOB];
        jobs::wake(&mut tx, &kinds, &document.to_string(), self.context.now())?;
        tx.commit_at("notified").await?;
        Ok(NotificationOutcome::Known)
    }
}
