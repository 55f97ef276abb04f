//! Figures for whoever watches: what finance could not bring up to date since the process started.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts that only grow.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    feed_failures: AtomicU64,
}

impl Counters {
    pub(crate) fn read(&self, syncs_failed: u64) -> FinanceStats {
        FinanceStats { syncs_failed, feed_failures: self.feed_failures.load(Ordering::Relaxed) }
    }

    pub(crate) fn feed_failed(&self) {
        self.feed_failures.fetch_add(1, Ordering::Relaxed);
    }
}

/// How finance's copies of documents fare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FinanceStats {
    /// Copies that could not be brought up to date by the issue flow.
    pub syncs_failed: u64,
    /// Times the event feed of a remote invoice data service could not be read.
    pub feed_failures: u64,
}
