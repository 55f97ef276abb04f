//! Operators and the webhooks of customers.

use super::AppState;
use super::access::Authenticated;
use super::errors::ApiErrors;
use super::json::refuse;
use super::query::Params;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use gateway_domain::access::Permission;
use gateway_domain::ids::WebhookId;
use gateway_domain::webhooks::DeliveryState;
use gateway_webhooks::Webhooks;
use gateway_webhooks::views;
use serde_json::{Value, json};

/// Webhooks or deliveries of one answer unless fewer are asked for, and at most.
const LIMIT_MAX: i64 = 100;

pub(super) fn router() -> Router<AppState> {
    Router::new()
        .route("/admin/webhooks", get(list))
        .route("/admin/webhooks/{id}/enable", post(enable))
        .route("/admin/webhooks/{id}/disable", post(disable))
        .route("/admin/webhooks/{id}/deliveries", get(deliveries))
}

type Shown = Result<axum::Json<Value>, ApiErrors>;

/// How many, behind how many.
fn part(params: &Params) -> Result<(i64, i64), ApiErrors> {
    let number = |text: &str| text.parse().ok().filter(|number| *number >= 0_i64);
    let limit =
        params.parse("limit", "use a number from 1 to 100", |text| number(text).filter(|n| *n >= 1))?;
    let offset = params.parse("offset", "use a whole number from 0 on", number)?;
    Ok((limit.unwrap_or(LIMIT_MAX).min(LIMIT_MAX), offset.unwrap_or(0)))
}

async fn list(State(webhooks): State<Webhooks>, caller: Authenticated, params: Params) -> Shown {
    caller.require(Permission::Admin)?;
    params.only(&["limit", "offset"])?;
    let (limit, offset) = part(&params)?;
    let found = webhooks.all(&caller.0.workspaces, limit, offset).await?;
    let shown: Vec<_> =
        found.nodes.iter().map(|(endpoint, backlog)| views::operated(endpoint, *backlog)).collect();
    Ok(axum::Json(json!({"webhooks": shown, "total": found.total})))
}

async fn enable(State(app): State<AppState>, caller: Authenticated, Path(id): Path<String>) -> Shown {
    switch(&app, &caller, &id, true).await
}

async fn disable(State(app): State<AppState>, caller: Authenticated, Path(id): Path<String>) -> Shown {
    switch(&app, &caller, &id, false).await
}

async fn switch(app: &AppState, caller: &Authenticated, id: &str, enabled: bool) -> Shown {
    caller.require(Permission::Admin)?;
    let (seen, actor) = (&caller.0.workspaces, caller.0.actor());
    let endpoint = app.services.webhooks.switch(seen, &actor, webhook(id)?, enabled).await?;
    Ok(axum::Json(json!({"webhook": views::webhook(&endpoint)})))
}

async fn deliveries(
    State(webhooks): State<Webhooks>,
    caller: Authenticated,
    Path(id): Path<String>,
    params: Params,
) -> Shown {
    caller.require(Permission::Admin)?;
    params.only(&["limit", "offset", "status"])?;
    let known = "use pending, delivered or failed";
    let state: Option<DeliveryState> = params.parse("status", known, |text| text.parse().ok())?;
    let (limit, offset) = part(&params)?;
    let found = webhooks.delivery_log(&caller.0.workspaces, webhook(&id)?, state, limit, offset).await?;
    let shown: Vec<_> = found.nodes.iter().map(views::delivery).collect();
    Ok(axum::Json(json!({"deliveries": shown, "total": found.total})))
}

fn webhook(id: &str) -> Result<WebhookId, ApiErrors> {
    id.parse().map_err(|_| refuse(StatusCode::BAD_REQUEST, "id", "a webhook id is a UUID"))
}
