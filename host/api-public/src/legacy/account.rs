//! The account: the workspace of the request.

use super::caller::Portal;
use crate::http::AppState;
use crate::http::errors::ApiErrors;
use crate::http::query::Params;
use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use gateway_platform::Platform;
use serde_json::{Value, json};

pub(super) fn router() -> Router<AppState> {
    Router::new().route("/api/dev/account", get(account))
}

async fn account(
    State(platform): State<Platform>,
    portal: Portal,
    params: Params,
) -> Result<Json<Value>, ApiErrors> {
    params.only(&[])?;
    let found = platform.profiles_by_ids(&portal.acting, &[portal.workspace]).await?;
    let profile = found.get(&portal.workspace).ok_or_else(ApiErrors::fault)?;
    Ok(Json(json!({"account": {
        "id": profile.id,
        "name": profile.name,
        "slug": profile.slug,
        "status": profile.status,
        "logo_url": profile.logo_url,
    }})))
}
