//! Who carries webhooks to customers.

use async_trait::async_trait;
use gateway_domain_platform::webhooks::{Refused, Target};
use gateway_outbound::{NoAnswer, UnknownName};
use std::net::IpAddr;

/// One request to an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookRequest {
    /// Where to.
    pub target: Target,
    /// `webhook-id`: the same at every try.
    pub id: String,
    /// `webhook-timestamp`: seconds since 1970.
    pub timestamp: i64,
    /// `webhook-signature`: `v1,` and the signature in base64, one for each secret in force, with spaces between them.
    pub signature: String,
    /// JSON.
    pub body: String,
}

/// What an endpoint answered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WebhookResponse {
    /// Of HTTP; redirections are not followed.
    pub status: u16,
    /// How long it asks to be left alone, seconds.
    pub retry_after_s: Option<u64>,
    /// Where it says it moved. Nobody goes there.
    pub location: Option<String>,
    /// The beginning of the body.
    pub body: String,
}

impl WebhookResponse {
    /// Whether the event has arrived.
    pub const fn is_success(&self) -> bool {
        200 <= self.status && self.status <= 299
    }
}

/// Why there was no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WebhookSendError {
    /// The address leads inside, now.
    #[error("nothing was sent: {0}")]
    Refused(Refused),
    /// Nobody knows the name.
    #[error("the name could not be looked up: {0}")]
    Unknown(UnknownName),
    /// Nobody listens there, or they speak no TLS that is trusted.
    #[error("no connection: {0}")]
    Connect(NoAnswer),
    /// This machine can call nobody over TLS.
    #[error("TLS could not be set up: install the CA certificates of the gateway's system")]
    WithoutTls,
    /// It took too long.
    #[error("no answer within {seconds} s")]
    TimedOut {
        /// How long it was waited for.
        seconds: u64,
    },
    /// The connection broke, or what came was no HTTP.
    #[error("{0}")]
    Broken(NoAnswer),
}

impl WebhookSendError {
    /// One word for the log and the metrics.
    pub const fn class(&self) -> &'static str {
        match self {
            Self::Refused(_) => "address_refused",
            Self::Unknown(_) => "name_unknown",
            Self::Connect(_) | Self::WithoutTls => "connect",
            Self::TimedOut { .. } => "timeout",
            Self::Broken(_) => "broken",
        }
    }
}

/// Carries webhooks. Follows no redirect, goes through no proxy, keeps no cookie, and goes to no address inside unless
/// an operator allows it.
#[async_trait]
pub trait WebhookSender: Send + Sync + std::fmt::Debug {
    /// Sends once and reads the beginning of the answer.
    async fn deliver(&self, request: WebhookRequest) -> Result<WebhookResponse, WebhookSendError>;

    /// The addresses of a name, now.
    async fn look_up(&self, name: &str) -> Result<Vec<IpAddr>, WebhookSendError>;
}
