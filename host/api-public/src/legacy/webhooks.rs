//! Webhook registrations: where a workspace wants to be told of changes, and what became of it.

use super::listing::{self, Listing, PageParams};
use super::paths;
use super::{ApiError, LegacyCaller, behind_guard};
use crate::PublicState;
use crate::notifications;
use crate::webhooks::{ChangeForm, ReplayForm, ReplayedAnswer, webhook_errors};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use gateway_domain::ids::WebhookId;
use gateway_domain_platform::webhooks::DeliveryState;
use gateway_http::Json;
use gateway_http::Params;
use gateway_http::openapi::{BadRequest, BodyRefusals, Listener, NotFound, Surface, Unprocessable};
use gateway_webhooks::views::{DeliveryView, EventName, WebhookSecretView, WebhookView};
use gateway_webhooks::{ReplayResult, WebhookError, Webhooks};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn router() -> OpenApiRouter<PublicState> {
    OpenApiRouter::new()
        .routes(routes!(list, register))
        .routes(routes!(show, change, remove))
        .routes(routes!(rotate_secret))
        .routes(routes!(test))
        .routes(routes!(deliveries))
        .routes(routes!(replay))
}

/// What they are described by.
pub(crate) fn surface() -> Surface {
    let about = "Where a workspace is told of changes. There is no GraphQL equivalent. Calls are signed as Standard Webhooks has it \
                 (`webhook-id`, `webhook-timestamp`, `webhook-signature`), repeated for days when they fail, and logged for 30 \
                 days; they name ids and states, not contents. Same credentials and pages as the legacy REST API.";
    behind_guard(Surface::new(Listener::Public, "Webhook registrations", about, router().into_openapi()))
        .each(|_, operation| listing::describe_pages(operation))
        .notifies("Notifications", notifications::ABOUT, notifications::document())
}

/// The registration of the path.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
#[expect(dead_code, reason = "describes a parameter")]
struct WebhookPath {
    /// The registration.
    #[param(format = Uuid, min_length = 36, max_length = 36, example = "0197f4f2-0000-7000-8000-0000000000e5")]
    id: String,
}

/// Which deliveries.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes a parameter")]
struct DeliveryStateQuery {
    /// Only those in this state.
    #[param(inline, value_type = DeliveryState, required = false)]
    status: Option<DeliveryState>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhooksPage)]
struct Registrations {
    webhook_registrations: Vec<WebhookView>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookAnswer)]
struct Registration {
    webhook_registration: WebhookView,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookWithSecretAnswer)]
struct RegistrationWithSecret {
    webhook_registration: WebhookSecretView,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DeliveryAnswer)]
struct CreatedDelivery {
    delivery: DeliveryView,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DeliveriesPage)]
struct Deliveries {
    deliveries: Vec<DeliveryView>,
}

/// The registrations of the workspace
///
/// Without their secrets.
#[utoipa::path(
    get,
    path = "/api/dev/webhook_registrations",
    operation_id = "listWebhooks",
    params(PageParams),
    responses(
        (status = 200, description = "The page.", body = Registrations),
        (status = 422, response = Unprocessable),
    )
)]
async fn list(
    State(webhooks): State<Webhooks>,
    caller: LegacyCaller,
    mut listing: Listing,
) -> Result<Response, ApiError> {
    listing.only(&[]);
    let window = listing.window()?;
    let found = webhooks.list(&caller.acting, caller.workspace, window.size, window.offset).await?;
    let webhook_registrations = found.nodes.iter().map(WebhookView::from).collect();
    Ok(listing.answer(&Registrations { webhook_registrations }, found.total))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WebhookRegisterForm)]
struct RegisterForm {
    /// http or https, without credentials.
    #[schema(
        format = "uri",
        max_length = 2_048,
        pattern = "^https?://",
        examples("https://hooks.example/gateway")
    )]
    notification_url: String,
    /// What it wants to be told; empty: everything but notices.
    #[serde(default)]
    #[schema(value_type = Vec<EventName>, required = false)]
    events: Vec<String>,
}

/// Register a URL
///
/// It is told what happens from now on. Targets inside (private, loopback, link-local addresses and the like) are refused unless the gateway is configured to allow them; a workspace has at most 100.
#[utoipa::path(
    post,
    path = "/api/dev/webhook_registrations",
    operation_id = "createWebhook",
    request_body = RegisterForm,
    responses(
        (status = 201, description = "It is registered. The secret is shown this once.", body = RegistrationWithSecret),
        BodyRefusals
    )
)]
async fn register(
    State(webhooks): State<Webhooks>,
    caller: LegacyCaller,
    params: Params,
    Json(form): Json<RegisterForm>,
) -> Result<Response, ApiError> {
    params.only(&[])?;
    let LegacyCaller { workspace, acting, notices, .. } = caller;
    let events = (form.events.as_slice(), notices);
    let (endpoint, secret) = webhooks.register(&acting, workspace, &form.notification_url, events).await?;
    let webhook_registration = WebhookSecretView::new(&endpoint, &secret);
    Ok((StatusCode::CREATED, axum::Json(RegistrationWithSecret { webhook_registration })).into_response())
}

/// A registration
///
/// With how it fares.
#[utoipa::path(
    get,
    path = "/api/dev/webhook_registrations/{id}",
    operation_id = "getWebhook",
    params(WebhookPath),
    responses(
        (status = 200, description = "The registration.", body = Registration),
        (status = 400, response = BadRequest),
        (status = 404, response = NotFound),
        (status = 422, response = Unprocessable),
    )
)]
async fn show(
    State(webhooks): State<Webhooks>,
    caller: LegacyCaller,
    Path(id): Path<String>,
    params: Params,
) -> Result<axum::Json<Registration>, ApiError> {
    params.only(&[])?;
    let endpoint = webhooks.find(&caller.acting, paths::id("id", &id)?).await?;
    Ok(axum::Json(Registration { webhook_registration: (&endpoint).into() }))
}

/// Change what a registration is told, or whether
///
/// Members that are not sent stay. Enabling takes up again what was disabled after long failure.
#[utoipa::path(
    patch,
    path = "/api/dev/webhook_registrations/{id}",
    operation_id = "setWebhook",
    params(WebhookPath),
    request_body = ChangeForm,
    responses(
        (status = 200, description = "The registration.", body = Registration),
        (status = 404, response = NotFound),
        BodyRefusals
    )
)]
async fn change(
    State(webhooks): State<Webhooks>,
    caller: LegacyCaller,
    Path(id): Path<String>,
    params: Params,
    Json(form): Json<ChangeForm>,
) -> Result<axum::Json<Registration>, ApiError> {
    params.only(&[])?;
    let id = paths::id("id", &id)?;
    let change = form.change(caller.notices);
    let endpoint = webhooks.change(&caller.acting, id, &change).await?;
    Ok(axum::Json(Registration { webhook_registration: (&endpoint).into() }))
}

/// Delete a registration
///
/// Nothing is sent any more, and its log is gone.
#[utoipa::path(
    delete,
    path = "/api/dev/webhook_registrations/{id}",
    operation_id = "deleteWebhook",
    params(WebhookPath),
    responses(
        (status = 204, description = "It is gone."),
        (status = 400, response = BadRequest),
        (status = 404, response = NotFound),
        (status = 422, response = Unprocessable),
    )
)]
async fn remove(
    State(webhooks): State<Webhooks>,
    caller: LegacyCaller,
    Path(id): Path<String>,
    params: Params,
) -> Result<StatusCode, ApiError> {
    params.only(&[])?;
    webhooks.delete(&caller.acting, paths::id("id", &id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Give a registration another secret
///
/// For 24 hours, or until the next rotation, both sign.
#[utoipa::path(
    post,
    path = "/api/dev/webhook_registrations/{id}/rotate_secret",
    operation_id = "rotateWebhookSecret",
    params(WebhookPath),
    responses(
        (status = 200, description = "The registration with its new secret, shown this once.", body = RegistrationWithSecret),
        (status = 400, response = BadRequest),
        (status = 404, response = NotFound),
        (status = 422, response = Unprocessable),
    )
)]
async fn rotate_secret(
    State(webhooks): State<Webhooks>,
    caller: LegacyCaller,
    Path(id): Path<String>,
    params: Params,
) -> Result<axum::Json<RegistrationWithSecret>, ApiError> {
    params.only(&[])?;
    let id = paths::id("id", &id)?;
    let (endpoint, secret) = webhooks.rotate_secret(&caller.acting, id).await?;
    Ok(axum::Json(RegistrationWithSecret {
        webhook_registration: WebhookSecretView::new(&endpoint, &secret),
    }))
}

/// Send a test
///
/// An event `webhook.test`, delivered as every other.
#[utoipa::path(
    post,
    path = "/api/dev/webhook_registrations/{id}/test",
    operation_id = "testWebhook",
    params(WebhookPath),
    responses(
        (status = 202, description = "It is on its way.", body = CreatedDelivery),
        (status = 400, response = BadRequest),
        (status = 404, response = NotFound),
        (status = 422, response = Unprocessable),
    )
)]
async fn test(
    State(webhooks): State<Webhooks>,
    caller: LegacyCaller,
    Path(id): Path<String>,
    params: Params,
) -> Result<Response, ApiError> {
    params.only(&[])?;
    let made = webhooks.test(&caller.acting, paths::id("id", &id)?).await?;
    Ok((StatusCode::ACCEPTED, axum::Json(CreatedDelivery { delivery: (&made).into() })).into_response())
}

/// The log of a registration
///
/// Every delivery of the last 30 days (or as many as the operator chose) with every try.
#[utoipa::path(
    get,
    path = "/api/dev/webhook_registrations/{id}/deliveries",
    operation_id = "listWebhookDeliveries",
    params(WebhookPath, DeliveryStateQuery, PageParams),
    responses(
        (status = 200, description = "The page.", body = Deliveries),
        (status = 400, response = BadRequest),
        (status = 404, response = NotFound),
        (status = 422, response = Unprocessable),
    )
)]
async fn deliveries(
    State(webhooks): State<Webhooks>,
    caller: LegacyCaller,
    Path(id): Path<String>,
    mut listing: Listing,
) -> Result<Response, ApiError> {
    listing.only(&["status"]);
    let id: WebhookId = paths::id("id", &id)?;
    let known = "use pending, delivered or failed";
    let state: Option<DeliveryState> = listing.read("status", known, |text| text.parse().ok());
    let window = listing.window()?;
    let found = webhooks.deliveries(&caller.acting.workspaces, id, state, window.size, window.offset).await?;
    let deliveries = found.nodes.iter().map(DeliveryView::from).collect();
    Ok(listing.answer(&Deliveries { deliveries }, found.total))
}

/// Send again
///
/// One delivery, or everything that happened in a range of time; each keeps its `webhook-id`.
#[utoipa::path(
    post,
    path = "/api/dev/webhook_registrations/{id}/replay",
    operation_id = "replayWebhook",
    params(WebhookPath),
    request_body = ReplayForm,
    responses(
        (status = 202, description = "How many are on their way.", body = ReplayedAnswer),
        (status = 404, response = NotFound),
        BodyRefusals
    )
)]
async fn replay(
    State(webhooks): State<Webhooks>,
    caller: LegacyCaller,
    Path(id): Path<String>,
    params: Params,
    Json(form): Json<ReplayForm>,
) -> Result<Response, ApiError> {
    params.only(&[])?;
    let id: WebhookId = paths::id("id", &id)?;
    let scope = form.scope();
    let scope = scope.map_err(|error| ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, vec![error]))?;
    let ReplayResult { count } = webhooks.replay(&caller.acting, id, scope).await?;
    Ok((StatusCode::ACCEPTED, axum::Json(ReplayedAnswer { replayed: count })).into_response())
}

impl From<WebhookError> for ApiError {
    fn from(error: WebhookError) -> Self {
        webhook_errors(error).into()
    }
}
