//! The outbox relay: committed events get their place in the feed, and the bus gets the feed.
//!
//! Any number of processes relay; the feed's row lets one of them work at a time. What a bus has taken is remembered
//! beside the feed, so that a bus that was away gets everything it missed, in order.

use crate::{CloudEvent, Events};
use gateway_domain::StoreError;
use gateway_domain::access::Workspaces;
use gateway_domain::ports::{BusError, EventSink, OutgoingEvent};
use gateway_domain_events::{EventSelection, StoredEvent};
use gateway_storage::{Topic, events, leases};
use jiff::SignedDuration;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Events that get their place, or go to the bus, at once.
const BATCH: i64 = 500;
/// How long events are gathered between two rounds, so that the relay's commits cost little beside those it relays.
const GATHERING: Duration = Duration::from_millis(100);
/// How long the relay waits for events of this process before it looks for those of others.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// How long whoever has published all there is waits for more.
const IDLE_INTERVAL: Duration = Duration::from_millis(250);
/// How long to wait after the database or the bus failed.
const RETRY_DELAY: Duration = Duration::from_secs(1);
/// How long one process publishes before another may, if it does not say that it goes on.
const LEASE: SignedDuration = SignedDuration::from_secs(5);

/// Why a round could not be finished. The next one goes on where this one stopped.
#[derive(Debug, thiserror::Error)]
pub enum RelayError {
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It is given the same events again.
    #[error(transparent)]
    Bus(#[from] BusError),
}

impl Events {
    /// Gives committed events their place in the feed, a batch at most, and says how many got one.
    pub async fn relay(&self) -> Result<u64, StoreError> {
        events::relay(self.db(), BATCH).await
    }

    /// Gives the bus what it has not taken yet, a batch at most, and says how many events that were. `owner` names
    /// this process: one publishes at a time, so that the bus keeps the order of the feed.
    pub async fn publish(&self, sink: &dyn EventSink, owner: &str) -> Result<usize, RelayError> {
        let Some(name) = sink.cursor_name() else { return Ok(0) };
        let (position, head) = events::progress(self.db(), name).await?;
        if position >= head || !self.publishes(name, owner).await? {
            return Ok(0);
        }
        // Read again: whoever published before may have got further.
        let position = events::consumed(self.db(), name).await?;
        let batch = events::feed(self.db(), &Workspaces::All, EventSelection::All, position, BATCH).await?;
        let Some(reached) = batch.last().and_then(|event| event.position) else { return Ok(0) };
        let outgoing: Vec<OutgoingEvent> = batch.iter().filter_map(outgoing).collect::<Result<_, _>>()?;
        sink.publish(&outgoing).await?;
        let mut tx = self.db().begin().await?;
        // Somebody else who went on from here published the same events, which the bus did not keep twice.
        if events::hold(&mut tx, name, self.now()).await? == Some(position)
            && events::consume(&mut tx, name, position, reached, self.now()).await?
        {
            tx.commit_at("published").await?;
        }
        Ok(outgoing.len())
    }

    async fn publishes(&self, name: &str, owner: &str) -> Result<bool, StoreError> {
        let mut tx = self.db().begin().await?;
        let fence = leases::take(&mut tx, name, owner, LEASE).await?;
        tx.commit_at("publisher-leased").await?;
        Ok(fence.is_some())
    }

    /// Tells a sink that keeps nothing how far the feed is.
    async fn announce(&self, sink: &dyn EventSink) -> Result<(), RelayError> {
        if sink.cursor_name().is_none() {
            let head = events::head(self.db()).await?;
            let newest =
                events::feed(self.db(), &Workspaces::All, EventSelection::All, head.saturating_sub(1), 1)
                    .await?;
            let newest: Vec<OutgoingEvent> = newest.iter().filter_map(outgoing).collect::<Result<_, _>>()?;
            sink.publish(&newest).await?;
        }
        Ok(())
    }
}

/// An event with a place in the feed, as it is published.
fn outgoing(event: &StoredEvent) -> Option<Result<OutgoingEvent, StoreError>> {
    let position = event.position?;
    let body = CloudEvent::try_from(event).and_then(|event| StoreError::json(&event));
    Some(body.map(|body| OutgoingEvent {
        position,
        id: event.id,
        source: event.source.clone(),
        kind: event.kind.clone(),
        workspace: event.workspace,
        subject: event.subject,
        body,
    }))
}

/// Relays until `shutdown`.
pub(crate) async fn relay(log: Events, sink: Arc<dyn EventSink>, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        let rest = match log.relay().await {
            Ok(0) => GATHERING,
            Ok(relayed) => {
                if let Err(error) = log.announce(sink.as_ref()).await {
                    tracing::warn!("Consumers find new events a little later: {error}");
                }
                if relayed >= BATCH.unsigned_abs() {
                    continue;
                }
                GATHERING
            }
            Err(error) => {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "Events cannot be relayed: {error}"
                );
                RETRY_DELAY
            }
        };
        let next = async {
            tokio::time::sleep(rest).await;
            // What was committed meanwhile has said so.
            let _waited =
                tokio::time::timeout(POLL_INTERVAL, log.db().wakeups(Topic::Events).notified()).await;
        };
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = next => {}
        }
    }
}

/// Gives the bus the feed until `shutdown`. A bus that is away stops nothing else.
pub(crate) async fn publish(
    log: Events,
    sink: Arc<dyn EventSink>,
    owner: String,
    shutdown: CancellationToken,
) {
    let mut well = true;
    while !shutdown.is_cancelled() {
        let rest = match log.publish(sink.as_ref(), &owner).await {
            Ok(published) => {
                if !well && published > 0 {
                    tracing::info!("The event bus takes events again");
                    well = true;
                }
                if published >= usize::try_from(BATCH).unwrap_or(usize::MAX) {
                    continue;
                }
                IDLE_INTERVAL
            }
            Err(error) => {
                log.counters().bus_failed();
                if well {
                    tracing::error!(
                        error = &error as &dyn std::error::Error,
                        "Events wait in the log until the bus takes them: {error}"
                    );
                }
                well = false;
                RETRY_DELAY
            }
        };
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = tokio::time::sleep(rest) => {}
        }
    }
    if let Some(name) = sink.cursor_name()
        && let Err(error) = hand_over(&log, name, &owner).await
    {
        tracing::warn!("Another process publishes when the lease of this one ends: {error}");
    }
}

async fn hand_over(log: &Events, name: &str, owner: &str) -> Result<(), StoreError> {
    let mut tx = log.db().begin().await?;
    leases::release(&mut tx, name, owner).await?;
    tx.commit_at("publisher-released").await
}
