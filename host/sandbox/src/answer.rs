//! Answers that are no success, in the provider's form.

use crate::views::FaultView;
use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use gateway_domain::StoreError;
use gateway_domain::regime::ProviderFault;
use serde::Serialize;
use std::collections::BTreeMap;

/// A refusal: a status, and a body with a key for programs and a sentence for people.
#[derive(Debug)]
pub(crate) struct Refusal {
    status: StatusCode,
    body: RefusalBody,
}

/// What it says.
#[derive(Debug, Serialize)]
struct RefusalBody {
    code: &'static str,
    key: &'static str,
    message: String,
    /// The newer form: listed faults.
    #[serde(skip_serializing_if = "Option::is_none")]
    faults: Option<Vec<FaultView>>,
    /// The older form: nested fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    fields: Option<BTreeMap<String, String>>,
}

impl Refusal {
    fn new(status: StatusCode, key: &'static str, message: impl Into<String>) -> Self {
        let body = RefusalBody { code: key, key, message: message.into(), faults: None, fields: None };
        Self { status, body }
    }

    pub(crate) fn malformed(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "input", message)
    }

    pub(crate) fn unauthorised() -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized", "a valid bearer token is required")
    }

    pub(crate) fn not_found(what: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not-found", format!("{what} not found"))
    }

    pub(crate) fn wrong_method() -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "method-not-allowed", "this path does not take this method")
    }

    pub(crate) fn conflict(message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, "conflict", message)
    }

    pub(crate) fn too_large() -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", "the body is too large")
    }

    pub(crate) fn wrong_media_type() -> Self {
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "media-type", "the body must be application/json")
    }

    /// A document that may not be stored, in the newer form: listed faults.
    pub(crate) fn invalid(key: &'static str, found: &[ProviderFault]) -> Self {
        let mut refusal = Self::new(StatusCode::UNPROCESSABLE_ENTITY, key, "validation");
        refusal.body.faults = Some(FaultView::list(found));
        refusal
    }

    /// A member of the request that makes no sense, in the older form: nested fields.
    pub(crate) fn invalid_field(field: &str, message: &str) -> Self {
        let mut refusal = Self::new(StatusCode::UNPROCESSABLE_ENTITY, "validation", message);
        refusal.body.fields = Some(BTreeMap::from([(field.to_owned(), message.to_owned())]));
        refusal
    }

    pub(crate) fn unavailable() -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", "the test data asked for this failure")
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        tracing::error!(error = &error as &dyn std::error::Error, "The sandbox's storage failed");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "internal error")
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status, Json(self.body)).into_response()
    }
}
