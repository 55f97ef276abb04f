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

    /// From 1 to 9999.
    pub const fn year(self) -> u16 {
        self.year
    }

    /// From 1 to 12.
    pub const fn month(self) -> u8 {
        self.month
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

    /// The day after. The last day of year 9999 has none.
    #[must_use]
    pub const fn following_day(self) -> Option<Self> {
        let Self { year, month, day } = self;
        match (day < days_of_month(year, month), month, year) {
            (true, ..) => Some(Self { day: day + 1, ..self }),
            (false, 1..=11, _) => Some(Self { year, month: month + 1, day: 1 }),
            (false, _, ..=9998) => Some(Self { year: year + 1, month: 1, day: 1 }),
            (false, ..) => None,
        }
    }

    /// Days since Monday, from 0 to 6.
    pub fn weekday(self) -> u8 {
        let (year, month) = (u32::from(self.year), u32::from(self.month));
        // Years begin in March here, so that the leap day is the last; the first of March of year 0 was a Wednesday.
        let (year, month) = if month > 2 { (year, month - 3) } else { (year.saturating_sub(1), month + 9) };
        let of_year = (153 * month + 2) / 5 + u32::from(self.day) - 1;
        let days = 365 * year + year / 4 - year / 100 + year / 400 + of_year;
        u8::try_from((days + 2) % 7).unwrap_or_default()
    }
}

/// Nought for what is no month.
const fn days_of_month(year: u16, month: u8) -> u8 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 0,
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
        let (Ok(month), Ok(day)) = (u8::try_from(month), u8::try_from(day)) else { return Err(NotADate) };
        if year == 0 || day == 0 || day > days_of_month(year, month) {
            return Err(NotADate);
        }
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

    #[test]
    fn a_day_is_followed_by_the_next_of_the_calendar() {
        let next = |text: &str| {
            let day: Date = text.parse().unwrap();
            day.following_day().map(|day| day.to_string())
        };
        for (day, following) in [
            ("2026-11-20", "2026-11-21"),
            ("2024-02-28", "2024-02-29"),
            ("2100-02-28", "2100-03-01"),
            ("2026-12-31", "2027-01-01"),
        ] {
            assert_eq!(next(day).as_deref(), Some(following));
        }
        assert_eq!(next("9999-12-31"), None);
    }

    #[test]
    fn weekdays_count_from_monday() {
        let weekday = |text: &str| text.parse::<Date>().unwrap().weekday();
        let days = ["2026-11-16", "2026-11-20", "2026-11-22", "2024-02-29", "1970-01-01", "0001-01-01"];
        assert_eq!(days.map(weekday), [0, 4, 6, 3, 3, 0]);
    }
}
