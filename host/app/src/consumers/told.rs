//! What an event tells of its document: the members that consumers read of the document in its data.

use crate::Gateway;
use gateway_domain::ids::BookingId;
use gateway_domain::invoicing::{DocumentKind, Status};
use gateway_storage::events::StoredEvent;
use gateway_storage::finance_documents::Age;
use jiff::Timestamp;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// How old the told state of the document is.
#[derive(Debug, Deserialize)]
pub(crate) struct ToldAge {
    /// A service elsewhere need not tell it: then its documents are told apart by their versions alone.
    #[serde(default)]
    created_at: Timestamp,
    version: i64,
}

impl ToldAge {
    pub(crate) const fn age(&self) -> Age {
        (self.created_at, self.version)
    }
}

/// The document as the contract shows it, as far as a booking shows it.
#[derive(Debug, Deserialize)]
pub(super) struct ToldDocument {
    pub(super) document_type: DocumentKind,
    pub(super) status: Status,
    pub(super) display_document_number: Option<String>,
    pub(super) currency: String,
    pub(super) booking_id: Option<BookingId>,
    pub(super) issue_date: Option<String>,
    pub(super) totals: ToldTotals,
    pub(super) issuing_at: Option<Timestamp>,
    pub(super) issued_at: Option<Timestamp>,
    pub(super) rejected_by_tax_authority_at: Option<Timestamp>,
    pub(super) rejection_reason: Option<String>,
    pub(super) version: i64,
    #[serde(default)]
    pub(super) created_at: Timestamp,
    #[serde(default)]
    pub(super) updated_at: Timestamp,
}

#[derive(Debug, Deserialize)]
pub(super) struct ToldTotals {
    pub(super) payable: String,
}

/// Reads the data of an event. An event that cannot be read is passed over, with an alarm, because everything behind
/// it would wait for ever; a rebuild reads it again.
pub(super) fn read<T: DeserializeOwned>(gateway: &Gateway, event: &StoredEvent) -> Option<T> {
    match serde_json::from_str(&event.data) {
        Ok(told) => Some(told),
        Err(error) => {
            gateway.tally().unreadable();
            tracing::error!(
                event.id = %event.id, document.id = %event.subject,
                "The event {} ({}) cannot be read and is passed over ({error}): mend the reader, then run \
                 'gateway rebuild read-models'", event.id, event.kind
            );
            None
        }
    }
}
