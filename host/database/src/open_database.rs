//! A database that was connected to.

use crate::metrics::DatabaseMetrics;
use crate::pools::Pools;
use crate::runtime::OpeningRuntime;
use crate::wakeups::Waiters;

/// Its connections, and who waits for what is committed on them: all that clones of a `Db` share.
#[derive(Debug)]
pub(crate) struct OpenDatabase {
    pub(crate) pools: Pools,
    pub(crate) runtime: OpeningRuntime,
    pub(crate) metrics: DatabaseMetrics,
    pub(crate) waiters: Waiters,
}
