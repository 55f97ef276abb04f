//! Jobs by their names.

use crate::lease::{JobLease, Outcome};
use crate::source::Kind;
use async_trait::async_trait;
use gateway_domain::ids::JobId;
use gateway_domain::ports::Ids;
use gateway_storage::Tx;
use gateway_storage::jobs as queue;
use jiff::Timestamp;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// One run of a job.
#[derive(Debug, Clone)]
pub struct Attempt {
    /// How often the job was taken, this time included. Never starts over while the job is in the queue.
    pub number: i64,
    /// The process stops: a job that has several steps ends behind the one it is at.
    pub shutdown: CancellationToken,
    /// Ends with the run, or before it in a transaction of the job's own.
    pub lease: JobLease,
}

/// Work that must follow: name, payload and behaviour in one place.
#[async_trait]
pub trait Job: Sized + Send {
    /// Under which it is queued. Never changed: rows of it outlive the process.
    const NAME: &'static str;
    /// How many of it one process runs at once. Each name has its own, so that one that hangs starves no other.
    const AT_ONCE: usize;
    /// The service that it calls.
    type Context: Clone + Send + Sync + 'static;

    /// What it is about, unique within its name: the same work queued twice is one row.
    fn subject(&self) -> String;

    /// Reads [`Job::subject`]; none for what this job never wrote.
    fn of_subject(subject: &str) -> Option<Self>;

    /// Does it, or a part of it. Errors are logged here, and answered with [`Outcome::Again`].
    async fn run(self, context: &Self::Context, attempt: Attempt) -> Outcome;

    /// Queues it for `at`, or before when it waits already for an earlier time. In the caller's transaction.
    fn enqueue(&self, tx: &mut Tx, ids: &dyn Ids, at: Timestamp) {
        queue::enqueue(tx, JobId(ids.next()), Self::NAME, &self.subject(), at);
    }
}

type Run = dyn Fn(&str, Attempt) -> Option<Running> + Send + Sync;
type Running = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// A job that the program knows.
#[derive(Clone)]
pub(crate) struct RegisteredJob {
    pub(crate) name: &'static str,
    at_once: usize,
    run: Arc<Run>,
}

impl RegisteredJob {
    /// None when the subject is none of this job.
    pub(crate) fn run(&self, subject: &str, attempt: Attempt) -> Option<Running> {
        (self.run)(subject, attempt)
    }
}

impl fmt::Debug for RegisteredJob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegisteredJob").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Every job that the program knows, by its name.
#[derive(Debug, Clone, Default)]
pub struct Registry(Vec<RegisteredJob>);

impl Registry {
    /// Adds a job, which calls `context`.
    #[must_use]
    pub fn with<J: Job + 'static>(mut self, context: J::Context) -> Self {
        let run = move |subject: &str, attempt: Attempt| {
            let (job, context) = (J::of_subject(subject)?, context.clone());
            let running: Running = Box::pin(async move { job.run(&context, attempt).await });
            Some(running)
        };
        self.0.push(RegisteredJob { name: J::NAME, at_once: J::AT_ONCE, run: Arc::new(run) });
        self
    }

    pub(crate) fn kinds(&self) -> Vec<Kind> {
        self.0.iter().map(|&RegisteredJob { name, at_once, .. }| Kind { name, at_once }).collect()
    }

    pub(crate) fn find(&self, name: &str) -> Option<&RegisteredJob> {
        self.0.iter().find(|registered| registered.name == name)
    }

    pub(crate) fn names(&self) -> Vec<&'static str> {
        self.0.iter().map(|registered| registered.name).collect()
    }
}
