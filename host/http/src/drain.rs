//! What nobody reads of a body is read and thrown away. A client that sends all of it before it reads the answer, as
//! many do, would else find the connection closed, and never learn why its request was refused.

use axum::body::{Body, BodyDataStream, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::Version;
use axum::http::header::EXPECT;
use futures::{Stream, StreamExt};
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::runtime::Handle;
use tokio::time::Instant;

/// Most that is thrown away, bytes. Whoever sends more finds the connection closed.
const DISCARDED_BYTES_MAX: usize = 64 << 20;

/// The request with a body of which the rest is thrown away when it is dropped, until `until`. `busy` lives until the
/// body is over.
pub(crate) fn draining<B: Send + 'static>(request: Request, until: Instant, busy: B) -> Request {
    // Streams of HTTP/2 are closed one by one, and their clients are told.
    let apart = request.version() >= Version::HTTP_2;
    let asks_first = request.headers().get(EXPECT).is_some_and(|value| value == "100-continue");
    request.map(|body| {
        if apart || body.is_end_stream() {
            return body;
        }
        let chunks = Some(body.into_data_stream());
        Body::from_stream(Draining { chunks, unasked: asks_first, until, busy: Some(busy) })
    })
}

/// A body. Who waits to be asked for it sends nothing before somebody reads.
#[derive(Debug)]
struct Draining<B: Send + 'static> {
    chunks: Option<BodyDataStream>,
    unasked: bool,
    until: Instant,
    busy: Option<B>,
}

// Nothing of it is pinned.
impl<B: Send + 'static> Unpin for Draining<B> {}

impl<B: Send + 'static> Stream for Draining<B> {
    type Item = Result<Bytes, axum::Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        this.unasked = false;
        let Some(chunks) = &mut this.chunks else { return Poll::Ready(None) };
        let chunk = chunks.poll_next_unpin(context);
        if matches!(chunk, Poll::Ready(None | Some(Err(_)))) {
            this.chunks = None;
            this.busy = None;
        }
        chunk
    }
}

impl<B: Send + 'static> Drop for Draining<B> {
    fn drop(&mut self) {
        let Some(rest) = self.chunks.take().filter(|_| !self.unasked) else { return };
        let (until, busy) = (self.until, self.busy.take());
        // Without a runtime there is no connection either.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move {
                // Who does not send it in time finds the connection closed too.
                let _ = tokio::time::timeout_at(until, throw_away(rest)).await;
                drop(busy);
            });
        }
    }
}

async fn throw_away(mut rest: BodyDataStream) {
    let mut left = DISCARDED_BYTES_MAX;
    while let Some(Ok(chunk)) = rest.next().await {
        let Some(less) = left.checked_sub(chunk.len()) else { return };
        left = less;
    }
}
