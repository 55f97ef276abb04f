//! Posts the notifications of the stand-in provider. It lives here because this crate is the only home of an
//! HTTP client.

use crate::client::{self, SetupError};
use gateway_outbound::NoAnswer;
use reqwest::Client;
use serde_json::Value;
use std::fmt;
use std::time::Duration;
use url::Url;

/// Longest answer that is read, bytes: a receiver has nothing to say but a status and a wait.
const ANSWER_BYTES_MAX: usize = 64 * 1024;

/// What the receiver said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WebhookAnswer {
    /// The HTTP status.
    pub status: u16,
    /// `retry_in` of the body: how long the receiver asks to wait, seconds.
    pub retry_in_s: Option<u64>,
}

/// Why the receiver could not be asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the webhook's receiver did not answer ({0})")]
pub struct WebhookError(pub String);

/// Posts to one receiver. Its `Debug` shows no token.
#[derive(Clone)]
pub struct WebhookClient {
    url: Url,
    bearer: Option<String>,
    client: Client,
}

impl fmt::Debug for WebhookClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebhookClient").field("host", &self.url.host_str()).finish_non_exhaustive()
    }
}

impl WebhookClient {
    /// A client for `url`; `bearer` is sent as `Authorization: Bearer …`. `timeout` bounds one call.
    pub fn new(url: Url, bearer: Option<String>, timeout: Duration) -> Result<Self, SetupError> {
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(SetupError::Address);
        }
        let client = client::client(&url, timeout, timeout)?;
        Ok(Self { url, bearer, client })
    }

    /// Posts `body` as JSON once. An answer of any status is an answer; only silence is an error.
    pub async fn post(&self, body: &Value) -> Result<WebhookAnswer, WebhookError> {
        let mut request = self.client.post(self.url.clone()).json(body);
        if let Some(bearer) = &self.bearer {
            request = request.bearer_auth(bearer);
        }
        let response = request.send().await.map_err(|error| WebhookError(NoAnswer::of(error).to_string()))?;
        let status = response.status().as_u16();
        let answer: Value = client::text(response, ANSWER_BYTES_MAX)
            .await
            .ok()
            // All that a receiver may say beside the status is when to try again; most say nothing.
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default();
        Ok(WebhookAnswer { status, retry_in_s: answer.get("retry_in").and_then(Value::as_u64) })
    }
}
