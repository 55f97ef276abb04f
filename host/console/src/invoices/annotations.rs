//! What people keep beside a document: shown on its page, and changed by forms of their own.

use crate::Console;
use crate::addresses::document_id;
use crate::errors::{PageError, PageResult};
use crate::rights::Right;
use crate::session::{SentForm, Viewer, see_other};
use crate::upload::{self, Upload};
use axum::Router;
use axum::extract::{DefaultBodyLimit, Path, Request, State};
use axum::http::{Method, StatusCode};
use axum::routing::{get, post};
use gateway_annotations::{AnnotateError, AttachedFile, DocumentAnnotations};
use gateway_domain::ids::{AttachmentId, InvoiceId};
use gateway_domain_annotations::{ATTACHMENT_BYTES_MAX, AnnotationForm, AttachmentForm};
use gateway_domain_input::sentence;
use gateway_http::download;

/// What surrounds a file in a form, bytes.
const FORM_BYTES: usize = 64 * 1024;
/// What a browser says of a file whose kind it does not know.
const ANY_BYTES: &str = "application/octet-stream";

pub(super) fn routes() -> Router<Console> {
    let most = ATTACHMENT_BYTES_MAX.saturating_add(FORM_BYTES);
    Router::new()
        .route("/console/invoices/{id}/annotations", post(annotate))
        .route("/console/invoices/{id}/attachments", post(attach).layer(DefaultBodyLimit::max(most)))
        .route("/console/invoices/{id}/attachments/{attachment}", get(file))
        .route("/console/invoices/{id}/attachments/{attachment}/remove", post(remove))
}

/// How large a form with a file may be.
pub(crate) fn body_bytes_max(request: &Request) -> Option<u64> {
    let path = request.uri().path();
    let attaches = path.starts_with("/console/invoices/") && path.ends_with("/attachments");
    let most = ATTACHMENT_BYTES_MAX.saturating_add(FORM_BYTES);
    (attaches && request.method() == Method::POST).then(|| u64::try_from(most).unwrap_or(u64::MAX))
}

fn page_of(id: InvoiceId) -> String {
    format!("/console/invoices/{id}#annotations")
}

async fn annotate(
    State(annotations): State<DocumentAnnotations>,
    Path(id): Path<String>,
    SentForm { viewer, fields }: SentForm,
) -> PageResult {
    Right::Annotate.demand(&viewer.signed_in)?;
    let id = document_id(&id)?;
    let tags = fields.text("tags").lines().map(str::trim).filter(|tag| !tag.is_empty());
    let form = AnnotationForm { note: fields.owned("note"), tags: tags.map(str::to_owned).collect() };
    let expected = fields.text("version").parse().ok();
    annotations.annotate(&viewer.acting(), id, form, expected).await?;
    Ok(see_other(&page_of(id)))
}

async fn attach(
    State(annotations): State<DocumentAnnotations>,
    Path(id): Path<String>,
    viewer: Viewer,
    request: Request,
) -> PageResult {
    let id = document_id(&id)?;
    let Upload { fields, file_name, media_type, file } =
        upload::read(&viewer, Right::Annotate, request, "file").await?;
    let attachment = attachment_id(fields.text("attachment"))?;
    let media_type = if media_type.is_empty() { ANY_BYTES } else { &media_type };
    let form = AttachmentForm { name: &file_name, media_type, content: &file };
    annotations.attach(&viewer.acting(), id, attachment, form).await?;
    Ok(see_other(&page_of(id)))
}

async fn file(
    State(annotations): State<DocumentAnnotations>,
    Path((id, attachment)): Path<(String, String)>,
    viewer: Viewer,
) -> PageResult {
    let (id, attachment) = (document_id(&id)?, attachment_id(&attachment)?);
    let AttachedFile { attachment, content } = annotations.file(&viewer.acting(), id, attachment).await?;
    Ok(download::file(&attachment.media_type, &attachment.name, content))
}

async fn remove(
    State(annotations): State<DocumentAnnotations>,
    Path((id, attachment)): Path<(String, String)>,
    SentForm { viewer, .. }: SentForm,
) -> PageResult {
    Right::Annotate.demand(&viewer.signed_in)?;
    let (id, attachment) = (document_id(&id)?, attachment_id(&attachment)?);
    match annotations.detach(&viewer.acting(), id, attachment).await {
        // The same form, sent twice.
        Ok(()) | Err(AnnotateError::NoAttachment) => Ok(see_other(&page_of(id))),
        Err(error) => Err(error.into()),
    }
}

fn attachment_id(text: &str) -> Result<AttachmentId, PageError> {
    let unknown = |_| PageError::refused(StatusCode::NOT_FOUND, "the document has no such attachment");
    text.parse().map_err(unknown)
}

impl From<AnnotateError> for PageError {
    fn from(error: AnnotateError) -> Self {
        match error {
            AnnotateError::Gone | AnnotateError::NoAttachment => {
                Self::refused(StatusCode::NOT_FOUND, error.to_string())
            }
            AnnotateError::Stale { .. } | AnnotateError::IdTaken => {
                Self::refused(StatusCode::CONFLICT, error.to_string())
            }
            AnnotateError::TooMany => Self::refused(StatusCode::UNPROCESSABLE_ENTITY, error.to_string()),
            AnnotateError::Invalid(mistakes) => {
                Self::refused(StatusCode::UNPROCESSABLE_ENTITY, sentence(&mistakes))
            }
            AnnotateError::Store(error) => error.into(),
        }
    }
}
