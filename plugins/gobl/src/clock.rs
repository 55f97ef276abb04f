//! What the clocks of Europe show: WET, CET or EET, and WEST, CEST or EEST from the last Sunday of March to the last Sunday of October.
//!
//! An authority's today is the day of its country whatever offset an instant comes with. All countries with a plugin keep
//! central European time, but for Greece and Portugal.

use std::fmt;

use crate::date::Date;

const SECONDS_OF_HOUR: i64 = 3600;
const SECONDS_OF_DAY: i64 = 24 * SECONDS_OF_HOUR;
/// Both changes are at 01:00 UTC.
const SUMMER_TIME_SHIFT: i64 = SECONDS_OF_HOUR;
/// Days from the first of March of year 0 to the first of January 1970.
const DAYS_TO_1970: i64 = 719_468;

/// A local date and time of day with its offset. Prints as RFC 3339 in whole seconds: `2026-11-20T09:30:00+01:00`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalTime {
    /// The day it is.
    pub day: Date,
    second_of_day: i64,
    hours_ahead: i64,
}

impl LocalTime {
    /// How far the clocks are ahead of UTC: `+01:00`.
    pub fn offset(self) -> String {
        format!("+{:02}:00", self.hours_ahead)
    }
}

impl fmt::Display for LocalTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (minutes, second) = (self.second_of_day / 60, self.second_of_day % 60);
        let (hour, minute) = (minutes / 60, minutes % 60);
        write!(f, "{}T{hour:02}:{minute:02}:{second:02}{}", self.day, self.offset())
    }
}

/// What the clocks show at an instant, RFC 3339 with any offset. None when the text is no instant.
pub fn central_europe(instant: &str) -> Option<LocalTime> {
    local_time(instant, 1)
}

/// What the clocks of central Europe show so many seconds after an instant. None when the text is no instant.
pub fn seconds_after(instant: &str, seconds: u32) -> Option<LocalTime> {
    local_time_at(seconds_since_1970(instant)? + i64::from(seconds), 1)
}

/// What the clocks show an hour ahead of central Europe, in Greece for example. None when the text is no instant.
pub fn eastern_europe(instant: &str) -> Option<LocalTime> {
    local_time(instant, 2)
}

/// What the clocks show an hour behind central Europe, in Portugal for example. None when the text is no instant.
pub fn western_europe(instant: &str) -> Option<LocalTime> {
    local_time(instant, 0)
}

/// `winter` is how many hours the clocks are ahead of UTC in winter.
fn local_time(instant: &str, winter: i64) -> Option<LocalTime> {
    local_time_at(seconds_since_1970(instant)?, winter)
}

/// The same of an instant in seconds since 1970.
fn local_time_at(utc: i64, winter: i64) -> Option<LocalTime> {
    let (year, _, _) = calendar(utc.div_euclid(SECONDS_OF_DAY));
    let summer = last_sunday(year, 3) * SECONDS_OF_DAY + SUMMER_TIME_SHIFT
        ..last_sunday(year, 10) * SECONDS_OF_DAY + SUMMER_TIME_SHIFT;
    let hours_ahead = if summer.contains(&utc) { winter + 1 } else { winter };
    let local = utc + hours_ahead * SECONDS_OF_HOUR;
    let (year, month, day) = calendar(local.div_euclid(SECONDS_OF_DAY));
    let day = format!("{year:04}-{month:02}-{day:02}").parse().ok()?;
    Some(LocalTime { day, second_of_day: local.rem_euclid(SECONDS_OF_DAY), hours_ahead })
}

/// The day it is in central Europe.
pub fn today(instant: &str) -> Option<Date> {
    Some(central_europe(instant)?.day)
}

fn seconds_since_1970(instant: &str) -> Option<i64> {
    let day: Date = instant.get(..10)?.parse().ok()?;
    let mut numbers = instant.get(..10)?.split('-').map(|part| part.parse::<i64>().unwrap_or_default());
    let (year, month) = (numbers.next()?, numbers.next()?);
    let separated = matches!(instant.as_bytes().get(10)?, b'T' | b't' | b' ');
    let second = time_of_day(instant.get(11..19)?, 60)?;
    let offset = after_fraction(instant.get(19..)?)?;
    let ahead = match offset.as_bytes().first()? {
        b'Z' | b'z' if offset.len() == 1 => 0,
        b'+' => time_of_day(&format!("{}:00", offset.get(1..)?), 0)?,
        b'-' => -time_of_day(&format!("{}:00", offset.get(1..)?), 0)?,
        _ => return None,
    };
    let days = days_since_1970(year, month, i64::from(day.day_of_month()));
    separated.then_some(days * SECONDS_OF_DAY + second - ahead)
}

/// Seconds since midnight of `HH:MM:SS`. A leap second is the second after it.
fn time_of_day(text: &str, seconds_max: i64) -> Option<i64> {
    let shaped = text.len() == 8
        && text.bytes().enumerate().all(|(at, byte)| match at {
            2 | 5 => byte == b':',
            _ => byte.is_ascii_digit(),
        });
    let mut parts = text.split(':').map(|part| part.parse::<i64>().unwrap_or_default());
    let (hour, minute, second) = (parts.next()?, parts.next()?, parts.next()?);
    let real = shaped && hour < 24 && minute < 60 && second <= seconds_max;
    real.then_some((hour * 60 + minute) * 60 + second)
}

/// What follows the fraction of a second, if there is one.
fn after_fraction(text: &str) -> Option<&str> {
    let Some(fraction) = text.strip_prefix('.') else { return Some(text) };
    let rest = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
    (rest.len() < fraction.len()).then_some(rest)
}

/// The last Sunday of a month of 31 days. The first of January 1970 was a Thursday.
fn last_sunday(year: i64, month: i64) -> i64 {
    let last = days_since_1970(year, month, 31);
    last - (last + 4).rem_euclid(7)
}

/// Proleptic Gregorian calendar. Years begin in March here, so that the leap day is the last.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month > 2 { year } else { year - 1 };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - DAYS_TO_1970
}

/// Year, month and day of a day since 1970.
fn calendar(days: i64) -> (i64, i64, i64) {
    let days = days + DAYS_TO_1970;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let of_march = (5 * of_year + 2) / 153;
    let month = if of_march < 10 { of_march + 3 } else { of_march - 9 };
    let day = of_year - (153 * of_march + 2) / 5 + 1;
    (era * 400 + year + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(instant: &str) -> Option<String> {
        central_europe(instant).map(|local| local.to_string())
    }

    #[test]
    fn clocks_change_at_one_oclock_utc_on_the_last_sundays_of_march_and_october() {
        let cases = [
            ("2026-03-29T00:59:59Z", "2026-03-29T01:59:59+01:00"),
            ("2026-03-29T01:00:00Z", "2026-03-29T03:00:00+02:00"),
            ("2026-10-25T00:59:59Z", "2026-10-25T02:59:59+02:00"),
            ("2026-10-25T01:00:00Z", "2026-10-25T02:00:00+01:00"),
            ("2024-03-31T00:59:59Z", "2024-03-31T01:59:59+01:00"),
            ("2024-03-31T01:00:00Z", "2024-03-31T03:00:00+02:00"),
            ("2024-10-27T00:59:59Z", "2024-10-27T02:59:59+02:00"),
            ("2024-10-27T01:00:00Z", "2024-10-27T02:00:00+01:00"),
            ("2025-03-30T01:00:00Z", "2025-03-30T03:00:00+02:00"),
            ("2027-10-31T01:00:00Z", "2027-10-31T02:00:00+01:00"),
        ];
        for (instant, local) in cases {
            assert_eq!(printed(instant).as_deref(), Some(local), "{instant}");
        }
    }

    #[test]
    fn an_instant_some_seconds_later_is_told_by_the_clocks_of_that_moment() {
        let later = |instant, seconds| seconds_after(instant, seconds).map(|local| local.to_string());
        assert_eq!(later("2026-03-29T00:59:00Z", 240).as_deref(), Some("2026-03-29T03:03:00+02:00"));
        assert_eq!(later("2026-11-20", 240), None);
    }

    #[test]
    fn a_day_begins_at_midnight_of_the_country() {
        let cases = [
            ("2026-11-20T22:59:59Z", "2026-11-20"),
            ("2026-11-20T23:00:00Z", "2026-11-21"),
            ("2026-07-01T21:59:59Z", "2026-07-01"),
            ("2026-07-01T22:00:00Z", "2026-07-02"),
            ("2026-12-31T23:00:00Z", "2027-01-01"),
            ("2028-02-28T23:30:00Z", "2028-02-29"),
            ("2026-02-28T23:30:00Z", "2026-03-01"),
            ("2026-11-21T05:00:00+14:00", "2026-11-20"),
            ("2026-11-20T14:00:00-11:00", "2026-11-21"),
        ];
        for (instant, day) in cases {
            assert_eq!(today(instant).map(|day| day.to_string()).as_deref(), Some(day), "{instant}");
        }
    }

    #[test]
    fn eastern_europe_is_an_hour_ahead_and_changes_at_the_same_instant() {
        let cases = [
            ("2026-03-29T00:59:59Z", "2026-03-29T02:59:59+02:00"),
            ("2026-03-29T01:00:00Z", "2026-03-29T04:00:00+03:00"),
            ("2026-10-25T01:00:00Z", "2026-10-25T03:00:00+02:00"),
            ("2026-11-20T22:00:00Z", "2026-11-21T00:00:00+02:00"),
            ("2026-07-01T20:59:59Z", "2026-07-01T23:59:59+03:00"),
        ];
        for (instant, local) in cases {
            let printed = eastern_europe(instant).map(|local| local.to_string());
            assert_eq!(printed.as_deref(), Some(local), "{instant}");
        }
        assert_eq!(eastern_europe("2026-11-20"), None);
    }

    #[test]
    fn western_europe_is_an_hour_behind_and_changes_at_the_same_instant() {
        for (instant, local) in [
            ("2026-11-20T09:30:00+01:00", "2026-11-20T08:30:00+00:00"),
            ("2026-12-31T23:30:00Z", "2026-12-31T23:30:00+00:00"),
            ("2026-03-29T00:59:59Z", "2026-03-29T00:59:59+00:00"),
            ("2026-03-29T01:00:00Z", "2026-03-29T02:00:00+01:00"),
            ("2026-07-01T23:00:00Z", "2026-07-02T00:00:00+01:00"),
        ] {
            assert_eq!(western_europe(instant).map(|local| local.to_string()).as_deref(), Some(local));
        }
        assert_eq!(western_europe("today"), None);
    }

    #[test]
    fn an_instant_comes_with_any_offset_and_fraction() {
        let same = [
            "2026-11-20T08:30:00Z",
            "2026-11-20t08:30:00.123456z",
            "2026-11-20 09:30:00+01:00",
            "2026-11-20T03:00:00.9-05:30",
        ];
        for instant in same {
            assert_eq!(printed(instant).as_deref(), Some("2026-11-20T09:30:00+01:00"), "{instant}");
        }
        assert_eq!(printed("2016-12-31T23:59:60Z").as_deref(), Some("2017-01-01T01:00:00+01:00"));
        assert_eq!(central_europe("2026-07-01T00:00:00Z").map(LocalTime::offset).as_deref(), Some("+02:00"));
    }

    #[test]
    fn what_is_no_instant_has_no_day() {
        for text in [
            "",
            "2026-11-20",
            "2026-11-20T09:30:00",
            "2026-11-20T24:00:00Z",
            "2026-02-29T00:00:00Z",
            "2026-11-20T09:30Z",
            "2026-11-20T09:30:00.Z",
            "2026-11-20T09:30:00+1",
            "2026-11-20T09:30:00Zulu",
            "2026-11-20X09:30:00Z",
            "9999-12-31T23:30:00Z",
            "ééééééééééééééééééééé",
        ] {
            assert_eq!(today(text), None, "{text}");
        }
    }

    #[test]
    fn days_are_counted_both_ways_alike() {
        for days in (-719_000..2_900_000).step_by(13) {
            let (year, month, day) = calendar(days);
            assert_eq!(days_since_1970(year, month, day), days);
        }
        assert_eq!((calendar(0), calendar(-1)), ((1970, 1, 1), (1969, 12, 31)));
    }
}
