//! What stands before the pages, and what catches a handler that fails, answers browsers with a page.

use crate::errors::PageError;
use crate::page::under_policy;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use gateway_domain::ErrorCode;
use gateway_http::middleware::Refusal;

/// A request for a page that gets none.
#[derive(Debug)]
struct PageRefusal;

/// None when the request is for another surface.
pub fn refusal(request: &Request) -> Option<Box<dyn Refusal>> {
    let path = request.uri().path();
    let is_ours = path == "/console" || path.starts_with("/console/");
    is_ours.then(|| -> Box<dyn Refusal> { Box::new(PageRefusal) })
}

impl Refusal for PageRefusal {
    fn refused(self: Box<Self>, status: StatusCode, _: ErrorCode, message: &str) -> Response {
        let sentence = match status {
            StatusCode::PAYLOAD_TOO_LARGE => {
                "the file or the form is larger than the gateway takes: choose a smaller one"
            }
            StatusCode::REQUEST_TIMEOUT => "the form did not arrive in time: send it again",
            StatusCode::SERVICE_UNAVAILABLE => {
                "the answer took too long: look at how things stand before you send anything again"
            }
            _ => message,
        };
        under_policy(PageError::refused(status, sentence).into_response())
    }

    fn covers_failures(&self) -> bool {
        true
    }
}
