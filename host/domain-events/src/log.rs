//! The log of events, which services and customers follow.

use gateway_domain::access::Actor;
use gateway_domain::ids::{EventId, InvoiceId, WorkspaceId};
use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

/// An event of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvent {
    /// Its place in the feed; none until it is relayed.
    pub position: Option<i64>,
    /// Consumers deduplicate by it.
    pub id: EventId,
    /// CloudEvents source.
    pub source: String,
    /// The workspace of the subject: readers without it are not shown the event.
    pub workspace: WorkspaceId,
    /// What it happened to; for events of documents the document.
    pub subject: Uuid,
    /// From 1, without gaps, per source and subject.
    pub sequence: i64,
    /// CloudEvents type.
    pub kind: String,
    /// When it happened, by the clock of the service it happened in.
    pub time: Timestamp,
    /// Who made it happen.
    pub actor: Actor,
    /// A JSON object.
    pub data: String,
    /// The trace of what made it happen (W3C Trace Context); none where none is kept.
    pub traceparent: Option<String>,
}

/// A change of something, to be told: ids and states, no more. Whoever wants to know the rest asks for it, and is then
/// told what they may see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// CloudEvents type.
    pub kind: &'static str,
    /// The workspace of the subject.
    pub workspace: WorkspaceId,
    /// What it happened to: its id.
    pub subject: Uuid,
    /// Ids and states.
    pub data: Value,
}

/// Which events of the feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventSelection {
    /// Those of documents: of the invoice data service and of finance.
    Documents,
    /// Those of one source, by its name in CloudEvents.
    Source(&'static str),
    /// Those of the platform's own data too.
    All,
}

/// Documents in the order of their ids; an end that is none is open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DocumentRange {
    /// Those behind this one.
    pub after: Option<InvoiceId>,
    /// Up to this one, included.
    pub last: Option<InvoiceId>,
}
