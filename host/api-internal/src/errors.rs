//! The errors list as this surface answers it. What each service refuses has one exhaustive function beside the routes
//! that call it; what several of them may meet is here.

use axum::http::{HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use gateway_domain::StoreError;
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_finance::ports::InvoiceDataError;
use gateway_finance::ReadError;
use gateway_http::{ApiErrors, request_id};

/// An answer that refuses.
#[derive(Debug)]
pub(crate) struct ApiError(ApiErrors);

impl ApiError {
    pub(crate) const fn new(status: StatusCode, errors: Vec<FieldError>) -> Self {
        Self(ApiErrors::new(status, errors))
    }

    /// One sentence about the request as a whole.
    pub(crate) fn base(status: StatusCode, code: ErrorCode, message: impl Into<String>) -> Self {
        Self(ApiErrors::base(status, code, message))
    }

    /// The gateway's own fault, which is logged here and not told.
    pub(crate) fn internal(cause: impl std::error::Error + 'static) -> Self {
        Self(ApiErrors::internal(cause))
    }

    /// Whether the gateway failed, and not what was asked.
    pub(crate) fn is_ours(&self) -> bool {
        self.0.status().is_server_error()
    }

    /// With a header; a value that no header can hold is left out.
    pub(crate) fn with_header(self, name: HeaderName, value: &str) -> Self {
        Self(self.0.with_header(name, value))
    }
}

/// One mistake of the request as a whole.
pub(crate) fn refuse(
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

impl From<ReadError> for ApiError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Store(cause) => Self::internal(cause),
            ReadError::InvoiceData(error) => error.into(),
        }
    }
}

/// What a remote invoice data service fails in is no fault of the caller.
impl From<InvoiceDataError> for ApiError {
    fn from(error: InvoiceDataError) -> Self {
        tracing::error!(error = &error as &dyn std::error::Error, "The invoice data service failed: {error}");
        match error {
            InvoiceDataError::Unavailable { .. } => {
                let message = format!(
                    "the invoice data service does not answer: look at the document and try again, request {}",
                    request_id()
                );
                Self::base(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::InvoicingUnavailable, message)
                    .with_header(axum::http::header::RETRY_AFTER, "2")
            }
            InvoiceDataError::Unauthorised { .. }
            | InvoiceDataError::Protocol { .. }
            | InvoiceDataError::Refused(_)
            | InvoiceDataError::Stale
            | InvoiceDataError::Gone => {
                let message = format!(
                    "the invoice data service gave no usable answer: tell the operator of this gateway the request id {}",
                    request_id()
                );
                Self::base(StatusCode::BAD_GATEWAY, ErrorCode::InvoicingProtocol, message)
            }
        }
    }
}
