//! The three calls by which finance moves a document: issuing, issue, reject. Each is carried out once for an
//! `Idempotency-Key`.

mod answers;
mod forms;

use super::{document_id, expected_version, gone};
use crate::InternalApi;
use crate::described::{DocumentInPath, IdempotencyKey, IfMatch, Nullable};
use crate::errors::{ApiError, refuse};
use answers::{BecameIssued, BecameIssuing, BecameRejected, DocumentStanding, TransitionAnswer};
use axum::extract::{FromRef, FromRequest, FromRequestParts, Path, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use forms::{IssueForm, IssuingForm, RejectForm, not_in_the_future};
use gateway_access::{Requests, Tokens};
use gateway_domain::ErrorCode;
use gateway_domain::access::Acting;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Invoice, InvoiceNumber};
use gateway_domain::ports::Clock;
use gateway_http::Authenticated;
use gateway_http::idempotency::{self, Answer, Failed, IdempotentRequest};
use gateway_http::json::{self, OptionalJson};
use gateway_http::openapi::{BodyRefusals, Conflict, Gone, Stale};
use gateway_invoicing::{DocumentView, Documents, Invoicing, Issue};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<InternalApi> {
    OpenApiRouter::new().routes(routes!(issuing)).routes(routes!(issue)).routes(routes!(reject))
}

/// A call that its client may make: about which document, and what it says.
pub(super) struct TransitionRequest<F> {
    caller: Authenticated,
    document: InvoiceId,
    headers: HeaderMap,
    /// What `form` was read from.
    body: Value,
    form: F,
}

impl<S, F> FromRequest<S> for TransitionRequest<F>
where
    S: Send + Sync,
    F: DeserializeOwned + Default,
    Arc<Tokens>: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let (mut parts, body) = request.into_parts();
        let caller = Authenticated::from_request_parts(&mut parts, state).await?;
        let named = Path::<String>::from_request_parts(&mut parts, state).await;
        let headers = parts.headers.clone();
        let OptionalJson(body) = OptionalJson::from_request(Request::from_parts(parts, body), state).await?;
        // A path that is no text names no document either.
        let document = document_id(&named.map(|Path(uuid)| uuid).unwrap_or_default())?;
        let form = form(&body)?;
        Ok(Self { caller, document, headers, body, form })
    }
}

/// The members of a call; an empty body has none.
fn form<F: DeserializeOwned + Default>(body: &Value) -> Result<F, ApiError> {
    if body.is_null() {
        return Ok(F::default());
    }
    Ok(json::form(body)?)
}

impl<F> TransitionRequest<F> {
    /// Carries the call out, once for its key; `answer` is what it tells of the document when it was carried out.
    async fn carry_out<A: Serialize + Sync>(
        self,
        requests: &Requests,
        documents: &Documents,
        name: &str,
        step: impl AsyncFnOnce(&Acting, InvoiceId, F) -> Result<Invoice, ApiError>,
        answer: fn(&DocumentView<'_>) -> A,
    ) -> Result<Response, ApiError> {
        let id = self.document;
        let content = idempotency::content(&format!("PUT {name} {id}"), &self.body);
        let (caller, headers) = (&self.caller, &self.headers);
        let step = async |acting: &Acting| {
            let moved = step(acting, id, self.form).await.map_err(failed)?;
            let done = TransitionAnswer::Done(answer(&DocumentView::from(&moved)));
            Answer::of(&done).map_err(|error| Failed::Open(error.into()))
        };
        let current_state = async |acting: &Acting| {
            let found = documents.find(acting, id).await?.ok_or_else(gone)?;
            Ok(Answer::of(&TransitionAnswer::<A>::Standing(DocumentStanding::from(&found)))?)
        };
        IdempotentRequest { requests, caller, headers, content }.carry_out(step, current_state).await
    }
}

/// Why a call has no answer of its own. What failed on our side may be carried out all the same: a commit whose answer was
/// lost.
fn failed(error: ApiError) -> Failed<ApiError> {
    if error.is_ours() { Failed::Open(error) } else { Failed::Refused(error) }
}

/// What a call is sent with.
type IssuingBody = Nullable<IssuingForm>;

/// Move a document to issuing
///
/// Moves a draft or rejected document to issuing; reserves the invoice number atomically; skips tax validations (the provider
/// validates). Not idempotent: use `Idempotency-Key`. Refused with 422 when the document is in another state (`status`), of a
/// kind without number series (`base`: `invoiceInvalidDocumentType`) or without lines (`lines`): no number is used then.
#[utoipa::path(
    put,
    path = "/invoicing/rpc/documents/{uuid}/issuing",
    operation_id = "issuing",
    params(DocumentInPath, IdempotencyKey, IfMatch),
    request_body(content = Option<IssuingBody>, description = "May be empty."),
    responses(
        (
            status = 200,
            description = "It is done, or was done before under the same key.",
            body = inline(TransitionAnswer<BecameIssuing>)
        ),
        (status = 409, response = Conflict),
        (status = 410, response = Gone),
        (status = 412, response = Stale),
        BodyRefusals
    )
)]
async fn issuing(
    State(invoicing): State<Invoicing>,
    State(requests): State<Requests>,
    State(clock): State<Arc<dyn Clock>>,
    call: TransitionRequest<IssuingForm>,
) -> Result<Response, ApiError> {
    let expected = expected_version(&call.headers)?;
    let step = async |acting: &Acting, id, form: IssuingForm| {
        let at = not_in_the_future(clock.as_ref(), form.at)?;
        Ok(invoicing.begin_issuing(acting, id, form.send_to_tax_authority, at, expected).await?)
    };
    call.carry_out(&requests, invoicing.documents(), "issuing", step, |view| BecameIssuing::from(view)).await
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
async fn issue(
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
async fn reject(
    State(invoicing): State<Invoicing>,
    State(requests): State<Requests>,
    call: TransitionRequest<RejectForm>,
) -> Result<Response, ApiError> {
    let step =
        async |acting: &Acting, id, form: RejectForm| Ok(invoicing.reject(acting, id, form.check()?).await?);
    call.carry_out(&requests, invoicing.documents(), "reject", step, |view| BecameRejected::from(view)).await
}
