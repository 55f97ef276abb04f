//! `/openapi.json`: what a listener can do, for programs.

use super::Listener;
use axum::Router;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

const FRESH: &str = "public, max-age=300";

/// The document of a listener.
pub fn router(listener: Listener) -> Router {
    Router::new()
        .route("/openapi.json", get(move || async move { cacheable("application/json", listener.text()) }))
}

/// What changes only with the program: any cache may keep it for a few minutes.
pub fn cacheable(media: &'static str, text: &'static str) -> Response {
    ([(CONTENT_TYPE, media), (CACHE_CONTROL, FRESH)], text).into_response()
}
