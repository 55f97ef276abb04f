//! Consumers of the event feed: each has a name, a position of its own, and handles every event once.
//!
//! What a consumer does with an event commits together with its position, so a process that dies in between has done
//! nothing. Any number of processes run the same consumers; one works at a time for each, the others pass. The bus
//! only says that there is news: events are read from the log, in its order, so nothing that a bus loses, doubles or
//! reorders is seen here. Handlers tolerate both all the same, because the newest state of a document wins.
//!
//! To add a consumer: a variant of [`Consumer`], and its handler in a file of its own.

mod bookings;
mod copies;
mod rebuild;
mod tally;
mod told;

pub(crate) use told::ToldAge;

pub use rebuild::Rebuilt;
pub use tally::{Figures, Tally};

use crate::webhooks::fanout;
use crate::{Gateway, relay};
use gateway_domain::access::Workspaces;
use gateway_domain::ports::{BusError, EventSink, Subscription};
use gateway_storage::events::{self, StoredEvent, Told};
use gateway_storage::{StoreError, Tx};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Events handled in one transaction.
const BATCH: i64 = 100;
/// How long a consumer waits for news before it looks into the log itself: other processes relay too.
pub(crate) const CONSUMERS_APART: Duration = Duration::from_millis(250);
/// How long a consumer waits for a bus that does not answer before it looks into the log beside it.
const DEAF: Duration = Duration::from_millis(500);
/// How long to wait after the database failed.
const TROUBLE: Duration = Duration::from_secs(1);

/// Who follows the feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consumer {
    /// Finance's own copy of each document.
    FinanceDocuments,
    /// Booking documents read model.
    BookingDocuments,
    /// What customers are told.
    Webhooks,
}

impl Consumer {
    /// Every consumer.
    pub const ALL: [Self; 3] = [Self::FinanceDocuments, Self::BookingDocuments, Self::Webhooks];
    /// Those that keep a copy of what the log says, which can be built again.
    pub const READ_MODELS: [Self; 2] = [Self::FinanceDocuments, Self::BookingDocuments];

    /// Under which its position is kept, and its subscription at the bus.
    pub const fn name(self) -> &'static str {
        match self {
            Self::FinanceDocuments => "finance-documents",
            Self::BookingDocuments => "booking-documents",
            Self::Webhooks => "webhooks",
        }
    }

    /// What it is told; the rest of the feed it passes by.
    const fn told(self) -> Told {
        match self {
            Self::FinanceDocuments | Self::BookingDocuments => Told::OfDocuments,
            Self::Webhooks => Told::OfAll,
        }
    }

    /// Handles events. Handling one again, or after a newer one, changes nothing.
    async fn handle(self, gateway: &Gateway, tx: &mut Tx, events: &[StoredEvent]) -> Result<(), StoreError> {
        if self == Self::Webhooks {
            return fanout::handle(gateway, tx, events).await;
        }
        for event in events {
            match self {
                Self::FinanceDocuments => copies::handle(gateway, tx, event).await?,
                Self::BookingDocuments => bookings::handle(gateway, tx, event).await?,
                Self::Webhooks => {}
            }
        }
        Ok(())
    }
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

impl Gateway {
    /// Handles the next events of a consumer, a batch at most.
    pub async fn consume_events(&self, consumer: Consumer) -> Result<Round, StoreError> {
        let name = consumer.name();
        let position = events::consumed(self.db(), name).await?;
        if position >= events::head(self.db()).await? {
            return Ok(Round::Done { position, handled: 0 });
        }
        let mut tx = self.db().begin().await?;
        let Some(from) = events::hold(&mut tx, name, self.now()).await? else { return Ok(Round::Busy) };
        // Read first: everything up to here is there for the second read, so a part that is not full reaches it.
        let head = events::head(&mut tx).await?;
        let batch = events::feed(&mut tx, &Workspaces::All, consumer.told(), from, BATCH).await?;
        let full = i64::try_from(batch.len()).is_ok_and(|count| count >= BATCH);
        let last = batch.last().and_then(|event| event.position).unwrap_or(from);
        let to = if full { last } else { last.max(head) };
        if to <= from {
            return Ok(Round::Done { position: from, handled: 0 });
        }
        consumer.handle(self, &mut tx, &batch).await?;
        if !events::consume(&mut tx, name, from, to, self.now()).await? {
            return Ok(Round::Busy);
        }
        tx.commit_at("consumed").await?;
        if consumer == Consumer::Webhooks {
            self.wake_dispatcher();
        }
        Ok(Round::Done { position: to, handled: batch.len() })
    }

    /// Handles all that is in the feed, unless another process does; says where the consumer is.
    async fn catch_up(
        &self,
        consumer: Consumer,
        shutdown: &CancellationToken,
    ) -> Result<Option<i64>, StoreError> {
        loop {
            match self.consume_events(consumer).await? {
                Round::Done { position, handled } if handled == 0 || shutdown.is_cancelled() => {
                    return Ok(Some(position));
                }
                Round::Done { .. } => {}
                Round::Busy => return Ok(None),
            }
        }
    }
}

/// Relays events and runs every consumer until `shutdown`, then finishes what is in hand. `owner` names the process.
pub async fn run(gateway: Gateway, sink: Arc<dyn EventSink>, owner: String, shutdown: CancellationToken) {
    let mut tasks = JoinSet::new();
    tasks.spawn(relay::relay(gateway.clone(), Arc::clone(&sink), shutdown.clone()));
    if sink.remembered_as().is_some() {
        tasks.spawn(relay::publish(gateway.clone(), Arc::clone(&sink), owner, shutdown.clone()));
    }
    if gateway.elsewhere().is_some() {
        tasks.spawn(crate::invoice_data::follow(gateway.clone(), shutdown.clone()));
    }
    for consumer in Consumer::ALL {
        tasks.spawn(follow(gateway.clone(), Arc::clone(&sink), consumer, shutdown.clone()));
    }
    while let Some(ended) = tasks.join_next().await {
        if let Err(error) = ended {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "Events stand still until the next start: {error}"
            );
        }
    }
}

async fn follow(gateway: Gateway, sink: Arc<dyn EventSink>, consumer: Consumer, shutdown: CancellationToken) {
    let mut ear = Ear { sink, consumer, subscription: None, well: true };
    // What was left when the last process ended waits for no news.
    let mut heard = None;
    loop {
        let (reached, rest) = look(&gateway, consumer, &shutdown).await;
        if let Some(reached) = reached
            && ear.done(heard, reached).await
        {
            heard = None;
        }
        let mut hearing = pin!(async {
            tokio::time::sleep(rest).await;
            ear.listen().await
        });
        let mut apart = DEAF;
        heard = loop {
            tokio::select! {
                () = shutdown.cancelled() => return,
                next = &mut hearing => break heard.max(next),
                // Nothing was heard of what is done here, so nothing is said to the bus.
                () = tokio::time::sleep(apart) => {
                    let (_, rest) = look(&gateway, consumer, &shutdown).await;
                    apart = rest.max(DEAF);
                }
            }
        };
    }
}

/// Handles what is in the log: where the consumer is then, and how long to leave the database alone. No place when it
/// failed.
async fn look(
    gateway: &Gateway,
    consumer: Consumer,
    shutdown: &CancellationToken,
) -> (Option<Option<i64>>, Duration) {
    match gateway.catch_up(consumer, shutdown).await {
        Ok(reached) => (Some(reached), Duration::ZERO),
        Err(error) => {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "The consumer {} stands still for a moment: {error}",
                consumer.name()
            );
            (None, TROUBLE)
        }
    }
}

/// What a consumer hears with; deaf while the bus is away, which costs nothing but time.
struct Ear {
    sink: Arc<dyn EventSink>,
    consumer: Consumer,
    subscription: Option<Box<dyn Subscription>>,
    well: bool,
}

impl Ear {
    async fn listen(&mut self) -> Option<i64> {
        match self.hear().await {
            Ok(heard) => {
                self.well = true;
                heard
            }
            Err(error) => {
                self.deaf(&error);
                tokio::time::sleep(TROUBLE).await;
                None
            }
        }
    }

    async fn hear(&mut self) -> Result<Option<i64>, BusError> {
        let subscription = match self.subscription.take() {
            Some(subscription) => subscription,
            None => self.sink.subscribe(self.consumer.name()).await?,
        };
        self.subscription.insert(subscription).heard(CONSUMERS_APART).await
    }

    /// Tells the bus what needs not be said again; `false` while another process is still at it.
    async fn done(&mut self, heard: Option<i64>, reached: Option<i64>) -> bool {
        let (Some(heard), Some(subscription)) = (heard, self.subscription.as_mut()) else { return true };
        let Some(reached) = reached else { return false };
        if let Err(error) = subscription.done(reached).await {
            self.deaf(&error);
        }
        heard <= reached
    }

    fn deaf(&mut self, error: &BusError) {
        self.subscription = None;
        if std::mem::replace(&mut self.well, false) {
            tracing::warn!("The consumer {} reads the log without the bus: {error}", self.consumer.name());
        }
    }
}
