//! The GraphiQL page: everything of it comes from here, so it works offline.

use crate::PublicState;
use axum::extract::Path;
use axum::http::header::{ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, VARY};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use gateway_domain::ErrorCode;
use gateway_http::ApiErrors;
use gateway_http::assets::{Assets, CSS, JAVASCRIPT};
use gateway_http::openapi::{BadRequest, Errors, NotFound};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Part of the addresses of the files, which browsers keep for good: another file, another version.
const VERSION: &str = "3.9.0-2";
const PAGE: &str = include_str!("../assets/graphiql/index.html");
/// Only what this gateway serves runs in the page. The editor sets styles of its own while it runs.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
                      font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

const ASSETS: Assets = Assets {
    version: VERSION,
    files: &[
        ("graphiql.min.css", CSS, include_str!("../assets/graphiql/graphiql.min.css")),
        ("graphiql.min.js", JAVASCRIPT, include_str!("../assets/graphiql/graphiql.min.js")),
        ("page.css", CSS, include_str!("../assets/graphiql/page.css")),
        (
            "react-dom.production.min.js",
            JAVASCRIPT,
            include_str!("../assets/graphiql/react-dom.production.min.js"),
        ),
        ("react.production.min.js", JAVASCRIPT, include_str!("../assets/graphiql/react.production.min.js")),
        ("start.js", JAVASCRIPT, include_str!("../assets/graphiql/start.js")),
    ],
};

pub(super) fn router() -> OpenApiRouter<PublicState> {
    OpenApiRouter::new().routes(routes!(file))
}

/// A page to try GraphQL
///
/// For browsers (`Accept: text/html`): an editor that works offline.
#[utoipa::path(
    get,
    path = "/v1",
    operation_id = "graphiql",
    security(),
    responses(
        (status = 200, description = "The page.", body = String, content_type = "text/html"),
        (status = 405, description = "The client is no browser: send GraphQL requests with POST.", body = Errors,
            headers(("Allow" = String, description = "The methods."))),
    )
)]
pub(super) async fn page(headers: HeaderMap) -> Response {
    let accept = headers.get(axum::http::header::ACCEPT).and_then(|value| value.to_str().ok());
    if !accept.unwrap_or_default().to_ascii_lowercase().contains("text/html") {
        let message = "send GraphQL requests with POST; a browser gets a page here";
        let errors = ApiErrors::base(StatusCode::METHOD_NOT_ALLOWED, ErrorCode::MethodNotAllowed, message);
        return errors.with_header(ALLOW, "GET, HEAD, POST").into_response();
    }
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_SECURITY_POLICY, POLICY),
        (CACHE_CONTROL, "no-cache"),
        (VARY, "Accept"),
    ];
    (headers, PAGE.replace("VERSION", VERSION)).into_response()
}

/// A file of the page
///
/// What the page at `/v1` loads.
#[utoipa::path(
    get,
    path = "/v1/graphiql/{version}/{file}",
    operation_id = "graphiqlFile",
    security(),
    params(
        ("version" = String, Path, description = "Which version of the files.", example = "3.9.0-2"),
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
