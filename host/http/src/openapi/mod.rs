//! The OpenAPI documents of both listeners, put together from surfaces.
//!
//! A [`Surface`] is derived from the handlers of one router and says what all its operations have in common once: its
//! listeners, tag, security, permission, answers and headers. To add an operation: `#[utoipa::path]` on its handler, and
//! the handler in the `routes!` of its router. Tests of the binary hold the documents against the routers.

mod assemble;
mod frame;
mod handlers;
mod refusals;
mod schemas;
mod surface;
mod unions;

pub use handlers::cacheable;
pub use refusals::{
    BadGateway, BadRequest, BodyRefusals, Conflict, Errors, Forbidden, Gone, InternalError, NotFound,
    Refusal, Stale, TooLarge, TooManyRequests, TooSlow, Unauthorised, Unavailable, Unprocessable,
    UnsupportedMediaType, idempotency_key, idempotency_replayed, retry_after, www_authenticate,
};
pub use schemas::to_json;
pub use surface::Surface;

use assemble::Part;
use serde_json::Value;

/// The header that every answer has.
pub const REQUEST_ID: &str = "x-request-id";

/// Who serves a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listener {
    /// What customers and the provider reach.
    Public,
    /// What only the platform's own services and operators reach.
    Internal,
}

/// Gives the OpenAPI document of a listener as it is handed out. It is made at the first call, so that no start waits for it.
pub type DocumentSource = fn() -> &'static str;

/// The document of a listener: its operations of these surfaces, in this order.
pub fn document(listener: Listener, surfaces: &[Surface]) -> Value {
    let parts: Vec<Part> = surfaces.iter().map(Surface::part).collect();
    assemble::document(listener, &parts)
}

/// Names that surfaces give to different components: each would hide the other in a document.
pub fn clashes(surfaces: &[Surface]) -> Vec<String> {
    let parts: Vec<Part> = surfaces.iter().map(Surface::part).collect();
    assemble::clashes(&parts)
}
