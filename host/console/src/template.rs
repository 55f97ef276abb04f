//! A page from its template.

use askama::Template;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};

/// A page from its template.
pub(crate) fn html(template: &impl Template) -> Response {
    match template.render() {
        Ok(text) => Html(text).into_response(),
        // A template fails where formatting a value fails, which is a fault of the gateway.
        Err(error) => {
            tracing::error!(error = &error as &dyn std::error::Error, "A page could not be made: {error}");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}
