//! The day of a command: the issue date of a document that names none, and what is compared with issue dates.

use super::Invoice;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// The day of a command in the workspace's time zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IssueDay {
    day: Date,
    today: Date,
}

impl IssueDay {
    /// The day of a command given at the caller's own time `at`, or at `now` when the caller named none. It never lies
    /// after today: the caller's clock may be ahead of the gateway's.
    pub fn of(at: Option<Timestamp>, now: Timestamp, zone: &TimeZone) -> Self {
        let today = zone.to_datetime(now).date();
        let day = at.map_or(today, |at| zone.to_datetime(at).date().min(today));
        Self { day, today }
    }

    /// A command given today.
    pub const fn today(today: Date) -> Self {
        Self { day: today, today }
    }

    /// In the time zone of the workspace; today at the latest.
    pub const fn day(self) -> Date {
        self.day
    }

    /// Whether its year is over.
    pub fn is_of_a_past_year(self) -> bool {
        self.day.year() < self.today.year()
    }
}

/// Something would be given back of a document before the day on which it was issued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the time of the command lies before the issue date of the document, {issued}: give one from that day on"
)]
pub struct BeforeIssue {
    /// The document's issue date.
    pub issued: Date,
}

/// The day on which a document is credited by the gateway's own accord: today, but never before its issue date.
pub fn credit_date(document: &Invoice, today: Date) -> Date {
    document.content.issue_date.map_or(today, |issued| issued.max(today))
}

/// Whether something may be given back of a document on a day: from its issue date on.
pub fn ensure_issued_by(document: &Invoice, day: Date) -> Result<(), BeforeIssue> {
    match document.content.issue_date {
        Some(issued) if day < issued => Err(BeforeIssue { issued }),
        Some(_) | None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn day_of(at: Option<&str>, now: &str) -> IssueDay {
        // Central European Time, without a time zone database.
        let zone = TimeZone::fixed(jiff::tz::offset(1));
        IssueDay::of(at.map(|at| at.parse().unwrap()), now.parse().unwrap(), &zone)
    }

    #[test]
    fn the_day_is_the_one_of_the_callers_time_in_the_time_zone_of_the_workspace() {
        let now = "2027-02-03T09:00:00Z";
        for (at, day) in [
            (None, date(2027, 2, 3)),
            (Some("2026-12-30T22:59:59Z"), date(2026, 12, 30)),
            (Some("2026-12-30T23:30:00Z"), date(2026, 12, 31)),
            (Some("2026-12-31T23:30:00Z"), date(2027, 1, 1)),
        ] {
            assert_eq!(day_of(at, now).day(), day, "{at:?}");
        }
    }

    #[test]
    fn the_day_never_lies_after_today() {
        let day = day_of(Some("2026-12-31T23:02:00Z"), "2026-12-31T22:58:00Z");
        assert_eq!(day, IssueDay::today(date(2026, 12, 31)));
    }

    #[test]
    fn a_year_is_over_when_today_is_in_a_later_one() {
        let now = "2027-01-01T00:10:00Z";
        assert!(day_of(Some("2026-12-31T22:50:00Z"), now).is_of_a_past_year());
        assert!(!day_of(Some("2026-12-31T23:30:00Z"), now).is_of_a_past_year());
        assert!(!day_of(None, now).is_of_a_past_year());
        assert!(!day_of(Some("2026-01-01T00:00:00Z"), "2026-12-31T00:00:00Z").is_of_a_past_year());
    }
}
