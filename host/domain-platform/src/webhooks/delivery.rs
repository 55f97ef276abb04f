//! Where webhooks go, and what became of them.

use super::{DeliveryState, Disabled, EventFilter, EventType, Health};
use gateway_domain::ids::{DeliveryId, EventId, WebhookId, WorkspaceId};
use jiff::Timestamp;
use std::fmt;

/// An endpoint. Its `Debug` shows no secrets.
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Made by the gateway when the endpoint was registered.
    pub id: WebhookId,
    /// Whose.
    pub workspace: WorkspaceId,
    /// Where.
    pub url: String,
    /// What it is told.
    pub events: EventFilter,
    /// The envelope of the secret.
    pub secret: Vec<u8>,
    /// The envelope of the one before, and until when it signs too.
    pub old_secret: Option<(Vec<u8>, Timestamp)>,
    /// Why and since when nothing is sent.
    pub disabled: Option<(Disabled, Timestamp)>,
    /// How it fares.
    pub health: Health,
    /// When something last arrived.
    pub succeeded_at: Option<Timestamp>,
    /// Only what is behind this place of the feed is told.
    pub from_position: i64,
    /// When it was registered.
    pub created_at: Timestamp,
    /// When its owner last changed it.
    pub updated_at: Timestamp,
}

/// An endpoint that is told nothing any more, because of how it answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenUp {
    /// The registration stays, disabled.
    pub id: WebhookId,
    /// The workspace that is not told any more.
    pub workspace: WorkspaceId,
    /// Where nothing is sent.
    pub url: String,
    /// How it answered; never that somebody switched it off.
    pub why: Disabled,
    /// When it was disabled.
    pub since: Timestamp,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("id", &self.id)
            .field("workspace", &self.workspace)
            .field("url", &self.url)
            .field("disabled", &self.disabled)
            .field("health", &self.health)
            .finish_non_exhaustive()
    }
}

/// A delivery as its log shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// Of this delivery alone: every endpoint that is told of one event has its own.
    pub id: DeliveryId,
    /// To whom.
    pub endpoint: WebhookId,
    /// `webhook-id`.
    pub message: EventId,
    /// What it tells.
    pub event: EventType,
    /// The place in the feed of what it tells; none for a test.
    pub position: Option<i64>,
    /// When that happened.
    pub time: Timestamp,
    /// How far it is.
    pub state: DeliveryState,
    /// When it is tried next.
    pub due_at: Option<Timestamp>,
    /// When it arrived, or was tried for the last time.
    pub done_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
    /// Every try, the first one first.
    pub attempts: Vec<DeliveryAttempt>,
}

/// One try of a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryAttempt {
    /// When it began.
    pub at: Timestamp,
    /// How long it took.
    pub duration_ms: i64,
    /// The status of the answer, if there was one.
    pub status: Option<u16>,
    /// Why it counts as a failure, in one word; none when it arrived.
    pub error: Option<String>,
    /// The beginning of the answer, or what happened.
    pub detail: String,
}
