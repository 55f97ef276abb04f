//! `Idempotency-Key`: the same key and content are carried out once and answered alike; another content is refused.

use super::access::Authenticated;
use super::errors::ApiErrors;
use super::json::refuse;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use gateway_app::{Gateway, Repeat, request_key};
use gateway_domain::access::Acting;
use serde_json::Value;

const KEY: &str = "idempotency-key";
/// Says that an answer is a repeated one.
const REPLAYED: &str = "idempotency-replayed";
const KEY_CHARS_MAX: usize = 255;

/// What to do with a request.
pub(super) enum Once {
    /// Carry it out.
    Go(Acting),
    /// It was answered before.
    Answer(Response),
    /// It was carried out before and its answer was lost: tell how things stand.
    CarriedOut,
}

/// Looks a request up by its key; `content` is everything it asks for.
pub(super) async fn begin(
    gateway: &Gateway,
    caller: &Authenticated,
    headers: &HeaderMap,
    content: &str,
) -> Result<Once, ApiErrors> {
    let acting = Acting::from(&caller.0);
    let Some(value) = headers.get(KEY) else { return Ok(Once::Go(acting)) };
    let key = value.to_str().unwrap_or_default();
    if key.is_empty() || key.len() > KEY_CHARS_MAX {
        let message = format!("use 1 to {KEY_CHARS_MAX} printable ASCII characters");
        return Err(refuse(StatusCode::BAD_REQUEST, "Idempotency-Key", message));
    }
    let request = request_key(caller.0.client, key, content);
    Ok(match gateway.repeated(&request).await? {
        Repeat::New => Once::Go(Acting { request: Some(request), ..acting }),
        Repeat::CarriedOut => Once::CarriedOut,
        Repeat::Answered { status, response } => {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
            let mut answer = (status, [(header::CONTENT_TYPE, "application/json")], response).into_response();
            answer.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
            Once::Answer(answer)
        }
        Repeat::OtherRequest => {
            let message = "was used for another request: take a fresh key for each request";
            return Err(refuse(StatusCode::CONFLICT, "Idempotency-Key", message));
        }
    })
}

/// Answers a request that was carried out, and keeps the answer for its repetition.
pub(super) async fn end(gateway: &Gateway, acting: &Acting, shown_value: &Value) -> Response {
    if let Some(request) = &acting.request {
        // The effect is committed with the key; a repetition without the kept answer is told how things stand.
        if let Err(error) = gateway.keep_answer(request, 200, &shown_value.to_string()).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "An answer was not kept for its repetition: {error}"
            );
        }
    }
    shown(shown_value)
}

/// A JSON answer.
pub(super) fn shown(value: &Value) -> Response {
    axum::Json(value).into_response()
}
