//! Styles and scripts, as part of the binary.
//!
//! `htmx` (2.0.11) is 0BSD; its licence is beside it.

use axum::extract::Path;
use axum::http::HeaderMap;
use axum::response::Response;
use gateway_http::assets::{Assets, CSS, JAVASCRIPT};

const SVG: &str = "image/svg+xml";

/// Part of their addresses: raise it with a change of any file.
pub(crate) const VERSION: &str = "2";

const ASSETS: Assets = Assets {
    version: VERSION,
    files: &[
        ("console.css", CSS, include_str!("../assets/console.css")),
        ("console.js", JAVASCRIPT, include_str!("../assets/console.js")),
        ("icon.svg", SVG, include_str!("../assets/icon.svg")),
        ("htmx.js", JAVASCRIPT, include_str!("../assets/htmx-2.0.11.min.js")),
    ],
};

/// A file that pages load. Nobody has to be signed in.
pub(crate) async fn asset(Path((version, name)): Path<(String, String)>, headers: HeaderMap) -> Response {
    ASSETS.answer(&version, &name, &headers)
}
