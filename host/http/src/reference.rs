//! The reference of a listener for people, with search: everything of it comes from here, so it works offline.

use crate::assets::{Assets, CSS, JAVASCRIPT};
use crate::openapi::{BadRequest, DocumentSource, NotFound};
use axum::extract::Path;
use axum::http::HeaderMap;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

const VERSION: &str = "2.5.4-2";
/// The style of the page that leads here.
pub(crate) const STYLE: &str = "landing.css";
const PAGE: &str = include_str!("../assets/redoc/index.html");
/// Only what this gateway serves runs in the page. It sets styles of its own while it runs, and searches in a worker that
/// it makes itself.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
                      connect-src 'self'; worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const ASSETS: Assets = Assets {
    version: VERSION,
    files: &[
        (STYLE, CSS, include_str!("../assets/redoc/landing.css")),
        ("page.css", CSS, include_str!("../assets/redoc/page.css")),
        ("redoc.standalone.js", JAVASCRIPT, include_str!("../assets/redoc/redoc.standalone.js")),
        ("start.js", JAVASCRIPT, include_str!("../assets/redoc/start.js")),
    ],
};

/// Where a file lies.
pub(crate) fn address(file: &str) -> String {
    format!("/docs/reference/{VERSION}/{file}")
}

pub(crate) fn routes() -> OpenApiRouter<DocumentSource> {
    OpenApiRouter::new().routes(routes!(page)).routes(routes!(file))
}

/// The reference with search
///
/// This document as a page that works offline; for browsers with JavaScript.
#[utoipa::path(
    get,
    path = "/docs/reference",
    operation_id = "reference",
    responses((status = 200, description = "The page.", body = String, content_type = "text/html"))
)]
async fn page() -> Response {
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_SECURITY_POLICY, POLICY),
        (CACHE_CONTROL, "no-cache"),
    ];
    (headers, PAGE.replace("VERSION", VERSION)).into_response()
}

/// A file of the reference with search
///
/// What the page at `/docs/reference` loads.
#[utoipa::path(
    get,
    path = "/docs/reference/{version}/{file}",
    operation_id = "referenceFile",
    params(
        ("version" = String, Path, description = "Which version of the files.", example = "2.5.4-2"),
        ("file" = String, Path, description = "Name of the file.", example = "start.js"),
    ),
    responses(
        (status = 200, description = "The file.", content((String = "text/javascript"), (String = "text/css"))),
        (status = 304, description = "It is as the client has it (`If-None-Match`)."),
        (status = 400, response = BadRequest),
        (status = 404, response = NotFound),
    )
)]
async fn file(Path((version, name)): Path<(String, String)>, headers: HeaderMap) -> Response {
    ASSETS.answer(&version, &name, &headers)
}
