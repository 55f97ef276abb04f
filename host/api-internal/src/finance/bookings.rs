//! Booking documents read model over HTTP.

use super::failure::NothingThere;
use crate::errors::ApiError;
use axum::Json;
use axum::extract::{Path, State};
use gateway_domain::access::Acting;
use gateway_domain::ids::{BookingId, InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{DocumentKind, Status};
use gateway_domain::money::Amount;
use gateway_domain_finance::BookingDocument;
use gateway_finance::Finance;
use gateway_http::Authenticated;
use gateway_http::openapi::BadRequest;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

/// The documents of a booking.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BookingDocuments)]
pub(super) struct DocumentsOfABooking {
    /// The booking.
    #[schema(value_type = Uuid, examples("0197f4f2-0000-7000-8000-0000000000b1"))]
    booking_id: BookingId,
    /// Its documents.
    documents: Vec<BookingDocumentView>,
}

/// A document of a booking.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BookingDocument)]
struct BookingDocumentView {
    /// The document, as the platform names it.
    #[schema(value_type = Uuid, examples("0197f4f2-0000-7000-8000-000000000001"))]
    uuid: InvoiceId,
    /// Whose document it is.
    #[schema(value_type = i64, examples(1))]
    workspace_id: WorkspaceId,
    /// What kind of document it is.
    document_type: DocumentKind,
    /// Its state.
    status: Status,
    /// Its number, once it has one.
    #[schema(required)]
    display_document_number: Option<String>,
    /// Its issue date, once it has one.
    #[schema(required, format = Date, examples("2026-11-20"))]
    issue_date: Option<String>,
    /// ISO 4217.
    #[schema(examples("EUR"))]
    currency: String,
    /// The amount due.
    #[schema(value_type = Amount)]
    payable: String,
    /// Since when it is at the tax authority; only while it is.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    issuing_started_at: Option<Timestamp>,
    /// Since when it is final.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    issued_at: Option<Timestamp>,
    /// When the authority refused it; until it is sent again.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    rejected_by_tax_authority_at: Option<Timestamp>,
    /// Why.
    #[schema(required)]
    rejected_by_tax_authority_reason: Option<String>,
    /// The version of the document that this tells of.
    #[schema(examples(1))]
    version: i64,
    /// First seen.
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    created_at: Timestamp,
    /// Last changed.
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    updated_at: Timestamp,
}

impl From<BookingDocument> for BookingDocumentView {
    fn from(document: BookingDocument) -> Self {
        let (rejected_at, reason) = document.rejected_by_tax_authority.unzip();
        Self {
            uuid: document.document,
            workspace_id: document.workspace,
            document_type: document.document_type,
            status: document.status,
            display_document_number: document.number,
            issue_date: document.issue_date,
            currency: document.currency,
            payable: document.payable,
            issuing_started_at: document.issuing_started_at,
            issued_at: document.issued_at,
            rejected_by_tax_authority_at: rejected_at,
            rejected_by_tax_authority_reason: reason,
            version: document.version,
            created_at: document.created_at,
            updated_at: document.updated_at,
        }
    }
}

/// The documents of a booking
///
/// The booking documents read model; empty for a booking that nobody knows.
#[utoipa::path(
    get,
    path = "/finance/rpc/bookings/{id}/documents",
    operation_id = "listBookingDocuments",
    params(("id" = Uuid, Path, description = "The booking.", example = "0197f4f2-0000-7000-8000-0000000000b1")),
    responses(
        (status = 200, description = "The documents.", body = DocumentsOfABooking),
        (status = 400, response = BadRequest)
    )
)]
pub(super) async fn documents(
    State(finance): State<Finance>,
    caller: Authenticated,
    Path(booking): Path<String>,
) -> Result<Json<DocumentsOfABooking>, ApiError> {
    let acting = Acting::from(&caller.0);
    let booking: BookingId = booking.parse().map_err(|_| NothingThere::Booking)?;
    let documents = finance.booking_documents(&acting, booking).await?;
    let documents = documents.into_iter().map(BookingDocumentView::from).collect();
    Ok(Json(DocumentsOfABooking { booking_id: booking, documents }))
}
