//! The audit trail: who changed what outside of documents.

use gateway_domain::access::Actor;
use jiff::Timestamp;
use uuid::Uuid;

/// One entry. Secrets have no place in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// Its id.
    pub id: Uuid,
    /// When.
    pub at: Timestamp,
    /// Who.
    pub actor: Actor,
    /// What was done: `client.create`.
    pub action: String,
    /// To what: `client:<uuid>`.
    pub subject: String,
    /// Details, JSON.
    pub data: String,
}
