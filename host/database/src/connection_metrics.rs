//! How many connections this process has to its database, counted when somebody reads.

use crate::connections::ConnectionCount;
use crate::db::Db;
use crate::pools::Pools;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::registry::Registry;
use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StateLabels {
    db_client_connection_state: &'static str,
}

impl Db {
    /// Puts what this process sees of its database where it is read.
    pub fn register_metrics(&self, registry: &mut Registry) {
        self.database.metrics.register(registry);
        registry.register_collector(Box::new(ConnectionCollector(self.clone())));
    }

    fn connections(&self) -> ConnectionCount {
        match &self.database.pools {
            Pools::Pg(connections) => connections.count(),
            Pools::Sqlite(sqlite) => sqlite.read.count(),
        }
    }
}

/// Counts connections when somebody reads.
#[derive(Debug)]
struct ConnectionCollector(Db);

impl Collector for ConnectionCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let ConnectionCount { open, idle, max } = self.0.connections();
        let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let count = Family::<StateLabels, Gauge>::default();
        for (state, connections) in [("used", open.saturating_sub(idle)), ("idle", idle)] {
            count.get_or_create(&StateLabels { db_client_connection_state: state }).set(number(connections));
        }
        let about = "Connections of this process to its database (those that read, on SQLite)";
        let counted =
            encoder.encode_descriptor("db_client_connection_count", about, None, count.metric_type())?;
        count.encode(counted)?;
        let max = ConstGauge::new(number(max));
        let about = "Most connections that this process opens to its database";
        let limit = encoder.encode_descriptor("db_client_connection_max", about, None, max.metric_type())?;
        max.encode(limit)
    }
}

#[cfg(test)]
mod tests {
    use crate::sql::{Param, Sql};
    use crate::testing;
    use prometheus_client::encoding::text;
    use prometheus_client::registry::Registry;

    #[tokio::test]
    async fn what_is_asked_of_the_database_is_measured() {
        for db in testing::both().await {
            let mut registry = Registry::default();
            db.register_metrics(&mut registry);
            let _: (i64,) =
                db.fetch_one(&Sql::both("SELECT CAST(1 AS BIGINT)"), Vec::<Param>::new()).await.unwrap();
            let mut tx = db.begin().await.unwrap();
            tx.execute(&Sql::both("UPDATE feed SET position = position"), Vec::new()).await.unwrap();
            tx.commit().await.unwrap();
            let mut text = String::new();
            text::encode(&mut text, &registry).unwrap();
            for operation in ["read", "begin", "statement", "commit"] {
                let row = format!("db_operation_name=\"{operation}\"}} 1\n");
                assert!(
                    text.lines().any(|line| line.contains("_count{") && format!("{line}\n").ends_with(&row)),
                    "{text}"
                );
            }
            assert!(
                text.contains("db_client_connection_count{db_client_connection_state=\"idle\"}"),
                "{text}"
            );
            assert!(text.contains("db_client_connection_max "), "{text}");
        }
    }
}
