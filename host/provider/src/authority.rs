//! Tax authorities over HTTP, for their own lists of records: whatever a plugin asks goes to the address that an operator set, with the
//! certificate that they set, and the answer comes back as it is, within its bounds. What it means is the plugin's to say.

use crate::client::{self, BodyError, SetupError};
use async_trait::async_trait;
use gateway_domain::regime::RegimeKey;
use gateway_domain_reconciliation::ports::{AuthorityCalls, AuthorityError};
use gateway_domain_reconciliation::{ANSWER_BYTES_MAX, ListingAnswer, ListingMethod, ListingRequest};
use gateway_outbound::{CallMetrics, Calls, NoAnswer, Peer, log_causes, retry_after_s};
use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, Identity, Response, StatusCode};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;
use url::Url;

/// How an authority is reached.
pub struct AuthorityAddress {
    /// Where its list is asked for.
    pub url: Url,
    /// PEM: the certificate with which the gateway shows who it is, those that lead to a root, and the private key. None where the
    /// authority wants none.
    pub identity: Option<Vec<u8>>,
    /// Whether the stand-in plays it.
    pub is_stand_in: bool,
}

impl fmt::Debug for AuthorityAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthorityAddress")
            .field("url", &self.url.as_str())
            .field("has_identity", &self.identity.is_some())
            .field("is_stand_in", &self.is_stand_in)
            .finish()
    }
}

/// Why an authority cannot be called.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AuthoritySetupError {
    /// Certificate and key are none.
    #[error(
        "certificate and key cannot be used: give a certificate and its unencrypted private key, both as PEM"
    )]
    Identity,
    /// Address or TLS.
    #[error(transparent)]
    Client(#[from] SetupError),
}

/// The ways to authorities, by tax regime.
#[derive(Debug)]
pub struct HttpAuthorities {
    ways: BTreeMap<RegimeKey, Way>,
    calls: Calls,
}

#[derive(Debug)]
struct Way {
    url: Url,
    client: Client,
    is_stand_in: bool,
}

impl HttpAuthorities {
    /// A call takes no longer than `timeout`, the answer's body included.
    ///
    /// # Errors
    /// Of which regime the address, or the certificate, cannot be used.
    pub fn new(
        addresses: BTreeMap<RegimeKey, AuthorityAddress>,
        timeout: Duration,
    ) -> Result<Self, (RegimeKey, AuthoritySetupError)> {
        let mut ways = BTreeMap::new();
        for (regime, address) in addresses {
            let way = way(address, timeout).map_err(|error| (regime.clone(), error))?;
            ways.insert(regime, way);
        }
        Ok(Self { ways, calls: Calls::unmeasured(Peer::Authority) })
    }

    /// With its calls measured.
    #[must_use]
    pub fn measured(mut self, metrics: &CallMetrics) -> Self {
        self.calls = metrics.calls(Peer::Authority);
        self
    }
}

fn way(address: AuthorityAddress, timeout: Duration) -> Result<Way, AuthoritySetupError> {
    let AuthorityAddress { url, identity, is_stand_in } = address;
    if !gateway_outbound::is_plain(&url) {
        return Err(SetupError::Address.into());
    }
    let identity = identity.map(|pem| {
        Identity::from_pem(&pem).map_err(|error| {
            log_causes(&error);
            AuthoritySetupError::Identity
        })
    });
    let client = client::client_as(&url, timeout, timeout, identity.transpose()?)?;
    Ok(Way { url, client, is_stand_in })
}

impl Way {
    /// Where a request goes: never to another host, whatever its target is.
    fn address(&self, target: &str) -> Option<Url> {
        if target.is_empty() {
            return Some(self.url.clone());
        }
        let below = format!("{}{target}", self.url.as_str().trim_end_matches('/'));
        below.parse().ok().filter(|address: &Url| address.origin() == self.url.origin())
    }
}

#[async_trait]
impl AuthorityCalls for HttpAuthorities {
    fn is_stand_in(&self, regime: &RegimeKey) -> Option<bool> {
        self.ways.get(regime).map(|way| way.is_stand_in)
    }

    async fn ask(
        &self,
        regime: &RegimeKey,
        request: &ListingRequest,
    ) -> Result<ListingAnswer, AuthorityError> {
        let unusable = |detail: &str| AuthorityError::Unusable { detail: detail.to_owned() };
        let way = self.ways.get(regime).ok_or_else(|| unusable("it is not set where it is"))?;
        let address = way.address(&request.target).ok_or_else(|| unusable("the question leads nowhere"))?;
        let mut call = match request.method {
            ListingMethod::Get => way.client.get(address),
            ListingMethod::Post => way.client.post(address).body(request.body.clone()),
        };
        if let Some(content_type) = &request.content_type {
            call = call.header(CONTENT_TYPE, content_type);
        }
        for (name, value) in &request.headers {
            call = call.header(name, value);
        }
        let answer = self.calls.send(call).await.map_err(|error| away(&NoAnswer::of(error), None))?;
        read(answer).await
    }
}

/// An answer that says that nobody is there now is none.
async fn read(mut answer: Response) -> Result<ListingAnswer, AuthorityError> {
    let status = answer.status();
    if matches!(
        status,
        StatusCode::TOO_MANY_REQUESTS
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT
    ) {
        return Err(away(&format!("status {}", status.as_u16()), retry_after_s(answer.headers())));
    }
    let body = client::bytes(&mut answer, ANSWER_BYTES_MAX).await.map_err(|error| match error {
        BodyError::Transport(why) => away(&why, None),
        BodyError::TooLarge | BodyError::NotText => {
            let detail = format!("a page of it is larger than {} MiB", ANSWER_BYTES_MAX >> 20);
            AuthorityError::Unusable { detail }
        }
    })?;
    Ok(ListingAnswer { status: status.as_u16(), body })
}

fn away(detail: &dyn ToString, retry_after_s: Option<u64>) -> AuthorityError {
    AuthorityError::Unavailable { detail: detail.to_string(), retry_after_s }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    fn key() -> RegimeKey {
        "xx-example".parse().unwrap()
    }

    fn authorities(
        url: &str,
        identity: Option<Vec<u8>>,
    ) -> Result<HttpAuthorities, (RegimeKey, AuthoritySetupError)> {
        let address = AuthorityAddress { url: url.parse().unwrap(), identity, is_stand_in: false };
        HttpAuthorities::new(BTreeMap::from([(key(), address)]), Duration::from_secs(20))
    }

    fn request(target: &str) -> ListingRequest {
        ListingRequest {
            method: ListingMethod::Post,
            target: target.to_owned(),
            content_type: Some("text/xml".to_owned()),
            headers: vec![("soapaction".to_owned(), "\"\"".to_owned())],
            body: b"<question/>".to_vec(),
        }
    }

    /// The address of somebody who answers a request with this, and what they were sent.
    async fn peer(answer: Vec<u8>) -> (String, tokio::task::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/list", listener.local_addr().unwrap());
        let peer = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut sent = vec![0; 8192];
            let mut length = 0;
            while !String::from_utf8_lossy(&sent[..length]).contains("<question/>") {
                length += stream.read(&mut sent[length..]).await.unwrap();
            }
            // Whoever has enough closes the connection.
            let _ = stream.write_all(&answer).await;
            String::from_utf8_lossy(&sent[..length]).into_owned()
        });
        (url, peer)
    }

    #[tokio::test]
    async fn a_question_goes_out_as_it_is_and_the_answer_comes_back_as_it_is() {
        let answer = b"HTTP/1.1 500 Oops\r\ncontent-length: 3\r\n\r\n\xFF\x00<".to_vec();
        let (url, peer) = peer(answer).await;
        let answer = authorities(&url, None).unwrap().ask(&key(), &request("?page=2")).await;
        assert_eq!(answer, Ok(ListingAnswer { status: 500, body: vec![0xFF, 0, b'<'] }));
        let sent = peer.await.unwrap();
        assert!(sent.starts_with("POST /list?page=2 HTTP/1.1\r\n"), "{sent}");
        assert!(sent.contains("content-type: text/xml") && sent.contains("soapaction: \"\""), "{sent}");
    }

    #[tokio::test]
    async fn whoever_is_away_is_told_from_whoever_answers_too_much() {
        let (url, _peer) =
            peer(b"HTTP/1.1 503 Later\r\nretry-after: 7\r\ncontent-length: 0\r\n\r\n".to_vec()).await;
        let answer = authorities(&url, None).unwrap().ask(&key(), &request("")).await;
        let away = AuthorityError::Unavailable { detail: "status 503".to_owned(), retry_after_s: Some(7) };
        assert_eq!(answer, Err(away));
        let mut huge =
            format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", ANSWER_BYTES_MAX + 1).into_bytes();
        huge.resize(huge.len() + ANSWER_BYTES_MAX + 1, b'x');
        let (url, _peer) = peer(huge).await;
        let answer = authorities(&url, None).unwrap().ask(&key(), &request("")).await;
        assert!(
            matches!(&answer, Err(AuthorityError::Unusable { detail }) if detail.contains("12 MiB")),
            "{answer:?}"
        );
        let nobody = authorities("http://127.0.0.1:1/", None).unwrap().ask(&key(), &request("")).await;
        assert!(matches!(nobody, Err(AuthorityError::Unavailable { .. })));
    }

    #[test]
    fn a_target_never_leads_to_another_host() {
        let ways = authorities("https://authority.example/ws/list", None).unwrap().ways;
        let address = |target: &str| ways[&key()].address(target).map(|address| address.to_string());
        assert_eq!(address("").as_deref(), Some("https://authority.example/ws/list"));
        assert_eq!(address("/2?a=b").as_deref(), Some("https://authority.example/ws/list/2?a=b"));
        assert_eq!(address("?a=b").as_deref(), Some("https://authority.example/ws/list?a=b"));
        let bare = authorities("https://authority.example", None).unwrap().ways;
        assert_eq!(bare[&key()].address(".evil.example/"), None);
        assert_eq!(bare[&key()].address("@evil.example/"), None);
    }

    #[test]
    fn a_certificate_that_is_none_is_told_of_its_regime() {
        let (regime, error) =
            authorities("https://authority.example/", Some(b"secret".to_vec())).unwrap_err();
        assert_eq!((regime, error), (key(), AuthoritySetupError::Identity));
        let address = AuthorityAddress {
            url: "https://authority.example/".parse().unwrap(),
            identity: Some(b"secret".to_vec()),
            is_stand_in: false,
        };
        assert!(!format!("{address:?}").contains("115"), "the key is not printed");
    }
}
