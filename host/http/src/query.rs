//! Query strings: every parameter by name, unknown ones refused, what integrators write as an id, a day or an instant, and cursors
//! that only the gateway makes.

use crate::errors::ApiErrors;
use crate::json::refuse;
use crate::time;
use axum::extract::{FromRequestParts, Query};
use axum::http::StatusCode;
use axum::http::request::Parts;
use gateway_domain::calendar::{is_supported, is_supported_instant};
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::DocumentPageKey;
use gateway_domain::{ErrorCode, FieldError};
use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

/// Documents of a page unless asked for fewer, and at most.
const FIRST_MAX: usize = 25;

/// Where a page ends.
#[derive(Debug, Serialize, ToSchema)]
pub struct PageInfo {
    /// Whether there are more behind it.
    #[schema(examples(false))]
    pub has_next_page: bool,
    /// Give it as `after` for the next page; null on an empty page.
    #[schema(required)]
    pub end_cursor: Option<String>,
}

/// The parameters of a query string.
#[derive(Debug, Clone, Default)]
pub struct Params {
    given: BTreeMap<String, String>,
    /// Those that are given several times, which is refused: nobody knows which of them is meant.
    repeated: BTreeSet<String>,
}

impl<S: Send + Sync> FromRequestParts<S> for Params {
    type Rejection = ApiErrors;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiErrors> {
        let query: Query<Vec<(String, String)>> =
            Query::from_request_parts(parts, state).await.map_err(|_| {
                refuse(
                    StatusCode::BAD_REQUEST,
                    "base",
                    ErrorCode::QueryMalformed,
                    "the query string is malformed",
                )
            })?;
        let mut params = Self::default();
        for (name, text) in query.0 {
            if params.given.insert(name.clone(), text).is_some() {
                params.repeated.insert(name);
            }
        }
        Ok(params)
    }
}

impl Params {
    /// Refuses parameters that mean nothing here, or are given twice.
    pub fn only(&self, known: &[&str]) -> Result<(), ApiErrors> {
        let faults = self.unknown_parameters(&[known]);
        if faults.is_empty() { Ok(()) } else { Err(ApiErrors::new(StatusCode::UNPROCESSABLE_ENTITY, faults)) }
    }

    /// What there is beside the known parameters, which are in several lists, each once.
    pub fn unknown_parameters(&self, known: &[&[&str]]) -> Vec<FieldError> {
        let known = known.concat();
        let fault = |name: &String| {
            let (code, message) = if known.contains(&name.as_str()) {
                let twice = || (ErrorCode::GivenTwice, "is given twice: give it once".to_owned());
                self.repeated.contains(name).then(twice)?
            } else if known.is_empty() {
                (ErrorCode::UnknownMember, "is no parameter of this route, which takes none".to_owned())
            } else {
                let message = format!("is no parameter of this route: use {}", known.join(", "));
                (ErrorCode::UnknownMember, message)
            };
            Some(FieldError::new(if name.is_empty() { "base" } else { name }, code, message))
        };
        self.given.keys().filter_map(fault).collect()
    }

    /// The others.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.given.remove(name);
        self.repeated.remove(name);
        self
    }

    /// With a parameter written anew, where it is given.
    #[must_use]
    pub fn with(mut self, name: &str, write: impl FnOnce(&str) -> String) -> Self {
        if let Some(text) = self.given.get_mut(name) {
            *text = write(text);
        }
        self
    }

    /// A parameter as it is; an empty one counts as absent.
    pub fn text(&self, name: &str) -> Option<String> {
        self.given.get(name).filter(|text| !text.is_empty()).cloned()
    }

    /// Refuses the first of some parameters that are not taken here; the sentence goes on behind the name.
    pub fn none_of(&self, names: &[&str], sentence: &str) -> Result<(), ApiErrors> {
        let Some(name) = names.iter().find(|name| self.given.contains_key(**name)) else { return Ok(()) };
        let fault = FieldError::new(*name, ErrorCode::NotTogether, sentence);
        Err(ApiErrors::new(StatusCode::UNPROCESSABLE_ENTITY, vec![fault]))
    }

    /// Whether a parameter is given without a value.
    pub fn is_empty(&self, name: &str) -> bool {
        self.given.get(name).is_some_and(String::is_empty)
    }

    /// Whether a parameter says `true`. An empty one says neither: what it would keep from happening must not happen.
    pub fn flag(&self, name: &str) -> Result<bool, ApiErrors> {
        match self.given.get(name).map(String::as_str) {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(_) => {
                Err(refuse(StatusCode::UNPROCESSABLE_ENTITY, name, ErrorCode::NotOneOf, "use true or false"))
            }
        }
    }

    /// A parameter as a value, or 422 with what it should be.
    pub fn parse<T>(
        &self,
        name: &str,
        expected: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, ApiErrors> {
        let refused = |fault| ApiErrors::new(StatusCode::UNPROCESSABLE_ENTITY, vec![fault]);
        self.read(name, expected, parse).map_err(refused)
    }

    /// A parameter as a value, or what it should be.
    pub fn read<T>(
        &self,
        name: &str,
        expected: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, FieldError> {
        match self.text(name) {
            None => Ok(None),
            Some(text) => match parse(&text) {
                Some(value) if !text.contains('\0') => Ok(Some(value)),
                _ => Err(FieldError::new(name, ErrorCode::InvalidFormat, expected)),
            },
        }
    }

    /// How many items a page has: 25 unless fewer are asked for.
    pub fn first(&self) -> Result<usize, ApiErrors> {
        let expected = "use a number from 1 to 25";
        let first =
            self.parse("first", expected, |text| text.parse().ok().filter(|first| *first >= 1_usize))?;
        Ok(first.unwrap_or(FIRST_MAX).min(FIRST_MAX))
    }
}

/// The id of a workspace, a whole number; none for any other text.
pub fn workspace(text: &str) -> Option<WorkspaceId> {
    text.parse().ok().map(WorkspaceId)
}

/// A date and nothing beside it; the parser alone would take a time behind it too.
pub fn date(text: &str) -> Option<Date> {
    let date: Date = text.parse().ok()?;
    (date.to_string() == text).then_some(date)
}

/// What a day is refused with.
pub const DATE: &str = "use a day as YYYY-MM-DD, such as 2026-12-31";
/// What a day is refused with that is not counted with either.
pub const DAY: &str = "use a day from 1900 on as YYYY-MM-DD, such as 2026-12-31";
/// What an instant is refused with.
pub const INSTANT: &str = "use a time as ISO 8601 in its extended form, such as 2026-11-20T09:30:00Z";
/// What an id is refused with.
pub const ID: &str = "an id is a UUID, such as 0197f4f2-0000-7000-8000-000000000001";

/// Hyphenated, as the platform writes it.
pub fn uuid(text: &str) -> Option<Uuid> {
    Uuid::try_parse(text).ok().filter(|_| text.len() == 36)
}

/// A day of the calendar and nothing more: the parser takes times and zones too.
pub fn day(text: &str) -> Option<Date> {
    let plain = text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    text.parse().ok().filter(|_| plain)
}

/// A day in which something may be asked for. Older systems write "for ever" as a day of the year 9999, which is the
/// last year that is counted with here.
pub fn bounded_day(text: &str) -> Option<Date> {
    day(&within_years(text)).filter(|day| is_supported(*day))
}

fn within_years(text: &str) -> String {
    text.strip_prefix("9999-").map_or_else(|| text.to_owned(), |rest| format!("9998-{rest}"))
}

/// An instant; a day begins at midnight, a minute at its first second, and without an offset it is UTC. A `+` that was
/// not escaped arrives as a blank.
pub fn instant(text: &str) -> Option<Timestamp> {
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

/// Where a page ended, for the next one.
pub fn cursor((at, id): DocumentPageKey) -> String {
    format!("{:x}-{}", at.as_microsecond(), id.0.simple())
}

/// The place a cursor names; none for a foreign one.
pub fn page_key(cursor: &str) -> Option<DocumentPageKey> {
    let (at, id) = cursor.split_once('-')?;
    let at = Timestamp::from_microsecond(i64::from_str_radix(at, 16).ok()?).ok()?;
    let id = Uuid::try_parse(id).ok().filter(|_| id.len() == 32)?;
    Some((at, InvoiceId(id)))
}

/// Most items of a window.
const LIMIT_MAX: i64 = 100;

/// How many items, behind how many.
#[derive(Debug, Clone, Copy, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WindowQuery {
    /// How many; above 100 is taken as 100.
    #[param(required = false, minimum = 1, default = 100, example = 100)]
    pub limit: i64,
    /// Behind how many.
    #[param(required = false, minimum = 0, default = 0, example = 0)]
    pub offset: i64,
}

impl WindowQuery {
    /// The parameters `limit` and `offset`, or what is wrong with one.
    pub fn read(params: &Params) -> Result<Self, ApiErrors> {
        let number = |text: &str| text.parse().ok().filter(|number| *number >= 0_i64);
        let limit =
            params.parse("limit", "use a number from 1 to 100", |text| number(text).filter(|n| *n >= 1))?;
        let offset = params.parse("offset", "use a whole number from 0 on", number)?;
        Ok(Self { limit: limit.unwrap_or(LIMIT_MAX).min(LIMIT_MAX), offset: offset.unwrap_or(0) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_ten_characters() {
        assert_eq!(date("2026-11-20"), Some(jiff::civil::date(2026, 11, 20)));
        for no in ["", "2026-11-31", "20261120", "2026-11-20T00:00:00Z", "2026-11-20T00:00:00", "yesterday"] {
            assert_eq!(date(no), None, "{no:?}");
        }
    }

    #[test]
    fn a_cursor_is_read_as_it_was_made_and_a_foreign_one_is_not() {
        let made: DocumentPageKey =
            ("2026-11-20T07:00:00.123456Z".parse().unwrap(), InvoiceId(Uuid::from_u128(7)));
        assert_eq!(page_key(&cursor(made)), Some(made));
        for foreign in ["", "x", "1-", "zz-00000000000000000000000000000007", "1-7"] {
            assert_eq!(page_key(foreign), None, "{foreign:?}");
        }
    }

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
