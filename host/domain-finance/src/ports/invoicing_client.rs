//! The invoice data service, when it is not in this process.

use async_trait::async_trait;
use gateway_domain::FieldError;
use gateway_domain::access::Actor;
use gateway_domain::ids::{EventId, InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{Acceptance, Content, Invoice, InvoiceNumber};
use jiff::Timestamp;

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
    let complaints: Vec<_> =
        errors.iter().map(|error| format!("{}: {}", error.field, error.message)).collect();
    complaints.join("; ")
}

/// Something that a remote invoice data service tells of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedEvent {
    /// Names the event: told again, it is the same.
    pub id: EventId,
    /// Whose document.
    pub workspace: WorkspaceId,
    /// Which document.
    pub subject: InvoiceId,
    /// CloudEvents type.
    pub kind: String,
    /// When.
    pub time: Timestamp,
    /// By whom.
    pub actor: Actor,
    /// The document as it was after it, JSON.
    pub data: String,
}

/// A part of the event feed of a remote invoice data service.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeedPart {
    /// What happened, in order.
    pub events: Vec<FeedEvent>,
    /// What could not be read, a sentence each: passed over, because everything behind it would wait for ever.
    pub unreadable: Vec<String>,
    /// Where the next part starts; the service's own notation.
    pub next: String,
}

/// A remote invoice data service, as the finance service calls it (specification, "Invoice data service RPC
/// endpoints"). `by` is recorded there against what is done. `key` names a call: repeating it under the same key is
/// answered and not carried out again, where the service knows such keys.
#[async_trait]
pub trait InvoicingClient: Send + Sync + std::fmt::Debug {
    /// Names the service: its address. How far its feed was read is kept under this name.
    fn name(&self) -> &str;

    /// The document; none when there is no such one.
    async fn document(&self, by: &Actor, id: InvoiceId) -> Result<Option<Invoice>, InvoiceDataError>;

    /// Makes a draft where there is no such document, or replaces the content of a draft or a rejected document that is
    /// still at `expected_version`.
    async fn save(
        &self,
        by: &Actor,
        id: InvoiceId,
        workspace: WorkspaceId,
        content: &Content,
        expected_version: Option<i64>,
    ) -> Result<(), InvoiceDataError>;

    /// Deletes a draft that is still at `expected_version`.
    async fn delete(&self, by: &Actor, id: InvoiceId, expected_version: i64) -> Result<(), InvoiceDataError>;

    /// Moves a draft or rejected document to issuing, to be sent to a tax authority; `at` is the caller's own time.
    /// Not idempotent: a document that is issuing already refuses.
    /// With `expected_version`, only a document that is still at this version, where the service looks at that.
    async fn issuing(
        &self,
        by: &Actor,
        id: InvoiceId,
        at: Option<Timestamp>,
        expected_version: Option<i64>,
    ) -> Result<(), InvoiceDataError>;

    /// Makes a draft final at the caller's own time `at`, or an issuing document final with the authority's proof.
    /// With `expected_version`, only a document that is still at this version, where the service looks at that.
    async fn issue(
        &self,
        by: &Actor,
        id: InvoiceId,
        acceptance: Option<&Acceptance>,
        at: Option<Timestamp>,
        expected_version: Option<i64>,
        key: &str,
    ) -> Result<(), InvoiceDataError>;

    /// Makes a rejected or issuing document final as it was when it was sent under an earlier `number` of its own, which the
    /// authority accepted after all.
    async fn issue_earlier(
        &self,
        by: &Actor,
        id: InvoiceId,
        number: &InvoiceNumber,
        acceptance: &Acceptance,
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

    /// What happened to documents after a place in the event feed; none: from its beginning.
    async fn events(&self, after: Option<&str>) -> Result<FeedPart, InvoiceDataError>;
}
