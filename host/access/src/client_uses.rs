//! When each client was last used. A request costs no write: what was noted goes to the database every few seconds.

use gateway_domain::StoreError;
use gateway_domain::ids::ClientId;
use gateway_storage::{Db, client_uses, write_behind};
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How long a use waits in memory.
const FLUSH_EVERY: Duration = Duration::from_secs(5);
/// More clients than this at once, and new ones wait for the next time that they are used.
const CLIENTS_MAX: usize = 10_000;

/// What was noted since the last time.
#[derive(Debug)]
pub(super) struct ClientUses {
    db: Db,
    /// In one order on all replicas, so that they do not wait for each other in a circle.
    noted: Mutex<BTreeMap<ClientId, Timestamp>>,
}

impl ClientUses {
    pub(super) const fn new(db: Db) -> Self {
        Self { db, noted: Mutex::new(BTreeMap::new()) }
    }

    /// Notes that a client is used now.
    pub(super) fn note(&self, client: ClientId, now: Timestamp) {
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.len() < CLIENTS_MAX || noted.contains_key(&client) {
            noted.insert(client, now);
        }
    }

    /// Writes down what was noted. What cannot be written is noted again.
    pub(super) async fn flush(&self) -> Result<(), StoreError> {
        let noted = std::mem::take(&mut *self.noted.lock().unwrap_or_else(PoisonError::into_inner));
        if noted.is_empty() {
            return Ok(());
        }
        let written = self.write(&noted).await;
        if written.is_err() {
            let mut newer = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
            for (client, at) in noted {
                newer.entry(client).or_insert(at);
            }
        }
        written
    }

    async fn write(&self, noted: &BTreeMap<ClientId, Timestamp>) -> Result<(), StoreError> {
        let mut tx = self.db.begin().await?;
        for (client, at) in noted {
            client_uses::used(&mut tx, *client, *at).await?;
        }
        tx.commit_at("client-uses-noted").await
    }

    /// Writes down what was noted every few seconds until `shutdown`, and once more then.
    pub(super) async fn run(&self, shutdown: CancellationToken) {
        write_behind(FLUSH_EVERY, shutdown, "When clients were last used is not written down yet", || {
            self.flush()
        })
        .await;
    }
}
