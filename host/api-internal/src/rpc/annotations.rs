//! What people keep beside a document: note and tags, with the files that are attached.

use super::{document_id, expected_version, gone};
use crate::InternalState;
use crate::described::{DocumentInPath, IfMatch};
use crate::errors::ApiError;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use gateway_annotations::DocumentAnnotations;
use gateway_domain::access::Acting;
use gateway_domain_annotations::{AnnotationForm, Annotations, AnnotationsBody};
use gateway_http::Authenticated;
use gateway_http::json::Json;
use gateway_http::openapi::{BadRequest, BodyRefusals, Gone, Stale};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<InternalState> {
    OpenApiRouter::new().routes(routes!(show, annotate))
}

fn answer(kept: &Annotations) -> Response {
    let etag = format!("\"{}\"", kept.version());
    ([(header::ETAG, etag)], axum::Json(AnnotationsBody::from(kept))).into_response()
}

/// What people keep beside a document
///
/// A note, tags and files, whatever the state of the document. None of it is part of it: it is not converted, submitted, printed
/// or sent to a customer.
#[utoipa::path(
    get,
    path = "/invoicing/rpc/documents/{uuid}/annotations",
    operation_id = "getAnnotations",
    params(DocumentInPath),
    responses(
        (status = 200, description = "Everything that is kept beside it.", body = AnnotationsBody<'static>),
        (status = 400, response = BadRequest),
        (status = 410, response = Gone)
    )
)]
async fn show(
    State(annotations): State<DocumentAnnotations>,
    caller: Authenticated,
    Path(uuid): Path<String>,
) -> Result<Response, ApiError> {
    let (acting, id) = (Acting::from(&caller.0), document_id(&uuid)?);
    let kept = annotations.find(&acting, id).await.map_err(ApiError::internal)?.ok_or_else(gone)?;
    Ok(answer(&kept))
}

/// Set note and tags of a document
///
/// Whole, as the body says: what it leaves out is taken away. The document, its version and its events stay as they are; the audit
/// trail keeps who did it. The `ETag` is the version of note and tags.
#[utoipa::path(
    put,
    path = "/invoicing/rpc/documents/{uuid}/annotations",
    operation_id = "putAnnotations",
    params(DocumentInPath, IfMatch),
    request_body = AnnotationForm,
    responses(
        (status = 200, description = "Everything that is kept beside it now.", body = AnnotationsBody<'static>),
        (status = 410, response = Gone),
        (status = 412, response = Stale),
        BodyRefusals
    )
)]
async fn annotate(
    State(annotations): State<DocumentAnnotations>,
    caller: Authenticated,
    Path(uuid): Path<String>,
    headers: HeaderMap,
    Json(form): Json<AnnotationForm>,
) -> Result<Response, ApiError> {
    let (acting, id) = (Acting::from(&caller.0), document_id(&uuid)?);
    let expected = expected_version(&headers)?;
    Ok(answer(&annotations.annotate(&acting, id, form, expected).await?))
}
