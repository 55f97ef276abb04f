//! What a path of the legacy API names, by its id.

use super::{ApiError, refuse};
use axum::http::StatusCode;
use gateway_domain::ErrorCode;
use gateway_http::query::{ID, uuid};
use utoipa::IntoParams;
use uuid::Uuid;

/// The property of the path.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
#[expect(dead_code, reason = "describes a parameter")]
pub(super) struct PropertyPath {
    /// The property: a unit.
    #[param(format = Uuid, min_length = 36, max_length = 36, example = "0197f4f2-0000-7000-8000-0000000000a1")]
    id: String,
}

/// The booking of the path.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
#[expect(dead_code, reason = "describes a parameter")]
pub(super) struct BookingPath {
    /// The booking.
    #[param(format = Uuid, min_length = 36, max_length = 36, example = "0197f4f2-0000-7000-8000-0000000000b1")]
    id: String,
}

/// The id in a path, called `field`; 400 for what is none.
pub(super) fn id<I: From<Uuid>>(field: &str, text: &str) -> Result<I, ApiError> {
    uuid(text)
        .map(I::from)
        .ok_or_else(|| refuse(StatusCode::BAD_REQUEST, field, ErrorCode::InvalidFormat, ID))
}

/// What a path names is not there, or belongs to another workspace.
pub(super) fn unknown(field: &str, what: &str) -> ApiError {
    refuse(StatusCode::NOT_FOUND, field, ErrorCode::NotFound, format!("there is no such {what}"))
}
