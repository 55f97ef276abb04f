//! The external e-invoicing provider, as the finance service calls it.

use crate::{CallFailure, EntryFile};
use async_trait::async_trait;
use gateway_domain::ids::{EntryId, ProviderJobId};
use gateway_domain::regime::{ProviderFault, Stamp};
use jiff::Timestamp;
use std::sync::Arc;
use uuid::Uuid;

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
    /// The one that was asked for: an answer about another entry is an error.
    pub id: Uuid,
    /// As given when it was stored; none when the provider shows none or an empty one.
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

/// Entries of one page, at most.
pub const ENTRIES_PER_PAGE: u16 = 100;

/// An entry in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedEntry {
    /// Which entry.
    pub id: Uuid,
    /// When it was stored first, by the provider's clock.
    pub created_at: Timestamp,
    /// The provider's word for its state; empty when it has none.
    pub state: String,
    /// What it holds, without [`Entry::raw`]; none when that is no document.
    pub entry: Option<Entry>,
}

/// Which entries a list shows, and in which order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryOrder {
    /// What was stored at this instant or later, the oldest first.
    Since(Timestamp),
    /// All, the newest first.
    NewestFirst,
}

/// A page of entries.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryPage {
    /// In the order of the list.
    pub entries: Vec<ListedEntry>,
    /// Where the next page begins; none behind the last.
    pub next: Option<String>,
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
    /// The one that was asked for: an answer about another job is an error.
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

/// The external e-invoicing provider (specification, Outbound calls to the provider). PUT and GET only, but
/// for an amendment: the provider replaces no entry by a PUT.
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

    /// Puts `document` in the place of what the entry holds. The same again changes nothing.
    async fn replace_entry(
        &self,
        access: &ProviderAccess,
        entry: EntryId,
        document: &str,
    ) -> Result<Entry, ProviderError>;

    /// As it is now; [`ProviderError::NotFound`] when nothing is stored under this id.
    async fn get_entry(&self, access: &ProviderAccess, entry: EntryId) -> Result<Entry, ProviderError>;

    /// Entries in an order, at most [`ENTRIES_PER_PAGE`]; behind the page that gave `cursor`, or from the first.
    async fn list_entries(
        &self,
        access: &ProviderAccess,
        order: EntryOrder,
        cursor: Option<&str>,
    ) -> Result<EntryPage, ProviderError>;

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
        job: ProviderJobId,
        workflow_id: Uuid,
        entry: EntryId,
        key: &str,
    ) -> Result<Job, ProviderError>;

    /// How far the job is.
    async fn get_job(&self, access: &ProviderAccess, job: ProviderJobId) -> Result<Job, ProviderError>;
}
