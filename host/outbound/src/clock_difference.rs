//! By how much the clock here differs from that of whoever answered.

use jiff::fmt::rfc2822;
use jiff::{SignedDuration, Timestamp};
use reqwest::header::{DATE, HeaderMap};

/// When an answer was made, by the clock of whoever made it: its `Date` (RFC 9110, 6.6.1), in whole seconds.
pub fn answered_at(headers: &HeaderMap) -> Option<Timestamp> {
    let text = headers.get(DATE)?.to_str().ok()?;
    rfc2822::parse(text).ok().map(|time| time.timestamp())
}

/// How many seconds the clock here is certainly ahead, less than none when it is behind, where a call began at `sent`, ended at
/// `received`, and was answered at `date` by the clock there. What the time of the call and the whole seconds of `date` leave open is
/// no difference.
pub fn clock_difference_s(date: Timestamp, sent: Timestamp, received: Timestamp) -> i64 {
    let ahead = sent.duration_since(date) - SignedDuration::from_secs(1);
    let behind = date.duration_since(received);
    if ahead > SignedDuration::ZERO {
        ahead.as_secs()
    } else if behind > SignedDuration::ZERO {
        -behind.as_secs()
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_795_000_000 + second).unwrap()
    }

    #[test]
    fn the_date_of_an_answer_is_read_and_nonsense_is_none() {
        let read = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(DATE, text.parse().unwrap());
            answered_at(&headers)
        };
        assert_eq!(
            read("Fri, 20 Nov 2026 09:00:30 GMT").map(|at| at.to_string()).as_deref(),
            Some("2026-11-20T09:00:30Z")
        );
        assert_eq!(read("yesterday"), None);
        assert_eq!(answered_at(&HeaderMap::new()), None);
    }

    #[test]
    fn a_clock_that_is_minutes_off_is_told_in_either_direction() {
        assert_eq!(clock_difference_s(at(0), at(301), at(302)), 300);
        assert_eq!(clock_difference_s(at(300), at(0), at(2)), -298);
    }

    #[test]
    fn a_slow_call_and_the_whole_seconds_of_the_date_are_no_difference() {
        assert_eq!(clock_difference_s(at(0), at(-20), at(30)), 0);
        assert_eq!(clock_difference_s(at(0), at(1), at(1)), 0);
        assert_eq!(clock_difference_s(Timestamp::MIN, Timestamp::MAX, Timestamp::MAX).signum(), 1);
    }
}
