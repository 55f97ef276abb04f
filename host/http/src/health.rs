//! Whether the process answers; on both listeners.

use axum::routing::get;
use axum::{Json, Router};
use serde_json::json;

/// `/healthz`.
pub fn health() -> Router {
    Router::new().route("/healthz", get(|| async { Json(json!({"status": "ok"})) }))
}
