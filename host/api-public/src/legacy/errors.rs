//! The errors list as the legacy API answers it; what each service refuses is one exhaustive function beside the routes
//! that call it.

use axum::http::{HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use gateway_domain::StoreError;
use gateway_domain::{ErrorCode, FieldError};
use gateway_http::ApiErrors;

/// An answer that refuses.
#[derive(Debug)]
pub(super) struct ApiError(ApiErrors);

impl ApiError {
    pub(super) const fn new(status: StatusCode, errors: Vec<FieldError>) -> Self {
        Self(ApiErrors::new(status, errors))
    }

    /// One sentence about the request as a whole.
    pub(super) fn base(status: StatusCode, code: ErrorCode, message: impl Into<String>) -> Self {
        Self(ApiErrors::base(status, code, message))
    }

    /// The gateway's own fault, which is logged here and not told.
    pub(super) fn internal(cause: impl std::error::Error + 'static) -> Self {
        Self(ApiErrors::internal(cause))
    }

    /// The gateway's own fault, logged by the caller.
    pub(super) fn fault() -> Self {
        Self(ApiErrors::fault())
    }

    /// With a header; a value that no header can hold is left out.
    pub(super) fn with_header(self, name: HeaderName, value: &str) -> Self {
        Self(self.0.with_header(name, value))
    }
}

/// One mistake of the request as a whole.
pub(super) fn refuse(
    status: StatusCode,
    field: &str,
    code: ErrorCode,
    message: impl Into<String>,
) -> ApiError {
    ApiError(gateway_http::refuse(status, field, code, message))
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        self.0.into_response()
    }
}

impl From<ApiErrors> for ApiError {
    fn from(errors: ApiErrors) -> Self {
        Self(errors)
    }
}

impl From<StoreError> for ApiError {
    fn from(cause: StoreError) -> Self {
        Self::internal(cause)
    }
}
