//! The event feed of a remote invoice data service, kept in finance's own event log: whatever follows the log, such as
//! finance's copies, the booking documents, their rebuild and the bus, needs not know where documents are kept.
//!
//! A part of the feed and the place where the next one starts are kept in one transaction. Any number of processes read;
//! one of them keeps a part. An event that is in the log already is kept once.

use gateway_domain::StoreError;
use gateway_domain::ports::Clock;
use gateway_domain_finance::ports::{FeedPart, InvoiceDataError, InvoicingClient};
use gateway_events::{Events, Source};
use gateway_storage::events::{self, NewEvent};
use gateway_storage::{Db, intents};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How long to wait for news.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Longest wait while the service or the database is away.
const TROUBLE_MAX: Duration = Duration::from_secs(30);

/// Why a part of the feed was not kept.
#[derive(Debug, thiserror::Error)]
pub enum FeedError {
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The remote invoice data service.
    #[error(transparent)]
    InvoiceData(#[from] InvoiceDataError),
}

/// Reads how far the event feeds of remote services were kept, with nothing but the database. Cheap to clone.
#[derive(Debug, Clone)]
pub struct FeedPositions(Db);

impl FeedPositions {
    /// Of the services that a database was used with.
    pub const fn new(db: Db) -> Self {
        Self(db)
    }

    /// Where the next part of the feed of `service` starts, in its own notation; none before the first part.
    pub async fn of(&self, service: &str) -> Result<Option<String>, StoreError> {
        intents::feed_read(&self.0, service).await
    }
}

/// Keeps the event feed of the remote invoice data service; does nothing where finance works with the one in this process.
/// Cheap to clone.
#[derive(Debug, Clone)]
pub struct RemoteFeed {
    db: Db,
    clock: Arc<dyn Clock>,
    events: Events,
    service: Option<Arc<dyn InvoicingClient>>,
    /// Times the feed could not be read since the process started.
    failures: Arc<AtomicU64>,
}

impl RemoteFeed {
    /// The feed of a `service`; none where finance works with the one in this process.
    pub fn new(
        db: Db,
        clock: Arc<dyn Clock>,
        events: Events,
        service: Option<Arc<dyn InvoicingClient>>,
    ) -> Self {
        Self { db, clock, events, service, failures: Arc::default() }
    }

    /// Times the feed could not be read since the process started.
    pub fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    /// Keeps the next part of the feed of the remote invoice data service, and says how many events were new; none
    /// when there is nothing behind the last part, or when no such service is configured.
    pub async fn keep_next(&self) -> Result<Option<usize>, FeedError> {
        let Some(service) = &self.service else { return Ok(None) };
        let after = intents::feed_read(&self.db, service.name()).await?;
        let FeedPart { events, unreadable, next } = service.events(after.as_deref()).await?;
        if after.as_ref() == Some(&next) {
            if events.is_empty() {
                return Ok(None);
            }
            let detail = "its event feed does not move on".to_owned();
            return Err(InvoiceDataError::Protocol { detail }.into());
        }
        let mut tx = self.db.begin().await?;
        if !intents::feed_move(&mut tx, service.name(), after.as_deref(), &next, self.clock.now()).await? {
            return Ok(Some(0));
        }
        let ids: Vec<_> = events.iter().map(|event| event.id).collect();
        let mut known = events::known(&mut tx, &ids).await?;
        let mut new = 0_usize;
        for event in &events {
            if !known.insert(event.id) {
                continue;
            }
            let new_event = NewEvent {
                id: event.id,
                source: Source::Invoicing.as_str(),
                workspace: event.workspace,
                subject: event.subject,
                kind: &event.kind,
                time: event.time,
                actor: &event.actor,
                data: event.data.clone(),
            };
            events::append(&mut tx, new_event).await?;
            new = new.saturating_add(1);
        }
        tx.commit_at("feed-kept").await?;
        for complaint in &unreadable {
            self.events.count_unreadable();
            tracing::error!("An event of the remote invoice data service is passed over: {complaint}");
        }
        Ok(Some(new))
    }

    /// Follows the feed until `shutdown`.
    pub async fn follow(self, shutdown: CancellationToken) {
        let mut trouble = Duration::ZERO;
        while !shutdown.is_cancelled() {
            let rest = match self.keep_next().await {
                Ok(part) => {
                    if !trouble.is_zero() {
                        tracing::info!("The event feed of the invoice data service is read again");
                    }
                    trouble = Duration::ZERO;
                    if part.is_some() { Duration::ZERO } else { POLL_INTERVAL }
                }
                Err(error) => {
                    self.failures.fetch_add(1, Ordering::Relaxed);
                    if trouble.is_zero() {
                        tracing::error!(
                            error = &error as &dyn std::error::Error,
                            "The event feed of the invoice data service cannot be read, finance's copies are late: {error}"
                        );
                    }
                    trouble = trouble.saturating_mul(2).clamp(POLL_INTERVAL, TROUBLE_MAX);
                    trouble
                }
            };
            tokio::select! {
                () = shutdown.cancelled() => {}
                () = tokio::time::sleep(rest) => {}
            }
        }
    }
}
