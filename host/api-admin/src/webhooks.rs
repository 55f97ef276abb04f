//! Operators and the webhooks of customers.

use crate::errors::ApiError;
use crate::errors::refuse;
use crate::{AdminApi, JsonResult};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use gateway_domain::ids::WebhookId;
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_platform::webhooks::DeliveryState;
use gateway_http::Authenticated;
use gateway_http::Params;
use gateway_http::openapi::{BadRequest, NotFound, Unprocessable};
use gateway_http::query::WindowQuery;
use gateway_webhooks::WebhookError;
use gateway_webhooks::Webhooks;
use gateway_webhooks::views::{DeliveryView, OperatedWebhookView, WebhookView};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<AdminApi> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(enable))
        .routes(routes!(disable))
        .routes(routes!(deliveries))
}

/// Some webhooks.
#[derive(Debug, Serialize, ToSchema)]
struct OperatedWebhookList {
    /// Those asked for.
    webhooks: Vec<OperatedWebhookView>,
    /// How many there are in all.
    #[schema(examples(0))]
    total: i64,
}

/// A webhook that was enabled or disabled.
#[derive(Debug, Serialize, ToSchema)]
struct SwitchedWebhook {
    /// As it is now.
    webhook: WebhookView,
}

/// Some deliveries.
#[derive(Debug, Serialize, ToSchema)]
struct OperatedDeliveryList {
    /// The newest first.
    deliveries: Vec<DeliveryView>,
    /// How many there are in all.
    #[schema(examples(0))]
    total: i64,
}

/// The webhooks of every workspace
///
/// Those that the client may operate, with how they fare and what waits for them.
#[utoipa::path(
    get,
    path = "/admin/webhooks",
    operation_id = "operateWebhooks",
    params(WindowQuery),
    responses(
        (status = 200, description = "Some of them.", body = OperatedWebhookList),
        (status = 422, response = Unprocessable)
    )
)]
async fn list(
    State(webhooks): State<Webhooks>,
    caller: Authenticated,
    params: Params,
) -> JsonResult<OperatedWebhookList> {
    params.only(&["limit", "offset"])?;
    let WindowQuery { limit, offset } = WindowQuery::read(&params)?;
    let found = webhooks.all(&caller.0.workspaces, limit, offset).await?;
    let webhooks =
        found.nodes.iter().map(|(endpoint, backlog)| OperatedWebhookView::new(endpoint, *backlog)).collect();
    Ok(axum::Json(OperatedWebhookList { webhooks, total: found.total }))
}

/// Enable a webhook
///
/// What waits is sent.
#[utoipa::path(
    post,
    path = "/admin/webhooks/{id}/enable",
    operation_id = "enableWebhook",
    params(("id" = Uuid, Path, description = "The webhook.", example = "0197f4f2-0000-7000-8000-0000000000e5")),
    responses(
        (status = 200, description = "The webhook.", body = SwitchedWebhook),
        (status = 400, response = BadRequest),
        (status = 404, response = NotFound)
    )
)]
async fn enable(
    State(webhooks): State<Webhooks>,
    caller: Authenticated,
    Path(id): Path<String>,
) -> JsonResult<SwitchedWebhook> {
    switch(&webhooks, &caller, &id, true).await
}

/// Disable a webhook
///
/// Nothing is sent until it is enabled.
#[utoipa::path(
    post,
    path = "/admin/webhooks/{id}/disable",
    operation_id = "disableWebhook",
    params(("id" = Uuid, Path, description = "The webhook.", example = "0197f4f2-0000-7000-8000-0000000000e5")),
    responses(
        (status = 200, description = "The webhook.", body = SwitchedWebhook),
        (status = 400, response = BadRequest),
        (status = 404, response = NotFound)
    )
)]
async fn disable(
    State(webhooks): State<Webhooks>,
    caller: Authenticated,
    Path(id): Path<String>,
) -> JsonResult<SwitchedWebhook> {
    switch(&webhooks, &caller, &id, false).await
}

async fn switch(
    webhooks: &Webhooks,
    caller: &Authenticated,
    id: &str,
    enabled: bool,
) -> JsonResult<SwitchedWebhook> {
    let (workspaces, actor) = (&caller.0.workspaces, caller.0.actor());
    let endpoint = webhooks.switch(workspaces, &actor, webhook(id)?, enabled).await?;
    Ok(axum::Json(SwitchedWebhook { webhook: (&endpoint).into() }))
}

/// The log of a webhook
///
/// Every delivery of the last 30 days (or as many as the operator chose) with every try.
#[utoipa::path(
    get,
    path = "/admin/webhooks/{id}/deliveries",
    operation_id = "operateWebhookDeliveries",
    params(("id" = Uuid, Path, description = "The webhook.", example = "0197f4f2-0000-7000-8000-0000000000e5"), WindowQuery, ("status" = inline(Option<DeliveryState>), Query, description = "Only those in this state.")),
    responses(
        (status = 200, description = "Some of them.", body = OperatedDeliveryList),
        (status = 400, response = BadRequest),
        (status = 404, response = NotFound),
        (status = 422, response = Unprocessable)
    )
)]
async fn deliveries(
    State(webhooks): State<Webhooks>,
    caller: Authenticated,
    Path(id): Path<String>,
    params: Params,
) -> JsonResult<OperatedDeliveryList> {
    params.only(&["limit", "offset", "status"])?;
    let known = "use pending, delivered or failed";
    let state: Option<DeliveryState> = params.parse("status", known, |text| text.parse().ok())?;
    let WindowQuery { limit, offset } = WindowQuery::read(&params)?;
    let found = webhooks.deliveries(&caller.0.workspaces, webhook(&id)?, state, limit, offset).await?;
    let deliveries = found.nodes.iter().map(DeliveryView::from).collect();
    Ok(axum::Json(OperatedDeliveryList { deliveries, total: found.total }))
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
