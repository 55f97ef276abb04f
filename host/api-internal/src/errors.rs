//! The errors list as this surface answers it. What each service refuses has one exhaustive function beside the routes
//! that call it; what several of them may meet is here.

use axum::http::StatusCode;
use gateway_domain::ErrorCode;
use gateway_domain_finance::ports::InvoiceDataError;
use gateway_finance::ReadError;
use gateway_http::request_id;

gateway_http::surface_error!(pub(crate));

impl ApiError {
    /// Whether the gateway failed, and not what was asked.
    pub(crate) fn is_ours(&self) -> bool {
        self.0.status().is_server_error()
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
