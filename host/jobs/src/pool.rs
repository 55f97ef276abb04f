//! The worker pool: jobs are claimed, run side by side, and given back.

use crate::background;
use crate::registry::{Attempt, Outcome, Registered, Registry};
use gateway_domain::StoreError;
use gateway_domain::ports::Clock;
use gateway_storage::jobs::{self, ClaimedJob};
use gateway_storage::{Db, Engine, Topic};
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long a job belongs to a process that stopped saying that it runs it.
const LEASE: SignedDuration = SignedDuration::from_secs(12);
/// Longest one run of a job may take; every call in it has a shorter limit of its own.
const RUN_MAX: Duration = Duration::from_mins(4);
/// How long running jobs may take after a stop; then they are given back for somebody else to go on.
const DRAIN: Duration = Duration::from_secs(5);
/// How often a process says that it runs its jobs.
const HEARTBEAT: Duration = Duration::from_secs(3);
/// Wait of a job whose run took too long.
const AGAIN_AFTER: SignedDuration = SignedDuration::from_secs(2);
/// Wait of a job whose subject cannot be read.
const UNREADABLE_AGAIN_AFTER: SignedDuration = SignedDuration::from_hours(1);
/// How often jobs are looked for that no registered job has the name of.
const UNKNOWN_EVERY: Duration = Duration::from_hours(1);
/// Jobs that [`Pool::run_due`] takes at most.
const DUE_MAX: i64 = 100;

/// What a pool is built from.
#[derive(Debug, Clone)]
pub struct PoolParts {
    pub db: Db,
    pub clock: Arc<dyn Clock>,
    /// What can be run.
    pub registry: Registry,
}

/// The jobs of one process. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Pool(PoolParts);

impl Pool {
    /// Puts the parts together.
    pub const fn new(parts: PoolParts) -> Self {
        Self(parts)
    }

    fn db(&self) -> &Db {
        &self.0.db
    }

    /// Notified after every commit that left work, and when a permit is free again.
    fn wakeups(&self) -> &Notify {
        self.db().wakeups(Topic::Jobs)
    }

    fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    /// Runs jobs until `shutdown`, then finishes those that run, or gives them back when that takes long. `owner` names
    /// the process. On SQLite the caller holds the instance lock.
    pub async fn run(self, owner: String, shutdown: CancellationToken) {
        if let Err(error) = self.take_over().await {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "Jobs of a dead process wait for their leases: {error}"
            );
        }
        let done = CancellationToken::new();
        let keeping = [
            tokio::spawn(heartbeat(self.clone(), owner.clone(), done.clone())),
            tokio::spawn(report_unknown(self.clone(), done.clone())),
        ];
        let workers =
            Workers { pool: self, owner, shutdown, cut: CancellationToken::new(), runs: TaskTracker::new() };
        workers.work().await;
        workers.drain().await;
        done.cancel();
        background::ended(keeping).await;
    }

    /// Runs what is due at this moment, one job after another, and says how many there were. For whoever wants to see
    /// each run: tests with a clock of their own.
    pub async fn run_due(&self, owner: &str) -> Result<usize, StoreError> {
        let names = self.0.registry.names();
        let claimed = jobs::claim(self.db(), owner, self.now(), LEASE, &names, DUE_MAX).await?;
        let shutdown = CancellationToken::new();
        for job in &claimed {
            if let Some(registered) = self.0.registry.find(&job.kind) {
                Box::pin(self.run_one(registered, job, &shutdown)).await;
            }
        }
        Ok(claimed.len())
    }

    /// Runs one job and gives it back. What cannot be given back is taken over when its lease ends.
    async fn run_one(&self, registered: &Registered, job: &ClaimedJob, shutdown: &CancellationToken) {
        let attempt = Attempt { number: job.attempts, shutdown: shutdown.clone() };
        let outcome = if let Some(running) = registered.run(&job.subject, attempt) {
            tokio::time::timeout(RUN_MAX, running).await.unwrap_or_else(|_| {
                tracing::error!("The job {} of {} took too long: it is repeated", job.kind, job.subject);
                self.again(AGAIN_AFTER)
            })
        } else {
            let ClaimedJob { kind, subject, .. } = job;
            tracing::error!("The job {kind} of '{subject}' cannot be read: it is kept, and tried in an hour");
            self.again(UNREADABLE_AGAIN_AFTER)
        };
        if let Err(error) = self.give_back(job, outcome).await {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "The job of {} is repeated when its lease ends: {error}",
                job.subject
            );
        }
    }

    fn again(&self, after: SignedDuration) -> Outcome {
        let now = self.now();
        Outcome::Again(now.checked_add(after).unwrap_or(now))
    }

    async fn give_back(&self, job: &ClaimedJob, outcome: Outcome) -> Result<(), StoreError> {
        let now = self.now();
        let mut tx = self.db().begin().await?;
        let ended = match outcome {
            Outcome::Continue => jobs::postpone(&mut tx, job, now, now).await?,
            Outcome::Again(at) => jobs::postpone(&mut tx, job, at, now).await?,
            Outcome::Done => jobs::complete(&mut tx, job, now).await?,
        };
        tx.commit_at("given-back").await?;
        if ended == jobs::Ended::Lost {
            tracing::warn!(
                "The job of {} took longer than its lease: somebody else goes on with it",
                job.subject
            );
        }
        Ok(())
    }

    /// Only one process serves a SQLite file, so whoever else held jobs is dead.
    async fn take_over(&self) -> Result<(), StoreError> {
        match self.db().engine() {
            Engine::Postgres => Ok(()),
            Engine::Sqlite => {
                let mut tx = self.db().begin().await?;
                jobs::free_all(&mut tx).await?;
                tx.commit_at("jobs-taken-over").await
            }
        }
    }

    async fn give_all_back(&self, owner: &str) -> Result<u64, StoreError> {
        let mut tx = self.db().begin().await?;
        let jobs = jobs::release_all(&mut tx, owner).await?;
        tx.commit_at("jobs-released").await?;
        Ok(jobs)
    }

    async fn keep(&self, owner: &str) -> Result<(), StoreError> {
        let mut tx = self.db().begin().await?;
        jobs::extend_all(&mut tx, owner, LEASE).await?;
        tx.commit_at("jobs-extended").await
    }
}

/// The jobs that this process runs.
struct Workers {
    pool: Pool,
    owner: String,
    shutdown: CancellationToken,
    /// Ends every run where it is.
    cut: CancellationToken,
    runs: TaskTracker,
}

impl Workers {
    /// Takes jobs until the process stops.
    async fn work(&self) {
        while !self.shutdown.is_cancelled() {
            let claimed = self.claim().await;
            let wake = self.pool.wakeups();
            background::sleep_until_woken(claimed, "The job queue cannot be read", wake, &self.shutdown)
                .await;
        }
    }

    /// Takes as many due jobs of each name as it has free permits, and says how many.
    async fn claim(&self) -> Result<usize, StoreError> {
        let mut count = 0;
        for registered in self.pool.0.registry.all() {
            let free = i64::try_from(registered.permits.available_permits()).unwrap_or(0);
            if free == 0 {
                continue;
            }
            let (db, now) = (self.pool.db(), self.pool.now());
            let claimed = jobs::claim(db, &self.owner, now, LEASE, &[registered.name], free).await?;
            count += claimed.len();
            for job in claimed {
                self.start(registered.clone(), job).await;
            }
        }
        Ok(count)
    }

    async fn start(&self, registered: Registered, job: ClaimedJob) {
        let Ok(permit) = registered.permits.clone().acquire_owned().await else { return };
        let (pool, shutdown, cut) = (self.pool.clone(), self.shutdown.clone(), self.cut.clone());
        self.runs.spawn(async move {
            tokio::select! {
                () = pool.run_one(&registered, &job, &shutdown) => {}
                () = cut.cancelled() => {}
            }
            drop(permit);
            pool.wakeups().notify_one();
        });
    }

    /// Finishes what runs. What takes long is cut off and given back, so that another process goes on with it at once,
    /// from the last step that was stored.
    async fn drain(&self) {
        self.runs.close();
        if tokio::time::timeout(DRAIN, self.runs.wait()).await.is_ok() {
            return;
        }
        self.cut.cancel();
        self.runs.wait().await;
        match self.pool.give_all_back(&self.owner).await {
            Ok(jobs) => tracing::warn!("{jobs} running jobs took long: another process goes on with them"),
            Err(error) => tracing::error!(
                error = &error as &dyn std::error::Error,
                "The running jobs go on when their leases end: {error}"
            ),
        }
    }
}

/// Keeps the jobs that run. When it fails for longer than a lease, others take the jobs over, and what this process
/// still does is refused by the versions it read.
async fn heartbeat(pool: Pool, owner: String, done: CancellationToken) {
    loop {
        tokio::select! {
            () = done.cancelled() => return,
            () = tokio::time::sleep(HEARTBEAT) => {}
        }
        if let Err(error) = pool.keep(&owner).await {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "The running jobs cannot be kept: {error}"
            );
        }
    }
}

/// Says which jobs wait for a version that knows them.
async fn report_unknown(pool: Pool, done: CancellationToken) {
    let names = pool.0.registry.names();
    loop {
        match jobs::unknown(pool.db(), &names).await {
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
            () = tokio::time::sleep(UNKNOWN_EVERY) => {}
        }
    }
}
