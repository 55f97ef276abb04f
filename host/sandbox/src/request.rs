//! What every route asks of a request before it looks at the content.

use crate::answer::Refusal;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::IntoResponse;
use mediatype::{MediaType, names};
use serde_json::Value;
use uuid::Uuid;

/// Longest idempotency key.
const KEY_BYTES_MAX: usize = 255;

/// An id in a path.
pub(crate) fn id(text: &str) -> Result<Uuid, Refusal> {
    text.parse().map_err(|_| Refusal::malformed(format!("'{text}' is no UUID")))
}

/// An id for something new: it has to carry a time.
pub(crate) fn new_id(text: &str) -> Result<Uuid, Refusal> {
    let id = id(text)?;
    match id.get_version_num() {
        1 | 7 => Ok(id),
        other => {
            let message = format!("must be a UUID of version 7 or 1, this one has version {other}");
            Err(Refusal::invalid_field("id", &message))
        }
    }
}

/// The body as a JSON object.
pub(crate) fn object(headers: &HeaderMap, body: Result<Bytes, BytesRejection>) -> Result<Value, Refusal> {
    let media_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let json = MediaType::new(names::APPLICATION, names::JSON);
    if media_type.and_then(|given| MediaType::parse(given).ok()).is_none_or(|given| given.essence() != json) {
        return Err(Refusal::wrong_media_type());
    }
    let body = body.map_err(|rejection| match rejection.into_response().status() {
        StatusCode::PAYLOAD_TOO_LARGE => Refusal::too_large(),
        _ => Refusal::malformed("the body broke off"),
    })?;
    let value: Value = serde_json::from_slice(&body).map_err(|error| {
        Refusal::malformed(format!(
            "the body is not JSON at line {}, column {}",
            error.line(),
            error.column()
        ))
    })?;
    if value.is_object() { Ok(value) } else { Err(Refusal::malformed("the body must be a JSON object")) }
}

/// The idempotency key; an empty one is none.
pub(crate) fn key(body: &Value) -> Result<Option<String>, Refusal> {
    match body.get("key") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(key)) if key.len() <= KEY_BYTES_MAX => {
            Ok(Some(key.clone()).filter(|key| !key.is_empty()))
        }
        Some(_) => Err(Refusal::invalid_field("key", "must be a string of at most 255 bytes")),
    }
}
