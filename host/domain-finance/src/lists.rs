//! What finance lists: submissions, documents that nobody submits, and the documents of bookings.

use crate::Stage;
use gateway_domain::ids::{BookingId, InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{DocumentKind, InvoiceNumber, Status};
use jiff::Timestamp;

/// Which submissions a list shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SubmissionFilter {
    /// Only those that are so far.
    pub stage: Option<Stage>,
    /// Only those that wait for somebody.
    pub alerted: bool,
}

/// A document in Issuing that no submission will ever move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsubmitted {
    /// Which document.
    pub document: InvoiceId,
    /// Whose.
    pub workspace: WorkspaceId,
    /// Reserved when it went to Issuing.
    pub number: InvoiceNumber,
    /// When it went to Issuing, by the caller's own time.
    pub issuing_at: Timestamp,
    /// When it went to Issuing, by the time of the invoice data service.
    pub since: Timestamp,
}

/// Verdicts of a workspace within a quarter of an hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerdictCount {
    /// When the quarter of an hour begins.
    pub bucket_start: Timestamp,
    /// Whose documents.
    pub workspace: WorkspaceId,
    /// How many were accepted.
    pub accepted: i64,
    /// How many were rejected.
    pub rejected: i64,
    /// How long they waited for their verdicts, milliseconds together.
    pub waited_ms: i64,
}

/// Calls to the provider within a quarter of an hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProviderCallCount {
    /// When the quarter of an hour begins.
    pub bucket_start: Timestamp,
    /// How many.
    pub calls: i64,
    /// How many of them got no answer, or one that says that the provider is at fault.
    pub failed: i64,
    /// How long they took, milliseconds together.
    pub took_ms: i64,
}

/// A document of a booking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookingDocument {
    /// Which document.
    pub document: InvoiceId,
    /// Whose.
    pub workspace: WorkspaceId,
    /// The booking it bills; none when it left the booking or was deleted.
    pub booking: Option<BookingId>,
    /// What kind of document.
    pub document_type: DocumentKind,
    /// Where it is.
    pub status: Status,
    /// Its number, once it has one.
    pub number: Option<String>,
    /// Its issue date, ISO 8601, once it has one.
    pub issue_date: Option<String>,
    /// ISO 4217.
    pub currency: String,
    /// The amount due, a decimal.
    pub payable: String,
    /// Since when it is at the tax authority; only while it is.
    pub issuing_started_at: Option<Timestamp>,
    /// Since when it is final.
    pub issued_at: Option<Timestamp>,
    /// When the authority refused it and why; until it is sent again.
    pub rejected_by_tax_authority: Option<(Timestamp, String)>,
    /// The document's version this row tells of.
    pub version: i64,
    /// When the document was made.
    pub created_at: Timestamp,
    /// When the document last changed.
    pub updated_at: Timestamp,
}
