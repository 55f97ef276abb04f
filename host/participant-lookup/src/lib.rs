//! Participants of a delivery network looked up as Peppol has it: the locator (SML, specification 1.3) says by DNS who publishes the
//! metadata of a participant, and the publisher (SMP, specification 1.4) says over HTTP which documents it receives, and where.
//!
//! A look-up is one DNS query (`sml`) and one or two requests (`publisher`), whose XML is read by `metadata`. All of them together take
//! no longer than is configured. Whoever publishes is chosen by participants, not by the operator: addresses inside are not connected to,
//! redirects are few, answers are bounded, and a document type declaration is no answer.
//!
//! Signatures of metadata are not verified, nor is DNSSEC: an answer is a hint to whoever issues, and no document is sent by it.
//!
//! Not here: who is looked up and what an answer means (`gateway-domain-recipients`), when (`gateway-recipients`).
//!
//! To read more of an answer: a function of `metadata` with a test of what is published, and of what nobody should publish.

#![deny(missing_docs)]
#![deny(clippy::wildcard_enum_match_arm)]

mod metadata;
mod publisher;
mod sml;
#[cfg(test)]
mod tests;

use async_trait::async_trait;
use gateway_domain_recipients::participant::{DocumentType, LookupDoubt, Participant, Reception};
use gateway_domain_recipients::ports::ParticipantDirectory;
use gateway_outbound::CallMetrics;
use jiff::Timestamp;
use metadata::Metadata;
use publisher::{Publisher, Reach};
use sml::Sml;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};
use url::Url;

pub use publisher::SetupError;

/// Who says where the metadata of a participant are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Locator {
    /// Nobody is asked: every participant has them at one address.
    Publisher {
        /// That address. It is called wherever it is.
        url: Url,
        /// Whether redirects from there to addresses inside, or to others without TLS, are followed.
        allow_private: bool,
    },
    /// The locator (SML).
    Sml {
        /// The zone of its names: `participant.sml.prod.tech.peppol.org`.
        zone: String,
        /// The name servers to ask; none: those of the system.
        name_servers: Vec<SocketAddr>,
        /// Whether publishers inside, and without TLS, are called.
        allow_private: bool,
    },
}

/// Looks participants up.
#[derive(Debug)]
pub struct NetworkDirectory {
    locator: Locate,
    publisher: Publisher,
    timeout: Duration,
}

#[derive(Debug)]
enum Locate {
    Fixed(Url),
    Sml(Sml),
}

impl NetworkDirectory {
    /// A look-up takes no longer than `timeout`.
    ///
    /// # Errors
    /// When TLS cannot be set up.
    pub fn new(locator: Locator, timeout: Duration) -> Result<Self, SetupError> {
        let (locator, publisher) = match locator {
            Locator::Publisher { url, allow_private } => {
                let reach = Reach { allow_private, configured: Some(url.clone()) };
                (Locate::Fixed(url), Publisher::new(timeout, reach)?)
            }
            Locator::Sml { zone, name_servers, allow_private } => {
                let sml = Sml { zone, name_servers, timeout };
                (Locate::Sml(sml), Publisher::new(timeout, Reach { allow_private, configured: None })?)
            }
        };
        Ok(Self { locator, publisher, timeout })
    }

    /// With its calls measured.
    #[must_use]
    pub fn measured(mut self, metrics: &CallMetrics) -> Self {
        self.publisher = self.publisher.measured(metrics);
        self
    }

    /// Who publishes the metadata of a participant; none of one that nobody registered.
    async fn locate(&self, participant: &Participant) -> Result<Option<Url>, LookupDoubt> {
        match &self.locator {
            Locate::Fixed(url) => Ok(Some(url.clone())),
            Locate::Sml(sml) => sml.publisher_of(participant).await,
        }
    }

    /// What a publisher knows.
    async fn ask(
        &self,
        base: &Url,
        participant: &Participant,
        document_type: DocumentType,
        now: Timestamp,
    ) -> Result<Reception, LookupDoubt> {
        let group = publisher::group_address(base, participant)?;
        let Some(group) = self.publisher.get(group).await? else { return Ok(Reception::NotRegistered) };
        if !metadata::is_listed(&group, participant, document_type)? {
            return Ok(Reception::OtherDocuments);
        }
        let mut address = publisher::metadata_address(base, participant, document_type)?;
        // A publisher may name another one for a type of documents; that one may not (SMP, "Redirect").
        for is_last in [false, true] {
            let Some(found) = self.publisher.get(address).await? else { break };
            match metadata::read(&found, participant, document_type, now)? {
                Metadata::InForce => return Ok(Reception::Receives),
                Metadata::NotInForce => break,
                Metadata::Redirect(_) if is_last => return Err(LookupDoubt::Unreadable),
                Metadata::Redirect(href) => address = href,
            }
        }
        Ok(Reception::OtherDocuments)
    }
}

#[async_trait]
impl ParticipantDirectory for NetworkDirectory {
    async fn look_up(
        &self,
        participant: &Participant,
        document_type: DocumentType,
        now: Timestamp,
    ) -> Result<Reception, LookupDoubt> {
        let deadline = Instant::now() + self.timeout;
        let located = timeout_at(deadline, self.locate(participant)).await;
        let Some(base) = located.map_err(|_| LookupDoubt::LocatorNoAnswer)?? else {
            return Ok(Reception::NotRegistered);
        };
        let answered = timeout_at(deadline, self.ask(&base, participant, document_type, now)).await;
        answered.unwrap_or(Err(LookupDoubt::NoAnswer))
    }

    fn has_one_publisher(&self) -> bool {
        matches!(self.locator, Locate::Fixed(_))
    }
}
