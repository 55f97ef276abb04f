//! Figures for whoever watches: what went wrong since the process started, and who is how far behind.

use super::Consumers;
use gateway_domain::StoreError;
use gateway_storage::events;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts that only grow.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    unreadable: AtomicU64,
    bus_failures: AtomicU64,
}

impl Counters {
    pub(crate) fn unreadable(&self) {
        self.unreadable.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn bus_failed(&self) {
        self.bus_failures.fetch_add(1, Ordering::Relaxed);
    }
}

/// How events fare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventStats {
    /// Events that a consumer passed over because it could not read them.
    pub unreadable: u64,
    /// Times the bus did not take events.
    pub bus_failures: u64,
    /// Committed events without a place in the feed.
    pub not_relayed: i64,
    /// How many events each consumer has before it.
    pub lags: Vec<(&'static str, i64)>,
}

impl Consumers {
    /// How events fare, for the metrics.
    pub async fn stats(&self) -> Result<EventStats, StoreError> {
        let log = self.events();
        let mut lags = Vec::new();
        for consumer in self.all() {
            let name = consumer.name();
            // Read first: a consumer never gets further than the head that is read after it.
            let position = events::consumed(log.db(), name).await?;
            lags.push((name, events::head(log.db()).await?.saturating_sub(position)));
        }
        let Counters { unreadable, bus_failures } = log.counters();
        Ok(EventStats {
            unreadable: unreadable.load(Ordering::Relaxed),
            bus_failures: bus_failures.load(Ordering::Relaxed),
            not_relayed: events::not_relayed(log.db()).await?,
            lags,
        })
    }
}
