//! Bodies as they come in: read whole, within the limit, and with every mistake named.

use super::errors::ApiErrors;
use super::strict::Strict;
use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, StatusCode, header};
use gateway_domain::invoicing::FieldError;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A JSON body. Malformed JSON and nothing at all answer 400, another media type 415, a wrong type or an unknown member 422 with the
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
        if body.is_empty() && !headers.contains_key(header::CONTENT_TYPE) {
            return Err(refuse(StatusCode::BAD_REQUEST, "base", "the body is empty: send JSON"));
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
/// The same of a member that means nothing.
const UNKNOWN: &str = "unknown field `";

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

/// The member an error is about. For an unknown or missing member the path may end at its parent; the message names it.
fn named(path: &str, message: &str) -> String {
    let parent = if path == "." { "" } else { path };
    let member = |opening: &str| message.strip_prefix(opening).and_then(|rest| rest.split('`').next());
    match member(UNKNOWN).or_else(|| member(MISSING)) {
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
            let found = typed::<Form>(body.clone()).unwrap_err();
            assert_eq!(format!("{}: {}", found.field, found.message), fault, "{body}");
        }
    }
}
