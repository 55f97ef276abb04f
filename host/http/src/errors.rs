//! The one shape of an error: a status and `{"errors":[{"field","code","message"}]}`.

use crate::openapi::Errors;
use crate::request_id::request_id;
use axum::Json;
use axum::http::header::WWW_AUTHENTICATE;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use gateway_access::BearerError;
use gateway_domain::access::Permission;
use gateway_domain::{ErrorCode, FieldError, StoreError};

/// An answer that refuses.
#[derive(Debug)]
pub struct ApiErrors {
    status: StatusCode,
    errors: Vec<FieldError>,
    header: Option<(HeaderName, HeaderValue)>,
}

impl ApiErrors {
    pub const fn new(status: StatusCode, errors: Vec<FieldError>) -> Self {
        Self { status, errors, header: None }
    }

    /// One sentence about the request as a whole.
    pub fn base(status: StatusCode, code: ErrorCode, message: impl Into<String>) -> Self {
        Self::new(status, vec![FieldError::new("base", code, message)])
    }

    pub const fn status(&self) -> StatusCode {
        self.status
    }

    /// What a program tells it by: the code of its first mistake.
    pub fn code(&self) -> ErrorCode {
        self.errors.first().map_or(ErrorCode::Internal, |error| error.code)
    }

    /// Every mistake of the request; at least one.
    pub fn mistakes(&self) -> &[FieldError] {
        &self.errors
    }

    /// Every sentence of it.
    pub fn message(&self) -> String {
        self.errors.iter().map(|error| error.message.as_str()).collect::<Vec<_>>().join("; ")
    }

    /// With a header; a value that no header can hold is left out.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: &str) -> Self {
        self.header = HeaderValue::from_str(value).ok().map(|value| (name, value));
        self
    }

    /// The gateway's own fault: the cause is logged here, once, and the answer names only the request.
    pub fn internal(cause: impl std::error::Error + 'static) -> Self {
        if let Some(StoreError::Repeated) = (&cause as &dyn std::error::Error).downcast_ref() {
            return Self::new(
                StatusCode::CONFLICT,
                vec![FieldError::new("Idempotency-Key", ErrorCode::RequestInProgress, cause.to_string())],
            );
        }
        tracing::error!(error = &cause as &dyn std::error::Error, "A request failed: {cause}");
        let overloaded = StoreError::is_transient(&cause);
        if overloaded {
            let message =
                format!("the gateway cannot answer at this moment: try again, request {}", request_id());
            return Self::base(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::Unavailable, message)
                .with_header(axum::http::header::RETRY_AFTER, "1");
        }
        Self::fault()
    }

    /// The gateway's own fault, logged by the caller.
    pub fn fault() -> Self {
        let message =
            format!("internal error: tell the operator of this gateway the request id {}", request_id());
        Self::base(StatusCode::INTERNAL_SERVER_ERROR, ErrorCode::Internal, message)
    }
}

impl From<StoreError> for ApiErrors {
    fn from(cause: StoreError) -> Self {
        Self::internal(cause)
    }
}

impl IntoResponse for ApiErrors {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(Errors { errors: self.errors })).into_response();
        if let Some((name, value)) = self.header {
            response.headers_mut().insert(name, value);
        }
        response
    }
}

/// Why a request does not reach its route.
#[derive(Debug)]
pub enum AccessRefusal {
    /// Who calls is not known.
    Token(BearerError),
    /// The client lacks this permission.
    Permission(Permission),
}

impl From<AccessRefusal> for ApiErrors {
    fn from(refusal: AccessRefusal) -> Self {
        match refusal {
            AccessRefusal::Token(error) => Self::from(error),
            AccessRefusal::Permission(permission) => {
                let message = format!("the client lacks the permission {permission}");
                let challenge = "Bearer realm=\"gateway\", error=\"insufficient_scope\"";
                Self::base(StatusCode::FORBIDDEN, ErrorCode::PermissionMissing, message)
                    .with_header(WWW_AUTHENTICATE, challenge)
            }
        }
    }
}

impl IntoResponse for AccessRefusal {
    fn into_response(self) -> Response {
        ApiErrors::from(self).into_response()
    }
}

impl From<BearerError> for ApiErrors {
    fn from(error: BearerError) -> Self {
        match (error.challenge(), error) {
            (_, BearerError::Internal(cause)) => Self::internal(cause),
            (challenge, error) => {
                Self::base(StatusCode::UNAUTHORIZED, ErrorCode::Unauthenticated, error.to_string())
                    .with_header(WWW_AUTHENTICATE, challenge.as_deref().unwrap_or("Bearer"))
            }
        }
    }
}

/// The error of a surface: [`ApiErrors`] as a type of the surface's own crate, so that what each service refuses is turned into
/// it by a function there (`From` of a service's error needs a type of the crate that it stands in).
#[macro_export]
macro_rules! surface_error {
    ($visible:vis) => {
        /// An answer that refuses.
        #[derive(Debug)]
        $visible struct ApiError($crate::ApiErrors);

        impl ApiError {
            $visible const fn new(
                status: ::axum::http::StatusCode,
                errors: Vec<::gateway_domain::FieldError>,
            ) -> Self {
                Self($crate::ApiErrors::new(status, errors))
            }

            /// One sentence about the request as a whole.
            $visible fn base(
                status: ::axum::http::StatusCode,
                code: ::gateway_domain::ErrorCode,
                message: impl Into<String>,
            ) -> Self {
                Self($crate::ApiErrors::base(status, code, message))
            }

            /// The gateway's own fault, which is logged here and not told.
            $visible fn internal(cause: impl std::error::Error + 'static) -> Self {
                Self($crate::ApiErrors::internal(cause))
            }

            /// With a header; a value that no header can hold is left out.
            $visible fn with_header(self, name: ::axum::http::HeaderName, value: &str) -> Self {
                Self(self.0.with_header(name, value))
            }
        }

        /// One mistake of the request as a whole.
        $visible fn refuse(
            status: ::axum::http::StatusCode,
            field: &str,
            code: ::gateway_domain::ErrorCode,
            message: impl Into<String>,
        ) -> ApiError {
            let mistake = ::gateway_domain::FieldError::new(field, code, message);
            ApiError($crate::ApiErrors::new(status, vec![mistake]))
        }

        impl ::axum::response::IntoResponse for ApiError {
            fn into_response(self) -> ::axum::response::Response {
                self.0.into_response()
            }
        }

        impl From<$crate::ApiErrors> for ApiError {
            fn from(errors: $crate::ApiErrors) -> Self {
                Self(errors)
            }
        }

        impl From<$crate::AccessRefusal> for ApiError {
            fn from(refusal: $crate::AccessRefusal) -> Self {
                Self(refusal.into())
            }
        }

        impl From<::gateway_domain::StoreError> for ApiError {
            fn from(cause: ::gateway_domain::StoreError) -> Self {
                Self::internal(cause)
            }
        }
    };
}
