//! Endpoints that answer at once, and endpoints that never do.

use crate::stage::BenchError;
use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

const ANSWER: &[u8] = b"HTTP/1.1 204 No Content\r\n\r\n";
/// Longest wait for everything.
const TIMEOUT: Duration = Duration::from_mins(5);

/// Where webhooks arrive.
pub(crate) struct Receivers {
    /// Where the endpoints that answer are, each under a path of its own.
    pub(crate) healthy: String,
    /// Where those are that do not.
    pub(crate) dead: String,
    /// How many answer.
    pub(crate) count: usize,
    log: Arc<ReceiverLog>,
}

struct ReceiverLog {
    expected: usize,
    arrived: Mutex<Arrivals>,
    all: Notify,
    to_dead: AtomicUsize,
}

#[derive(Default)]
struct Arrivals {
    /// Path and `webhook-id`.
    delivered: HashSet<(String, String)>,
    first: Option<Instant>,
    last: Option<Instant>,
    twice: usize,
}

/// What arrived.
#[derive(Debug)]
pub(crate) struct Delivered {
    pub(crate) first: Instant,
    pub(crate) last: Instant,
    /// Requests that told what was told before.
    pub(crate) twice: usize,
    /// Requests that were never answered.
    pub(crate) to_dead: usize,
}

impl Receivers {
    /// Waits for `each` webhooks at each of `count` endpoints.
    pub(crate) async fn start(count: usize, each: usize) -> Result<Self, BenchError> {
        let log = Arc::new(ReceiverLog {
            expected: count * each,
            arrived: Mutex::default(),
            all: Notify::new(),
            to_dead: AtomicUsize::new(0),
        });
        let healthy = TcpListener::bind("127.0.0.1:0").await?;
        let dead = TcpListener::bind("127.0.0.1:0").await?;
        let urls = (format!("http://{}", healthy.local_addr()?), format!("http://{}", dead.local_addr()?));
        let kept = Arc::clone(&log);
        tokio::spawn(async move {
            while let Ok((stream, _)) = healthy.accept().await {
                // A gateway that ends breaks its connections off.
                tokio::spawn(answers(stream, Arc::clone(&kept)));
            }
        });
        let kept = Arc::clone(&log);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = dead.accept().await {
                kept.to_dead.fetch_add(1, Ordering::Relaxed);
                tokio::spawn(
                    async move { while stream.read(&mut [0; 4096]).await.is_ok_and(|read| read > 0) {} },
                );
            }
        });
        Ok(Self { healthy: urls.0, dead: urls.1, count, log })
    }

    /// Waits until every endpoint that answers has everything.
    pub(crate) async fn all_arrived(&self) -> Result<Delivered, BenchError> {
        tokio::time::timeout(TIMEOUT, self.log.all.notified()).await.map_err(|_| "not everything arrived")?;
        let arrived = self.log.arrived.lock().unwrap_or_else(PoisonError::into_inner);
        let (first, last) = arrived.first.zip(arrived.last).ok_or("nothing arrived")?;
        Ok(Delivered { first, last, twice: arrived.twice, to_dead: self.log.to_dead.load(Ordering::Relaxed) })
    }
}

impl ReceiverLog {
    fn note(&self, path: &str, id: &str) {
        let now = Instant::now();
        let mut arrived = self.arrived.lock().unwrap_or_else(PoisonError::into_inner);
        if !arrived.delivered.insert((path.to_owned(), id.to_owned())) {
            arrived.twice += 1;
            return;
        }
        arrived.first.get_or_insert(now);
        arrived.last = Some(now);
        if arrived.delivered.len() == self.expected {
            self.all.notify_one();
        }
    }
}

/// Answers request after request of a connection.
async fn answers(mut stream: TcpStream, log: Arc<ReceiverLog>) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut bytes = Vec::new();
    loop {
        let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else {
            if stream.read_buf(&mut bytes).await? == 0 {
                return Ok(());
            }
            continue;
        };
        let head = String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).into_owned();
        let header = |name: &str| {
            let found = head.lines().find(|line| line.to_ascii_lowercase().starts_with(name));
            found.and_then(|line| line.split_once(": ")).map(|(_, value)| value.trim().to_owned())
        };
        let length: usize = header("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
        let whole = end + 4 + length;
        while bytes.len() < whole {
            if stream.read_buf(&mut bytes).await? == 0 {
                return Ok(());
            }
        }
        bytes.drain(..whole);
        log.note(head.split(' ').nth(1).unwrap_or_default(), &header("webhook-id").unwrap_or_default());
        stream.write_all(ANSWER).await?;
    }
}
