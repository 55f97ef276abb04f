//! Keys for operators. Master keys are not changed here: they lie in a file, so `gateway keys rotate master` does it.

use crate::InternalApi;
use crate::errors::ApiError;
use crate::errors::refuse;
use crate::plugins::require_all;
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use gateway_access::Tokens;
use gateway_access::views::RotatedView;
use gateway_domain::ErrorCode;
use gateway_http::Authenticated;
use gateway_http::json::Json;
use serde::Deserialize;
use std::sync::Arc;

/// The route of keys.
pub(super) fn router() -> Router<InternalApi> {
    Router::new().route("/admin/keys/rotate", post(rotate))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RotateForm {
    key: String,
}

async fn rotate(
    State(tokens): State<Arc<Tokens>>,
    caller: Authenticated,
    Json(form): Json<RotateForm>,
) -> Result<axum::Json<RotatedView>, ApiError> {
    require_all(&caller, "rotates a key")?;
    if form.key != "signing" {
        let message = "use 'signing'; master keys are rotated with 'gateway keys rotate master'";
        return Err(refuse(StatusCode::UNPROCESSABLE_ENTITY, "key", ErrorCode::NotOneOf, message));
    }
    let rotated = tokens.rotate_signing_key(&caller.0.actor()).await.map_err(ApiError::internal)?;
    Ok(axum::Json(RotatedView::from(&rotated)))
}
