//! How documents are handed out.

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

const CACHED_FIVE_MINUTES: &str = "public, max-age=300";

/// What changes only with the program: any cache may keep it for a few minutes.
pub fn cacheable(media: &'static str, text: &'static str) -> Response {
    ([(CONTENT_TYPE, media), (CACHE_CONTROL, CACHED_FIVE_MINUTES)], text).into_response()
}
