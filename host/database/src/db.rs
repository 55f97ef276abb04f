//! The database: connections, transactions, migrations.

use self::connect::SqliteAccess;
use crate::connections::Connections;
use crate::deferred::{DeferredChanges, send_deferred};
use crate::dispatch::{Executor, Record};
use crate::error::{OpenError, StoreError, failed};
use crate::failpoint;
use crate::instance::InstanceLock;
use crate::metrics::{DatabaseMetrics, Operation};
use crate::pending::Pending;
use crate::postgres::{self, PgTx};
use crate::runtime::OpeningRuntime;
use crate::sql::{Engine, Param, Sql, statements};
use crate::sqlite::file::DatabaseFile;
use crate::sqlite::{SqliteTx, Writer};
use crate::wakeups::{PendingWakeups, Topic, Waiters};
use sqlx::migrate::Migrator;
use sqlx::{ConnectOptions, Connection};
use sqlx_postgres::PgConnectOptions;
use sqlx_postgres::PgConnection;
use sqlx_sqlite::SqliteConnection;
use std::any::Any;
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tokio::sync::Notify;

pub static POSTGRES: LazyLock<Migrator> =
    LazyLock::new(|| forward_only(sqlx::migrate!("../../migrations/postgres")));
pub static SQLITE: LazyLock<Migrator> =
    LazyLock::new(|| forward_only(sqlx::migrate!("../../migrations/sqlite")));

/// While replicas are replaced one by one, an older one meets a database that a newer one has brought up to date: migrations
/// only add, so it goes on. A migration that differs from the one of the same number is refused all the same.
fn forward_only(mut migrator: Migrator) -> Migrator {
    migrator.set_ignore_missing(true);
    migrator
}

statements! {
    MIGRATION_TABLES = pg "SELECT COUNT(*) FROM pg_tables WHERE tablename = '_sqlx_migrations' AND schemaname = ANY (current_schemas(false))",
        sqlite "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table' AND name = '_sqlx_migrations'";
    MIGRATIONS_APPLIED = "SELECT version, checksum FROM _sqlx_migrations WHERE success";
}

/// How to connect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Most connections to PostgreSQL; SQLite has one writer and four readers whatever it says.
    pub connections_max: u32,
    /// Longest wait for a free connection.
    pub acquire_timeout: Duration,
    /// What PostgreSQL shows the connections as.
    pub application: &'static str,
}

impl Options {
    /// What the connections of gateways and of their commands are shown as.
    const GATEWAY: &'static str = "gateway";

    /// For a program that has to know whether others are connected: its own connections are shown under another name.
    pub fn for_recovery() -> Self {
        Self { application: "gateway recovery", ..Self::default() }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self { connections_max: 16, acquire_timeout: Duration::from_secs(10), application: Self::GATEWAY }
    }
}

/// The pools of a SQLite file.
#[derive(Debug, Clone)]
pub(crate) struct SqlitePools {
    /// SQLite takes one writer at a time: transactions wait here for their turn.
    pub write: Writer,
    /// Readers: they cannot change anything.
    pub read: Connections<SqliteConnection>,
    pub(crate) file: Arc<DatabaseFile>,
}

/// The connections to a database.
#[derive(Debug, Clone)]
pub(crate) enum Pools {
    Pg(Connections<PgConnection>),
    Sqlite(SqlitePools),
}

/// The database, PostgreSQL or SQLite. Cheap to clone; clones wake each other's waiters.
#[derive(Debug, Clone)]
pub struct Db {
    pub(crate) pools: Pools,
    pub(crate) runtime: OpeningRuntime,
    pub(crate) metrics: DatabaseMetrics,
    waiters: Waiters,
}

/// Where the statements of a transaction run. It begins with the first of them.
#[derive(Debug)]
pub(crate) enum TxConnection {
    Unopened(Db),
    Open(OpenTx),
}

/// A transaction that the database knows.
#[derive(Debug)]
pub(crate) enum OpenTx {
    /// READ COMMITTED.
    Pg(PgTx),
    /// Its turn at the one writer.
    Sqlite(SqliteTx),
}

impl TxConnection {
    /// The open transaction.
    pub(crate) async fn opened(&mut self, metrics: &DatabaseMetrics) -> Result<&mut OpenTx, StoreError> {
        if let Self::Unopened(db) = self {
            let open = metrics.measured(Operation::Begin, db.open()).await?;
            *self = Self::Open(open);
        }
        match self {
            Self::Open(open) => Ok(open),
            Self::Unopened(_) => Err(failed(sqlx::Error::PoolClosed)),
        }
    }

    async fn commit(
        mut self,
        mut deferred: DeferredChanges,
        metrics: &DatabaseMetrics,
    ) -> Result<(), StoreError> {
        if let Self::Unopened(db) = &self {
            match &db.pools {
                _ if deferred.is_empty() => return Ok(()),
                Pools::Pg(connections) if deferred.is_one_statement() => {
                    return db.make_alone(connections, deferred).await;
                }
                Pools::Sqlite(sqlite) => return sqlite.write.make_alone(deferred).await,
                Pools::Pg(_) => {}
            }
        }
        self.opened(metrics).await?;
        match self {
            Self::Open(OpenTx::Pg(mut tx)) => {
                send_deferred(tx.lent().map_err(failed)?, &mut deferred).await?;
                tx.commit().await.map_err(failed)
            }
            Self::Open(OpenTx::Sqlite(tx)) => tx.commit(deferred).await,
            Self::Unopened(_) => Err(failed(sqlx::Error::PoolClosed)),
        }
    }
}

/// A transaction: rolled back unless committed. On SQLite it holds the only writer from its first statement on, so never
/// await anything slow inside, and never start a second one before it ended.
pub struct Tx {
    pub(crate) connection: TxConnection,
    pub(crate) metrics: DatabaseMetrics,
    pub(crate) deferred: DeferredChanges,
    wakeups: PendingWakeups,
    memo: Vec<Box<dyn Any + Send + Sync>>,
}

impl std::fmt::Debug for Tx {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tx({:?})", self.engine())
    }
}

impl Tx {
    /// Which engine it is of.
    pub const fn engine(&self) -> Engine {
        match &self.connection {
            TxConnection::Unopened(db) => db.engine(),
            TxConnection::Open(OpenTx::Pg(_)) => Engine::Postgres,
            TxConnection::Open(OpenTx::Sqlite(_)) => Engine::Sqlite,
        }
    }

    /// Keeps a value for who asks for its type while the transaction lasts: what it wrote need not be read again.
    pub fn remember<T: Any + Send + Sync>(&mut self, value: T) {
        self.memo.push(Box::new(value));
    }

    /// The values of a type that were kept, in order.
    pub fn remembered<T: Any>(&self) -> impl Iterator<Item = &T> {
        self.memo.iter().filter_map(|value| value.downcast_ref())
    }

    /// Wakes whoever waits for `topic` in this process, once this transaction is committed.
    pub fn wake_after_commit(&mut self, topic: Topic) {
        self.wakeups.add(topic);
    }

    /// Makes everything durable, and then wakes who waits for what it left to do. `point` names this commit in the flow: a
    /// test may end the process there (see [`crate::failpoint`]). An error does not mean that nothing is durable: read
    /// the state before repeating.
    pub fn commit_at(self, point: &str) -> Pending<'_, ()> {
        Box::pin(async move {
            failpoint::before(point);
            let commit = self.connection.commit(self.deferred, &self.metrics);
            self.metrics.measured(Operation::Commit, commit).await?;
            failpoint::after(point);
            self.wakeups.fire();
            Ok(())
        })
    }

    /// A statement with its rows, and [`Tx::commit_at`]: on PostgreSQL one round trip where it is the only statement.
    pub fn commit_with<'a, T: Record>(
        mut self,
        point: &'a str,
        sql: &'a Sql,
        params: Vec<Param>,
    ) -> Pending<'a, Vec<T>> {
        Box::pin(async move {
            if let TxConnection::Unopened(db) = &self.connection
                && self.deferred.is_empty()
                && matches!(db.pools, Pools::Pg(_))
            {
                failpoint::before(point);
                let rows = Executor::Db(db).all(sql, params).await?;
                failpoint::after(point);
                self.wakeups.fire();
                return Ok(rows);
            }
            let rows = self.fetch_all(sql, params).await?;
            self.commit_at(point).await?;
            Ok(rows)
        })
    }

    /// [`Tx::commit_at`] where nothing is part of the flow.
    #[cfg(any(test, feature = "testing"))]
    pub async fn commit(self) -> Result<(), StoreError> {
        self.commit_at("test").await
    }

    /// Takes everything back, and wakes nobody. Dropping does the same a little later.
    pub fn rollback(self) -> Pending<'static, ()> {
        Box::pin(async move {
            match self.connection {
                TxConnection::Open(OpenTx::Pg(tx)) => tx.rollback().await.map_err(failed),
                TxConnection::Open(OpenTx::Sqlite(tx)) => tx.rollback().await,
                TxConnection::Unopened(_) => Ok(()),
            }
        })
    }
}

impl Db {
    /// With these connections, on the runtime of the caller.
    pub(crate) fn opened(pools: Pools) -> Self {
        let engine = match pools {
            Pools::Pg(_) => Engine::Postgres,
            Pools::Sqlite(_) => Engine::Sqlite,
        };
        let (runtime, waiters) = (OpeningRuntime::current(), Waiters::default());
        Self { pools, runtime, metrics: DatabaseMetrics::new(engine), waiters }
    }

    /// Connects to `sqlite:PATH` (created when missing, its directory too) or `postgres://…`, beside a process that serves it
    /// if there is one.
    pub async fn connect(url: &str, options: &Options) -> Result<Self, OpenError> {
        match scheme(url) {
            "sqlite" => connect::sqlite(url, options, SqliteAccess::Shared).await.map(|(db, _)| db),
            "postgres" | "postgresql" => connect::postgres(url, options).await,
            other => Err(OpenError::UnknownScheme { scheme: other.to_owned() }),
        }
    }

    /// [`Self::connect`] that makes this process the only one that serves a SQLite file, before it is opened; on PostgreSQL
    /// replicas are welcome. Hold the lock as long as the process serves.
    pub async fn connect_to_serve(url: &str, options: &Options) -> Result<(Self, InstanceLock), OpenError> {
        if scheme(url) == "sqlite" {
            return connect::sqlite(url, options, SqliteAccess::Serving).await;
        }
        Ok((Self::connect(url, options).await?, InstanceLock::shared()))
    }

    /// Which engine this is; for diagnostics, not for choosing statements.
    pub const fn engine(&self) -> Engine {
        match self.pools {
            Pools::Pg(_) => Engine::Postgres,
            Pools::Sqlite(_) => Engine::Sqlite,
        }
    }

    /// Brings the schema up to date. Several processes may call it at once; one works, the others wait.
    pub async fn migrate(&self) -> Result<(), OpenError> {
        match &self.pools {
            Pools::Pg(connections) => {
                let patient = PgConnectOptions::clone(connections.options()).options([("lock_timeout", "0")]);
                let mut connection = patient.connect().await.map_err(OpenError::connect)?;
                POSTGRES.run(&mut connection).await?;
                connection.close().await.map_err(failed)?;
            }
            Pools::Sqlite(sqlite) => {
                let setup_lock = connect::setup_lock(sqlite.file.target().to_owned()).await?;
                sqlite.write.alone(async |connection| SQLITE.run(connection).await).await??;
                drop(setup_lock);
            }
        }
        Ok(())
    }

    /// Whether every migration of this binary is applied; `false` also for a database that was never migrated.
    pub async fn is_migrated(&self) -> Result<bool, StoreError> {
        if let Pools::Sqlite(sqlite) = &self.pools {
            sqlite.file.ensure_there()?;
        }
        if self.is_empty().await? {
            return Ok(false);
        }
        let applied: Vec<(i64, Vec<u8>)> = self.fetch_all(&MIGRATIONS_APPLIED, Vec::new()).await?;
        let known = match self.pools {
            Pools::Pg(_) => &POSTGRES,
            Pools::Sqlite(_) => &SQLITE,
        };
        Ok(known.iter().all(|migration| {
            applied
                .iter()
                .any(|(version, checksum)| *version == migration.version && **checksum == *migration.checksum)
        }))
    }

    /// Whether nothing was ever stored in it.
    pub async fn is_empty(&self) -> Result<bool, StoreError> {
        let (tables,): (i64,) = self.fetch_one(&MIGRATION_TABLES, Vec::new()).await?;
        Ok(tables == 0)
    }

    /// Whether there is room on the disk of a SQLite file. The disk of a PostgreSQL server is not seen from here.
    pub fn has_room(&self) -> bool {
        match &self.pools {
            Pools::Pg(_) => true,
            Pools::Sqlite(sqlite) => sqlite.file.has_room(),
        }
    }

    /// Where a SQLite database would be made anew if it were connected to now, as [`Db::location`] names it: nothing is there,
    /// or an empty file. Nothing is opened or made.
    pub fn path_to_create(url: &str) -> Option<String> {
        connect::path_to_create(url)
    }

    /// Where it is, without names and passwords of users: the path of a file, or server and name.
    pub fn location(&self) -> String {
        match &self.pools {
            Pools::Pg(connections) => {
                let options = connections.options();
                let database = options.get_database().unwrap_or_else(|| options.get_username());
                format!("postgres://{}:{}/{database}", options.get_host(), options.get_port())
            }
            Pools::Sqlite(sqlite) => {
                let path = sqlite.file.path();
                let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
                format!("sqlite:{}", path.display())
            }
        }
    }

    /// A transaction, which begins with its first statement: nothing is asked of the database before.
    pub fn begin(&self) -> Pending<'_, Tx> {
        Box::pin(async move { Ok(self.transaction(TxConnection::Unopened(self.clone()))) })
    }

    async fn open(&self) -> Result<OpenTx, StoreError> {
        Ok(match &self.pools {
            Pools::Pg(connections) => {
                let connections = connections.clone();
                let begun = self.runtime.run(async move { PgTx::begin(&connections, postgres::BEGIN).await });
                OpenTx::Pg(begun.await.map_err(failed)?)
            }
            Pools::Sqlite(sqlite) => OpenTx::Sqlite(sqlite.write.begin().await?),
        })
    }

    /// Makes changes that PostgreSQL takes as one statement, which is a transaction of its own.
    async fn make_alone(
        &self,
        connections: &Connections<PgConnection>,
        mut deferred: DeferredChanges,
    ) -> Result<(), StoreError> {
        let connections = connections.clone();
        let made = self.runtime.run(async move {
            let mut lent = connections.lend().await?;
            Ok(send_deferred(&mut lent, &mut deferred).await)
        });
        made.await.map_err(failed)?
    }

    fn transaction(&self, connection: TxConnection) -> Tx {
        let (metrics, wakeups) = (self.metrics.clone(), PendingWakeups::new(&self.waiters));
        Tx { connection, metrics, deferred: DeferredChanges::default(), wakeups, memo: Vec::new() }
    }

    /// Notified after every commit of this process that left something to do of `topic`.
    pub fn wakeups(&self, topic: Topic) -> &Notify {
        self.waiters.of(topic)
    }

    /// Closes every connection; on SQLite the last one folds the write-ahead log into the file.
    pub async fn close(&self) {
        match &self.pools {
            Pools::Pg(connections) => connections.close().await,
            Pools::Sqlite(sqlite) => sqlite.close().await,
        }
    }
}

impl SqlitePools {
    async fn close(&self) {
        self.write.finish().await;
        if self.file.close().is_err() {
            // The last connection would fold the log into a file that it does not belong to, and delete by its name a log that
            // may be another's. The end of the process closes them without.
            std::mem::forget(self.clone());
            return;
        }
        self.read.close().await;
        self.write.close().await;
    }
}

/// What stands before the colon.
fn scheme(url: &str) -> &str {
    url.split_once(':').map_or(url, |(scheme, _)| scheme)
}

mod connect;
pub mod whole;

/// Names the migrations of this binary: another migration, another name.
#[cfg(any(test, feature = "testing"))]
pub(crate) fn migrations_digest() -> String {
    let checksums = POSTGRES.iter().flat_map(|migration| migration.checksum.iter());
    // FNV-1a: a name, not a secret.
    let digest = checksums.fold(0xcbf2_9ce4_8422_2325_u64, |digest, byte| {
        (digest ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{digest:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::{Param, Sql};
    use crate::testing;

    /// Whether the database answers.
    async fn ping(db: &Db) -> Result<(), StoreError> {
        let _: (i64,) = db.fetch_one(&Sql::both("SELECT CAST(1 AS BIGINT)"), Vec::new()).await?;
        Ok(())
    }

    #[tokio::test]
    async fn several_processes_may_set_up_a_fresh_file_at_once() {
        let directory = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", directory.path().join("new/gateway.db").display());
        let options = Options::default();
        let (one, other) = tokio::join!(Db::connect(&url, &options), Db::connect(&url, &options));
        let (one, other) = (one.unwrap(), other.unwrap());
        assert!(!one.is_migrated().await.unwrap());
        let (first, second) = tokio::join!(one.migrate(), other.migrate());
        first.unwrap();
        second.unwrap();
        assert!(one.is_migrated().await.unwrap());
        ping(&one).await.unwrap();
    }

    #[tokio::test]
    async fn a_second_server_on_one_file_is_refused_until_the_first_ends() {
        let db = testing::database(Engine::Sqlite).await;
        let serve = async || Db::connect_to_serve(db.url(), &Options::default()).await;
        let (_serving, lock) = serve().await.unwrap();
        assert!(matches!(serve().await, Err(OpenError::InUse { .. })));
        ping(&Db::connect(db.url(), &Options::default()).await.unwrap()).await.unwrap();
        drop(lock);
        serve().await.unwrap();
    }

    #[tokio::test]
    async fn replicas_share_postgres() {
        let db = testing::database(Engine::Postgres).await;
        assert!(db.is_migrated().await.unwrap());
        let _one = Db::connect_to_serve(db.url(), &Options::default()).await.unwrap();
        let _other = Db::connect_to_serve(db.url(), &Options::default()).await.unwrap();
    }

    #[tokio::test]
    async fn an_unknown_database_is_named_and_a_dead_server_is_transient() {
        let unknown = Db::connect("mysql://localhost/x", &Options::default()).await.unwrap_err();
        assert!(unknown.to_string().contains("'mysql'"), "{unknown}");
        assert!(Db::connect("sqlite::memory:", &Options::default()).await.is_err());
        let options = Options { acquire_timeout: Duration::from_millis(200), ..Options::default() };
        let dead = Db::connect("postgres://nobody:secret@127.0.0.1:1/x", &options).await.unwrap_err();
        assert!(StoreError::is_transient(&dead));
        assert!(!dead.to_string().contains("secret"));
    }

    #[tokio::test]
    async fn a_read_outside_a_transaction_cannot_write_to_sqlite() {
        let db = testing::database(Engine::Sqlite).await;
        let sql = Sql::both("UPDATE feed SET position = 7 RETURNING position");
        assert!(db.fetch_all::<(i64,)>(&sql, Vec::new()).await.is_err());
    }

    type Empty =
        (Option<i64>, Option<bool>, Option<String>, Option<Vec<u8>>, Option<crate::Id>, Option<crate::Ts>);

    #[tokio::test]
    async fn every_type_of_argument_comes_back_as_it_went() {
        let (id, at) = (crate::Id(uuid::Uuid::from_u128(5)), crate::Ts(testing::at(3)));
        let sql = Sql {
            pg: "SELECT $1::bigint, $2::boolean, $3::text, $4::bytea, $5::uuid, $6::timestamptz",
            sqlite: "SELECT $1, $2, $3, $4, $5, $6",
        };
        for db in testing::both().await {
            let full =
                vec![7_i64.into(), true.into(), "ü".into(), vec![0_u8, 255].into(), id.into(), at.into()];
            let row: (i64, bool, String, Vec<u8>, crate::Id, crate::Ts) =
                db.fetch_one(&sql, full).await.unwrap();
            assert_eq!(row, (7, true, "ü".to_owned(), vec![0, 255], id, at));
            let empty = vec![
                Param::Int(None),
                Param::Flag(None),
                Param::Text(None),
                Param::Bytes(None),
                Param::Id(None),
                Param::Ts(None),
            ];
            let row: Empty = db.fetch_one(&sql, empty).await.unwrap();
            assert_eq!(row, (None, None, None, None, None, None));
        }
    }

    #[tokio::test]
    async fn character_zero_and_the_dawn_of_time_are_no_failures() {
        let sql = Sql {
            pg: "SELECT $1::text, $2::timestamptz < '2000-01-01T00:00:00Z'::timestamptz",
            sqlite: "SELECT $1, $2 < '2000-01-01T00:00:00.000000Z'",
        };
        for db in testing::both().await {
            let params = vec!["a\0b".into(), jiff::Timestamp::MIN.into()];
            let row: (String, bool) = db.fetch_one(&sql, params).await.unwrap();
            assert_eq!(row, ("a\u{FFFD}b".to_owned(), true));
        }
    }
}
