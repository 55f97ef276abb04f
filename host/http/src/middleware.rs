//! What happens around every request: an id, a span, a measure, a deadline, and no way to fail without an errors
//! list.

use crate::connection::{self, Timeouts};
use crate::errors::ApiErrors;
use crate::metrics::RequestMetrics;
use crate::request_id;
use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, MatchedPath, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONNECTION, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY,
    RETRY_AFTER, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use gateway_domain::ErrorCode;
use gateway_domain::ports::Ids;
use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tower::ServiceBuilder;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::set_header::SetResponseHeaderLayer;
use tower_http::timeout::TimeoutLayer;
use tracing::Instrument;
use tracing::field::Empty;

/// Largest request body, bytes.
pub const BODY_BYTES_MAX: usize = 1 << 20;
/// How long a request may take until its answer begins.
const DEADLINE: Duration = Duration::from_secs(30);
/// Longest request id taken from a caller, characters.
const ID_CHARS_MAX: usize = 128;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Answers hold business data: no cache keeps them, no page shows them in a frame, nothing runs in them.
const HEADERS: [(HeaderName, HeaderValue); 5] = [
    (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'")),
];

/// How one surface departs from what holds for every request. The surfaces say it, the composition of the listener
/// gathers it.
#[derive(Debug, Clone, Copy)]
pub struct SurfaceExceptions {
    /// Largest body of a request, bytes; none for [`BODY_BYTES_MAX`].
    pub body_bytes_max: fn(&Request) -> Option<u64>,
    /// How a request is refused whose body does not come as it should; none for the errors list.
    pub refusal: fn(&Request) -> Option<Box<dyn Refusal>>,
}

/// How a surface of its own form refuses a request before it is read.
pub trait Refusal: Send {
    /// With this status, for this reason.
    fn refused(self: Box<Self>, status: StatusCode, code: ErrorCode, message: &str) -> Response;

    /// Whether it also answers for a handler that panicked, took too long, or gave no body; else the errors list does.
    fn covers_failures(&self) -> bool {
        false
    }
}

/// What the outermost layer knows.
#[derive(Debug, Clone)]
pub struct OuterLayer {
    /// Makes the ids of requests that bring none.
    pub ids: Arc<dyn Ids>,
    /// Where answered requests are measured.
    pub metrics: RequestMetrics,
    /// How long is waited for slow clients.
    pub timeouts: Timeouts,
    /// How surfaces depart from the rest.
    pub exceptions: SurfaceExceptions,
}

/// A listener: its routes, an errors list for everything else, and what happens around every request.
pub fn finish(routes: Router, outermost: OuterLayer) -> Router {
    let outermost = Arc::new(outermost);
    // A header that a surface set itself stays.
    let with_headers: (_, _, _, _, _) =
        HEADERS.map(|(name, value)| SetResponseHeaderLayer::if_not_present(name, value)).into();
    // One service around a route: layers that are added one by one are boxes in boxes, and each request clones
    // them all.
    let layers = ServiceBuilder::new()
        .layer(from_fn(connection::busy))
        .layer(with_headers)
        .layer(from_fn_with_state(Arc::clone(&outermost), observed))
        .layer(from_fn_with_state(Arc::clone(&outermost), with_errors_list))
        .layer(TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, DEADLINE))
        .layer(CatchPanicLayer::custom(|panic: Box<dyn Any + Send>| panicked(panic.as_ref())))
        .layer(from_fn_with_state(outermost, body_in_time))
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX));
    routes
        .fallback(|| async {
            ApiErrors::base(StatusCode::NOT_FOUND, ErrorCode::PathUnknown, "there is nothing at this path")
        })
        .method_not_allowed_fallback(|| async {
            ApiErrors::base(
                StatusCode::METHOD_NOT_ALLOWED,
                ErrorCode::MethodNotAllowed,
                "this path takes other methods: see the Allow header",
            )
        })
        .layer(layers)
}

/// The request under its id, the caller's own or a new one, in a span of the log, and measured. tower-http's `Trace` knows neither the route when it is over, nor of
/// metrics.
async fn observed(State(outermost): State<Arc<OuterLayer>>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = client_request_id(request.headers()).unwrap_or_else(|| outermost.ids.next().to_string());
    let id_header = HeaderValue::from_str(&id).ok();
    let method = method_label(request.method());
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(|| "(none)".to_owned(), |path| path.as_str().to_owned());
    let span = tracing::info_span!(
        "request",
        otel.name = %format_args!("{method} {route}"),
        otel.kind = "server",
        request.id = %id,
        http.method = method,
        http.route = %route,
        http.response.status_code = Empty,
        trace_id = Empty
    );
    let caused_by = request.headers().get(gateway_trace_context::TRACEPARENT);
    gateway_trace_context::begin(&span, caused_by.and_then(|value| value.to_str().ok()));
    let of_request = span.clone();
    let answer = async {
        let response = next.run(request).await;
        let (status, took) = (response.status().as_u16(), started.elapsed());
        outermost.metrics.answered(method, &route, status, took);
        of_request.record("http.response.status_code", status);
        tracing::debug!(
            http.status = status,
            took_ms = took.as_millis(),
            "{method} {route} answered {status}"
        );
        response
    };
    let mut response = request_id::scope(id, answer).instrument(span).await;
    if let Some(id) = id_header {
        response.headers_mut().entry(REQUEST_ID).or_insert(id);
    }
    response
}

/// The caller's own id, if a log line can hold it.
fn client_request_id(headers: &HeaderMap) -> Option<String> {
    let id = headers.get(REQUEST_ID)?.to_str().ok()?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:/+=".contains(&byte);
    ((1..=ID_CHARS_MAX).contains(&id.len()) && id.bytes().all(plain)).then(|| id.to_owned())
}

/// A metric has one row for each method, so invented ones share a name.
fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "OTHER",
    }
}

/// Refuses a body that is announced as too large, or does not come in time. tower-http has one limit for all routes, and a
/// time-out between two parts of a body, not for the whole; both refuse in a form of their own.
async fn body_in_time(State(outermost): State<Arc<OuterLayer>>, request: Request, next: Next) -> Response {
    let exceptions = outermost.exceptions;
    let announced = request.headers().get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    let most = (exceptions.body_bytes_max)(&request).unwrap_or(BODY_BYTES_MAX as u64);
    let refusal = (exceptions.refusal)(&request);
    if announced.is_some_and(|bytes: u64| bytes > most) {
        return match refusal {
            Some(refusal) => {
                refusal.refused(StatusCode::PAYLOAD_TOO_LARGE, ErrorCode::BodyTooLarge, &larger_than(most))
            }
            None => too_large(most).into_response(),
        };
    }
    // A plugin takes as long as any request may take.
    let time = if most > BODY_BYTES_MAX as u64 { DEADLINE } else { outermost.timeouts.body };
    let (request, late) = connection::timed(request, time);
    let response = next.run(request).await;
    if !late.is() {
        return response;
    }
    let mut response = match refusal {
        Some(refusal) => refusal.refused(StatusCode::REQUEST_TIMEOUT, ErrorCode::RequestTimeout, SLOW),
        None => too_slow().into_response(),
    };
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

/// What a request is answered whose handler panicked; the body comes later ([`with_errors_list`]).
fn panicked(panic: &(dyn Any + Send)) -> Response {
    let said = panic.downcast_ref::<&str>().copied();
    let said = said.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("nothing");
    tracing::error!("A request panicked and said: {said}");
    StatusCode::INTERNAL_SERVER_ERROR.into_response()
}

fn took_too_long() -> ApiErrors {
    tracing::error!("A request took longer than {} s", DEADLINE.as_secs());
    let message = "the answer took too long: read the state before you repeat the request";
    ApiErrors::base(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::RequestTimeout, message)
        .with_header(RETRY_AFTER, "5")
}

const SLOW: &str = "the body did not come in time: send it again";

fn too_slow() -> ApiErrors {
    ApiErrors::base(StatusCode::REQUEST_TIMEOUT, ErrorCode::RequestTimeout, SLOW)
}

/// What is said of a body of more bytes.
pub fn larger_than(most: u64) -> String {
    format!("the body is larger than {most} bytes: split it")
}

fn too_large(most: u64) -> ApiErrors {
    ApiErrors::base(StatusCode::PAYLOAD_TOO_LARGE, ErrorCode::BodyTooLarge, larger_than(most))
}

/// What the framework refuses by itself, in plain text or without a word, becomes an errors list, or what the surface
/// has instead.
async fn with_errors_list(
    State(outermost): State<Arc<OuterLayer>>,
    request: Request,
    next: Next,
) -> Response {
    let refusal = (outermost.exceptions.refusal)(&request).filter(|refusal| refusal.covers_failures());
    let response = next.run(request).await;
    let status = response.status();
    let bare = (status.is_client_error() || status.is_server_error())
        && response
            .headers()
            .get(CONTENT_TYPE)
            .is_none_or(|value| value.as_bytes().starts_with(b"text/plain"));
    if !bare {
        return response;
    }
    let errors = match status {
        StatusCode::PAYLOAD_TOO_LARGE => too_large(BODY_BYTES_MAX as u64),
        StatusCode::SERVICE_UNAVAILABLE => took_too_long(),
        StatusCode::INTERNAL_SERVER_ERROR => ApiErrors::fault(),
        StatusCode::BAD_REQUEST => {
            ApiErrors::base(status, ErrorCode::RequestMalformed, "the request cannot be understood")
        }
        other => {
            let code =
                if other.is_server_error() { ErrorCode::Internal } else { ErrorCode::RequestMalformed };
            ApiErrors::base(other, code, other.canonical_reason().unwrap_or("refused").to_ascii_lowercase())
        }
    };
    let (mut parts, _) = response.into_parts();
    let fresh = match refusal {
        Some(refusal) => refusal.refused(status, errors.code(), &errors.message()),
        None => errors.into_response(),
    };
    let (fresh, body) = fresh.into_parts();
    for name in [CONTENT_TYPE, CONTENT_LENGTH] {
        parts.headers.remove(&name);
    }
    parts.headers.extend(fresh.headers);
    Response::from_parts(parts, Body::new(body))
}
