//! Figures for whoever watches: what went wrong since the process started, and who is how far behind.

use super::Consumer;
use crate::Gateway;
use gateway_storage::{StoreError, events};
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts that only grow.
#[derive(Debug, Default)]
pub struct Tally {
    syncs_failed: AtomicU64,
    unreadable: AtomicU64,
    bus_failures: AtomicU64,
    feed_failures: AtomicU64,
}

impl Tally {
    pub(crate) fn sync_failed(&self) {
        self.syncs_failed.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn unreadable(&self) {
        self.unreadable.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn feed_failed(&self) {
        self.feed_failures.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn bus_failed(&self) {
        self.bus_failures.fetch_add(1, Ordering::Relaxed);
    }
}

/// How events fare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figures {
    /// Copies of finance that could not be brought up to date by the issue flow.
    pub syncs_failed: u64,
    /// Events that a consumer passed over because it could not read them.
    pub unreadable: u64,
    /// Times the bus did not take events.
    pub bus_failures: u64,
    /// Times the event feed of an invoice data service elsewhere could not be read.
    pub feed_failures: u64,
    /// Committed events without a place in the feed.
    pub not_relayed: i64,
    /// How many events each consumer has before it.
    pub lags: Vec<(&'static str, i64)>,
}

impl Gateway {
    pub(crate) fn tally(&self) -> &Tally {
        &self.0.tally
    }

    /// How events fare, for the metrics.
    pub async fn event_figures(&self) -> Result<Figures, StoreError> {
        let mut lags = Vec::new();
        for consumer in Consumer::ALL {
            let name = consumer.name();
            // Read first: a consumer never gets further than the head that is read after it.
            let position = events::consumed(self.db(), name).await?;
            lags.push((name, events::head(self.db()).await?.saturating_sub(position)));
        }
        let Tally { syncs_failed, unreadable, bus_failures, feed_failures } = self.tally();
        Ok(Figures {
            syncs_failed: syncs_failed.load(Ordering::Relaxed),
            unreadable: unreadable.load(Ordering::Relaxed),
            bus_failures: bus_failures.load(Ordering::Relaxed),
            feed_failures: feed_failures.load(Ordering::Relaxed),
            not_relayed: events::not_relayed(self.db()).await?,
            lags,
        })
    }
}
