//! Where submissions wait for their next steps, for who looks after them.

use crate::jobs::{SubmitDocument, WatchAttempts};
use crate::record::Recorder;
use gateway_domain::ids::InvoiceId;
use gateway_jobs::Job as _;
use gateway_storage::Tx;
use jiff::{SignedDuration, Timestamp};

/// Where submissions wait for their next steps. Cheap to clone.
#[derive(Debug, Clone)]
pub struct SubmissionQueue(Recorder);

impl SubmissionQueue {
    /// The kind of the jobs that take the steps of submissions.
    pub const STEPS: &'static str = SubmitDocument::NAME;
    /// The kind of the jobs that ask how ended attempts stand.
    pub const WATCH_ATTEMPTS: &'static str = WatchAttempts::NAME;

    pub(crate) const fn new(recorder: Recorder) -> Self {
        Self(recorder)
    }

    /// Makes sure that a document's submission is looked at no later than `at`.
    pub fn schedule(&self, tx: &mut Tx, document: InvoiceId, at: Timestamp) {
        self.0.schedule(tx, document, at);
    }

    /// Makes sure that the provider is asked how the attempts of a document end that count no more.
    pub fn watch_attempts(&self, tx: &mut Tx, document: InvoiceId) {
        self.0.watch_attempts(tx, document);
    }

    /// How far ahead a step may be due.
    pub fn horizon(&self) -> SignedDuration {
        self.0.context.verdict_timeouts().horizon()
    }
}
