//! Answers that are compressed: files, documents and schemas that are the same for everybody.
//!
//! Answers of the API are not. They hold secrets and tokens beside what a client sent, and the length of the two
//! compressed together tells the one to whoever chooses the other (BREACH).

use axum::extract::Request;
use axum::http::{Extensions, HeaderMap, StatusCode, Version};
use axum::middleware::{Next, from_fn, map_response};
use axum::response::Response;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, Predicate};
use utoipa_axum::router::OpenApiRouter;

/// These routes with their answers in gzip for whoever takes it (`Accept-Encoding`), and `Vary` for caches.
#[must_use]
pub fn compress<S>(routes: OpenApiRouter<S>) -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
{
    // Each request compresses anew: little time for most of the gain.
    let gzip = CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        .compress_when(DefaultPredicate::new().and(is_success));
    routes.layer(map_response(remember_status)).layer(gzip).layer(from_fn(restore_status))
}

/// Errors stay as every other route answers them.
fn is_success(status: StatusCode, _: Version, _: &HeaderMap, _: &Extensions) -> bool {
    status.is_success()
}

/// What a route answered, before compression.
#[derive(Debug, Clone, Copy)]
struct StatusOfRoute(StatusCode);

async fn remember_status(mut response: Response) -> Response {
    let status = StatusOfRoute(response.status());
    response.extensions_mut().insert(status);
    response
}

/// To a client that takes neither gzip nor plain bytes, tower-http answers 406 with the plain body; it may have it as
/// well with its own status (RFC 9110, section 12.5.3, leaves that to the server).
async fn restore_status(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    if let Some(StatusOfRoute(status)) = response.extensions_mut().remove() {
        *response.status_mut() = status;
    }
    response
}
