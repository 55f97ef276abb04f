//! The finance service over HTTP.

mod bookings;
mod commands;
mod document;
mod failure;
mod identity;
mod structured;

use super::rpc::{document_id, examples};
use crate::InternalState;
use crate::described::{DocumentInPath, answer_with};
use crate::errors::ApiError;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use failure::NothingThere;
use gateway_domain::access::Acting;
use gateway_domain::ids::InvoiceId;
use gateway_domain_finance::SubmissionBody;
use gateway_events::CloudEvent;
use gateway_finance::{Finance, SubmissionView, Submissions};
use gateway_http::Authenticated;
use gateway_http::openapi::{
    BadGateway, BadRequest, Conflict, Forbidden, Gone, Listener, Surface, Unauthorised, Unprocessable,
    idempotency_replayed,
};
use gateway_invoicing::DocumentView;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The routes of the finance service.
pub(super) fn routes() -> OpenApiRouter<InternalState> {
    // A command that nobody knows is told so; it is no operation.
    described().route("/finance/rpc/documents/{uuid}/commands/{command}", post(commands::unknown))
}

/// Those that are described by their handlers.
fn described() -> OpenApiRouter<InternalState> {
    OpenApiRouter::new()
        .routes(routes!(document::show))
        .routes(routes!(events))
        .routes(routes!(submission))
        .routes(routes!(structured::show))
        .routes(routes!(identity::show))
        .routes(routes!(bookings::documents))
        .routes(routes!(retry))
        .routes(routes!(acknowledge))
        .merge(commands::amendments())
        .merge(commands::routes())
}

/// What they are described by.
pub(super) fn surface() -> Surface {
    let about =
        "E-invoicing decisions: commands on documents, their events, submissions to the tax authority.";
    Surface::new(Listener::Internal, "Finance", about, described().into_openapi())
        .behind_a_token(Some("finance.rpc"))
        .answers::<Unauthorised>(401)
        .answers::<Forbidden>(403)
        .fails()
        .schema::<failure::CommandFailure>()
        .refusal::<failure::RefusedCommandResponse>()
        .refusal::<structured::NoRecord>()
        .example::<DocumentView<'_>>(&examples::document())
        .example::<CloudEvent<'_>>(&examples::event())
        .example::<commands::DeleteBody>(&commands::DeleteBody::default())
        .example::<commands::WithdrawAmendmentBody>(&commands::WithdrawAmendmentBody::default())
        .example::<commands::SendToTaxAuthorityBody>(&commands::SendToTaxAuthorityBody::default())
        .each(|path, operation| {
            if path.contains("/commands/") {
                answer_with(operation, "200", "Idempotency-Replayed", idempotency_replayed());
            }
        })
}

/// What finance told of a document.
#[derive(Debug, Serialize, ToSchema)]
struct FinanceEvents<'a> {
    /// In order.
    events: Vec<CloudEvent<'a>>,
}

/// Finance's events of a document
///
/// In order; `Issuing` takes the place of `Issued` when the document goes to the tax authority.
#[utoipa::path(
    get,
    path = "/finance/rpc/documents/{uuid}/events",
    operation_id = "listFinanceEvents",
    params(DocumentInPath),
    responses(
        (status = 200, description = "The events.", body = FinanceEvents<'static>),
        (status = 400, response = BadRequest),
        (status = 410, response = Gone),
        (status = 502, response = BadGateway)
    )
)]
async fn events(
    State(finance): State<Finance>,
    caller: Authenticated,
    Path(uuid): Path<String>,
) -> Result<Response, ApiError> {
    let (acting, id) = (Acting::from(&caller.0), document_id(&uuid)?);
    let events = finance.finance_events(&acting, id).await.map_err(ApiError::internal)?;
    // What finance told is its own: of a document that is deleted or out of reach too.
    if events.is_empty() {
        ensure_exists(&finance, &acting, id).await?;
    }
    let events = events.iter().map(CloudEvent::try_from).collect::<Result<_, _>>();
    Ok(axum::Json(FinanceEvents { events: events.map_err(ApiError::internal)? }).into_response())
}

async fn ensure_exists(finance: &Finance, acting: &Acting, id: InvoiceId) -> Result<(), ApiError> {
    let found = finance.invoice(acting, id).await?;
    Ok(found.map(drop).ok_or(NothingThere::Document)?)
}

/// The submission of a document
///
/// With every attempt, the plugin that took part, and what the gateway does next.
#[utoipa::path(
    get,
    path = "/finance/rpc/documents/{uuid}/submission",
    operation_id = "getSubmission",
    params(DocumentInPath),
    responses(
        (status = 200, description = "The submission.", body = SubmissionBody<'static>),
        (status = 400, response = BadRequest),
        (status = 410, response = Gone)
    )
)]
async fn submission(
    State(submissions): State<Submissions>,
    caller: Authenticated,
    Path(uuid): Path<String>,
) -> Result<Response, ApiError> {
    let (acting, id) = (Acting::from(&caller.0), document_id(&uuid)?);
    let found = submissions.find(&acting, id).await.map_err(ApiError::internal)?;
    Ok(answer(&found.ok_or(NothingThere::Submission)?))
}

/// Retry a submission that waits
///
/// The operator's retry, by the id of the document.
#[utoipa::path(
    post,
    path = "/finance/rpc/submissions/{uuid}/retry",
    operation_id = "retrySubmission",
    params(DocumentInPath),
    responses(
        (status = 200, description = "The submission.", body = SubmissionBody<'static>),
        (status = 400, response = BadRequest),
        (status = 409, response = Conflict),
        (status = 410, response = Gone),
        (status = 422, response = Unprocessable)
    )
)]
async fn retry(
    State(submissions): State<Submissions>,
    caller: Authenticated,
    Path(uuid): Path<String>,
) -> Result<Response, ApiError> {
    let (acting, id) = (Acting::from(&caller.0), document_id(&uuid)?);
    let view = submissions.retry(&acting, id).await?;
    Ok(answer(&view))
}

/// Acknowledge an alert
///
/// Takes back the alert of a submission that ended, where it only has to be read (`rejectedAfterAll`, `untrustedContent`).
#[utoipa::path(
    post,
    path = "/finance/rpc/submissions/{uuid}/acknowledge",
    operation_id = "acknowledgeSubmission",
    params(DocumentInPath),
    responses(
        (status = 200, description = "The submission.", body = SubmissionBody<'static>),
        (status = 400, response = BadRequest),
        (status = 410, response = Gone),
        (status = 422, response = Unprocessable)
    )
)]
async fn acknowledge(
    State(submissions): State<Submissions>,
    caller: Authenticated,
    Path(uuid): Path<String>,
) -> Result<Response, ApiError> {
    let (acting, id) = (Acting::from(&caller.0), document_id(&uuid)?);
    let view = submissions.acknowledge(&acting, id).await?;
    Ok(answer(&view))
}

fn answer(view: &SubmissionView) -> Response {
    axum::Json(SubmissionBody::from(view)).into_response()
}
