//! How long what this process asks of its database takes.

use crate::sql::Engine;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use std::fmt;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// Seconds: a statement on SQLite takes a tenth of a millisecond, one that waits for a lock seconds.
const BUCKETS: [f64; 11] = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1.0, 10.0];
/// After which the log says that the database lets somebody wait.
const SLOW: Duration = Duration::from_secs(5);

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    /// A statement on its own, with the wait for a connection.
    Read,
    /// A connection, or the turn to write, for a transaction.
    Begin,
    /// A statement of a transaction.
    Statement,
    /// That a transaction is durable.
    Commit,
}

impl Operation {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Begin => "begin",
            Self::Statement => "statement",
            Self::Commit => "commit",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OperationLabels {
    db_system_name: &'static str,
    db_operation_name: &'static str,
}

type Durations = Family<OperationLabels, Histogram, fn() -> Histogram>;

/// How long what this process asks of its database takes. Cheap to clone.
#[derive(Clone)]
pub(crate) struct DatabaseMetrics(Arc<Histograms>);

struct Histograms {
    durations: Durations,
    read: Histogram,
    begin: Histogram,
    statement: Histogram,
    commit: Histogram,
}

impl fmt::Debug for DatabaseMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DatabaseMetrics")
    }
}

const fn system(engine: Engine) -> &'static str {
    match engine {
        Engine::Postgres => "postgresql",
        Engine::Sqlite => "sqlite",
    }
}

impl DatabaseMetrics {
    pub(crate) fn new(engine: Engine) -> Self {
        let durations = Durations::new_with_constructor(|| Histogram::new(BUCKETS));
        let of = |operation: Operation| {
            let labels =
                OperationLabels { db_system_name: system(engine), db_operation_name: operation.as_str() };
            Histogram::clone(&durations.get_or_create(&labels))
        };
        let (read, begin) = (of(Operation::Read), of(Operation::Begin));
        let (statement, commit) = (of(Operation::Statement), of(Operation::Commit));
        Self(Arc::new(Histograms { durations, read, begin, statement, commit }))
    }

    pub(crate) fn register(&self, registry: &mut Registry) {
        registry.register(
            "db_client_operation_duration_seconds",
            "How long what is asked of the database takes, the wait for a connection included",
            self.0.durations.clone(),
        );
    }

    fn of(&self, operation: Operation) -> &Histogram {
        match operation {
            Operation::Read => &self.0.read,
            Operation::Begin => &self.0.begin,
            Operation::Statement => &self.0.statement,
            Operation::Commit => &self.0.commit,
        }
    }

    /// Waits for `work`, and says so where it takes long: the request or job that waits is in the line of the log.
    pub(crate) async fn measured<T>(&self, operation: Operation, work: impl Future<Output = T>) -> T {
        let began = Instant::now();
        let mut work = pin!(work);
        let done = if let Ok(done) = timeout(SLOW, work.as_mut()).await {
            done
        } else {
            tracing::warn!(
                "The database has not answered for {} s ({}): see whether its server runs, has connections left, \
                 and what holds locks",
                SLOW.as_secs(),
                operation.as_str()
            );
            work.await
        };
        self.of(operation).observe(began.elapsed().as_secs_f64());
        done
    }
}
