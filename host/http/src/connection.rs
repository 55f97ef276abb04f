//! Connections whose clients take their time: the head and the body of a request come within some seconds, or the
//! connection answers 408 and ends. An idle connection is kept for the next request, and not for ever.
//!
//! The head is watched where its bytes arrive, the body where a handler reads it ([`timed`]); between the two, and until
//! an answer is written, the connection is busy and nothing is watched.
//!
//! hyper's own `header_read_timeout` (and so hyper-util's and axum-server's) has one time for an idle connection and for a
//! head, closes without the answer 408, and knows no time for a body; stopping and draining are axum's.

use crate::drain::draining;
use axum::body::{Body, HttpBody};
use axum::extract::connect_info::Connected;
use axum::extract::{ConnectInfo, Request};
use axum::http::header::CONTENT_LENGTH;
use axum::middleware::Next;
use axum::response::Response;
use axum::serve::{IncomingStream, Listener};
use futures::{StreamExt, stream};
use http_body_util::BodyExt;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, Sleep};

/// How long is waited for a client.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// From the first byte of a head to its end.
    pub head: Duration,
    /// For a whole body, from the end of the head.
    pub body: Duration,
    /// For the first byte of the next request.
    pub idle: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { head: seconds(10), body: seconds(10), idle: seconds(75) }
    }
}

/// A listener whose connections are watched.
#[derive(Debug)]
pub struct TimedListener {
    pub listener: TcpListener,
    pub timeouts: Timeouts,
}

impl Listener for TimedListener {
    type Io = TimedStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (TimedStream, SocketAddr) {
        let (stream, address) = Listener::accept(&mut self.listener).await;
        (TimedStream::new(stream, self.timeouts), address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// What a request knows of its connection.
#[derive(Debug, Clone)]
pub struct Connection {
    address: SocketAddr,
    timeouts: Timeouts,
    requests: Arc<Requests>,
}

impl Connected<IncomingStream<'_, TimedListener>> for Connection {
    fn connect_info(stream: IncomingStream<'_, TimedListener>) -> Self {
        let watched = stream.io();
        let requests = Arc::clone(&watched.requests);
        Self { address: *stream.remote_addr(), timeouts: watched.timeouts, requests }
    }
}

/// The requests of a connection.
#[derive(Debug, Default)]
struct Requests {
    /// Those whose answers are not written yet.
    open: AtomicUsize,
    /// Whether one ended since the connection was looked at.
    ended: AtomicBool,
}

/// Counts while it lives.
#[derive(Debug)]
struct Open(Arc<Requests>);

impl Open {
    fn new(requests: Arc<Requests>) -> Self {
        requests.open.fetch_add(1, Ordering::AcqRel);
        Self(requests)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.ended.store(true, Ordering::Release);
        self.0.open.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Around everything else: the connection is busy until the answer is written and nothing of the body comes any more, and
/// handlers learn who is at its other end.
pub(crate) async fn busy(mut request: Request, next: Next) -> Response {
    let Some(ConnectInfo(connection)) = request.extensions_mut().remove::<ConnectInfo<Connection>>() else {
        return next.run(request).await;
    };
    let open = Arc::new(Open::new(connection.requests));
    request.extensions_mut().insert(ConnectInfo(connection.address));
    if let Some(until) = Instant::now().checked_add(connection.timeouts.body) {
        request = draining(request, until, Arc::clone(&open));
    }
    let response = next.run(request).await;
    // The body around the body does not know how long it is.
    let length = response.body().size_hint().exact();
    let mut response = response.map(|body| {
        Body::new(body.map_frame(move |frame| {
            let _until_it_is_written = &open;
            frame
        }))
    });
    if let Some(length) = length {
        response.headers_mut().entry(CONTENT_LENGTH).or_insert(length.into());
    }
    response
}

/// What is waited for, and until when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReadPhase {
    /// The first byte of a request.
    Idle,
    /// The end of a head that has begun.
    Head,
    /// Nothing: a request is open, or was when somebody looked last.
    Nothing,
    /// Nothing any more: the client was too slow.
    Over,
}

/// A connection that ends when its client takes too long.
#[derive(Debug)]
pub struct TimedStream {
    stream: TcpStream,
    timeouts: Timeouts,
    requests: Arc<Requests>,
    waiting: ReadPhase,
    /// Streams of HTTP/2 share a connection: its bytes do not say where a head begins.
    shared: bool,
    began: bool,
    timer: Pin<Box<Sleep>>,
}

impl TimedStream {
    fn new(stream: TcpStream, timeouts: Timeouts) -> Self {
        Self {
            stream,
            timeouts,
            requests: Arc::default(),
            waiting: ReadPhase::Idle,
            shared: false,
            began: false,
            timer: Box::pin(tokio::time::sleep(timeouts.idle)),
        }
    }

    fn wait(&mut self, waiting: ReadPhase, time: Duration) {
        self.waiting = waiting;
        if let Some(until) = Instant::now().checked_add(time) {
            self.timer.as_mut().reset(until);
        }
    }

    /// Looks at what became of the requests.
    fn poll_phase(&mut self) {
        if self.requests.open.load(Ordering::Acquire) > 0 {
            self.waiting = ReadPhase::Nothing;
        } else if self.requests.ended.swap(false, Ordering::AcqRel) || self.waiting == ReadPhase::Nothing {
            self.wait(ReadPhase::Idle, self.timeouts.idle);
        }
    }

    /// What came, if anything.
    fn came(&mut self, bytes: &[u8]) {
        if !self.began && !bytes.is_empty() {
            self.began = true;
            self.shared = bytes.starts_with(b"PRI");
        }
        if !bytes.is_empty() && self.waiting == ReadPhase::Idle {
            if self.shared {
                self.wait(ReadPhase::Idle, self.timeouts.idle);
            } else {
                self.wait(ReadPhase::Head, self.timeouts.head);
            }
        }
    }

    /// The client was too slow: a head that began is answered, as far as that is possible at once.
    fn end(&mut self) -> io::Error {
        if self.waiting == ReadPhase::Head {
            // Whoever does not even read this misses nothing.
            let _ = self.stream.try_write(TOO_SLOW.as_bytes());
        }
        self.waiting = ReadPhase::Over;
        io::Error::new(io::ErrorKind::TimedOut, "the client did not send its request in time")
    }
}

const TOO_SLOW: &str = "HTTP/1.1 408 Request Timeout\r\ncontent-type: application/json\r\ncontent-length: 85\r\n\
    cache-control: no-store\r\nconnection: close\r\n\r\n\
    {\"errors\":[{\"field\":\"base\",\"message\":\"the request did not come in time: repeat it\"}]}";

impl AsyncRead for TimedStream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.waiting == ReadPhase::Over {
            return Poll::Ready(Ok(()));
        }
        this.poll_phase();
        let before = buffer.filled().len();
        let read = Pin::new(&mut this.stream).poll_read(context, buffer);
        if read.is_ready() {
            this.came(buffer.filled().get(before..).unwrap_or_default());
        }
        let watched = matches!(this.waiting, ReadPhase::Idle | ReadPhase::Head);
        if watched && this.timer.as_mut().poll(context).is_ready() {
            if this.waiting == ReadPhase::Idle && read.is_pending() {
                // As if the client had closed it.
                this.waiting = ReadPhase::Over;
                return Poll::Ready(Ok(()));
            }
            if this.waiting == ReadPhase::Head {
                return Poll::Ready(Err(this.end()));
            }
        }
        read
    }
}

impl AsyncWrite for TimedStream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(context, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

/// Says afterwards whether a body did not come in time.
#[derive(Debug, Clone, Default)]
pub(crate) struct BodyTimeout(Arc<AtomicBool>);

impl BodyTimeout {
    pub(crate) fn is(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// The request with a body that fails when it is not there within `time`.
pub(crate) fn timed(request: Request, time: Duration) -> (Request, BodyTimeout) {
    let late = BodyTimeout::default();
    let Some(until) = Instant::now().checked_add(time) else { return (request, late) };
    let timeout = late.clone();
    let timed = request.map(|body| {
        if axum::body::HttpBody::is_end_stream(&body) {
            return body;
        }
        let chunks = stream::unfold(Some(body.into_data_stream()), move |chunks| {
            let timeout = timeout.clone();
            async move {
                let mut chunks = chunks?;
                match tokio::time::timeout_at(until, chunks.next()).await {
                    Ok(chunk) => chunk.map(|chunk| (chunk, Some(chunks))),
                    Err(late) => {
                        timeout.0.store(true, Ordering::Release);
                        Some((Err(axum::Error::new(late)), None))
                    }
                }
            }
        });
        Body::from_stream(chunks)
    });
    (timed, late)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::routing::get;
    use axum::{Router, middleware};
    use tower::ServiceExt;

    #[tokio::test]
    async fn an_answer_says_how_long_it_is() {
        let router =
            Router::new().route("/", get(|| async { "twelve bytes" })).layer(middleware::from_fn(busy));
        let requests = Arc::new(Requests::default());
        let address = SocketAddr::from(([127, 0, 0, 1], 1));
        let mut request = Request::new(Body::empty());
        request.extensions_mut().insert(ConnectInfo(Connection {
            address,
            timeouts: Timeouts::default(),
            requests: Arc::clone(&requests),
        }));
        let response = router.oneshot(request).await.unwrap();
        assert_eq!(response.headers()[CONTENT_LENGTH], "12");
        assert_eq!(requests.open.load(Ordering::Acquire), 1, "until it is written");
        assert_eq!(response.into_body().collect().await.unwrap().to_bytes(), "twelve bytes");
        assert_eq!(requests.open.load(Ordering::Acquire), 0);
    }
}
