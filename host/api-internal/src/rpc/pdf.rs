//! A document as a file that people read.

use super::{document_id, gone};
use crate::InternalState;
use crate::described::DocumentInPath;
use crate::errors::{ApiError, refuse};
use axum::extract::{Path, State};
use axum::http::header::{self, RETRY_AFTER};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use gateway_domain::access::Acting;
use gateway_domain::fault::Fault;
use gateway_domain::{ErrorCode, FieldError};
use gateway_http::Authenticated;
use gateway_http::assets::names_tag;
use gateway_http::openapi::{BadGateway, BadRequest, Gone, Unavailable, Unprocessable};
use gateway_http::query::Params;
use gateway_rendering::{RenderedDocument, Rendering, RenderingError};
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<InternalState> {
    OpenApiRouter::new().routes(routes!(pdf))
}

gateway_http::refusals! {
    /// Nothing here makes such files.
    NoRenderer: ("renderer", NotFound, "no renderer is installed: 'gateway renderer install render-pdf.wasm --activate' takes that of the release, or put it into the folder 'render' below plugins.dir");
}

/// How it is written.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes a parameter")]
struct PdfQuery {
    /// The language; that of the tax system unless given.
    #[param(required = false, example = "en")]
    locale: String,
}

/// A document as people read it
///
/// PDF/A-3b, by the renderer that is installed; of a document that another system issued, the PDF that was imported with it, as it was. Whatever is no final document says so across each page. The `ETag` is that of
/// the file: it changes with everything that the file is made of, and with `If-None-Match` only another file is sent.
#[utoipa::path(
    get,
    path = "/invoicing/rpc/documents/{uuid}/pdf",
    operation_id = "getDocumentPdf",
    params(DocumentInPath, PdfQuery),
    responses(
        (status = 200, description = "The file.", body = String, content_type = "application/pdf"),
        (status = 304, description = "It is as the client has it (`If-None-Match`)."),
        (status = 400, response = BadRequest),
        (status = 404, response = NoRenderer),
        (status = 410, response = Gone),
        (status = 422, response = Unprocessable),
        (status = 502, response = BadGateway),
        (status = 503, response = Unavailable)
    )
)]
async fn pdf(
    State(rendering): State<Rendering>,
    caller: Authenticated,
    Path(uuid): Path<String>,
    params: Params,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let (acting, id) = (Acting::from(&caller.0), document_id(&uuid)?);
    params.only(&["locale"])?;
    let made = rendering.render(&acting, id, params.text("locale").as_deref()).await.map_err(refused)?;
    let RenderedDocument { digest, file_name, media_type, content } = made;
    let tag = format!("\"{digest}\"");
    let mut known = headers.get_all(header::IF_NONE_MATCH).iter();
    let is_known = known.any(|value| value == "*" || names_tag(value, &tag));
    let tag = [(header::ETAG, tag)];
    if is_known {
        return Ok((StatusCode::NOT_MODIFIED, tag).into_response());
    }
    let about = [
        (header::CONTENT_TYPE, media_type),
        (header::CONTENT_DISPOSITION, format!("inline; filename=\"{file_name}\"")),
    ];
    Ok((tag, about, content.to_vec()).into_response())
}

/// Every way in which there is no file.
fn refused(error: RenderingError) -> ApiError {
    let sentence = error.to_string();
    match error {
        RenderingError::Gone => gone(),
        RenderingError::NoRenderer => {
            refuse(StatusCode::NOT_FOUND, "renderer", ErrorCode::NotFound, sentence)
        }
        RenderingError::UnknownLocale { .. } => {
            refuse(StatusCode::UNPROCESSABLE_ENTITY, "locale", ErrorCode::NotOneOf, sentence)
        }
        RenderingError::Refused(faults) => {
            ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, faults.into_iter().map(fault).collect())
        }
        RenderingError::Unusable(_) | RenderingError::Broken(_) => {
            tracing::error!("A document was not rendered: {sentence}");
            refuse(StatusCode::SERVICE_UNAVAILABLE, "renderer", ErrorCode::Unavailable, sentence)
        }
        RenderingError::Preparing => {
            let answer =
                refuse(StatusCode::SERVICE_UNAVAILABLE, "renderer", ErrorCode::Unavailable, sentence);
            answer.with_header(RETRY_AFTER, "5")
        }
        RenderingError::InvoiceData(error) => error.into(),
        RenderingError::Store(error) => ApiError::internal(error),
    }
}

fn fault(fault: Fault) -> FieldError {
    FieldError::new(fault.path, ErrorCode::RenderingRefused, format!("{} ({})", fault.message, fault.code))
}
