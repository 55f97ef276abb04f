//! The audit trail: who changed what outside of documents.

use gateway_domain::access::Actor;
use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

/// One entry. Secrets have no place in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// UUID version 7, made with the entry; decides between entries of one instant.
    pub id: Uuid,
    /// By the clock of the process that recorded it.
    pub at: Timestamp,
    /// Who did it.
    pub actor: Actor,
    /// What was done: `client.create`.
    pub action: String,
    /// To what: `client:<uuid>`.
    pub subject: String,
    /// Details, by action.
    pub data: Value,
}

/// Which entries are read. An empty text is everybody, or everything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AuditFilter<'a> {
    /// How the actor begins, as it is stored: the id of a client, or `operator`.
    pub actor: &'a str,
    /// How the subject begins: `client:`, or all of it.
    pub subject: &'a str,
}
