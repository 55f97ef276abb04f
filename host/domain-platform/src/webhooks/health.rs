//! How an endpoint fares, and when nothing more is sent to it.

use jiff::{SignedDuration, Timestamp};

/// How long an endpoint may fail before nothing more is sent.
const DISABLED_AFTER: SignedDuration = SignedDuration::from_hours(5 * 24);
/// Failures so far apart are not of one outage: nobody knows what was between them.
const SAME_OUTAGE_WITHIN: SignedDuration = SignedDuration::from_hours(2 * 24);

gateway_domain::words! {
    /// Why nothing is sent to an endpoint.
    Disabled {
        /// Its owner said so.
        Owner = "owner",
        /// An operator said so.
        Operator = "operator",
        /// It failed for days without one success.
        Failing = "failing",
        /// It answered 410: it wants no more.
        Gone = "gone",
    }
}

/// How an endpoint fares.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Health {
    /// Failures since the last success.
    pub failures: u32,
    /// When the present outage began; failures more than two days apart are no one outage. None after a success.
    pub failing_since: Option<Timestamp>,
    /// When it failed last; none after a success.
    pub failed_at: Option<Timestamp>,
}

impl Health {
    /// After a success all is well.
    pub fn succeeded() -> Self {
        Self::default()
    }

    /// After one more failure.
    #[must_use]
    pub fn failed(self, now: Timestamp) -> Self {
        let one_outage = self.failed_at.is_some_and(|last| now.duration_since(last) <= SAME_OUTAGE_WITHIN);
        Self {
            failures: self.failures.saturating_add(1),
            failing_since: self.failing_since.filter(|_| one_outage).or(Some(now)),
            failed_at: Some(now),
        }
    }

    /// Whether nothing more is to be sent, after an answer with this status.
    pub fn ends(self, now: Timestamp, status: Option<u16>) -> Option<Disabled> {
        let days = self.failing_since.is_some_and(|since| now.duration_since(since) >= DISABLED_AFTER);
        if status == Some(410) { Some(Disabled::Gone) } else { days.then_some(Disabled::Failing) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(hours: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_hours(hours)
    }

    #[test]
    fn an_endpoint_is_given_up_after_five_days_without_a_success() {
        let mut health = Health::default();
        for hour in (0..120).step_by(10) {
            health = health.failed(at(hour));
            assert_eq!(health.ends(at(hour), Some(500)), None, "{hour}");
        }
        health = health.failed(at(120));
        assert_eq!((health.failures, health.failing_since), (13, Some(at(0))));
        assert_eq!(health.ends(at(120), None), Some(Disabled::Failing));
        assert_eq!(Health::succeeded().ends(at(500), None), None);
    }

    #[test]
    fn two_failures_with_nothing_between_them_for_days_are_no_long_outage() {
        let health = Health::default().failed(at(0)).failed(at(24 * 30));
        assert_eq!((health.failures, health.failing_since), (2, Some(at(24 * 30))));
        assert_eq!(health.ends(at(24 * 30), Some(500)), None);
    }

    #[test]
    fn gone_ends_at_once() {
        assert_eq!(Health::default().failed(at(0)).ends(at(0), Some(410)), Some(Disabled::Gone));
        assert_eq!(Health::default().failed(at(0)).ends(at(0), Some(404)), None);
    }
}
