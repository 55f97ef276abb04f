//! Events that tell a page that something moved, so that it fetches its part anew. An event has no content: what a page shows is
//! asked for in the usual way, with the rights of whoever looks.

use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::stream;
use std::collections::HashMap;
use std::convert::Infallible;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// How many pages wait for news at once; others are told to come again.
const WATCHERS_MAX: usize = 100;
/// After so many looks the browser connects anew, and so shows again who it is.
const LOOKS_MAX: u32 = 300;

/// How many of them are of one session: its browser may have that many pages open, and keeps nobody else from theirs.
const SESSION_WATCHERS_MAX: usize = 8;

/// How many pages of each session wait, by what its forms carry, hashed.
static SESSIONS: LazyLock<Mutex<HashMap<u64, usize>>> = LazyLock::new(Mutex::default);

/// The place of one page among those of its session.
struct WatcherPermit(u64);

impl WatcherPermit {
    fn take(session: &str) -> Option<Self> {
        let session = hash(session);
        let mut sessions = SESSIONS.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = sessions.entry(session).or_default();
        if *taken >= SESSION_WATCHERS_MAX {
            return None;
        }
        *taken = taken.saturating_add(1);
        Some(Self(session))
    }
}

impl Drop for WatcherPermit {
    fn drop(&mut self) {
        let mut sessions = SESSIONS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(taken) = sessions.get_mut(&self.0) {
            *taken = taken.saturating_sub(1);
            if *taken == 0 {
                sessions.remove(&self.0);
            }
        }
    }
}

static WATCHERS: LazyLock<Arc<Semaphore>> = LazyLock::new(|| Arc::new(Semaphore::new(WATCHERS_MAX)));

struct Watch<F> {
    every: Duration,
    look: F,
    /// What the last look saw, hashed.
    last: Option<u64>,
    looks: u32,
    closing: CancellationToken,
    _permit: OwnedSemaphorePermit,
    _place: WatcherPermit,
}

fn hash(state: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    state.hash(&mut hasher);
    hasher.finish()
}

/// Tells a page whenever `look` sees something else; `session` is what is its session's own.
pub fn watch<F, L, E>(session: &str, every: Duration, look: F, closing: CancellationToken) -> Response
where
    F: Fn() -> L + Send + 'static,
    L: Future<Output = Result<String, E>> + Send,
    E: Send,
{
    let place = WatcherPermit::take(session);
    let (Some(place), Ok(permit)) = (place, Arc::clone(&WATCHERS).try_acquire_owned()) else {
        let again = [(RETRY_AFTER, "10")];
        return (StatusCode::SERVICE_UNAVAILABLE, again).into_response();
    };
    let watch = Watch { every, look, last: None, looks: 0, closing, _permit: permit, _place: place };
    let events = stream::unfold(watch, |mut watch| async move {
        loop {
            if watch.looks >= LOOKS_MAX || watch.closing.is_cancelled() {
                return None;
            }
            if watch.looks > 0 {
                tokio::select! {
                    () = watch.closing.cancelled() => return None,
                    () = tokio::time::sleep(watch.every) => {}
                }
            }
            watch.looks = watch.looks.saturating_add(1);
            // A database that is away for a moment moves nothing.
            let state = (watch.look)().await.ok().map(|state| hash(&state));
            let is_first = state.is_some() && watch.last.is_none();
            let moved = state.is_some() && !is_first && state != watch.last;
            if state.is_some() {
                watch.last = state;
            }
            if is_first {
                // From now on nothing that moves is missed.
                return Some((Ok::<_, Infallible>(Event::default().comment("watching")), watch));
            }
            if moved {
                // A browser passes over an event without data.
                let event = Event::default().event("changed").data("now");
                return Some((Ok::<_, Infallible>(event), watch));
            }
        }
    });
    Sse::new(events).keep_alive(KeepAlive::default()).into_response()
}
