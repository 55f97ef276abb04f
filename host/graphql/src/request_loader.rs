//! Loads what many fields of one request ask for in one statement.
//!
//! Fields of a list are resolved side by side. Each says which key it needs and then lets its neighbours say theirs;
//! the first that goes on fetches all of them. Those that wait for a batch are woken one by one, by whichever thread
//! brings the rows, so nothing more is fetched until every field of what was fetched has its value.
//! Nothing waits for a timer, so the number of statements of a request depends on its shape only. What was fetched is
//! kept until the request ends.

use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::hash::Hash;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Why a batch could not be fetched; every field that waits for it gets the same.
pub(crate) type Cause = Arc<dyn std::error::Error + Send + Sync>;
type BatchFuture<K, V> = Shared<BoxFuture<'static, Result<Arc<HashMap<K, V>>, Cause>>>;

/// How many fields of a request do not have their value yet, of batches that are there.
#[derive(Debug, Default)]
pub(crate) struct UndeliveredFields(AtomicUsize);

/// Values that are fetched together, and the fields that wait for them.
struct Batch<K, V> {
    fetched: BatchFuture<K, V>,
    waiters: Arc<Waiters>,
}

impl<K, V> Clone for Batch<K, V> {
    fn clone(&self) -> Self {
        Self { fetched: self.fetched.clone(), waiters: Arc::clone(&self.waiters) }
    }
}

/// The fields that said a key of a batch. One task drives all fields of a request, so nobody joins while a batch
/// arrives.
#[derive(Default)]
struct Waiters {
    fields: AtomicUsize,
    arrival: OnceLock<Arc<UndeliveredFields>>,
}

impl Waiters {
    /// The batch is there; its fields take their values one by one.
    fn mark_arrived(&self, undelivered: &Arc<UndeliveredFields>) {
        undelivered.0.fetch_add(self.fields.load(Ordering::Acquire), Ordering::AcqRel);
        self.arrival.get_or_init(|| Arc::clone(undelivered));
    }

    /// One more field waits, until what is answered is dropped. None waits for what is there.
    fn join(self: &Arc<Self>) -> Option<WaitingField> {
        if self.arrival.get().is_some() {
            return None;
        }
        self.fields.fetch_add(1, Ordering::AcqRel);
        Some(WaitingField(Arc::clone(self)))
    }
}

/// A field that waits, until it has its value or is given up.
struct WaitingField(Arc<Waiters>);

impl Drop for WaitingField {
    fn drop(&mut self) {
        match self.0.arrival.get() {
            Some(undelivered) => undelivered.0.fetch_sub(1, Ordering::AcqRel),
            None => self.0.fields.fetch_sub(1, Ordering::AcqRel),
        };
    }
}

/// Where the value of a key is.
enum LoadState<K, V> {
    Requested,
    Loading(Batch<K, V>),
    Loaded(Option<V>),
}

/// Values of one kind by their keys, for one request.
pub(crate) struct RequestLoader<K, V>(Mutex<LoaderState<K, V>>);

struct LoaderState<K, V> {
    entries: HashMap<K, LoadState<K, V>>,
    /// Those that said a key of the next batch; none while nobody did: most loaders of a request are never asked.
    next: Option<Arc<Waiters>>,
}

impl<K, V> Default for RequestLoader<K, V> {
    fn default() -> Self {
        Self(Mutex::new(LoaderState { entries: HashMap::new(), next: None }))
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
    fn lock(&self) -> MutexGuard<'_, LoaderState<K, V>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets go of what was fetched: it is fetched again for whoever wants it from now on.
    pub(crate) fn forget(&self) {
        self.lock().entries.retain(|_, state| !matches!(state, LoadState::Loaded(_)));
    }

    /// The value of a key; none when there is none. `fetch` is given every key that is wanted at this moment.
    pub(crate) async fn get<F, E, R>(
        &self,
        undelivered: &Arc<UndeliveredFields>,
        key: K,
        fetch: F,
    ) -> Result<Option<V>, Cause>
    where
        F: FnOnce(Vec<K>) -> R,
        R: Future<Output = Result<HashMap<K, V>, E>> + Send + 'static,
        E: std::error::Error + Send + Sync + 'static,
    {
        let waiting_field = self.lock().wait_for(&key);
        let mut neighbours_registered = false;
        let batch = loop {
            {
                let mut state = self.lock();
                match state.entries.get(&key) {
                    Some(LoadState::Loaded(value)) => return Ok(value.clone()),
                    Some(LoadState::Loading(batch)) => break batch.clone(),
                    Some(LoadState::Requested) | None if neighbours_registered => {
                        break state.start(undelivered, fetch);
                    }
                    Some(LoadState::Requested) | None => {}
                }
            }
            tokio::task::yield_now().await;
            // A field whose batch is there was woken or dropped, so this waits for nothing but its neighbours to register.
            neighbours_registered = undelivered.0.load(Ordering::Acquire) == 0;
        };
        let found = batch.fetched.await;
        drop(waiting_field);
        let value = found?.get(&key).cloned();
        self.lock().entries.insert(key, LoadState::Loaded(value.clone()));
        Ok(value)
    }
}

impl<K, V> LoaderState<K, V>
where
    K: Eq + Hash + Clone + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    /// Says that a field wants this key.
    fn wait_for(&mut self, key: &K) -> Option<WaitingField> {
        match self.entries.get(key) {
            Some(LoadState::Loaded(_)) => None,
            Some(LoadState::Loading(batch)) => batch.waiters.join(),
            Some(LoadState::Requested) => self.next.get_or_insert_default().join(),
            None => {
                self.entries.insert(key.clone(), LoadState::Requested);
                self.next.get_or_insert_default().join()
            }
        }
    }

    /// Begins to fetch all that is wanted.
    fn start<F, E, R>(&mut self, undelivered: &Arc<UndeliveredFields>, fetch: F) -> Batch<K, V>
    where
        F: FnOnce(Vec<K>) -> R,
        R: Future<Output = Result<HashMap<K, V>, E>> + Send + 'static,
        E: std::error::Error + Send + Sync + 'static,
    {
        let requested = self.entries.iter().filter(|(_, entry)| matches!(entry, LoadState::Requested));
        let keys: Vec<K> = requested.map(|(key, _)| key.clone()).collect();
        let coming = fetch(keys.clone());
        let waiters = self.next.take().unwrap_or_default();
        let (arrived_waiters, undelivered) = (Arc::clone(&waiters), Arc::clone(undelivered));
        let fetched = async move {
            let found = coming.await;
            arrived_waiters.mark_arrived(&undelivered);
            found.map(Arc::new).map_err(|error| Arc::new(error) as Cause)
        };
        let batch = Batch { fetched: fetched.boxed().shared(), waiters };
        for key in keys {
            self.entries.insert(key, LoadState::Loading(batch.clone()));
        }
        batch
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::channel::oneshot;
    use std::task::{Context, Poll, Waker};

    #[derive(Debug, thiserror::Error)]
    #[error("broken")]
    struct Broken;

    #[tokio::test]
    async fn neighbours_share_one_fetch_and_the_next_request_for_a_key_needs_none() {
        let loader: RequestLoader<u32, u32> = RequestLoader::default();
        let undelivered = Arc::default();
        let fetches = Arc::new(AtomicUsize::new(0));
        let get = |key| {
            let (loader, undelivered, fetches) = (&loader, &undelivered, Arc::clone(&fetches));
            loader.get(undelivered, key, move |keys| async move {
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
    async fn a_field_that_is_woken_before_its_neighbours_fetches_nothing_alone() {
        let loader: RequestLoader<u32, u32> = RequestLoader::default();
        let undelivered = Arc::default();
        let fetched = Arc::new(Mutex::new(Vec::new()));
        let (bring, brought) = oneshot::channel::<()>();
        let brought = brought.map(|_| ()).shared();
        let get = |key| {
            let (fetched, brought) = (Arc::clone(&fetched), brought.clone());
            loader.get(&undelivered, key, move |mut keys| async move {
                keys.sort_unstable();
                fetched.lock().unwrap().push(keys.clone());
                brought.await;
                Ok::<_, Broken>(keys.into_iter().map(|key| (key, key)).collect())
            })
        };
        let two = |key| async move {
            get(key).await.unwrap();
            get(key + 10).await.unwrap()
        };
        let (mut first, mut second, mut given_up) = (Box::pin(two(1)), Box::pin(two(2)), Box::pin(two(3)));
        let mut context = Context::from_waker(Waker::noop());
        for _ in 0..2 {
            assert!(first.as_mut().poll(&mut context).is_pending());
            assert!(second.as_mut().poll(&mut context).is_pending());
            assert!(given_up.as_mut().poll(&mut context).is_pending());
        }
        bring.send(()).unwrap();
        for _ in 0..3 {
            assert!(first.as_mut().poll(&mut context).is_pending());
        }
        drop(given_up);
        assert!(first.as_mut().poll(&mut context).is_pending());
        assert!(second.as_mut().poll(&mut context).is_pending());
        assert_eq!(first.as_mut().poll(&mut context), Poll::Ready(Some(11)));
        assert_eq!(second.as_mut().poll(&mut context), Poll::Ready(Some(12)));
        assert_eq!(*fetched.lock().unwrap(), [vec![1, 2, 3], vec![11, 12]]);
    }

    #[tokio::test]
    async fn every_field_learns_that_a_fetch_failed() {
        let loader: RequestLoader<u32, u32> = RequestLoader::default();
        let undelivered = Arc::default();
        let get = |key| loader.get(&undelivered, key, |_| async { Err::<HashMap<u32, u32>, _>(Broken) });
        let all = futures::future::join_all((0..3).map(get)).await;
        assert!(all.iter().all(|result| result.as_ref().unwrap_err().to_string() == "broken"));
    }
}
