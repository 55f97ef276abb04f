//! Locks of chains of records: each record states the one before, so that jobs of one chain run one after the other.

use gateway_domain::regime::RegimeKey;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::OwnedMutexGuard;

/// Chains that nobody uses are forgotten when there are so many.
const KNOWN_MAX: usize = 1_000;

/// Whoever has it may read the end of a chain and put a record behind it, until it is dropped.
pub(crate) type ChainLock = OwnedMutexGuard<()>;

type Locks = HashMap<(RegimeKey, String), Arc<tokio::sync::Mutex<()>>>;

/// The chains that jobs of this process use.
#[derive(Debug, Default)]
pub(crate) struct Chains(Mutex<Locks>);

impl Chains {
    /// Waits until nobody else puts a record behind the chain.
    pub(crate) async fn lock(&self, regime: &RegimeKey, chain: &str) -> ChainLock {
        let lock = {
            let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if known.len() >= KNOWN_MAX {
                known.retain(|_, lock| Arc::strong_count(lock) > 1);
            }
            Arc::clone(known.entry((regime.clone(), chain.to_owned())).or_default())
        };
        lock.lock_owned().await
    }
}
