//! A database as a whole: copied, checked, and seen as it was at one moment.

use super::Options;
use super::connect::{self, SqliteAccess};
use super::{Db, MIGRATIONS_APPLIED, POSTGRES, SQLITE};
use crate::error::{OpenError, StoreError, failed};
use crate::pools::{OpenTx, Pools};
use crate::postgres::PgTx;
use crate::sql::{Engine, statements};
use crate::sqlite::place;
use crate::transaction::{Tx, TxConnection};
use sqlx_sqlite::SqliteConnectOptions;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

statements! {
    EXPORT_SNAPSHOT = pg "SELECT pg_export_snapshot()", sqlite "SELECT NULL";
    SERVING = pg "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'gateway'",
        sqlite "SELECT 0";
    DAMAGE = pg "SELECT 'ok'", sqlite "SELECT integrity_check FROM pragma_integrity_check";
    DANGLING = pg "SELECT 0::bigint", sqlite "SELECT COUNT(*) FROM pragma_foreign_key_check";
}

/// PostgreSQL ends a transaction that others wait for; who backs up waits for `pg_dump` meanwhile.
const NO_IDLE_TIMEOUT: &str = "SET LOCAL idle_in_transaction_session_timeout = 0";
const SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY";
/// How long the connections of a gateway that has ended may be seen.
const SERVING_TIMEOUT: Duration = Duration::from_secs(2);
const SERVING_POLL_INTERVAL: Duration = Duration::from_millis(50);
/// What SQLite says of a file that holds together.
const SOUND: &str = "ok";

impl Db {
    /// Connects to a SQLite file by its path.
    pub async fn connect_file(file: &Path) -> Result<Self, OpenError> {
        let connect = SqliteConnectOptions::new().filename(file);
        connect::sqlite_file(connect, &Options::default(), SqliteAccess::Shared).await.map(|(db, _)| db)
    }

    /// Which engine an address is of; none when it names something else.
    pub fn engine_of(url: &str) -> Option<Engine> {
        match super::scheme(url) {
            "sqlite" => Some(Engine::Sqlite),
            "postgres" | "postgresql" => Some(Engine::Postgres),
            _ => None,
        }
    }

    /// Whether somebody still uses a SQLite database that stood at `file`, where nothing is now, or an empty file.
    pub fn is_place_used(file: &Path) -> bool {
        place::is_used(file)
    }

    /// Clears what a lost database left beside its place, so that SQLite does not add it to the next one. A log that holds something
    /// is kept under another name, which is answered.
    pub fn set_log_aside(file: &Path) -> io::Result<Option<PathBuf>> {
        place::set_log_aside(file)
    }

    /// Whether a closed SQLite file lacks what only the log beside it holds.
    pub fn has_log(file: &Path) -> bool {
        place::has_log(file)
    }

    /// The number of the newest migration that was applied; none for a database that was never migrated.
    pub async fn schema_version(&self) -> Result<Option<i64>, StoreError> {
        if self.is_empty().await? {
            return Ok(None);
        }
        let applied: Vec<(i64, Vec<u8>)> = self.fetch_all(&MIGRATIONS_APPLIED, Vec::new()).await?;
        Ok(applied.into_iter().map(|(version, _)| version).max())
    }

    /// The number of the newest migration that this program knows.
    pub fn newest_schema_version(engine: Engine) -> i64 {
        let known = match engine {
            Engine::Postgres => &POSTGRES,
            Engine::Sqlite => &SQLITE,
        };
        known.iter().map(|migration| migration.version).max().unwrap_or_default()
    }

    /// A transaction that sees the database as it is now, however long it takes, and changes nothing. On SQLite it holds the
    /// one writer, so begin it only where nobody else writes.
    pub async fn begin_snapshot(&self) -> Result<Tx, StoreError> {
        let open = match &self.database.pools {
            Pools::Sqlite(_) => self.database.pools.open(&self.database.runtime).await?,
            Pools::Pg(connections) => {
                let mut tx = PgTx::begin(connections, SNAPSHOT).await.map_err(failed)?;
                tx.run(NO_IDLE_TIMEOUT).await.map_err(failed)?;
                OpenTx::Pg(tx)
            }
        };
        Ok(self.transaction(TxConnection::Open(open)))
    }

    /// Copies a SQLite database as it is at one moment into a file that is not there yet, while others read and write it;
    /// `false` on PostgreSQL, whose own program does it.
    pub async fn copy_into(&self, file: &Path) -> Result<bool, StoreError> {
        let Pools::Sqlite(sqlite) = &self.database.pools else { return Ok(false) };
        sqlite.file.ensure_there()?;
        let name = file.display().to_string();
        let copied = sqlite
            .write
            .alone(async |connection| sqlx::query("VACUUM INTO $1").bind(name).execute(connection).await);
        copied.await?.map_err(failed)?;
        // A file that something was written over says nothing of itself.
        sqlite.file.ensure_there()?;
        Ok(true)
    }

    /// What a SQLite file says against itself: damaged pages, and rows that refer to nothing. PostgreSQL keeps itself in order.
    pub async fn damage(&self) -> Result<Option<String>, StoreError> {
        let found: Vec<(String,)> = self.fetch_all(&DAMAGE, Vec::new()).await?;
        if let Some((damage,)) = found.into_iter().find(|(line,)| line != SOUND) {
            return Ok(Some(damage));
        }
        let (dangling,): (i64,) = self.fetch_one(&DANGLING, Vec::new()).await?;
        Ok((dangling > 0).then(|| format!("{dangling} rows refer to rows that are not there")))
    }

    /// Whether a gateway is connected to a PostgreSQL database; who serves a SQLite file is known by its lock. Connections of
    /// this program are not counted when [`super::Options::application`] says what they are for.
    pub async fn is_served(&self) -> Result<bool, StoreError> {
        let until_unserved = async {
            loop {
                let (sessions,): (i64,) = self.fetch_one(&SERVING, Vec::new()).await?;
                if sessions == 0 {
                    return Ok(());
                }
                tokio::time::sleep(SERVING_POLL_INTERVAL).await;
            }
        };
        match tokio::time::timeout(SERVING_TIMEOUT, until_unserved).await {
            Ok(ended) => ended.map(|()| false),
            Err(_) => Ok(true),
        }
    }

    /// A number that a SQLite file has of its own, wherever it is moved to; of PostgreSQL, where it is.
    pub async fn identity(&self) -> Result<String, StoreError> {
        let Pools::Sqlite(sqlite) = &self.database.pools else { return Ok(self.location()) };
        let mut lent = sqlite.read.lend().await.map_err(failed)?;
        let connection = lent.connection().map_err(failed)?;
        let read = sqlx::query_as("PRAGMA user_version").fetch_one(connection).await;
        let (mark,): (i64,) = lent.ended(read).map_err(failed)?;
        Ok(format!("sqlite:{mark}"))
    }
}

impl Tx {
    /// The name under which other connections to PostgreSQL see what this transaction sees; none on SQLite.
    pub async fn export_snapshot(&mut self) -> Result<Option<String>, StoreError> {
        let (name,): (Option<String>,) = self.fetch_one(&EXPORT_SNAPSHOT, Vec::new()).await?;
        Ok(name)
    }
}
