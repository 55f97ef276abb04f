//! Bodies as they come in: read whole, within the limit, and with every mistake named.

use super::errors::ApiErrors;
use super::strict::Strict;
use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, StatusCode, header};
use gateway_domain::invoicing::FieldError;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A JSON body. Malformed JSON answers 400, another media type 415, a wrong type or an unknown member 422 with the
/// member's name, and more than the limit 413.
#[derive(Debug)]
pub(crate) struct Json<T>(pub(crate) T);

/// A JSON body that may be empty; no content type is demanded of nothing.
#[derive(Debug)]
pub(crate) struct OptionalJson<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = ApiErrors;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiErrors> {
        let (headers, body) = whole(request, state).await?;
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
pub(crate) fn refuse(status: StatusCode, field: &str, message: impl Into<String>) -> ApiErrors {
    ApiErrors::new(status, vec![FieldError::new(field, message)])
}

pub(super) async fn whole<S: Send + Sync>(
    request: Request,
    state: &S,
) -> Result<(HeaderMap, Bytes), ApiErrors> {
    let headers = request.headers().clone();
    let body = Bytes::from_request(request, state).await.map_err(|rejection| {
        if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE {
            refuse(
                StatusCode::PAYLOAD_TOO_LARGE,
                "base",
                "the body is larger than this gateway takes: split it",
            )
        } else {
            refuse(StatusCode::BAD_REQUEST, "base", "the body could not be read: send it again")
        }
    })?;
    Ok((headers, body))
}

fn check_media_type(headers: &HeaderMap) -> Result<(), ApiErrors> {
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = given.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let json =
        essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json"));
    if json {
        Ok(())
    } else {
        let message = "send the body as JSON, with Content-Type: application/json";
        Err(refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, "base", message))
    }
}

/// Reads JSON into a type, naming the member that does not fit.
pub(crate) fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiErrors> {
    let value: Value = serde_json::from_slice(body).map_err(|error| {
        let message = format!("malformed JSON at line {}, column {}", error.line(), error.column());
        refuse(StatusCode::BAD_REQUEST, "base", message)
    })?;
    typed(value).map_err(|error| ApiErrors::new(StatusCode::UNPROCESSABLE_ENTITY, vec![error]))
}

/// A JSON value as a type, or the member that does not fit.
pub(crate) fn typed<T: DeserializeOwned>(value: Value) -> Result<T, FieldError> {
    serde_path_to_error::deserialize(Strict(value)).map_err(|error| {
        let path = error.path().to_string();
        let message = error.into_inner().to_string();
        FieldError::new(named(&path, &message), plain(&message))
    })
}

/// How the reader begins to say that a member is not there.
const MISSING: &str = "missing field `";

/// A message of the reader, in the words of JSON.
fn plain(message: &str) -> String {
    if message.starts_with(MISSING) {
        return "is missing".to_owned();
    }
    let Some((found, expected)) = message.split_once(", expected ") else { return message.to_owned() };
    let expected = match expected.split([' ', '<']).next().unwrap_or_default() {
        "struct" | "a" if expected.contains("map") || expected.starts_with("struct") => "an object",
        "i64" | "u64" | "i32" | "u32" | "usize" => "an integer",
        "f64" | "f32" => "a number",
        "bool" | "boolean" => "true or false",
        "sequence" => "a list",
        _ => expected,
    };
    format!("{found}, expected {expected}")
}

/// The member an error is about. For an unknown or missing member the path may end at its parent; the message names it.
fn named(path: &str, message: &str) -> String {
    let parent = if path == "." { "" } else { path };
    let member = |opening: &str| message.strip_prefix(opening).and_then(|rest| rest.split('`').next());
    match member("unknown field `").or_else(|| member(MISSING)) {
        Some(name) if parent == name || parent.ends_with(&format!(".{name}")) => parent.to_owned(),
        Some(name) if parent.is_empty() => name.to_owned(),
        Some(name) => format!("{parent}.{name}"),
        None if parent.is_empty() => "base".to_owned(),
        None => parent.to_owned(),
    }
}
