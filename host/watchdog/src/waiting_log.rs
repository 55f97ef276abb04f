//! What waits long is in the log again and again: an alert is logged once, and two weeks later nobody remembers it.

use crate::REPEAT_ALERT_EVERY;
use gateway_storage::watchdog::LongestWaiting;
use jiff::Timestamp;
use std::sync::{Mutex, PoisonError};

/// When it was last looked for what waits long.
#[derive(Debug, Default)]
pub(crate) struct WaitingLog(Mutex<Option<Timestamp>>);

impl WaitingLog {
    /// Whether to look now: not within an hour of the last time, by a clock that may have been set back since.
    pub(crate) fn is_due(&self, now: Timestamp) -> bool {
        let mut looked_at = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = looked_at.is_none_or(|at| now < at || now.duration_since(at) >= REPEAT_ALERT_EVERY);
        if is_due {
            *looked_at = Some(now);
        }
        is_due
    }
}

pub(crate) fn log(waiting: &LongestWaiting) {
    let LongestWaiting { documents, document, since } = waiting;
    tracing::warn!(
        documents,
        document.id = %document,
        "Documents have waited for their verdict for more than an hour: {documents}, the longest {document}, since {since:.0}; \
         'gateway submission list' says what for"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn it_is_looked_once_an_hour_and_at_once_by_a_clock_that_was_set_back() {
        let log = WaitingLog::default();
        assert!(log.is_due(at("2026-11-20T09:00:00Z")));
        assert!(!log.is_due(at("2026-11-20T09:59:59Z")));
        assert!(log.is_due(at("2026-11-20T10:00:00Z")));
        assert!(log.is_due(at("2026-11-20T09:30:00Z")));
        assert!(!log.is_due(at("2026-11-20T10:29:59Z")));
    }
}
