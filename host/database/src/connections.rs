//! Connections that stay open and are lent, one at a time, to whoever runs a statement.
//!
//! sqlx's own pool asks the server of each connection that comes back whether it still lives, in a task of its own: every
//! statement costs a second round trip. Here a connection whose last statement was answered goes back as it is. One that
//! failed, or whose statement nobody waited for to the end, is asked first, by a task beside, and closed unless it answers.

use crate::error::kind;
use crate::runtime::OpeningRuntime;
use deadpool::managed::{Manager, Metrics, Object, Pool, PoolError, QueueMode, RecycleError, RecycleResult};
use gateway_domain::StoreCauseKind;
use sqlx::{ConnectOptions, Connection};
use std::fmt;
use std::time::Duration;
use tokio::time::{sleep, timeout};
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

/// Statements that a connection keeps prepared: more than the catalogue has, so that a text is planned once.
pub(crate) const STATEMENTS_MAX: usize = 512;
/// First wait before a server that does not take connections is tried again, and the longest.
const PAUSE: Duration = Duration::from_millis(10);
const PAUSE_MAX: Duration = Duration::from_secs(2);
/// How long a connection that failed may take to say that it lives.
const CHECK_TIMEOUT: Duration = Duration::from_secs(5);
/// How often to look for connections that nobody needs.
const IDLE_CHECK_INTERVAL: Duration = Duration::from_mins(1);

/// How long connections stay open.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lifetimes {
    /// Without being lent.
    pub(crate) idle: Duration,
    /// Altogether: what a server keeps for a session grows with its age.
    pub(crate) age: Duration,
}

impl Lifetimes {
    fn has_ended(self, metrics: &Metrics) -> bool {
        metrics.age() > self.age || metrics.last_used() > self.idle
    }
}

/// Opens connections.
struct Opener<C: Connection + 'static> {
    options: C::Options,
    /// None: for ever.
    lifetimes: Option<Lifetimes>,
}

impl<C: Connection + 'static> Manager for Opener<C> {
    type Type = C;
    type Error = sqlx::Error;

    /// A server that starts, stops or has no connection left is tried again until the caller's time is over.
    async fn create(&self) -> Result<C, sqlx::Error> {
        let mut pause = PAUSE;
        loop {
            match self.options.connect().await {
                Err(error) if is_unavailable(&error) => sleep(pause).await,
                ended => return ended,
            }
            pause = PAUSE_MAX.min(pause.saturating_mul(2));
        }
    }

    async fn recycle(&self, _connection: &mut C, metrics: &Metrics) -> RecycleResult<sqlx::Error> {
        let has_ended = self.lifetimes.is_some_and(|lifetimes| lifetimes.has_ended(metrics));
        if has_ended { Err(RecycleError::message("its time is over")) } else { Ok(()) }
    }
}

/// Whether a server may take the connection a little later.
fn is_unavailable(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(error) => error.kind() == std::io::ErrorKind::ConnectionRefused,
        sqlx::Error::Database(error) => error.is_transient_in_connect_phase(),
        _ => false,
    }
}

/// The open connections to one database. Cheap to clone.
pub(crate) struct Connections<C: Connection + 'static> {
    pool: Pool<Opener<C>>,
    acquire_timeout: Duration,
    runtime: OpeningRuntime,
    /// Those that are lent.
    lent: TaskTracker,
}

impl<C: Connection + 'static> Clone for Connections<C> {
    fn clone(&self) -> Self {
        let Self { pool, acquire_timeout, runtime, lent } = self;
        Self {
            pool: pool.clone(),
            acquire_timeout: *acquire_timeout,
            runtime: runtime.clone(),
            lent: lent.clone(),
        }
    }
}

impl<C: Connection + 'static> fmt::Debug for Connections<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Connections({:?})", self.pool.status())
    }
}

/// How many connections there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ConnectionCount {
    pub(crate) open: usize,
    pub(crate) idle: usize,
    pub(crate) max: usize,
}

impl<C: Connection + 'static> Connections<C> {
    /// At most `max` at a time, opened when they are needed; whoever needs one waits `acquire_timeout` at most.
    pub(crate) fn new(
        options: C::Options,
        max: u32,
        acquire_timeout: Duration,
        lifetimes: Option<Lifetimes>,
    ) -> Self {
        let runtime = OpeningRuntime::current();
        let builder = Pool::builder(Opener { options, lifetimes });
        let builder = builder.max_size(usize::try_from(max).unwrap_or(usize::MAX));
        // The one that was used last: its statements are prepared, and the others may end.
        let pool = builder.queue_mode(QueueMode::Lifo).build();
        // It refuses time limits without a runtime, and has none.
        let pool = pool.unwrap_or_else(|error| unreachable!("{error}"));
        let connections = Self { pool, acquire_timeout, runtime, lent: TaskTracker::new() };
        if let Some(lifetimes) = lifetimes {
            connections.close_unused(lifetimes);
        }
        connections
    }

    /// Closes connections whose time is over, as long as there are any.
    fn close_unused(&self, lifetimes: Lifetimes) {
        let pool = self.pool.weak();
        self.runtime.spawn(async move {
            loop {
                sleep(IDLE_CHECK_INTERVAL).await;
                let Some(pool) = pool.upgrade().filter(|pool| !pool.is_closed()) else { return };
                for connection in pool.retain(|_, metrics| !lifetimes.has_ended(&metrics)).removed {
                    // The server sees the end either way.
                    let _ = timeout(CHECK_TIMEOUT, connection.close()).await;
                }
            }
        });
    }

    /// A connection, for one statement or one transaction.
    pub(crate) async fn lend(&self) -> Result<Lent<C>, sqlx::Error> {
        let token = self.lent.token();
        let connection = match timeout(self.acquire_timeout, self.pool.get()).await {
            Ok(Ok(connection)) => connection,
            Ok(Err(PoolError::Backend(error))) => return Err(error),
            Ok(Err(PoolError::Timeout(_))) | Err(_) => return Err(sqlx::Error::PoolTimedOut),
            Ok(Err(_)) => return Err(sqlx::Error::PoolClosed),
        };
        Ok(Lent { open: Some(Open { connection, token }), is_unclear: false, runtime: self.runtime.clone() })
    }

    /// How the connections are opened.
    pub(crate) fn options(&self) -> &C::Options {
        &self.pool.manager().options
    }

    pub(crate) fn count(&self) -> ConnectionCount {
        let status = self.pool.status();
        ConnectionCount { open: status.size, idle: status.available, max: status.max_size }
    }

    /// Lends no more, waits for those that are lent, and closes all.
    pub(crate) async fn close(&self) {
        let unused = self.pool.retain(|_, _| false).removed;
        self.pool.close();
        self.lent.close();
        for connection in unused {
            // There is nobody left to be told.
            let _ = connection.close().await;
        }
        self.lent.wait().await;
    }
}

/// A connection that is lent; it goes back when this is dropped.
pub(crate) struct Lent<C: Connection + 'static> {
    /// None once it is on its way back.
    open: Option<Open<C>>,
    /// Whether its last statement did not end, or failed in a way that leaves open how the connection is.
    is_unclear: bool,
    runtime: OpeningRuntime,
}

struct Open<C: Connection + 'static> {
    connection: Object<Opener<C>>,
    /// Who closes the connections waits for it.
    token: TaskTrackerToken,
}

impl<C: Connection + 'static> fmt::Debug for Lent<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Lent(is_unclear: {})", self.is_unclear)
    }
}

impl<C: Connection + 'static> Lent<C> {
    /// The connection, for one statement; say with [`Self::ended`] how that went.
    pub(crate) fn connection(&mut self) -> Result<&mut C, sqlx::Error> {
        self.is_unclear = true;
        self.open.as_mut().map(|open| &mut *open.connection).ok_or(sqlx::Error::PoolClosed)
    }

    /// Where what becomes of the connection goes on when nobody waits for it.
    pub(crate) fn runtime(&self) -> OpeningRuntime {
        self.runtime.clone()
    }

    /// Hands on how a statement went, after which the connection is as it was, or unclear.
    pub(crate) fn ended<T>(&mut self, answer: Result<T, sqlx::Error>) -> Result<T, sqlx::Error> {
        self.is_unclear = match &answer {
            Ok(_) => false,
            // A server that ends the session says so as it says everything else.
            Err(error) => error.as_database_error().is_none() || kind(error) == StoreCauseKind::Transient,
        };
        answer
    }
}

impl<C: Connection + 'static> Drop for Lent<C> {
    fn drop(&mut self) {
        let Some(open) = self.open.take() else { return };
        let is_closed = Object::pool(&open.connection).is_none_or(|pool| pool.is_closed());
        if is_closed {
            self.runtime.spawn(open.close());
        } else if self.is_unclear {
            self.runtime.spawn(open.check());
        }
    }
}

impl<C: Connection + 'static> Open<C> {
    async fn close(self) {
        // There is nobody left to be told.
        let _ = Object::take(self.connection).close().await;
        drop(self.token);
    }

    /// Gives the connection back if it answers. Otherwise the server may have been restarted: what is open to it and not in use
    /// is closed too, so that one statement fails and not one for each connection.
    async fn check(mut self) {
        if matches!(timeout(CHECK_TIMEOUT, self.connection.ping()).await, Ok(Ok(()))) {
            return;
        }
        let pool = Object::pool(&self.connection);
        let unused = pool.map(|pool| pool.retain(|_, _| false).removed).unwrap_or_default();
        for connection in unused.into_iter().chain([Object::take(self.connection)]) {
            // Who does not answer is not told.
            let _ = connection.close_hard().await;
        }
    }
}
