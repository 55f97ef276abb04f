//! Documents: a page of them, one of them, its edits and its deletion.

use super::document_stream::{self, CSV, JSON, ListFormat, NDJSON, NoSuchList};
use super::{document_id, expected_version, gone};
use crate::InternalState;
use crate::described::{DocumentInPath, IfMatch, IfMatchOrNoneMatch};
use crate::errors::{ApiError, refuse};
use crate::read_only_members::ReadOnlyMembers;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use gateway_domain::ErrorCode;
use gateway_domain::access::Acting;
use gateway_domain::invoicing::{Balance, Invoice};
use gateway_domain_input::document::DocumentForm;
use gateway_http::Authenticated;
use gateway_http::documents_query::{DocumentParameters, DocumentsQuery};
use gateway_http::json::{self, Json};
use gateway_http::openapi::BodyRefusals;
use gateway_http::openapi::{BadRequest, Gone, Stale, Unprocessable};
use gateway_http::query::PageInfo;
use gateway_http::query::{self, Params};
use gateway_invoicing::{DocumentView, Documents, Invoicing, NO_VERSION};
use serde::Serialize;
use serde_json::{Map, Value};
use std::borrow::Cow;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{AllOfBuilder, Schema};
use utoipa::{PartialSchema, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<InternalState> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(super::export::export))
        .routes(routes!(show, save, delete))
}

/// A document as sent. Omitted optional members are null or empty. What only the gateway sets may be sent back as the
/// document shows it; a `version` before the present one is refused with 412.
struct DocumentBody {
    form: DocumentForm,
    read_only: ReadOnlyMembers,
}

impl PartialSchema for DocumentBody {
    fn schema() -> RefOr<Schema> {
        let about = "A document as sent. Omitted optional members are null or empty. What only the gateway sets may be sent back \
                     as the document shows it; a `version` before the present one is refused with 412.";
        AllOfBuilder::new()
            .description(Some(about))
            .item(DocumentForm::schema())
            .item(ReadOnlyMembers::schema())
            .into()
    }
}

impl ToSchema for DocumentBody {
    fn name() -> Cow<'static, str> {
        DocumentForm::name()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        DocumentForm::schemas(schemas);
    }
}

impl DocumentBody {
    fn read(mut sent: Map<String, Value>) -> Result<Self, ApiError> {
        let read_only = ReadOnlyMembers::take(&mut sent);
        Ok(Self { form: json::form(&Value::Object(sent))?, read_only })
    }
}

fn document(invoice: &Invoice, balance: &Balance) -> Response {
    let etag = format!("\"{}\"", invoice.version);
    ([(header::ETAG, etag)], axum::Json(DocumentView::with_balance(invoice, balance))).into_response()
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

/// Create or replace a draft
///
/// Also edits a rejected document, which stays rejected until it is resubmitted. Money and quantities are decimal strings;
/// every mistake is named at once. A document in issuing is locked (`base`: `documentLockedWhileIssuing`), an issued one
/// does not change any more (`status`).
#[utoipa::path(
    put,
    path = "/invoicing/rpc/documents/{uuid}",
    operation_id = "putDocument",
    params(DocumentInPath, IfMatchOrNoneMatch),
    request_body = DocumentBody,
    responses(
        (status = 200, description = "It was replaced.", body = DocumentView<'static>),
        (status = 201, description = "It was created.", body = DocumentView<'static>),
        (status = 410, response = Gone),
        (status = 412, response = Stale),
        BodyRefusals
    )
)]
async fn save(
    State(invoicing): State<Invoicing>,
    caller: Authenticated,
    Path(uuid): Path<String>,
    headers: HeaderMap,
    Json(sent): Json<Map<String, Value>>,
) -> Result<Response, ApiError> {
    let (acting, id) = (Acting::from(&caller.0), document_id(&uuid)?);
    let DocumentBody { form, read_only } = DocumentBody::read(sent)?;
    let expected = match Precondition::of(&headers)? {
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
    if !read_only.is_empty() {
        let found = invoicing.documents().find(&acting, id).await.map_err(ApiError::internal)?;
        read_only.check(id, found.as_ref())?;
    }
    let saved = invoicing.save(&acting, id, form, expected.or(read_only.version())).await?;
    let status = if saved.created { StatusCode::CREATED } else { StatusCode::OK };
    // What can be edited was never issued, so nothing of it was given back.
    let balance = Balance::of(&saved.invoice, &[], &[]).map_err(ApiError::internal)?;
    Ok((status, document(&saved.invoice, &balance)).into_response())
}

/// A document
///
/// With its figures, its state, the tax authority's proof, and what was credited and refunded of it.
#[utoipa::path(
    get,
    path = "/invoicing/rpc/documents/{uuid}",
    operation_id = "getDocument",
    params(DocumentInPath),
    responses(
        (status = 200, description = "The document.", body = DocumentView<'static>),
        (status = 400, response = BadRequest),
        (status = 410, response = Gone)
    )
)]
async fn show(
    State(documents): State<Documents>,
    caller: Authenticated,
    Path(uuid): Path<String>,
) -> Result<Response, ApiError> {
    let (acting, id) = (Acting::from(&caller.0), document_id(&uuid)?);
    let found = documents.find(&acting, id).await.map_err(ApiError::internal)?.ok_or_else(gone)?;
    let balances = documents.balances(std::slice::from_ref(&found)).await.map_err(ApiError::internal)?;
    let balance = balances.get(&id).ok_or_else(gone)?;
    Ok(document(&found, balance))
}

/// Delete a draft
///
/// Only a draft can be deleted.
#[utoipa::path(
    delete,
    path = "/invoicing/rpc/documents/{uuid}",
    operation_id = "deleteDocument",
    params(DocumentInPath, IfMatch),
    responses(
        (status = 204, description = "It is gone."),
        (status = 400, response = BadRequest),
        (status = 410, response = Gone),
        (status = 412, response = Stale),
        (status = 422, response = Unprocessable)
    )
)]
async fn delete(
    State(invoicing): State<Invoicing>,
    caller: Authenticated,
    Path(uuid): Path<String>,
    headers: HeaderMap,
) -> Result<StatusCode, ApiError> {
    let (acting, id) = (Acting::from(&caller.0), document_id(&uuid)?);
    invoicing.delete(&acting, id, expected_version(&headers)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A page of documents.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DocumentPage)]
struct DocumentPage<'a> {
    /// The documents.
    #[schema(max_items = 25)]
    nodes: Vec<DocumentView<'a>>,
    /// What follows.
    page_info: PageInfo,
}

/// A page of documents
///
/// Keyset pages: while documents are added, every document of a list is shown once. A cursor is of the order that it was
/// given in. `Accept: application/x-ndjson` or `text/csv` gives the whole list as a stream instead, a document a line.
#[utoipa::path(
    get,
    path = "/invoicing/rpc/documents",
    operation_id = "listDocuments",
    params(DocumentParameters),
    responses(
        (
            status = 200,
            description = "A page; or all of the list, as `Accept` says.",
            content(
                (DocumentPage<'static> = JSON),
                (String = NDJSON),
                (String = CSV)
            )
        ),
        (status = 406, response = NoSuchList),
        (status = 422, response = Unprocessable)
    )
)]
async fn list(
    State(documents): State<Documents>,
    caller: Authenticated,
    headers: HeaderMap,
    params: Params,
) -> Result<Response, ApiError> {
    let acting = Acting::from(&caller.0);
    let DocumentsQuery { filter, first, after } = DocumentsQuery::read(&params)?;
    let format = ListFormat::of(&headers)?;
    if let Some(format) = format.of_a_whole() {
        params.none_of(&["first", "after"], "is of a page: a list that is a stream is given as a whole")?;
        return document_stream::answer(documents.listing(acting, filter, format), format).await;
    }
    let page = documents.page(&acting, &filter, after, first).await.map_err(ApiError::internal)?;
    let page_info = PageInfo { has_next_page: page.has_next, end_cursor: page.end().map(query::cursor) };
    let balances = documents.balances(&page.nodes).await.map_err(ApiError::internal)?;
    let views =
        page.nodes.iter().filter_map(|node| Some(DocumentView::with_balance(node, balances.get(&node.id)?)));
    let nodes = views.collect();
    Ok(([(header::VARY, "accept")], axum::Json(DocumentPage { nodes, page_info })).into_response())
}
