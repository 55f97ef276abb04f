//! How a period is cut into what the agency can be asked for.
//!
//! It is asked for one month (`PeriodoImputacion`) at a time, of which the days of issue can be narrowed. The month is that of the
//! operation, which need not be that of issue: invoices of November bill stays of October. So each month from the one before the
//! period on is asked for the days of issue that lie before it, within it and behind it; those within it ten at a time, which keeps
//! answers small.

use einvoice_es::date::Date;

/// One question: records of this month whose invoices were issued within these days.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) year: u16,
    pub(super) month: u8,
    pub(super) from: Date,
    pub(super) until: Date,
}

/// In the order of their months.
pub(super) fn parts(from: Date, until: Date) -> Vec<Part> {
    let mut parts = Vec::new();
    if from > until {
        return parts;
    }
    let last = (until.year(), until.month());
    let mut month = before((from.year(), from.month()));
    while month <= last {
        let (year, number) = month;
        let mut add = |begin: Date, end: Date| {
            let (begin, end) = (begin.max(from), end.min(until));
            if begin <= end && year > 0 {
                parts.push(Part { year, month: number, from: begin, until: end });
            }
        };
        let end = last_day(month);
        add(from, last_day(before(month)));
        for (begin, end) in [(1, 10), (11, 20)] {
            add(Date::new(year, number, begin), Date::new(year, number, end));
        }
        add(Date::new(year, number, 21), end);
        if let Some(next) = end.following_day() {
            add(next, until);
        }
        month = behind(month);
    }
    parts
}

const fn before((year, month): (u16, u8)) -> (u16, u8) {
    if month > 1 { (year, month - 1) } else { (year.saturating_sub(1), 12) }
}

const fn behind((year, month): (u16, u8)) -> (u16, u8) {
    if month < 12 { (year, month + 1) } else { (year.saturating_add(1), 1) }
}

fn last_day((year, month): (u16, u8)) -> Date {
    let day = |day: u8| format!("{year:04}-{month:02}-{day:02}").parse().ok();
    // Before the first year of the calendar there is no day to ask for.
    (28..=31).rev().find_map(day).unwrap_or(Date::new(0, 0, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(from: &str, until: &str) -> Vec<String> {
        let text = |part: Part| format!("{}-{:02} {} {}", part.year, part.month, part.from, part.until);
        parts(from.parse().unwrap(), until.parse().unwrap()).into_iter().map(text).collect()
    }

    #[test]
    fn a_period_is_asked_month_by_month_of_the_operation() {
        assert_eq!(
            texts("2026-10-25", "2026-11-12"),
            [
                "2026-09 2026-10-25 2026-11-12",
                "2026-10 2026-10-25 2026-10-31",
                "2026-10 2026-11-01 2026-11-12",
                "2026-11 2026-10-25 2026-10-31",
                "2026-11 2026-11-01 2026-11-10",
                "2026-11 2026-11-11 2026-11-12",
            ]
        );
        assert_eq!(
            texts("2027-01-01", "2027-01-01"),
            ["2026-12 2027-01-01 2027-01-01", "2027-01 2027-01-01 2027-01-01"]
        );
        assert!(texts("2027-01-02", "2027-01-01").is_empty());
    }

    #[test]
    fn every_day_of_issue_is_asked_for_once_in_each_month() {
        let parts = parts("2024-01-15".parse().unwrap(), "2025-03-02".parse().unwrap());
        let mut months: Vec<_> = parts.iter().map(|part| (part.year, part.month)).collect();
        months.dedup();
        assert_eq!(months.len(), 16);
        for month in months {
            let of_month: Vec<_> = parts.iter().filter(|part| (part.year, part.month) == month).collect();
            assert_eq!(of_month.first().unwrap().from.to_string(), "2024-01-15");
            assert_eq!(of_month.last().unwrap().until.to_string(), "2025-03-02");
            for pair in of_month.windows(2) {
                assert_eq!(pair[0].until.following_day(), Some(pair[1].from), "{month:?}");
            }
        }
    }
}
