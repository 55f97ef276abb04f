//! Figures for whoever watches: what was sent since the process started, and what waits.

use crate::Webhooks;
use gateway_domain::StoreError;
use gateway_storage::deliveries;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Tries by what came of them.
#[derive(Debug, Default)]
pub(crate) struct Counters(Mutex<BTreeMap<String, u64>>);

impl Counters {
    pub(super) fn count(&self, outcome: &str) {
        let mut tries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match tries.get_mut(outcome) {
            Some(count) => *count = count.saturating_add(1),
            None => drop(tries.insert(outcome.to_owned(), 1)),
        }
    }
}

/// How webhooks fare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookStats {
    /// Tries of this process by what came of them: `delivered`, or why not, in one word.
    pub tries: BTreeMap<String, u64>,
    /// Deliveries that wait for endpoints that are not disabled.
    pub backlog: i64,
    /// How long the longest waiting one is due, seconds.
    pub oldest_due_s: i64,
}

impl Webhooks {
    /// How webhooks fare, for the metrics.
    pub async fn stats(&self) -> Result<WebhookStats, StoreError> {
        let (backlog, oldest) = deliveries::backlog(self.db()).await?;
        let due = oldest.map_or(0, |at| self.now().duration_since(at).as_secs());
        let mut tries = self.counters().0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        tries.entry("delivered".to_owned()).or_default();
        Ok(WebhookStats { tries, backlog, oldest_due_s: due.max(0) })
    }
}
