//! The operators' surface: JSON twins of the command line.
//!
//! A client that may operate only some workspaces sees and changes only those, and grants no others.

mod clients;
mod submissions;
mod workspaces;

use crate::InternalApi;
use crate::errors::{ApiError, refuse};
use crate::{audit, keys, plugins, webhooks};
use axum::http::StatusCode;
use gateway_domain::ErrorCode;
use gateway_http::openapi::{Forbidden, Listener, Surface, Unauthorised};
use utoipa_axum::router::OpenApiRouter;

pub(super) fn routes() -> OpenApiRouter<InternalApi> {
    OpenApiRouter::new()
        .merge(clients::routes())
        .merge(workspaces::routes())
        .merge(submissions::routes())
        .merge(keys::routes())
        .merge(audit::routes())
        .merge(plugins::routes())
        .merge(webhooks::routes())
}

/// What they are described by.
pub(super) fn surface() -> Surface {
    let about = "JSON twins of the command line. A client that may operate only some workspaces sees and changes only those, and grants no others.";
    Surface::new(Listener::Internal, "Admin", about, routes().into_openapi())
        .behind_a_token(Some("admin"))
        .answers::<Unauthorised>(401)
        .answers::<Forbidden>(403)
        .fails()
        .body("createClient", "example", &clients::example())
        .body("createWorkspace", "example", &workspaces::example())
        .body("setWorkspace", "example", &workspaces::example_of_a_change())
}

/// An answer, or why there is none.
type JsonResult<T> = Result<axum::Json<T>, ApiError>;

fn unprocessable(field: &str, code: ErrorCode, message: &str) -> ApiError {
    refuse(StatusCode::UNPROCESSABLE_ENTITY, field, code, message)
}

fn malformed_id(message: &str) -> ApiError {
    refuse(StatusCode::BAD_REQUEST, "id", ErrorCode::InvalidFormat, message)
}
