//! The three calls by which finance moves a document. Each is carried out once for an `Idempotency-Key`: `issuing` here, with what
//! all of them share, and the others in files of their own.

mod issue;
mod reject;

use super::{document_id, expected_version, gone};
use crate::InternalState;
use crate::described::{DocumentInPath, IdempotencyKey, IfMatch, Nullable};
use crate::errors::{ApiError, refuse};
use axum::extract::{FromRef, FromRequest, FromRequestParts, Path, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use gateway_access::{Requests, Tokens};
use gateway_domain::ErrorCode;
use gateway_domain::access::Acting;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Invoice, Status};
use gateway_domain::ports::Clock;
use gateway_domain_input::is_in_the_future;
use gateway_http::Authenticated;
use gateway_http::idempotency::{self, Answer, Failed, IdempotentRequest};
use gateway_http::json::{self, OptionalJson};
use gateway_http::openapi::{BodyRefusals, Conflict, Gone, Stale};
use gateway_http::time::Rfc3339;
use gateway_invoicing::{DocumentView, Documents, Invoicing};
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use utoipa::ToSchema;
use utoipa::openapi::schema::{Object, ObjectBuilder, Type};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// What is wrong with a time that lies ahead.
const FUTURE: &str = "lies in the future: give the time of the call";
pub(super) fn routes() -> OpenApiRouter<InternalState> {
    OpenApiRouter::new()
        .routes(routes!(issuing))
        .routes(routes!(issue::issue))
        .routes(routes!(reject::reject))
}

/// What finance says when it moves a document to issuing.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
struct IssuingForm {
    /// Whether finance submits the document.
    #[schema(examples(false))]
    send_to_tax_authority: bool,
    /// The caller's own time of it; not in the future.
    #[schema(value_type = Option<String>, format = DateTime)]
    at: Option<Rfc3339>,
}

fn issuing_alone() -> Object {
    only(Status::Issuing)
}

/// A document that was moved to issuing.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = IssuingStep)]
struct BecameIssuing {
    /// The document, as the platform names it.
    #[schema(value_type = Uuid, examples("0197f4f2-0000-7000-8000-000000000001"))]
    uuid: InvoiceId,
    /// Its number.
    #[schema(required, examples("F-2026-000001"))]
    display_invoice_number: Option<String>,
    /// Its state.
    #[schema(schema_with = issuing_alone)]
    status: Status,
}

impl From<&DocumentView<'_>> for BecameIssuing {
    fn from(view: &DocumentView<'_>) -> Self {
        let display_invoice_number = view.display_invoice_number.map(str::to_owned);
        Self { uuid: view.uuid, display_invoice_number, status: view.status }
    }
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

/// A call that its client may make: about which document, and what it says.
struct TransitionRequest<F> {
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

/// What the call made of the document. The answer to a repeated request whose first answer was lost tells how the document
/// stands.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
enum TransitionAnswer<T> {
    Done(T),
    Standing(DocumentStanding),
}

/// How a document stands, after a call whose answer was lost.
#[derive(Debug, Serialize, ToSchema)]
struct DocumentStanding {
    /// The document, as the platform names it.
    #[schema(value_type = Uuid, examples("0197f4f2-0000-7000-8000-000000000001"))]
    uuid: InvoiceId,
    /// Its number.
    #[schema(required, examples("F-2026-000001"))]
    display_invoice_number: Option<String>,
    /// Its state.
    status: Status,
    /// Since when it is final.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    issued_at: Option<Timestamp>,
    /// Since when it is rejected.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    rejected_by_tax_authority_at: Option<Timestamp>,
    /// Why it is rejected.
    #[schema(required)]
    rejection_reason: Option<String>,
}

impl From<&Invoice> for DocumentStanding {
    fn from(invoice: &Invoice) -> Self {
        let view = DocumentView::from(invoice);
        Self {
            uuid: view.uuid,
            display_invoice_number: view.display_invoice_number.map(str::to_owned),
            status: view.status,
            issued_at: view.issued_at,
            rejected_by_tax_authority_at: view.rejected_by_tax_authority_at,
            rejection_reason: view.rejection_reason.map(str::to_owned),
        }
    }
}

/// The state that a document is in after a step.
fn only(status: Status) -> Object {
    let status = [status.as_str()];
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some("Its state."))
        .enum_values(Some(status))
        .build()
}

/// The caller's own time of a step, which may be ahead of the gateway's only as far as clocks differ.
fn not_in_the_future(clock: &dyn Clock, at: Option<Rfc3339>) -> Result<Option<Timestamp>, ApiError> {
    let at = at.map(|Rfc3339(at)| at);
    if at.is_some_and(|at| is_in_the_future(at, clock.now())) {
        return Err(refuse(StatusCode::UNPROCESSABLE_ENTITY, "at", ErrorCode::InTheFuture, FUTURE));
    }
    Ok(at)
}
