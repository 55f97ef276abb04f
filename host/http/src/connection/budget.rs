//! How many connections a listener has at a time. When there is none left, the open one that waits
//! longest for its client gives way; when none waits, the newcomer is told to come again.
//!
//! Behind a proxy all clients share an address, so that connections are not counted by address.

use super::activity::Activity;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// So many newcomers are told at a time that there are too many connections; the others find their connection closed.
const REFUSED_AT_ONCE_MAX: usize = 64;
/// How long a newcomer that is refused may take to say which HTTP it speaks, and to read its refusal.
const REFUSAL_TIMEOUT: Duration = Duration::from_millis(500);

/// How HTTP/2 begins (RFC 9113, section 3.4).
pub(super) const HTTP2_PREFACE: &[u8] = b"PRI";
/// Settings, then GOAWAY: no stream was looked at, so that all may be sent again (RFC 9113, section 6.8).
const GOAWAY: [u8; 26] = [
    0, 0, 0, 4, 0, 0, 0, 0, 0, // SETTINGS, nothing set
    0, 0, 8, 7, 0, 0, 0, 0, 0, // GOAWAY, 8 bytes
    0, 0, 0, 0, 0, 0, 0, 0, // last stream 0, NO_ERROR
];
const TOO_MANY: &str = "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\ncontent-length: 116\r\n\
    cache-control: no-store\r\nretry-after: 1\r\nconnection: close\r\n\r\n\
    {\"errors\":[{\"field\":\"base\",\"code\":\"tooManyConnections\",\"message\":\"too many connections are open: try again later\"}]}";

/// How many connections a listener may have, and which it has.
#[derive(Debug)]
pub(super) struct Budget {
    max: AtomicUsize,
    open: Mutex<OpenConnections>,
    refusals: Arc<Semaphore>,
}

#[derive(Debug, Default)]
struct OpenConnections {
    by_key: HashMap<u64, Arc<Activity>>,
    next: u64,
}

/// A connection may be open; given back when this is dropped.
#[derive(Debug)]
pub(super) struct ConnectionPermit {
    budget: Arc<Budget>,
    key: u64,
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        self.budget.with(|open| open.by_key.remove(&self.key));
    }
}

impl Budget {
    pub(super) fn new(max: usize) -> Self {
        Self {
            max: AtomicUsize::new(max),
            open: Mutex::default(),
            refusals: Arc::new(Semaphore::new(REFUSED_AT_ONCE_MAX)),
        }
    }

    /// So many from now on. Those that are open beyond it end when they give way.
    pub(super) fn set_max(&self, max: usize) {
        self.max.store(max, Ordering::Relaxed);
    }

    /// Permits a new connection, if there may be one more.
    pub(super) fn enter(self: &Arc<Self>, connection: &Arc<Activity>) -> Option<ConnectionPermit> {
        let key = self.with(|open| {
            if open.by_key.len() >= self.max.load(Ordering::Relaxed) && !open.give_way() {
                return None;
            }
            let key = open.next;
            open.next = key.wrapping_add(1);
            open.by_key.insert(key, Arc::clone(connection));
            Some(key)
        })?;
        Some(ConnectionPermit { budget: Arc::clone(self), key })
    }

    /// Ends the connection that waits longest for its client; false when none waits.
    pub(super) fn give_way(&self) -> bool {
        self.with(OpenConnections::give_way)
    }

    /// Tells a newcomer in its own HTTP that there are too many connections.
    pub(super) fn refuse(&self, mut newcomer: TcpStream) {
        let Ok(refusal) = Arc::clone(&self.refusals).try_acquire_owned() else { return };
        tokio::spawn(async move {
            // Whoever is gone or too slow misses its refusal.
            let _ = timeout(REFUSAL_TIMEOUT, write_refusal(&mut newcomer)).await;
            drop(refusal);
        });
    }

    fn with<T>(&self, change: impl FnOnce(&mut OpenConnections) -> T) -> T {
        // Nothing in here can fail half-way.
        change(&mut self.open.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl OpenConnections {
    fn give_way(&mut self) -> bool {
        let waiting = self.by_key.iter().filter_map(|(key, found)| Some((found.waits_since()?, *key)));
        let Some((_, longest)) = waiting.min() else { return false };
        self.by_key.remove(&longest).is_some_and(|connection| {
            connection.evict();
            true
        })
    }
}

async fn write_refusal(newcomer: &mut TcpStream) -> std::io::Result<()> {
    let mut head = [0; 1024];
    let read = newcomer.read(&mut head).await?;
    let refusal = match head.get(..read) {
        Some(head) if head.starts_with(HTTP2_PREFACE) => &GOAWAY[..],
        _ => TOO_MANY.as_bytes(),
    };
    newcomer.write_all(refusal).await?;
    newcomer.shutdown().await?;
    // A connection that is closed with bytes unread is reset, and the refusal with it.
    while newcomer.read(&mut head).await? > 0 {}
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::activity::OpenRequest;
    use super::*;
    use std::task::Waker;

    #[test]
    fn who_waits_longest_for_its_client_gives_way() {
        let budget = Arc::new(Budget::new(2));
        let [first, second, third, fourth] = [(); 4].map(|()| Arc::new(Activity::default()));
        let open = [&first, &second].map(|connection| budget.enter(connection).unwrap());
        let requests = [&first, &second, &third].map(|connection| OpenRequest::new(Arc::clone(connection)));
        assert!(budget.enter(&third).is_none(), "both are busy");
        let [_first, second_request, _third] = requests;
        drop(second_request);
        second.mark_idle();
        let permit = budget.enter(&third).unwrap();
        assert!(second.is_evicted(Waker::noop()) && !first.is_evicted(Waker::noop()));
        assert!(budget.enter(&fourth).is_none());
        drop(open);
        assert!(budget.enter(&fourth).is_some(), "a permit is free once its connection is gone");
        drop(permit);
        assert_eq!(budget.with(|open| open.by_key.len()), 0);
    }

    #[test]
    fn the_refusal_is_as_long_as_it_says() {
        let (head, body) = TOO_MANY.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("content-length: {}\r\n", body.len())), "{}", body.len());
        let body: serde_json::Value = serde_json::from_str(body).unwrap();
        assert_eq!(body["errors"][0]["code"], gateway_domain::ErrorCode::TooManyConnections.as_str());
    }
}
