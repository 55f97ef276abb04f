//! Transactions: they begin with their first statement, and changes that nobody waits for go with the last.

use crate::deferred::{DeferredChanges, send_deferred};
use crate::error::{StoreError, failed};
use crate::failpoint;
use crate::metrics::{DatabaseMetrics, Operation};
use crate::open_database::OpenDatabase;
use crate::pending::Pending;
use crate::pools::OpenTx;
use crate::sql::Engine;
use crate::wakeups::{PendingWakeups, Topic};
use std::any::Any;
use std::sync::Arc;

/// Where the statements of a transaction run. It begins with the first of them.
#[derive(Debug)]
pub(crate) enum TxConnection {
    Unopened(Arc<OpenDatabase>),
    Open(OpenTx),
}

impl TxConnection {
    /// The open transaction.
    pub(crate) async fn opened(&mut self, metrics: &DatabaseMetrics) -> Result<&mut OpenTx, StoreError> {
        if let Self::Unopened(database) = self {
            let open = database.pools.open(&database.runtime);
            let open = metrics.measured(Operation::Begin, open).await?;
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
        if let Self::Unopened(database) = &self {
            if deferred.is_empty() {
                return Ok(());
            }
            match database.pools.make_alone(&database.runtime, deferred).await? {
                Some(left) => deferred = left,
                None => return Ok(()),
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
    pub(crate) wakeups: PendingWakeups,
    memo: Vec<Box<dyn Any + Send + Sync>>,
}

impl std::fmt::Debug for Tx {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tx({:?})", self.engine())
    }
}

impl Tx {
    pub(crate) fn new(connection: TxConnection, metrics: DatabaseMetrics, wakeups: PendingWakeups) -> Self {
        Self { connection, metrics, deferred: DeferredChanges::default(), wakeups, memo: Vec::new() }
    }

    /// Which engine it is of.
    pub fn engine(&self) -> Engine {
        match &self.connection {
            TxConnection::Unopened(database) => database.pools.engine(),
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
