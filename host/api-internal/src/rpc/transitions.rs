//! The three calls by which finance moves a document: issuing, issue, reject. Each is carried out once for an
//! `Idempotency-Key`.

use super::{document_id, expected_version, gone};
use crate::InternalApi;
use crate::acceptance;
use crate::described::{DocumentInPath, IdempotencyKey, IfMatch, Nullable};
use crate::errors::ApiError;
use crate::errors::refuse;
use axum::extract::{FromRef, FromRequest, FromRequestParts, Path, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use gateway_access::{Requests, Tokens};
use gateway_domain::ErrorCode;
use gateway_domain::access::Acting;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Acceptance, Invoice, InvoiceNumber, Status};
use gateway_domain::ports::Clock;
use gateway_domain::regime::Remark;
use gateway_domain_input::is_in_the_future;
use gateway_http::Authenticated;
use gateway_http::idempotency::{self, Answer, Failed, IdempotentRequest};
use gateway_http::json::{self, OptionalJson};
use gateway_http::openapi::BodyRefusals;
use gateway_http::openapi::{Conflict, Gone, Stale};
use gateway_http::time::Rfc3339;
use gateway_invoicing::{DocumentView, Documents, Invoicing, Issue};
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use utoipa::ToSchema;
use utoipa::openapi::schema::{Object, ObjectBuilder, Type};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<InternalApi> {
    OpenApiRouter::new().routes(routes!(issuing)).routes(routes!(issue)).routes(routes!(reject))
}

/// Longest reason of a rejection, characters.
const REASON_CHARS_MAX: usize = 2_000;
/// What is wrong with a time that lies ahead.
const FUTURE: &str = "lies in the future: give the time of the call";
/// The reason of a rejection that gives none.
const REASON_DEFAULT: &str = "rejected";

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
    async fn carried_out<A: Serialize + Sync>(
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

fn issuing_alone() -> Object {
    only(Status::Issuing)
}

fn issued_alone() -> Object {
    only(Status::Issued)
}

fn rejected_alone() -> Object {
    only(Status::Rejected)
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

/// The caller's own time of a step, which may be ahead of the gateway's only as far as clocks differ.
fn not_in_the_future(clock: &dyn Clock, at: Option<Rfc3339>) -> Result<Option<Timestamp>, ApiError> {
    let at = at.map(|Rfc3339(at)| at);
    if at.is_some_and(|at| is_in_the_future(at, clock.now())) {
        return Err(refuse(StatusCode::UNPROCESSABLE_ENTITY, "at", ErrorCode::InTheFuture, FUTURE));
    }
    Ok(at)
}

/// What finance says when it moves a document to issuing.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct IssuingForm {
    /// Whether finance submits the document.
    #[schema(examples(false))]
    send_to_tax_authority: bool,
    /// The caller's own time of it; not in the future.
    #[schema(value_type = Option<String>, format = DateTime)]
    at: Option<Rfc3339>,
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
    call.carried_out(&requests, invoicing.documents(), "issuing", step, |view| BecameIssuing::from(view))
        .await
}

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

/// What a call is sent with.
type IssueBody = Nullable<IssueForm>;

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
    call.carried_out(&requests, invoicing.documents(), "issue", step, |view| BecameIssued::from(view)).await
}

/// Why a document is rejected.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RejectForm {
    /// `rejected` unless given.
    #[schema(max_length = 2000, examples("1239 at /recipient: the NIF is not registered"))]
    reason: Option<String>,
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
    let step = async |acting: &Acting, id, form: RejectForm| {
        let said = form.reason.filter(|reason| !reason.trim().is_empty());
        let reason = said.unwrap_or_else(|| REASON_DEFAULT.to_owned());
        if reason.chars().count() > REASON_CHARS_MAX || reason.contains('\0') {
            let message = format!("may have at most {REASON_CHARS_MAX} characters and no NUL");
            return Err(refuse(StatusCode::UNPROCESSABLE_ENTITY, "reason", ErrorCode::TooLong, message));
        }
        Ok(invoicing.reject(acting, id, reason).await?)
    };
    call.carried_out(&requests, invoicing.documents(), "reject", step, |view| BecameRejected::from(view))
        .await
}
