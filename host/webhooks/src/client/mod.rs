//! The only outbound HTTP to addresses that customers name: webhooks out.
//!
//! Follows no redirect, goes through no proxy, keeps no cookie, reads the beginning of an answer only, and connects to no
//! address inside: names are looked up here, at the moment of the connection, and what is refused is not connected to, so
//! that a name that leads elsewhere today than yesterday helps nobody. Addresses without a name are looked at before the
//! call, because nobody is asked for them.
//!
//! Not here: what is sent, when, and how it is signed (the other modules); which addresses are refused (`gateway-domain`).

mod answer;
mod guard;

use crate::sender::{WebhookRequest, WebhookResponse, WebhookSendError, WebhookSender};
use async_trait::async_trait;
use gateway_domain_platform::webhooks::refused;
use gateway_outbound::{
    CallMetrics, Calls, Lookup, NoAnswer, Peer, SystemLookup, UnknownName, find_cause, log_causes,
};
use guard::{Guard, LookupError};
use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, ClientBuilder};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

/// Limits of every call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientOptions {
    /// How long a connection may take to open.
    pub connect_timeout: Duration,
    /// How long a call may take, from the look-up of the name to the head of the answer.
    pub timeout: Duration,
    /// Whether addresses inside are connected to.
    pub allow_private: bool,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(5),
            timeout: Duration::from_secs(15),
            allow_private: false,
        }
    }
}

/// Names of endpoints that the system's resolver is asked for at a time: half of the threads that may block.
const DELIVERY_LOOKUPS_MAX: usize = 256;
/// Names to be registered that it is asked for at a time.
const REGISTRATION_LOOKUPS_MAX: usize = 16;
/// How long a registration waits for its name: who is not known by then is looked at when something is sent.
const REGISTRATION_TIMEOUT: Duration = Duration::from_secs(2);

/// Carries webhooks over HTTP.
#[derive(Debug)]
pub struct HttpWebhookSender {
    /// For `http`: works on a machine without any CA certificate.
    plain: Client,
    /// For `https`; none where TLS could not be set up.
    secure: Option<Client>,
    /// Looks at names before they are registered, apart from those that something is sent to.
    registration: Guard,
    options: ClientOptions,
    calls: Calls,
}

/// No client could be made; the log says why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the HTTP client for webhooks could not be set up: see the log")]
pub struct SetupError;

impl HttpWebhookSender {
    /// Looks names up as the system does.
    pub fn new(options: ClientOptions) -> Result<Self, SetupError> {
        let lookup = |threads| Arc::new(SystemLookup::new(threads)) as Arc<dyn Lookup>;
        Self::of(options, lookup(DELIVERY_LOOKUPS_MAX), lookup(REGISTRATION_LOOKUPS_MAX))
    }

    #[cfg(any(test, feature = "testing"))]
    /// Looks names up in a way of the caller's own; addresses inside are refused all the same.
    pub fn with_lookup(options: ClientOptions, lookup: Arc<dyn Lookup>) -> Result<Self, SetupError> {
        Self::of(options, Arc::clone(&lookup), lookup)
    }

    fn of(
        options: ClientOptions,
        delivery: Arc<dyn Lookup>,
        registration: Arc<dyn Lookup>,
    ) -> Result<Self, SetupError> {
        let guard = Guard::new(delivery, options.allow_private);
        let registration = Guard::new(registration, options.allow_private);
        let client = |certificates: bool| {
            let builder = Client::builder()
                .redirect(reqwest::redirect::Policy::none())
                .no_proxy()
                .referer(false)
                .retry(reqwest::retry::never())
                .connect_timeout(options.connect_timeout)
                .timeout(options.timeout)
                .pool_max_idle_per_host(4)
                .pool_idle_timeout(Duration::from_secs(30))
                .user_agent(concat!("einvoicing-gateway-webhooks/", env!("CARGO_PKG_VERSION")))
                .dns_resolver(guard.clone());
            if certificates { builder } else { ClientBuilder::tls_certs_only(builder, []) }
        };
        let plain = client(false).build().map_err(|error| {
            log_causes(&error);
            SetupError
        })?;
        let secure = client(true).build().inspect_err(|error| log_causes(error)).ok();
        Ok(Self { plain, secure, registration, options, calls: Calls::unmeasured(Peer::Webhook) })
    }

    /// With its calls measured.
    #[must_use]
    pub fn measured(mut self, metrics: &CallMetrics) -> Self {
        self.calls = metrics.calls(Peer::Webhook);
        self
    }

    fn client(&self, scheme: &str) -> Result<&Client, WebhookSendError> {
        if scheme == "http" {
            return Ok(&self.plain);
        }
        self.secure.as_ref().ok_or(WebhookSendError::WithoutTls)
    }

    fn failed(&self, error: reqwest::Error) -> WebhookSendError {
        if let Some(LookupError::Inside(inside)) = find_cause(&error) {
            return WebhookSendError::Refused(inside.clone());
        }
        let is_connect = error.is_connect();
        match NoAnswer::of(error) {
            NoAnswer::UnknownName(why) => WebhookSendError::Unknown(why),
            NoAnswer::TimedOut if !is_connect => {
                WebhookSendError::TimedOut { seconds: self.options.timeout.as_secs() }
            }
            why if is_connect => WebhookSendError::Connect(why),
            why => WebhookSendError::Broken(why),
        }
    }
}

#[async_trait]
impl WebhookSender for HttpWebhookSender {
    async fn deliver(&self, request: WebhookRequest) -> Result<WebhookResponse, WebhookSendError> {
        let url = request.target.url();
        if !self.options.allow_private
            && request.target.name().is_none()
            && let Some(inside) = url.host_str().and_then(number).and_then(refused)
        {
            return Err(WebhookSendError::Refused(inside));
        }
        let request = self
            .client(url.scheme())?
            .post(url.clone())
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", request.id)
            .header("webhook-timestamp", request.timestamp)
            .header("webhook-signature", request.signature)
            .body(request.body);
        let response = self.calls.send(request).await.map_err(|error| self.failed(error))?;
        Ok(answer::read(response).await)
    }

    async fn look_up(&self, name: &str) -> Result<Vec<IpAddr>, WebhookSendError> {
        let looking = tokio::time::timeout(REGISTRATION_TIMEOUT, self.registration.ask(name));
        match looking.await {
            Ok(found) => found.map_err(WebhookSendError::Unknown),
            Err(_) => Err(WebhookSendError::Unknown(UnknownName::TimedOut)),
        }
    }
}

/// The host of an address without a name.
fn number(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    #[derive(Debug)]
    struct SilentLookup;

    #[async_trait]
    impl Lookup for SilentLookup {
        async fn look_up(&self, _: &str) -> io::Result<Vec<IpAddr>> {
            std::future::pending().await
        }
    }

    #[tokio::test]
    async fn a_registration_does_not_wait_for_a_name_that_nobody_answers_for() {
        let sender =
            HttpWebhookSender::with_lookup(ClientOptions::default(), Arc::new(SilentLookup)).unwrap();
        let looking = sender.look_up("slow.example");
        let looked_up =
            tokio::time::timeout(10 * REGISTRATION_TIMEOUT, looking).await.expect("it is answered");
        assert_eq!(looked_up, Err(WebhookSendError::Unknown(UnknownName::TimedOut)));
    }
}
