//! What was typed or sent, checked member by member, so that one answer names every mistake.
//!
//! Members are named as in the import (`contract_latest_start_date`); a surface with another spelling translates. No I/O, no
//! async runtime, no clock, no floats.
//!
//! To check a new kind of member: a method of [`Faults`] that names the mistake by its code and says what to send instead. A
//! body is read by [`read`], which answers for every member that does not fit. Documents are in [`document`].
//!
//! Not here: what a form means (the domain crates), HTTP.

#![deny(missing_docs)]
#![deny(clippy::wildcard_enum_match_arm, clippy::float_arithmetic, clippy::as_conversions)]

pub mod acceptance;
pub mod document;
mod duplicate_keys;
mod file;
mod read;
mod reader;
mod suggestion;

pub use duplicate_keys::duplicate_key;
pub use file::{json_place, unreadable};
pub use read::read;
pub use suggestion::nearest;

use gateway_domain::calendar;
use gateway_domain::money::Amount;
use gateway_domain::{ErrorCode, FieldError};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

/// Longest single-line text, characters.
pub const TEXT_CHARS_MAX: usize = 500;
/// Longest free text, characters.
pub const NOTES_CHARS_MAX: usize = 10_000;
/// Most members of a list.
pub const LIST_MAX: usize = 500;

/// How far the caller's clock may be ahead of the gateway's.
const CLOCK_SKEW: SignedDuration = SignedDuration::from_mins(5);

/// Whether a caller's own time lies ahead of the gateway's `now`, by more than clocks differ.
pub fn is_in_the_future(at: Timestamp, now: Timestamp) -> bool {
    now.checked_add(CLOCK_SKEW).is_ok_and(|latest| at > latest)
}

/// The mistakes found so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Faults {
    found: Vec<FieldError>,
    prefix: String,
}

impl Faults {
    /// For the members of one element of a list: `tariffs[3].` stands before their names.
    pub fn within(prefix: impl Into<String>) -> Self {
        Self { found: Vec::new(), prefix: prefix.into() }
    }

    /// Something is wrong with a member.
    pub fn refuse(&mut self, field: &str, code: ErrorCode, message: impl Into<String>) {
        self.found.push(FieldError::new(format!("{}{field}", self.prefix), code, message));
    }

    /// What was found elsewhere is added.
    pub fn extend(&mut self, found: Vec<FieldError>) {
        self.found.extend(found);
    }

    /// A text on one line that says something.
    pub fn text(&mut self, field: &str, text: &str) {
        if text.trim().is_empty() {
            self.refuse(field, ErrorCode::Required, "is empty");
        } else if text.chars().count() > TEXT_CHARS_MAX || text.chars().any(char::is_control) {
            let code = too_long_or_control(text, TEXT_CHARS_MAX);
            self.refuse(field, code, format!("use at most {TEXT_CHARS_MAX} characters on one line"));
        }
    }

    /// A text that may be absent; if it is there, it says something.
    pub fn optional_text(&mut self, field: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.text(field, text);
        }
    }

    /// A text that may have several lines, or be empty.
    pub fn notes(&mut self, field: &str, text: &str) {
        let control = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
        if text.chars().count() > NOTES_CHARS_MAX || text.chars().any(control) {
            let code = too_long_or_control(text, NOTES_CHARS_MAX);
            self.refuse(field, code, format!("use at most {NOTES_CHARS_MAX} characters"));
        }
    }

    /// A list that is not endless.
    pub fn list<T>(&mut self, field: &str, list: &[T]) {
        if list.len() > LIST_MAX {
            self.refuse(field, ErrorCode::TooMany, format!("give at most {LIST_MAX}"));
        }
    }

    /// A date of a year that every database keeps.
    pub fn date(&mut self, field: &str, date: Date) {
        if !calendar::is_supported(date) {
            self.refuse(field, ErrorCode::OutOfRange, calendar::years_hint());
        }
    }

    /// A number from `least` on.
    pub fn at_least(&mut self, field: &str, value: i32, least: i32) {
        if value < least {
            self.refuse(field, ErrorCode::OutOfRange, format!("must be {least} or more"));
        }
    }

    /// The mistakes, in the order they were found.
    pub fn into_inner(self) -> Vec<FieldError> {
        self.found
    }

    /// The value, if nothing was found.
    pub fn or<T>(self, value: T) -> Result<T, Vec<FieldError>> {
        if self.found.is_empty() { Ok(value) } else { Err(self.found) }
    }
}

/// Why a text is none: it is too long, or short enough and holds control characters.
fn too_long_or_control(text: &str, chars_max: usize) -> ErrorCode {
    if text.chars().count() > chars_max { ErrorCode::TooLong } else { ErrorCode::InvalidCharacters }
}

/// One sentence with every mistake, for a line of a report.
pub fn sentence(faults: &[FieldError]) -> String {
    faults.iter().map(|fault| format!("{}: {}", fault.field, fault.message)).collect::<Vec<_>>().join("; ")
}

/// What an edit does to a member that may be absent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Patch<T> {
    /// It stays as it is: the member was not sent.
    #[default]
    Keep,
    /// It is taken away: the member was sent as null.
    Clear,
    /// The member was sent with a value, which replaces what was there.
    Set(T),
}

impl<T: Clone> Patch<T> {
    /// The member after the edit.
    pub fn over(&self, before: Option<&T>) -> Option<T> {
        match self {
            Self::Keep => before.cloned(),
            Self::Clear => None,
            Self::Set(value) => Some(value.clone()),
        }
    }
}

/// A decimal that may be written as a JSON number: its digits are read, no float is made of them.
pub fn decimal<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Amount>, D::Error> {
    let text = match Value::deserialize(deserializer)? {
        Value::Null => return Ok(None),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text,
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
            return Err(de::Error::custom("use a decimal number"));
        }
    };
    text.parse().map(Some).map_err(de::Error::custom)
}

/// The same where there has to be one.
pub fn required_decimal<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Amount, D::Error> {
    decimal(deserializer)?.ok_or_else(|| de::Error::custom("use a decimal number"))
}

/// An instant, or a day, which begins at midnight UTC.
pub fn instant<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
    let Some(text) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
    let day = || text.parse::<Date>().ok()?.to_zoned(TimeZone::UTC).ok();
    match text.parse() {
        Ok(instant) => Ok(Some(instant)),
        Err(_) => day().map(|day| Some(day.timestamp())).ok_or_else(|| {
            de::Error::custom("use a time as RFC 3339, such as 2026-11-20T09:30:00Z, or a day")
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mistake_is_named_with_its_place() {
        let mut faults = Faults::within("tariffs[2].");
        faults.text("name", " ");
        faults.text("code", "a\u{7}");
        faults.date("start_date", jiff::civil::date(-1, 1, 1));
        faults.at_least("min_stay", 0, 1);
        faults.optional_text("label", None);
        let found = faults.or(()).unwrap_err();
        let fields: Vec<_> = found.iter().map(|fault| fault.field.as_str()).collect();
        assert_eq!(
            fields,
            ["tariffs[2].name", "tariffs[2].code", "tariffs[2].start_date", "tariffs[2].min_stay"]
        );
        assert!(sentence(&found).starts_with("tariffs[2].name: is empty; "));
    }

    #[test]
    fn an_instant_may_be_a_day() {
        let read = |text: &str| instant(serde_json::Value::from(text)).map(|at| at.unwrap().to_string());
        assert_eq!(read("2026-11-20T09:00:00+01:00").unwrap(), "2026-11-20T08:00:00Z");
        assert_eq!(read("2026-11-20").unwrap(), "2026-11-20T00:00:00Z");
        assert!(read("yesterday").is_err());
        assert_eq!(instant(serde_json::Value::Null).unwrap(), None);
    }

    #[test]
    fn an_edit_keeps_clears_or_sets() {
        assert_eq!(Patch::Keep.over(Some(&1)), Some(1));
        assert_eq!(Patch::Clear.over(Some(&1)), None);
        assert_eq!(Patch::Set(2).over(Some(&1)), Some(2));
    }
}
