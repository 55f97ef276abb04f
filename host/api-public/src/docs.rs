//! What a listener can do, for programs (`/openapi.json`) and for people (`/docs`).

use super::AppState;
use super::errors::ApiErrors;
use crate::openapi::{self, Listener};
use axum::Router;
use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

/// Only its own style is loaded, and nothing runs.
const POLICY: &str =
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const FRESH: &str = "public, max-age=300";
const STYLE: &str = "page.css";

/// The document of a listener.
pub(super) fn router(listener: Listener) -> Router<AppState> {
    Router::new().route("/openapi.json", get(move || async move { document(listener) }))
}

/// The reference page; public only.
pub(super) fn reference() -> Router<AppState> {
    Router::new().route("/docs", get(page)).route("/docs/{file}", get(file))
}

fn document(listener: Listener) -> Response {
    lasting("application/json", listener.text())
}

fn lasting(media: &'static str, text: &'static str) -> Response {
    ([(CONTENT_TYPE, media), (CACHE_CONTROL, FRESH)], text).into_response()
}

async fn page() -> Response {
    let mut response = lasting("text/html; charset=utf-8", openapi::reference());
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    response
}

async fn file(Path(name): Path<String>) -> Response {
    if name == STYLE {
        return lasting("text/css; charset=utf-8", openapi::STYLE);
    }
    ApiErrors::base(StatusCode::NOT_FOUND, "there is no such file").into_response()
}
