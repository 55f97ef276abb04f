//! The pools of connections to a database, and how a transaction begins on them.

use crate::connections::Connections;
use crate::deferred::{DeferredChanges, send_deferred};
use crate::error::{StoreError, failed};
use crate::postgres::{self, PgTx};
use crate::runtime::OpeningRuntime;
use crate::sql::Engine;
use crate::sqlite::file::DatabaseFile;
use crate::sqlite::{SqliteTx, Writer};
use sqlx_postgres::PgConnection;
use sqlx_sqlite::SqliteConnection;
use std::sync::Arc;

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

/// A transaction that the database knows.
#[derive(Debug)]
pub(crate) enum OpenTx {
    /// READ COMMITTED.
    Pg(PgTx),
    /// Its turn at the one writer.
    Sqlite(SqliteTx),
}

impl Pools {
    pub(crate) const fn engine(&self) -> Engine {
        match self {
            Self::Pg(_) => Engine::Postgres,
            Self::Sqlite(_) => Engine::Sqlite,
        }
    }

    pub(crate) async fn open(&self, runtime: &OpeningRuntime) -> Result<OpenTx, StoreError> {
        Ok(match self {
            Self::Pg(connections) => {
                let connections = connections.clone();
                let begun = runtime.run(async move { PgTx::begin(&connections, postgres::BEGIN).await });
                OpenTx::Pg(begun.await.map_err(failed)?)
            }
            Self::Sqlite(sqlite) => OpenTx::Sqlite(sqlite.write.begin().await?),
        })
    }

    /// Makes changes that are a transaction of their own, where that is one round trip; gives them back where it is not.
    pub(crate) async fn make_alone(
        &self,
        runtime: &OpeningRuntime,
        mut changes: DeferredChanges,
    ) -> Result<Option<DeferredChanges>, StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.write.make_alone(changes).await?,
            Self::Pg(connections) if changes.is_one_statement() => {
                let connections = connections.clone();
                let made = runtime.run(async move {
                    let mut lent = connections.lend().await?;
                    Ok(send_deferred(&mut lent, &mut changes).await)
                });
                made.await.map_err(failed)??;
            }
            Self::Pg(_) => return Ok(Some(changes)),
        }
        Ok(None)
    }
}

impl SqlitePools {
    pub(crate) async fn close(&self) {
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
