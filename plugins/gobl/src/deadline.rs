//! The legal clock of a country: its working days, and marks that late filings carry.

use einvoice_plugin::{Document, Fault, Faults, Outage};
use serde_json::{Map, Value};

use crate::clock::LocalTime;
use crate::codes::{MARK, full_code};
use crate::date::Date;

/// Days since Monday of a Saturday.
const SATURDAY: u8 = 5;

/// The national holidays of a country. Beyond `years` only weekends count, and [`Calendar::note`] says so.
#[derive(Debug, Clone, Copy)]
pub struct Calendar {
    /// Where they are laid down, for people.
    pub source: &'static str,
    /// First and last year for which they are known.
    pub years: (u16, u16),
    /// Those of the same day in every year, as month and day.
    pub fixed: &'static [(u8, u8)],
    /// The others, as days after Easter Sunday: Good Friday is -2. From -21 to 75.
    pub after_easter: &'static [i32],
}

impl Calendar {
    /// Whether a day is neither Saturday nor Sunday nor a national holiday.
    pub fn is_working_day(&self, day: Date) -> bool {
        day.weekday() < SATURDAY && !self.is_holiday(day)
    }

    fn is_holiday(&self, day: Date) -> bool {
        let (first, last) = self.years;
        let easter = easter(day.year());
        (first..=last).contains(&day.year())
            && (self.fixed.contains(&(day.month(), day.day_of_month()))
                || self.after_easter.iter().any(|days| of_march(day.year(), easter + days) == day))
    }

    /// The day that is so many working days after another. None past the year 9999.
    pub fn working_days_after(&self, day: Date, days: u8) -> Option<Date> {
        let (mut day, mut left) = (day, days);
        while left > 0 {
            day = day.following_day()?;
            if self.is_working_day(day) {
                left -= 1;
            }
        }
        Some(day)
    }

    /// What people are told of a limit that lies beyond the list.
    pub fn note(&self, limit: Date) -> Option<String> {
        let (first, last) = self.years;
        (!(first..=last).contains(&limit.year())).then(|| {
            format!(
                "National holidays are known here for {first} to {last} ({}): of {} only weekends are counted.",
                self.source,
                limit.year()
            )
        })
    }
}

/// Easter Sunday as a day of March, counted on into April: by Gauss and Lichtenberg.
fn easter(year: u16) -> i32 {
    let year = i32::from(year);
    let century = year / 100;
    let moon = 15 + (3 * century + 3) / 4 - (8 * century + 13) / 25;
    let sun = 2 - (3 * century + 3) / 4;
    let golden = year % 19;
    let seed = (19 * golden + moon) % 30;
    let shift = seed / 29 + (seed / 28 - seed / 29) * (golden / 11);
    let full_moon = 21 + seed - shift;
    let first_sunday = 7 - (year + year / 4 + sun).rem_euclid(7);
    full_moon + 7 - (full_moon - first_sunday).rem_euclid(7)
}

/// The day of March, counted on into the months after it.
fn of_march(year: u16, day: i32) -> Date {
    let (month, day) = match day {
        ..=31 => (3, day),
        32..=61 => (4, day - 31),
        62..=92 => (5, day - 61),
        _ => (6, day - 92),
    };
    Date::new(year, month, u8::try_from(day).unwrap_or_default())
}

/// Whether something stood in the way of a filing since the document was issued.
pub fn was_held_up(outages: &[Outage]) -> bool {
    !outages.is_empty()
}

/// When the last outage ended, as `read` reads instants; none while one lasts, or when there was none.
pub fn end_of_outages(outages: &[Outage], read: impl Fn(&str) -> Option<LocalTime>) -> Option<LocalTime> {
    if outages.iter().any(|outage| outage.until.is_none()) {
        return None;
    }
    let ends = outages.iter().filter_map(|outage| outage.until.as_deref()).filter_map(read);
    ends.max_by_key(|end| (end.day, end.to_string()))
}

/// The document with a member in its `meta`, where the provider of the country looks for the mark. `prefix` goes before the code
/// of the fault of what is no such document.
///
/// # Errors
/// The document cannot be read.
pub fn with_meta(document: Document, prefix: &str, key: &str, value: &str) -> Result<Document, Faults> {
    let unreadable = |why: &str| {
        let message = format!("The document takes no mark ({why}); mark what the plugin made.");
        vec![Fault::error(full_code(prefix, MARK), "", message)]
    };
    let mut body: Value =
        serde_json::from_str(&document.body).map_err(|error| unreadable(&error.to_string()))?;
    let invoice = if body.get("doc").is_some() { body.get_mut("doc") } else { Some(&mut body) };
    let members = invoice.and_then(Value::as_object_mut).ok_or_else(|| unreadable("it is no object"))?;
    let meta = members.entry("meta").or_insert_with(|| Value::Object(Map::new()));
    let meta = meta.as_object_mut().ok_or_else(|| unreadable("its meta is no object"))?;
    meta.insert(key.to_owned(), Value::String(value.to_owned()));
    let body = serde_json::to_string(&body).map_err(|error| unreadable(&error.to_string()))?;
    Ok(Document { body, ..document })
}

/// The fault of a mark that the plugin does not name.
pub fn unknown_mark(prefix: &str, mark: &str) -> Faults {
    let message = format!(
        "There is no mark '{mark}' in this system; take one that the deadline of the document names."
    );
    vec![Fault::error(full_code(prefix, MARK), "", message)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use einvoice_plugin::Amount;

    const CALENDAR: Calendar = Calendar {
        source: "a law",
        years: (2026, 2026),
        fixed: &[(12, 8), (12, 25)],
        after_easter: &[-2, 1, 60],
    };

    fn day(text: &str) -> Date {
        text.parse().unwrap()
    }

    #[test]
    fn weekends_and_holidays_are_not_counted() {
        for (issued, days, limit) in [
            ("2026-11-20", 1, "2026-11-23"),
            ("2026-11-20", 4, "2026-11-26"),
            // A Tuesday that is a holiday.
            ("2026-12-07", 1, "2026-12-09"),
            ("2026-12-24", 1, "2026-12-28"),
            // Good Friday and Easter Monday, and Corpus Christi.
            ("2026-04-02", 1, "2026-04-07"),
            ("2026-06-03", 1, "2026-06-05"),
            // Beyond the years that are known.
            ("2027-12-24", 1, "2027-12-27"),
            ("2028-12-22", 1, "2028-12-25"),
            ("2026-11-20", 0, "2026-11-20"),
        ] {
            assert_eq!(CALENDAR.working_days_after(day(issued), days), Some(day(limit)), "{issued} {days}");
        }
    }

    #[test]
    fn easter_is_found_in_every_year() {
        let days = [2018, 2024, 2026, 2027, 2038].map(|year| of_march(year, easter(year)).to_string());
        assert_eq!(days, ["2018-04-01", "2024-03-31", "2026-04-05", "2027-03-28", "2038-04-25"]);
        assert_eq!(of_march(2028, easter(2028) + 60).to_string(), "2028-06-15");
        assert_eq!(of_march(2027, easter(2027) + 60).to_string(), "2027-05-27");
    }

    #[test]
    fn a_limit_beyond_the_list_says_so() {
        assert_eq!(CALENDAR.note(day("2026-12-31")), None);
        assert!(CALENDAR.note(day("2027-01-04")).unwrap().contains("2026 (a law): of 2027 only weekends"));
    }

    #[test]
    fn a_mark_is_put_beside_what_meta_says_already_and_only_once() {
        let document = |body: &str| Document::json(body.to_owned(), Amount::new(100, 2));
        let marked = with_meta(document(r#"{"code":"1","meta":{"a":"b"}}"#), "XX", "late", "S").unwrap();
        assert_eq!(marked.body, r#"{"code":"1","meta":{"a":"b","late":"S"}}"#);
        assert_eq!(with_meta(marked.clone(), "XX", "late", "S").unwrap(), marked);
        let envelope = with_meta(document(r#"{"doc":{}}"#), "XX", "late", "S").unwrap();
        assert_eq!(envelope.body, r#"{"doc":{"meta":{"late":"S"}}}"#);
        for wrong in ["", "[]", r#"{"meta":1}"#] {
            assert_eq!(with_meta(document(wrong), "XX", "late", "S").unwrap_err()[0].code, "XX-MARK-01");
        }
    }
}
