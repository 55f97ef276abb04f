//! What integrators write into addresses and bodies: ids, days and instants.

use gateway_domain::calendar::{is_supported, is_supported_instant};
use gateway_http::time;
use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use uuid::Uuid;

pub(crate) const DATE: &str = "use a day as YYYY-MM-DD, such as 2026-12-31";
pub(crate) const DAY: &str = "use a day from 1900 on as YYYY-MM-DD, such as 2026-12-31";
pub(crate) const INSTANT: &str = "use a time as ISO 8601 in its extended form, such as 2026-11-20T09:30:00Z";
pub(crate) const ID: &str = "an id is a UUID, such as 0197f4f2-0000-7000-8000-000000000001";

/// Hyphenated, as the platform writes it.
pub(crate) fn uuid(text: &str) -> Option<Uuid> {
    Uuid::try_parse(text).ok().filter(|_| text.len() == 36)
}

/// A day of the calendar and nothing more: the parser takes times and zones too.
pub(crate) fn day(text: &str) -> Option<Date> {
    let plain = text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    text.parse().ok().filter(|_| plain)
}

/// A day in which something may be asked for. Older systems write "for ever" as a day of the year 9999, which is the
/// last year that is counted with here.
pub(crate) fn bounded_day(text: &str) -> Option<Date> {
    day(&within_years(text)).filter(|day| is_supported(*day))
}

fn within_years(text: &str) -> String {
    text.strip_prefix("9999-").map_or_else(|| text.to_owned(), |rest| format!("9998-{rest}"))
}

/// An instant; a day begins at midnight, a minute at its first second, and without an offset it is UTC. A `+` that was
/// not escaped arrives as a blank.
pub(crate) fn instant(text: &str) -> Option<Timestamp> {
    let text = &with_seconds(within_years(text));
    let utc = |local: DateTime| local.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
    let local = || text.parse().ok().filter(|_| text.len() >= 19 && !text.contains('['));
    time::parse(text)
        .or_else(|| time::parse(&text.replacen(' ', "+", 1)))
        .or_else(|| day(text).and_then(|day| utc(day.at(0, 0, 0, 0))))
        .or_else(|| local().and_then(utc))
        .filter(|at| is_supported_instant(*at))
}

/// `2026-11-20T09:30Z` is `2026-11-20T09:30:00Z`.
fn with_seconds(text: String) -> String {
    let minutes = text.as_bytes().get(13) == Some(&b':') && text.as_bytes().get(16) != Some(&b':');
    match text.split_at_checked(16).filter(|_| minutes) {
        Some((minutes, rest)) => format!("{minutes}:00{rest}"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_is_read_as_integrators_write_it() {
        for (text, expected) in [
            ("2026-11-20T09:30:00Z", "2026-11-20T09:30:00Z"),
            ("2026-11-20T10:30:00+01:00", "2026-11-20T09:30:00Z"),
            ("2026-11-20T10:30:00 01:00", "2026-11-20T09:30:00Z"),
            ("2026-11-20T09:30:00", "2026-11-20T09:30:00Z"),
            ("2026-11-20T09:30:00.25", "2026-11-20T09:30:00.25Z"),
            ("2026-11-20", "2026-11-20T00:00:00Z"),
            ("2026-11-20T09:30Z", "2026-11-20T09:30:00Z"),
            ("2026-11-20T09:30", "2026-11-20T09:30:00Z"),
            ("2026-11-20T10:30+01:00", "2026-11-20T09:30:00Z"),
            ("2026-11-20T10:30 01:00", "2026-11-20T09:30:00Z"),
            ("9999-12-31", "9998-12-31T00:00:00Z"),
            ("9999-12-31T23:59:59Z", "9998-12-31T23:59:59Z"),
        ] {
            assert_eq!(instant(text).map(|at| at.to_string()).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "",
            "yesterday",
            "2026-02-30",
            "20261120",
            "2026-11-20T25:00:00",
            "0000-01-01T00:00:00",
            "2026-11-20T09:3",
            "2026-11-20T09:3é",
            "2026-11-20T9:30é",
            "2026-11-20T09:30:00[Europe/Madrid]",
            "1795132800",
            "2026-11-20T09:30:0é",
        ] {
            assert_eq!(instant(text), None, "{text}");
        }
    }

    #[test]
    fn a_day_for_ever_is_the_last_one_that_is_counted_with() {
        assert_eq!(bounded_day("9999-12-31"), day("9998-12-31"));
        assert_eq!(bounded_day("2026-12-31"), day("2026-12-31"));
        for text in ["9999-02-30", "1899-12-31", "99999-12-31", "9999"] {
            assert_eq!(bounded_day(text), None, "{text}");
        }
    }

    #[test]
    fn only_a_plain_uuid_is_an_id() {
        assert!(uuid("0197F4F2-0000-7000-8000-000000000001").is_some());
        for text in ["", "1", "0197f4f2000070008000000000000001", "{0197f4f2-0000-7000-8000-000000000001}"] {
            assert_eq!(uuid(text), None, "{text}");
        }
    }
}
