//! How an HTTP client of the gateway is built, and how an answer is read without trusting it.

use gateway_outbound::{Names, NoAnswer, SystemLookup, log_causes};
use reqwest::{Client, Identity, Response};
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Why no client could be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// The address cannot be called.
    #[error(
        "the address must be http or https, with a host and without user name, password, query or fragment"
    )]
    Address,
    /// TLS could not be set up; the log says why.
    #[error("TLS could not be set up: install the system's CA certificates")]
    Tls,
}

/// Why an answer has no usable body.
#[derive(Debug)]
pub(crate) enum BodyError {
    /// The connection broke or ran out of time.
    Transport(NoAnswer),
    /// More bytes than allowed.
    TooLarge,
    /// Not UTF-8.
    NotText,
}

/// Names that the system's resolver is asked for at a time: few hosts are called through one client.
const LOOKUPS_MAX: usize = 16;

/// A client that follows no redirects, so that a token never travels to another host.
pub(crate) fn client(address: &Url, connect: Duration, total: Duration) -> Result<Client, SetupError> {
    client_as(address, connect, total, None)
}

/// The same of one that shows who it is.
pub(crate) fn client_as(
    address: &Url,
    connect: Duration,
    total: Duration,
    identity: Option<Identity>,
) -> Result<Client, SetupError> {
    let builder = Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(connect)
        .timeout(total)
        .dns_resolver(Names::new(Arc::new(SystemLookup::new(LOOKUPS_MAX))))
        .user_agent(concat!("einvoicing-gateway/", env!("CARGO_PKG_VERSION")));
    // A plain address works on a machine without any CA certificate.
    let builder = if address.scheme() == "http" { builder.tls_certs_only([]) } else { builder };
    let builder = match identity {
        Some(identity) => builder.identity(identity),
        None => builder,
    };
    builder.build().map_err(|error| {
        log_causes(&error);
        SetupError::Tls
    })
}

/// The address of a path below a base address.
pub(crate) fn below(base: &Url, path: &[&str]) -> Url {
    let mut url = base.clone();
    // Never fails: an http address always has a path.
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.pop_if_empty().extend(path);
    }
    url
}

/// The body as text, at most `body_bytes_max` long.
pub(crate) async fn text(mut response: Response, body_bytes_max: usize) -> Result<String, BodyError> {
    String::from_utf8(bytes(&mut response, body_bytes_max).await?).map_err(|_| BodyError::NotText)
}

/// The body as it came, at most `body_bytes_max` long.
pub(crate) async fn bytes(response: &mut Response, body_bytes_max: usize) -> Result<Vec<u8>, BodyError> {
    let mut body = Vec::new();
    while let Some(chunk) =
        response.chunk().await.map_err(|error| BodyError::Transport(NoAnswer::of(error)))?
    {
        if body.len().saturating_add(chunk.len()) > body_bytes_max {
            return Err(BodyError::TooLarge);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}
