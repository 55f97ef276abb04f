//! Webhooks, managed with a bearer token: what `legacy/webhooks.rs` does for older integrations, for all workspaces of a
//! client.

mod forms;

pub(crate) use forms::{ChangeForm, ReplayForm, ReplayedAnswer, webhook_errors};

use crate::PublicState;
use axum::Extension;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use gateway_domain::ErrorCode;
use gateway_domain::access::{Acting, Permission, Workspaces};
use gateway_domain::ids::{WebhookId, WorkspaceId};
use gateway_domain_platform::webhooks::{DeliveryState, NoticeAccess};
use gateway_http::limits::{self, Limits};
use gateway_http::openapi::{
    BadRequest, BodyRefusals, Forbidden, Listener, NotFound, Surface, TooManyRequests, Unauthorised,
    Unprocessable,
};
use gateway_http::query::WindowQuery;
use gateway_http::{ApiErrors, Authenticated, Json, Needs, Params, refuse};
use gateway_webhooks::Webhooks;
use gateway_webhooks::views::{DeliveryView, EventName, WebhookSecretView, WebhookView};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

fn routes() -> OpenApiRouter<PublicState> {
    OpenApiRouter::new()
        .routes(routes!(list, register))
        .routes(routes!(show, change, remove))
        .routes(routes!(rotate_secret))
        .routes(routes!(test))
        .routes(routes!(deliveries))
        .routes(routes!(replay))
}

/// The routes, for clients that may use them as often as they may.
pub(super) fn router(state: &PublicState) -> OpenApiRouter<PublicState> {
    routes()
        .layer(from_fn_with_state(state.clone(), limited))
        .layer(Extension(Needs(&[Permission::WebhooksWrite])))
}

/// What they are described by.
pub(super) fn surface() -> Surface {
    let about = "Where a client wants to be told of changes in its workspaces. Calls are signed as Standard Webhooks has it \
                 (`webhook-id`, `webhook-timestamp`, `webhook-signature`), repeated for days when they fail, and logged for 30 \
                 days; they name ids and states, not contents. A webhook is told what happens after its registration.";
    let surface = Surface::new(Listener::Public, "Webhooks", about, routes().into_openapi())
        .behind_a_token(Some("webhooks.write"))
        .answers::<Unauthorised>(401)
        .answers::<Forbidden>(403)
        .answers::<TooManyRequests>(429)
        .fails();
    limits::headers().into_iter().fold(surface, |surface, (name, header)| surface.header(name, &header))
}

/// Lets a client through as often as it may ask, and tells it how often that is.
async fn limited(
    State(limits): State<Arc<Limits>>,
    caller: Authenticated,
    request: Request,
    next: Next,
) -> Response {
    limits.take(&caller.0.client).enforce(next.run(request)).await
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ManagedWebhookList)]
struct ManagedList {
    webhooks: Vec<WebhookView>,
    /// How many there are, listed or not.
    #[schema(examples(1))]
    total: i64,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ManagedWebhookAnswer)]
struct ManagedAnswer {
    webhook: WebhookView,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ManagedWebhookWithSecretAnswer)]
struct ManagedSecretAnswer {
    webhook: WebhookSecretView,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ManagedDeliveryAnswer)]
struct DeliveryAnswer {
    delivery: DeliveryView,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ManagedDeliveryList)]
struct DeliveryList {
    deliveries: Vec<DeliveryView>,
    /// How many there are, listed or not.
    #[schema(examples(1))]
    total: i64,
}

/// The webhook of the path.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
#[expect(dead_code, reason = "describes a parameter")]
struct WebhookPath {
    /// The webhook.
    #[param(format = Uuid, min_length = 36, max_length = 36, example = "0197f4f2-0000-7000-8000-0000000000e5")]
    id: String,
}

fn webhook(id: &str) -> Result<WebhookId, ApiErrors> {
    id.parse().map_err(|_| {
        refuse(StatusCode::BAD_REQUEST, "id", ErrorCode::InvalidFormat, "a webhook id is a UUID")
    })
}

/// The webhooks of the client's workspaces
///
/// Without their secrets.
#[utoipa::path(
    get,
    path = "/v1/webhooks",
    operation_id = "listManagedWebhooks",
    params(WindowQuery, ("workspace_id" = inline(Option<i64>), Query, description = "Only those of this workspace.", example = 1)),
    responses(
        (status = 200, description = "Some of them.", body = ManagedList),
        (status = 422, response = Unprocessable),
    )
)]
async fn list(
    State(webhooks): State<Webhooks>,
    caller: Authenticated,
    params: Params,
) -> Result<axum::Json<ManagedList>, ApiErrors> {
    params.only(&["limit", "offset", "workspace_id"])?;
    let WindowQuery { limit, offset } = WindowQuery::read(&params)?;
    let workspace: Option<i64> =
        params.parse("workspace_id", "use the number of a workspace", |text| text.parse().ok())?;
    let visible = match workspace.map(WorkspaceId) {
        None => caller.0.workspaces,
        Some(one) if caller.0.workspaces.contain(one) => Workspaces::Only(vec![one]),
        Some(_) => Workspaces::Only(Vec::new()),
    };
    let found = webhooks.all(&visible, limit, offset).await.map_err(ApiErrors::internal)?;
    let webhooks = found.nodes.iter().map(|(endpoint, _)| endpoint.into()).collect();
    Ok(axum::Json(ManagedList { webhooks, total: found.total }))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ManagedWebhookForm)]
struct RegisterForm {
    /// Whose changes are told. May be left out by a client of one workspace.
    #[serde(default)]
    #[schema(required = false, minimum = 1, examples(1))]
    workspace_id: Option<i64>,
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

/// Register a webhook
///
/// It is told what happens from now on. Targets inside (private, loopback, link-local addresses and the like) are refused unless the gateway is configured to allow them; a workspace has at most 100.
#[utoipa::path(
    post,
    path = "/v1/webhooks",
    operation_id = "createManagedWebhook",
    request_body = RegisterForm,
    responses(
        (status = 201, description = "It is registered. The secret is shown this once.", body = ManagedSecretAnswer),
        (status = 404, response = NotFound),
        BodyRefusals
    )
)]
async fn register(
    State(webhooks): State<Webhooks>,
    caller: Authenticated,
    params: Params,
    Json(form): Json<RegisterForm>,
) -> Result<Response, ApiErrors> {
    params.only(&[])?;
    let acting = Acting::from(&caller.0);
    let workspace =
        webhooks.workspace_of(&acting, form.workspace_id.map(WorkspaceId)).map_err(webhook_errors)?;
    let events = (form.events.as_slice(), NoticeAccess::from(&caller.0));
    let registered = webhooks.register(&acting, workspace, &form.notification_url, events).await;
    let (endpoint, secret) = registered.map_err(webhook_errors)?;
    let webhook = WebhookSecretView::new(&endpoint, &secret);
    Ok((StatusCode::CREATED, axum::Json(ManagedSecretAnswer { webhook })).into_response())
}

/// A webhook
///
/// With how it fares.
#[utoipa::path(
    get,
    path = "/v1/webhooks/{id}",
    operation_id = "getManagedWebhook",
    params(WebhookPath),
    responses(
        (status = 200, description = "The webhook.", body = ManagedAnswer),
        (status = 400, response = BadRequest),
        (status = 404, response = NotFound),
        (status = 422, response = Unprocessable),
    )
)]
async fn show(
    State(webhooks): State<Webhooks>,
    caller: Authenticated,
    Path(id): Path<String>,
    params: Params,
) -> Result<axum::Json<ManagedAnswer>, ApiErrors> {
    params.only(&[])?;
    let endpoint = webhooks.find(&Acting::from(&caller.0), webhook(&id)?).await.map_err(webhook_errors)?;
    Ok(axum::Json(ManagedAnswer { webhook: (&endpoint).into() }))
}

/// Change what a webhook is told, or whether
///
/// Members that are not sent stay. Enabling takes up again what was disabled after long failure.
#[utoipa::path(
    patch,
    path = "/v1/webhooks/{id}",
    operation_id = "setManagedWebhook",
    params(WebhookPath),
    request_body = ChangeForm,
    responses(
        (status = 200, description = "The webhook.", body = ManagedAnswer),
        (status = 404, response = NotFound),
        BodyRefusals
    )
)]
async fn change(
    State(webhooks): State<Webhooks>,
    caller: Authenticated,
    Path(id): Path<String>,
    params: Params,
    Json(form): Json<ChangeForm>,
) -> Result<axum::Json<ManagedAnswer>, ApiErrors> {
    params.only(&[])?;
    let (acting, id) = (Acting::from(&caller.0), webhook(&id)?);
    let change = form.change(NoticeAccess::from(&caller.0));
    let changed = webhooks.change(&acting, id, &change).await;
    Ok(axum::Json(ManagedAnswer { webhook: (&changed.map_err(webhook_errors)?).into() }))
}

/// Delete a webhook
///
/// Nothing is sent any more, and its log is gone.
#[utoipa::path(
    delete,
    path = "/v1/webhooks/{id}",
    operation_id = "deleteManagedWebhook",
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
    caller: Authenticated,
    Path(id): Path<String>,
    params: Params,
) -> Result<StatusCode, ApiErrors> {
    params.only(&[])?;
    let (acting, id) = (Acting::from(&caller.0), webhook(&id)?);
    webhooks.delete(&acting, id).await.map_err(webhook_errors)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Give a webhook another secret
///
/// For 24 hours, or until the next rotation, both sign.
#[utoipa::path(
    post,
    path = "/v1/webhooks/{id}/rotate_secret",
    operation_id = "rotateManagedWebhookSecret",
    params(WebhookPath),
    responses(
        (status = 200, description = "The webhook with its new secret, shown this once.", body = ManagedSecretAnswer),
        (status = 400, response = BadRequest),
        (status = 404, response = NotFound),
        (status = 422, response = Unprocessable),
    )
)]
async fn rotate_secret(
    State(webhooks): State<Webhooks>,
    caller: Authenticated,
    Path(id): Path<String>,
    params: Params,
) -> Result<axum::Json<ManagedSecretAnswer>, ApiErrors> {
    params.only(&[])?;
    let (acting, id) = (Acting::from(&caller.0), webhook(&id)?);
    let (endpoint, secret) = webhooks.rotate_secret(&acting, id).await.map_err(webhook_errors)?;
    let webhook = WebhookSecretView::new(&endpoint, &secret);
    Ok(axum::Json(ManagedSecretAnswer { webhook }))
}

/// Send a test
///
/// An event `webhook.test`, delivered as every other.
#[utoipa::path(
    post,
    path = "/v1/webhooks/{id}/test",
    operation_id = "testManagedWebhook",
    params(WebhookPath),
    responses(
        (status = 202, description = "It is on its way.", body = DeliveryAnswer),
        (status = 400, response = BadRequest),
        (status = 404, response = NotFound),
        (status = 422, response = Unprocessable),
    )
)]
async fn test(
    State(webhooks): State<Webhooks>,
    caller: Authenticated,
    Path(id): Path<String>,
    params: Params,
) -> Result<Response, ApiErrors> {
    params.only(&[])?;
    let (acting, id) = (Acting::from(&caller.0), webhook(&id)?);
    let sent = webhooks.test(&acting, id).await.map_err(webhook_errors)?;
    Ok((StatusCode::ACCEPTED, axum::Json(DeliveryAnswer { delivery: (&sent).into() })).into_response())
}

/// The log of a webhook
///
/// Every delivery of the last 30 days (or as many as the operator chose) with every try.
#[utoipa::path(
    get,
    path = "/v1/webhooks/{id}/deliveries",
    operation_id = "listManagedWebhookDeliveries",
    params(WebhookPath, WindowQuery, ("status" = inline(Option<DeliveryState>), Query, description = "Only those in this state.")),
    responses(
        (status = 200, description = "Some of them.", body = DeliveryList),
        (status = 400, response = BadRequest),
        (status = 404, response = NotFound),
        (status = 422, response = Unprocessable),
    )
)]
async fn deliveries(
    State(webhooks): State<Webhooks>,
    caller: Authenticated,
    Path(id): Path<String>,
    params: Params,
) -> Result<axum::Json<DeliveryList>, ApiErrors> {
    params.only(&["limit", "offset", "status"])?;
    let known = "use pending, delivered or failed";
    let state: Option<DeliveryState> = params.parse("status", known, |text| text.parse().ok())?;
    let WindowQuery { limit, offset } = WindowQuery::read(&params)?;
    let (acting, id) = (Acting::from(&caller.0), webhook(&id)?);
    let found =
        webhooks.deliveries(&acting.workspaces, id, state, limit, offset).await.map_err(webhook_errors)?;
    let deliveries = found.nodes.iter().map(DeliveryView::from).collect();
    Ok(axum::Json(DeliveryList { deliveries, total: found.total }))
}

/// Send again
///
/// One delivery, or everything that happened in a range of time; each keeps its `webhook-id`.
#[utoipa::path(
    post,
    path = "/v1/webhooks/{id}/replay",
    operation_id = "replayManagedWebhook",
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
    caller: Authenticated,
    Path(id): Path<String>,
    params: Params,
    Json(form): Json<ReplayForm>,
) -> Result<Response, ApiErrors> {
    params.only(&[])?;
    let (acting, id) = (Acting::from(&caller.0), webhook(&id)?);
    let scope = form.scope();
    let scope = scope.map_err(|error| ApiErrors::new(StatusCode::UNPROCESSABLE_ENTITY, vec![error]))?;
    let replayed = webhooks.replay(&acting, id, scope).await.map_err(webhook_errors)?;
    Ok((StatusCode::ACCEPTED, axum::Json(ReplayedAnswer { replayed: replayed.count })).into_response())
}
