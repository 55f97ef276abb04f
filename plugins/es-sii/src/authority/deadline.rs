//! Until when an invoice has to be in the books: four days after its issue, without weekends and national holidays, and in any
//! case before the sixteenth of the month after the operation (article 69 bis of the regulation of VAT).

use einvoice_es::date::Date;

/// Days between issue and record.
const DAYS_MAX: u8 = 4;
/// The last day of the month after the operation.
const LAST_DAY: u8 = 15;
const SATURDAY: u8 = 5;
/// Holidays of the whole country, as month and day; Good Friday besides.
const HOLIDAYS: [(u8, u8); 9] =
    [(1, 1), (1, 6), (5, 1), (8, 15), (10, 12), (11, 1), (12, 6), (12, 8), (12, 25)];

/// Whether an invoice of these days comes too late `today`.
pub(super) fn is_over(issued: Date, operation: Date, today: Date) -> bool {
    let (year, month) = match operation.month() {
        12 => (operation.year() + 1, 1),
        month => (operation.year(), month + 1),
    };
    let after_issue = working_days_after(issued, DAYS_MAX);
    after_issue.is_some_and(|last| today > last) || today > Date::new(year, month, LAST_DAY)
}

/// None at the end of the calendar.
fn working_days_after(day: Date, days: u8) -> Option<Date> {
    let (mut day, mut left) = (day, days);
    while left > 0 {
        day = day.following_day()?;
        left -= u8::from(is_working_day(day));
    }
    Some(day)
}

fn is_working_day(day: Date) -> bool {
    let of_year = (day.month(), day.day_of_month());
    day.weekday() < SATURDAY && !HOLIDAYS.contains(&of_year) && good_friday(day.year()) != of_year
}

/// Two days before Easter, as month and day, by Gauss and Lichtenberg: `full_moon` and `sunday` are days of March.
fn good_friday(year: u16) -> (u8, u8) {
    let year = i32::from(year);
    let century = year / 100;
    let moon = 15 + (3 * century + 3) / 4 - (8 * century + 13) / 25;
    let sun = 2 - (3 * century + 3) / 4;
    let golden = year % 19;
    let seed = (19 * golden + moon) % 30;
    let shift = seed / 29 + (seed / 28 - seed / 29) * (golden / 11);
    let full_moon = 21 + seed - shift;
    let first_sunday = 7 - (year + year / 4 + sun).rem_euclid(7);
    let sunday = full_moon + 7 - (full_moon - first_sunday).rem_euclid(7);
    let friday = sunday - 2;
    let (month, day) = if friday > 31 { (4, friday - 31) } else { (3, friday) };
    (month, u8::try_from(day).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Date {
        text.parse().unwrap()
    }

    #[test]
    fn weekends_and_holidays_give_time() {
        for (issued, last) in [
            ("2026-11-16", "2026-11-20"),
            ("2026-11-20", "2026-11-26"),
            ("2026-12-03", "2026-12-10"),
            ("2027-03-24", "2027-03-31"),
            ("2026-12-31", "2027-01-08"),
        ] {
            let (issued, last) = (day(issued), day(last));
            assert!(!is_over(issued, issued, last), "{issued}");
            assert!(is_over(issued, issued, last.following_day().unwrap()), "{issued}");
        }
    }

    #[test]
    fn the_books_of_a_month_close_in_the_middle_of_the_next() {
        let (issued, operation) = (day("2026-11-13"), day("2026-10-30"));
        assert!(!is_over(issued, operation, day("2026-11-15")));
        assert!(is_over(issued, operation, day("2026-11-16")));
        assert!(is_over(day("2027-01-15"), day("2026-12-31"), day("2027-01-16")));
    }

    #[test]
    fn good_friday_is_two_days_before_easter() {
        let days = [2018, 2024, 2026, 2027, 2038].map(good_friday);
        assert_eq!(days, [(3, 30), (3, 29), (4, 3), (3, 26), (4, 23)]);
    }
}
