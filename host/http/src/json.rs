//! Bodies as they come in: read whole, within the limit, and with every mistake named.

use crate::errors::ApiErrors;
use crate::strict::Strict;
use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, StatusCode, header};
use gateway_domain::input::given_twice;
use gateway_domain::{ErrorCode, FieldError};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use serde_path_to_error::{Path, Segment};

/// A JSON body. Malformed JSON and nothing at all answer 400, another media type 415, a wrong type, an unknown member or
/// one that is given twice 422 with the member's name, and more than the limit 413.
#[derive(Debug)]
pub struct Json<T>(pub T);

/// A JSON body that may be empty; no content type is demanded of nothing.
#[derive(Debug)]
pub struct OptionalJson<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = ApiErrors;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiErrors> {
        let (headers, body) = whole(request, state).await?;
        if body.is_empty() && !headers.contains_key(header::CONTENT_TYPE) {
            return Err(refuse(
                StatusCode::BAD_REQUEST,
                "base",
                ErrorCode::BodyMissing,
                "the body is empty: send JSON",
            ));
        }
        check_media_type(&headers)?;
        parse(&body).map(Self)
    }
}

impl<S: Send + Sync, T: DeserializeOwned + Default> FromRequest<S> for OptionalJson<T> {
    type Rejection = ApiErrors;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiErrors> {
        let (headers, body) = whole(request, state).await?;
        if body.iter().all(u8::is_ascii_whitespace) {
            return Ok(Self(T::default()));
        }
        check_media_type(&headers)?;
        parse(&body).map(Self)
    }
}

/// One mistake of the request as a whole.
pub fn refuse(status: StatusCode, field: &str, code: ErrorCode, message: impl Into<String>) -> ApiErrors {
    ApiErrors::new(status, vec![FieldError::new(field, code, message)])
}

pub async fn whole<S: Send + Sync>(request: Request, state: &S) -> Result<(HeaderMap, Bytes), ApiErrors> {
    let headers = request.headers().clone();
    let body = Bytes::from_request(request, state).await.map_err(|rejection| {
        if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE {
            refuse(
                StatusCode::PAYLOAD_TOO_LARGE,
                "base",
                ErrorCode::BodyTooLarge,
                "the body is larger than this gateway takes: split it",
            )
        } else {
            refuse(
                StatusCode::BAD_REQUEST,
                "base",
                ErrorCode::BodyUnreadable,
                "the body could not be read: send it again",
            )
        }
    })?;
    Ok((headers, body))
}

fn check_media_type(headers: &HeaderMap) -> Result<(), ApiErrors> {
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = given.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    // A patch says what changes, a body here is the whole.
    let whole =
        essence.starts_with("application/") && essence.ends_with("+json") && !essence.ends_with("patch+json");
    let coded = headers.get(header::CONTENT_ENCODING).is_some_and(|coding| coding != "identity");
    if coded {
        let message = "send the body as it is, without a Content-Encoding";
        return Err(refuse(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "base",
            ErrorCode::MediaTypeUnsupported,
            message,
        )
        .with_header(header::ACCEPT_ENCODING, "identity"));
    }
    if whole || essence == "application/json" {
        Ok(())
    } else {
        let message = "send the body as JSON, with Content-Type: application/json";
        Err(refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, "base", ErrorCode::MediaTypeUnsupported, message))
    }
}

/// Reads JSON into a type, naming the member that does not fit.
pub fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiErrors> {
    let value: Value = serde_json::from_slice(body).map_err(|error| {
        let message = format!("malformed JSON at line {}, column {}", error.line(), error.column());
        refuse(StatusCode::BAD_REQUEST, "base", ErrorCode::BodyMalformed, message)
    })?;
    if let Some(member) = given_twice(body) {
        return Err(refuse(
            StatusCode::UNPROCESSABLE_ENTITY,
            &member,
            ErrorCode::GivenTwice,
            "is given twice: give it once",
        ));
    }
    form(&value)
}

/// A JSON value as what a request asks for.
pub fn form<T: DeserializeOwned>(value: &Value) -> Result<T, ApiErrors> {
    typed(value).map_err(|mistakes| ApiErrors::new(StatusCode::UNPROCESSABLE_ENTITY, mistakes))
}

/// What a reader stumbled over, and where.
type Stumble = serde_path_to_error::Error<serde_json::Error>;

/// Most mistakes that are named: each costs another reading.
const MISTAKES_MAX: usize = 20;

/// A JSON value as a type, or every member that does not fit.
pub fn typed<T: DeserializeOwned>(value: &Value) -> Result<T, Vec<FieldError>> {
    serde_path_to_error::deserialize(Strict(value)).map_err(|first| mistakes::<T>(value.clone(), first))
}

/// The reader stops at the first mistake: what it stumbles over is taken away, or put there when it is missing, and it
/// reads again.
fn mistakes<T: DeserializeOwned>(mut value: Value, first: Stumble) -> Vec<FieldError> {
    let mut mistakes: Vec<FieldError> = Vec::new();
    let mut stumbled = Some(first);
    while let Some(error) = stumbled {
        let place = error.path().clone();
        let message = error.into_inner().to_string();
        let field = named(&place.to_string(), &message);
        let known = mistakes.iter().any(|mistake| mistake.field == field);
        let missing = member(MISSING, &message);
        if known && missing.is_none() {
            break;
        }
        if !known {
            mistakes.push(FieldError::new(field, code(&message), plain(&message)));
        }
        let went_on = match (missing, member(UNKNOWN, &message)) {
            (Some(name), _) => put(&mut value, &place, name),
            (None, name) => take_away(&mut value, &place, name),
        };
        if went_on.is_none() || mistakes.len() >= MISTAKES_MAX {
            break;
        }
        stumbled = serde_path_to_error::deserialize::<_, T>(Strict(&value)).err();
    }
    mistakes
}

/// The value at a place.
fn at<'v>(value: &'v mut Value, place: &[&Segment]) -> Option<&'v mut Value> {
    place.iter().try_fold(value, |value, segment| match segment {
        Segment::Seq { index } => value.get_mut(index),
        Segment::Map { key } => value.get_mut(key),
        Segment::Enum { .. } | Segment::Unknown => None,
    })
}

/// The object that has, or should have, the member `name`: the path of an error ends there, or at the member.
fn parent_of<'v>(value: &'v mut Value, place: &Path, name: &str) -> Option<&'v mut Map<String, Value>> {
    let mut segments: Vec<_> = place.iter().collect();
    if let Some(Segment::Map { key }) = segments.last()
        && key == name
    {
        segments.pop();
    }
    at(value, &segments)?.as_object_mut()
}

/// Puts a text where a member is missing, for the reader to go on; one that is there already did not help.
fn put(value: &mut Value, place: &Path, name: &str) -> Option<()> {
    let parent = parent_of(value, place, name)?;
    parent.insert(name.to_owned(), Value::String(String::new())).is_none().then_some(())
}

/// Takes away the unknown member `name`, else what is at the place; of a list everything, so that its members keep their
/// places.
fn take_away(value: &mut Value, place: &Path, name: Option<&str>) -> Option<()> {
    if let Some(name) = name {
        return parent_of(value, place, name)?.remove(name).map(drop);
    }
    let segments: Vec<_> = place.iter().collect();
    let (last, parent) = segments.split_last()?;
    match last {
        Segment::Seq { .. } => at(value, parent)?.as_array_mut().map(Vec::clear),
        Segment::Map { key } => at(value, parent)?.as_object_mut()?.remove(key).map(drop),
        Segment::Enum { .. } | Segment::Unknown => None,
    }
}

/// How the reader begins to say that a member is not there.
const MISSING: &str = "missing field `";
/// The same of a member that means nothing.
const UNKNOWN: &str = "unknown field `";

/// What a program tells a mistake by.
fn code(message: &str) -> ErrorCode {
    let begins = |with: &str| message.starts_with(with);
    if begins(MISSING) {
        ErrorCode::Required
    } else if begins(UNKNOWN) {
        ErrorCode::UnknownMember
    } else if begins("unknown variant `") {
        ErrorCode::NotOneOf
    } else if begins("invalid type: ") {
        ErrorCode::WrongType
    } else {
        ErrorCode::InvalidFormat
    }
}

/// What to write, where the reader of JSON says it in the words of its own house.
fn plain(message: &str) -> String {
    if message.starts_with(MISSING) {
        return "is missing".to_owned();
    }
    let Some((found, expected)) = message.split_once(", expected ") else {
        let nothing = message.starts_with(UNKNOWN);
        return if nothing { "is no member: there are none".to_owned() } else { message.to_owned() };
    };
    let names = || {
        let names = expected.strip_prefix("one of ").unwrap_or(expected).replace('`', "");
        names.replacen(" or ", ", ", 1)
    };
    if found.starts_with(UNKNOWN) {
        return format!("is no member: use {}", names());
    }
    if found.starts_with("unknown variant `") {
        return format!("use one of {}", names());
    }
    if !(found.starts_with("invalid type: ") || found.starts_with("invalid value: ")) {
        return message.to_owned();
    }
    let words = match expected {
        "i32" => "a whole number from -2147483648 to 2147483647",
        "i64" | "i16" | "u64" | "u32" | "u16" | "u8" | "usize" => "a whole number",
        "f64" | "f32" => "a number",
        "a string" | "str" => "a text",
        "a boolean" | "bool" => "true or false",
        "a sequence" => "a list",
        "a map" => "an object",
        structure if structure.starts_with("struct ") => "an object",
        other => other,
    };
    format!("must be {words}")
}

/// The member that a message which begins so is about.
fn member<'m>(opening: &str, message: &'m str) -> Option<&'m str> {
    message.strip_prefix(opening).and_then(|rest| rest.split('`').next())
}

/// The member an error is about. For an unknown or missing member the path may end at its parent; the message names it.
fn named(path: &str, message: &str) -> String {
    let parent = if path == "." { "" } else { path };
    match member(UNKNOWN, message).or_else(|| member(MISSING, message)) {
        Some(name) if parent == name || parent.ends_with(&format!(".{name}")) => parent.to_owned(),
        Some(name) if parent.is_empty() => name.to_owned(),
        Some(name) => format!("{parent}.{name}"),
        None if parent.is_empty() => "base".to_owned(),
        None => parent.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only read")]
    struct Form {
        name: String,
        #[serde(default)]
        nights: Option<i32>,
        #[serde(default)]
        days: Vec<bool>,
    }

    #[test]
    fn a_mistake_is_told_in_the_words_of_json() {
        for (body, fault) in [
            (json!([]), "base: must be an object"),
            (json!({}), "name: is missing"),
            (json!({"name": 1}), "name: must be a text"),
            (json!({"name": {}}), "name: must be a text"),
            (json!({"name": "a", "days": {}}), "days: must be a list"),
            (json!({"name": "a", "days": ["x"]}), "days[0]: must be true or false"),
            (
                json!({"name": "a", "nights": 3_000_000_000_u32}),
                "nights: must be a whole number from -2147483648 to 2147483647",
            ),
            (
                json!({"name": "a", "nights": 1.0}),
                "nights: must be a whole number from -2147483648 to 2147483647",
            ),
            (json!({"name": "a", "foo": 1}), "foo: is no member: use name, nights, days"),
        ] {
            assert_eq!(mistakes(&body), [fault], "{body}");
        }
    }

    fn mistakes(body: &Value) -> Vec<String> {
        let found = typed::<Form>(body).unwrap_err();
        found.into_iter().map(|found| format!("{}: {}", found.field, found.message)).collect()
    }

    #[test]
    fn every_mistake_is_named_at_once() {
        let body = json!({"foo": 1, "nights": "x", "days": [true, 1, 2], "name": 1, "bar": {}});
        let found = mistakes(&body);
        let mut fields: Vec<_> = found.iter().map(|found| found.split(':').next().unwrap()).collect();
        fields.sort_unstable();
        assert_eq!(fields, ["bar", "days[1]", "foo", "name", "nights"], "{found:?}");
        assert_eq!(mistakes(&json!({"nights": "x"})).len(), 2, "and what is missing");
        let many: serde_json::Map<_, _> = (0..500).map(|n| (format!("m{n}"), json!(n))).collect();
        assert_eq!(mistakes(&Value::Object(many)).len(), MISTAKES_MAX);
    }

    #[test]
    fn what_lies_below_is_named_with_its_place() {
        use gateway_domain::invoicing::DocumentForm;
        let body = json!({"uuid": "x", "status": "draft", "totals": {}, "workspace_id": "1",
            "lines": [{"description": "a", "price": 1, "sum": "2"}, {"quantity": 2}]});
        let found = typed::<DocumentForm>(&body).unwrap_err();
        let mut fields: Vec<_> = found.iter().map(|found| found.field.as_str()).collect();
        fields.sort_unstable();
        assert_eq!(
            fields,
            [
                "lines[0].price",
                "lines[0].sum",
                "lines[1].quantity",
                "status",
                "totals",
                "uuid",
                "workspace_id"
            ]
        );
    }
}
