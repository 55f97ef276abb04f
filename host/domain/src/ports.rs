//! What the rules need from outside. A trait only where a second implementation exists.

use crate::access::Actor;
use crate::fault::Fault;
use crate::ids::{EntryId, InvoiceId, JobId, WorkspaceId};
use crate::invoicing::{Acceptance, Content, FieldError, Invoice};
use crate::regime::{
    PluginRef, ProviderFault, ProviderReport, RegimeContext, RegimeDescription, RegimeInvoice, RegimeKey,
    Stamp, StructuredDocument, Verdict,
};
use async_trait::async_trait;
use jiff::Timestamp;
use std::sync::Arc;
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

/// What a regime produced, and which plugin it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made<T> {
    /// The product.
    pub value: T,
    /// Who made it.
    pub plugin: PluginRef,
}

/// The tax regimes in force.
#[async_trait]
pub trait Converter: Send + Sync + std::fmt::Debug {
    /// Every active regime, by key.
    fn regimes(&self) -> Vec<(Arc<RegimeDescription>, PluginRef)>;

    /// One active regime.
    fn describe(&self, key: &RegimeKey) -> Option<(Arc<RegimeDescription>, PluginRef)>;

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

/// A stored entry, as far as the gateway reads it.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its id.
    pub id: Uuid,
    /// Its idempotency key.
    pub key: Option<String>,
    /// The bare structured document inside the envelope.
    pub document: serde_json::Value,
    /// Proofs in the envelope's header.
    pub stamps: Vec<Stamp>,
    /// The entry's own complaints.
    pub faults: Vec<ProviderFault>,
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
    /// How far it is.
    pub progress: JobProgress,
    /// Its complaints, those of its steps included.
    pub faults: Vec<ProviderFault>,
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

/// Why the invoice data service did not do what finance asked, by what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvoiceDataError {
    /// 410: no such document. Nothing changed.
    #[error("the invoice data service knows no such document")]
    Gone,
    /// 412: the document is at another version than the caller read. Nothing changed.
    #[error("the document changed at the invoice data service since it was read")]
    Stale,
    /// 422 and its like: the document does not take it. Nothing changed.
    #[error("the invoice data service refused: {}", complaints(.0))]
    Refused(Vec<FieldError>),
    /// No answer, 5xx, 408, 409 or 429: it may have been carried out or not; the document tells.
    #[error("the invoice data service did not answer ({detail}): the call is repeated")]
    Unavailable {
        /// What happened, without secrets.
        detail: String,
        /// How long the service asks to wait, seconds.
        retry_after_s: Option<u64>,
    },
    /// The service refused the credentials, or their permissions. Nothing changed.
    #[error(
        "the invoice data service refused the gateway (HTTP {status}): check finance.invoicing_client_id, its secret, its permission invoicing.rpc and its workspaces"
    )]
    Unauthorised {
        /// The answer's status.
        status: u16,
    },
    /// An answer that does not follow the protocol: it may have been carried out or not; the document tells.
    #[error("the answer of the invoice data service was not understood: {detail}")]
    Protocol {
        /// What was wrong, without secrets.
        detail: String,
    },
}

impl InvoiceDataError {
    /// Whether the call may have been carried out all the same.
    pub const fn is_open(&self) -> bool {
        match self {
            Self::Unavailable { .. } | Self::Protocol { .. } => true,
            Self::Gone | Self::Stale | Self::Refused(_) | Self::Unauthorised { .. } => false,
        }
    }
}

fn complaints(errors: &[FieldError]) -> String {
    let told: Vec<_> = errors.iter().map(|error| format!("{}: {}", error.field, error.message)).collect();
    told.join("; ")
}

/// An invoice data service elsewhere, as the finance service calls it (specification, "Invoice data service RPC
/// endpoints"). `by` is recorded there against what is done. `key` names a call: repeating it under the same key is
/// answered and not carried out again, where the service knows such keys.
#[async_trait]
pub trait InvoiceData: Send + Sync + std::fmt::Debug {
    /// The document; none when there is no such one.
    async fn document(&self, by: &Actor, id: InvoiceId) -> Result<Option<Invoice>, InvoiceDataError>;

    /// Makes a draft, or replaces the content of a draft or a rejected document that is still at version `seen`.
    async fn save(
        &self,
        by: &Actor,
        id: InvoiceId,
        workspace: WorkspaceId,
        content: &Content,
        seen: Option<i64>,
    ) -> Result<(), InvoiceDataError>;

    /// Deletes a draft that is still at version `seen`.
    async fn delete(&self, by: &Actor, id: InvoiceId, seen: i64) -> Result<(), InvoiceDataError>;

    /// Moves a draft or rejected document to issuing, to be sent to a tax authority; `at` is the caller's own time.
    /// Not idempotent: a document that is issuing already refuses.
    async fn issuing(&self, by: &Actor, id: InvoiceId, at: Option<Timestamp>)
    -> Result<(), InvoiceDataError>;

    /// Makes a draft final at the caller's own time `at`, or an issuing document final with the authority's proof.
    async fn issue(
        &self,
        by: &Actor,
        id: InvoiceId,
        acceptance: Option<&Acceptance>,
        at: Option<Timestamp>,
        key: &str,
    ) -> Result<(), InvoiceDataError>;

    /// Moves an issuing document to rejected.
    async fn reject(
        &self,
        by: &Actor,
        id: InvoiceId,
        reason: &str,
        key: &str,
    ) -> Result<(), InvoiceDataError>;
}
