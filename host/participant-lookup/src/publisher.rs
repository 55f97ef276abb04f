//! Requests to publishers (SMP, REST binding).

use gateway_domain_platform::webhooks::refused;
use gateway_domain_recipients::participant::{DocumentType, LookupDoubt, Participant};
use gateway_outbound::{
    CallMetrics, Calls, Names, Peer, SystemLookup, find_cause, log_causes, socket_addresses,
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
    allow_private: bool,
}

/// An address that is not called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the publisher is at an address that is not called")]
struct NotCalled;

/// Names become addresses here, and addresses inside do not come out.
#[derive(Debug, Clone)]
struct Outside {
    names: Names,
    allow_private: bool,
}

impl Resolve for Outside {
    fn resolve(&self, name: Name) -> Resolving {
        let Self { names, allow_private } = self.clone();
        Box::pin(async move {
            let mut found = names.addresses(name.as_str()).await?;
            found.retain(|address| allow_private || refused(*address).is_none());
            if found.is_empty() {
                return Err(NotCalled.into());
            }
            Ok(socket_addresses(found))
        })
    }
}

impl Publisher {
    /// One that is only called `without_tls` works on a machine without any CA certificate.
    pub(crate) fn new(timeout: Duration, allow_private: bool, without_tls: bool) -> Result<Self, SetupError> {
        let names = Names::new(Arc::new(SystemLookup::new(LOOKUPS_MAX)));
        let policy = move |attempt: Attempt<'_>| {
            if attempt.previous().len() > REDIRECTS_MAX {
                attempt.stop()
            } else if is_called(attempt.url(), allow_private) {
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
            .dns_resolver(Outside { names, allow_private });
        let builder = if without_tls { builder.tls_certs_only([]) } else { builder };
        let client = builder.build().map_err(|error| {
            log_causes(&error);
            SetupError
        })?;
        Ok(Self { client, calls: Calls::unmeasured(Peer::Publisher), allow_private })
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
        if !is_called(&address, self.allow_private) {
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

/// Whether an address is one of http(s) with a host and nothing that would not belong there.
pub(crate) fn is_plain(address: &Url) -> bool {
    matches!(address.scheme(), "http" | "https")
        && address.has_host()
        && address.username().is_empty()
        && address.password().is_none()
        && address.query().is_none()
        && address.fragment().is_none()
}

/// Whether an address is called: encrypted (SMP 1.4 has nothing else), and not at a number inside. Names are looked at when they are
/// connected to.
fn is_called(address: &Url, allow_private: bool) -> bool {
    let number = match address.host() {
        Some(Host::Ipv4(number)) => Some(IpAddr::V4(number)),
        Some(Host::Ipv6(number)) => Some(IpAddr::V6(number)),
        Some(Host::Domain(_)) | None => None,
    };
    let is_outside = number.and_then(refused).is_none();
    is_plain(address) && (allow_private || (address.scheme() == "https" && is_outside))
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
            assert_eq!(is_called(&address.parse().unwrap(), false), is_taken, "{address}");
        }
        assert!(is_called(&"http://127.0.0.1:8089/".parse().unwrap(), true));
        assert!(!is_called(&"ftp://127.0.0.1/".parse().unwrap(), true));
    }
}
