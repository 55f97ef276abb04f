//! Webhooks and deliveries as their owners and operators see them, on the command line and over HTTP alike.

use crate::{Delivery, Endpoint};
use gateway_domain::ids::{DeliveryId, EventId, WebhookId, WorkspaceId};
use gateway_domain_platform::webhooks::{DeliveryState, Disabled, EventType};
use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use std::borrow::Cow;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

/// A webhook of a customer, without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Webhook)]
pub struct WebhookView {
    #[schema(value_type = Uuid, examples("0197f4f2-0000-7000-8000-0000000000e5"))]
    pub id: WebhookId,
    /// Whose changes it is told.
    #[schema(value_type = i64, examples(1))]
    pub workspace_id: WorkspaceId,
    /// Where it is told.
    #[schema(examples("https://hooks.example/gateway"))]
    pub notification_url: String,
    /// What it is told; empty: everything but notices.
    #[schema(value_type = Vec<EventName>)]
    pub events: Vec<&'static str>,
    /// Whether anything is sent.
    #[schema(examples(true))]
    pub enabled: bool,
    /// Why nothing is sent.
    #[schema(required)]
    pub disabled_reason: Option<Disabled>,
    /// Since when.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub disabled_at: Option<Timestamp>,
    /// Since when every call fails.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub failing_since: Option<Timestamp>,
    /// When something last arrived.
    #[schema(required, value_type = Option<String>, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    pub last_success_at: Option<Timestamp>,
    /// Until then the secret before signs, too.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub old_secret_until: Option<Timestamp>,
    /// When it was registered.
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    pub created_at: Timestamp,
    /// When its owner last changed it.
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    pub updated_at: Timestamp,
}

impl From<&Endpoint> for WebhookView {
    fn from(endpoint: &Endpoint) -> Self {
        let (disabled_reason, disabled_at) = endpoint.disabled.unzip();
        Self {
            id: endpoint.id,
            workspace_id: endpoint.workspace,
            notification_url: endpoint.url.clone(),
            events: endpoint.events.names(),
            enabled: endpoint.disabled.is_none(),
            disabled_reason,
            disabled_at,
            failing_since: endpoint.health.failing_since,
            last_success_at: endpoint.succeeded_at,
            old_secret_until: endpoint.old_secret.as_ref().map(|(_, until)| *until),
            created_at: endpoint.created_at,
            updated_at: endpoint.updated_at,
        }
    }
}

/// The name of an event that a webhook may ask for: every one but the test, which is sent whatever it asks for.
#[derive(Debug, Clone, Copy)]
pub struct EventName;

impl PartialSchema for EventName {
    fn schema() -> RefOr<Schema> {
        let names =
            EventType::ALL.iter().filter(|event| **event != EventType::Test).map(|event| event.as_str());
        let about = "The name of an event; later releases may add some.";
        let text = ObjectBuilder::new().schema_type(Type::String).description(Some(about));
        text.enum_values(Some(names)).into()
    }
}

impl ToSchema for EventName {
    fn name() -> Cow<'static, str> {
        "WebhookEventName".into()
    }
}

/// A webhook with a fresh secret: the one time it is shown.
#[derive(Clone, Serialize, ToSchema)]
#[schema(as = WebhookWithSecret)]
pub struct WebhookSecretView {
    #[serde(flatten)]
    webhook: WebhookView,
    /// Signs every call (Standard Webhooks); shown this once.
    #[schema(pattern = "^whsec_[A-Za-z0-9+/]+=*$", examples("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))]
    secret: String,
}

impl WebhookSecretView {
    /// The secret is shown by this view alone.
    pub fn new(endpoint: &Endpoint, secret: &SecretString) -> Self {
        Self { webhook: endpoint.into(), secret: secret.expose_secret().to_owned() }
    }

    /// The webhook.
    pub const fn webhook(&self) -> &WebhookView {
        &self.webhook
    }

    /// Signs every call; for the one answer that shows it.
    pub fn secret(&self) -> &str {
        &self.secret
    }
}

impl std::fmt::Debug for WebhookSecretView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebhookSecretView").field("webhook", &self.webhook).finish_non_exhaustive()
    }
}

/// A webhook as operators see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = OperatedWebhook)]
pub struct OperatedWebhookView {
    #[serde(flatten)]
    webhook: WebhookView,
    /// Calls that failed one after another.
    #[schema(examples(0))]
    failures: i64,
    /// Deliveries that wait.
    #[schema(examples(0))]
    backlog: i64,
}

impl OperatedWebhookView {
    /// A webhook for which so many deliveries wait.
    pub fn new(endpoint: &Endpoint, backlog: i64) -> Self {
        Self { webhook: endpoint.into(), failures: endpoint.health.failures.into(), backlog }
    }
}

/// An event on its way to a webhook, with every try.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Delivery)]
pub struct DeliveryView {
    #[schema(value_type = Uuid, examples("0197f4f2-0000-7000-8000-0000000000e6"))]
    id: DeliveryId,
    /// The header `webhook-id`: the same for every try and replay.
    #[schema(value_type = String, examples("0197f4f2-0000-7000-8000-0000000000e7"))]
    webhook_id: EventId,
    /// What it tells.
    r#type: EventType,
    /// Of two events the one with the greater sequence happened later.
    #[schema(required, examples(7))]
    sequence: Option<i64>,
    /// When that happened.
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    occurred_at: Timestamp,
    status: DeliveryState,
    /// When it is tried next.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    next_attempt_at: Option<Timestamp>,
    /// When it arrived, or was tried for the last time.
    #[schema(required, value_type = Option<String>, format = DateTime, examples("2026-11-20T09:00:01Z"))]
    done_at: Option<Timestamp>,
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    created_at: Timestamp,
    /// Every try.
    attempts: Vec<DeliveryAttemptView>,
}

/// One try of a delivery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = DeliveryAttempt)]
pub struct DeliveryAttemptView {
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:01Z"))]
    at: Timestamp,
    #[schema(examples(41))]
    duration_ms: i64,
    /// What the target answered.
    #[schema(required, examples(204))]
    status: Option<u16>,
    /// Why it counts as a failure.
    #[schema(required)]
    error: Option<String>,
    /// The beginning of its answer.
    #[schema(value_type = Option<String>, required)]
    answer: String,
}

impl From<&Delivery> for DeliveryView {
    fn from(delivery: &Delivery) -> Self {
        let attempts = delivery.attempts.iter().map(|attempt| DeliveryAttemptView {
            at: attempt.at,
            duration_ms: attempt.duration_ms,
            status: attempt.status,
            error: attempt.error.clone(),
            answer: attempt.detail.clone(),
        });
        Self {
            id: delivery.id,
            webhook_id: delivery.message,
            r#type: delivery.event,
            sequence: delivery.position,
            occurred_at: delivery.time,
            status: delivery.state,
            next_attempt_at: delivery.due_at,
            done_at: delivery.done_at,
            created_at: delivery.created_at,
            attempts: attempts.collect(),
        }
    }
}
