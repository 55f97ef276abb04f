//! Connections whose clients take their time, and how many there are at once: the head and the body of a request come
//! within some seconds, or the connection answers 408 and ends; an answer is taken within some seconds; an idle connection
//! is kept for the next request, and not for ever, and gives way when there are too many.
//!
//! The head is watched where its bytes arrive, the body where a handler reads it ([`timed`]), the answer where it is written
//! (HTTP/1) or handed over (HTTP/2, whose flow control stops single streams); while a handler works nothing is watched.
//!
//! Every request waits for a turn of its connection, behind the others that are about to begin: many requests on one
//! connection take no more of the processor than one.
//!
//! hyper's own `header_read_timeout` (and so hyper-util's and axum-server's) has one time for an idle connection and for a
//! head, closes without the answer 408, and knows no time for a body or an answer; none of them counts connections. Stopping
//! and draining are axum's.

mod activity;
mod body;
mod budget;
mod certificates;
mod stream;
mod tls;
mod transport;

pub(crate) use body::timed;
pub use certificates::{CertificateState, Certificates};
pub use stream::TimedStream;
pub use tls::{TlsError, TlsFiles, TlsIdentity};

use crate::drain::draining;
use crate::errors::ApiErrors;
use activity::{Activity, ClientWait, OpenRequest};
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::connect_info::Connected;
use axum::extract::{ConnectInfo, Request};
use axum::http::header::{CONTENT_LENGTH, HOST};
use axum::http::{StatusCode, Version};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::serve::{IncomingStream, Listener};
use budget::Budget;
use gateway_domain::ErrorCode;
use http_body::{Frame, SizeHint};
use std::error::Error;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::yield_now;
use tokio::time::{Instant, sleep};
use tokio_rustls::TlsAcceptor;
use transport::Transport;

/// How long the listener rests when the system gives it no connection.
const ACCEPT_BACKOFF: Duration = Duration::from_millis(50);

/// How long is waited for a client.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// From the first byte of a head to its end.
    pub head: Duration,
    /// For a whole body, from the end of the head.
    pub body: Duration,
    /// For the first byte of the next request.
    pub idle: Duration,
    /// Until a client takes something of what is written to it.
    pub write: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { head: seconds(10), body: seconds(10), idle: seconds(75), write: seconds(30) }
    }
}

/// A listener whose connections are watched and counted.
pub struct TimedListener {
    listener: TcpListener,
    timeouts: Timeouts,
    budget: Arc<Budget>,
    /// None: connections are not encrypted here.
    tls: Option<TlsAcceptor>,
}

impl fmt::Debug for TimedListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_encrypted = self.tls.is_some();
        f.debug_struct("TimedListener").field("tls", &is_encrypted).finish_non_exhaustive()
    }
}

impl TimedListener {
    /// With so many connections at a time.
    pub fn new(listener: TcpListener, timeouts: Timeouts, connections_max: usize) -> Self {
        Self { listener, timeouts, budget: Arc::new(Budget::new(connections_max)), tls: None }
    }

    /// The same over TLS.
    ///
    /// # Errors
    /// TLS cannot be set up.
    pub fn with_tls(mut self, identity: &TlsIdentity) -> Result<Self, rustls::Error> {
        self.tls = Some(identity.acceptor()?);
        Ok(self)
    }

    /// Changes how many connections it has, while it listens.
    pub fn limit(&self) -> ConnectionLimit {
        ConnectionLimit(Arc::clone(&self.budget))
    }
}

/// How many connections a listener has at a time. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ConnectionLimit(Arc<Budget>);

impl ConnectionLimit {
    /// So many from now on.
    pub fn set(&self, connections_max: usize) {
        self.0.set_max(connections_max);
    }
}

impl Listener for TimedListener {
    type Io = TimedStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (TimedStream, SocketAddr) {
        loop {
            match self.listener.accept().await {
                Ok((stream, address)) => {
                    let activity = Arc::<Activity>::default();
                    match self.budget.enter(&activity) {
                        Some(permit) => {
                            let transport = Transport::new(stream, self.tls.as_ref());
                            return (TimedStream::new(transport, self.timeouts, activity, permit), address);
                        }
                        None => self.budget.refuse(stream),
                    }
                }
                // The client went away before it was accepted.
                Err(error) if is_of_one_connection(&error) => {}
                Err(error) => {
                    tracing::error!(error = &error as &dyn Error, "No connection can be taken: {error}");
                    self.budget.give_way();
                    sleep(ACCEPT_BACKOFF).await;
                }
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind as K;
    [K::ConnectionRefused, K::ConnectionAborted, K::ConnectionReset].contains(&error.kind())
}

/// What a request knows of its connection.
#[derive(Debug, Clone)]
pub struct Connection {
    address: SocketAddr,
    timeouts: Timeouts,
    activity: Arc<Activity>,
    yielding: Arc<Semaphore>,
    encrypted: bool,
}

/// Stands with the extensions of a request that came over TLS of this process.
#[derive(Debug, Clone, Copy)]
pub struct OverTls;

impl Connection {
    /// Lets every other task go on that is ready to; of the requests of this connection one at a time. Without it a client
    /// that sends many requests at once has them all answered before anybody else's turn comes.
    async fn yield_to_others(&self) {
        // It is never closed.
        let permit = self.yielding.acquire().await;
        yield_now().await;
        drop(permit);
    }
}

impl Connected<IncomingStream<'_, TimedListener>> for Connection {
    fn connect_info(stream: IncomingStream<'_, TimedListener>) -> Self {
        let watched = stream.io();
        Self {
            address: *stream.remote_addr(),
            timeouts: watched.timeouts(),
            activity: watched.activity(),
            yielding: Arc::new(Semaphore::new(1)),
            encrypted: watched.is_encrypted(),
        }
    }
}

/// Whether a proxy before the gateway and the gateway would agree to whom a request is sent (RFC 9112, section 3.2; RFC 9113,
/// section 8.3.1).
fn names_one_host(request: &Request) -> bool {
    let hosts = request.headers().get_all(HOST).iter().count();
    match request.version() {
        Version::HTTP_09 | Version::HTTP_10 => hosts <= 1,
        Version::HTTP_11 => hosts == 1,
        _ => hosts <= 1 && (hosts == 1 || request.uri().authority().is_some()),
    }
}

/// Around everything else: the connection is busy until the answer is written and nothing of the body comes any more, and
/// handlers learn who is at its other end.
pub(crate) async fn busy(mut request: Request, next: Next) -> Response {
    let Some(ConnectInfo(connection)) = request.extensions_mut().remove::<ConnectInfo<Connection>>() else {
        return next.run(request).await;
    };
    let open = Arc::new(OpenRequest::new(Arc::clone(&connection.activity)));
    connection.yield_to_others().await;
    if !names_one_host(&request) {
        let message = "a request names its host once: send the header Host";
        return ApiErrors::base(StatusCode::BAD_REQUEST, ErrorCode::RequestMalformed, message)
            .into_response();
    }
    request.extensions_mut().insert(ConnectInfo(connection.address));
    if connection.encrypted {
        request.extensions_mut().insert(OverTls);
    }
    if !request.body().is_end_stream() {
        let wait = ClientWait::new(Arc::clone(&open));
        request = request.map(|body| Body::new(Watched { body, is_sent: true, wait }));
    }
    if let Some(until) = Instant::now().checked_add(connection.timeouts.body) {
        request = draining(request, until, Arc::clone(&open));
    }
    let response = next.run(request).await;
    // The body around the body does not know how long it is.
    let length = response.body().size_hint().exact();
    let mut response = response
        .map(|body| Body::new(Watched { body, is_sent: false, wait: ClientWait::new(Arc::clone(&open)) }));
    if let Some(length) = length {
        response.headers_mut().entry(CONTENT_LENGTH).or_insert(length.into());
    }
    response
}

/// A body that shows whether it waits for the client: of a request, while nothing comes; of an answer, once a part of it was
/// handed over.
#[derive(Debug)]
struct Watched {
    body: Body,
    /// Whether the client sends it.
    is_sent: bool,
    wait: ClientWait,
}

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = self.get_mut();
        this.wait.set(false);
        let frame = Pin::new(&mut this.body).poll_frame(context);
        let is_part = matches!(frame, Poll::Ready(Some(Ok(_))));
        this.wait.set(if this.is_sent { frame.is_pending() } else { is_part });
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests;
