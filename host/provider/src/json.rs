//! A small JSON client for whoever calls a gateway from inside this workspace. It lives here because this crate is
//! the only home of an HTTP client.

use crate::client::{self, BodyError, SetupError};
use gateway_outbound::{NoAnswer, answered_at};
use jiff::Timestamp;
use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, Method, RequestBuilder};
use serde_json::Value;
use std::fmt;
use std::time::Duration;
use url::Url;

/// Longest answer that is read, bytes.
const ANSWER_BYTES_MAX: usize = 4 * 1024 * 1024;
const TIMEOUT: Duration = Duration::from_secs(35);

/// An answer of any status.
#[derive(Debug, Clone, PartialEq)]
pub struct JsonAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The body; a text when it is no JSON, null when it is empty.
    pub body: Value,
    /// When it was made, by the clock of whoever made it.
    pub answered_at: Option<Timestamp>,
}

/// Why there was no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{url} did not answer ({detail})")]
pub struct JsonError {
    url: String,
    detail: String,
}

/// Calls one host. Its `Debug` shows no token.
#[derive(Clone)]
pub struct JsonClient {
    base: Url,
    bearer: Option<String>,
    client: Client,
}

impl fmt::Debug for JsonClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonClient").field("base", &self.base.as_str()).finish_non_exhaustive()
    }
}

impl JsonClient {
    /// A client for the host of `base`.
    pub fn new(base: Url) -> Result<Self, SetupError> {
        if !matches!(base.scheme(), "http" | "https") || !base.has_host() {
            return Err(SetupError::Address);
        }
        let client = client::client(&base, TIMEOUT, TIMEOUT)?;
        Ok(Self { base, bearer: None, client })
    }

    /// The same client with a bearer token.
    #[must_use]
    pub fn with_bearer(mut self, token: &str) -> Self {
        self.bearer = Some(token.to_owned());
        self
    }

    /// Gets `path`.
    pub async fn get(&self, path: &str) -> Result<JsonAnswer, JsonError> {
        self.send(Method::GET, path, None).await
    }

    /// Puts `body` to `path`.
    pub async fn put(&self, path: &str, body: &Value) -> Result<JsonAnswer, JsonError> {
        self.send(Method::PUT, path, Some(body)).await
    }

    /// Posts to `path`, with or without a body.
    pub async fn post(&self, path: &str, body: Option<&Value>) -> Result<JsonAnswer, JsonError> {
        self.send(Method::POST, path, body).await
    }

    /// Posts bytes of a media type to `path`.
    pub async fn post_bytes(
        &self,
        path: &str,
        media_type: &'static str,
        bytes: Vec<u8>,
    ) -> Result<JsonAnswer, JsonError> {
        let request = self.request(Method::POST, path)?.header(CONTENT_TYPE, media_type).body(bytes);
        self.answer(path, request).await
    }

    async fn send(&self, method: Method, path: &str, body: Option<&Value>) -> Result<JsonAnswer, JsonError> {
        let mut request = self.request(method, path)?;
        if let Some(body) = body {
            request = request.json(body);
        }
        self.answer(path, request).await
    }

    fn failed(&self, path: &str, detail: String) -> JsonError {
        JsonError { url: format!("{}{path}", self.base), detail }
    }

    fn request(&self, method: Method, path: &str) -> Result<RequestBuilder, JsonError> {
        let url = self.base.join(path).map_err(|error| self.failed(path, error.to_string()))?;
        let request = self.client.request(method, url);
        Ok(match &self.bearer {
            Some(bearer) => request.bearer_auth(bearer),
            None => request,
        })
    }

    async fn answer(&self, path: &str, request: RequestBuilder) -> Result<JsonAnswer, JsonError> {
        let failed = |detail: String| self.failed(path, detail);
        let response = request.send().await.map_err(|error| failed(NoAnswer::of(error).to_string()))?;
        let (status, answered_at) = (response.status().as_u16(), answered_at(response.headers()));
        let text = client::text(response, ANSWER_BYTES_MAX).await.map_err(|error| {
            failed(match error {
                BodyError::Transport(why) => why.to_string(),
                BodyError::TooLarge => format!("the answer is longer than {ANSWER_BYTES_MAX} bytes"),
                BodyError::NotText => "the answer is not UTF-8".to_owned(),
            })
        })?;
        let body = match serde_json::from_str(&text) {
            Ok(body) => body,
            Err(_) if text.is_empty() => Value::Null,
            Err(_) => Value::String(text),
        };
        Ok(JsonAnswer { status, body, answered_at })
    }
}
