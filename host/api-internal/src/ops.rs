//! For whoever watches the gateway: is it alive, can it work, how does it do.

use crate::{InternalState, Metrics, Sampler};
use axum::Json;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use futures::future::BoxFuture;
use futures::{FutureExt, TryFutureExt};
use gateway_domain::words;
use gateway_http::accept::Accept;
use gateway_http::openapi::{Listener, Surface};
use gateway_http::quick::DATABASE_TIMEOUT;
use gateway_http::startup::Startup;
use serde::Serialize;
use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::time::timeout;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The media types of metrics.
const OPEN: &str = "application/openmetrics-text";
const PLAIN: &str = "text/plain";

/// What is said while the process starts.
const STARTING: &str = "the plugins in force are being compiled: ask again in a moment";

/// The database says nothing.
#[derive(Debug, thiserror::Error)]
#[error("the database did not answer within {} ms: see whether its server runs, and has connections left", DATABASE_TIMEOUT.as_millis())]
struct NoAnswer;

/// Asks whether the database answers and is up to date.
type Migrated = dyn Fn() -> BoxFuture<'static, Result<bool, Box<dyn Error + Send + Sync>>> + Send + Sync;

/// Whether the gateway can work. Cheap to clone.
#[derive(Clone)]
pub struct Readiness {
    migrated: Arc<Migrated>,
    has_room: Arc<dyn Fn() -> bool + Send + Sync>,
    startup: Startup,
    /// Whether the background loops run.
    pub working: Arc<AtomicBool>,
}

impl fmt::Debug for Readiness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Readiness").field("working", &self.working).finish_non_exhaustive()
    }
}

impl Readiness {
    /// Nothing runs in the background yet; `migrated` tells whether the database answers and is up to date, `has_room` whether
    /// there is room on its disk, `startup` whether the plugins are loaded.
    pub fn new<F, E>(
        startup: Startup,
        migrated: impl Fn() -> F + Send + Sync + 'static,
        has_room: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<bool, E>> + Send + 'static,
        E: Error + Send + Sync + 'static,
    {
        let migrated = move || migrated().map_err(|error| Box::new(error) as _).boxed();
        let (migrated, has_room) = (Arc::new(migrated), Arc::new(has_room));
        Self { migrated, has_room, startup, working: Arc::default() }
    }
}

/// Readiness and metrics.
pub(super) fn routes() -> OpenApiRouter<InternalState> {
    OpenApiRouter::new().routes(routes!(ready)).routes(routes!(metrics))
}

/// What they are described by.
pub(super) fn surface() -> Surface {
    let about = "For whoever watches the gateway. No token is needed on the internal listener.";
    Surface::new(Listener::Internal, "Operation", about, routes().into_openapi())
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
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Readiness)]
struct ReadinessView {
    /// Whether every check holds.
    status: ReadyWord,
    /// What was looked at.
    checks: Checks,
    /// Why the database does not answer, or what is waited for, and what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// What has to hold for requests to succeed.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[schema(as = ReadinessChecks)]
#[expect(clippy::struct_excessive_bools, reason = "each is a check of its own, and a member of the answer")]
struct Checks {
    /// The database answers.
    #[schema(examples(true))]
    database: bool,
    /// The database is up to date.
    #[schema(examples(true))]
    migrations: bool,
    /// There is room on the disk of the database, as far as the gateway can see it. Without, what is there can be read.
    #[schema(examples(true))]
    disk: bool,
    /// The plugins in force are loaded: false while the process starts and still compiles them.
    #[schema(examples(true))]
    plugins: bool,
    /// The background works.
    #[schema(examples(true))]
    work: bool,
}

/// A database that is away.
fn not_ready() -> ReadinessView {
    let checks = Checks { database: false, migrations: false, disk: true, plugins: true, work: true };
    let reason = "the database file was deleted while the gateway used it: stop the gateway, and restore the file from its copy";
    ReadinessView { status: ReadyWord::NotReady, checks, reason: Some(reason.to_owned()) }
}

impl Checks {
    const fn all(self) -> bool {
        let Self { database, migrations, disk, plugins, work } = self;
        database && migrations && disk && plugins && work
    }
}

/// Whether requests would succeed
///
/// Checks that the database answers within two seconds and is up to date, that there is room on its disk, that the plugins in
/// force are loaded, and that the background works.
#[utoipa::path(
    get,
    path = "/readyz",
    operation_id = "readyz",
    responses(
        (status = 200, description = "It is ready.", body = ReadinessView),
        (status = 503, description = "It is not ready: a check is false.", body = ReadinessView, example = not_ready)
    )
)]
async fn ready(State(readiness): State<Readiness>) -> Response {
    let migrated =
        timeout(DATABASE_TIMEOUT, (readiness.migrated)()).await.unwrap_or_else(|_| Err(NoAnswer.into()));
    let checks = Checks {
        database: migrated.is_ok(),
        migrations: migrated.as_ref().is_ok_and(|migrated| *migrated),
        disk: (readiness.has_room)(),
        plugins: readiness.startup.is_finished(),
        work: readiness.working.load(Ordering::Acquire),
    };
    let reason = migrated.err().map(|error| {
        tracing::warn!(error = &*error as &dyn Error, "Not ready: {error}");
        error.to_string()
    });
    let starting = (!checks.plugins).then(|| STARTING.to_owned());
    let (code, status) = if checks.all() {
        (StatusCode::OK, ReadyWord::Ready)
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, ReadyWord::NotReady)
    };
    (code, Json(ReadinessView { status, checks, reason: reason.or(starting) })).into_response()
}

/// Metrics
///
/// Figures for Prometheus: in its text format 0.0.4, or as OpenMetrics where `Accept` prefers that. What the database holds is
/// told as of the last time that it answered; `einvoicing_sample_age_seconds` says when that was.
#[utoipa::path(
    get,
    path = "/metrics",
    operation_id = "metrics",
    responses(
        (status = 200, description = "The figures.", content((String = "text/plain"), (String = "application/openmetrics-text")))
    )
)]
async fn metrics(
    State(metrics): State<Metrics>,
    State(sampler): State<Sampler>,
    headers: HeaderMap,
) -> Response {
    let accept = Accept::of(&headers);
    let (media_type, text) = if accept.preference(OPEN) > accept.preference(PLAIN) {
        (format!("{OPEN}; version=1.0.0; charset=utf-8"), metrics.text(&sampler).await)
    } else {
        (format!("{PLAIN}; version=0.0.4; charset=utf-8"), metrics.plain(&sampler).await)
    };
    ([(CONTENT_TYPE, media_type)], text).into_response()
}
