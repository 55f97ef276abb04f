//! Keys for operators. Master keys are not changed here: they lie in a file, so `gateway keys rotate master` does it.

use super::AppState;
use super::access::Authenticated;
use super::errors::ApiErrors;
use super::json::{Json, refuse};
use super::plugins::require_all;
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use gateway_access::views;
use serde::Deserialize;
use serde_json::Value;

/// The route of keys.
pub(super) fn router() -> Router<AppState> {
    Router::new().route("/admin/keys/rotate", post(rotate))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RotateForm {
    key: String,
}

async fn rotate(
    State(app): State<AppState>,
    caller: Authenticated,
    Json(form): Json<RotateForm>,
) -> Result<axum::Json<Value>, ApiErrors> {
    require_all(&caller, "rotates a key")?;
    if form.key != "signing" {
        let message = "use 'signing'; master keys are rotated with 'gateway keys rotate master'";
        return Err(refuse(StatusCode::UNPROCESSABLE_ENTITY, "key", message));
    }
    let rotated = app.tokens.rotate_signing_key(&caller.0.actor()).await.map_err(ApiErrors::internal)?;
    Ok(axum::Json(views::rotated(&rotated)))
}
