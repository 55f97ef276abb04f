//! Webhook registrations: where a workspace wants to be told of changes, and what became of it.

use super::caller::Portal;
use super::errors::ApiError;
use super::errors::refuse;
use super::pages::Listing;
use super::read;
use crate::PublicApi;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use gateway_domain::ids::WebhookId;
use gateway_domain::ports::Clock;
use gateway_domain::webhooks::DeliveryState;
use gateway_domain::{ErrorCode, FieldError};
use gateway_http::Json;
use gateway_http::Params;
use gateway_webhooks::views;
use gateway_webhooks::{Replayed, WebhookChange, WebhookError, Webhooks};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) fn router() -> Router<PublicApi> {
    Router::new()
        .route("/api/dev/webhook_registrations", get(list).post(register))
        .route("/api/dev/webhook_registrations/{id}", get(show).patch(change).delete(remove))
        .route("/api/dev/webhook_registrations/{id}/rotate_secret", post(rotate_secret))
        .route("/api/dev/webhook_registrations/{id}/test", post(test))
        .route("/api/dev/webhook_registrations/{id}/deliveries", get(deliveries))
        .route("/api/dev/webhook_registrations/{id}/replay", post(replay))
}

async fn list(
    State(webhooks): State<Webhooks>,
    portal: Portal,
    mut listing: Listing,
) -> Result<Response, ApiError> {
    listing.only(&[]);
    let window = listing.window()?;
    let found = webhooks.list(&portal.acting, portal.workspace, window.size, window.offset).await?;
    let shown: Vec<_> = found.nodes.iter().map(views::webhook).collect();
    Ok(listing.answer(&json!({ "webhook_registrations": shown }), found.total))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RegisterForm {
    notification_url: String,
    #[serde(default)]
    events: Vec<String>,
}

/// The one answer that shows the secret, but for its rotation.
async fn register(
    State(webhooks): State<Webhooks>,
    portal: Portal,
    params: Params,
    Json(form): Json<RegisterForm>,
) -> Result<Response, ApiError> {
    params.only(&[])?;
    let Portal { workspace, acting, .. } = portal;
    let (endpoint, secret) =
        webhooks.register(&acting, workspace, &form.notification_url, &form.events).await?;
    Ok((StatusCode::CREATED, axum::Json(with_secret(views::webhook(&endpoint), &secret))).into_response())
}

fn with_secret(mut shown: Value, secret: &SecretString) -> Value {
    if let Value::Object(members) = &mut shown {
        members.insert("secret".to_owned(), json!(secret.expose_secret()));
    }
    json!({ "webhook_registration": shown })
}

async fn show(
    State(webhooks): State<Webhooks>,
    portal: Portal,
    Path(id): Path<String>,
    params: Params,
) -> Result<axum::Json<Value>, ApiError> {
    params.only(&[])?;
    let endpoint = webhooks.find(&portal.acting, portal.workspace, read::id("id", &id)?).await?;
    Ok(axum::Json(json!({ "webhook_registration": views::webhook(&endpoint) })))
}

/// Members that are not sent stay as they are.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChangeForm {
    #[serde(default)]
    events: Option<Vec<String>>,
    #[serde(default)]
    enabled: Option<bool>,
}

async fn change(
    State(webhooks): State<Webhooks>,
    portal: Portal,
    Path(id): Path<String>,
    params: Params,
    Json(form): Json<ChangeForm>,
) -> Result<axum::Json<Value>, ApiError> {
    params.only(&[])?;
    let id = read::id("id", &id)?;
    let change = WebhookChange { events: form.events, enabled: form.enabled };
    let endpoint = webhooks.change(&portal.acting, portal.workspace, id, &change).await?;
    Ok(axum::Json(json!({ "webhook_registration": views::webhook(&endpoint) })))
}

async fn remove(
    State(webhooks): State<Webhooks>,
    portal: Portal,
    Path(id): Path<String>,
    params: Params,
) -> Result<StatusCode, ApiError> {
    params.only(&[])?;
    webhooks.delete(&portal.acting, portal.workspace, read::id("id", &id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn rotate_secret(
    State(webhooks): State<Webhooks>,
    portal: Portal,
    Path(id): Path<String>,
    params: Params,
) -> Result<axum::Json<Value>, ApiError> {
    params.only(&[])?;
    let id = read::id("id", &id)?;
    let (endpoint, secret) = webhooks.rotate_secret(&portal.acting, portal.workspace, id).await?;
    Ok(axum::Json(with_secret(views::webhook(&endpoint), &secret)))
}

async fn test(
    State(webhooks): State<Webhooks>,
    portal: Portal,
    Path(id): Path<String>,
    params: Params,
) -> Result<Response, ApiError> {
    params.only(&[])?;
    let made = webhooks.test(&portal.acting, portal.workspace, read::id("id", &id)?).await?;
    Ok((StatusCode::ACCEPTED, axum::Json(json!({ "delivery": views::delivery(&made) }))).into_response())
}

async fn deliveries(
    State(webhooks): State<Webhooks>,
    portal: Portal,
    Path(id): Path<String>,
    mut listing: Listing,
) -> Result<Response, ApiError> {
    listing.only(&["status"]);
    let id: WebhookId = read::id("id", &id)?;
    let known = "use pending, delivered or failed";
    let state: Option<DeliveryState> = listing.read("status", known, |text| text.parse().ok());
    let (window, Portal { workspace, acting, .. }) = (listing.window()?, portal);
    let found = webhooks.deliveries(&acting, workspace, id, state, window.size, window.offset).await?;
    let shown: Vec<_> = found.nodes.iter().map(views::delivery).collect();
    Ok(listing.answer(&json!({ "deliveries": shown }), found.total))
}

/// One delivery, or what happened from one instant to another, which is now unless given.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReplayForm {
    #[serde(default)]
    delivery_id: Option<String>,
    #[serde(default)]
    from: Option<String>,
    #[serde(default)]
    to: Option<String>,
}

async fn replay(
    State(webhooks): State<Webhooks>,
    State(clock): State<Arc<dyn Clock>>,
    portal: Portal,
    Path(id): Path<String>,
    params: Params,
    Json(form): Json<ReplayForm>,
) -> Result<Response, ApiError> {
    params.only(&[])?;
    let id: WebhookId = read::id("id", &id)?;
    let Portal { workspace, acting, .. } = portal;
    let wrong = |field: &str, code: ErrorCode, message: &str| {
        refuse(StatusCode::UNPROCESSABLE_ENTITY, field, code, message)
    };
    let instant = |field: &str, text: &str| {
        read::instant(text).ok_or_else(|| wrong(field, ErrorCode::InvalidFormat, read::INSTANT))
    };
    let Replayed { count } = match (form.delivery_id, form.from, form.to) {
        (Some(delivery), None, None) => {
            let delivery = read::uuid(&delivery)
                .ok_or_else(|| wrong("delivery_id", ErrorCode::InvalidFormat, read::ID))?;
            webhooks.replay_delivery(&acting, workspace, id, delivery.into()).await?
        }
        (None, Some(from), to) => {
            let from = instant("from", &from)?;
            let to = to.map_or_else(|| Ok(clock.now()), |to| instant("to", &to))?;
            webhooks.replay_range(&acting, workspace, id, (from, to)).await?
        }
        (Some(_), ..) => {
            let sentence = "name a delivery or a range of time, not both";
            return Err(wrong("delivery_id", ErrorCode::NotTogether, sentence));
        }
        (None, None, _) => {
            let sentence = "name a delivery (delivery_id), or a range of time (from, to)";
            return Err(wrong("delivery_id", ErrorCode::Required, sentence));
        }
    };
    Ok((StatusCode::ACCEPTED, axum::Json(json!({ "replayed": count }))).into_response())
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
