//! Consumers of the event feed: each has a name, a position of its own, and handles every event once.
//!
//! What a consumer does with an event commits together with its position, so a process that dies in between has done
//! nothing. Any number of processes run the same consumers; one works at a time for each, the others pass. The bus
//! only says that there is news: events are read from the log, in its order, so nothing that a bus loses, doubles or
//! reorders is seen here. Handlers tolerate both all the same, because the newest state of a document wins.
//!
//! To add a consumer: implement [`Consumer`] where its rows belong, and register it where the program is put together.

use crate::{Events, relay};
use async_trait::async_trait;
use gateway_domain::StoreError;
use gateway_domain::access::Workspaces;
use gateway_domain::ports::{BusError, EventSink, Subscription};
use gateway_domain_events::{DocumentRange, EventSelection, StoredEvent};
use gateway_storage::{Tx, events};
use std::fmt;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Events handled in one transaction.
const BATCH: i64 = 100;
/// How long a consumer waits for news before it looks into the log itself: other processes relay too, for consumers of their own.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// How long a consumer waits for a bus that does not answer before it looks into the log beside it.
const BUS_TIMEOUT: Duration = Duration::from_millis(1_500);
/// How long to wait after the database failed.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Who follows the feed.
#[async_trait]
pub trait Consumer: fmt::Debug + Send + Sync {
    /// Under which its position is kept, and its subscription at the bus.
    fn name(&self) -> &'static str;

    /// Which events it handles; the rest of the feed it passes by.
    fn selection(&self) -> EventSelection;

    /// Handles events, in the transaction that moves its position. Handling one again, or after a newer one, changes
    /// nothing.
    async fn handle(&self, tx: &mut Tx, events: &[StoredEvent]) -> Result<(), StoreError>;

    /// Itself, when it keeps a copy of what the log says, which can be built again.
    fn read_model(&self) -> Option<&dyn ReadModel> {
        None
    }
}

/// A consumer whose rows can be built again from the log.
#[async_trait]
pub trait ReadModel: Send + Sync {
    /// Forgets the rows of these documents.
    async fn clear(&self, tx: &mut Tx, documents: DocumentRange) -> Result<(), StoreError>;
}

/// What a round of a consumer came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Round {
    /// Everything up to `position` is done; this round handled so many events.
    Done {
        /// The consumer's position.
        position: i64,
        /// Events of this round.
        handled: usize,
    },
    /// Another process of the same consumer is at work.
    Busy,
}

/// The consumers that the program registered. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Consumers {
    events: Events,
    all: Arc<[Arc<dyn Consumer>]>,
}

impl Consumers {
    /// Consumers of a log, each of another name.
    pub fn new(events: Events, all: impl IntoIterator<Item = Arc<dyn Consumer>>) -> Self {
        Self { events, all: all.into_iter().collect() }
    }

    /// Whose feed every consumer reads.
    pub(crate) const fn events(&self) -> &Events {
        &self.events
    }

    /// Every consumer.
    pub fn all(&self) -> impl Iterator<Item = &dyn Consumer> {
        self.all.iter().map(AsRef::as_ref)
    }

    /// Handles the next events of a consumer, a batch at most.
    pub async fn consume(&self, consumer: &dyn Consumer) -> Result<Round, StoreError> {
        let log = &self.events;
        let name = consumer.name();
        let (position, head) = events::progress(log.db(), name).await?;
        if position >= head {
            return Ok(Round::Done { position, handled: 0 });
        }
        let mut tx = log.db().begin().await?;
        let Some(from) = events::hold(&mut tx, name, log.now()).await? else { return Ok(Round::Busy) };
        // Read first: everything up to here is there for the second read, so a part that is not full reaches it.
        let head = events::head(&mut tx).await?;
        let batch = events::feed(&mut tx, &Workspaces::All, consumer.selection(), from, BATCH).await?;
        let full = i64::try_from(batch.len()).is_ok_and(|count| count >= BATCH);
        let last = batch.last().and_then(|event| event.position).unwrap_or(from);
        let to = if full { last } else { last.max(head) };
        if to <= from {
            return Ok(Round::Done { position: from, handled: 0 });
        }
        consumer.handle(&mut tx, &batch).await?;
        if !events::consume(&mut tx, name, from, to, log.now()).await? {
            return Ok(Round::Busy);
        }
        tx.commit_at("consumed").await?;
        Ok(Round::Done { position: to, handled: batch.len() })
    }

    /// Handles all that is in the feed, unless another process does; says where the consumer is.
    async fn catch_up(
        &self,
        consumer: &dyn Consumer,
        shutdown: &CancellationToken,
    ) -> Result<Option<i64>, StoreError> {
        loop {
            match self.consume(consumer).await? {
                Round::Done { position, handled } if handled == 0 || shutdown.is_cancelled() => {
                    return Ok(Some(position));
                }
                Round::Done { .. } => {}
                Round::Busy => return Ok(None),
            }
        }
    }
    /// Relays events and runs every consumer until `shutdown`, then finishes what is in hand. `owner` names the process.
    pub async fn run(self, sink: Arc<dyn EventSink>, owner: String, shutdown: CancellationToken) {
        let mut tasks = JoinSet::new();
        let log = &self.events;
        tasks.spawn(relay::relay(log.clone(), Arc::clone(&sink), shutdown.clone()));
        if sink.cursor_name().is_some() {
            tasks.spawn(relay::publish(log.clone(), Arc::clone(&sink), owner, shutdown.clone()));
        }
        for consumer in self.all.iter() {
            let listener = Listener::new(Arc::clone(&sink), Arc::clone(consumer));
            tasks.spawn(follow(self.clone(), listener, shutdown.clone()));
        }
        while let Some(ended) = tasks.join_next().await {
            if let Err(error) = ended {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "A consumer of events stopped, and goes on at the next start: {error}"
                );
            }
        }
    }
}

async fn follow(consumers: Consumers, mut listener: Listener, shutdown: CancellationToken) {
    let consumer = Arc::clone(&listener.consumer);
    // What was left when the last process ended waits for no news.
    let mut next_position = None;
    loop {
        let (reached, rest) = look(&consumers, consumer.as_ref(), &shutdown).await;
        if let Some(reached) = reached
            && listener.done(next_position, reached).await
        {
            next_position = None;
        }
        let mut hearing = pin!(async {
            tokio::time::sleep(rest).await;
            listener.listen().await
        });
        let mut apart = BUS_TIMEOUT;
        next_position = loop {
            tokio::select! {
                () = shutdown.cancelled() => return,
                next = &mut hearing => break next_position.max(next),
                // Nothing was heard of what is done here, so nothing is said to the bus.
                () = tokio::time::sleep(apart) => {
                    let (_, rest) = look(&consumers, consumer.as_ref(), &shutdown).await;
                    apart = rest.max(BUS_TIMEOUT);
                }
            }
        };
    }
}

/// Handles what is in the log: where the consumer is then, and how long to leave the database alone. No place when it
/// failed.
async fn look(
    consumers: &Consumers,
    consumer: &dyn Consumer,
    shutdown: &CancellationToken,
) -> (Option<Option<i64>>, Duration) {
    match consumers.catch_up(consumer, shutdown).await {
        Ok(reached) => (Some(reached), Duration::ZERO),
        Err(error) => {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "The consumer {} stands still for a moment: {error}",
                consumer.name()
            );
            (None, RETRY_DELAY)
        }
    }
}

/// Hears of news for a consumer. Without the bus, news are found a little later in the log.
struct Listener {
    sink: Arc<dyn EventSink>,
    consumer: Arc<dyn Consumer>,
    subscription: Option<Box<dyn Subscription>>,
    well: bool,
}

impl Listener {
    fn new(sink: Arc<dyn EventSink>, consumer: Arc<dyn Consumer>) -> Self {
        Self { sink, consumer, subscription: None, well: true }
    }

    async fn listen(&mut self) -> Option<i64> {
        match self.next_notification().await {
            Ok(next_position) => {
                self.well = true;
                next_position
            }
            Err(error) => {
                self.bus_failed(&error);
                tokio::time::sleep(RETRY_DELAY).await;
                None
            }
        }
    }

    async fn next_notification(&mut self) -> Result<Option<i64>, BusError> {
        let subscription = match self.subscription.take() {
            Some(subscription) => subscription,
            None => self.sink.subscribe(self.consumer.name()).await?,
        };
        self.subscription.insert(subscription).next_position(POLL_INTERVAL).await
    }

    /// Tells the bus what needs not be said again; `false` while another process is still at it.
    async fn done(&mut self, next_position: Option<i64>, reached: Option<i64>) -> bool {
        let (Some(next_position), Some(subscription)) = (next_position, self.subscription.as_mut()) else {
            return true;
        };
        let Some(reached) = reached else { return false };
        if let Err(error) = subscription.done(reached).await {
            self.bus_failed(&error);
        }
        next_position <= reached
    }

    fn bus_failed(&mut self, error: &BusError) {
        self.subscription = None;
        if std::mem::replace(&mut self.well, false) {
            tracing::warn!("The consumer {} reads the log without the bus: {error}", self.consumer.name());
        }
    }
}
