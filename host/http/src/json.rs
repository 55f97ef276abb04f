//! Bodies as they come in: read whole, within the limit, and with every mistake named.

use crate::errors::ApiErrors;
use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, StatusCode, header};
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_input::{duplicate_key, json_place, read};
use mediatype::{MediaType, ReadParams, names};
use serde::de::DeserializeOwned;
use serde_json::Value;

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
    let is_json = media_type(headers).is_some_and(|given| {
        let patch = given.subty.as_str().to_ascii_lowercase().ends_with("patch");
        // A patch says what changes, a body here is the whole.
        given.ty == names::APPLICATION
            && (given.subty == names::JSON && given.suffix.is_none()
                || given.suffix == Some(names::JSON) && !patch)
    });
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
    if is_json {
        Ok(())
    } else {
        let message = "send the body as JSON, with Content-Type: application/json";
        Err(refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, "base", ErrorCode::MediaTypeUnsupported, message))
    }
}

/// What the body is said to be, with its parameters; none where nothing is said that can be read.
pub fn media_type(headers: &HeaderMap) -> Option<MediaType<'_>> {
    MediaType::parse(headers.get(header::CONTENT_TYPE)?.to_str().ok()?).ok()
}

/// Whether a body is said to be `application/json`, and in no other encoding than UTF-8.
pub fn is_json_in_utf8(headers: &HeaderMap) -> bool {
    media_type(headers).is_some_and(|given| {
        let charset = given.get_param(names::CHARSET);
        given.essence() == MediaType::new(names::APPLICATION, names::JSON)
            && charset.is_none_or(|charset| charset.unquoted_str().eq_ignore_ascii_case("utf-8"))
    })
}

/// Reads JSON into a type, naming the member that does not fit.
pub fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiErrors> {
    let value: Value = serde_json::from_slice(body).map_err(|error| {
        let message = format!("malformed JSON at {}", json_place(&error));
        refuse(StatusCode::BAD_REQUEST, "base", ErrorCode::BodyMalformed, message)
    })?;
    if let Some(member) = duplicate_key(body) {
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
    read(value).map_err(|mistakes| ApiErrors::new(StatusCode::UNPROCESSABLE_ENTITY, mistakes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn json_is_told_by_its_media_type_however_that_is_written() {
        for (given, taken) in [
            ("application/json", true),
            ("Application/JSON; charset=utf-8", true),
            ("application/json;", true),
            ("application/problem+json", true),
            ("application/merge-patch+json", false),
            ("application/json-patch+json", false),
            ("application/jsonl", false),
            ("text/json", false),
            ("application/*", false),
            ("json", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(given));
            assert_eq!(check_media_type(&headers).is_ok(), taken, "{given}");
        }
    }

    #[test]
    fn json_in_another_encoding_or_under_another_name_is_told_apart() {
        for (given, is) in [
            ("application/json", true),
            ("Application/JSON; charset=UTF-8", true),
            ("application/json; charset=\"utf-8\"", true),
            ("application/json; charset=utf-16", false),
            ("application/graphql-response+json", false),
            ("text/plain", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(given));
            assert_eq!(is_json_in_utf8(&headers), is, "{given}");
        }
    }
}
