//! Where a worker pool takes work from.

use async_trait::async_trait;
use gateway_domain::StoreError;
use gateway_storage::Topic;
use std::fmt;
use std::pin::Pin;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// A kind of work. Each has permits of its own, so that one that hangs starves no other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    pub name: &'static str,
    /// How much of it one process runs at once.
    pub at_once: usize,
}

/// A process that takes work.
#[derive(Debug, Clone)]
pub struct Worker {
    /// In whose name it takes work: each process has its own.
    pub owner: String,
    /// Cancelled when the process stops: work that has several steps ends behind the one it is at.
    pub shutdown: CancellationToken,
}

/// How much more of a kind a process can take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KindLimit {
    /// The name of the kind.
    pub name: &'static str,
    /// At least one.
    pub limit: usize,
}

/// Work that a process has leased.
pub struct LeasedWork {
    /// The name of its kind.
    pub kind: &'static str,
    /// Unique within its source.
    pub id: Uuid,
    /// Does the work and ends its lease. What it does is safe to repeat: it may be cut off anywhere, and the lease may be lost.
    pub run: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl fmt::Debug for LeasedWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeasedWork").field("id", &self.id).finish_non_exhaustive()
    }
}

/// A store of work that processes lease piece by piece. A lease ends by the clock of the database unless its holder extends
/// it, so what a dead process held is taken over.
#[async_trait]
pub trait Source: fmt::Debug + Send + Sync {
    /// What it has, in the plural, for the log.
    fn name(&self) -> &'static str;

    /// The kinds of work it has.
    fn kinds(&self) -> Vec<Kind>;

    /// What is fired in this process when it has something new.
    fn topic(&self) -> Topic;

    /// How often leases are extended: a few times in the time that they are given for.
    fn heartbeat(&self) -> Duration;

    /// Leases work that is due for `worker`: of each kind as much as its limit says, at most.
    async fn claim(&self, limits: &[KindLimit], worker: &Worker) -> Result<Vec<LeasedWork>, StoreError>;

    /// How long from now the next work of these kinds is due that nobody has, nothing if it is already; none: there is none.
    async fn next_due_after(&self, kinds: &[KindLimit]) -> Result<Option<Duration>, StoreError>;

    /// Keeps leases of `owner` from ending.
    async fn extend(&self, work: &[Uuid], owner: &str) -> Result<(), StoreError>;

    /// Ends the leases of `owner`, or everybody's, so that somebody goes on at once; says how many there were.
    async fn release(&self, owner: Option<&str>) -> Result<u64, StoreError>;

    /// What else there is to do as long as `worker` works, until nothing runs any more, which `done` says.
    async fn maintain(&self, worker: &Worker, done: CancellationToken);
}
