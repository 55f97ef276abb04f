//! The invoice data service over HTTP. Each operation's statuses are one exhaustive function at the end.

mod events;
mod export;
mod transitions;

use crate::InternalApi;
use crate::errors::ApiError;
use crate::errors::refuse;
use crate::returned::Returned;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, put};
use gateway_domain::access::{Acting, Permission};
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{DocumentForm, Invoice, IssueError, NotEditable, Status};
use gateway_domain::{ErrorCode, FieldError};
use gateway_http::Authenticated;
use gateway_http::json::{self, Json};
use gateway_http::query::{self, Params};
use gateway_invoicing::{
    DeleteError, DocumentView, Documents, Invoicing, IssuingError, NO_VERSION, RejectError, SaveError,
    StepError,
};
use gateway_storage::invoices::Filter;
use serde_json::{Map, Value, json};

/// The routes of the invoice data service.
pub(super) fn router() -> Router<InternalApi> {
    Router::new()
        .route("/invoicing/rpc/documents", get(list))
        .route("/invoicing/rpc/documents/export", get(export::export))
        .route("/invoicing/rpc/documents/{uuid}", get(show).put(save).delete(delete))
        .route("/invoicing/rpc/documents/{uuid}/issuing", put(transitions::issuing))
        .route("/invoicing/rpc/documents/{uuid}/issue", put(transitions::issue))
        .route("/invoicing/rpc/documents/{uuid}/reject", put(transitions::reject))
        .route("/invoicing/rpc/events", get(events::feed))
}

/// Who calls, if the client may call the invoice data service.
pub(super) fn acting(caller: &Authenticated) -> Result<Acting, ApiError> {
    caller.require(Permission::InvoicingRpc)?;
    Ok(Acting::from(&caller.0))
}

/// The document that a path names, in the one spelling that answers use.
pub(super) fn document_id(text: &str) -> Result<InvoiceId, ApiError> {
    const SPELLING: usize = "00000000-0000-0000-0000-000000000000".len();
    let id = if text.len() == SPELLING { text.parse().ok() } else { None };
    id.ok_or_else(|| refuse(StatusCode::BAD_REQUEST, "uuid", ErrorCode::InvalidFormat, "is no UUID"))
}

fn document(invoice: &Invoice) -> Response {
    let etag = format!("\"{}\"", invoice.version);
    ([(header::ETAG, etag)], axum::Json(DocumentView::from(invoice))).into_response()
}

/// The version an edit expects (`If-Match`).
pub(super) fn expected_version(headers: &HeaderMap) -> Result<Option<i64>, ApiError> {
    let Some(value) = headers.get(header::IF_MATCH) else { return Ok(None) };
    let text = value.to_str().unwrap_or_default().trim();
    if text == "*" {
        return Ok(None);
    }
    let version = text.trim_start_matches("W/").trim_matches('"').parse();
    let message = "If-Match takes the version of the document, such as \"3\"";
    version
        .map(Some)
        .map_err(|_| refuse(StatusCode::BAD_REQUEST, "version", ErrorCode::InvalidFormat, message))
}

/// What an edit says about the document before it (RFC 9110 §13.1).
enum Precondition {
    /// Nothing.
    None,
    /// It is at this version (`If-Match: "3"`).
    Version(i64),
    /// It is there (`If-Match: *`).
    Present,
    /// It is not there (`If-None-Match: *`).
    Absent,
}

/// No document has this version.
const ABSENT: i64 = -1;

impl Precondition {
    fn of(headers: &HeaderMap) -> Result<Self, ApiError> {
        let any = |name| headers.get(name).map(|value: &HeaderValue| value.as_bytes().trim_ascii() == b"*");
        match (any(header::IF_MATCH), any(header::IF_NONE_MATCH)) {
            (None, None) => Ok(Self::None),
            (Some(true), None) => Ok(Self::Present),
            (None, Some(true)) => Ok(Self::Absent),
            (Some(false), None) => Ok(expected_version(headers)?.map_or(Self::None, Self::Version)),
            (_, Some(_)) => {
                let message = "If-None-Match takes * alone, for a document that is not there yet";
                Err(refuse(StatusCode::BAD_REQUEST, "version", ErrorCode::InvalidFormat, message))
            }
        }
    }
}

async fn save(
    State(invoicing): State<Invoicing>,
    caller: Authenticated,
    Path(uuid): Path<String>,
    headers: HeaderMap,
    Json(mut sent): Json<Map<String, Value>>,
) -> Result<Response, ApiError> {
    let (acting, id) = (acting(&caller)?, document_id(&uuid)?);
    let returned = Returned::take(&mut sent);
    let form: DocumentForm = json::form(&Value::Object(sent))?;
    let seen = match Precondition::of(&headers)? {
        Precondition::None => None,
        // Documents begin with version 1: no document is at this one.
        Precondition::Version(NO_VERSION) => Some(ABSENT),
        Precondition::Version(version) => Some(version),
        Precondition::Absent => Some(NO_VERSION),
        Precondition::Present => {
            let found = invoicing.documents().find(&acting, id).await.map_err(ApiError::internal)?;
            // A document that is not there has no version that this could be.
            Some(found.map_or(ABSENT, |found| found.version))
        }
    };
    if !returned.is_empty() {
        let found = invoicing.documents().find(&acting, id).await.map_err(ApiError::internal)?;
        returned.check(id, found.as_ref())?;
    }
    let saved = invoicing.save(&acting, id, form, seen.or(returned.version())).await?;
    let status = if saved.created { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, document(&saved.invoice)).into_response())
}

async fn show(
    State(documents): State<Documents>,
    caller: Authenticated,
    Path(uuid): Path<String>,
) -> Result<Response, ApiError> {
    let (acting, id) = (acting(&caller)?, document_id(&uuid)?);
    let found = documents.find(&acting, id).await.map_err(ApiError::internal)?;
    Ok(document(&found.ok_or_else(gone)?))
}

async fn delete(
    State(invoicing): State<Invoicing>,
    caller: Authenticated,
    Path(uuid): Path<String>,
    headers: HeaderMap,
) -> Result<StatusCode, ApiError> {
    let (acting, id) = (acting(&caller)?, document_id(&uuid)?);
    invoicing.delete(&acting, id, expected_version(&headers)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn list(
    State(documents): State<Documents>,
    caller: Authenticated,
    params: Params,
) -> Result<Response, ApiError> {
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
    let page = documents.page(&acting, &filter, after, params.first()?).await.map_err(ApiError::internal)?;
    let nodes: Vec<_> = page.nodes.iter().map(DocumentView::from).collect();
    let info = json!({"has_next_page": page.has_next, "end_cursor": page.end().map(query::cursor)});
    Ok(axum::Json(json!({"nodes": nodes, "page_info": info})).into_response())
}

/// No such document, or none the client may see (specification: 410).
pub(super) fn gone() -> ApiError {
    refuse(StatusCode::GONE, "uuid", ErrorCode::DocumentGone, "there is no such document")
}

fn stale(error: &impl std::fmt::Display) -> ApiError {
    refuse(StatusCode::PRECONDITION_FAILED, "version", ErrorCode::Stale, error.to_string())
}

fn unprocessable(field: &str, code: ErrorCode, error: &impl std::fmt::Display) -> ApiError {
    refuse(StatusCode::UNPROCESSABLE_ENTITY, field, code, error.to_string())
}

impl From<SaveError> for ApiError {
    fn from(error: SaveError) -> Self {
        match error {
            SaveError::Invalid(fields) => Self::new(StatusCode::UNPROCESSABLE_ENTITY, fields),
            SaveError::Gone => gone(),
            SaveError::NotEditable(error @ NotEditable::Locked) => {
                unprocessable("base", error.code(), &error)
            }
            SaveError::NotEditable(error @ NotEditable::Issued) => {
                unprocessable("status", error.code(), &error)
            }
            SaveError::NotEditable(error @ NotEditable::KeepsItsKind(_)) => {
                unprocessable("document_type", error.code(), &error)
            }
            SaveError::Stale { .. } => stale(&error),
            SaveError::Store(cause) => Self::internal(cause),
        }
    }
}

impl From<DeleteError> for ApiError {
    fn from(error: DeleteError) -> Self {
        match error {
            DeleteError::Gone => gone(),
            DeleteError::NotDeletable(error) => match error.found {
                Status::Issuing => unprocessable("base", NotEditable::Locked.code(), &NotEditable::Locked),
                Status::Draft | Status::Issued | Status::Rejected => {
                    unprocessable("status", ErrorCode::DocumentNotADraft, &error)
                }
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
        IssueError::WrongKind | IssueError::Blocked | IssueError::NumberGiven => "base",
        IssueError::NoLines | IssueError::ExceedsOriginal => "lines",
        IssueError::WrongOriginal => "referenced_document_ids",
        IssueError::NumberUnknown => "number",
        IssueError::SeriesMovedOn => "at",
    };
    FieldError::new(field, error.code(), error.to_string())
}

impl From<IssuingError> for ApiError {
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

impl From<RejectError> for ApiError {
    fn from(error: RejectError) -> Self {
        match error {
            RejectError::Gone => gone(),
            RejectError::NotRejectable(error) => {
                unprocessable("status", ErrorCode::DocumentNotADraft, &error)
            }
            RejectError::Store(cause) => Self::internal(cause),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::document_id;

    #[test]
    fn a_document_is_named_in_one_spelling() {
        assert!(document_id("01900000-0000-7000-8000-0000000000aB").is_ok());
        for text in [
            "",
            "x",
            "01900000000070008000000000000001",
            "{01900000-0000-7000-8000-000000000001}",
            "urn:uuid:01900000-0000-7000-8000-000000000001",
            "01900000-0000-7000-8000-00000000000g",
        ] {
            assert!(document_id(text).is_err(), "{text}");
        }
    }
}
