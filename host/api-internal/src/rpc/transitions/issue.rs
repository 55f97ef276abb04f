//! `issue`: a draft becomes final, or a document that the authority accepted.

use super::{FUTURE, TransitionAnswer, TransitionRequest, not_in_the_future, only};
use crate::described::{DocumentInPath, IdempotencyKey, IfMatch, Nullable};
use crate::errors::{ApiError, refuse};
use crate::rpc::expected_version;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use gateway_access::Requests;
use gateway_domain::ErrorCode;
use gateway_domain::access::Acting;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Acceptance, InvoiceNumber, Status};
use gateway_domain::ports::Clock;
use gateway_domain::regime::Remark;
use gateway_domain_input::{acceptance, is_in_the_future};
use gateway_http::openapi::{BodyRefusals, Conflict, Gone, Stale};
use gateway_http::time::Rfc3339;
use gateway_invoicing::{DocumentView, Invoicing, Issue};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::ToSchema;
use utoipa::openapi::schema::Object;

/// The authority's proof, when finance issues an accepted document.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct IssueForm {
    /// The tax authority's proof.
    acceptance: Option<AcceptanceForm>,
    /// An earlier number of the document, which the tax authority accepted after all: a rejected or issuing document becomes
    /// final under it, with the content that was sent then. Needs `acceptance`.
    number: Option<String>,
    /// The caller's own time of it; not in the future.
    #[schema(value_type = Option<String>, format = DateTime)]
    at: Option<Rfc3339>,
}

/// The tax authority's proof.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
struct AcceptanceForm {
    /// An http(s) address, where anybody verifies the document.
    #[schema(max_length = 2000)]
    qr_url: Option<String>,
    /// The tax system's hash of the record.
    #[schema(min_length = 1, max_length = 500, pattern = r"^[^\u0000-\u001F\u007F-\u009F]*$")]
    tax_system_hash: Option<String>,
    /// When it was accepted; not in the future.
    #[schema(value_type = Option<String>, format = DateTime)]
    accepted_at: Option<Rfc3339>,
    /// Remarks of the authority.
    warnings: Vec<Remark>,
    /// Whether a stand-in accepted it.
    #[schema(examples(false))]
    sandbox: bool,
}

impl AcceptanceForm {
    /// The proof, when each member is one that a tax authority gives.
    fn check(self, clock: &dyn Clock) -> Result<Acceptance, ApiError> {
        let mistake = |field: &str, code: ErrorCode, message: String| {
            refuse(StatusCode::UNPROCESSABLE_ENTITY, &format!("acceptance.{field}"), code, message)
        };
        for (field, text, mistaken) in [
            ("qr_url", &self.qr_url, acceptance::wrong_address as fn(&str) -> Option<String>),
            ("tax_system_hash", &self.tax_system_hash, acceptance::wrong_hash),
        ] {
            if let Some(message) = text.as_deref().and_then(mistaken) {
                return Err(mistake(field, ErrorCode::InvalidFormat, message));
            }
        }
        let accepted_at = self.accepted_at.map_or_else(|| clock.now(), |Rfc3339(at)| at);
        if is_in_the_future(accepted_at, clock.now()) {
            return Err(mistake("accepted_at", ErrorCode::InTheFuture, FUTURE.to_owned()));
        }
        let Self { qr_url, tax_system_hash, warnings, sandbox, .. } = self;
        Ok(Acceptance { qr_url, tax_system_hash, accepted_at, warnings, sandbox })
    }
}

fn issued_alone() -> Object {
    only(Status::Issued)
}

/// A document that was issued.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = IssueStep)]
struct BecameIssued {
    /// The document, as the platform names it.
    #[schema(value_type = Uuid, examples("0197f4f2-0000-7000-8000-000000000001"))]
    uuid: InvoiceId,
    /// Its number.
    #[schema(required, examples("F-2026-000001"))]
    display_invoice_number: Option<String>,
    /// Its state.
    #[schema(schema_with = issued_alone)]
    status: Status,
    /// Since when it is final.
    #[schema(required, value_type = Option<String>, format = DateTime, examples("2026-11-20T09:00:05Z"))]
    issued_at: Option<Timestamp>,
}

impl From<&DocumentView<'_>> for BecameIssued {
    fn from(view: &DocumentView<'_>) -> Self {
        let display_invoice_number = view.display_invoice_number.map(str::to_owned);
        Self { uuid: view.uuid, display_invoice_number, status: view.status, issued_at: view.issued_at }
    }
}

/// What a call is sent with.
type IssueBody = Nullable<IssueForm>;

/// Issue a document
///
/// Standard issue: a draft becomes issued. Called after acceptance it moves issuing to issued, keeping the number.
#[utoipa::path(
    put,
    path = "/invoicing/rpc/documents/{uuid}/issue",
    operation_id = "issue",
    params(DocumentInPath, IdempotencyKey, IfMatch),
    request_body(content = Option<IssueBody>, description = "May be empty."),
    responses(
        (
            status = 200,
            description = "It is done, or was done before under the same key.",
            body = inline(TransitionAnswer<BecameIssued>)
        ),
        (status = 409, response = Conflict),
        (status = 410, response = Gone),
        (status = 412, response = Stale),
        BodyRefusals
    )
)]
pub(super) async fn issue(
    State(invoicing): State<Invoicing>,
    State(requests): State<Requests>,
    State(clock): State<Arc<dyn Clock>>,
    call: TransitionRequest<IssueForm>,
) -> Result<Response, ApiError> {
    let expected = expected_version(&call.headers)?;
    let step = async |acting: &Acting, id, form: IssueForm| {
        let acceptance = form.acceptance.map(|form| form.check(clock.as_ref())).transpose()?;
        let at = not_in_the_future(clock.as_ref(), form.at)?;
        if let Some(number) = form.number {
            let needed = "is required beside a number: give what the tax authority gave";
            let acceptance = acceptance.ok_or_else(|| {
                refuse(StatusCode::UNPROCESSABLE_ENTITY, "acceptance", ErrorCode::Required, needed)
            })?;
            return Ok(invoicing.issue_earlier(acting, id, &InvoiceNumber(number), acceptance).await?);
        }
        Ok(invoicing.issue(acting, id, Issue { acceptance, at, expected_version: expected }).await?)
    };
    call.carry_out(&requests, invoicing.documents(), "issue", step, |view| BecameIssued::from(view)).await
}
