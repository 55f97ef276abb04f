//! Who still uses which route of the legacy API.
//!
//! A request costs no write: it is counted in memory, and what was counted goes to the database every few seconds and
//! when the process ends. What a crash loses is a few counts, never the knowledge that a client uses a route daily.

use gateway_domain::StoreError;
use gateway_domain::ids::ClientId;
use gateway_domain::ports::Clock;
use gateway_domain_events::LegacyUse;
use gateway_storage::{Db, legacy_uses, write_behind};
use jiff::Timestamp;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How long counts wait in memory.
const FLUSH_EVERY: Duration = Duration::from_secs(2);
/// More rows than this at once, and new ones are not counted until they went to the database.
const ROWS_MAX: usize = 100_000;

/// What was counted since the last time.
#[derive(Debug, Default)]
struct UseCounts(Mutex<HashMap<(ClientId, String), UseCount>>);

#[derive(Debug, Clone, Copy)]
struct UseCount {
    requests: i64,
    first_at: Timestamp,
    last_at: Timestamp,
}

impl UseCount {
    fn and(self, other: Self) -> Self {
        Self {
            requests: self.requests.saturating_add(other.requests),
            first_at: self.first_at.min(other.first_at),
            last_at: self.last_at.max(other.last_at),
        }
    }
}

impl UseCounts {
    fn add(&self, client: ClientId, route: String, count: UseCount) {
        let mut rows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let full = rows.len() >= ROWS_MAX;
        match rows.entry((client, route)) {
            Entry::Occupied(mut row) => *row.get_mut() = row.get().and(count),
            Entry::Vacant(row) if !full => drop(row.insert(count)),
            Entry::Vacant(_) => {}
        }
    }

    fn take(&self) -> HashMap<(ClientId, String), UseCount> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The uses of the legacy API. Cheap to clone.
#[derive(Debug, Clone)]
pub struct LegacyUses(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    db: Db,
    clock: Arc<dyn Clock>,
    /// Requests that are not written down yet.
    counts: UseCounts,
}

impl LegacyUses {
    /// The uses in this database.
    pub fn new(db: Db, clock: Arc<dyn Clock>) -> Self {
        Self(Arc::new(Inner { db, clock, counts: UseCounts::default() }))
    }

    /// Counts a request of a client. `route` is a method and a pattern, never the path as sent.
    pub fn count(&self, client: ClientId, route: String) {
        let now = self.0.clock.now();
        self.0.counts.add(client, route, UseCount { requests: 1, first_at: now, last_at: now });
    }

    /// What a client used of the legacy API, by route, as far as it was written down.
    pub async fn of_client(&self, client: ClientId) -> Result<Vec<LegacyUse>, StoreError> {
        legacy_uses::of_client(&self.0.db, client).await
    }

    /// Writes down what was counted. What cannot be written is kept for the next time.
    pub async fn flush(&self) -> Result<(), StoreError> {
        let mut counted: Vec<_> = self.0.counts.take().into_iter().collect();
        if counted.is_empty() {
            return Ok(());
        }
        // In one order on all replicas, so that they do not wait for each other in a circle.
        counted.sort_by(|(one, _), (other, _)| one.cmp(other));
        let written = self.store(&counted).await;
        if written.is_err() {
            for ((client, route), count) in counted {
                self.0.counts.add(client, route, count);
            }
        }
        written
    }

    async fn store(&self, counted: &[((ClientId, String), UseCount)]) -> Result<(), StoreError> {
        let mut tx = self.0.db.begin().await?;
        for ((client, route), UseCount { requests, first_at, last_at }) in counted {
            let used = LegacyUse {
                route: route.clone(),
                requests: *requests,
                first_at: *first_at,
                last_at: *last_at,
            };
            legacy_uses::add(&mut tx, *client, &used).await?;
        }
        tx.commit_at("legacy-uses-counted").await
    }

    /// Writes down what was counted every few seconds until `shutdown`, and once more then.
    pub async fn run(self, shutdown: CancellationToken) {
        write_behind(FLUSH_EVERY, shutdown, "Uses of the legacy API are not written down yet", || {
            self.flush()
        })
        .await;
    }
}
