//! Fresh, migrated databases for tests, on both engines; gone when dropped.

use crate::db::{Db, Options};
use crate::pools::Pools;
use crate::sql::Engine;
use crate::sql::Sql;
use gateway_domain::ports::{Clock, Ids};
use jiff::{SignedDuration, Timestamp};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};
use sqlx_postgres::{PgConnectOptions, PgConnection};
use std::ops::Deref;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::Duration;
use tempfile::TempDir;
use uuid::Uuid;

/// Locks the making of the template among test processes.
const TEMPLATE_LOCK: i64 = 0x6761_7465;
/// How long the end of a test waits for its database to be gone.
const DROP_TIMEOUT: Duration = Duration::from_secs(2);
/// Distinguishes the databases of one process.
static DATABASES: AtomicU32 = AtomicU32::new(0);

/// The system's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct PresentTime;

impl Clock for PresentTime {
    #[expect(clippy::disallowed_methods, reason = "some tests are about the system's time")]
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// A clock that stands still until a test moves it; from the beginning of [`at`] on, unless it is told otherwise.
#[derive(Debug)]
pub struct TestClock(Mutex<Timestamp>);

impl TestClock {
    /// One that stands at an instant.
    pub const fn at(now: Timestamp) -> Self {
        Self(Mutex::new(now))
    }

    /// Lets time pass; back, where it is negative. At the end of time it stays there.
    pub fn advance(&self, by: SignedDuration) {
        let mut now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *now = now.saturating_add(by).unwrap_or(*now);
    }

    /// Stands at another instant from now on.
    pub fn set(&self, now: Timestamp) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }
}

impl Default for TestClock {
    fn default() -> Self {
        Self::at(at(0))
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Time-ordered identifiers from the system's randomness.
#[derive(Debug, Clone, Copy, Default)]
pub struct RandomIds;

impl Ids for RandomIds {
    #[expect(clippy::disallowed_methods, reason = "identifiers of tests need not be the same in every run")]
    fn next(&self) -> Uuid {
        Uuid::now_v7()
    }
}

/// Second `s` of the time in which tests happen, from 2026-11-20T08:00:00Z.
pub fn at(s: i64) -> Timestamp {
    let start = Timestamp::constant(1_795_161_600, 0);
    start.checked_add(SignedDuration::from_secs(s)).unwrap_or(start)
}

/// A database of its own for one test.
#[derive(Debug)]
pub struct TestDb {
    db: Db,
    url: String,
    trash: Trash,
}

#[derive(Debug)]
enum Trash {
    Directory { _directory: TempDir },
    Database { admin: Box<PgConnectOptions>, name: String },
}

impl Deref for TestDb {
    type Target = Db;

    fn deref(&self) -> &Db {
        &self.db
    }
}

impl TestDb {
    /// The same as `Deref` gives, where a reference has to be named.
    pub const fn db(&self) -> &Db {
        &self.db
    }

    /// The address to give to a process of its own.
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for TestDb {
    fn drop(&mut self) {
        let Trash::Database { admin, name } = &self.trash else { return };
        let (admin, name) = (admin.clone(), name.clone());
        let (done, heard) = mpsc::channel();
        // A test's runtime may be gone or busy, so the clean-up brings its own.
        std::thread::spawn(move || {
            // Nobody listens any more when it took too long.
            let _late = done.send(drop_database(&admin, &name));
        });
        // PostgreSQL waits for everybody who is logging in at this moment. That may be a task of this very thread, which
        // goes on only when this does.
        match heard.recv_timeout(DROP_TIMEOUT) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => eprintln!("a test database was left behind: {error}"),
            Err(_) => eprintln!("a test database is dropped later, if the test runs for so long"),
        }
    }
}

fn drop_database(admin: &PgConnectOptions, name: &str) -> Result<(), sqlx::Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut connection = admin.connect().await?;
        run(&mut connection, format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await?;
        connection.close().await
    })
}

/// Returns as soon as somebody waits for what a transaction holds: a row of PostgreSQL, the one writer of a file.
///
/// # Panics
/// When the database does not say it.
pub async fn until_somebody_waits(db: &Db) {
    let waiting = Sql::both(
        "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    loop {
        let waits = match &db.database.pools {
            Pools::Sqlite(sqlite) => sqlite.write.has_waiters(),
            Pools::Pg(_) => {
                let (count,): (i64,) =
                    db.fetch_one(&waiting, Vec::new()).await.unwrap_or_else(|error| fail(&error));
                count > 0
            }
        };
        if waits {
            return;
        }
        tokio::task::yield_now().await;
    }
}

/// The connections of one engine, to prepare statements on.
#[derive(Debug)]
pub enum Driver {
    /// Of a PostgreSQL server.
    Pg(sqlx_postgres::PgPool),
    /// That read a SQLite file.
    Sqlite(sqlx_sqlite::SqlitePool),
}

/// Connections as those of `db`, apart from them.
pub fn driver(db: &Db) -> Driver {
    match &db.database.pools {
        Pools::Pg(connections) => {
            Driver::Pg(sqlx_postgres::PgPool::connect_lazy_with(connections.options().clone()))
        }
        Pools::Sqlite(sqlite) => {
            Driver::Sqlite(sqlx_sqlite::SqlitePool::connect_lazy_with(sqlite.read.options().clone()))
        }
    }
}

/// One database of each engine, to run the same test on both.
pub async fn both() -> [TestDb; 2] {
    [database(Engine::Sqlite).await, database(Engine::Postgres).await]
}

/// A fresh, migrated database.
///
/// # Panics
/// When it cannot be made: a test without its database has nothing to say.
pub async fn database(engine: Engine) -> TestDb {
    match engine {
        Engine::Sqlite => {
            let made = sqlite().await;
            made.migrate().await.unwrap_or_else(|error| fail(&error));
            made
        }
        Engine::Postgres => postgres(true).await.unwrap_or_else(|error| fail(&error)),
    }
}

/// A fresh database without any table.
///
/// # Panics
/// When it cannot be made.
pub async fn empty(engine: Engine) -> TestDb {
    match engine {
        Engine::Sqlite => sqlite().await,
        Engine::Postgres => postgres(false).await.unwrap_or_else(|error| fail(&error)),
    }
}

async fn sqlite() -> TestDb {
    let directory = tempfile::tempdir().unwrap_or_else(|error| fail(&error));
    let url = format!("sqlite:{}", directory.path().join("gateway.db").display());
    let db = Db::connect(&url, &Options::default()).await.unwrap_or_else(|error| fail(&error));
    TestDb { db, url, trash: Trash::Directory { _directory: directory } }
}

async fn postgres(migrated: bool) -> Result<TestDb, sqlx::Error> {
    let server = tokio::task::spawn_blocking(gateway_test_postgres::admin_url).await;
    let server = server.unwrap_or_else(|error| fail(&error)).unwrap_or_else(|error| fail(&error));
    let admin: PgConnectOptions = server.parse()?;
    let admin = admin.disable_statement_logging();
    let mut connection = admin.connect().await?;
    let template = if migrated { template(&mut connection, &server).await? } else { "template0".to_owned() };
    let name = format!("gateway_test_{}_{}", std::process::id(), DATABASES.fetch_add(1, Ordering::Relaxed));
    run(&mut connection, format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await?;
    run(&mut connection, format!("CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")).await?;
    connection.close().await?;
    let url = database_url(&server, &name);
    let options = Options { connections_max: 12, ..Options::default() };
    let db = Db::connect(&url, &options).await.unwrap_or_else(|error| fail(&error));
    Ok(TestDb { db, url, trash: Trash::Database { admin: Box::new(admin), name } })
}

/// The migrated database that the others are copied from; made by whoever comes first with these migrations.
async fn template(connection: &mut PgConnection, server: &str) -> Result<String, sqlx::Error> {
    let name = format!("gateway_template_{}", crate::db::migrations_digest());
    sqlx::query("SELECT pg_advisory_lock($1)").bind(TEMPLATE_LOCK).execute(&mut *connection).await?;
    let (existing,): (i64,) = sqlx::query_as("SELECT COUNT(*) FROM pg_database WHERE datname = $1")
        .bind(&name)
        .fetch_one(&mut *connection)
        .await?;
    if existing == 0 {
        let raw = format!("{name}_raw");
        run(connection, format!("DROP DATABASE IF EXISTS {raw} WITH (FORCE)")).await?;
        run(connection, format!("CREATE DATABASE {raw} TEMPLATE template0")).await?;
        let db = Db::connect(&database_url(server, &raw), &Options::default()).await;
        let db = db.unwrap_or_else(|error| fail(&error));
        db.migrate().await.unwrap_or_else(|error| fail(&error));
        db.close().await;
        run(connection, format!("ALTER DATABASE {raw} RENAME TO {name}")).await?;
    }
    sqlx::query("SELECT pg_advisory_unlock($1)").bind(TEMPLATE_LOCK).execute(&mut *connection).await?;
    Ok(name)
}

/// Runs a statement that takes no arguments. Its only variable part is a database name made here.
async fn run(connection: &mut PgConnection, sql: String) -> Result<(), sqlx::Error> {
    sqlx::query(AssertSqlSafe(sql)).execute(connection).await.map(drop)
}

/// `server` with another database; what follows a question mark stays.
fn database_url(server: &str, name: &str) -> String {
    let (address, query) =
        server.split_once('?').map_or((server, None), |(address, query)| (address, Some(query)));
    let address = address.rsplit_once('/').map_or(address, |(host, _)| host);
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    format!("{address}/{name}{query}")
}

/// Ends a test that has no database.
///
/// # Panics
/// Always, with the error and its causes.
#[expect(clippy::panic, reason = "a test without its database has nothing to say")]
pub fn fail(error: &(impl std::error::Error + ?Sized)) -> ! {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    panic!("no test database: {text}")
}
