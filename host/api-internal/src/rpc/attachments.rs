//! Files that people keep beside a document.

use super::document_id;
use crate::InternalState;
use crate::described::DocumentInPath;
use crate::errors::{ApiError, refuse};
use axum::Json;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, FromRequest, Path, Request, State};
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use gateway_annotations::{AttachedFile, DocumentAnnotations};
use gateway_domain::ErrorCode;
use gateway_domain::access::Acting;
use gateway_domain::ids::{AttachmentId, InvoiceId};
use gateway_domain_annotations::{ATTACHMENT_BYTES_MAX, AttachmentBody, AttachmentForm};
use gateway_http::Authenticated;
use gateway_http::download;
use gateway_http::json::whole;
use gateway_http::openapi::{BadRequest, Gone, TooSlow, Unprocessable};
use gateway_http::query::Params;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<InternalState> {
    OpenApiRouter::new()
        .routes(routes!(show, attach, detach).layer(DefaultBodyLimit::max(ATTACHMENT_BYTES_MAX)))
}

/// How large a body may be: a file comes in one piece.
pub fn body_bytes_max(request: &Request) -> Option<u64> {
    let path = request.uri().path().strip_prefix("/invoicing/rpc/documents/");
    let attaches = path.and_then(|path| path.split('/').nth(1)) == Some("attachments");
    (attaches && request.method() == Method::PUT)
        .then(|| u64::try_from(ATTACHMENT_BYTES_MAX).unwrap_or(u64::MAX))
}

gateway_http::refusals! {
    /// The document has no such file.
    NoAttachment: ("id", NotFound, "the document has no such attachment");
    /// Another file of the document has the id.
    IdTaken: ("id", AlreadyExists, "the document has another attachment with this id: take a fresh id");
    /// The file is larger than 5 MiB.
    TooLarge: ("base", BodyTooLarge, "the body is larger than this gateway takes: split it");
}

/// Which file of a document.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Path)]
#[expect(dead_code, reason = "describes a parameter")]
struct AttachmentInPath {
    /// The file, as whoever attaches it names it.
    #[param(format = Uuid, example = "0197f4f2-0000-7000-8000-0000000000f1")]
    attachment: String,
}

/// How it is kept.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes a parameter")]
struct AttachQuery {
    /// What the file is called, at most 200 characters, without a folder.
    #[param(example = "contract.pdf")]
    name: String,
}

/// What is in a file.
#[derive(Debug, ToSchema)]
#[schema(value_type = String, format = Binary)]
struct Content(Bytes);

/// A file as it comes.
#[derive(Debug)]
struct File {
    media_type: String,
    content: Content,
}

impl<S: Send + Sync> FromRequest<S> for File {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let (headers, body) = whole(request, state).await?;
        let media_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        Ok(Self { media_type: media_type.unwrap_or_default().to_owned(), content: Content(body) })
    }
}

fn ids(uuid: &str, attachment: &str) -> Result<(InvoiceId, AttachmentId), ApiError> {
    let unreadable = || refuse(StatusCode::BAD_REQUEST, "attachment", ErrorCode::InvalidFormat, "is no UUID");
    Ok((document_id(uuid)?, attachment.parse().map_err(|_| unreadable())?))
}

/// A file beside a document
///
/// Byte for byte, to be saved: a browser does not open it.
#[utoipa::path(
    get,
    path = "/invoicing/rpc/documents/{uuid}/attachments/{attachment}",
    operation_id = "getAttachment",
    params(DocumentInPath, AttachmentInPath),
    responses(
        (status = 200, description = "The file, with the media type that it was sent with.", body = inline(Content), content_type = "*/*"),
        (status = 400, response = BadRequest),
        (status = 404, response = NoAttachment),
        (status = 410, response = Gone)
    )
)]
async fn show(
    State(annotations): State<DocumentAnnotations>,
    caller: Authenticated,
    Path((uuid, attachment)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let (id, attachment) = ids(&uuid, &attachment)?;
    let AttachedFile { attachment, content } =
        annotations.file(&Acting::from(&caller.0), id, attachment).await?;
    Ok(download::file(&attachment.media_type, &attachment.name, content))
}

/// Attach a file to a document
///
/// Under an id that the caller makes up, so that it can be repeated safely. At most 20 files of at most 5 MiB each.
#[utoipa::path(
    put,
    path = "/invoicing/rpc/documents/{uuid}/attachments/{attachment}",
    operation_id = "putAttachment",
    params(DocumentInPath, AttachmentInPath, AttachQuery),
    request_body(content = inline(Content), content_type = "application/octet-stream", description = "The file itself, with its own media type in `Content-Type`."),
    responses(
        (status = 200, description = "It was attached before.", body = AttachmentBody<'static>),
        (status = 201, description = "It is attached.", body = AttachmentBody<'static>),
        (status = 400, response = BadRequest),
        (status = 408, response = TooSlow),
        (status = 409, response = IdTaken),
        (status = 410, response = Gone),
        (status = 413, response = TooLarge),
        (status = 422, response = Unprocessable)
    )
)]
async fn attach(
    State(annotations): State<DocumentAnnotations>,
    caller: Authenticated,
    Path((uuid, attachment)): Path<(String, String)>,
    params: Params,
    file: File,
) -> Result<Response, ApiError> {
    let (id, attachment) = ids(&uuid, &attachment)?;
    params.only(&["name"])?;
    let name = params.text("name").unwrap_or_default();
    let form = AttachmentForm { name: &name, media_type: &file.media_type, content: &file.content.0 };
    let attached = annotations.attach(&Acting::from(&caller.0), id, attachment, form).await?;
    let status = if attached.is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, Json(AttachmentBody::from(&attached.attachment))).into_response())
}

/// Take a file away from a document
///
/// The audit trail keeps its name and its digest.
#[utoipa::path(
    delete,
    path = "/invoicing/rpc/documents/{uuid}/attachments/{attachment}",
    operation_id = "deleteAttachment",
    params(DocumentInPath, AttachmentInPath),
    responses(
        (status = 204, description = "It is gone."),
        (status = 400, response = BadRequest),
        (status = 404, response = NoAttachment),
        (status = 410, response = Gone)
    )
)]
async fn detach(
    State(annotations): State<DocumentAnnotations>,
    caller: Authenticated,
    Path((uuid, attachment)): Path<(String, String)>,
) -> Result<StatusCode, ApiError> {
    let (id, attachment) = ids(&uuid, &attachment)?;
    annotations.detach(&Acting::from(&caller.0), id, attachment).await?;
    Ok(StatusCode::NO_CONTENT)
}
