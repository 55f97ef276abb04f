//! `reject`: the authority refused.

use super::{TransitionAnswer, TransitionRequest, only};
use crate::described::{DocumentInPath, IdempotencyKey, Nullable};
use crate::errors::{ApiError, refuse};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use gateway_access::Requests;
use gateway_domain::ErrorCode;
use gateway_domain::access::Acting;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::Status;
use gateway_http::openapi::{BodyRefusals, Conflict, Gone};
use gateway_invoicing::{DocumentView, Invoicing};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa::openapi::schema::Object;

/// Longest reason of a rejection, characters.
const REASON_CHARS_MAX: usize = 2_000;
/// The reason of a rejection that gives none.
const REASON_DEFAULT: &str = "rejected";

/// Why a document is rejected.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RejectForm {
    /// `rejected` unless given.
    #[schema(max_length = 2000, examples("1239 at /recipient: the NIF is not registered"))]
    reason: Option<String>,
}

impl RejectForm {
    /// The reason, which is never empty.
    fn check(self) -> Result<String, ApiError> {
        let said = self.reason.filter(|reason| !reason.trim().is_empty());
        let reason = said.unwrap_or_else(|| REASON_DEFAULT.to_owned());
        if reason.chars().count() > REASON_CHARS_MAX || reason.contains('\0') {
            let message = format!("may have at most {REASON_CHARS_MAX} characters and no NUL");
            return Err(refuse(StatusCode::UNPROCESSABLE_ENTITY, "reason", ErrorCode::TooLong, message));
        }
        Ok(reason)
    }
}

fn rejected_alone() -> Object {
    only(Status::Rejected)
}

/// A document that was rejected.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RejectStep)]
struct BecameRejected {
    /// The document, as the platform names it.
    #[schema(value_type = Uuid, examples("0197f4f2-0000-7000-8000-000000000001"))]
    uuid: InvoiceId,
    /// Its number.
    #[schema(required, examples("F-2026-000001"))]
    display_invoice_number: Option<String>,
    /// Its state.
    #[schema(schema_with = rejected_alone)]
    status: Status,
    /// Since when it is rejected.
    #[schema(required, value_type = Option<String>, format = DateTime, examples("2026-11-20T09:00:05Z"))]
    rejected_by_tax_authority_at: Option<Timestamp>,
    /// Why it is rejected.
    #[schema(required, examples("1239 at /recipient: the NIF is not registered"))]
    rejection_reason: Option<String>,
}

impl From<&DocumentView<'_>> for BecameRejected {
    fn from(view: &DocumentView<'_>) -> Self {
        Self {
            uuid: view.uuid,
            display_invoice_number: view.display_invoice_number.map(str::to_owned),
            status: view.status,
            rejected_by_tax_authority_at: view.rejected_by_tax_authority_at,
            rejection_reason: view.rejection_reason.map(str::to_owned),
        }
    }
}

/// What a call is sent with.
type RejectBody = Nullable<RejectForm>;

/// Reject a document
///
/// Moves an issuing document to rejected. Idempotent: a second reject succeeds and keeps the first reason and time.
#[utoipa::path(
    put,
    path = "/invoicing/rpc/documents/{uuid}/reject",
    operation_id = "reject",
    params(DocumentInPath, IdempotencyKey),
    request_body(content = Option<RejectBody>, description = "May be empty."),
    responses(
        (
            status = 200,
            description = "It is done, or was done before under the same key.",
            body = inline(TransitionAnswer<BecameRejected>)
        ),
        (status = 409, response = Conflict),
        (status = 410, response = Gone),
        BodyRefusals
    )
)]
pub(super) async fn reject(
    State(invoicing): State<Invoicing>,
    State(requests): State<Requests>,
    call: TransitionRequest<RejectForm>,
) -> Result<Response, ApiError> {
    let step =
        async |acting: &Acting, id, form: RejectForm| Ok(invoicing.reject(acting, id, form.check()?).await?);
    call.carry_out(&requests, invoicing.documents(), "reject", step, |view| BecameRejected::from(view)).await
}
