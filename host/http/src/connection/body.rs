//! The body of a request, which comes in time or not at all.

use axum::body::{Body, HttpBody};
use axum::extract::Request;
use futures::{StreamExt, stream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::Instant;

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
        if body.is_end_stream() {
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
