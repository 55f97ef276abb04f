//! Components as they are posted: plugins and renderers.

use crate::errors::{ApiError, refuse};
use axum::extract::{DefaultBodyLimit, FromRequest, Request};
use axum::http::{Method, StatusCode, header};
use gateway_domain::ErrorCode;
use gateway_domain::regime::PluginComponent;
use gateway_http::json::whole;
use gateway_registry::COMPONENT_BYTES_MAX;
use utoipa::ToSchema;

/// Where components are posted.
const INSTALL: [&str; 2] = ["/admin/plugins", "/admin/renderers"];
/// Carries the detached signature of a component.
const SIGNATURE: &str = "plugin-signature";

/// A component comes in one piece; everything else is small.
pub fn body_bytes_max(request: &Request) -> Option<u64> {
    let installs = request.method() == Method::POST && INSTALL.contains(&request.uri().path());
    installs.then_some(COMPONENT_BYTES_MAX)
}

/// The same for the routes that read it.
pub(super) fn body_limit() -> DefaultBodyLimit {
    DefaultBodyLimit::max(usize::try_from(COMPONENT_BYTES_MAX).unwrap_or(usize::MAX))
}

/// A component as it comes: the media type of WebAssembly, or none.
#[derive(Debug, ToSchema)]
#[schema(value_type = String, format = Binary)]
pub(super) struct Wasm(pub(super) PluginComponent);

impl<S: Send + Sync> FromRequest<S> for Wasm {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let (headers, body) = whole(request, state).await?;
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
        let media_type = text(header::CONTENT_TYPE.as_str()).unwrap_or_default();
        if !matches!(media_type, "" | "application/wasm" | "application/octet-stream") {
            let message = "send the component itself, with Content-Type: application/wasm";
            return Err(refuse(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "base",
                ErrorCode::MediaTypeUnsupported,
                message,
            ));
        }
        let signature = text(SIGNATURE).map(str::to_owned);
        Ok(Self(PluginComponent { bytes: body.to_vec(), signature }))
    }
}
