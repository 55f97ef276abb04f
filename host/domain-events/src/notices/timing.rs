//! When a digest is sent, and when a workspace is left in peace.

use jiff::civil::Time;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use std::fmt;
use std::str::FromStr;

/// Hours of every day in which nobody of a workspace is written to, by its own time zone; they may reach over midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuietHours {
    /// The first minute.
    from: Time,
    /// The first minute behind them.
    to: Time,
}

/// A text names no quiet hours.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' are no quiet hours: write them as 22:00-07:00")]
pub struct InvalidQuietHours(String);

impl FromStr for QuietHours {
    type Err = InvalidQuietHours;

    fn from_str(text: &str) -> Result<Self, InvalidQuietHours> {
        let time = |text: &str| Time::strptime("%H:%M", text.trim()).ok();
        let hours = text.split_once('-').and_then(|(from, to)| Some((time(from)?, time(to)?)));
        match hours {
            Some((from, to)) if from != to => Ok(Self { from, to }),
            Some(_) | None => Err(InvalidQuietHours(text.to_owned())),
        }
    }
}

impl fmt::Display for QuietHours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.from.strftime("%H:%M"), self.to.strftime("%H:%M"))
    }
}

impl QuietHours {
    /// Whether it is one of them, by the clocks of a time zone.
    pub fn contain(self, now: Timestamp, zone: &TimeZone) -> bool {
        let time = zone.to_datetime(now).time();
        if self.from < self.to {
            self.from <= time && time < self.to
        } else {
            self.from <= time || time < self.to
        }
    }
}

/// The wait after the first failure.
const BACKOFF: SignedDuration = SignedDuration::from_mins(1);
/// The longest wait after a failure.
const BACKOFF_MAX: SignedDuration = SignedDuration::from_hours(1);

/// How recipients were written to so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Mailing {
    /// When a digest last went to them.
    pub sent_at: Option<Timestamp>,
    /// How often it failed since then.
    pub failures: u32,
    /// When it failed last; none after a success.
    pub failed_at: Option<Timestamp>,
}

impl Mailing {
    /// After a digest went out.
    pub const fn sent(now: Timestamp) -> Self {
        Self { sent_at: Some(now), failures: 0, failed_at: None }
    }

    /// After one more failure.
    #[must_use]
    pub const fn failed(self, now: Timestamp) -> Self {
        Self { failures: self.failures.saturating_add(1), failed_at: Some(now), ..self }
    }

    /// Whether the next digest may go out: `every` after the last one, and after a failure when its wait is over, which is
    /// doubled with each. What was noted while a clock was ahead keeps nothing back.
    pub fn is_due(&self, now: Timestamp, every: SignedDuration) -> bool {
        let is_over = |since: Option<Timestamp>, wait: SignedDuration| {
            since.is_none_or(|since| since > now || now.duration_since(since) >= wait)
        };
        is_over(self.sent_at, every) && is_over(self.failed_at, self.backoff())
    }

    fn backoff(&self) -> SignedDuration {
        let doubled = 1_i32.checked_shl(self.failures.saturating_sub(1)).filter(|factor| *factor > 0);
        doubled.and_then(|factor| BACKOFF.checked_mul(factor)).unwrap_or(BACKOFF_MAX).min(BACKOFF_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn quiet(text: &str) -> QuietHours {
        text.parse().unwrap()
    }

    #[test]
    fn quiet_hours_reach_over_midnight_and_end_with_their_last_minute() {
        let night = quiet("22:00-07:00");
        for (now, expected) in [
            ("2026-11-20T21:59:59Z", false),
            ("2026-11-20T22:00:00Z", true),
            ("2026-11-21T00:00:00Z", true),
            ("2026-11-21T06:59:59Z", true),
            ("2026-11-21T07:00:00Z", false),
        ] {
            assert_eq!(night.contain(at(now), &TimeZone::UTC), expected, "{now}");
        }
        let lunch = quiet("12:30-13:30");
        for (now, expected) in
            [("2026-11-20T12:29:00Z", false), ("2026-11-20T13:29:00Z", true), ("2026-11-20T13:30:00Z", false)]
        {
            assert_eq!(lunch.contain(at(now), &TimeZone::UTC), expected, "{now}");
        }
    }

    #[test]
    fn quiet_hours_are_those_of_the_time_zone_in_summer_too() {
        let madrid = TimeZone::get("Europe/Madrid").unwrap();
        let night = quiet("22:00-07:00");
        assert!(!night.contain(at("2026-11-20T20:59:00Z"), &madrid));
        assert!(night.contain(at("2026-11-20T21:00:00Z"), &madrid));
        assert!(night.contain(at("2026-07-20T20:00:00Z"), &madrid));
        assert!(!night.contain(at("2026-07-20T05:00:00Z"), &madrid));
    }

    #[test]
    fn what_names_no_hours_is_refused_and_what_does_is_written_back() {
        for text in ["", "22:00", "22-07", "25:00-07:00", "22:00-22:00", "a-b"] {
            let refused = text.parse::<QuietHours>().unwrap_err().to_string();
            assert!(refused.contains("22:00-07:00"), "{refused}");
        }
        assert_eq!(quiet("22:00 - 07:00").to_string(), "22:00-07:00");
    }

    #[test]
    fn a_digest_follows_another_after_the_interval_and_not_before() {
        let every = SignedDuration::from_mins(15);
        assert!(Mailing::default().is_due(at("2026-11-20T09:00:00Z"), every));
        let mailing = Mailing::sent(at("2026-11-20T09:00:00Z"));
        assert!(!mailing.is_due(at("2026-11-20T09:14:59Z"), every));
        assert!(mailing.is_due(at("2026-11-20T09:15:00Z"), every));
        assert!(mailing.is_due(at("2026-11-20T08:00:00Z"), every), "the clock was ahead");
    }

    #[test]
    fn the_wait_doubles_with_each_failure_up_to_an_hour() {
        let every = SignedDuration::from_mins(0);
        let mut mailing = Mailing::default();
        let failed_at = at("2026-11-20T09:00:00Z");
        for minutes in [1, 2, 4, 8, 16, 32, 60, 60] {
            mailing = mailing.failed(failed_at);
            let wait = SignedDuration::from_mins(minutes);
            let before = failed_at + wait - SignedDuration::from_secs(1);
            assert!(!mailing.is_due(before, every), "{minutes}");
            assert!(mailing.is_due(failed_at + wait, every), "{minutes}");
        }
        let long = Mailing { failures: u32::MAX, ..mailing };
        assert!(long.failed(failed_at).is_due(failed_at + BACKOFF_MAX, every));
    }
}
