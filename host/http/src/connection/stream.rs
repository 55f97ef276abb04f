//! A connection that ends when its client takes too long: with a head, with reading what is written to it, or with
//! saying anything at all; or when another one is opened in its stead.

use super::Timeouts;
use super::activity::Activity;
use super::budget::{ConnectionPermit, HTTP2_PREFACE};
use super::transport::Transport;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

/// What is waited for, and until when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReadPhase {
    /// The first byte of a request.
    Idle,
    /// The end of a head that has begun.
    Head,
    /// Nothing that is read: a request is open, or was when somebody looked last.
    Open,
    /// Nothing any more: the client was too slow.
    Over,
}

/// A watched connection.
#[derive(Debug)]
pub struct TimedStream {
    stream: Transport,
    timeouts: Timeouts,
    activity: Arc<Activity>,
    phase: ReadPhase,
    /// Streams of HTTP/2 share a connection: its bytes do not say where a head begins.
    shared: bool,
    began: bool,
    timer: Pin<Box<Sleep>>,
    /// While the client takes nothing of what is written.
    write_timer: Option<Pin<Box<Sleep>>>,
    /// Free again when the connection is gone.
    _permit: ConnectionPermit,
}

impl TimedStream {
    pub(super) fn new(
        stream: Transport,
        timeouts: Timeouts,
        activity: Arc<Activity>,
        permit: ConnectionPermit,
    ) -> Self {
        activity.mark_idle();
        Self {
            stream,
            timeouts,
            activity,
            phase: ReadPhase::Idle,
            shared: false,
            began: false,
            timer: Box::pin(tokio::time::sleep(timeouts.idle)),
            write_timer: None,
            _permit: permit,
        }
    }

    pub(super) fn activity(&self) -> Arc<Activity> {
        Arc::clone(&self.activity)
    }

    pub(super) const fn is_encrypted(&self) -> bool {
        self.stream.is_encrypted()
    }

    pub(super) const fn timeouts(&self) -> Timeouts {
        self.timeouts
    }

    fn wait(&mut self, phase: ReadPhase, time: Duration) {
        self.phase = phase;
        if phase != ReadPhase::Open {
            self.activity.mark_idle();
        }
        if let Some(until) = Instant::now().checked_add(time) {
            self.timer.as_mut().reset(until);
        }
    }

    /// Looks at what became of the requests.
    fn poll_phase(&mut self) {
        if self.activity.is_open() {
            if self.phase != ReadPhase::Open {
                self.wait(ReadPhase::Open, self.timeouts.write);
            }
        } else if self.activity.take_ended() || self.phase == ReadPhase::Open {
            self.wait(ReadPhase::Idle, self.timeouts.idle);
        }
    }

    /// What came, if anything.
    fn on_bytes(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        if !self.began {
            self.began = true;
            self.shared = bytes.starts_with(HTTP2_PREFACE);
        }
        if self.phase == ReadPhase::Idle {
            if self.shared {
                self.wait(ReadPhase::Idle, self.timeouts.idle);
            } else {
                self.wait(ReadPhase::Head, self.timeouts.head);
            }
        }
    }

    /// The client was too slow: a head that began is answered, as far as that is possible at once.
    fn end(&mut self) -> io::Error {
        if self.phase == ReadPhase::Head {
            self.stream.try_write(TOO_SLOW.as_bytes());
        }
        self.phase = ReadPhase::Over;
        io::Error::new(
            io::ErrorKind::TimedOut,
            "the client did not send its request, or read its answer, in time",
        )
    }

    /// What a read comes to whose time is over; none when it was not to be over yet.
    fn timed_out(&mut self, nothing_came: bool) -> Option<io::Result<()>> {
        match self.phase {
            // As if the client had closed it.
            ReadPhase::Idle if nothing_came => {
                self.phase = ReadPhase::Over;
                Some(Ok(()))
            }
            ReadPhase::Head => Some(Err(self.end())),
            // What HTTP/1 does not take is seen where it is written.
            ReadPhase::Open if self.shared && self.activity.is_stalled_for(self.timeouts.write) => {
                Some(Err(self.end()))
            }
            ReadPhase::Open => {
                self.wait(ReadPhase::Open, self.timeouts.write);
                None
            }
            ReadPhase::Idle | ReadPhase::Over => None,
        }
    }

    /// What a read comes to once another connection is open in its stead; none when a request came in the same moment, which is answered.
    fn gives_way(&mut self) -> Option<io::Result<()>> {
        match self.phase {
            ReadPhase::Idle => {
                self.phase = ReadPhase::Over;
                Some(Ok(()))
            }
            ReadPhase::Head => Some(Err(self.end())),
            ReadPhase::Open => self.activity.is_stalled().then(|| Err(self.end())),
            ReadPhase::Over => None,
        }
    }

    /// What became of a write: as long as the client takes nothing, its time runs.
    fn time_write<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            if self.write_timer.take().is_some() {
                self.activity.mark_writing(true);
            }
            return written;
        }
        let timeout = self.timeouts.write;
        let timer = self.write_timer.get_or_insert_with(|| {
            self.activity.mark_writing(false);
            Box::pin(tokio::time::sleep(timeout))
        });
        let is_over = timer.as_mut().poll(context).is_ready();
        if is_over || self.activity.is_evicted(context.waker()) {
            Poll::Ready(Err(self.end()))
        } else {
            Poll::Pending
        }
    }
}

const TOO_SLOW: &str = "HTTP/1.1 408 Request Timeout\r\ncontent-type: application/json\r\ncontent-length: 109\r\n\
    cache-control: no-store\r\nconnection: close\r\n\r\n\
    {\"errors\":[{\"field\":\"base\",\"code\":\"requestTimeout\",\"message\":\"the request did not come in time: repeat it\"}]}";

impl AsyncRead for TimedStream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.phase == ReadPhase::Over {
            return Poll::Ready(Ok(()));
        }
        this.poll_phase();
        let before = buffer.filled().len();
        let read = Pin::new(&mut this.stream).poll_read(context, buffer);
        if read.is_ready() {
            this.on_bytes(buffer.filled().get(before..).unwrap_or_default());
        } else if this.activity.is_evicted(context.waker())
            && let Some(over) = this.gives_way()
        {
            return Poll::Ready(over);
        }
        // Resetting a timer that is over lets it run again; only its next poll asks to be woken.
        while this.timer.as_mut().poll(context).is_ready() {
            if let Some(over) = this.timed_out(read.is_pending()) {
                return Poll::Ready(over);
            }
            if this.phase != ReadPhase::Open {
                break;
            }
        }
        read
    }
}

impl AsyncWrite for TimedStream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write(context, bytes);
        this.time_write(context, written)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let flushed = Pin::new(&mut this.stream).poll_flush(context);
        this.time_write(context, flushed)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let shut = Pin::new(&mut this.stream).poll_shutdown(context);
        this.time_write(context, shut)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write_vectored(context, slices);
        this.time_write(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_to_a_slow_head_is_as_long_as_it_says() {
        let (head, body) = TOO_SLOW.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("content-length: {}\r\n", body.len())), "{}", body.len());
    }
}
