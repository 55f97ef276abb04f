//! The one writer of a SQLite file. Transactions that wait for their turn are made durable together.
//!
//! SQLite has one writer at a time and pays one flush to disk for each commit. Here every transaction is a savepoint:
//! whoever ends one while others wait leaves the surrounding transaction open for them, and the last of the group, or
//! the 32nd, commits it for all. Nobody is told that a transaction is committed before the whole group is on disk, so
//! durability is what it was; only the flushes are shared.
//!
//! A caller may go away at any moment: a client that hangs up ends its request in the middle. So whatever moves the surrounding
//! transaction runs to its end, with nobody waiting if need be. The savepoint of whoever joins others is made by the first statement,
//! see [`SqliteTx::connection`].

use self::commit::Member;
use self::file::DatabaseFile;
use crate::deferred::{JoinedStatements, JoinedStep};
use crate::error::{OpenError, StoreError, failed, is_without_room};
use crate::runtime::OpeningRuntime;
use futures::TryStreamExt;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Either, Executor, SqlSafeStr};
use sqlx_sqlite::{SqliteConnectOptions, SqliteConnection};
use std::convert::identity;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{Mutex, OwnedMutexGuard};

/// Most transactions that are made durable together.
const GROUP_MAX: usize = 32;
/// How long the file may belong to another process that writes.
const BUSY: Duration = Duration::from_secs(15);
/// How often to look whether it still does. A process that writes without pause leaves the file free for some
/// microseconds at a time, and SQLite's own wait looks ten times a second: it would find few of them.
const BUSY_POLL_INTERVAL: Duration = Duration::from_millis(2);
/// SQLite's own wait, short beside [`BUSY_POLL_INTERVAL`], and long for whoever has the connection alone.
const BUSY_TIMEOUT_SHORT: &str = "PRAGMA busy_timeout = 10";
const BUSY_TIMEOUT_LONG: &str = "PRAGMA busy_timeout = 15000";

/// The savepoint of a member of the group, alone and with what surrounds it.
const SAVEPOINT: &str = "SAVEPOINT member";
const BEGIN_WITH_SAVEPOINT: &str = "BEGIN IMMEDIATE; SAVEPOINT member";
const RELEASE: &str = "RELEASE member";
const RELEASE_AND_COMMIT: &str = "RELEASE member; COMMIT";

/// The writer. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Writer {
    connection: Arc<Mutex<WriterConnection>>,
    waiting: Arc<AtomicUsize>,
    lock_timeout: Duration,
    /// Where what is begun runs to its end: whoever begins it may be among too many others to be soon heard again.
    runtime: OpeningRuntime,
}

/// What whoever has the turn works with.
#[derive(Debug)]
struct WriterConnection {
    file: Arc<DatabaseFile>,
    options: SqliteConnectOptions,
    /// None after a failure, until the next transaction opens another one.
    connection: Option<SqliteConnection>,
    /// Whether the database was closed for good.
    closed: bool,
    /// Whether the surrounding transaction is open.
    open: bool,
    /// Whether the last transaction was left without an end, so its savepoint has to be taken back first.
    left: bool,
    /// Those who wait for the group to be on disk.
    group: Vec<Member>,
}

/// A transaction on the writer, until it is committed, rolled back or dropped (which rolls back). After an error of
/// a statement, end it: SQLite may have taken everything back by itself.
#[derive(Debug)]
pub(crate) struct SqliteTx {
    connection: OwnedMutexGuard<WriterConnection>,
    writer: Writer,
    /// Whether there is a savepoint to be taken back.
    entered: bool,
}

/// A place in the queue for the turn.
struct QueuedWriter<'a> {
    writer: &'a Writer,
    got_it: bool,
}

impl Drop for QueuedWriter<'_> {
    fn drop(&mut self) {
        let before = self.writer.waiting.fetch_sub(1, Ordering::SeqCst);
        // A group that was left open for this one must not wait for ever.
        if !self.got_it && before == 1 {
            self.writer.clone().close_later();
        }
    }
}

impl Writer {
    /// Opens the connection.
    pub(crate) async fn open(
        file: Arc<DatabaseFile>,
        options: &SqliteConnectOptions,
        lock_timeout: Duration,
    ) -> Result<Self, OpenError> {
        let mut connection = WriterConnection {
            file,
            options: options.clone(),
            connection: None,
            closed: false,
            open: false,
            left: false,
            group: Vec::new(),
        };
        match connection.connect().await {
            Err(error) if is_without_room(&error) => {
                let file = Arc::clone(&connection.file);
                if !file.give_up_reserve() {
                    return Err(OpenError::NoRoom { path: file.path().display().to_string() });
                }
                tracing::warn!("The disk is full: the reserve beside {} is given up", file.path().display());
                connection.connect().await.map_err(|error| OpenError::sqlite(file.path(), error))?;
            }
            Err(error) => return Err(OpenError::sqlite(connection.file.path(), error)),
            Ok(()) => {}
        }
        connection.mark().await;
        connection.fold_log().await;
        Ok(Self {
            connection: Arc::new(Mutex::new(connection)),
            waiting: Arc::default(),
            lock_timeout,
            runtime: OpeningRuntime::current(),
        })
    }

    /// The turn, with the surrounding transaction open. The savepoint of one's own is made with it, or with the first statement where
    /// others have opened it.
    pub(crate) async fn begin(&self) -> Result<SqliteTx, StoreError> {
        let mut tx = SqliteTx { connection: self.lock_writer().await?, writer: self.clone(), entered: false };
        let entered = self.runtime.to_the_end(async move {
            tx.entered = tx.connection.enter().await?;
            Ok::<_, sqlx::Error>(tx)
        });
        entered.await.and_then(identity).map_err(failed)
    }

    async fn lock_writer(&self) -> Result<OwnedMutexGuard<WriterConnection>, StoreError> {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let mut place = QueuedWriter { writer: self, got_it: false };
        let connection = tokio::time::timeout(self.lock_timeout, Arc::clone(&self.connection).lock_owned())
            .await
            .map_err(|_| failed(sqlx::Error::PoolTimedOut))?;
        place.got_it = true;
        Ok(connection)
    }

    pub(crate) fn has_waiters(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) > 0
    }

    /// Closes the group when nobody is left to do it.
    fn close_later(self) {
        // When the runtime is over the process is ending, and what is not committed is rolled back by the file's next user.
        let runtime = self.runtime.clone();
        runtime.spawn(async move {
            let mut connection = self.connection.lock().await;
            if connection.open && !self.has_waiters() {
                connection.close().await;
            }
        });
    }

    /// Does something with the connection alone, between groups.
    pub(crate) async fn alone<T>(
        &self,
        work: impl AsyncFnOnce(&mut SqliteConnection) -> T,
    ) -> Result<T, StoreError> {
        let mut connection = self.lock_writer().await?;
        let alone = self.runtime.to_the_end(async move {
            connection.close().await;
            connection.connect().await?;
            connection.run(BUSY_TIMEOUT_LONG).await?;
            Ok::<_, sqlx::Error>(connection)
        });
        let mut connection = alone.await.and_then(identity).map_err(failed)?;
        let done = work(connection.connection().map_err(failed)?).await;
        connection.run(BUSY_TIMEOUT_SHORT).await.map_err(failed)?;
        Ok(done)
    }

    /// Ends the group; what waits for its turn fails from now on. The connection stays open: whoever closes the last one to a
    /// file folds the log into it, and takes the log away.
    pub(crate) async fn finish(&self) {
        let mut connection = Arc::clone(&self.connection).lock_owned().await;
        let finished = self.runtime.to_the_end(async move {
            connection.close().await;
            connection.closed = true;
        });
        // Without a runtime there is no group left to end.
        let _ = finished.await;
    }

    /// Closes the connection.
    pub(crate) async fn close(&self) {
        let mut connection = Arc::clone(&self.connection).lock_owned().await;
        let closed = self.runtime.to_the_end(async move {
            if let Some(connection) = connection.connection.take() {
                // The file is sound either way: an unclean end is what the write-ahead log is for.
                let _ = connection.close().await;
            }
        });
        // Without a runtime there is nothing left to close.
        let _ = closed.await;
    }
}

impl WriterConnection {
    /// Opens the connection unless it is there.
    async fn connect(&mut self) -> Result<(), sqlx::Error> {
        if self.closed {
            return Err(sqlx::Error::PoolClosed);
        }
        if self.connection.is_none() {
            self.connection = Some(self.options.connect().await?);
            self.file.reopened();
            self.run(BUSY_TIMEOUT_SHORT).await?;
        }
        Ok(())
    }

    fn connection(&mut self) -> Result<&mut SqliteConnection, sqlx::Error> {
        self.connection.as_mut().ok_or(sqlx::Error::PoolClosed)
    }

    /// Runs statements that are prepared once.
    async fn run(&mut self, sql: &'static str) -> Result<(), sqlx::Error> {
        sqlx::query(sql).execute(self.connection()?).await?;
        Ok(())
    }

    /// Runs statements; an error comes with the one that failed.
    async fn run_joined(&mut self, joined: JoinedStatements) -> Result<(), (JoinedStep, sqlx::Error)> {
        let JoinedStatements { text, arguments, steps } = joined;
        let mut left = steps.into_iter();
        let mut step = left.next().unwrap_or(JoinedStep::End);
        let connection = self.connection().map_err(|error| (step, error))?;
        let mut done = connection.fetch_many(sqlx::query_with(AssertSqlSafe(text), arguments));
        loop {
            match done.try_next().await {
                Ok(Some(Either::Left(_))) => step = left.next().unwrap_or(JoinedStep::End),
                Ok(Some(Either::Right(_))) => {}
                Ok(None) => return Ok(()),
                Err(error) => return Err((step, error)),
            }
        }
    }

    /// Opens the surrounding transaction with the savepoint of its first member; `false` where it is open already, and the savepoint
    /// still to be made.
    async fn enter(&mut self) -> Result<bool, sqlx::Error> {
        self.take_back_what_was_left().await;
        if self.open {
            return Ok(false);
        }
        // Whoever joins later is told by the end of the group, which looks again.
        self.ensure_there()?;
        self.connect().await?;
        self.begin().await?;
        self.open = true;
        Ok(true)
    }

    /// Gives the database a number of its own, once: two that were set up alike begin with the same bytes otherwise.
    async fn mark(&mut self) {
        let marked = async {
            let connection = self.connection()?;
            let (mark,): (i64,) = sqlx::query_as("PRAGMA user_version").fetch_one(&mut *connection).await?;
            if mark == 0 {
                let random = "SELECT abs(random() % 2147483647) + 1";
                let (mark,): (i64,) = sqlx::query_as(random).fetch_one(&mut *connection).await?;
                let set = AssertSqlSafe(format!("PRAGMA user_version = {mark}"));
                sqlx::raw_sql(set.into_sql_str()).execute(connection).await?;
            }
            Ok::<_, sqlx::Error>(())
        };
        if let Err(error) = marked.await {
            tracing::debug!("{} has no number of its own yet: {error}", self.file.path().display());
        }
    }

    /// Copies what an earlier process left in the log, as far as nobody reads it: from then on the index says exactly what is in
    /// the file.
    async fn fold_log(&mut self) {
        if let Err(error) = self.run("PRAGMA wal_checkpoint(PASSIVE)").await {
            tracing::debug!("The log of {} stays as it is: {error}", self.file.path().display());
        }
    }

    /// Refuses to write to a file that is gone: nobody would find it again.
    fn ensure_there(&self) -> Result<(), sqlx::Error> {
        self.file.ensure_there().map_err(|lost| sqlx::Error::Io(std::io::Error::other(lost)))
    }

    /// Opens the surrounding transaction and the savepoint of its first member as soon as no other process writes; the thread of
    /// the connection is woken once for both.
    async fn begin(&mut self) -> Result<(), sqlx::Error> {
        let started = Instant::now();
        loop {
            match self.run(BEGIN_WITH_SAVEPOINT).await {
                Err(error) if is_busy(&error) && started.elapsed() < BUSY => {
                    tokio::time::sleep(BUSY_POLL_INTERVAL).await;
                }
                Err(error) => {
                    if !is_busy(&error) {
                        // The first of the two may have worked.
                        self.give_up().await;
                    }
                    return Err(error);
                }
                Ok(()) => return Ok(()),
            }
        }
    }

    /// The savepoint of a transaction that was dropped. When it is gone, SQLite has rolled the whole group back.
    async fn take_back_what_was_left(&mut self) {
        if self.left
            && let Err(error) = self.run("ROLLBACK TO member; RELEASE member").await
        {
            self.fail_group(error).await;
        }
        self.left = false;
    }

    /// Ends the surrounding transaction: makes the group durable, and tells its members.
    async fn close(&mut self) {
        self.take_back_what_was_left().await;
        if !self.open {
            return;
        }
        self.end(if self.group.is_empty() { "ROLLBACK" } else { "COMMIT" }).await;
    }

    async fn end(&mut self, end: &'static str) {
        // Otherwise it would be written to a file that nobody asked to change.
        if let Err(error) = self.ensure_there() {
            return self.fail_group(error).await;
        }
        match self.run(end).await {
            Ok(()) => self.ended().await,
            Err(error) => self.fail_group(error).await,
        }
    }

    /// Tells the members of a group whose surrounding transaction ended that they are durable.
    async fn ended(&mut self) {
        // What was written to a file that went away meanwhile is not durable, whatever SQLite says.
        match self.ensure_there() {
            Ok(()) => {
                self.open = false;
                for member in self.group.drain(..) {
                    member.ended(Ok(()));
                }
            }
            Err(error) => self.fail_group(error).await,
        }
    }

    /// Closes the connection, which takes back whatever is open on it; the next transaction opens another one.
    async fn give_up(&mut self) {
        if let Some(connection) = self.connection.take() {
            // It may have failed before.
            let _ = connection.close_hard().await;
        }
    }

    /// The group is not durable: everybody in it is told why. Nobody knows how the connection stands, so it is given
    /// up, which takes back whatever is open on it.
    async fn fail_group(&mut self, error: sqlx::Error) {
        tracing::error!(
            error = &error as &dyn std::error::Error,
            "{} transactions were not kept: {error}",
            self.group.len()
        );
        self.open = false;
        self.give_up().await;
        let error = Arc::new(error);
        for member in self.group.drain(..) {
            member.ended(Err(Arc::clone(&error)));
        }
    }
}

/// Whether another process writes.
fn is_busy(error: &sqlx::Error) -> bool {
    error.as_database_error().and_then(sqlx::error::DatabaseError::code).is_some_and(|code| {
        // SQLITE_BUSY and SQLITE_BUSY_RECOVERY.
        matches!(code.as_ref(), "5" | "261")
    })
}

impl SqliteTx {
    /// What the next text of this transaction begins with: its savepoint, unless it is there.
    pub(crate) const fn savepoint(&self) -> &'static str {
        if self.entered { "" } else { SAVEPOINT }
    }

    /// The connection, for a text that begins with [`SqliteTx::savepoint`] and is sent at once: from then on the savepoint counts as
    /// made. Whoever goes away in the middle of the statement does not prevent that: sqlx hands the text over as the statement is
    /// first polled, and its thread looks whether anybody listens only behind the first statement of a text.
    pub(crate) fn connection(&mut self) -> Result<&mut SqliteConnection, sqlx::Error> {
        let connection = self.connection.connection()?;
        self.entered = true;
        Ok(connection)
    }

    /// Takes everything of this transaction back, and nothing of others.
    pub(crate) async fn rollback(mut self) -> Result<(), StoreError> {
        let writer = self.writer.clone();
        let taken_back = writer.runtime.to_the_end(async move {
            self.connection.left = std::mem::take(&mut self.entered);
            self.connection.take_back_what_was_left().await;
            if !self.writer.has_waiters() {
                self.connection.close().await;
            }
        });
        taken_back.await.map_err(failed)
    }
}

impl Drop for SqliteTx {
    fn drop(&mut self) {
        if self.entered {
            self.connection.left = true;
        }
        if self.connection.open && !self.writer.has_waiters() {
            self.writer.clone().close_later();
        }
    }
}

mod commit;
pub(crate) mod file;
mod header;
mod identity;
mod log;
mod lost;
pub(crate) mod place;
#[cfg(test)]
mod tests;
