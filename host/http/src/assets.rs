//! Files that a page loads, under their version, so that browsers keep them for good.

use crate::errors::ApiErrors;
use axum::http::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use gateway_domain::ErrorCode;

/// JavaScript.
pub const JAVASCRIPT: &str = "text/javascript; charset=utf-8";
/// A style sheet.
pub const CSS: &str = "text/css; charset=utf-8";

const CACHED_FOREVER: &str = "public, max-age=31536000, immutable";

/// What a page loads from this server; clients keep it for good under its version.
#[derive(Debug, Clone, Copy)]
pub struct Assets {
    /// Part of their addresses: another file, another version.
    pub version: &'static str,
    /// Name, media type, content.
    pub files: &'static [(&'static str, &'static str, &'static str)],
}

impl Assets {
    /// A file of this version; 304 when the client has it, 404 when there is none.
    pub fn answer(&self, version: &str, name: &str, headers: &HeaderMap) -> Response {
        let found = self.files.iter().find(|(file, ..)| *file == name).filter(|_| version == self.version);
        let Some((name, media, content)) = found else {
            let message = "there is no such file";
            return ApiErrors::base(StatusCode::NOT_FOUND, ErrorCode::PathUnknown, message).into_response();
        };
        // Weak, because it is the same for the plain file and the compressed one (RFC 9110, section 8.8.3.3).
        let tag = format!("\"{name}-{}\"", self.version);
        let is_known = headers.get(IF_NONE_MATCH).is_some_and(|value| names_tag(value, &tag));
        let lasting = [
            (CACHE_CONTROL, CACHED_FOREVER.to_owned()),
            (ETAG, format!("W/{tag}")),
            (VARY, ACCEPT_ENCODING.to_string()),
        ];
        if is_known {
            return (StatusCode::NOT_MODIFIED, lasting).into_response();
        }
        (lasting, [(CONTENT_TYPE, *media)], *content).into_response()
    }
}

/// Whether one of the tags of `If-None-Match` is this one, weak or not (RFC 9110, section 13.1.2).
pub fn names_tag(value: &HeaderValue, tag: &str) -> bool {
    let tags = value.to_str().unwrap_or_default().split(',').map(str::trim);
    tags.map(|known| known.strip_prefix("W/").unwrap_or(known)).any(|known| known == tag)
}
