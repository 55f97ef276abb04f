//! Transactions of PostgreSQL.

use crate::connections::{Connections, Lent};
use sqlx::{SqlSafeStr, raw_sql};
use sqlx_postgres::PgConnection;

/// READ COMMITTED.
pub(crate) const BEGIN: &str = "BEGIN";
const ROLLBACK: &str = "ROLLBACK";

/// A transaction: rolled back unless committed.
#[derive(Debug)]
pub(crate) struct PgTx {
    /// None once it ended.
    lent: Option<Lent<PgConnection>>,
}

impl PgTx {
    /// Begins with this statement.
    pub(crate) async fn begin(
        connections: &Connections<PgConnection>,
        statement: &'static str,
    ) -> Result<Self, sqlx::Error> {
        let mut tx = Self { lent: Some(connections.lend().await?) };
        match tx.run(statement).await {
            Ok(()) => Ok(tx),
            Err(error) => {
                // Nothing has begun.
                tx.lent = None;
                Err(error)
            }
        }
    }

    /// The connection, for one statement.
    pub(crate) fn lent(&mut self) -> Result<&mut Lent<PgConnection>, sqlx::Error> {
        self.lent.as_mut().ok_or(sqlx::Error::PoolClosed)
    }

    pub(crate) async fn run(&mut self, statement: &'static str) -> Result<(), sqlx::Error> {
        send(self.lent()?, statement).await
    }

    /// Whatever it answers, the transaction is over; after an error nobody knows which way.
    pub(crate) async fn commit(mut self) -> Result<(), sqlx::Error> {
        let committed = self.run("COMMIT").await;
        self.lent = None;
        committed
    }

    pub(crate) async fn rollback(mut self) -> Result<(), sqlx::Error> {
        let rolled_back = self.run(ROLLBACK).await;
        self.lent = None;
        rolled_back
    }
}

impl Drop for PgTx {
    /// Beside whoever went away, because the connection is not free before the server has taken everything back.
    fn drop(&mut self) {
        let Some(lent) = self.lent.take() else { return };
        lent.runtime().spawn(roll_back(lent));
    }
}

async fn send(lent: &mut Lent<PgConnection>, statement: &'static str) -> Result<(), sqlx::Error> {
    let done = raw_sql(statement.into_sql_str()).execute(lent.connection()?).await;
    lent.ended(done.map(drop))
}

/// Not a [`PgTx`], which would begin this again when its runtime ends.
async fn roll_back(mut lent: Lent<PgConnection>) {
    if let Err(error) = send(&mut lent, ROLLBACK).await {
        tracing::debug!("A transaction that nobody ended was not rolled back: {error}");
    }
}
