//! Access tokens: one for the gateway itself and one for each actor it acts for, reused until shortly before they end.

use super::answer;
use crate::client;
use gateway_domain::access::Actor;
use gateway_domain_finance::ports::InvoiceDataError;
use gateway_outbound::NoAnswer;
use reqwest::Client;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use url::Url;

/// Tokens kept at once: more actors than this take turns.
const TOKENS_MAX: usize = 256;
/// Longest answer of the token endpoint that is read, bytes.
const ANSWER_BYTES_MAX: usize = 64 * 1024;
/// How long a token is taken to be valid when the answer does not say.
const LIFETIME_DEFAULT_S: u64 = 60;
/// No token is reused for longer.
const LIFETIME_MAX_S: u64 = 24 * 60 * 60;

/// What the gateway proves itself with. Its `Debug` shows no secret.
#[derive(Clone)]
pub struct ClientCredentials {
    id: String,
    secret: Arc<str>,
}

impl ClientCredentials {
    /// The credentials of a client of the invoice data service.
    pub fn new(id: &str, secret: &str) -> Self {
        Self { id: id.to_owned(), secret: secret.into() }
    }
}

impl fmt::Debug for ClientCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientCredentials").field("id", &self.id).finish_non_exhaustive()
    }
}

/// A request for a token (RFC 6749, section 4.4.2).
#[derive(Serialize)]
struct TokenRequest<'a> {
    grant_type: &'a str,
    client_id: &'a str,
    client_secret: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    act: Option<Act<'a>>,
}

/// In whose name the gateway acts: `sub` is the end user.
#[derive(Serialize)]
struct Act<'a> {
    sub: &'a str,
}

#[derive(Deserialize)]
struct TokenIn {
    access_token: String,
    expires_in: Option<u64>,
}

struct CachedToken {
    token: Arc<str>,
    until: Instant,
}

/// The tokens of one service.
pub(super) struct Tokens {
    url: Url,
    credentials: ClientCredentials,
    /// By the end user acted for; none for the gateway itself.
    cache: Mutex<HashMap<Option<String>, CachedToken>>,
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokens").field("credentials", &self.credentials).finish_non_exhaustive()
    }
}

impl Tokens {
    pub(super) fn new(url: Url, credentials: ClientCredentials) -> Self {
        Self { url, credentials, cache: Mutex::new(HashMap::new()) }
    }

    fn cache(&self) -> MutexGuard<'_, HashMap<Option<String>, CachedToken>> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A token that acts for `by`.
    pub(super) async fn token(&self, client: &Client, by: &Actor) -> Result<Arc<str>, InvoiceDataError> {
        let act = end_user(by);
        let known = self
            .cache()
            .get(&act)
            .filter(|cached| cached.until > Instant::now())
            .map(|cached| cached.token.clone());
        if let Some(token) = known {
            return Ok(token);
        }
        let (token, lifetime) = self.fetch(client, act.as_deref()).await?;
        let now = Instant::now();
        let mut cache = self.cache();
        if cache.len() >= TOKENS_MAX {
            cache.retain(|_, token| token.until > now);
        }
        if cache.len() >= TOKENS_MAX {
            cache.clear();
        }
        cache.insert(act, CachedToken { token: token.clone(), until: now + lifetime });
        Ok(token)
    }

    /// Forgets a token that was refused, unless another one took its place.
    pub(super) fn forget(&self, by: &Actor, refused: &str) {
        let act = end_user(by);
        let mut cache = self.cache();
        if cache.get(&act).is_some_and(|cached| &*cached.token == refused) {
            cache.remove(&act);
        }
    }

    async fn fetch(
        &self,
        client: &Client,
        act: Option<&str>,
    ) -> Result<(Arc<str>, Duration), InvoiceDataError> {
        let ClientCredentials { id, secret } = &self.credentials;
        let request = TokenRequest {
            grant_type: "client_credentials",
            client_id: id,
            client_secret: secret,
            act: act.map(|sub| Act { sub }),
        };
        let sent = client.post(self.url.clone()).json(&request).send().await;
        let response = sent.map_err(|error| InvoiceDataError::Unavailable {
            detail: NoAnswer::of(error).to_string(),
            retry_after_s: None,
        })?;
        let status = response.status();
        let retry_after_s = gateway_outbound::retry_after_s(response.headers());
        let body = client::text(response, ANSWER_BYTES_MAX).await.unwrap_or_default();
        if !status.is_success() {
            return Err(match answer::error(status.as_u16(), retry_after_s, "") {
                InvoiceDataError::Refused(_) => InvoiceDataError::Unauthorised { status: status.as_u16() },
                error => error,
            });
        }
        let token: TokenIn = serde_json::from_str(&body).map_err(|_| InvoiceDataError::Protocol {
            detail: "the token endpoint gave no token".to_owned(),
        })?;
        let seconds = token.expires_in.unwrap_or(LIFETIME_DEFAULT_S).min(LIFETIME_MAX_S);
        // A tenth is left, so that no token ends on its way.
        Ok((token.access_token.into(), Duration::from_secs(seconds).mul_f32(0.9)))
    }
}

/// The end user in the token; none when the gateway acts on its own.
fn end_user(by: &Actor) -> Option<String> {
    (*by != Actor::gateway()).then(|| by.name().to_owned())
}
