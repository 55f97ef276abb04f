//! Which days and instants are supported: those that every database keeps and every time zone has.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use std::ops::RangeInclusive;

/// The years that dates and instants may be of. The year 9999 is left out: its last day has no next one.
pub const YEARS: RangeInclusive<i16> = 1900..=9998;

/// Whether a day is supported.
pub fn is_supported(day: Date) -> bool {
    YEARS.contains(&day.year())
}

/// Whether an instant is supported, by its day in UTC.
pub fn is_supported_instant(at: Timestamp) -> bool {
    is_supported(at.to_zoned(TimeZone::UTC).date())
}

/// What to send instead of a day that is not supported.
pub fn years_hint() -> String {
    format!("use a year from {} to {}", YEARS.start(), YEARS.end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn days_and_instants_have_the_same_first_and_last() {
        for (day, supported) in [
            (date(1899, 12, 31), false),
            (date(1900, 1, 1), true),
            (date(9998, 12, 31), true),
            (date(9999, 1, 1), false),
            (date(1, 1, 1), false),
        ] {
            assert_eq!(is_supported(day), supported, "{day}");
            let noon = day.at(12, 0, 0, 0).to_zoned(TimeZone::UTC).unwrap().timestamp();
            assert_eq!(is_supported_instant(noon), supported, "{day}");
        }
        assert_eq!(years_hint(), "use a year from 1900 to 9998");
    }
}
