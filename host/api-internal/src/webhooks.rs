//! Operators and the webhooks of customers.

use crate::InternalApi;
use crate::errors::ApiError;
use crate::errors::refuse;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use gateway_domain::access::Permission;
use gateway_domain::ids::WebhookId;
use gateway_domain::webhooks::DeliveryState;
use gateway_domain::{ErrorCode, FieldError};
use gateway_http::Authenticated;
use gateway_http::Params;
use gateway_webhooks::WebhookError;
use gateway_webhooks::Webhooks;
use gateway_webhooks::views;
use serde::Serialize;
use serde_json::Value;

/// Webhooks or deliveries of one answer unless fewer are asked for, and at most.
const LIMIT_MAX: i64 = 100;

pub(super) fn router() -> Router<InternalApi> {
    Router::new()
        .route("/admin/webhooks", get(list))
        .route("/admin/webhooks/{id}/enable", post(enable))
        .route("/admin/webhooks/{id}/disable", post(disable))
        .route("/admin/webhooks/{id}/deliveries", get(deliveries))
}

/// An answer, or why there is none.
type Shown<T> = Result<axum::Json<T>, ApiError>;

/// Some webhooks.
#[derive(Debug, Serialize)]
struct WebhookList {
    /// Those asked for.
    webhooks: Vec<Value>,
    /// How many there are in all.
    total: i64,
}

/// A webhook that was enabled or disabled.
#[derive(Debug, Serialize)]
struct SwitchedWebhook {
    /// As it is now.
    webhook: Value,
}

/// Some deliveries.
#[derive(Debug, Serialize)]
struct DeliveryList {
    /// The newest first.
    deliveries: Vec<Value>,
    /// How many there are in all.
    total: i64,
}

/// How many, behind how many.
fn part(params: &Params) -> Result<(i64, i64), ApiError> {
    let number = |text: &str| text.parse().ok().filter(|number| *number >= 0_i64);
    let limit =
        params.parse("limit", "use a number from 1 to 100", |text| number(text).filter(|n| *n >= 1))?;
    let offset = params.parse("offset", "use a whole number from 0 on", number)?;
    Ok((limit.unwrap_or(LIMIT_MAX).min(LIMIT_MAX), offset.unwrap_or(0)))
}

async fn list(State(webhooks): State<Webhooks>, caller: Authenticated, params: Params) -> Shown<WebhookList> {
    caller.require(Permission::Admin)?;
    params.only(&["limit", "offset"])?;
    let (limit, offset) = part(&params)?;
    let found = webhooks.all(&caller.0.workspaces, limit, offset).await?;
    let webhooks =
        found.nodes.iter().map(|(endpoint, backlog)| views::operated(endpoint, *backlog)).collect();
    Ok(axum::Json(WebhookList { webhooks, total: found.total }))
}

async fn enable(
    State(webhooks): State<Webhooks>,
    caller: Authenticated,
    Path(id): Path<String>,
) -> Shown<SwitchedWebhook> {
    switch(&webhooks, &caller, &id, true).await
}

async fn disable(
    State(webhooks): State<Webhooks>,
    caller: Authenticated,
    Path(id): Path<String>,
) -> Shown<SwitchedWebhook> {
    switch(&webhooks, &caller, &id, false).await
}

async fn switch(
    webhooks: &Webhooks,
    caller: &Authenticated,
    id: &str,
    enabled: bool,
) -> Shown<SwitchedWebhook> {
    caller.require(Permission::Admin)?;
    let (seen, actor) = (&caller.0.workspaces, caller.0.actor());
    let endpoint = webhooks.switch(seen, &actor, webhook(id)?, enabled).await?;
    Ok(axum::Json(SwitchedWebhook { webhook: views::webhook(&endpoint) }))
}

async fn deliveries(
    State(webhooks): State<Webhooks>,
    caller: Authenticated,
    Path(id): Path<String>,
    params: Params,
) -> Shown<DeliveryList> {
    caller.require(Permission::Admin)?;
    params.only(&["limit", "offset", "status"])?;
    let known = "use pending, delivered or failed";
    let state: Option<DeliveryState> = params.parse("status", known, |text| text.parse().ok())?;
    let (limit, offset) = part(&params)?;
    let found = webhooks.delivery_log(&caller.0.workspaces, webhook(&id)?, state, limit, offset).await?;
    let deliveries = found.nodes.iter().map(views::delivery).collect();
    Ok(axum::Json(DeliveryList { deliveries, total: found.total }))
}

fn webhook(id: &str) -> Result<WebhookId, ApiError> {
    id.parse().map_err(|_| {
        refuse(StatusCode::BAD_REQUEST, "id", ErrorCode::InvalidFormat, "a webhook id is a UUID")
    })
}

impl From<WebhookError> for ApiError {
    fn from(error: WebhookError) -> Self {
        match error {
            WebhookError::Invalid(faults) => Self::new(StatusCode::UNPROCESSABLE_ENTITY, faults),
            WebhookError::NotFound { field, .. } => {
                let message = error.to_string();
                Self::new(StatusCode::NOT_FOUND, vec![FieldError::new(field, ErrorCode::NotFound, message)])
            }
            WebhookError::Sealing(cause) => Self::internal(cause),
            WebhookError::Store(cause) => Self::internal(cause),
        }
    }
}
