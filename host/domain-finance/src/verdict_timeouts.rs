//! How long a provider may take with a job that it took, and how often it is asked meanwhile; and how far ahead a due time
//! is believed.

use super::breaker::BREAKER_PAUSE_MAX_S;
use jiff::{SignedDuration, Timestamp};
use std::time::Duration;

/// Longest wait between two looks at a job that is overdue, unless webhooks are waited for longer than that.
const LOOK_EVERY_MAX: SignedDuration = SignedDuration::from_mins(10);

/// Longest wait between two tries of a call, before jitter, whatever the provider asks for (`Retry-After`).
pub const RETRY_WAIT_MAX: SignedDuration = SignedDuration::from_hours(1);
/// A wait is longer by up to a part of it, so that documents that failed together do not return together: a quarter.
const JITTER_PART: i32 = 4;
/// How far the clocks of processes may differ.
const SKEW: SignedDuration = SignedDuration::from_mins(1);

/// What an operator configures of the way to the provider.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How long to wait for the webhook before asking the provider.
    pub poll_after: Duration,
    /// How long the provider may take with a job before somebody should look.
    pub overdue_after: Duration,
    /// How often a call that found nobody is repeated before somebody has to look.
    pub retries_max: u32,
    /// Whether the provider is the built-in stand-in: what it accepts is marked.
    pub sandbox: bool,
}

impl Settings {
    /// How long is waited for a verdict, and how far ahead a step may be due.
    pub fn verdict_timeouts(&self) -> VerdictTimeouts {
        let span = |wait: Duration| SignedDuration::try_from(wait).unwrap_or(SignedDuration::MAX);
        VerdictTimeouts { poll_after: span(self.poll_after), overdue_after: span(self.overdue_after) }
    }
}

/// How long is waited for a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerdictTimeouts {
    /// How long a webhook is waited for before the provider is asked.
    pub poll_after: SignedDuration,
    /// How long the provider may take before somebody should look.
    pub overdue_after: SignedDuration,
}

/// Up to a quarter of a wait, by a random byte, so that documents that failed together do not return together.
pub fn jitter(wait: SignedDuration, random: u8) -> SignedDuration {
    let quarter_ms = i64::try_from((wait / JITTER_PART).as_millis()).unwrap_or(0);
    SignedDuration::from_millis(quarter_ms.saturating_mul(i64::from(random)) / 256)
}

impl VerdictTimeouts {
    /// Whether somebody should look, `waited` after the provider took the job.
    pub fn is_overdue(self, waited: SignedDuration) -> bool {
        waited >= self.overdue_after
    }

    /// How long to wait for the webhook before the provider is asked (again): what is overdue is asked for ever less
    /// often.
    pub fn next_poll(self, waited: SignedDuration) -> SignedDuration {
        let overdue = waited.saturating_sub(self.overdue_after);
        overdue.clamp(self.poll_after, LOOK_EVERY_MAX.max(self.poll_after))
    }

    /// How far ahead the next step of a submission may be due: longer than any wait. What is due later was put off while
    /// the clock was ahead.
    pub fn horizon(self) -> SignedDuration {
        let longest = [LOOK_EVERY_MAX, self.poll_after, SignedDuration::from_secs(BREAKER_PAUSE_MAX_S)]
            .into_iter()
            .fold(RETRY_WAIT_MAX, SignedDuration::max);
        longest.saturating_add(longest / JITTER_PART).saturating_add(SKEW)
    }

    /// Whether a due time is plausible at `now`.
    pub fn is_plausible(self, due: Timestamp, now: Timestamp) -> bool {
        due.duration_since(now) <= self.horizon()
    }

    /// Since when the provider has a job that it took at `taken`, as far as that is believed at `now`: a time ahead was
    /// written by a clock that has stepped back since.
    pub fn running_since(taken: Option<Timestamp>, now: Timestamp) -> Timestamp {
        taken.map_or(now, |taken| taken.min(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn mins(minutes: i64) -> SignedDuration {
        SignedDuration::from_mins(minutes)
    }

    #[test]
    fn a_job_is_overdue_after_its_time_and_asked_for_ever_less_often_from_then_on() {
        let timeouts = VerdictTimeouts { poll_after: mins(1), overdue_after: mins(60) };
        for (waited, overdue, next) in [
            (-1, false, 1),
            (0, false, 1),
            (59, false, 1),
            (60, true, 1),
            (62, true, 2),
            (64, true, 4),
            (68, true, 8),
            (90, true, 10),
            (100_000, true, 10),
        ] {
            assert_eq!(timeouts.is_overdue(mins(waited)), overdue, "{waited}");
            assert_eq!(timeouts.next_poll(mins(waited)), mins(next), "{waited}");
        }
    }

    #[test]
    fn a_due_time_is_believed_as_far_ahead_as_the_longest_wait() {
        let timeouts = VerdictTimeouts { poll_after: mins(1), overdue_after: mins(60) };
        // An hour, a quarter of it, and a minute for clocks that differ.
        assert_eq!(timeouts.horizon(), mins(76));
        let now = Timestamp::UNIX_EPOCH;
        let believed = |due: SignedDuration| timeouts.is_plausible(now.checked_add(due).unwrap(), now);
        assert!(believed(mins(76)) && believed(mins(-100_000)));
        assert!(!believed(mins(77)) && !believed(SignedDuration::from_hours(400 * 24)));
        let rare = VerdictTimeouts { poll_after: mins(24 * 60), ..timeouts };
        assert_eq!(rare.horizon(), mins(30 * 60 + 1), "nobody is asked before the time that was configured");
        for waited in [-1_000_000, 0, 59, 61, 1_000_000] {
            assert!(rare.next_poll(mins(waited)) < rare.horizon());
            assert!(timeouts.next_poll(mins(waited)) < timeouts.horizon());
        }
    }

    #[test]
    fn a_job_that_was_taken_by_a_clock_ahead_was_taken_now() {
        let at = |second| Timestamp::from_second(second).unwrap();
        for (taken, since) in [(None, 50), (Some(20), 20), (Some(50), 50), (Some(1_000_000), 50)] {
            assert_eq!(VerdictTimeouts::running_since(taken.map(at), at(50)), at(since), "{taken:?}");
        }
    }

    #[test]
    fn who_waits_long_for_webhooks_waits_as_long_for_what_is_overdue() {
        let timeouts = VerdictTimeouts { poll_after: mins(90), overdue_after: mins(60) };
        assert_eq!(timeouts.next_poll(mins(0)), mins(90));
        assert_eq!(timeouts.next_poll(mins(9_000)), mins(90));
    }
}
