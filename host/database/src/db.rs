//! The database: connections, transactions, migrations.

use self::connect::SqliteAccess;
use crate::error::{OpenError, StoreError, failed};
use crate::instance::InstanceLock;
use crate::metrics::DatabaseMetrics;
use crate::open_database::OpenDatabase;
use crate::pending::Pending;
use crate::pools::Pools;
use crate::runtime::OpeningRuntime;
use crate::sql::{Engine, statements};
use crate::transaction::{Tx, TxConnection};
use crate::wakeups::{PendingWakeups, Topic, Waiters};
use sqlx::migrate::Migrator;
use sqlx::{ConnectOptions, Connection};
use sqlx_postgres::PgConnectOptions;
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

/// The database, PostgreSQL or SQLite. Cheap to clone; clones wake each other's waiters.
#[derive(Debug, Clone)]
pub struct Db {
    pub(crate) database: Arc<OpenDatabase>,
}

impl Db {
    /// With these connections, on the runtime of the caller.
    pub(crate) fn opened(pools: Pools) -> Self {
        let metrics = DatabaseMetrics::new(pools.engine());
        let runtime = OpeningRuntime::current();
        Self { database: Arc::new(OpenDatabase { pools, runtime, metrics, waiters: Waiters::default() }) }
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

    /// The same database for somebody whose operations are no part of [`Self::register_metrics`] of this one.
    #[must_use]
    pub fn measured_apart(&self) -> Self {
        let OpenDatabase { pools, runtime, metrics: _, waiters } = self.database.as_ref();
        let metrics = DatabaseMetrics::new(pools.engine());
        let (pools, runtime, waiters) = (pools.clone(), runtime.clone(), waiters.clone());
        Self { database: Arc::new(OpenDatabase { pools, runtime, metrics, waiters }) }
    }

    /// Which engine this is; for diagnostics, not for choosing statements.
    pub fn engine(&self) -> Engine {
        self.database.pools.engine()
    }

    /// Brings the schema up to date. Several processes may call it at once; one works, the others wait.
    pub async fn migrate(&self) -> Result<(), OpenError> {
        match &self.database.pools {
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
        if let Pools::Sqlite(sqlite) = &self.database.pools {
            sqlite.file.ensure_there()?;
        }
        if self.is_empty().await? {
            return Ok(false);
        }
        let applied: Vec<(i64, Vec<u8>)> = self.fetch_all(&MIGRATIONS_APPLIED, Vec::new()).await?;
        let known = match self.database.pools {
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
        match &self.database.pools {
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
        match &self.database.pools {
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
        let unopened = TxConnection::Unopened(Arc::clone(&self.database));
        Box::pin(async move { Ok(self.transaction(unopened)) })
    }

    fn transaction(&self, connection: TxConnection) -> Tx {
        let OpenDatabase { metrics, waiters, .. } = self.database.as_ref();
        Tx::new(connection, metrics.clone(), PendingWakeups::new(waiters))
    }

    /// Notified after every commit of this process that left something to do of `topic`.
    pub fn wakeups(&self, topic: Topic) -> &Notify {
        self.database.waiters.of(topic)
    }

    /// Closes every connection; on SQLite the last one folds the write-ahead log into the file.
    pub async fn close(&self) {
        match &self.database.pools {
            Pools::Pg(connections) => connections.close().await,
            Pools::Sqlite(sqlite) => sqlite.close().await,
        }
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
