//! Dates and instants on the wire, and the ids of arguments.

use crate::errors::Refusal;
use async_graphql::{ID, InputValueError, InputValueResult, Scalar, ScalarType, Value};
use gateway_domain::ErrorCode;
use gateway_domain::ids::WorkspaceId;
use gateway_graphql_compliance::ScalarRule;
use jiff::Timestamp;
use jiff::civil::Date;
use uuid::Uuid;

/// Written out where a scalar says how it is written.
const DATE_CHARS: usize = 10;

/// A day of the calendar, written `2026-12-31` (ISO 8601).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IsoDate(pub(crate) Date);

fn date(text: &str) -> Option<Date> {
    // The parser of dates takes more than a date: times, zones, weeks.
    let plain = text.len() == DATE_CHARS && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    text.parse().ok().filter(|_| plain)
}

/// What a request is checked for before it runs.
pub(crate) static RULES: [ScalarRule; 2] = [
    ScalarRule {
        name: "ISO8601Date",
        holds: is_date,
        message: "must be an existing date, written YYYY-MM-DD, such as 2026-12-31",
    },
    ScalarRule { name: "ISO8601DateTime", holds: is_instant, message: INSTANT },
];

/// What an instant has to be.
const INSTANT: &str = "must be an instant with its offset, such as 2026-12-31T12:00:00Z";

/// Whether a text is an instant.
fn is_instant(text: &str) -> bool {
    text.parse::<Timestamp>().is_ok()
}

/// Whether a text is a day that exists.
fn is_date(text: &str) -> bool {
    date(text).is_some()
}

/// A day of the calendar, written `2026-12-31` (ISO 8601).
#[Scalar(name = "ISO8601Date", specified_by_url = "https://www.rfc-editor.org/rfc/rfc3339#section-5.6")]
impl ScalarType for IsoDate {
    fn parse(value: Value) -> InputValueResult<Self> {
        match &value {
            Value::String(text) => date(text).map(Self).ok_or_else(|| {
                InputValueError::custom("write an existing date as YYYY-MM-DD, such as 2026-12-31")
            }),
            _ => Err(InputValueError::expected_type(value)),
        }
    }

    fn is_valid(value: &Value) -> bool {
        matches!(value, Value::String(text) if is_date(text))
    }

    fn to_value(&self) -> Value {
        Value::String(self.0.to_string())
    }
}

impl From<Date> for IsoDate {
    fn from(date: Date) -> Self {
        Self(date)
    }
}

/// An instant in UTC, written `2026-12-31T12:00:00Z` (ISO 8601).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IsoDateTime(pub(crate) Timestamp);

/// An instant in UTC, written `2026-12-31T12:00:00Z` (ISO 8601).
#[Scalar(name = "ISO8601DateTime", specified_by_url = "https://www.rfc-editor.org/rfc/rfc3339#section-5.6")]
impl ScalarType for IsoDateTime {
    fn parse(value: Value) -> InputValueResult<Self> {
        match &value {
            Value::String(text) => text.parse().map(Self).map_err(|_| InputValueError::custom(INSTANT)),
            _ => Err(InputValueError::expected_type(value)),
        }
    }

    fn is_valid(value: &Value) -> bool {
        matches!(value, Value::String(text) if is_instant(text))
    }

    fn to_value(&self) -> Value {
        Value::String(self.0.to_string())
    }
}

impl From<Timestamp> for IsoDateTime {
    fn from(at: Timestamp) -> Self {
        Self(at)
    }
}

/// An id as sent. Ids are opaque to clients: a text that is no id of ours is an unknown id, not a mistake.
pub(crate) fn parse_id<T: From<Uuid>>(id: &ID) -> Option<T> {
    let plain = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
    let text = id.as_str();
    let uuid = Uuid::try_parse(text).ok().filter(|_| text.bytes().all(plain))?;
    Some(T::from(uuid))
}

/// The ids of a list that can exist: a list of none of them finds nothing. `None` when there is no list, which filters
/// nothing.
pub(crate) fn parse_ids<T: From<Uuid>>(ids: Option<&[ID]>) -> Option<Vec<T>> {
    ids.map(|ids| ids.iter().filter_map(parse_id).collect())
}

/// A workspace is named by its number, also where it is written as a text.
pub(crate) fn parse_workspace_id(id: &ID, field: &str) -> Result<WorkspaceId, Refusal> {
    let text = id.as_str();
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|_| plain).map(WorkspaceId);
    number.ok_or_else(|| {
        Refusal::input(field, ErrorCode::InvalidFormat, "must be the number of a workspace, such as 1")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_existing_date_is_a_date() {
        let read = |text: &str| IsoDate::is_valid(&Value::String(text.to_owned()));
        assert!(read("2026-12-31"));
        for wrong in
            ["2026-02-30", "2026-1-1", "20261231", "2026-12-31T00:00:00", "+002026-12-31", "soon", ""]
        {
            assert!(!read(wrong), "{wrong}");
        }
        assert!(!IsoDate::is_valid(&Value::from(2026)));
    }

    #[test]
    fn a_workspace_is_a_number() {
        assert_eq!(parse_workspace_id(&ID::from("12"), "workspaceId").unwrap(), WorkspaceId(12));
        for wrong in ["", "-1", "+1", "1.0", "one", " 1", "99999999999999999999"] {
            assert!(parse_workspace_id(&ID::from(wrong), "workspaceId").is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_text_that_is_no_id_is_an_unknown_id() {
        assert_eq!(parse_id::<Uuid>(&ID::from("nothing")), None);
        assert_eq!(parse_id::<Uuid>(&ID::from("{00000000-0000-0000-0000-000000000001}")), None);
        assert!(parse_id::<Uuid>(&ID::from("00000000-0000-0000-0000-000000000001")).is_some());
        assert_eq!(parse_ids::<Uuid>(None), None);
        assert_eq!(parse_ids::<Uuid>(Some(&[])), Some(Vec::new()));
        assert_eq!(parse_ids::<Uuid>(Some(&[ID::from("x")])), Some(Vec::new()));
    }
}
