//! The finance service over HTTP.

mod bookings;
mod commands;
mod failure;
mod identity;
mod results;
mod structured;

use super::rpc::{document_id, gone};
use crate::InternalApi;
use crate::errors::ApiError;
use crate::errors::refuse;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use gateway_domain::ErrorCode;
use gateway_domain::access::{Acting, Permission};
use gateway_domain::ids::InvoiceId;
use gateway_events::CloudEvent;
use gateway_finance::Finance;
use gateway_finance::views::ShownSubmission;
use gateway_finance::{RetryError, SubmissionView};
use gateway_http::Authenticated;
use serde::Serialize;
use utoipa::ToSchema;

/// The routes of the finance service; the commands are in `commands`.
pub(super) fn router() -> Router<InternalApi> {
    Router::new()
        .route("/finance/rpc/documents/{uuid}", get(show))
        .route("/finance/rpc/documents/{uuid}/commands/{command}", post(commands::command))
        .route("/finance/rpc/documents/{uuid}/events", get(events))
        .route("/finance/rpc/documents/{uuid}/submission", get(submission))
        .route("/finance/rpc/documents/{uuid}/structured", get(structured::show))
        .route("/finance/rpc/documents/{uuid}/identity", get(identity::show))
        .route("/finance/rpc/bookings/{id}/documents", get(bookings::documents))
        .route("/finance/rpc/submissions/{uuid}/retry", post(retry))
        .route("/finance/rpc/submissions/{uuid}/acknowledge", post(acknowledge))
}

fn acting(caller: &Authenticated) -> Result<Acting, ApiError> {
    caller.require(Permission::FinanceRpc)?;
    Ok(Acting::from(&caller.0))
}

async fn show(
    State(finance): State<Finance>,
    caller: Authenticated,
    Path(uuid): Path<String>,
) -> Result<Response, ApiError> {
    let (acting, id) = (acting(&caller)?, document_id(&uuid)?);
    let body = finance.finance_document(&acting, id).await?.ok_or_else(gone)?;
    Ok(([(header::CONTENT_TYPE, "application/json")], body).into_response())
}

/// What finance told of a document.
#[derive(Debug, Serialize, ToSchema)]
struct FinanceEvents<'a> {
    /// In order.
    events: Vec<CloudEvent<'a>>,
}

async fn events(
    State(finance): State<Finance>,
    caller: Authenticated,
    Path(uuid): Path<String>,
) -> Result<Response, ApiError> {
    let (acting, id) = (acting(&caller)?, document_id(&uuid)?);
    let events = finance.finance_events(&acting, id).await.map_err(ApiError::internal)?;
    // What finance told is its own: of a document that is deleted or out of reach too.
    if events.is_empty() {
        known(&finance, &acting, id).await?;
    }
    Ok(axum::Json(FinanceEvents { events: events.iter().map(CloudEvent::from).collect() }).into_response())
}

async fn known(finance: &Finance, acting: &Acting, id: InvoiceId) -> Result<(), ApiError> {
    let found = finance.invoice(acting, id).await?;
    found.map(drop).ok_or_else(gone)
}

async fn submission(
    State(finance): State<Finance>,
    caller: Authenticated,
    Path(uuid): Path<String>,
) -> Result<Response, ApiError> {
    let (acting, id) = (acting(&caller)?, document_id(&uuid)?);
    let found = finance.submission(&acting, id).await.map_err(ApiError::internal)?;
    found.map(|view| shown(&view)).ok_or_else(never_submitted)
}

async fn retry(
    State(finance): State<Finance>,
    caller: Authenticated,
    Path(uuid): Path<String>,
) -> Result<Response, ApiError> {
    let (acting, id) = (acting(&caller)?, document_id(&uuid)?);
    let view = finance.retry_submission(&acting, id).await.map_err(not_moved)?;
    Ok(shown(&view))
}

async fn acknowledge(
    State(finance): State<Finance>,
    caller: Authenticated,
    Path(uuid): Path<String>,
) -> Result<Response, ApiError> {
    let (acting, id) = (acting(&caller)?, document_id(&uuid)?);
    let view = finance.acknowledge_alert(&acting, id).await.map_err(not_moved)?;
    Ok(shown(&view))
}

fn shown(view: &SubmissionView) -> Response {
    axum::Json(ShownSubmission::from(view)).into_response()
}

fn not_moved(error: RetryError) -> ApiError {
    match error {
        RetryError::Gone => never_submitted(),
        RetryError::Ended(_) | RetryError::NothingToRead => refuse(
            StatusCode::UNPROCESSABLE_ENTITY,
            "state",
            ErrorCode::SubmissionNotWaiting,
            error.to_string(),
        ),
        RetryError::Moved => refuse(StatusCode::CONFLICT, "state", ErrorCode::Stale, error.to_string()),
        RetryError::Store(cause) => ApiError::internal(cause),
    }
}

fn never_submitted() -> ApiError {
    refuse(StatusCode::GONE, "uuid", ErrorCode::SubmissionGone, "there is no submission of such a document")
}
