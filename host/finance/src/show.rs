//! What the finance service shows: events, submission with every attempt, the structured document as sent.

use crate::Finance;
use crate::submission::SubmitDocument;
use gateway_domain::access::{Acting, Workspaces};
use gateway_domain::ids::{InvoiceId, WorkspaceId};
pub use gateway_domain_finance::SubmissionFilter;
use gateway_domain_finance::{Attempt, AuthorityMessage, Progress, Stage, Submission};
use gateway_events::Source;
use gateway_jobs::Job;
use gateway_storage::events::StoredEvent;
use gateway_storage::{StoreError, attempts, events, jobs, messages, submissions};
use jiff::Timestamp;
use std::collections::HashMap;

/// A submission with its attempts and its next step.
#[derive(Debug, Clone)]
pub struct SubmissionView {
    /// How far it is.
    pub submission: Submission,
    /// When the gateway does something next; none when it ended or waits for somebody.
    pub next_step_at: Option<Timestamp>,
    /// Failed tries of one call until somebody has to look.
    pub retries_max: u32,
    /// Every attempt, first one first.
    pub attempts: Vec<Attempt>,
}

/// How often a submission that moves while it is read is read again.
const READ_AGAIN_MAX: usize = 3;

impl SubmissionView {
    /// Whether the gateway does something next, or nothing is to be done.
    fn has_a_next_step(&self) -> bool {
        self.next_step_at.is_some() || self.submission.has_ended() || self.submission.alert.is_some()
    }
}

/// A document as it went out, in both forms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Structured {
    /// The structured document as sent to the provider, JSON.
    pub sent: String,
    /// What the provider sent to the authority in the attempt at hand; none when that is not known, or not yet.
    pub message: Option<AuthorityMessage>,
}

/// The first submissions of a list.
#[derive(Debug, Clone)]
pub struct SubmissionList {
    /// As many as were wanted, at most.
    pub views: Vec<SubmissionView>,
    /// Whether there are more.
    pub more: bool,
}

/// Why an operator's retry was not taken.
#[derive(Debug, thiserror::Error)]
pub enum RetryError {
    /// The document was never submitted, or does not exist.
    #[error("there is no submission of such a document")]
    Gone,
    /// The submission ended.
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
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Finance {
    /// Finance's events of a document, in order.
    pub async fn finance_events(
        &self,
        acting: &Acting,
        id: InvoiceId,
    ) -> Result<Vec<StoredEvent>, StoreError> {
        events::of_subject(self.db(), &acting.workspaces, Source::Finance.as_str(), id).await
    }

    /// The submission of a document with every attempt.
    pub async fn submission(
        &self,
        acting: &Acting,
        id: InvoiceId,
    ) -> Result<Option<SubmissionView>, StoreError> {
        // Its parts are read one after the other: when it moved on between them, they are read again.
        for _ in 0..READ_AGAIN_MAX {
            let Some(view) = self.read_submission(acting, id).await? else { return Ok(None) };
            if view.has_a_next_step() {
                return Ok(Some(view));
            }
            let current = submissions::find(self.db(), id, &acting.workspaces).await?;
            if current.is_some_and(|current| current.version == view.submission.version) {
                return Ok(Some(view));
            }
        }
        self.read_submission(acting, id).await
    }

    async fn read_submission(
        &self,
        acting: &Acting,
        id: InvoiceId,
    ) -> Result<Option<SubmissionView>, StoreError> {
        let Some(submission) = submissions::find(self.db(), id, &acting.workspaces).await? else {
            return Ok(None);
        };
        self.viewed(submission).await.map(Some)
    }

    /// The submissions of several documents. One statement.
    pub async fn submissions_of(
        &self,
        acting: &Acting,
        ids: &[InvoiceId],
    ) -> Result<HashMap<InvoiceId, Submission>, StoreError> {
        let found = submissions::of_documents(self.db(), ids, &acting.workspaces).await?;
        Ok(found.into_iter().map(|submission| (submission.document, submission)).collect())
    }

    /// What is known of a document as it went out; none when it was not converted.
    pub async fn structured(&self, acting: &Acting, id: InvoiceId) -> Result<Option<Structured>, StoreError> {
        let found = submissions::find(self.db(), id, &acting.workspaces).await?;
        let data = found.as_ref().map(Submission::data);
        let Some((data, document)) = data.and_then(|data| Some((data, data.document?))) else {
            return Ok(None);
        };
        let sent = document.structured.clone();
        let message = match data.job {
            Some(job) => messages::find(self.db(), job).await?,
            None => None,
        };
        Ok(Some(Structured { sent, message }))
    }

    /// Submissions that somebody may see, for operators: those that wait for somebody first, then the last changed.
    pub async fn submissions(
        &self,
        visible: &Workspaces,
        filter: SubmissionFilter,
        limit: i64,
    ) -> Result<SubmissionList, StoreError> {
        let mut found = submissions::list(self.db(), visible, filter, limit.saturating_add(1)).await?;
        let shown = usize::try_from(limit).unwrap_or_default();
        let more = found.len() > shown;
        found.truncate(shown);
        let mut views = Vec::new();
        for submission in found {
            views.push(self.viewed(submission).await?);
        }
        Ok(SubmissionList { views, more })
    }

    async fn viewed(&self, mut submission: Submission) -> Result<SubmissionView, StoreError> {
        // What was held back while the clock was ahead is not: the watchdog sees to it.
        let (timeouts, now) = (self.verdict_timeouts(), self.now());
        if let Progress::Open(open) = &mut submission.progress {
            open.calls.held_until = open.calls.held_until.filter(|until| timeouts.believes(*until, now));
        }
        let attempts = attempts::of_document(self.db(), submission.document).await?;
        // The job of a last step is put away just after the step committed: what ended has no next one.
        let over = submission.has_ended()
            || submission.alert.as_ref().is_some_and(|alert| !alert.code.heals_itself());
        let next_step_at = if over {
            None
        } else {
            jobs::due_at(self.db(), <SubmitDocument as Job>::NAME, &submission.document.to_string()).await?
        };
        let retries_max = self.settings().retries_max;
        Ok(SubmissionView { submission, next_step_at, retries_max, attempts })
    }

    /// How many submissions wait for somebody, by alert.
    pub async fn alerts(&self) -> Result<Vec<(String, i64)>, StoreError> {
        submissions::alerts(self.db()).await
    }

    /// The operator's retry of everything in a workspace that waits for somebody; says how many submissions go on.
    pub async fn retry_workspace(&self, workspace: WorkspaceId) -> Result<u64, StoreError> {
        let acting = Acting { workspaces: Workspaces::Only(vec![workspace]), ..Acting::gateway() };
        let mut retried = 0_u64;
        for document in submissions::alerted(self.db(), workspace).await? {
            match self.retry_submission(&acting, document).await {
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
    pub async fn acknowledge_alert(
        &self,
        acting: &Acting,
        id: InvoiceId,
    ) -> Result<SubmissionView, RetryError> {
        let mut tx = self.db().begin().await?;
        let found = submissions::lock(&mut tx, id, &acting.workspaces).await?.ok_or(RetryError::Gone)?;
        let told = found.alert.as_ref().is_some_and(|alert| alert.code.is_settled_by_reading());
        if !found.has_ended() || !told {
            return Err(RetryError::NothingToRead);
        }
        let read = Submission { alert: None, updated_at: self.now(), ..found };
        if !submissions::update(&mut tx, &read).await? {
            return Err(StoreError::Moved { table: "submission" }.into());
        }
        tx.commit_at("retried").await?;
        self.submission(acting, id).await?.ok_or(RetryError::Gone)
    }

    /// The operator's retry: forgets the alert and takes the next step at once. A job that failed without a reason, or
    /// before anything was sent,
    /// is followed by another one.
    pub async fn retry_submission(
        &self,
        acting: &Acting,
        id: InvoiceId,
    ) -> Result<SubmissionView, RetryError> {
        let now = self.now();
        let mut tx = self.db().begin().await?;
        let submission = submissions::find(&mut tx, id, &acting.workspaces).await?.ok_or(RetryError::Gone)?;
        let stage = submission.stage();
        let open = submission.into_open().ok_or(RetryError::Ended(stage))?;
        let again = Submission { updated_at: now, ..open.retried() };
        if !submissions::update(&mut tx, &again.into()).await? {
            return Err(RetryError::Moved);
        }
        self.schedule(&mut tx, id, now).await?;
        tx.commit_at("retried").await?;
        self.wake();
        self.submission(acting, id).await?.ok_or(RetryError::Gone)
    }
}
