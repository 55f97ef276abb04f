//! Pages of other origins that may call the API: none unless configured.

use axum::Router;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, IF_MATCH, IF_NONE_MATCH, RETRY_AFTER};
use axum::http::{HeaderName, HeaderValue, Method};
use std::sync::Arc;
use std::time::Duration;
use tower_http::cors::{AllowOrigin, CorsLayer};

/// Everybody's pages.
pub const ANY_ORIGIN: &str = "*";
/// How long a browser may remember what it was answered.
const PREFLIGHT_MAX_AGE: Duration = Duration::from_mins(10);

/// What a page may send, besides what every page may.
const REQUEST_HEADERS: [HeaderName; 6] = [
    AUTHORIZATION,
    CONTENT_TYPE,
    IF_MATCH,
    IF_NONE_MATCH,
    HeaderName::from_static("idempotency-key"),
    HeaderName::from_static("x-request-id"),
];
/// What a page may read, besides what every page may.
const RESPONSE_HEADERS: [HeaderName; 5] = [
    RETRY_AFTER,
    HeaderName::from_static("x-request-id"),
    HeaderName::from_static("ratelimit"),
    HeaderName::from_static("ratelimit-policy"),
    HeaderName::from_static("idempotency-replayed"),
];

/// The routes with answers that pages of these origins may read, where `shared` says so of a path. No cookie and no other
/// credential of a browser goes with a call: a page has a token, or nothing.
pub fn with_cors(routes: Router, origins: &[String], shared: fn(&str) -> bool) -> Router {
    if origins.is_empty() {
        return routes;
    }
    let origins: Arc<[String]> = origins.into();
    let allowed = move |origin: &HeaderValue| {
        origins.iter().any(|known| known == ANY_ORIGIN || known.as_bytes() == origin.as_bytes())
    };
    let origin = AllowOrigin::predicate(move |origin, parts| shared(parts.uri.path()) && allowed(origin));
    routes.layer(
        CorsLayer::new()
            .allow_origin(origin)
            .allow_methods([Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE])
            .allow_headers(REQUEST_HEADERS)
            .expose_headers(RESPONSE_HEADERS)
            .max_age(PREFLIGHT_MAX_AGE),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use axum::http::{Request, Response};
    use axum::routing::get;
    use tower::ServiceExt;

    async fn answer_to(origins: &[&str], request: Request<Body>) -> Response<Body> {
        let routes =
            Router::new().route("/v1", get(|| async { "v1" })).route("/api/dev/x", get(|| async { "x" }));
        let origins: Vec<String> = origins.iter().map(|origin| (*origin).to_owned()).collect();
        with_cors(routes, &origins, |path| path.starts_with("/v1")).oneshot(request).await.unwrap()
    }

    fn from(origin: &str, method: &str, path: &str) -> Request<Body> {
        let request = Request::builder().method(method).uri(path).header("origin", origin);
        request.header("access-control-request-method", "POST").body(Body::empty()).unwrap()
    }

    #[tokio::test]
    async fn only_pages_of_known_origins_read_answers_and_only_where_they_are_shared() {
        let allowed = |answer: &Response<Body>| {
            let origin = answer.headers().get("access-control-allow-origin");
            origin.map(|origin| origin.to_str().unwrap().to_owned())
        };
        let (app, known) = ("https://app.example", &["https://app.example", "http://localhost:3000"][..]);
        for method in ["GET", "OPTIONS"] {
            let answer = answer_to(known, from(app, method, "/v1")).await;
            assert_eq!(allowed(&answer).as_deref(), Some(app), "{method}");
            assert!(answer.headers().get("access-control-allow-credentials").is_none());
            for (origins, origin, path) in
                [(known, "https://evil.example", "/v1"), (known, app, "/api/dev/x"), (&[], app, "/v1")]
            {
                assert_eq!(
                    allowed(&answer_to(origins, from(origin, method, path)).await),
                    None,
                    "{origin} {path}"
                );
            }
            assert!(allowed(&answer_to(&["*"], from("https://any.example", method, "/v1")).await).is_some());
        }
        let preflight = answer_to(known, from(app, "OPTIONS", "/v1")).await;
        let headers = preflight.headers()["access-control-allow-headers"].to_str().unwrap();
        assert!(headers.contains("authorization") && headers.contains("idempotency-key"), "{headers}");
    }
}
