//! Booking documents read model over HTTP.

use super::acting;
use crate::errors::ApiError;
use crate::errors::refuse;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use gateway_domain::ErrorCode;
use gateway_domain::ids::BookingId;
use gateway_finance::Finance;
use gateway_http::Authenticated;
use gateway_storage::booking_documents::BookingDocument;
use serde_json::{Value, json};

/// `GET /finance/rpc/bookings/:booking_id/documents`: empty for a booking that nobody knows.
pub(super) async fn documents(
    State(finance): State<Finance>,
    caller: Authenticated,
    Path(booking): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let acting = acting(&caller)?;
    let booking: BookingId = booking
        .parse()
        .map_err(|_| refuse(StatusCode::BAD_REQUEST, "booking_id", ErrorCode::InvalidFormat, "is no UUID"))?;
    let documents = finance.booking_documents(&acting, booking).await?;
    let documents: Vec<_> = documents.iter().map(shown).collect();
    Ok(Json(json!({"booking_id": booking, "documents": documents})))
}

fn shown(document: &BookingDocument) -> Value {
    let rejected = document.rejected_by_tax_authority.as_ref();
    json!({
        "uuid": document.document,
        "workspace_id": document.workspace,
        "document_type": document.document_type,
        "status": document.status,
        "display_document_number": document.number,
        "issue_date": document.issue_date,
        "currency": document.currency,
        "payable": document.payable,
        "issuing_started_at": document.issuing_started_at,
        "issued_at": document.issued_at,
        "rejected_by_tax_authority_at": rejected.map(|(at, _)| at),
        "rejected_by_tax_authority_reason": rejected.map(|(_, reason)| reason),
        "version": document.version,
        "created_at": document.created_at,
        "updated_at": document.updated_at,
    })
}
