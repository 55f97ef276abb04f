//! A consumer of the feed: each event that customers are told of becomes a delivery for every endpoint that wants it.
//!
//! Everything is kept that happens in a workspace with an endpoint, wanted or not, so that it can be replayed later.

use crate::event_type::event_type;
use async_trait::async_trait;
use gateway_domain::StoreError;
use gateway_domain::ids::{DeliveryId, WebhookId, WorkspaceId};
use gateway_domain::ports::{Clock, Ids};
use gateway_domain_events::{EventSelection, StoredEvent};
use gateway_domain_platform::webhooks::{EventType, body, data};
use gateway_events::Consumer;
use gateway_storage::Tx;
use gateway_storage::deliveries::{self, Message, NewDelivery};
use gateway_storage::webhooks;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Makes deliveries of events.
#[derive(Debug)]
pub struct Fanout {
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
}

impl Fanout {
    /// Under which its position is kept.
    pub const NAME: &'static str = "webhooks";

    /// `clock` says when deliveries are due, `ids` names them.
    pub fn new(clock: Arc<dyn Clock>, ids: Arc<dyn Ids>) -> Self {
        Self { clock, ids }
    }
}

#[async_trait]
impl Consumer for Fanout {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn selection(&self) -> EventSelection {
        EventSelection::All
    }

    async fn handle(&self, tx: &mut Tx, events: &[StoredEvent]) -> Result<(), StoreError> {
        deliver(self, tx, events).await
    }
}

async fn deliver(fanout: &Fanout, tx: &mut Tx, events: &[StoredEvent]) -> Result<(), StoreError> {
    let deliverable: Vec<_> = events
        .iter()
        .filter_map(|event| Some((event, event.position?, event_type(&event.source, &event.kind)?)))
        .collect();
    let workspaces: BTreeSet<WorkspaceId> = deliverable.iter().map(|(event, ..)| event.workspace).collect();
    if workspaces.is_empty() {
        return Ok(());
    }
    let workspaces: Vec<_> = workspaces.into_iter().collect();
    let endpoints = webhooks::of_workspaces(tx, &workspaces).await?;
    let (mut messages, mut new) = (Vec::new(), Vec::new());
    let mut to_wake: BTreeSet<WebhookId> = BTreeSet::new();
    for (event, position, kind) in deliverable {
        let mut concerned = endpoints
            .iter()
            .filter(|endpoint| endpoint.workspace == event.workspace && endpoint.from_position < position)
            .peekable();
        if concerned.peek().is_none() {
            continue;
        }
        messages.push(message(event, position, kind)?);
        for endpoint in concerned {
            // An endpoint is never told about itself: what is wrong with it would go the way that is broken.
            let is_about_itself = event.subject == endpoint.id.0;
            if endpoint.disabled.is_none() && endpoint.events.wants(kind) && !is_about_itself {
                let id = DeliveryId(fanout.ids.next());
                new.push(NewDelivery { id, endpoint: endpoint.id, message: event.id });
                to_wake.insert(endpoint.id);
            }
        }
    }
    let now = fanout.clock.now();
    deliveries::put_messages(tx, &messages, now).await?;
    deliveries::put(tx, &new, now).await?;
    let to_wake: Vec<_> = to_wake.into_iter().collect();
    if to_wake.is_empty() { Ok(()) } else { webhooks::wake(tx, &to_wake, now, false).await }
}

fn message(event: &StoredEvent, position: i64, kind: EventType) -> Result<Message, StoreError> {
    let document = gateway_storage::events::data(event)?;
    Ok(Message {
        id: event.id,
        workspace: event.workspace,
        event: kind,
        position: Some(position),
        time: event.time,
        body: body(kind, event.time, &data(kind, event.subject, event.workspace, position, &document)),
    })
}
