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
use gateway_http::openapi::{
    BadRequest, Forbidden, Listener, Surface, TooLarge, TooSlow, Unauthorised, Unprocessable,
    UnsupportedMediaType,
};
use std::collections::BTreeMap;
use utoipa::openapi::{Ref, RefOr, Response};
use utoipa::{IntoResponses, ToResponse};
use utoipa_axum::router::OpenApiRouter;

/// What any JSON body may be refused for.
pub(super) struct BodyRefusals;

impl IntoResponses for BodyRefusals {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let refusals = [
            (400, BadRequest::response().0),
            (408, TooSlow::response().0),
            (413, TooLarge::response().0),
            (415, UnsupportedMediaType::response().0),
            (422, Unprocessable::response().0),
        ];
        refusals.map(|(status, name)| (status.to_string(), Ref::from_response_name(name).into())).into()
    }
}

/// The routes of operators.
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
type Shown<T> = Result<axum::Json<T>, ApiError>;

fn unprocessable(field: &str, code: ErrorCode, message: &str) -> ApiError {
    refuse(StatusCode::UNPROCESSABLE_ENTITY, field, code, message)
}

fn malformed_id(message: &str) -> ApiError {
    refuse(StatusCode::BAD_REQUEST, "id", ErrorCode::InvalidFormat, message)
}
