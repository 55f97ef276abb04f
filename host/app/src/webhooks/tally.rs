//! Figures for whoever watches: what was sent since the process started, and what waits.

use crate::Gateway;
use gateway_storage::{StoreError, deliveries};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Tries by what came of them.
#[derive(Debug, Default)]
pub(crate) struct Tally(Mutex<BTreeMap<String, u64>>);

impl Tally {
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
pub struct WebhookFigures {
    /// Tries of this process by what came of them: `delivered`, or why not, in one word.
    pub tries: BTreeMap<String, u64>,
    /// Deliveries that wait for endpoints that are not disabled.
    pub backlog: i64,
    /// How long the longest waiting one is due, seconds.
    pub oldest_due_s: i64,
}

impl Gateway {
    /// How webhooks fare, for the metrics.
    pub async fn webhook_figures(&self) -> Result<WebhookFigures, StoreError> {
        let (backlog, oldest) = deliveries::backlog(self.db()).await?;
        let due = oldest.map_or(0, |at| self.now().duration_since(at).as_secs());
        let mut tries = self.0.told.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        tries.entry("delivered".to_owned()).or_default();
        Ok(WebhookFigures { tries, backlog, oldest_due_s: due.max(0) })
    }
}
