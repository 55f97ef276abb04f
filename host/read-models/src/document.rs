//! The document in an event's data: the members that consumers read of it.

use gateway_domain::ids::BookingId;
use gateway_domain::invoicing::{DocumentKind, Invoice, Status, terms_of_recipient};
use gateway_domain::money::Amount;
use gateway_domain_events::StoredEvent;
use gateway_domain_input::document::invoice_from_body;
use gateway_events::Events;
use gateway_storage::finance_documents::FilterValues;
use jiff::Timestamp;
use jiff::civil::Date;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde::de::IgnoredAny;
use std::collections::BTreeSet;

/// How old the state of the document in an event is.
#[derive(Debug, Deserialize)]
pub struct DocumentAge {
    /// A remote service need not tell it: then its documents are told apart by their versions alone.
    #[serde(default)]
    created_at: Timestamp,
    version: i64,
}

impl DocumentAge {
    /// Creation time and version.
    pub const fn age(&self) -> (Timestamp, i64) {
        (self.created_at, self.version)
    }
}

/// The document as the contract shows it, as far as a booking shows it.
#[derive(Debug, Deserialize)]
pub(crate) struct EventDocument {
    pub(crate) document_type: DocumentKind,
    pub(crate) status: Status,
    pub(crate) display_document_number: Option<String>,
    pub(crate) currency: String,
    pub(crate) booking_id: Option<BookingId>,
    pub(crate) issue_date: Option<String>,
    pub(crate) totals: EventTotals,
    pub(crate) issuing_at: Option<Timestamp>,
    pub(crate) issued_at: Option<Timestamp>,
    pub(crate) rejected_by_tax_authority_at: Option<Timestamp>,
    pub(crate) rejection_reason: Option<String>,
    pub(crate) version: i64,
    #[serde(default)]
    pub(crate) created_at: Timestamp,
    #[serde(default)]
    pub(crate) updated_at: Timestamp,
}

#[derive(Debug, Deserialize)]
pub(crate) struct EventTotals {
    pub(crate) payable: String,
}

/// Reads the data of an event. An event that cannot be read is passed over, with an alarm, because everything behind
/// it would wait for ever; a rebuild reads it again.
pub(crate) fn read<T: DeserializeOwned>(log: &Events, event: &StoredEvent) -> Option<T> {
    match serde_json::from_str(&event.data) {
        Ok(document) => Some(document),
        Err(error) => {
            log.count_unreadable();
            tracing::error!(
                event.id = %event.id, document.id = %event.subject,
                "The event {} ({}) cannot be read and is passed over ({error}): mend the reader, then run \
                 'gateway rebuild read-models'", event.id, event.kind
            );
            None
        }
    }
}

/// The members of a document that lists of copies are filtered by.
#[derive(Debug, Deserialize)]
struct FilterMembers {
    status: Status,
    #[serde(default)]
    booking_id: Option<BookingId>,
    #[serde(default)]
    display_invoice_number: Option<String>,
    #[serde(default)]
    document_type: Option<DocumentKind>,
    #[serde(default)]
    issue_date: Option<Date>,
    #[serde(default)]
    totals: Option<Gross>,
    #[serde(default)]
    recipient: Option<Recipient>,
    #[serde(default)]
    acceptance: Option<Accepted>,
}

#[derive(Debug, Deserialize)]
struct Accepted {
    #[serde(default)]
    warnings: Vec<IgnoredAny>,
}

#[derive(Debug, Deserialize)]
struct Gross {
    gross: Amount,
}

#[derive(Debug, Deserialize)]
struct Recipient {
    name: String,
    #[serde(default)]
    tax_number: Option<String>,
    #[serde(default)]
    identity_document: Option<IdentityDocument>,
}

#[derive(Debug, Deserialize)]
struct IdentityDocument {
    number: String,
}

impl Recipient {
    fn terms(&self) -> BTreeSet<String> {
        let number = self.identity_document.as_ref().map(|document| document.number.as_str());
        terms_of_recipient(&self.name, self.tax_number.as_deref().or(number))
    }
}

/// What lists find a copy by; none of one that another service tells of in a way that no list can show.
pub(crate) fn listed_by(copy: &str) -> Option<FilterValues> {
    let found: FilterMembers = serde_json::from_str(copy)
        .inspect_err(|error| tracing::warn!("A copy is in no list, because it cannot be read: {error}"))
        .ok()?;
    Some(FilterValues {
        status: found.status,
        booking: found.booking_id,
        number: found.display_invoice_number,
        document_type: found.document_type,
        issue_date: found.issue_date,
        gross: found.totals.map(|totals| totals.gross),
        accepted_with_errors: found.acceptance.is_some_and(|proof| !proof.warnings.is_empty()),
        recipient: found.recipient.map(|recipient| recipient.terms()).unwrap_or_default(),
    })
}

/// A copy as a document; none when another service tells of one that the gateway cannot account for.
pub fn as_document(copy: &str) -> Option<Invoice> {
    let body = serde_json::from_str(copy)
        .inspect_err(|error| tracing::error!("A copy is no JSON and is passed over: {error}"))
        .ok()?;
    invoice_from_body(&body).inspect_err(|error| tracing::warn!("A copy is passed over: {error}")).ok()
}
