//! Whether the clock of this machine agrees with the provider's, which every answer tells.

use gateway_domain::ports::Clock;
use gateway_outbound::{answered_at, clock_difference_s};
use jiff::Timestamp;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use reqwest::header::HeaderMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Seconds by which the clocks may differ before somebody hears of it. Tax authorities compare the time at which a record was made with
/// their own, and the strictest of them allow a few minutes.
pub const CLOCK_DIFFERENCE_MAX_S: i64 = 60;

/// Watches the clock of this machine. Cheap to clone; clones share what they saw.
#[derive(Debug, Clone)]
pub struct ClockWatch {
    clock: Arc<dyn Clock>,
    difference_s: Gauge,
    differs: Arc<AtomicBool>,
}

impl ClockWatch {
    /// Nothing was compared yet.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, difference_s: Gauge::default(), differs: Arc::default() }
    }

    /// Puts the difference where it is read.
    pub fn register(&self, registry: &mut Registry) {
        registry.register(
            "einvoicing_provider_clock_difference_seconds",
            "By how much the clock of this process is ahead of the provider's, by its last answer; less than none when it is behind",
            self.difference_s.clone(),
        );
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// An answer to a call that began at `sent` is there. Somebody hears of it once when the clocks differ, and once when they agree
    /// again.
    pub(crate) fn answered(&self, sent: Timestamp, headers: &HeaderMap) {
        let Some(date) = answered_at(headers) else { return };
        let difference_s = clock_difference_s(date, sent, self.now());
        self.difference_s.set(difference_s);
        let differs = difference_s.abs() > CLOCK_DIFFERENCE_MAX_S;
        match (self.differs.swap(differs, Ordering::Relaxed), differs) {
            (false, true) => tracing::error!("The clock here {}", differing(difference_s)),
            (true, false) => tracing::info!("The clock here agrees with the provider's again"),
            (true, true) | (false, false) => {}
        }
    }
}

/// How the clock here differs from the provider's, and what to do about it: a clause that follows "the clock".
pub fn differing(difference_s: i64) -> String {
    let way = if difference_s > 0 { "ahead of" } else { "behind" };
    format!(
        "is {} s {way} the provider's, and tax authorities refuse records whose time is minutes off: have this machine's clock \
         set by NTP",
        difference_s.abs()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::DATE;

    #[derive(Debug)]
    struct Standing(Timestamp);

    impl Clock for Standing {
        fn now(&self) -> Timestamp {
            self.0
        }
    }

    #[test]
    fn the_difference_of_the_last_answer_is_kept_and_one_without_a_date_changes_nothing() {
        let now: Timestamp = "2026-11-20T09:05:01Z".parse().unwrap();
        let watch = ClockWatch::new(Arc::new(Standing(now)));
        let mut headers = HeaderMap::new();
        headers.insert(DATE, "Fri, 20 Nov 2026 09:00:00 GMT".parse().unwrap());
        watch.answered(now, &headers);
        assert_eq!(watch.difference_s.get(), 300);
        assert!(watch.differs.load(Ordering::Relaxed));
        watch.answered(now, &HeaderMap::new());
        assert_eq!(watch.difference_s.get(), 300);
        headers.insert(DATE, "Fri, 20 Nov 2026 09:05:30 GMT".parse().unwrap());
        watch.answered(now, &headers);
        assert_eq!(watch.difference_s.get(), -29);
        assert!(!watch.differs.load(Ordering::Relaxed), "half a minute is nothing to hear of");
    }
}
