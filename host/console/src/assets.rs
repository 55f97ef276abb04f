//! Styles and scripts, as part of the binary.
//!
//! `htmx` (2.0.11) is 0BSD; its licence is beside it, in the binary too.

use axum::extract::Path;
use axum::http::HeaderMap;
use axum::response::Response;
use gateway_http::assets::{Assets, CSS, JAVASCRIPT, version_of};

const TEXT: &str = "text/plain; charset=utf-8";
const SVG: &str = "image/svg+xml";

/// Name, media type, content.
const FILES: &[(&str, &str, &str)] = &[
    ("console.css", CSS, include_str!("../assets/console.css")),
    ("console.js", JAVASCRIPT, include_str!("../assets/console.js")),
    ("icon.svg", SVG, include_str!("../assets/icon.svg")),
    ("htmx.js", JAVASCRIPT, include_str!("../assets/htmx-2.0.11.min.js")),
    ("htmx.LICENSE", TEXT, include_str!("../assets/htmx-2.0.11.LICENSE")),
];

const DIGITS: [u8; 16] = version_of(FILES);

/// Part of their addresses. It follows from their content, so that browsers, which keep files for good, ask for those of another
/// release.
pub(crate) const VERSION: &str = match std::str::from_utf8(&DIGITS) {
    Ok(digits) => digits,
    Err(_) => "0",
};

const ASSETS: Assets = Assets { version: VERSION, files: FILES };

/// A file that pages load. Nobody has to be signed in.
pub(crate) async fn asset(Path((version, name)): Path<(String, String)>, headers: HeaderMap) -> Response {
    ASSETS.answer(&version, &name, &headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_wrote_is_served_with_its_licence() {
        let licence = FILES.iter().find(|(name, ..)| *name == "htmx.LICENSE").unwrap();
        assert!(licence.2.contains("Zero-Clause BSD"), "{}", licence.2);
    }
}
