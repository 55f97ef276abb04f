//! What became of deliveries, and sending them again.

use super::{Delivery, WebhookError};
use crate::Webhooks;
use gateway_domain::access::{Acting, Workspaces};
use gateway_domain::ids::{DeliveryId, EventId, WebhookId};
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_lists::{NumberedPage, PageKey};
use gateway_domain_platform::webhooks::{DeliveryState, EventType, body, data};
use gateway_storage::deliveries::{self, Message, NewDelivery};
use gateway_storage::{events, webhooks};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value};

/// Most events that are replayed at once.
pub const REPLAY_EVENTS_MAX: i64 = 10_000;

/// What is sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplayResult {
    /// How many events.
    pub count: usize,
}

/// What shall be sent again, as a caller names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplayScope<D = DeliveryId, T = Timestamp> {
    /// One delivery.
    Delivery(D),
    /// What happened from an instant to another, which is now unless given.
    Range(T, Option<T>),
}

impl<D, T> ReplayScope<D, T> {
    /// What is meant by the members that were given.
    ///
    /// # Errors
    /// The member that is missing or too much.
    pub fn of(delivery: Option<D>, from: Option<T>, to: Option<T>) -> Result<Self, FieldError> {
        match (delivery, from, to) {
            (Some(delivery), None, None) => Ok(Self::Delivery(delivery)),
            (None, Some(from), to) => Ok(Self::Range(from, to)),
            (Some(_), ..) => {
                let message = "name a delivery or a range of time, not both";
                Err(FieldError::new("delivery_id", ErrorCode::NotTogether, message))
            }
            (None, None, _) => {
                let message = "name a delivery, or a range of time (from, to)";
                Err(FieldError::new("delivery_id", ErrorCode::Required, message))
            }
        }
    }
}

/// What was sent again, as the audit trail keeps it.
#[derive(Serialize)]
#[serde(untagged)]
enum ReplayAudit {
    Delivery { delivery_id: DeliveryId },
    Range { from: Timestamp, to: Timestamp, events: usize },
}

impl Webhooks {
    /// Deliveries of a webhook with every try, the newest first.
    pub async fn deliveries(
        &self,
        visible: &Workspaces,
        id: WebhookId,
        state: Option<DeliveryState>,
        limit: i64,
        skip: i64,
    ) -> Result<NumberedPage<Delivery>, WebhookError> {
        if webhooks::find(self.db(), visible, id).await?.is_none() {
            return Err(WebhookError::no_webhook(id));
        }
        let nodes = deliveries::log(self.db(), id, state, limit, skip).await?;
        Ok(NumberedPage { nodes, total: deliveries::count(self.db(), id, state).await? })
    }

    /// The same behind a place of the log, as pages that follow each other.
    pub async fn deliveries_behind(
        &self,
        visible: &Workspaces,
        id: WebhookId,
        state: Option<DeliveryState>,
        place: Option<PageKey>,
        limit: i64,
    ) -> Result<Vec<Delivery>, WebhookError> {
        if webhooks::find(self.db(), visible, id).await?.is_none() {
            return Err(WebhookError::no_webhook(id));
        }
        Ok(deliveries::log_behind(self.db(), id, state, place, limit).await?)
    }

    /// How many deliveries of a webhook all pages have together.
    pub async fn deliveries_count(
        &self,
        visible: &Workspaces,
        id: WebhookId,
        state: Option<DeliveryState>,
    ) -> Result<i64, WebhookError> {
        if webhooks::find(self.db(), visible, id).await?.is_none() {
            return Err(WebhookError::no_webhook(id));
        }
        Ok(deliveries::count(self.db(), id, state).await?)
    }

    /// Sends again what a caller names.
    pub async fn replay(
        &self,
        acting: &Acting,
        id: WebhookId,
        scope: ReplayScope,
    ) -> Result<ReplayResult, WebhookError> {
        match scope {
            ReplayScope::Delivery(delivery) => self.replay_delivery(acting, id, delivery).await,
            ReplayScope::Range(from, to) => {
                self.replay_range(acting, id, (from, to.unwrap_or_else(|| self.now()))).await
            }
        }
    }

    /// Sends a `webhook.test`, whatever the filter says.
    pub async fn test(&self, acting: &Acting, id: WebhookId) -> Result<Delivery, WebhookError> {
        let mut tx = self.db().begin().await?;
        let endpoint = self.own(&mut tx, acting, id).await?;
        if endpoint.disabled.is_some() {
            return Err(disabled());
        }
        let workspace = endpoint.workspace;
        let now = self.now();
        let head = events::head(&mut tx).await?;
        let data = data(EventType::Test, id.0, workspace, head, &Value::Object(Map::new()));
        let message = Message {
            id: EventId(self.ids().next()),
            workspace,
            event: EventType::Test,
            position: None,
            time: now,
            body: body(EventType::Test, now, &data),
        };
        let new = NewDelivery { id: DeliveryId(self.ids().next()), endpoint: id, message: message.id };
        deliveries::put_messages(&mut tx, &[message], now).await?;
        deliveries::put(&mut tx, &[new], now).await?;
        webhooks::wake(&mut tx, &[id], now, true).await?;
        let made = deliveries::find(&mut tx, id, new.id).await?.ok_or_else(|| no_delivery(new.id))?;
        tx.commit_at("webhook-tested").await?;
        Ok(made)
    }

    /// Sends one delivery again, from the first try on, under the same `webhook-id`.
    pub async fn replay_delivery(
        &self,
        acting: &Acting,
        id: WebhookId,
        delivery: DeliveryId,
    ) -> Result<ReplayResult, WebhookError> {
        let mut tx = self.db().begin().await?;
        if self.own(&mut tx, acting, id).await?.disabled.is_some() {
            return Err(disabled());
        }
        let now = self.now();
        if !deliveries::replay(&mut tx, id, delivery, now).await? {
            return Err(no_delivery(delivery));
        }
        webhooks::wake(&mut tx, &[id], now, true).await?;
        let data = ReplayAudit::Delivery { delivery_id: delivery };
        self.record_audit(&mut tx, &acting.actor, "webhook.replay", id, &data).await?;
        tx.commit_at("delivery-replayed").await?;
        Ok(ReplayResult { count: 1 })
    }

    /// Sends everything again that happened from `from` to `to`, both included, and that the webhook wants now, also what
    /// it was not told at the time. Each event keeps its `webhook-id`.
    pub async fn replay_range(
        &self,
        acting: &Acting,
        id: WebhookId,
        (from, to): (Timestamp, Timestamp),
    ) -> Result<ReplayResult, WebhookError> {
        if to < from {
            return Err(WebhookError::invalid("to", ErrorCode::EndBeforeStart, "is before from"));
        }
        let mut tx = self.db().begin().await?;
        let endpoint = self.own(&mut tx, acting, id).await?;
        if endpoint.disabled.is_some() {
            return Err(disabled());
        }
        let event_names = endpoint.events.subscribed_names();
        let found = deliveries::in_range(
            &mut tx,
            (id, endpoint.workspace),
            (from, to),
            &event_names,
            REPLAY_EVENTS_MAX + 1,
        )
        .await?;
        if found.len() > usize::try_from(REPLAY_EVENTS_MAX).unwrap_or(usize::MAX) {
            let message = format!("more than {REPLAY_EVENTS_MAX} events happened then: replay them in parts");
            return Err(WebhookError::invalid("to", ErrorCode::OutOfRange, message));
        }
        let now = self.now();
        let again: Vec<_> = found.iter().filter_map(|(_, delivery)| *delivery).collect();
        let missed: Vec<_> = found.iter().filter(|(_, delivery)| delivery.is_none()).collect();
        let new: Vec<_> = missed
            .into_iter()
            .map(|(message, _)| NewDelivery {
                id: DeliveryId(self.ids().next()),
                endpoint: id,
                message: *message,
            })
            .collect();
        deliveries::put(&mut tx, &new, now).await?;
        deliveries::replay_all(&mut tx, &again, now).await?;
        if !found.is_empty() {
            webhooks::wake(&mut tx, &[id], now, true).await?;
        }
        let data = ReplayAudit::Range { from, to, events: found.len() };
        self.record_audit(&mut tx, &acting.actor, "webhook.replay", id, &data).await?;
        tx.commit_at("range-replayed").await?;
        Ok(ReplayResult { count: found.len() })
    }
}

fn disabled() -> WebhookError {
    WebhookError::invalid(
        "enabled",
        ErrorCode::WebhookDisabled,
        "nothing is sent to a disabled webhook: enable it first",
    )
}

fn no_delivery(id: DeliveryId) -> WebhookError {
    WebhookError::NotFound { what: "delivery", field: "delivery_id", id: id.to_string() }
}
