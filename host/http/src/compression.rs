//! Answers that are compressed: files, documents and schemas that are the same for everybody.
//!
//! Answers of the API are not. They hold secrets and tokens beside what a client sent, and the length of the two
//! compressed together tells the one to whoever chooses the other (BREACH).

use crate::errors::ApiErrors;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::CONTENT_ENCODING;
use axum::http::{Extensions, HeaderMap, Method, StatusCode, Version};
use axum::middleware::{Next, from_fn, from_fn_with_state, map_response};
use axum::response::{IntoResponse, Response};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::OnceCell;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, Predicate};
use utoipa_axum::router::OpenApiRouter;

/// These routes with their answers in gzip for whoever takes it (`Accept-Encoding`), and `Vary` for caches. An answer may depend on
/// its path alone, whatever else a request says: each is compressed once, so that asking again costs next to nothing.
#[must_use]
pub fn compress<S>(routes: OpenApiRouter<S>) -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
{
    let gzip = CompressionLayer::new()
        .quality(CompressionLevel::Best)
        .compress_when(DefaultPredicate::new().and(is_success));
    routes
        .layer(map_response(remember_status))
        .layer(gzip)
        .layer(from_fn_with_state(Compressed::default(), compress_once))
        .layer(from_fn(restore_status))
}

/// Errors stay as every other route answers them.
fn is_success(status: StatusCode, _: Version, _: &HeaderMap, _: &Extensions) -> bool {
    status.is_success()
}

/// What was compressed, by path, for as long as the process lives.
#[derive(Debug, Clone, Default)]
struct Compressed(Arc<Mutex<HashMap<String, Arc<OnceCell<Bytes>>>>>);

impl Compressed {
    fn at(&self, path: String) -> Arc<OnceCell<Bytes>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(all.entry(path).or_default())
    }
}

/// The answer as it was compressed for the first who asked; the layer compresses while its body is read, so that an answer whose
/// body is dropped costs nothing.
async fn compress_once(State(kept): State<Compressed>, request: Request, next: Next) -> Response {
    let path = (request.method() == Method::GET).then(|| request.uri().path().to_owned());
    let response = next.run(request).await;
    let is_compressed = response.status().is_success() && response.headers().contains_key(CONTENT_ENCODING);
    let Some(path) = path.filter(|_| is_compressed) else { return response };
    let (parts, body) = response.into_parts();
    match kept.at(path).get_or_try_init(|| to_bytes(body, usize::MAX)).await {
        Ok(bytes) => Response::from_parts(parts, Body::from(bytes.clone())),
        Err(error) => ApiErrors::internal(error).into_response(),
    }
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
