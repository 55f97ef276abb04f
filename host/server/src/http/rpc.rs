//! The invoice data service over HTTP. Each operation's statuses are one exhaustive function at the end.

use super::access::Authenticated;
use super::errors::ApiErrors;
use super::json::{self, Json, OptionalJson, refuse};
use super::once::{self, Once};
use super::query::{self, Params};
use super::time::Rfc3339;
use super::{AppState, events, export, proof};
use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, put};
use gateway_app::Gateway;
use gateway_app::invoicing::{DeleteError, DocumentView, IssuingError, RejectError, SaveError, StepError};
use gateway_domain::access::{Acting, Permission};
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{
    Acceptance, DocumentForm, FieldError, Invoice, IssueError, NotEditable, State as DocumentState, Status,
};
use gateway_domain::regime::Remark;
use gateway_storage::invoices::Filter;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Longest reason of a rejection, characters.
const REASON_CHARS_MAX: usize = 2_000;
/// How far the caller's clock may be ahead of the gateway's.
const CLOCK_SKEW: SignedDuration = SignedDuration::from_mins(5);
/// What is wrong with a time that lies ahead.
const FUTURE: &str = "lies in the future: give the time of the call";
/// The reason of a rejection that gives none.
const REASON_DEFAULT: &str = "rejected";

/// The routes of the invoice data service.
pub(super) fn router() -> Router<AppState> {
    Router::new()
        .route("/invoicing/rpc/documents", get(list))
        .route("/invoicing/rpc/documents/export", get(export::export))
        .route("/invoicing/rpc/documents/{uuid}", get(show).put(save).delete(delete))
        .route("/invoicing/rpc/documents/{uuid}/issuing", put(issuing))
        .route("/invoicing/rpc/documents/{uuid}/issue", put(issue))
        .route("/invoicing/rpc/documents/{uuid}/reject", put(reject))
        .route("/invoicing/rpc/events", get(events::feed))
}

/// Who calls, if the client may call the invoice data service.
pub(super) fn acting(caller: &Authenticated) -> Result<Acting, ApiErrors> {
    caller.require(Permission::InvoicingRpc)?;
    Ok(Acting::from(&caller.0))
}

/// The document a path names.
pub(super) fn document_id(text: &str) -> Result<InvoiceId, ApiErrors> {
    text.parse().map_err(|_| refuse(StatusCode::BAD_REQUEST, "uuid", "is no UUID"))
}

fn document(invoice: &Invoice) -> Response {
    let etag = format!("\"{}\"", invoice.version);
    ([(header::ETAG, etag)], axum::Json(DocumentView::from(invoice))).into_response()
}

/// The version an edit expects (`If-Match`).
pub(super) fn expected_version(headers: &HeaderMap) -> Result<Option<i64>, ApiErrors> {
    let Some(value) = headers.get(header::IF_MATCH) else { return Ok(None) };
    let text = value.to_str().unwrap_or_default().trim();
    if text == "*" {
        return Ok(None);
    }
    let version = text.trim_start_matches("W/").trim_matches('"').parse();
    let message = "If-Match takes the version of the document, such as \"3\"";
    version.map(Some).map_err(|_| refuse(StatusCode::BAD_REQUEST, "version", message))
}

async fn save(
    State(gateway): State<Gateway>,
    caller: Authenticated,
    Path(uuid): Path<String>,
    headers: HeaderMap,
    Json(form): Json<DocumentForm>,
) -> Result<Response, ApiErrors> {
    let (acting, id) = (acting(&caller)?, document_id(&uuid)?);
    let saved = gateway.save_document(&acting, id, form, expected_version(&headers)?).await?;
    let status = if saved.created { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, document(&saved.invoice)).into_response())
}

async fn show(
    State(gateway): State<Gateway>,
    caller: Authenticated,
    Path(uuid): Path<String>,
) -> Result<Response, ApiErrors> {
    let (acting, id) = (acting(&caller)?, document_id(&uuid)?);
    let found = gateway.document(&acting, id).await.map_err(ApiErrors::internal)?;
    Ok(document(&found.ok_or_else(gone)?))
}

async fn delete(
    State(gateway): State<Gateway>,
    caller: Authenticated,
    Path(uuid): Path<String>,
    headers: HeaderMap,
) -> Result<StatusCode, ApiErrors> {
    let (acting, id) = (acting(&caller)?, document_id(&uuid)?);
    gateway.delete_document(&acting, id, expected_version(&headers)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn list(
    State(gateway): State<Gateway>,
    caller: Authenticated,
    params: Params,
) -> Result<Response, ApiErrors> {
    let acting = acting(&caller)?;
    params.only(&["workspace_id", "status", "booking_id", "number", "updated_after", "first", "after"])?;
    let filter = Filter {
        workspace: params.parse("workspace_id", "use the number of a workspace", query::workspace)?,
        status: params.parse("status", "use draft, issuing, issued or rejected", Status::parse)?,
        booking: params.parse("booking_id", "use a UUID", |text| text.parse().ok())?,
        number: params.text("number"),
        updated_after: params.parse("updated_after", "use a time as RFC 3339", |text| text.parse().ok())?,
    };
    let after = params.parse("after", "use the end_cursor of a page", query::place)?;
    let page =
        gateway.documents(&acting, &filter, after, params.first()?).await.map_err(ApiErrors::internal)?;
    let nodes: Vec<_> = page.nodes.iter().map(DocumentView::from).collect();
    let info = json!({"has_next_page": page.has_next, "end_cursor": page.end().map(query::cursor)});
    Ok(axum::Json(json!({"nodes": nodes, "page_info": info})).into_response())
}

/// What finance says when it moves a document to issuing.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct IssuingForm {
    /// Whether finance submits the document.
    send_to_tax_authority: bool,
    /// Finance's own time of it.
    at: Option<Rfc3339>,
}

async fn issuing(
    State(gateway): State<Gateway>,
    caller: Authenticated,
    Path(uuid): Path<String>,
    headers: HeaderMap,
    OptionalJson(body): OptionalJson<Value>,
) -> Result<Response, ApiErrors> {
    let id = target(&caller, &uuid)?;
    let form: IssuingForm = form(&body)?;
    let acting = match begin(&gateway, &caller, &headers, "issuing", id, &body).await? {
        Begun::Go(acting) => acting,
        Begun::Answered(answer) => return Ok(answer),
    };
    let (at, seen) = (not_in_the_future(&gateway, form.at)?, expected_version(&headers)?);
    let issuing = gateway.begin_issuing_if(&acting, id, form.send_to_tax_authority, at, seen).await;
    let invoice = match issuing {
        Ok(invoice) => invoice,
        Err(error) => return once::refused(&gateway, &acting, error.into()).await,
    };
    let shown = json!({
        "uuid": id,
        "display_invoice_number": invoice.state.number(),
        "status": invoice.state.status(),
    });
    Ok(once::end(&gateway, &acting, &shown).await)
}

/// The caller's own time of a step, which may be ahead of the gateway's only as far as clocks differ.
fn not_in_the_future(gateway: &Gateway, at: Option<Rfc3339>) -> Result<Option<Timestamp>, ApiErrors> {
    let at = at.map(|Rfc3339(at)| at);
    if at.is_some_and(|at| at > latest(gateway)) {
        return Err(refuse(StatusCode::UNPROCESSABLE_ENTITY, "at", FUTURE));
    }
    Ok(at)
}

fn latest(gateway: &Gateway) -> Timestamp {
    gateway.now().checked_add(CLOCK_SKEW).unwrap_or(Timestamp::MAX)
}

/// The document of a call, if the client may make it.
fn target(caller: &Authenticated, uuid: &str) -> Result<InvoiceId, ApiErrors> {
    acting(caller)?;
    document_id(uuid)
}

/// The members of a call; an empty body has none.
fn form<T: DeserializeOwned + Default>(body: &Value) -> Result<T, ApiErrors> {
    if body.is_null() {
        return Ok(T::default());
    }
    json::typed(body.clone()).map_err(|error| ApiErrors::new(StatusCode::UNPROCESSABLE_ENTITY, vec![error]))
}

/// What to do with one of the three calls.
enum Begun {
    /// Carry it out.
    Go(Acting),
    /// It was carried out before; this is its answer, or how the document stands when that was lost.
    Answered(Response),
}

async fn begin(
    gateway: &Gateway,
    caller: &Authenticated,
    headers: &HeaderMap,
    call: &str,
    id: InvoiceId,
    body: &Value,
) -> Result<Begun, ApiErrors> {
    let content = once::content(&format!("PUT {call} {id}"), body);
    Ok(match once::begin(gateway, caller, headers, &content).await? {
        Once::Go(acting) => Begun::Go(acting),
        Once::Answer(answer) => Begun::Answered(answer),
        Once::CarriedOut => {
            let found = gateway.document(&Acting::from(&caller.0), id).await?.ok_or_else(gone)?;
            Begun::Answered(once::shown(&step(&found)))
        }
    })
}

/// What a call answers of a document.
fn step(invoice: &Invoice) -> Value {
    let view = DocumentView::from(invoice);
    json!({
        "uuid": view.uuid,
        "display_invoice_number": view.display_invoice_number,
        "status": view.status,
        "issued_at": view.issued_at,
        "rejected_by_tax_authority_at": view.rejected_by_tax_authority_at,
        "rejection_reason": view.rejection_reason,
    })
}

/// The authority's proof, when finance issues an accepted document.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct IssueForm {
    acceptance: Option<AcceptanceForm>,
    /// Finance's own time of the standard issue.
    at: Option<Rfc3339>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct AcceptanceForm {
    qr_url: Option<String>,
    tax_system_hash: Option<String>,
    accepted_at: Option<Rfc3339>,
    warnings: Vec<Remark>,
    sandbox: bool,
}

impl AcceptanceForm {
    fn check(self, gateway: &Gateway) -> Result<Acceptance, ApiErrors> {
        let mistake = |field: &str, message: String| {
            refuse(StatusCode::UNPROCESSABLE_ENTITY, &format!("acceptance.{field}"), message)
        };
        for (field, text, mistaken) in [
            ("qr_url", &self.qr_url, proof::wrong_address as fn(&str) -> Option<String>),
            ("tax_system_hash", &self.tax_system_hash, proof::wrong_hash),
        ] {
            if let Some(message) = text.as_deref().and_then(mistaken) {
                return Err(mistake(field, message));
            }
        }
        let accepted_at = self.accepted_at.map_or_else(|| gateway.now(), |Rfc3339(at)| at);
        if accepted_at > latest(gateway) {
            return Err(mistake("accepted_at", FUTURE.to_owned()));
        }
        let Self { qr_url, tax_system_hash, warnings, sandbox, .. } = self;
        Ok(Acceptance { qr_url, tax_system_hash, accepted_at, warnings, sandbox })
    }
}

async fn issue(
    State(gateway): State<Gateway>,
    caller: Authenticated,
    Path(uuid): Path<String>,
    headers: HeaderMap,
    OptionalJson(body): OptionalJson<Value>,
) -> Result<Response, ApiErrors> {
    let id = target(&caller, &uuid)?;
    let form: IssueForm = form(&body)?;
    let acting = match begin(&gateway, &caller, &headers, "issue", id, &body).await? {
        Begun::Go(acting) => acting,
        Begun::Answered(answer) => return Ok(answer),
    };
    let acceptance = match form.acceptance {
        Some(form) => Some(form.check(&gateway)?),
        None => None,
    };
    let at = not_in_the_future(&gateway, form.at)?;
    let invoice = match gateway.issue_document(&acting, id, acceptance, at).await {
        Ok(invoice) => invoice,
        Err(error) => return once::refused(&gateway, &acting, error.into()).await,
    };
    let issued_at = match &invoice.state {
        DocumentState::Issued { at, .. } => Some(*at),
        DocumentState::Draft | DocumentState::Issuing { .. } | DocumentState::Rejected { .. } => None,
    };
    let shown = json!({
        "uuid": id,
        "display_invoice_number": invoice.state.number(),
        "status": invoice.state.status(),
        "issued_at": issued_at,
    });
    Ok(once::end(&gateway, &acting, &shown).await)
}

/// Why a document is rejected.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RejectForm {
    reason: Option<String>,
}

async fn reject(
    State(gateway): State<Gateway>,
    caller: Authenticated,
    Path(uuid): Path<String>,
    headers: HeaderMap,
    OptionalJson(body): OptionalJson<Value>,
) -> Result<Response, ApiErrors> {
    let id = target(&caller, &uuid)?;
    let form: RejectForm = form(&body)?;
    let acting = match begin(&gateway, &caller, &headers, "reject", id, &body).await? {
        Begun::Go(acting) => acting,
        Begun::Answered(answer) => return Ok(answer),
    };
    let reason =
        form.reason.filter(|reason| !reason.trim().is_empty()).unwrap_or_else(|| REASON_DEFAULT.to_owned());
    if reason.chars().count() > REASON_CHARS_MAX || reason.contains('\0') {
        let message = format!("may have at most {REASON_CHARS_MAX} characters and no NUL");
        return Err(refuse(StatusCode::UNPROCESSABLE_ENTITY, "reason", message));
    }
    let invoice = match gateway.reject_document(&acting, id, reason).await {
        Ok(invoice) => invoice,
        Err(error) => return once::refused(&gateway, &acting, error.into()).await,
    };
    let view = DocumentView::from(&invoice);
    let shown = json!({
        "uuid": id,
        "display_invoice_number": view.display_invoice_number,
        "status": view.status,
        "rejected_by_tax_authority_at": view.rejected_by_tax_authority_at,
        "rejection_reason": view.rejection_reason,
    });
    Ok(once::end(&gateway, &acting, &shown).await)
}

/// No such document, or none the client may see (specification: 410).
pub(super) fn gone() -> ApiErrors {
    refuse(StatusCode::GONE, "uuid", "there is no such document")
}

fn stale(error: &impl std::fmt::Display) -> ApiErrors {
    refuse(StatusCode::PRECONDITION_FAILED, "version", error.to_string())
}

fn unprocessable(field: &str, error: &impl std::fmt::Display) -> ApiErrors {
    refuse(StatusCode::UNPROCESSABLE_ENTITY, field, error.to_string())
}

impl From<SaveError> for ApiErrors {
    fn from(error: SaveError) -> Self {
        match error {
            SaveError::Invalid(fields) => Self::new(StatusCode::UNPROCESSABLE_ENTITY, fields),
            SaveError::Gone => gone(),
            SaveError::NotEditable(NotEditable::Locked) => unprocessable("base", &NotEditable::Locked),
            SaveError::NotEditable(NotEditable::Issued) => unprocessable("status", &NotEditable::Issued),
            SaveError::NotEditable(error @ NotEditable::KeepsItsKind(_)) => {
                unprocessable("document_type", &error)
            }
            SaveError::Stale { .. } => stale(&error),
            SaveError::Store(cause) => Self::internal(cause),
        }
    }
}

impl From<DeleteError> for ApiErrors {
    fn from(error: DeleteError) -> Self {
        match error {
            DeleteError::Gone => gone(),
            DeleteError::NotDeletable(error) => match error.found {
                Status::Issuing => unprocessable("base", &NotEditable::Locked),
                Status::Draft | Status::Issued | Status::Rejected => unprocessable("status", &error),
            },
            DeleteError::Stale { .. } => stale(&error),
            DeleteError::Store(cause) => Self::internal(cause),
        }
    }
}

/// The member an issue error is about, and what is said of it.
pub(super) fn issue_mistake(error: &IssueError) -> FieldError {
    let field = match error {
        IssueError::WrongState { .. } => "status",
        IssueError::WrongKind | IssueError::Blocked => "base",
        IssueError::NoLines | IssueError::ExceedsOriginal => "lines",
        IssueError::WrongOriginal => "referenced_document_ids",
    };
    FieldError::new(field, error.to_string())
}

impl From<IssuingError> for ApiErrors {
    fn from(error: IssuingError) -> Self {
        match error {
            StepError::Gone => gone(),
            StepError::Issue(error) => {
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, vec![issue_mistake(&error)])
            }
            StepError::Stale { .. } => stale(&error),
            StepError::Store(cause) => Self::internal(cause),
        }
    }
}

impl From<RejectError> for ApiErrors {
    fn from(error: RejectError) -> Self {
        match error {
            RejectError::Gone => gone(),
            RejectError::NotRejectable(error) => unprocessable("status", &error),
            RejectError::Store(cause) => Self::internal(cause),
        }
    }
}
