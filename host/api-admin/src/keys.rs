//! Keys for operators. Master keys are not changed here: they lie in a file, so `gateway keys rotate master` does it.

use crate::AdminApi;
use crate::errors::ApiError;
use crate::errors::refuse;
use crate::plugins::require_all;
use axum::extract::State;
use axum::http::StatusCode;
use gateway_access::Tokens;
use gateway_access::views::RotatedView;
use gateway_domain::{ErrorCode, words};
use gateway_http::Authenticated;
use gateway_http::json::Json;
use gateway_http::openapi::BodyRefusals;
use serde::Deserialize;
use std::sync::Arc;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<AdminApi> {
    OpenApiRouter::new().routes(routes!(rotate))
}

words! {
    /// What signs tokens. Master keys lie in a file, so `gateway keys rotate master` changes them.
    RotatableKey {
        /// It.
        Signing = "signing",
    }
}

/// Which key to rotate.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct RotateForm {
    /// What it does.
    #[schema(value_type = RotatableKey)]
    key: String,
}

/// Make another key sign tokens
///
/// The new key is published at once and signs five seconds later; the old public key stays published until its last
/// token has expired. Master keys are rotated with `gateway keys rotate master`.
#[utoipa::path(
    post,
    path = "/admin/keys/rotate",
    operation_id = "rotateKey",
    request_body = RotateForm,
    responses((status = 200, description = "The new key.", body = RotatedView), BodyRefusals)
)]

async fn rotate(
    State(tokens): State<Arc<Tokens>>,
    caller: Authenticated,
    Json(form): Json<RotateForm>,
) -> Result<axum::Json<RotatedView>, ApiError> {
    require_all(&caller, "rotates a key")?;
    if form.key != RotatableKey::Signing.as_str() {
        let message = "use 'signing'; master keys are rotated with 'gateway keys rotate master'";
        return Err(refuse(StatusCode::UNPROCESSABLE_ENTITY, "key", ErrorCode::NotOneOf, message));
    }
    let rotated = tokens.rotate_signing_key(&caller.0.actor()).await.map_err(ApiError::internal)?;
    Ok(axum::Json(RotatedView::from(&rotated)))
}
