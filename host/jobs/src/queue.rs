//! The queue of jobs: rows that say what must follow, run by the type that the registry has for their name.

use crate::lease::{JobLease, Outcome};
use crate::metrics::{JobMetrics, RunOutcome};
use crate::registry::{Attempt, RegisteredJob, Registry};
use crate::source::{Kind, KindLimit, LeasedWork, Source, Worker};
use async_trait::async_trait;
use gateway_domain::StoreError;
use gateway_domain::ids::JobId;
use gateway_domain::ports::Clock;
use gateway_storage::jobs::{self, ClaimedJob};
use gateway_storage::{Db, Topic};
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;
use tracing::field::Empty;
use tracing::{Instrument, info_span};
use uuid::Uuid;

/// How long a job belongs to a process that stopped saying that it runs it.
const LEASE: SignedDuration = SignedDuration::from_secs(12);
/// How often a process says that it runs its jobs.
const HEARTBEAT: Duration = Duration::from_secs(3);
/// Longest one run of a job may take; every call in it has a shorter limit of its own.
const RUN_MAX: Duration = Duration::from_mins(4);
/// Wait of a job whose run took too long.
const OVERRUN_DELAY: SignedDuration = SignedDuration::from_secs(2);
/// Wait of a job whose subject cannot be read.
const UNREADABLE_DELAY: SignedDuration = SignedDuration::from_hours(1);
/// How often jobs are looked for that no registered job has the name of.
const UNKNOWN_LOOK_INTERVAL: Duration = Duration::from_hours(1);
/// Jobs of a kind that [`JobQueue::run_due`] takes at most.
#[cfg(any(test, feature = "testing"))]
const DUE_BATCH: i64 = 100;

/// The jobs that are queued. Cheap to clone.
#[derive(Debug, Clone)]
pub struct JobQueue(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    db: Db,
    clock: Arc<dyn Clock>,
    registry: Registry,
    metrics: JobMetrics,
}

/// Jobs of a kind that are due, those that run included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueJobs {
    /// What kind of work.
    pub kind: String,
    /// How many there are.
    pub jobs: i64,
    /// Since when the first of them is due.
    pub since: Timestamp,
}

impl JobQueue {
    /// The jobs in `db`, of which those in `registry` can be run.
    pub fn new(db: Db, clock: Arc<dyn Clock>, registry: Registry) -> Self {
        Self(Arc::new(Inner { db, clock, registry, metrics: JobMetrics::default() }))
    }

    fn db(&self) -> &Db {
        &self.0.db
    }

    fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    /// How they fare in this process.
    pub fn metrics(&self) -> &JobMetrics {
        &self.0.metrics
    }

    /// What is due now, by kind; of a kind that this process knows also that nothing is.
    pub async fn due(&self) -> Result<Vec<DueJobs>, StoreError> {
        let now = self.now();
        let mut due = jobs::due(self.db(), now).await?;
        for name in self.0.registry.names() {
            if due.iter().all(|(kind, ..)| kind != name) {
                due.push((name.to_owned(), 0, now));
            }
        }
        Ok(due.into_iter().map(|(kind, jobs, since)| DueJobs { kind, jobs, since }).collect())
    }

    /// How many jobs wait for a version that knows their name, by name.
    pub async fn unknown(&self) -> Result<Vec<(String, i64)>, StoreError> {
        jobs::unknown(self.db(), &self.0.registry.names()).await
    }

    /// Runs what is due at this moment, one job after another, and says how many there were. For whoever wants to see
    /// each run: tests with a clock of their own.
    #[cfg(any(test, feature = "testing"))]
    pub async fn run_due(&self, owner: &str) -> Result<usize, StoreError> {
        let limits: Vec<_> = self.0.registry.names().into_iter().map(|name| (name, DUE_BATCH)).collect();
        let claimed = jobs::claim(self.db(), owner, self.now(), LEASE, &limits).await?;
        let shutdown = CancellationToken::new();
        let count = claimed.len();
        for job in claimed {
            if let Some(registered) = self.0.registry.find(&job.kind) {
                Box::pin(self.run_one(registered, &Arc::new(job), &shutdown)).await;
            }
        }
        Ok(count)
    }

    /// Runs one job and gives it back. What cannot be given back is taken over when its lease ends.
    async fn run_one(&self, registered: &RegisteredJob, job: &Arc<ClaimedJob>, shutdown: &CancellationToken) {
        let span = info_span!(
            "job",
            otel.name = %format_args!("job {}", job.kind),
            job.kind = %job.kind,
            job.subject = %job.subject,
            job.attempt = job.attempts,
            trace_id = Empty
        );
        gateway_trace_context::begin(&span, job.traceparent.as_deref());
        self.run_leased(registered, job, shutdown).instrument(span).await;
    }

    async fn run_leased(
        &self,
        registered: &RegisteredJob,
        job: &Arc<ClaimedJob>,
        shutdown: &CancellationToken,
    ) {
        let began = Instant::now();
        let lease = JobLease::new(Arc::clone(job), Arc::clone(&self.0.clock));
        let attempt = Attempt { number: job.attempts, shutdown: shutdown.clone(), lease: lease.clone() };
        let (outcome, came_to) = if let Some(running) = registered.run(&job.subject, attempt) {
            match tokio::time::timeout(RUN_MAX, running).await {
                Ok(Outcome::Done) => (Outcome::Done, RunOutcome::Done),
                Ok(again @ (Outcome::Again(_) | Outcome::Continue)) => (again, RunOutcome::Again),
                Err(_) => {
                    tracing::error!("The job {} of {} took too long: it is repeated", job.kind, job.subject);
                    (self.again(OVERRUN_DELAY), RunOutcome::TooLong)
                }
            }
        } else {
            let ClaimedJob { kind, subject, .. } = job.as_ref();
            tracing::error!("The job {kind} of '{subject}' cannot be read: it is kept, and tried in an hour");
            (self.again(UNREADABLE_DELAY), RunOutcome::Unreadable)
        };
        self.0.metrics.ran(registered.name, job.attempts, came_to, began.elapsed());
        if lease.has_ended() {
            return;
        }
        match self.give_back(&lease, outcome).await {
            Ok(()) => {}
            Err(StoreError::Moved { .. }) => lease.tell_that_it_is_lost(),
            Err(error) => tracing::error!(
                error = &error as &dyn std::error::Error,
                "The job of {} is repeated when its lease ends: {error}",
                job.subject
            ),
        }
    }

    fn again(&self, after: SignedDuration) -> Outcome {
        let now = self.now();
        Outcome::Again(now.checked_add(after).unwrap_or(now))
    }

    async fn give_back(&self, lease: &JobLease, outcome: Outcome) -> Result<(), StoreError> {
        let mut tx = self.db().begin().await?;
        let ending = lease.end_in(&mut tx, outcome).await?;
        tx.commit_at("given-back").await?;
        ending.committed();
        Ok(())
    }
}

#[async_trait]
impl Source for JobQueue {
    fn name(&self) -> &'static str {
        "jobs"
    }

    fn kinds(&self) -> Vec<Kind> {
        self.0.registry.kinds()
    }

    fn topic(&self) -> Topic {
        Topic::Jobs
    }

    fn heartbeat(&self) -> Duration {
        HEARTBEAT
    }

    async fn claim(&self, limits: &[KindLimit], worker: &Worker) -> Result<Vec<LeasedWork>, StoreError> {
        let limits: Vec<_> =
            limits.iter().map(|kind| (kind.name, i64::try_from(kind.limit).unwrap_or(i64::MAX))).collect();
        let claimed = jobs::claim(self.db(), &worker.owner, self.now(), LEASE, &limits).await?;
        let leased = claimed.into_iter().filter_map(|job| {
            let (queue, registered) = (self.clone(), self.0.registry.find(&job.kind)?.clone());
            let shutdown = worker.shutdown.clone();
            let (kind, id, job) = (registered.name, job.id.0, Arc::new(job));
            let run = Box::pin(async move { queue.run_one(&registered, &job, &shutdown).await });
            Some(LeasedWork { kind, id, run })
        });
        Ok(leased.collect())
    }

    async fn next_due_after(&self, kinds: &[KindLimit]) -> Result<Option<Duration>, StoreError> {
        let kinds: Vec<_> = kinds.iter().map(|kind| kind.name).collect();
        let next = jobs::next_due(self.db(), &kinds).await?;
        Ok(next.map(|at| at.duration_since(self.now()).try_into().unwrap_or_default()))
    }

    async fn extend(&self, work: &[Uuid], owner: &str) -> Result<(), StoreError> {
        let jobs: Vec<_> = work.iter().copied().map(JobId).collect();
        let mut tx = self.db().begin().await?;
        jobs::extend(&mut tx, &jobs, owner, LEASE).await?;
        tx.commit_at("jobs-extended").await
    }

    async fn release(&self, owner: Option<&str>) -> Result<u64, StoreError> {
        let mut tx = self.db().begin().await?;
        let jobs = jobs::release(&mut tx, owner).await?;
        tx.commit_at("jobs-released").await?;
        Ok(jobs)
    }

    /// Says which jobs wait for a version that knows them.
    async fn maintain(&self, _: &Worker, done: CancellationToken) {
        loop {
            match self.unknown().await {
                Ok(unknown) => {
                    for (name, count) in unknown {
                        tracing::error!(
                            "{count} jobs named {name} mean nothing to this version and are kept: start the version that \
                             made them"
                        );
                    }
                }
                Err(error) => tracing::warn!("Whether all jobs are known could not be asked: {error}"),
            }
            tokio::select! {
                () = done.cancelled() => return,
                () = tokio::time::sleep(UNKNOWN_LOOK_INTERVAL) => {}
            }
        }
    }
}
