//! The worker pool: work is claimed from its sources, run side by side, and given back.

use crate::background::{self, RETRY_DELAY, idle_for, sleep_until_woken};
use crate::source::{Kind, KindLimit, LeasedWork, Source, Worker};
use gateway_domain::StoreError;
use gateway_storage::{Db, Engine};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

/// How long what runs may take after a stop; then it is given back for somebody else to go on.
const DRAIN_TIME_MAX: Duration = Duration::from_secs(5);

/// The worker pool of one process. Sources do not wait for each other.
#[derive(Debug, Clone)]
pub struct Pool {
    db: Db,
    sources: Vec<Arc<dyn Source>>,
}

impl Pool {
    /// Without anything to do. Its sources work on `db`.
    pub const fn new(db: Db) -> Self {
        Self { db, sources: Vec::new() }
    }

    /// Adds a source.
    #[must_use]
    pub fn with(mut self, source: impl Source + 'static) -> Self {
        self.sources.push(Arc::new(source));
        self
    }

    /// Runs work until `shutdown`, then finishes what runs, or gives it back when that takes long. `owner` names the
    /// process. On SQLite the caller holds the instance lock.
    pub async fn run(self, owner: String, shutdown: CancellationToken) {
        let mut running = JoinSet::new();
        for source in self.sources {
            let worker = Worker { owner: owner.clone(), shutdown: shutdown.clone() };
            running.spawn(SourceWorkers::new(self.db.clone(), source, worker).run());
        }
        background::ended(running).await;
    }
}

/// What this process runs of one source.
struct SourceWorkers {
    db: Db,
    source: Arc<dyn Source>,
    worker: Worker,
    permits: Vec<(Kind, Arc<Semaphore>)>,
    /// Ends every run where it is.
    cut: CancellationToken,
    runs: TaskTracker,
    leases: RunningLeases,
}

impl SourceWorkers {
    fn new(db: Db, source: Arc<dyn Source>, worker: Worker) -> Self {
        let kinds = source.kinds().into_iter();
        let permits = kinds.map(|kind| (kind, Arc::new(Semaphore::new(kind.at_once)))).collect();
        let (cut, runs) = (CancellationToken::new(), TaskTracker::new());
        Self { db, source, worker, permits, cut, runs, leases: RunningLeases::default() }
    }

    async fn run(self) {
        let (name, owner, done) = (self.source.name(), &self.worker.owner, CancellationToken::new());
        if let Err(error) = self.take_over().await {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "The {name} of a dead process wait for their leases: {error}"
            );
        }
        let mut background_tasks = JoinSet::new();
        background_tasks.spawn(heartbeat(
            Arc::clone(&self.source),
            owner.clone(),
            self.leases.clone(),
            done.clone(),
        ));
        background_tasks.spawn({
            let (source, worker, done) = (Arc::clone(&self.source), self.worker.clone(), done.clone());
            async move { source.maintain(&worker, done).await }
        });
        self.work().await;
        self.drain().await;
        done.cancel();
        background::ended(background_tasks).await;
    }

    /// Only one process serves a SQLite file, so whoever else held leases is dead.
    async fn take_over(&self) -> Result<(), StoreError> {
        match self.db.engine() {
            Engine::Postgres => Ok(()),
            Engine::Sqlite => self.source.release(None).await.map(drop),
        }
    }

    /// Fired after every commit that left work, and when a permit is free again.
    fn wakeups(&self) -> &Notify {
        self.db.wakeups(self.source.topic())
    }

    /// Takes work until the process stops.
    async fn work(&self) {
        while !self.worker.shutdown.is_cancelled() {
            let wait = self.claim().await.unwrap_or_else(|error| {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "The {} that are due cannot be read: {error}",
                    self.source.name()
                );
                Some(RETRY_DELAY)
            });
            if let Some(wait) = wait {
                sleep_until_woken(wait, self.wakeups(), &self.worker.shutdown).await;
            }
        }
    }

    /// Takes as much due work of each kind as it has free permits. Where there was none, it says how long to wait.
    async fn claim(&self) -> Result<Option<Duration>, StoreError> {
        let free = |(kind, permits): &(Kind, Arc<Semaphore>)| {
            let limit = permits.available_permits();
            (limit > 0).then_some(KindLimit { name: kind.name, limit })
        };
        let limits: Vec<_> = self.permits.iter().filter_map(free).collect();
        if limits.is_empty() {
            return Ok(Some(idle_for(None)));
        }
        let claimed = self.source.claim(&limits, &self.worker).await?;
        if claimed.is_empty() {
            return Ok(Some(idle_for(self.source.next_due_after(&limits).await?)));
        }
        for work in claimed {
            let permits = self.permits.iter().find(|(kind, _)| kind.name == work.kind);
            let Some((_, permits)) = permits else { continue };
            let Ok(permit) = Arc::clone(permits).acquire_owned().await else { break };
            self.start(work, permit);
        }
        Ok(None)
    }

    fn start(&self, work: LeasedWork, permit: OwnedSemaphorePermit) {
        let (cut, db, topic) = (self.cut.clone(), self.db.clone(), self.source.topic());
        let lease = self.leases.add(work.id);
        self.runs.spawn(async move {
            tokio::select! {
                () = work.run => {}
                () = cut.cancelled() => {}
            }
            // What did not end its lease goes on when the lease ends.
            drop(lease);
            drop(permit);
            db.wakeups(topic).notify_one();
        });
    }

    /// Finishes what runs. What takes long is cut off and given back, so that another process goes on with it at once,
    /// from the last step that was stored.
    async fn drain(&self) {
        self.runs.close();
        if tokio::time::timeout(DRAIN_TIME_MAX, self.runs.wait()).await.is_ok() {
            return;
        }
        self.cut.cancel();
        self.runs.wait().await;
        let name = self.source.name();
        match self.source.release(Some(&self.worker.owner)).await {
            Ok(count) => {
                tracing::warn!("{count} running {name} took long: another process goes on with them");
            }
            Err(error) => tracing::error!(
                error = &error as &dyn std::error::Error,
                "The running {name} go on when their leases end: {error}"
            ),
        }
    }
}

/// The leases of the work that this process runs at this moment.
#[derive(Debug, Clone, Default)]
struct RunningLeases(Arc<Mutex<Vec<Uuid>>>);

impl RunningLeases {
    fn with<T>(&self, act: impl FnOnce(&mut Vec<Uuid>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, id: Uuid) -> RunningLease {
        self.with(|ids| ids.push(id));
        RunningLease { all: self.clone(), id }
    }
}

/// One of them, until it is dropped.
struct RunningLease {
    all: RunningLeases,
    id: Uuid,
}

impl Drop for RunningLease {
    fn drop(&mut self) {
        self.all.with(|ids| {
            // One run of several: work whose lease was lost may have been taken by the same process again.
            if let Some(index) = ids.iter().position(|id| *id == self.id) {
                ids.swap_remove(index);
            }
        });
    }
}

/// Keeps what runs. When it fails for longer than a lease, others take the work over, and what this process still does
/// is refused by what it read.
async fn heartbeat(source: Arc<dyn Source>, owner: String, leases: RunningLeases, done: CancellationToken) {
    loop {
        tokio::select! {
            () = done.cancelled() => return,
            () = tokio::time::sleep(source.heartbeat()) => {}
        }
        let work = leases.with(|ids| ids.clone());
        if work.is_empty() {
            continue;
        }
        if let Err(error) = source.extend(&work, &owner).await {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "The running {} cannot be kept: {error}",
                source.name()
            );
        }
    }
}
