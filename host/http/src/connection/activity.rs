//! What a connection does at this moment, as others see it: its requests, and since when it waits for its client.

use futures::task::AtomicWaker;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::task::Waker;
use std::time::Duration;
use tokio::time::Instant;

/// How long a client may take nothing of an answer, or send nothing of a body, before another connection may be open in its stead.
const GRACE_MS: u64 = 1_000;

/// Moments are milliseconds since this one, so that they fit an atomic.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// No moment is this one.
const NEVER: u64 = 0;

/// What a connection does. Its own tasks write it, the budget of its listener reads it.
#[derive(Debug, Default)]
pub(super) struct Activity {
    /// Requests whose answers are not written yet.
    open: AtomicUsize,
    /// Whether one ended since the connection was looked at.
    ended: AtomicBool,
    /// Those of which the client has to send, or to take, something now.
    with_client: AtomicUsize,
    /// When a client sent some of a body, or took some of an answer, last.
    progress_at: AtomicU64,
    /// When the connection began to wait for a request; as old as the last one while one is open.
    idle_since: AtomicU64,
    /// Since when the client takes nothing of what is written; [`NEVER`] while it does.
    unwritten_since: AtomicU64,
    /// Whether another connection is open in its stead.
    evicted: AtomicBool,
    /// The task of the connection.
    task: AtomicWaker,
}

impl Activity {
    pub(super) fn request_began(&self) {
        self.open.fetch_add(1, Ordering::AcqRel);
    }

    pub(super) fn request_ended(&self) {
        self.ended.store(true, Ordering::Release);
        self.open.fetch_sub(1, Ordering::AcqRel);
    }

    /// Whether an answer is still owed.
    pub(super) fn is_open(&self) -> bool {
        self.open.load(Ordering::Acquire) > 0
    }

    /// Whether a request ended since this was asked last.
    pub(super) fn take_ended(&self) -> bool {
        self.ended.swap(false, Ordering::AcqRel)
    }

    /// A request waits for its client.
    fn client_has_it(&self) {
        self.progress_at.store(now(), Ordering::Release);
        self.with_client.fetch_add(1, Ordering::AcqRel);
    }

    /// The client did what it had to do with a request, or will never.
    fn client_did_it(&self) {
        self.progress_at.store(now(), Ordering::Release);
        self.with_client.fetch_sub(1, Ordering::AcqRel);
    }

    /// Since when only the client could go on with all that is open; none when something is left to do here.
    fn stalled_since(&self) -> Option<u64> {
        let open = self.open.load(Ordering::Acquire);
        let stalled = open > 0 && self.with_client.load(Ordering::Acquire) >= open;
        stalled.then(|| self.progress_at.load(Ordering::Acquire))
    }

    /// Whether only the client could go on with all that is open, and did nothing for so long.
    pub(super) fn is_stalled_for(&self, time: Duration) -> bool {
        self.stalled_since().is_some_and(|since| Duration::from_millis(now().saturating_sub(since)) >= time)
    }

    /// Whether the client takes nothing at this moment, or has to send something.
    pub(super) fn is_stalled(&self) -> bool {
        self.stalled_since().is_some() || self.unwritten_since.load(Ordering::Acquire) != NEVER
    }

    /// From now on it waits for a request, or for the rest of one.
    pub(super) fn mark_idle(&self) {
        self.idle_since.store(now(), Ordering::Release);
    }

    /// Whether the client takes what is written.
    pub(super) fn mark_writing(&self, goes_on: bool) {
        self.unwritten_since.store(if goes_on { NEVER } else { now() }, Ordering::Release);
    }

    /// Since when it waits for its client; none while it does not, or not for longer than it may.
    pub(super) fn waits_since(&self) -> Option<u64> {
        let unwritten = Some(self.unwritten_since.load(Ordering::Acquire)).filter(|since| *since != NEVER);
        let stalled = unwritten.or_else(|| self.stalled_since()).map(|since| since.saturating_add(GRACE_MS));
        let idle = || (!self.is_open()).then(|| self.idle_since.load(Ordering::Acquire));
        stalled.or_else(idle).filter(|since| *since <= now())
    }

    /// Another connection is open in its stead: its task ends it.
    pub(super) fn evict(&self) {
        self.evicted.store(true, Ordering::Release);
        self.task.wake();
    }

    /// Whether another one is open in its stead. `task` is woken when that changes.
    pub(super) fn is_evicted(&self, task: &Waker) -> bool {
        self.task.register(task);
        self.evicted.load(Ordering::Acquire)
    }
}

/// A request of a connection; over when this is dropped.
#[derive(Debug)]
pub(super) struct OpenRequest(Arc<Activity>);

impl OpenRequest {
    pub(super) fn new(activity: Arc<Activity>) -> Self {
        activity.request_began();
        Self(activity)
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.0.request_ended();
    }
}

/// Whether one direction of a request waits for its client.
#[derive(Debug)]
pub(super) struct ClientWait {
    request: Arc<OpenRequest>,
    waits: bool,
}

impl ClientWait {
    pub(super) const fn new(request: Arc<OpenRequest>) -> Self {
        Self { request, waits: false }
    }

    pub(super) fn set(&mut self, waits: bool) {
        match (std::mem::replace(&mut self.waits, waits), waits) {
            (false, true) => self.request.0.client_has_it(),
            (true, false) => self.request.0.client_did_it(),
            (true, true) | (false, false) => {}
        }
    }
}

impl Drop for ClientWait {
    fn drop(&mut self) {
        self.set(false);
    }
}

/// Never [`NEVER`].
fn now() -> u64 {
    let since = Instant::now().saturating_duration_since(*START).as_millis();
    u64::try_from(since).unwrap_or(u64::MAX).saturating_add(1)
}
