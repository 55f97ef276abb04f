//! Loads what many fields of one request ask for in one statement.
//!
//! Fields of a list are resolved side by side. Each says which key it needs and then lets its neighbours say theirs;
//! the first that goes on fetches all of them. Nothing waits for a timer, so the number of statements of a request
//! depends on its shape only. What was fetched is kept until the request ends.

use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Why a batch could not be fetched; every field that waits for it gets the same.
pub(crate) type Cause = Arc<dyn std::error::Error + Send + Sync>;
type Batch<K, V> = Shared<BoxFuture<'static, Result<Arc<HashMap<K, V>>, Cause>>>;

enum Entry<K, V> {
    Wanted,
    Coming(Batch<K, V>),
    There(Option<V>),
}

/// Values of one kind by their keys, for one request.
pub(crate) struct RequestLoader<K, V>(Mutex<HashMap<K, Entry<K, V>>>);

impl<K, V> Default for RequestLoader<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K, V> fmt::Debug for RequestLoader<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RequestLoader")
    }
}

impl<K, V> RequestLoader<K, V>
where
    K: Eq + Hash + Clone + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    fn entries(&self) -> MutexGuard<'_, HashMap<K, Entry<K, V>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The value of a key; none when there is none. `fetch` is given every key that is wanted at this moment.
    pub(crate) async fn get<F, E, R>(&self, key: K, fetch: F) -> Result<Option<V>, Cause>
    where
        F: FnOnce(Vec<K>) -> R,
        R: Future<Output = Result<HashMap<K, V>, E>> + Send + 'static,
        E: std::error::Error + Send + Sync + 'static,
    {
        if let Some(Entry::There(value)) = self.entries().get(&key) {
            return Ok(value.clone());
        }
        self.entries().entry(key.clone()).or_insert(Entry::Wanted);
        tokio::task::yield_now().await;
        let batch = match self.entries().get(&key) {
            Some(Entry::There(value)) => return Ok(value.clone()),
            Some(Entry::Coming(batch)) => Some(batch.clone()),
            Some(Entry::Wanted) | None => None,
        };
        let batch = batch.unwrap_or_else(|| self.start(fetch));
        let found = batch.await?;
        let value = found.get(&key).cloned();
        self.entries().insert(key, Entry::There(value.clone()));
        Ok(value)
    }

    fn start<F, E, R>(&self, fetch: F) -> Batch<K, V>
    where
        F: FnOnce(Vec<K>) -> R,
        R: Future<Output = Result<HashMap<K, V>, E>> + Send + 'static,
        E: std::error::Error + Send + Sync + 'static,
    {
        let mut entries = self.entries();
        let wanted = entries.iter().filter(|(_, entry)| matches!(entry, Entry::Wanted));
        let keys: Vec<K> = wanted.map(|(key, _)| key.clone()).collect();
        let fetched = fetch(keys.clone());
        let batch: Batch<K, V> =
            async move { fetched.await.map(Arc::new).map_err(|error| Arc::new(error) as Cause) }
                .boxed()
                .shared();
        for key in keys {
            entries.insert(key, Entry::Coming(batch.clone()));
        }
        batch
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[derive(Debug, thiserror::Error)]
    #[error("broken")]
    struct Broken;

    #[tokio::test]
    async fn neighbours_share_one_fetch_and_the_next_request_for_a_key_needs_none() {
        let loader: RequestLoader<u32, u32> = RequestLoader::default();
        let fetches = Arc::new(AtomicUsize::new(0));
        let get = |key| {
            let (loader, fetches) = (&loader, Arc::clone(&fetches));
            loader.get(key, move |keys| async move {
                fetches.fetch_add(1, Ordering::Relaxed);
                tokio::task::yield_now().await;
                Ok::<_, Broken>(keys.into_iter().filter(|key| *key < 20).map(|key| (key, key * 2)).collect())
            })
        };
        let all = futures::future::join_all((0..25).map(get)).await;
        assert_eq!(all[3].as_ref().unwrap(), &Some(6));
        assert_eq!(all[24].as_ref().unwrap(), &None);
        // What follows from the first fetch is fetched together too.
        futures::future::join_all((0..25).map(|key| async move {
            get(key).await.unwrap();
            get(key + 100).await.unwrap()
        }))
        .await;
        assert_eq!(fetches.load(Ordering::Relaxed), 2);
    }

    #[tokio::test]
    async fn every_field_learns_that_a_fetch_failed() {
        let loader: RequestLoader<u32, u32> = RequestLoader::default();
        let get = |key| loader.get(key, |_| async { Err::<HashMap<u32, u32>, _>(Broken) });
        let all = futures::future::join_all((0..3).map(get)).await;
        assert!(all.iter().all(|result| result.as_ref().unwrap_err().to_string() == "broken"));
    }
}
