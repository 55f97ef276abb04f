//! A document's way to the tax authority and back: `steps` takes it, [`Submissions`] shows it to operators and does what
//! they ask for.

mod connection;
mod operator;
mod queue;
mod steps;
mod webhook;

pub use operator::RetryError;
pub use queue::SubmissionQueue;
pub(crate) use steps::{ProviderGate, SubmissionSteps};
pub use steps::{WATCHED_FOR, authority_message};
pub use webhook::{AMENDMENT_JOB, NotificationOutcome};

use crate::context::Context;
use crate::jobs::SubmitDocument;
use crate::record::Recorder;
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Workspaces};
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::ImportedFileType;
use gateway_domain_finance::{AuthorityMessage, BreakerState, Progress, Submission};
pub use gateway_domain_finance::{SubmissionFilter, SubmissionView};
use gateway_domain_lists::Window;
use gateway_jobs::Job;
use gateway_storage::{
    Corrupt, attempts, filing_deadlines, imported_files, invoices, jobs, messages, submissions,
};
use jiff::Timestamp;
use std::collections::HashMap;

/// How often a submission that moves while it is read is read again.
const READ_AGAIN_MAX: usize = 3;

/// A document as it went out, in the forms that are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Structured {
    /// The structured document as sent to the provider, JSON; none of a document that another system issued.
    pub sent: Option<String>,
    /// What the provider sent to the authority in the attempt at hand, or the XML that was imported with a document of another system;
    /// none when that is not known, or not yet.
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

/// Submissions, as operators see them, and what they do about them. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Submissions {
    context: Context,
    recorder: Recorder,
    gate: ProviderGate,
}

impl Submissions {
    pub(crate) fn new(recorder: Recorder, gate: ProviderGate) -> Self {
        Self { context: recorder.context.clone(), recorder, gate }
    }

    /// How the breaker in front of the provider stands in this process, and how often it opened.
    pub fn breaker_state(&self) -> (BreakerState, u64) {
        self.gate.state()
    }

    /// The submission of a document with every attempt.
    pub async fn find(&self, acting: &Acting, id: InvoiceId) -> Result<Option<SubmissionView>, StoreError> {
        // Its parts are read one after the other: when it moved on between them, they are read again.
        for _ in 0..READ_AGAIN_MAX {
            let Some(view) = self.read_submission(acting, id).await? else { return Ok(None) };
            if view.has_a_next_step() {
                return Ok(Some(view));
            }
            let current = submissions::find(self.context.db(), id, &acting.workspaces).await?;
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
        let Some(submission) = submissions::find(self.context.db(), id, &acting.workspaces).await? else {
            return Ok(None);
        };
        Ok(self.viewed(vec![submission]).await?.pop())
    }

    /// The submissions of several documents. One statement.
    pub async fn of_documents(
        &self,
        acting: &Acting,
        ids: &[InvoiceId],
    ) -> Result<HashMap<InvoiceId, Submission>, StoreError> {
        let found = submissions::of_documents(self.context.db(), ids, &acting.workspaces).await?;
        Ok(found.into_iter().map(|submission| (submission.document, submission)).collect())
    }

    /// What is known of a document as it went out; none when it was not converted.
    pub async fn structured(&self, acting: &Acting, id: InvoiceId) -> Result<Option<Structured>, StoreError> {
        let found = submissions::find(self.context.db(), id, &acting.workspaces).await?;
        let data = found.as_ref().map(Submission::data);
        let Some((data, document)) = data.and_then(|data| Some((data, data.document?))) else {
            return self.imported(acting, id).await;
        };
        let sent = Some(document.structured.to_string());
        let message = match data.job {
            Some(job) => messages::find(self.context.db(), job).await?,
            None => None,
        };
        Ok(Some(Structured { sent, message }))
    }

    /// The XML of a document that another system issued, as it was.
    async fn imported(&self, acting: &Acting, id: InvoiceId) -> Result<Option<Structured>, StoreError> {
        let found = invoices::find(self.context.db(), id, &acting.workspaces).await?;
        if found.is_none_or(|document| document.state.imported().is_none()) {
            return Ok(None);
        }
        let xml = imported_files::find(self.context.db(), id, ImportedFileType::Xml).await?;
        let body = xml.map(String::from_utf8).transpose();
        let body = body.map_err(|error| Corrupt::new("imported_file", id, "content", error))?;
        let media_type = || ImportedFileType::Xml.as_str().to_owned();
        Ok(body.map(|body| Structured {
            sent: None,
            message: Some(AuthorityMessage { media_type: media_type(), body }),
        }))
    }

    /// Submissions that somebody may see, for operators: those that wait for somebody first, then the last changed.
    pub async fn list(
        &self,
        visible: &Workspaces,
        filter: SubmissionFilter,
        limit: i64,
    ) -> Result<SubmissionList, StoreError> {
        self.page(visible, filter, Window { offset: 0, size: limit }).await
    }

    /// The same, behind so many others.
    pub async fn page(
        &self,
        visible: &Workspaces,
        filter: SubmissionFilter,
        window: Window,
    ) -> Result<SubmissionList, StoreError> {
        let with_next = Window { size: window.size.saturating_add(1), ..window };
        let mut found = submissions::list(self.context.db(), visible, filter, with_next).await?;
        let most = usize::try_from(window.size).unwrap_or_default();
        let more = found.len() > most;
        found.truncate(most);
        Ok(SubmissionList { views: self.viewed(found).await?, more })
    }

    /// Submissions with what is stored beside them: one statement of each kind, however many they are.
    async fn viewed(&self, found: Vec<Submission>) -> Result<Vec<SubmissionView>, StoreError> {
        let db = self.context.db();
        let documents: Vec<InvoiceId> = found.iter().map(|submission| submission.document).collect();
        let mut attempts = attempts::of_documents(db, &documents).await?;
        // The job of a last step is put away just after the step committed: what ended has no next one.
        let moving = found.iter().filter(|one| !one.has_ended() && !one.waits_for_somebody());
        let moving: Vec<String> = moving.map(|submission| submission.document.to_string()).collect();
        let mut due = jobs::due_of(db, <SubmitDocument as Job>::NAME, &moving).await?;
        let mut filings = filing_deadlines::of_documents(db, &documents).await?;
        let (timeouts, read_at) = (self.context.verdict_timeouts(), self.context.now());
        let retries_max = self.context.settings().retries_max;
        let view = |mut submission: Submission| {
            // What was held back while the clock was ahead is not: the watchdog sees to it.
            if let Progress::Open(open) = &mut submission.progress {
                let plausible = |until: &Timestamp| timeouts.is_plausible(*until, read_at);
                open.calls.held_until = open.calls.held_until.filter(plausible);
            }
            let document = submission.document;
            SubmissionView {
                next_step_at: due.remove(&document.to_string()),
                attempts: attempts.remove(&document).unwrap_or_default(),
                filing: filings.remove(&document),
                submission,
                retries_max,
                read_at,
            }
        };
        Ok(found.into_iter().map(view).collect())
    }

    /// How many submissions wait for somebody, by alert.
    pub async fn alerts(&self) -> Result<Vec<(String, i64)>, StoreError> {
        submissions::alerts(self.context.db()).await
    }
}
