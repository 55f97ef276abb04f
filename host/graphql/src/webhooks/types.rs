//! Webhooks and deliveries, as the schema shows them.

use crate::pages;
use crate::scalars::IsoDateTime;
use async_graphql::{Enum, ID, Object, SimpleObject};
use gateway_webhooks::views::WebhookView;
use gateway_webhooks::{Delivery, DeliveryAttempt, Endpoint};

/// Why nothing is sent to a webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(name = "WebhookDisabledReasonEnum", remote = "gateway_domain_platform::webhooks::Disabled")]
pub(crate) enum WebhookDisabledReason {
    /// Its owner said so.
    Owner,
    /// An operator said so: only an operator enables it again.
    Operator,
    /// It failed for days without one success.
    Failing,
    /// It answered 410: it wants no more.
    Gone,
}

/// How far a delivery is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(name = "WebhookDeliveryStatusEnum", remote = "gateway_domain_platform::webhooks::DeliveryState")]
pub(crate) enum WebhookDeliveryStatus {
    /// It will be tried, now or later.
    Pending,
    /// It has arrived.
    Delivered,
    /// It was tried often enough.
    Failed,
}

/// An address that is told of changes in a workspace.
#[derive(Debug, Clone)]
pub(crate) struct Webhook(WebhookView);

impl From<Endpoint> for Webhook {
    fn from(endpoint: Endpoint) -> Self {
        Self(WebhookView::from(&endpoint))
    }
}

impl From<WebhookView> for Webhook {
    fn from(view: WebhookView) -> Self {
        Self(view)
    }
}

/// An address that is told of changes in a workspace. Reading it needs the permission webhooks.write.
#[Object]
impl Webhook {
    /// Its id.
    async fn id(&self) -> ID {
        self.0.id.to_string().into()
    }

    /// The workspace whose changes it is told.
    async fn workspace_id(&self) -> i64 {
        self.0.workspace_id.0
    }

    /// Where it is told.
    async fn notification_url(&self) -> &str {
        &self.0.notification_url
    }

    /// What it is told, such as `invoice.issued`; empty: everything, also what later releases add.
    async fn events(&self) -> &[&'static str] {
        &self.0.events
    }

    /// Whether anything is sent.
    async fn enabled(&self) -> bool {
        self.0.enabled
    }

    /// Why nothing is sent.
    async fn disabled_reason(&self) -> Option<WebhookDisabledReason> {
        self.0.disabled_reason.map(Into::into)
    }

    /// Since when nothing is sent.
    async fn disabled_at(&self) -> Option<IsoDateTime> {
        self.0.disabled_at.map(Into::into)
    }

    /// Since when every call fails.
    async fn failing_since(&self) -> Option<IsoDateTime> {
        self.0.failing_since.map(Into::into)
    }

    /// When something last arrived.
    async fn last_success_at(&self) -> Option<IsoDateTime> {
        self.0.last_success_at.map(Into::into)
    }

    /// Until then the secret before signs, too.
    async fn old_secret_until(&self) -> Option<IsoDateTime> {
        self.0.old_secret_until.map(Into::into)
    }

    /// When it was registered.
    async fn created_at(&self) -> IsoDateTime {
        self.0.created_at.into()
    }

    /// When its owner last changed it.
    async fn updated_at(&self) -> IsoDateTime {
        self.0.updated_at.into()
    }
}

/// An event on its way to a webhook.
#[derive(Debug, Clone)]
pub(crate) struct WebhookDelivery(pub(crate) Delivery);

/// An event on its way to a webhook, with every try. A line of a log, which is kept for 30 days.
#[Object]
impl WebhookDelivery {
    /// By what it is replayed.
    async fn delivery_id(&self) -> ID {
        self.0.id.to_string().into()
    }

    /// The header `webhook-id`: the same for every try and replay.
    async fn message_id(&self) -> ID {
        self.0.message.to_string().into()
    }

    /// What it tells, such as `invoice.issued`.
    #[graphql(name = "type")]
    async fn event(&self) -> &'static str {
        self.0.event.as_str()
    }

    /// Of two events the one with the greater sequence happened later; null for a test.
    async fn sequence(&self) -> Option<i64> {
        self.0.position
    }

    /// When that happened.
    async fn occurred_at(&self) -> IsoDateTime {
        self.0.time.into()
    }

    /// How far it is.
    async fn status(&self) -> WebhookDeliveryStatus {
        self.0.state.into()
    }

    /// When it is tried next.
    async fn next_attempt_at(&self) -> Option<IsoDateTime> {
        self.0.due_at.map(Into::into)
    }

    /// When it arrived, or was tried for the last time.
    async fn done_at(&self) -> Option<IsoDateTime> {
        self.0.done_at.map(Into::into)
    }

    /// When it was made.
    async fn created_at(&self) -> IsoDateTime {
        self.0.created_at.into()
    }

    /// Every try, the first one first.
    #[graphql(complexity = "pages::short_list_cost(child_complexity)")]
    async fn attempts(&self) -> Vec<WebhookDeliveryAttempt> {
        self.0.attempts.iter().map(WebhookDeliveryAttempt::from).collect()
    }
}

/// One try of a delivery.
#[derive(Debug, Clone, SimpleObject)]
pub(crate) struct WebhookDeliveryAttempt {
    /// When it began.
    at: IsoDateTime,
    /// How long it took, milliseconds.
    duration_ms: i64,
    /// The HTTP status of the answer, if there was one.
    status: Option<i32>,
    /// Why it counts as a failure.
    error: Option<String>,
    /// The beginning of the answer, or what happened.
    answer: String,
}

impl From<&DeliveryAttempt> for WebhookDeliveryAttempt {
    fn from(attempt: &DeliveryAttempt) -> Self {
        Self {
            at: attempt.at.into(),
            duration_ms: attempt.duration_ms,
            status: attempt.status.map(Into::into),
            error: attempt.error.clone(),
            answer: attempt.detail.clone(),
        }
    }
}
