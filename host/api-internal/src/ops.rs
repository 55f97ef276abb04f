//! For whoever watches the gateway: is it alive, can it work, how does it do.

use super::AppState;
use super::accept::Accept;
use super::errors::ApiErrors;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::json;
use std::sync::atomic::Ordering;

/// The media types of metrics.
const OPEN: &str = "application/openmetrics-text";
const PLAIN: &str = "text/plain";

/// Whether the process answers; on both listeners.
pub(super) fn health() -> Router<AppState> {
    Router::new().route("/healthz", get(|| async { Json(json!({"status": "ok"})) }))
}

/// Readiness and metrics.
pub(super) fn router() -> Router<AppState> {
    Router::new().route("/readyz", get(ready)).route("/metrics", get(metrics))
}

/// Whether requests would succeed: the database answers, is up to date, and the background works.
async fn ready(State(app): State<AppState>) -> Response {
    let migrated = app.services.db.is_migrated().await;
    let checks = json!({
        "database": migrated.is_ok(),
        "migrations": migrated.as_ref().is_ok_and(|migrated| *migrated),
        "work": app.working.load(Ordering::Acquire),
    });
    if let Err(error) = migrated {
        tracing::warn!(error = &error as &dyn std::error::Error, "Not ready: {error}");
    }
    let all = checks.as_object().is_some_and(|checks| checks.values().all(|check| check == true));
    let (status, word) =
        if all { (StatusCode::OK, "ready") } else { (StatusCode::SERVICE_UNAVAILABLE, "not ready") };
    (status, Json(json!({"status": word, "checks": checks}))).into_response()
}

/// The older text format, unless OpenMetrics is asked for.
async fn metrics(State(app): State<AppState>, headers: HeaderMap) -> Result<Response, ApiErrors> {
    let accept = Accept::of(&headers);
    let (media_type, text) = if accept.gladness(OPEN) > accept.gladness(PLAIN) {
        (
            format!("{OPEN}; version=1.0.0; charset=utf-8"),
            app.metrics.text(&app.services, &app.plugins).await?,
        )
    } else {
        (
            format!("{PLAIN}; version=0.0.4; charset=utf-8"),
            app.metrics.plain(&app.services, &app.plugins).await?,
        )
    };
    Ok(([(CONTENT_TYPE, media_type)], text).into_response())
}
