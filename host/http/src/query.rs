//! Query strings: every parameter by name, unknown ones refused, and cursors that only the gateway makes.

use crate::errors::ApiErrors;
use crate::json::refuse;
use axum::extract::{FromRequestParts, Query};
use axum::http::StatusCode;
use axum::http::request::Parts;
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::DocumentPageKey;
use gateway_domain::{ErrorCode, FieldError};
use jiff::Timestamp;
use jiff::civil::Date;
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
}
