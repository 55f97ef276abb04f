//! What an operator does about a submission that waits for somebody: try again, or take an alert back that was read.

use super::{SubmissionView, Submissions};
use gateway_access::NoDetails;
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Actor, Workspaces};
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain_finance::{ExpectedVersion, Stage, Submission};
use gateway_storage::{Tx, submissions};

/// Why an operator's retry was not taken.
#[derive(Debug, thiserror::Error)]
pub enum RetryError {
    /// The document was never submitted, or does not exist.
    #[error("there is no submission of such a document")]
    Gone,
    /// Nothing is left to be retried; how it ended.
    #[error("the submission ended as {}: issue the document again instead", .0.as_str())]
    Ended(Stage),
    /// It has no alert that is settled by reading it.
    #[error(
        "the submission has no alert that only has to be read: retry it, or give the verdict that its alert asks for"
    )]
    NothingToRead,
    /// A step is being taken at this moment.
    #[error("the submission moved at this moment: look at it again")]
    Moved,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Submissions {
    /// The documents of a workspace whose submissions wait for somebody and have not ended, the one that waits longest first.
    pub async fn alerted(&self, workspace: WorkspaceId) -> Result<Vec<InvoiceId>, StoreError> {
        submissions::alerted(self.context.db(), workspace).await
    }

    /// The operator's retry of everything in a workspace that waits for somebody; says how many submissions go on.
    pub async fn retry_workspace(&self, actor: &Actor, workspace: WorkspaceId) -> Result<u64, StoreError> {
        let workspaces = Workspaces::Only(vec![workspace]);
        let acting = Acting { workspaces, actor: actor.clone(), request: None };
        let mut retried = 0_u64;
        for document in self.alerted(workspace).await? {
            match self.retry(&acting, document).await {
                Ok(_) => retried = retried.saturating_add(1),
                // It moved in the meantime, which is what was wanted.
                Err(
                    RetryError::Gone | RetryError::Ended(_) | RetryError::Moved | RetryError::NothingToRead,
                ) => {}
                Err(RetryError::Store(error)) => return Err(error),
            }
        }
        Ok(retried)
    }

    /// Takes an alert back that only says something of a submission that ended: somebody has read it. What has to be settled
    /// by a verdict stays.
    pub async fn acknowledge(&self, acting: &Acting, id: InvoiceId) -> Result<SubmissionView, RetryError> {
        let mut tx = self.context.db().begin().await?;
        let found = submissions::lock(&mut tx, id, &acting.workspaces).await?.ok_or(RetryError::Gone)?;
        let is_settled_by_reading =
            found.alert.as_ref().is_some_and(|alert| alert.code.is_settled_by_reading());
        if !found.has_ended() || !is_settled_by_reading {
            return Err(RetryError::NothingToRead);
        }
        let expected = ExpectedVersion::from(&found);
        let read = Submission { alert: None, updated_at: self.context.now(), ..found };
        if !self.recorder.update(&mut tx, &expected, &read).await? {
            return Err(StoreError::Moved { table: "submission" }.into());
        }
        self.record(&mut tx, acting, "submission.acknowledge", id).await?;
        tx.commit_at("acknowledged").await?;
        self.find(acting, id).await?.ok_or(RetryError::Gone)
    }

    /// The operator's retry: forgets the alert and takes the next step at once. A job that failed without a reason, or
    /// before anything was sent, is followed by another one.
    pub async fn retry(&self, acting: &Acting, id: InvoiceId) -> Result<SubmissionView, RetryError> {
        let now = self.context.now();
        let mut tx = self.context.db().begin().await?;
        let submission = submissions::find(&mut tx, id, &acting.workspaces).await?.ok_or(RetryError::Gone)?;
        let (stage, expected) = (submission.stage(), ExpectedVersion::from(&submission));
        let open = submission.into_open().ok_or(RetryError::Ended(stage))?;
        let again = Submission { updated_at: now, ..open.retried() };
        if !self.recorder.update(&mut tx, &expected, &again.into()).await? {
            return Err(RetryError::Moved);
        }
        self.recorder.schedule(&mut tx, id, now);
        self.record(&mut tx, acting, "submission.retry", id).await?;
        tx.commit_at("retried").await?;
        self.find(acting, id).await?.ok_or(RetryError::Gone)
    }

    /// What an operator does about a submission is no event of its document, so it stands in the audit trail.
    async fn record(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        action: &str,
        id: InvoiceId,
    ) -> Result<(), StoreError> {
        self.context.audit().record(tx, &acting.actor, action, format!("document:{id}"), &NoDetails {}).await
    }
}
