//! For whoever watches the gateway: is it alive, can it work, how does it do.

use crate::InternalApi;
use crate::errors::ApiError;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use futures::future::BoxFuture;
use futures::{FutureExt, TryFutureExt};
use gateway_domain::words;
use gateway_http::accept::Accept;
use serde::Serialize;
use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The media types of metrics.
const OPEN: &str = "application/openmetrics-text";
const PLAIN: &str = "text/plain";

/// Asks whether the database answers and is up to date.
type Migrated = dyn Fn() -> BoxFuture<'static, Result<bool, Box<dyn Error + Send + Sync>>> + Send + Sync;

/// Whether the gateway can work. Cheap to clone.
#[derive(Clone)]
pub struct Readiness {
    migrated: Arc<Migrated>,
    /// Whether the background loops run.
    pub working: Arc<AtomicBool>,
}

impl fmt::Debug for Readiness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Readiness").field("working", &self.working).finish_non_exhaustive()
    }
}

impl Readiness {
    /// Nothing runs in the background yet; `migrated` tells whether the database answers and is up to date.
    pub fn new<F, E>(migrated: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<bool, E>> + Send + 'static,
        E: Error + Send + Sync + 'static,
    {
        let migrated = move || migrated().map_err(|error| Box::new(error) as _).boxed();
        Self { migrated: Arc::new(migrated), working: Arc::default() }
    }
}

/// Readiness and metrics.
pub(super) fn router() -> Router<InternalApi> {
    Router::new().route("/readyz", get(ready)).route("/metrics", get(metrics))
}

words! {
    /// Whether every check holds.
    ReadyWord {
        /// It does.
        Ready = "ready",
        /// One does not.
        NotReady = "not ready",
    }
}

/// Whether requests would succeed, and what was looked at.
#[derive(Debug, Serialize)]
struct ReadinessView {
    status: ReadyWord,
    checks: Checks,
}

/// What has to hold for requests to succeed.
#[derive(Debug, Clone, Copy, Serialize)]
struct Checks {
    /// It answers.
    database: bool,
    /// It is up to date.
    migrations: bool,
    /// The background works.
    work: bool,
}

impl Checks {
    const fn all(self) -> bool {
        let Self { database, migrations, work } = self;
        database && migrations && work
    }
}

/// Whether requests would succeed: the database answers, is up to date, and the background works.
async fn ready(State(readiness): State<Readiness>) -> Response {
    let migrated = (readiness.migrated)().await;
    let checks = Checks {
        database: migrated.is_ok(),
        migrations: migrated.as_ref().is_ok_and(|migrated| *migrated),
        work: readiness.working.load(Ordering::Acquire),
    };
    if let Err(error) = migrated {
        tracing::warn!(error = &*error as &dyn std::error::Error, "Not ready: {error}");
    }
    let (code, status) = if checks.all() {
        (StatusCode::OK, ReadyWord::Ready)
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, ReadyWord::NotReady)
    };
    (code, Json(ReadinessView { status, checks })).into_response()
}

/// The older text format, unless OpenMetrics is asked for.
async fn metrics(State(api): State<InternalApi>, headers: HeaderMap) -> Result<Response, ApiError> {
    let sources = api.sources();
    let accept = Accept::of(&headers);
    let (media_type, text) = if accept.gladness(OPEN) > accept.gladness(PLAIN) {
        (format!("{OPEN}; version=1.0.0; charset=utf-8"), api.metrics.text(&sources).await?)
    } else {
        (format!("{PLAIN}; version=0.0.4; charset=utf-8"), api.metrics.plain(&sources).await?)
    };
    Ok(([(CONTENT_TYPE, media_type)], text).into_response())
}
