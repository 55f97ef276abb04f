//! What the rules need from outside. A trait only where a second implementation exists.

mod invoicing_client;
mod webhook_sender;

pub use invoicing_client::{FeedPart, InvoiceDataError, InvoicingClient, ToldEvent};
pub use webhook_sender::{Answered, NotDelivered, WebhookRequest, WebhookSender};

use crate::fault::Fault;
use crate::finance::{CallFailure, EntryFile};
use crate::ids::{EntryId, EventId, JobId, WorkspaceId};
use crate::invoicing::Recipient;
use crate::regime::{
    EvidenceDescription, Identity, PluginRef, ProviderFault, ProviderReport, RegimeContext,
    RegimeDescription, RegimeInvoice, RegimeKey, Stamp, StructuredDocument, Verdict,
};
use async_trait::async_trait;
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

/// The time. Tests stand still or jump.
pub trait Clock: Send + Sync + std::fmt::Debug {
    /// The present instant, microsecond precision.
    fn now(&self) -> Timestamp;
}

/// Fresh identifiers, time-ordered (UUID version 7).
pub trait Ids: Send + Sync + std::fmt::Debug {
    /// An identifier that was never given before.
    fn next(&self) -> Uuid;
}

/// Why a regime gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConverterError {
    /// No plugin with this key is active: an operator has to install one.
    #[error("no plugin for the tax regime '{0}' is active: install or activate it")]
    UnknownRegime(RegimeKey),
    /// The document cannot be expressed: the plugin says why. Never empty.
    #[error("the tax regime refuses the document")]
    Faults(Vec<Fault>),
    /// The plugin misbehaved: it trapped, ran out of time or memory, or returned rubbish. One clear fault.
    #[error("{}", .0.message)]
    Broken(Fault),
    /// Too many conversions are running: try again.
    #[error("the plugin host is busy: try again in a moment")]
    Busy,
}

/// The code of the fault of a plugin that is called no more because it kept misbehaving: no document causes it, and it
/// ends when an operator activates a version.
pub const PLUGIN_BLOCKED: &str = "PLUGIN-BLOCKED";

/// What a regime produced, and which plugin it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made<T> {
    /// The product.
    pub value: T,
    /// Who made it.
    pub plugin: PluginRef,
}

/// The tax regimes in force, workspace by workspace: one may have another version of a plugin than the rest.
pub trait Regimes: Send + Sync + std::fmt::Debug {
    /// The regimes as `workspace` has them. A version of its own goes before the one for everybody.
    fn within(self: Arc<Self>, workspace: WorkspaceId) -> Arc<dyn Converter>;
}

/// The tax regimes in force for one workspace.
#[async_trait]
pub trait Converter: Send + Sync + std::fmt::Debug {
    /// Every active regime, by key.
    fn regimes(&self) -> Vec<(Arc<RegimeDescription>, PluginRef)>;

    /// One active regime.
    fn describe(&self, key: &RegimeKey) -> Option<(Arc<RegimeDescription>, PluginRef)>;

    /// What the gateway checks by itself of the proofs of a regime's authority. None when no plugin is active for the
    /// regime, or when it leaves this to itself.
    fn evidence(&self, key: &RegimeKey) -> Option<Arc<EvidenceDescription>>;

    /// Everything that would make the authority refuse the document.
    async fn check(
        &self,
        key: &RegimeKey,
        invoice: &RegimeInvoice,
        context: &RegimeContext,
    ) -> Result<Made<Vec<Fault>>, ConverterError>;

    /// The structured document.
    async fn convert(
        &self,
        key: &RegimeKey,
        invoice: &RegimeInvoice,
        context: &RegimeContext,
    ) -> Result<Made<StructuredDocument>, ConverterError>;

    /// A recipient's identity in the terms of the tax system.
    async fn map_identity(
        &self,
        key: &RegimeKey,
        recipient: &Recipient,
    ) -> Result<Made<Identity>, ConverterError>;

    /// What the provider's report means.
    async fn interpret(
        &self,
        key: &RegimeKey,
        report: &ProviderReport,
    ) -> Result<Made<Verdict>, ConverterError>;
}

/// How one workspace talks to the provider.
#[derive(Debug, Clone)]
pub struct ProviderAccess {
    /// The bearer token. Its `Debug` shows nothing.
    pub token: ProviderToken,
}

/// A bearer token for the provider; never shown.
#[derive(Clone)]
pub struct ProviderToken(Arc<str>);

impl ProviderToken {
    /// Takes a token that was just decrypted.
    pub fn new(token: &str) -> Self {
        Self(token.into())
    }

    /// The token, for the `Authorization` header and nothing else.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for ProviderToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ProviderToken(…)")
    }
}

/// Why a call to the provider gave no result, by what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// No answer, 5xx, 408 or 429: the same call may succeed later.
    #[error("the provider did not answer ({detail}): the call is repeated")]
    Unavailable {
        /// What happened, without secrets.
        detail: String,
        /// How long the provider asks to wait, seconds.
        retry_after_s: Option<u64>,
    },
    /// 401 or 403: the token of the workspace is wrong.
    #[error(
        "the provider refused the token (HTTP {status}): set a valid one with 'gateway workspace e-invoicing set'"
    )]
    Unauthorised {
        /// The answer's status.
        status: u16,
    },
    /// 409: the id or key was used before.
    #[error("the provider knows this id or key already")]
    Conflict,
    /// 404.
    #[error("the provider does not know this id")]
    NotFound,
    /// The content was refused: 400, 413, 415, 422.
    #[error("the provider refused the content (HTTP {status})")]
    Refused {
        /// The answer's status.
        status: u16,
        /// The provider's complaints; at least one.
        faults: Vec<ProviderFault>,
    },
    /// An answer that does not follow the protocol.
    #[error("the provider's answer was not understood: {detail}")]
    Protocol {
        /// What was wrong, without secrets.
        detail: String,
    },
}

impl ProviderError {
    /// What kind of failure this is.
    pub const fn class(&self) -> CallFailure {
        match self {
            Self::Unavailable { .. } => CallFailure::Unavailable,
            Self::Unauthorised { .. } => CallFailure::Unauthorised,
            Self::Conflict => CallFailure::Conflict,
            Self::NotFound => CallFailure::NotFound,
            Self::Refused { .. } => CallFailure::Refused,
            Self::Protocol { .. } => CallFailure::Protocol,
        }
    }
}

/// A stored entry, as far as the gateway reads it.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its id.
    pub id: Uuid,
    /// Its idempotency key.
    pub key: Option<String>,
    /// The bare structured document inside the envelope.
    pub document: serde_json::Value,
    /// Whether the envelope is signed: nothing of the document changes after that.
    pub signed: bool,
    /// Proofs in the envelope's header.
    pub stamps: Vec<Stamp>,
    /// The entry's own complaints.
    pub faults: Vec<ProviderFault>,
    /// What was made of it.
    pub files: Vec<EntryFile>,
    /// The entry as sent, JSON.
    pub raw: String,
}

/// How far a job is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobProgress {
    /// Still running or queued.
    Running,
    /// Every step succeeded.
    Succeeded,
    /// A step failed for good.
    Failed,
}

/// A job, as far as the gateway reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Its id.
    pub id: Uuid,
    /// The entry it works on, if the provider says so.
    pub entry: Option<Uuid>,
    /// How far it is.
    pub progress: JobProgress,
    /// When it began, by the provider's clock.
    pub created_at: Option<Timestamp>,
    /// Its complaints, those of its steps included.
    pub faults: Vec<ProviderFault>,
    /// The providers of the steps that did not fail, those that have not ended included; empty for one without a name.
    pub sound_steps: Vec<String>,
    /// The job as sent, JSON.
    pub raw: String,
}

/// The external e-invoicing provider (specification, Outbound calls to the provider). PUT and GET only.
#[async_trait]
pub trait Provider: Send + Sync + std::fmt::Debug {
    /// Stores `document` under `entry`. `key` is the idempotency key.
    async fn put_entry(
        &self,
        access: &ProviderAccess,
        entry: EntryId,
        key: &str,
        document: &str,
    ) -> Result<Entry, ProviderError>;

    /// The stored entry.
    async fn get_entry(&self, access: &ProviderAccess, entry: EntryId) -> Result<Entry, ProviderError>;

    /// The content of a file of the entry, text of at most `bytes_max` bytes.
    async fn get_file(
        &self,
        access: &ProviderAccess,
        entry: EntryId,
        file: Uuid,
        bytes_max: usize,
    ) -> Result<String, ProviderError>;

    /// Starts the workflow on the entry. `key` is the idempotency key.
    async fn put_job(
        &self,
        access: &ProviderAccess,
        job: JobId,
        workflow_id: Uuid,
        entry: EntryId,
        key: &str,
    ) -> Result<Job, ProviderError>;

    /// How far the job is.
    async fn get_job(&self, access: &ProviderAccess, job: JobId) -> Result<Job, ProviderError>;
}

/// An event of the log on its way to the message bus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// Its place in the feed, from 1 without gaps.
    pub position: i64,
    /// Consumers deduplicate by it.
    pub id: EventId,
    /// CloudEvents source: `/invoicing`, `/finance` or `/platform`.
    pub source: String,
    /// CloudEvents type.
    pub kind: String,
    /// Whose.
    pub workspace: WorkspaceId,
    /// What it happened to.
    pub subject: Uuid,
    /// The whole event as CloudEvents 1.0 JSON.
    pub body: String,
}

/// Why the bus did not take or give events. The log keeps them, so the call is repeated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the event bus did not answer ({detail}): it is asked again")]
pub struct BusError {
    /// What happened, without secrets.
    pub detail: String,
}

/// Where relayed events go. The event log stays the truth: whoever consumes reads the log, and hears from the bus
/// that there is something to read, so what a bus loses, doubles or reorders changes nothing inside the gateway.
#[async_trait]
pub trait EventSink: Send + Sync + std::fmt::Debug {
    /// The name under which the relay remembers how far the sink has taken the feed. None for a sink that keeps
    /// nothing: it is only given the newest event of each round.
    fn remembered_as(&self) -> Option<&'static str>;

    /// Takes events, in the order of the feed. Those that it has taken before are not kept twice. When the call
    /// fails, some of the first ones may have been taken.
    async fn publish(&self, events: &[Outgoing]) -> Result<(), BusError>;

    /// Opens the subscription of a consumer; all processes of one consumer share it.
    async fn subscribe(&self, consumer: &str) -> Result<Box<dyn Subscription>, BusError>;
}

/// What a consumer hears from the bus.
#[async_trait]
pub trait Subscription: Send + std::fmt::Debug {
    /// Waits for news, at most `timeout`, and says up to which position of the feed there are any. None is no
    /// promise that there are none.
    async fn heard(&mut self, timeout: Duration) -> Result<Option<i64>, BusError>;

    /// The consumer is done, durably, with everything up to this position.
    async fn done(&mut self, position: i64) -> Result<(), BusError>;
}
