//! The account: the workspace of the request.

use super::caller::Portal;
use super::errors::ApiError;
use crate::PublicApi;
use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use gateway_http::Params;
use gateway_platform::Platform;
use serde_json::{Value, json};

pub(super) fn router() -> Router<PublicApi> {
    Router::new().route("/api/dev/account", get(account))
}

async fn account(
    State(platform): State<Platform>,
    portal: Portal,
    params: Params,
) -> Result<Json<Value>, ApiError> {
    params.only(&[])?;
    let found = platform.profiles_by_ids(&portal.acting, &[portal.workspace]).await?;
    let profile = found.get(&portal.workspace).ok_or_else(ApiError::fault)?;
    Ok(Json(json!({"account": {
        "id": profile.id,
        "name": profile.name,
        "slug": profile.slug,
        "status": profile.status,
        "logo_url": profile.logo_url,
    }})))
}
