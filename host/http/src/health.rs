//! Whether the process answers, and what a listener can do; on both listeners.

use crate::compression::compress;
use crate::openapi::{DocumentSource, Listener, Surface, cacheable};
use crate::{landing, reference};
use axum::extract::State;
use axum::response::Response;
use axum::{Json, Router};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Whether the process answers.
#[derive(Debug, Serialize, ToSchema)]
struct Health {
    status: HealthStatus,
}

/// It does, or there is no answer.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum HealthStatus {
    Ok,
}

/// An OpenAPI document.
#[derive(Serialize, ToSchema)]
struct OpenApiDocument {
    openapi: String,
    info: Map<String, Value>,
    paths: Map<String, Value>,
    #[serde(flatten)]
    more: Map<String, Value>,
}

fn routes() -> OpenApiRouter<DocumentSource> {
    let documents =
        OpenApiRouter::new().routes(routes!(openapi)).merge(landing::routes()).merge(reference::routes());
    OpenApiRouter::new().routes(routes!(healthz)).merge(compress(documents))
}

/// `/healthz`, and `/openapi.json` with this document, which `/docs/reference` shows and `/docs` leads by.
pub fn health(document: DocumentSource) -> Router {
    Router::from(routes()).with_state(document)
}

/// What both are described by.
pub fn health_surface() -> Surface {
    let about = "Whether the gateway lives, and what it can do.";
    Surface::new(Listener::Public, "Health and documents", about, routes().into_openapi())
        .also_on(Listener::Internal)
}

/// Whether the process answers
///
/// Answers as long as the process lives, whatever the database does.
#[utoipa::path(
    get,
    path = "/healthz",
    operation_id = "healthz",
    responses((status = 200, description = "It lives.", body = Health))
)]
async fn healthz() -> Json<Health> {
    Json(Health { status: HealthStatus::Ok })
}

/// This document
///
/// The OpenAPI 3.1 document of the listener that is asked: the public one has the public routes, the internal one has
/// the others.
#[utoipa::path(
    get,
    path = "/openapi.json",
    operation_id = "openapi",
    responses((status = 200, description = "The document.", body = OpenApiDocument))
)]
async fn openapi(State(document): State<DocumentSource>) -> Response {
    cacheable("application/json", document())
}
