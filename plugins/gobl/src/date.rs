//! Calendar dates in the two forms that matter: `YYYY-MM-DD` here, `DD-MM-YYYY` at the tax agency.

use std::fmt;
use std::str::FromStr;

/// A day of the calendar, years 1 to 9999. Ordered by time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

/// A text that names no day of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotADate;

impl fmt::Display for NotADate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a date such as 2026-11-20")
    }
}

impl std::error::Error for NotADate {}

impl Date {
    /// A known day, for tables. Not checked against the calendar.
    pub const fn new(year: u16, month: u8, day: u8) -> Self {
        Self { year, month, day }
    }

    /// From 1.
    pub const fn day_of_month(self) -> u8 {
        self.day
    }

    /// As the agency writes it: `20-11-2026`.
    pub fn agency(self) -> String {
        format!("{:02}-{:02}-{:04}", self.day, self.month, self.year)
    }

    /// The same day so many years earlier.
    #[must_use]
    pub const fn years_earlier(self, years: u16) -> Self {
        Self { year: self.year.saturating_sub(years), ..self }
    }
}

impl FromStr for Date {
    type Err = NotADate;

    /// Reads exactly `YYYY-MM-DD`.
    fn from_str(text: &str) -> Result<Self, NotADate> {
        let shape = text.len() == 10
            && text.bytes().enumerate().all(|(at, byte)| match at {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            });
        if !shape {
            return Err(NotADate);
        }
        let mut parts = text.split('-').map(|part| part.parse::<u16>().unwrap_or_default());
        let (Some(year), Some(month), Some(day)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(NotADate);
        };
        let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        let days = match month {
            1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
            4 | 6 | 9 | 11 => 30,
            2 if leap => 29,
            2 => 28,
            _ => 0,
        };
        if year == 0 || day == 0 || day > days {
            return Err(NotADate);
        }
        let (Ok(month), Ok(day)) = (u8::try_from(month), u8::try_from(day)) else { return Err(NotADate) };
        Ok(Self { year, month, day })
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_reads_one_way_and_prints_both() {
        let date: Date = "2024-02-29".parse().unwrap();
        assert_eq!((date.to_string(), date.agency()), ("2024-02-29".to_owned(), "29-02-2024".to_owned()));
    }

    #[test]
    fn days_that_do_not_exist_are_no_dates() {
        for text in [
            "2023-02-29",
            "2026-13-01",
            "2026-00-10",
            "2026-04-31",
            "0000-01-01",
            "2026-1-1",
            "20-11-2026",
            "２026-11-2",
        ] {
            assert_eq!(text.parse::<Date>(), Err(NotADate), "{text}");
        }
    }

    #[test]
    fn dates_are_ordered_by_time() {
        assert!(Date::new(2024, 12, 31) < Date::new(2025, 1, 1));
        assert_eq!(Date::new(2026, 3, 1).years_earlier(20), Date::new(2006, 3, 1));
    }
}
