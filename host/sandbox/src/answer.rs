//! Answers that are no success, in the provider's form.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use gateway_domain::regime::ProviderFault;
use gateway_storage::StoreError;
use serde_json::{Value, json};

/// A refusal: a status, and a body with a key for programs and a sentence for people.
#[derive(Debug)]
pub(crate) struct Refusal {
    status: StatusCode,
    /// JSON.
    body: String,
}

impl Refusal {
    fn new(status: StatusCode, key: &'static str, message: impl Into<String>) -> Self {
        Self::with(status, key, message, None)
    }

    fn with(
        status: StatusCode,
        key: &'static str,
        message: impl Into<String>,
        details: Option<(&str, Value)>,
    ) -> Self {
        let mut body = json!({"code": key, "key": key, "message": message.into()});
        if let (Some((name, value)), Some(members)) = (details, body.as_object_mut()) {
            members.insert(name.to_owned(), value);
        }
        Self { status, body: body.to_string() }
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
        Self::with(StatusCode::UNPROCESSABLE_ENTITY, key, "validation", Some(("faults", faults(found))))
    }

    /// A member of the request that makes no sense, in the older form: nested fields.
    pub(crate) fn invalid_field(field: &str, message: &str) -> Self {
        let details = Some(("fields", json!({ field: message })));
        Self::with(StatusCode::UNPROCESSABLE_ENTITY, "validation", message, details)
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
        (self.status, [(header::CONTENT_TYPE, "application/json")], self.body).into_response()
    }
}

/// Faults as the provider writes them: absent members are left out.
pub(crate) fn faults(faults: &[ProviderFault]) -> Value {
    let texts = |fault: &ProviderFault| {
        [
            ("provider", fault.provider.clone()),
            ("code", fault.code.clone()),
            ("message", fault.message.clone()),
        ]
    };
    let list = faults.iter().map(|fault| {
        let mut members: serde_json::Map<String, Value> = texts(fault)
            .into_iter()
            .filter_map(|(name, text)| Some((name.to_owned(), Value::String(text?))))
            .collect();
        if !fault.paths.is_empty() {
            members.insert("paths".to_owned(), json!(fault.paths));
        }
        Value::Object(members)
    });
    Value::Array(list.collect())
}
