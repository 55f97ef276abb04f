//! The one writer of a SQLite file. Transactions that wait for their turn are made durable together.
//!
//! SQLite has one writer at a time and pays one flush to disk for each commit. Here every transaction is a savepoint:
//! whoever ends one while others wait leaves the surrounding transaction open for them, and the last of the group, or
//! the 32nd, commits it for all. Nobody is told that a transaction is committed before the whole group is on disk, so
//! durability is what it was; only the flushes are shared.
//!
//! A caller may go away at any moment: a client that hangs up ends its request in the middle. So whatever moves the
//! surrounding transaction or a savepoint runs in a task of its own, to its end, with nobody waiting if need be.

use crate::error::StoreError;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection, SqlSafeStr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{Mutex, OwnedMutexGuard, oneshot};

/// Most transactions that are made durable together.
const GROUP_MAX: usize = 32;
/// How long the file may belong to another process that writes.
const BUSY: Duration = Duration::from_secs(15);
/// How often to look whether it still does. A process that writes without pause leaves the file free for some
/// microseconds at a time, and SQLite's own wait looks ten times a second: it would find few of them.
const BUSY_LOOK: Duration = Duration::from_millis(2);
/// SQLite's own wait, short beside [`BUSY_LOOK`], and long for whoever has the connection alone.
const LOOK_OFTEN: &str = "PRAGMA busy_timeout = 10";
const LOOK_LONG: &str = "PRAGMA busy_timeout = 15000";

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

/// Whoever waits for a group, and learns what became of it.
type Member = oneshot::Sender<Result<(), Arc<sqlx::Error>>>;

/// A transaction on the writer, until it is committed, rolled back or dropped (which rolls back). After an error of
/// a statement, end it: SQLite may have taken everything back by itself.
#[derive(Debug)]
pub struct LiteTx {
    desk: OwnedMutexGuard<Desk>,
    writer: Writer,
    /// Whether there is a savepoint to be taken back.
    entered: bool,
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

/// Runs to its end whatever becomes of the caller.
async fn to_the_end<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, sqlx::Error> {
    // It ends early only with the runtime, and then the process is about to end.
    tokio::spawn(work).await.map_err(|_| sqlx::Error::PoolClosed)
}

impl Writer {
    /// Opens the connection.
    pub(crate) async fn open(options: &SqliteConnectOptions, patience: Duration) -> Result<Self, StoreError> {
        let mut desk = Desk {
            options: options.clone(),
            connection: None,
            closed: false,
            open: false,
            left: false,
            group: Vec::new(),
        };
        desk.connect().await.map_err(StoreError::Connect)?;
        Ok(Self { desk: Arc::new(Mutex::new(desk)), waiting: Arc::default(), patience })
    }

    /// The turn, with the surrounding transaction open and a savepoint of one's own.
    pub(crate) async fn begin(&self) -> Result<LiteTx, StoreError> {
        let mut tx = LiteTx { desk: self.turn().await?, writer: self.clone(), entered: false };
        let entered = to_the_end(async move {
            tx.desk.enter().await?;
            tx.entered = true;
            Ok::<_, sqlx::Error>(tx)
        });
        Ok(entered.await??)
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
        let alone = to_the_end(async move {
            desk.close().await;
            desk.connect().await?;
            desk.run(LOOK_LONG).await?;
            Ok::<_, sqlx::Error>(desk)
        });
        let mut desk = alone.await??;
        let done = work(desk.connection()?).await;
        desk.run(LOOK_OFTEN).await?;
        Ok(done)
    }

    /// Closes the connection; what waits for its turn fails.
    pub(crate) async fn close(&self) {
        let mut desk = Arc::clone(&self.desk).lock_owned().await;
        let closed = to_the_end(async move {
            desk.close().await;
            desk.closed = true;
            if let Some(connection) = desk.connection.take() {
                // The file is sound either way: an unclean end is what the write-ahead log is for.
                let _ = connection.close().await;
            }
        });
        // Without a runtime there is nothing left to close.
        let _ = closed.await;
    }
}

impl Desk {
    /// Opens the connection unless it is there.
    async fn connect(&mut self) -> Result<(), sqlx::Error> {
        if self.closed {
            return Err(sqlx::Error::PoolClosed);
        }
        if self.connection.is_none() {
            self.connection = Some(self.options.connect().await?);
            self.run(LOOK_OFTEN).await?;
        }
        Ok(())
    }

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
            self.connect().await?;
            self.begin().await?;
            self.open = true;
        }
        self.run("SAVEPOINT member").await
    }

    /// Opens the surrounding transaction as soon as no other process writes.
    async fn begin(&mut self) -> Result<(), sqlx::Error> {
        let started = Instant::now();
        loop {
            match self.run("BEGIN IMMEDIATE").await {
                Err(error) if is_busy(&error) && started.elapsed() < BUSY => {
                    tokio::time::sleep(BUSY_LOOK).await;
                }
                ended => return ended,
            }
        }
    }

    /// The savepoint of a transaction that was dropped. When it is gone, SQLite has rolled the whole group back.
    async fn take_back_what_was_left(&mut self) {
        if self.left
            && let Err(error) = self.run("ROLLBACK TO member; RELEASE member").await
        {
            self.lose(error).await;
        }
        self.left = false;
    }

    /// Makes the group durable, and tells its members.
    async fn close(&mut self) {
        self.take_back_what_was_left().await;
        if !self.open {
            return;
        }
        let end = if self.group.is_empty() { "ROLLBACK" } else { "COMMIT" };
        match self.run(end).await {
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

    /// The group is not durable: everybody in it is told why. Nobody knows how the connection stands, so it is given
    /// up, which takes back whatever is open on it.
    async fn lose(&mut self, error: sqlx::Error) {
        tracing::error!(
            error = &error as &dyn std::error::Error,
            "{} transactions were not kept: {error}",
            self.group.len()
        );
        self.open = false;
        if let Some(connection) = self.connection.take() {
            // It may have failed before.
            let _ = connection.close_hard().await;
        }
        let error = Arc::new(error);
        for member in self.group.drain(..) {
            let _ = member.send(Err(Arc::clone(&error)));
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

impl LiteTx {
    /// The connection, for statements of this transaction.
    pub(crate) fn connection(&mut self) -> Result<&mut SqliteConnection, sqlx::Error> {
        self.desk.connection()
    }

    /// Durable when this returns, together with others that ended at the same time. Once begun it goes on, whether
    /// or not anybody waits for it.
    pub(crate) async fn commit(self) -> Result<(), StoreError> {
        let (member, durable) = oneshot::channel();
        drop(tokio::spawn(self.join(member)));
        match durable.await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(cause)) => Err(StoreError::NotDurable(Some(cause))),
            Err(_) => Err(StoreError::NotDurable(None)),
        }
    }

    /// Makes this transaction a member of the group; closes the group unless somebody waits for a turn in it.
    async fn join(mut self, member: Member) {
        let released = self.desk.run("RELEASE member").await;
        self.entered = false;
        self.desk.group.push(member);
        if let Err(error) = released {
            self.desk.lose(error).await;
        } else if !self.writer.anybody_waits() || self.desk.group.len() >= GROUP_MAX {
            self.desk.close().await;
        }
    }

    /// Takes everything of this transaction back, and nothing of others.
    pub(crate) async fn rollback(mut self) -> Result<(), StoreError> {
        let taken_back = to_the_end(async move {
            self.entered = false;
            self.desk.left = true;
            self.desk.take_back_what_was_left().await;
            if !self.writer.anybody_waits() {
                self.desk.close().await;
            }
        });
        Ok(taken_back.await?)
    }
}

impl Drop for LiteTx {
    fn drop(&mut self) {
        if self.entered {
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
    use std::task::Poll;

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

    /// Gives others `rounds` chances to run.
    async fn others_run(rounds: usize) {
        for _ in 0..rounds {
            tokio::task::yield_now().await;
        }
    }

    /// Does as much of `work` as happens in so many polls, and goes away.
    async fn hang_up_after(polls: usize, work: impl Future<Output = ()>) {
        let mut work = std::pin::pin!(work);
        for _ in 0..polls {
            let ended = std::future::poll_fn(|context| Poll::Ready(work.as_mut().poll(context).is_ready()));
            if ended.await {
                return;
            }
            others_run(1).await;
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn callers_that_go_away_at_any_moment_take_nothing_of_others_with_them() {
        let db = testing::database(Engine::Sqlite).await;
        // Three kinds side by side: those that stay, those that hang up while they commit, and those that hang up
        // while they take back what they did.
        let workers: Vec<_> = (0..6_usize)
            .map(|worker| {
                let db = db.db().clone();
                tokio::spawn(async move {
                    for round in 0..150_usize {
                        let (name, polls) = (i64::try_from(worker * 1_000 + round).unwrap(), round * 7 % 60);
                        let committed = async {
                            let _ = add(&db, name).await;
                        };
                        let taken_back = async {
                            let mut tx = db.begin().await.unwrap();
                            tx.execute(&ADD, params![format!("gone {name}"), name]).await.unwrap();
                            tx.rollback().await.unwrap();
                        };
                        match worker % 3 {
                            0 => add(&db, name).await.unwrap(),
                            1 => hang_up_after(polls, committed).await,
                            _ => hang_up_after(polls, taken_back).await,
                        }
                    }
                })
            })
            .collect();
        for worker in workers {
            worker.await.unwrap();
        }
        add(&db, 9_000).await.unwrap();
        let names: Vec<(String,)> =
            db.fetch_all(&Sql::both("SELECT name FROM feed"), params![]).await.unwrap();
        assert!(!names.iter().any(|(name,)| name.starts_with("gone")), "what was taken back is not there");
        for name in (0..150).chain(3_000..3_150).chain([9_000]) {
            assert!(names.iter().any(|(found,)| *found == name.to_string()), "{name} was committed");
        }
    }

    /// Two transactions that end up in one group, because a third holds the turn until both wait for theirs. The
    /// first commits; what the second does is up to the caller. Says how the first ended.
    async fn beside(
        db: &Db,
        second: impl AsyncFnOnce(crate::Tx) + Send + 'static,
    ) -> Result<(), crate::StoreError> {
        let holder = db.begin().await.unwrap();
        let first = db.clone();
        let first = add(&first, 1);
        let second = async {
            second(db.begin().await.unwrap()).await;
        };
        let release = async {
            others_run(3).await;
            drop(holder);
        };
        tokio::join!(first, second, release).0
    }

    #[tokio::test]
    async fn when_a_group_cannot_be_kept_everybody_in_it_is_told_and_the_next_one_is_kept() {
        let db = testing::database(Engine::Sqlite).await;
        let first = beside(&db, async |mut tx| {
            // The violation shows when the group is committed.
            tx.execute(&Sql::both("PRAGMA defer_foreign_keys = ON"), params![]).await.unwrap();
            let orphan = Sql::both(
                "INSERT INTO series (workspace_id, kind, year, next_no) VALUES (9, 'invoice', 1, 1)",
            );
            tx.execute(&orphan, params![]).await.unwrap();
            assert!(matches!(tx.commit().await, Err(crate::StoreError::NotDurable(Some(_)))));
        });
        assert!(matches!(first.await, Err(crate::StoreError::NotDurable(Some(_)))));
        assert_eq!(count(&db).await, 0);
        add(&db, 2).await.unwrap();
        assert_eq!(count(&db).await, 1);
    }

    #[tokio::test]
    async fn when_sqlite_takes_a_group_back_by_itself_nobody_in_it_believes_to_be_durable() {
        let db = testing::database(Engine::Sqlite).await;
        let first = beside(&db, async |mut tx| {
            // As after a full disk: the statement takes the surrounding transaction with it.
            let fatal = Sql::both("INSERT OR ROLLBACK INTO feed (name, position) VALUES ('events', 1)");
            tx.execute(&fatal, params![]).await.unwrap_err();
        });
        assert!(matches!(first.await, Err(crate::StoreError::NotDurable(Some(_)))));
        assert_eq!(count(&db).await, 0);
        add(&db, 2).await.unwrap();
        assert_eq!(count(&db).await, 1);
    }

    #[tokio::test]
    async fn what_was_begun_before_the_database_closes_is_kept_and_the_rest_is_refused() {
        let db = testing::database(Engine::Sqlite).await;
        let beside = Db::connect(db.url(), &crate::Options::default()).await.unwrap();
        let mut tx = db.begin().await.unwrap();
        tx.execute(&ADD, params!["1", 1_i64]).await.unwrap();
        let (committed, (), refused) = tokio::join!(tx.commit(), db.close(), async {
            others_run(3).await;
            db.begin().await.map(drop)
        });
        committed.unwrap();
        refused.unwrap_err();
        assert_eq!(count(&beside).await, 1);
        beside.close().await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn another_process_gets_its_turn_although_this_one_writes_without_pause() {
        let db = testing::database(Engine::Sqlite).await;
        let other = Db::connect(db.url(), &crate::Options::default()).await.unwrap();
        let enough = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let busy: Vec<_> = (0..40_i64)
            .map(|worker| {
                let (db, enough) = (db.db().clone(), std::sync::Arc::clone(&enough));
                tokio::spawn(async move {
                    let mut name = 1_000_000 * worker;
                    while !enough.load(std::sync::atomic::Ordering::Relaxed) {
                        name += 1;
                        add(&db, name).await.unwrap();
                    }
                })
            })
            .collect();
        for name in 0..5_i64 {
            add(&other, -1 - name).await.unwrap();
        }
        enough.store(true, std::sync::atomic::Ordering::Relaxed);
        for worker in busy {
            worker.await.unwrap();
        }
        other.close().await;
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
