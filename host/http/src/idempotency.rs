//! `Idempotency-Key`: the same key and content are carried out once and answered alike; another content is refused.

use crate::access::Authenticated;
use crate::errors::ApiErrors;
use crate::json::refuse;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use gateway_access::{Repeat, Requests, request_key};
use gateway_domain::ErrorCode;
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, RequestKey};
use serde::Serialize;
use serde_json::{Map, Value};
use std::time::{Duration, Instant};

const KEY: &str = "idempotency-key";
/// Says that an answer is a repeated one.
pub const REPLAYED: &str = "idempotency-replayed";
const KEY_CHARS_MAX: usize = 255;
const JSON: &str = "application/json";

/// A request that is carried out once for its key.
#[derive(Debug)]
pub struct IdempotentRequest<'a> {
    /// Where keys are kept.
    pub requests: &'a Requests,
    /// Who asks: each client has keys of its own.
    pub caller: &'a Authenticated,
    /// Where the key stands, if the request has one.
    pub headers: &'a HeaderMap,
    /// Everything it asks for ([`content`]).
    pub content: String,
}

/// Why a request has no answer of its own.
#[derive(Debug)]
pub enum Failed<E> {
    /// It was refused: nothing happened.
    Refused(E),
    /// It may be carried out all the same.
    Open(E),
}

impl<E> Failed<E> {
    /// The error, whatever became of the request.
    pub fn into_error(self) -> E {
        match self {
            Self::Refused(error) | Self::Open(error) => error,
        }
    }
}

impl IdempotentRequest<'_> {
    /// Carries the request out with `step`, unless it was carried out before: then its answer is repeated or, when that was
    /// lost, `current_state` says how the document is now.
    pub async fn carry_out<E: From<ApiErrors>>(
        self,
        step: impl AsyncFnOnce(&Acting) -> Result<Answer, Failed<E>>,
        current_state: impl AsyncFnOnce(&Acting) -> Result<Answer, E>,
    ) -> Result<Response, E> {
        let Self { requests, caller, headers, content } = self;
        let acting = match begin(requests, caller, headers, &content).await? {
            NextStep::Go(acting) => acting,
            NextStep::Answer(answer) => return Ok(answer),
            NextStep::CarriedOut => {
                return Ok(current_state(&Acting::from(&caller.0)).await?.into_response());
            }
        };
        match step(&acting).await {
            Ok(answer) => Ok(end(requests, &acting, answer).await),
            Err(Failed::Open(error)) => Err(error),
            Err(Failed::Refused(error)) => answer_refusal(requests, &acting, error).await,
        }
    }
}

/// The answer to a request that was carried out, as the JSON that is sent and kept.
#[derive(Debug)]
pub struct Answer(String);

impl Answer {
    /// `body` as JSON.
    pub fn of(body: &impl Serialize) -> Result<Self, ApiErrors> {
        serde_json::to_string(body).map(Self).map_err(ApiErrors::internal)
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, JSON)], self.0).into_response()
    }
}

/// What to do with a request.
#[derive(Debug)]
enum NextStep {
    /// Carry it out.
    Go(Acting),
    /// It was answered before.
    Answer(Response),
    /// It was carried out before and its answer was lost: tell how things stand.
    CarriedOut,
}

/// How long a request waits for the answer to the same request when that is being carried out. Well below the ten seconds
/// that a gateway gives a call of its invoice data service: when the answer was lost, the repetition is answered in time
/// with the current state.
const WAIT_MAX: Duration = Duration::from_secs(5);
/// How often it looks.
const POLL_INTERVAL: Duration = Duration::from_millis(40);

/// Everything a request asks for, as one text: the same for the same members in any order, and for none at all.
pub fn content(call: &str, body: &Value) -> String {
    let mut body = if body.is_null() { Value::Object(Map::new()) } else { body.clone() };
    body.sort_all_objects();
    format!("{call} {body}")
}

/// The answer to a request that was refused with `error`: when the very same request was carried out meanwhile, it was
/// refused because of that, and is answered with what that was answered. Not for a request that may have been carried out
/// itself.
async fn answer_refusal<E: From<ApiErrors>>(
    requests: &Requests,
    acting: &Acting,
    error: E,
) -> Result<Response, E> {
    let Some(request) = &acting.request else { return Err(error) };
    match await_answer(requests, request).await.map_err(ApiErrors::internal)? {
        Repeat::New | Repeat::OtherRequest => Err(error),
        Repeat::Answered { status, response } => Ok(replay(status, response)),
        Repeat::CarriedOut => {
            let message = "is carried out at this moment: repeat the request in a moment";
            Err(refuse(StatusCode::CONFLICT, "Idempotency-Key", ErrorCode::RequestInProgress, message).into())
        }
    }
}

/// What is known of a request, after waiting for the answer to the same request: the key is committed just before the
/// answer is stored.
async fn await_answer(requests: &Requests, request: &RequestKey) -> Result<Repeat, StoreError> {
    let since = Instant::now();
    loop {
        let known = requests.repeated_by_now(request).await?;
        if !matches!(known, Repeat::CarriedOut) || since.elapsed() >= WAIT_MAX {
            return Ok(known);
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

fn replay(status: u16, response: String) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    let mut answer = (status, [(header::CONTENT_TYPE, JSON)], response).into_response();
    answer.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    answer
}

/// The key of a request, if it names one. Two keys are refused: under one of them the request could be carried out again.
pub fn key(headers: &HeaderMap) -> Result<Option<&str>, ApiErrors> {
    let mut values = headers.get_all(KEY).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let malformed = |code, message: String| refuse(StatusCode::BAD_REQUEST, "Idempotency-Key", code, message);
    if values.next().is_some() {
        return Err(malformed(
            ErrorCode::GivenTwice,
            "is given twice: give one key for each request".to_owned(),
        ));
    }
    let key = value.to_str().unwrap_or_default();
    if key.is_empty() || key.len() > KEY_CHARS_MAX {
        let message = format!("use 1 to {KEY_CHARS_MAX} printable ASCII characters");
        return Err(malformed(ErrorCode::IdempotencyKeyInvalid, message));
    }
    Ok(Some(key))
}

/// Looks a request up by its key; `content` is everything it asks for.
async fn begin(
    requests: &Requests,
    caller: &Authenticated,
    headers: &HeaderMap,
    content: &str,
) -> Result<NextStep, ApiErrors> {
    let acting = Acting::from(&caller.0);
    let Some(key) = key(headers)? else { return Ok(NextStep::Go(acting)) };
    let request = request_key(caller.0.client, key, content);
    let mut known = requests.repeated(&request).await?;
    if matches!(known, Repeat::CarriedOut) {
        known = await_answer(requests, &request).await?;
    }
    Ok(match known {
        Repeat::New => NextStep::Go(Acting { request: Some(request), ..acting }),
        Repeat::CarriedOut => NextStep::CarriedOut,
        Repeat::Answered { status, response } => NextStep::Answer(replay(status, response)),
        Repeat::OtherRequest => {
            let message = "was used for another request: take a fresh key for each request";
            return Err(refuse(
                StatusCode::CONFLICT,
                "Idempotency-Key",
                ErrorCode::IdempotencyKeyReused,
                message,
            ));
        }
    })
}

/// Answers a request that was carried out, and keeps the answer for its repetition.
async fn end(requests: &Requests, acting: &Acting, answer: Answer) -> Response {
    if let Some(request) = &acting.request {
        // The effect is committed with the key; a repetition without the kept answer is told how things stand.
        if let Err(error) = requests.keep_answer(request, StatusCode::OK.as_u16(), &answer.0).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "An answer was not kept for its repetition: {error}"
            );
        }
    }
    answer.into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(keys: &[&'static str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for key in keys {
            headers.append(KEY, HeaderValue::from_static(key));
        }
        headers
    }

    #[test]
    fn a_request_has_one_key_or_none() {
        assert_eq!(key(&headers(&[])).unwrap(), None);
        assert_eq!(key(&headers(&["k-1"])).unwrap(), Some("k-1"));
        for keys in [["k-1", "k-2"], ["k-1", "k-1"], ["k-1", ""]] {
            let refused = key(&headers(&keys)).unwrap_err();
            let expected = (StatusCode::BAD_REQUEST, ErrorCode::GivenTwice);
            assert_eq!((refused.status(), refused.code()), expected, "{keys:?}");
        }
        assert_eq!(key(&headers(&[""])).unwrap_err().code(), ErrorCode::IdempotencyKeyInvalid);
    }
}
