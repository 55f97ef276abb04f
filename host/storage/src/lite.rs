//! The one writer of a SQLite file. Transactions that wait for their turn are made durable together.
//!
//! SQLite has one writer at a time and pays one flush to disk for each commit. Here every transaction is a savepoint:
//! whoever ends one while others wait leaves the surrounding transaction open for them, and the last of the group, or
//! the 32nd, commits it for all. Nobody is told that a transaction is committed before the whole group is on disk, so
//! durability is what it was; only the flushes are shared.

use crate::error::StoreError;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection, SqlSafeStr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::{Mutex, OwnedMutexGuard, oneshot};

/// Most transactions that are made durable together.
const GROUP_MAX: usize = 32;

/// The writer. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Writer {
    desk: Arc<Mutex<Desk>>,
    waiting: Arc<AtomicUsize>,
    patience: Duration,
}

/// What whoever has the turn works with.
#[derive(Debug)]
struct Desk {
    connection: Option<SqliteConnection>,
    /// Whether the surrounding transaction is open.
    open: bool,
    /// Whether the last transaction was left without an end, so its savepoint has to be taken back first.
    left: bool,
    /// Those who wait for the group to be on disk.
    group: Vec<oneshot::Sender<Result<(), Arc<sqlx::Error>>>>,
}

/// A transaction on the writer, until it is committed, rolled back or dropped (which rolls back).
#[derive(Debug)]
pub struct LiteTx {
    desk: OwnedMutexGuard<Desk>,
    writer: Writer,
    ended: bool,
}

/// A place in the queue for the turn.
struct Waiting<'a> {
    writer: &'a Writer,
    got_it: bool,
}

impl Drop for Waiting<'_> {
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
    pub(crate) async fn open(options: &SqliteConnectOptions, patience: Duration) -> Result<Self, StoreError> {
        let connection = Some(options.connect().await.map_err(StoreError::Connect)?);
        let desk = Desk { connection, open: false, left: false, group: Vec::new() };
        Ok(Self { desk: Arc::new(Mutex::new(desk)), waiting: Arc::default(), patience })
    }

    /// The turn, with the surrounding transaction open and a savepoint of one's own.
    pub(crate) async fn begin(&self) -> Result<LiteTx, StoreError> {
        let desk = self.turn().await?;
        let mut tx = LiteTx { desk, writer: self.clone(), ended: false };
        if let Err(error) = tx.desk.enter().await {
            tx.ended = true;
            return Err(error.into());
        }
        Ok(tx)
    }

    async fn turn(&self) -> Result<OwnedMutexGuard<Desk>, StoreError> {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let mut place = Waiting { writer: self, got_it: false };
        let desk = tokio::time::timeout(self.patience, Arc::clone(&self.desk).lock_owned())
            .await
            .map_err(|_| StoreError::Database(sqlx::Error::PoolTimedOut))?;
        place.got_it = true;
        Ok(desk)
    }

    fn anybody_waits(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) > 0
    }

    /// Closes the group when nobody is left to do it.
    fn close_later(self) {
        // Without a runtime the process is ending, and what is not committed is rolled back by the file's next user.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let mut desk = self.desk.lock().await;
                if desk.open && !self.anybody_waits() {
                    desk.close().await;
                }
            });
        }
    }

    /// Does something with the connection alone, between groups.
    pub(crate) async fn alone<T>(
        &self,
        work: impl AsyncFnOnce(&mut SqliteConnection) -> T,
    ) -> Result<T, StoreError> {
        let mut desk = self.turn().await?;
        if desk.open {
            desk.close().await;
        }
        Ok(work(desk.connection()?).await)
    }

    /// Closes the connection; what waits for its turn fails.
    pub(crate) async fn close(&self) {
        let mut desk = self.desk.lock().await;
        if desk.open {
            desk.close().await;
        }
        if let Some(connection) = desk.connection.take() {
            // The file is sound either way: an unclean end is what the write-ahead log is for.
            let _ = connection.close().await;
        }
    }
}

impl Desk {
    fn connection(&mut self) -> Result<&mut SqliteConnection, sqlx::Error> {
        self.connection.as_mut().ok_or(sqlx::Error::PoolClosed)
    }

    async fn run(&mut self, sql: &'static str) -> Result<(), sqlx::Error> {
        sqlx::raw_sql(sql.into_sql_str()).execute(self.connection()?).await?;
        Ok(())
    }

    async fn enter(&mut self) -> Result<(), sqlx::Error> {
        self.take_back_what_was_left().await;
        if !self.open {
            self.run("BEGIN IMMEDIATE").await?;
            self.open = true;
        }
        self.run("SAVEPOINT member").await
    }

    /// The savepoint of a transaction that was dropped. When it is gone, SQLite has rolled the whole group back.
    async fn take_back_what_was_left(&mut self) {
        if !std::mem::take(&mut self.left) {
            return;
        }
        if let Err(error) = self.run("ROLLBACK TO member; RELEASE member").await {
            self.lose(error).await;
        }
    }

    /// Makes the group durable, and tells its members.
    async fn close(&mut self) {
        self.take_back_what_was_left().await;
        if !self.open {
            return;
        }
        if self.group.is_empty() {
            self.open = false;
            if let Err(error) = self.run("ROLLBACK").await {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "An empty transaction was not ended: {error}"
                );
            }
            return;
        }
        match self.run("COMMIT").await {
            Ok(()) => {
                self.open = false;
                for member in self.group.drain(..) {
                    // A member that went away meanwhile does not need to know.
                    let _ = member.send(Ok(()));
                }
            }
            Err(error) => self.lose(error).await,
        }
    }

    /// The group is not durable: everybody in it is told why.
    async fn lose(&mut self, error: sqlx::Error) {
        self.open = false;
        // Nothing to roll back when SQLite did so itself.
        let _ = self.run("ROLLBACK").await;
        let error = Arc::new(error);
        for member in self.group.drain(..) {
            let _ = member.send(Err(Arc::clone(&error)));
        }
    }
}

impl LiteTx {
    /// The connection, for statements of this transaction.
    pub(crate) fn connection(&mut self) -> Result<&mut SqliteConnection, sqlx::Error> {
        self.desk.connection()
    }

    /// Durable when this returns, together with others that ended at the same time.
    pub(crate) async fn commit(mut self) -> Result<(), StoreError> {
        if let Err(error) = self.desk.run("RELEASE member").await {
            self.ended = true;
            self.desk.lose(error).await;
            return Err(StoreError::NotDurable(None));
        }
        self.ended = true;
        let (member, durable) = oneshot::channel();
        self.desk.group.push(member);
        if !self.writer.anybody_waits() || self.desk.group.len() >= GROUP_MAX {
            self.desk.close().await;
        }
        drop(self);
        match durable.await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(cause)) => Err(StoreError::NotDurable(Some(cause))),
            Err(_) => Err(StoreError::NotDurable(None)),
        }
    }

    /// Takes everything of this transaction back, and nothing of others.
    pub(crate) async fn rollback(mut self) -> Result<(), StoreError> {
        self.ended = true;
        self.desk.left = true;
        self.desk.take_back_what_was_left().await;
        if self.desk.open && !self.writer.anybody_waits() {
            self.desk.close().await;
        }
        Ok(())
    }
}

impl Drop for LiteTx {
    fn drop(&mut self) {
        if !self.ended {
            self.desk.left = true;
        }
        if self.desk.open && !self.writer.anybody_waits() {
            self.writer.clone().close_later();
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::dispatch::{Sql, params};
    use crate::testing;
    use crate::{Db, Engine};

    const ADD: Sql = Sql::both("INSERT INTO feed (name, position) VALUES ($1, $2)");
    const COUNT: Sql = Sql::both("SELECT COUNT(*) FROM feed WHERE name <> 'events'");

    async fn count(db: &Db) -> i64 {
        db.fetch_one::<(i64,)>(&COUNT, params![]).await.unwrap().0
    }

    async fn add(db: &Db, name: i64) -> Result<(), crate::StoreError> {
        let mut tx = db.begin().await?;
        tx.execute(&ADD, params![name.to_string(), name]).await?;
        tx.commit().await
    }

    #[tokio::test]
    async fn what_is_committed_is_on_disk_for_every_reader_at_once() {
        let db = testing::database(Engine::Sqlite).await;
        for name in 0..5_i64 {
            add(&db, name).await.unwrap();
            assert_eq!(count(&db).await, name + 1);
        }
    }

    #[tokio::test]
    async fn transactions_side_by_side_all_become_durable() {
        let db = testing::database(Engine::Sqlite).await;
        let tasks: Vec<_> = (0..200)
            .map(|name| {
                let db = db.db().clone();
                tokio::spawn(async move { add(&db, name).await })
            })
            .collect();
        for task in tasks {
            task.await.unwrap().unwrap();
        }
        assert_eq!(count(&db).await, 200);
    }

    #[tokio::test]
    async fn a_transaction_that_fails_is_dropped_or_rolled_back_takes_nothing_of_others_with_it() {
        let db = testing::database(Engine::Sqlite).await;
        let tasks: Vec<_> = (0..120)
            .map(|name: i64| {
                let db = db.db().clone();
                tokio::spawn(async move {
                    let mut tx = db.begin().await.unwrap();
                    tx.execute(&ADD, params![name.to_string(), name]).await.unwrap();
                    match name % 4 {
                        0 => drop(tx),
                        1 => tx.rollback().await.unwrap(),
                        2 => {
                            let twice = tx.execute(&ADD, params![name.to_string(), name]).await;
                            assert!(twice.unwrap_err().is_unique_violation());
                            tx.rollback().await.unwrap();
                        }
                        _ => tx.commit().await.unwrap(),
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(count(&db).await, 30);
        add(&db, 1_000).await.unwrap();
        assert_eq!(count(&db).await, 31);
    }

    #[tokio::test]
    async fn whoever_stops_waiting_for_its_turn_leaves_no_group_open() {
        let db = testing::database(Engine::Sqlite).await;
        for name in 0..50_i64 {
            let first = db.begin().await.unwrap();
            let waiting = tokio::spawn({
                let db = db.db().clone();
                async move { db.begin().await.map(drop) }
            });
            let committing = tokio::spawn(async move {
                let mut tx = first;
                tx.execute(&ADD, params![name.to_string(), name]).await.unwrap();
                tx.commit().await
            });
            tokio::task::yield_now().await;
            waiting.abort();
            committing.await.unwrap().unwrap();
        }
        assert_eq!(count(&db).await, 50);
    }

    #[tokio::test]
    async fn another_process_can_write_once_nobody_here_does() {
        let db = testing::database(Engine::Sqlite).await;
        let other = Db::connect(db.url(), &crate::Options::default()).await.unwrap();
        for name in 0..20_i64 {
            add(if name % 2 == 0 { &db } else { &other }, name).await.unwrap();
            drop(db.begin().await.unwrap());
        }
        assert_eq!(count(&other).await, 20);
        other.close().await;
    }
}
