//! Requests to publishers (SMP, REST binding).

use gateway_domain_platform::webhooks::refused;
use gateway_domain_recipients::participant::{DocumentType, LookupDoubt, Participant};
use gateway_outbound::{
    CallMetrics, Calls, Names, Peer, SystemLookup, find_cause, is_plain, log_causes, socket_addresses,
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::dns::{Name, Resolve, Resolving};
use reqwest::redirect::{Attempt, Policy};
use reqwest::{Client, Response, StatusCode};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use url::{Host, Url};

/// What a segment of a path keeps (RFC 3986, unreserved); identifiers are encoded whole, colons and hashes included.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// Longest answer that is read, bytes: a participant with a thousand types of documents.
const ANSWER_BYTES_MAX: usize = 1024 * 1024;
/// HTTP redirects that are followed.
const REDIRECTS_MAX: usize = 3;
/// Names that the system's resolver is asked for at a time.
const LOOKUPS_MAX: usize = 16;

/// TLS could not be set up; the log says why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("TLS could not be set up: install the system's CA certificates")]
pub struct SetupError;

/// Calls publishers.
#[derive(Debug)]
pub(crate) struct Publisher {
    client: Client,
    calls: Calls,
    reach: Reach,
}

/// Which addresses are called.
#[derive(Debug, Clone)]
pub(crate) struct Reach {
    /// Those inside, and those without TLS.
    pub(crate) allow_private: bool,
    /// Where the operator said that the publisher is: whoever configures it knows. Nothing that it redirects to is excepted.
    pub(crate) configured: Option<Url>,
}

impl Reach {
    fn is_configured(&self, address: &Url) -> bool {
        self.configured.as_ref().is_some_and(|configured| configured.origin() == address.origin())
    }

    fn is_configured_host(&self, name: &str) -> bool {
        self.configured.as_ref().and_then(Url::host_str).is_some_and(|host| host.eq_ignore_ascii_case(name))
    }

    /// Whether an address is called: encrypted (SMP 1.4 has nothing else), and not at a number inside. Names are looked at when they
    /// are connected to.
    fn has(&self, address: &Url) -> bool {
        let number = match address.host() {
            Some(Host::Ipv4(number)) => Some(IpAddr::V4(number)),
            Some(Host::Ipv6(number)) => Some(IpAddr::V6(number)),
            Some(Host::Domain(_)) | None => None,
        };
        let is_outside = number.and_then(refused).is_none();
        let is_excepted = self.allow_private || self.is_configured(address);
        is_plain(address) && (is_excepted || (address.scheme() == "https" && is_outside))
    }
}

/// An address that is not called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the publisher is at an address that is not called")]
struct NotCalled;

/// Names become addresses here, and addresses inside do not come out.
#[derive(Debug, Clone)]
struct Outside {
    names: Names,
    reach: Reach,
}

impl Resolve for Outside {
    fn resolve(&self, name: Name) -> Resolving {
        let Self { names, reach } = self.clone();
        Box::pin(async move {
            let mut found = names.addresses(name.as_str()).await?;
            let is_excepted = reach.allow_private || reach.is_configured_host(name.as_str());
            found.retain(|address| is_excepted || refused(*address).is_none());
            if found.is_empty() {
                return Err(NotCalled.into());
            }
            Ok(socket_addresses(found))
        })
    }
}

impl Publisher {
    /// One that was configured without TLS works on a machine without any CA certificate.
    pub(crate) fn new(timeout: Duration, reach: Reach) -> Result<Self, SetupError> {
        let names = Names::new(Arc::new(SystemLookup::new(LOOKUPS_MAX)));
        let without_tls = reach.configured.as_ref().is_some_and(|configured| configured.scheme() == "http");
        let allowed = reach.clone();
        let policy = move |attempt: Attempt<'_>| {
            if attempt.previous().len() > REDIRECTS_MAX {
                attempt.stop()
            } else if allowed.has(attempt.url()) {
                attempt.follow()
            } else {
                attempt.error(NotCalled)
            }
        };
        let builder = Client::builder()
            .redirect(Policy::custom(policy))
            .no_proxy()
            .referer(false)
            .retry(reqwest::retry::never())
            .connect_timeout(timeout)
            .timeout(timeout)
            .pool_max_idle_per_host(1)
            .pool_idle_timeout(Duration::from_secs(10))
            .user_agent(concat!("einvoicing-gateway/", env!("CARGO_PKG_VERSION")))
            .dns_resolver(Outside { names, reach: reach.clone() });
        let builder = if without_tls { builder.tls_certs_only([]) } else { builder };
        let client = builder.build().map_err(|error| {
            log_causes(&error);
            SetupError
        })?;
        Ok(Self { client, calls: Calls::unmeasured(Peer::Publisher), reach })
    }

    pub(crate) fn measured(mut self, metrics: &CallMetrics) -> Self {
        self.calls = metrics.calls(Peer::Publisher);
        self
    }

    /// What is published at an address; none where there is nothing.
    ///
    /// # Errors
    /// Why nobody knows.
    pub(crate) async fn get(&self, address: Url) -> Result<Option<String>, LookupDoubt> {
        if !self.reach.has(&address) {
            return Err(LookupDoubt::AddressRefused);
        }
        let response = self.calls.send(self.client.get(address)).await.map_err(|error| doubt_of(&error))?;
        match response.status() {
            StatusCode::OK => text(response).await.map(Some),
            StatusCode::NOT_FOUND => Ok(None),
            _ => Err(LookupDoubt::PublisherError),
        }
    }
}

fn doubt_of(error: &reqwest::Error) -> LookupDoubt {
    log_causes(error);
    if find_cause::<NotCalled>(error).is_some() { LookupDoubt::AddressRefused } else { LookupDoubt::NoAnswer }
}

/// The body as text, bounded.
async fn text(mut response: Response) -> Result<String, LookupDoubt> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| doubt_of(&error))? {
        if body.len().saturating_add(chunk.len()) > ANSWER_BYTES_MAX {
            return Err(LookupDoubt::Unreadable);
        }
        body.extend_from_slice(&chunk);
    }
    String::from_utf8(body).map_err(|_| LookupDoubt::Unreadable)
}

/// Where a publisher lists what a participant receives (`ServiceGroup`).
pub(crate) fn group_address(base: &Url, participant: &Participant) -> Result<Url, LookupDoubt> {
    below(base, &encoded(&participant.to_string()))
}

/// Where it says how (`SignedServiceMetadata`).
pub(crate) fn metadata_address(
    base: &Url,
    participant: &Participant,
    document_type: DocumentType,
) -> Result<Url, LookupDoubt> {
    let (participant, document_type) =
        (encoded(&participant.to_string()), encoded(document_type.identifier()));
    below(base, &format!("{participant}/services/{document_type}"))
}

fn encoded(identifier: &str) -> String {
    utf8_percent_encode(identifier, ENCODED).to_string()
}

fn below(base: &Url, path: &str) -> Result<Url, LookupDoubt> {
    let address = format!("{}/{path}", base.as_str().trim_end_matches('/'));
    address.parse().map_err(|_| LookupDoubt::LocatorUnreadable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_encoded_whole() {
        let base: Url = "https://smp.example/".parse().unwrap();
        let participant = Participant::parse("0192:991825827").unwrap();
        let group = group_address(&base, &participant).unwrap();
        assert_eq!(group.as_str(), "https://smp.example/iso6523-actorid-upis%3A%3A0192%3A991825827");
        let metadata = metadata_address(&base, &participant, DocumentType::Invoice).unwrap();
        assert_eq!(
            metadata.as_str(),
            "https://smp.example/iso6523-actorid-upis%3A%3A0192%3A991825827/services/busdox-docid-qns%3A%3Aurn%3Aoasis%3Anames%3Aspecification%3Aubl%3Aschema%3Axsd%3AInvoice-2%3A%3AInvoice%23%23urn%3Acen.eu%3Aen16931%3A2017%23compliant%23urn%3Afdc%3Apeppol.eu%3A2017%3Apoacc%3Abilling%3A3.0%3A%3A2.1"
        );
    }

    #[test]
    fn a_number_that_could_leave_its_segment_does_not() {
        let base: Url = "https://smp.example/smp".parse().unwrap();
        let participant = Participant::parse("0192:../../a?b#c").unwrap();
        let group = group_address(&base, &participant).unwrap();
        assert_eq!(
            group.as_str(),
            "https://smp.example/smp/iso6523-actorid-upis%3A%3A0192%3A..%2F..%2Fa%3Fb%23c"
        );
    }

    #[test]
    fn addresses_inside_and_unencrypted_ones_are_not_called() {
        for (address, is_taken) in [
            ("https://smp.example/", true),
            ("https://93.184.216.34/", true),
            ("http://smp.example/", false),
            ("https://127.0.0.1/", false),
            ("https://10.0.0.1/", false),
            ("https://[::1]/", false),
            ("https://169.254.169.254/", false),
            ("https://user@smp.example/", false),
            ("ftp://smp.example/", false),
        ] {
            let reach = Reach { allow_private: false, configured: None };
            assert_eq!(reach.has(&address.parse().unwrap()), is_taken, "{address}");
        }
        let private = Reach { allow_private: true, configured: None };
        assert!(private.has(&"http://127.0.0.1:8089/".parse().unwrap()));
        assert!(!private.has(&"ftp://127.0.0.1/".parse().unwrap()));
    }

    #[test]
    fn what_is_configured_is_called_and_nothing_else_inside_is() {
        let configured = Some("http://127.0.0.1:8089/smp".parse().unwrap());
        let reach = Reach { allow_private: false, configured };
        for (address, is_taken) in [
            ("http://127.0.0.1:8089/smp/a", true),
            ("https://smp.example/", true),
            ("http://127.0.0.1:8081/metrics", false),
            ("https://127.0.0.1:8089/", false),
            ("http://169.254.169.254/latest", false),
            ("http://smp.example/", false),
        ] {
            assert_eq!(reach.has(&address.parse().unwrap()), is_taken, "{address}");
        }
    }
}
