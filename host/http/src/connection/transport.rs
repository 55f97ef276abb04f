//! What a connection's bytes travel over: TCP as it is, or TLS on it. A handshake is driven by whoever reads or writes first, so that
//! a client that takes its time with it keeps nobody from being accepted.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;
use tokio_rustls::{Accept, TlsAcceptor};

/// TCP, or TLS on it.
#[derive(Debug)]
pub(super) enum Transport {
    Plain(TcpStream),
    Tls(Box<Encrypted>),
}

/// A TLS connection, from its first byte on.
pub(super) enum Encrypted {
    Handshake(Accept<TcpStream>),
    Open(TlsStream<TcpStream>),
    /// The handshake came to nothing.
    Failed,
}

impl std::fmt::Debug for Encrypted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Handshake(_) => "Handshake",
            Self::Open(_) => "Open",
            Self::Failed => "Failed",
        })
    }
}

impl Encrypted {
    fn poll_open(&mut self, context: &mut Context<'_>) -> Poll<io::Result<&mut TlsStream<TcpStream>>> {
        if let Self::Handshake(accept) = self {
            match ready!(Pin::new(accept).poll(context)) {
                Ok(stream) => *self = Self::Open(stream),
                Err(error) => {
                    *self = Self::Failed;
                    return Poll::Ready(Err(error));
                }
            }
        }
        Poll::Ready(match self {
            Self::Open(stream) => Ok(stream),
            Self::Handshake(_) | Self::Failed => Err(io::ErrorKind::NotConnected.into()),
        })
    }
}

impl Transport {
    pub(super) fn new(stream: TcpStream, tls: Option<&TlsAcceptor>) -> Self {
        match tls {
            None => Self::Plain(stream),
            Some(acceptor) => Self::Tls(Box::new(Encrypted::Handshake(acceptor.accept(stream)))),
        }
    }

    pub(super) const fn is_encrypted(&self) -> bool {
        matches!(self, Self::Tls(_))
    }

    /// Writes what can be written at once, for a client that is left afterwards.
    pub(super) fn try_write(&mut self, bytes: &[u8]) {
        match self {
            // Whoever does not even read this misses nothing.
            Self::Plain(stream) => drop(stream.try_write(bytes)),
            Self::Tls(encrypted) => {
                if let Encrypted::Open(stream) = encrypted.as_mut() {
                    let mut context = Context::from_waker(std::task::Waker::noop());
                    if Pin::new(&mut *stream).poll_write(&mut context, bytes).is_ready() {
                        drop(Pin::new(stream).poll_flush(&mut context));
                    }
                }
            }
        }
    }
}

impl AsyncRead for Transport {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Self::Tls(encrypted) => {
                Pin::new(ready!(encrypted.poll_open(context))?).poll_read(context, buffer)
            }
        }
    }
}

impl AsyncWrite for Transport {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Self::Tls(encrypted) => {
                Pin::new(ready!(encrypted.poll_open(context))?).poll_write(context, bytes)
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(context),
            Self::Tls(encrypted) => match encrypted.as_mut() {
                Encrypted::Open(stream) => Pin::new(stream).poll_flush(context),
                // There is nothing of ours to send yet.
                Encrypted::Handshake(_) | Encrypted::Failed => Poll::Ready(Ok(())),
            },
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Self::Tls(encrypted) => match encrypted.as_mut() {
                Encrypted::Open(stream) => Pin::new(stream).poll_shutdown(context),
                // Nobody was told that there is a connection.
                Encrypted::Handshake(_) | Encrypted::Failed => Poll::Ready(Ok(())),
            },
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write_vectored(context, slices),
            Self::Tls(encrypted) => {
                Pin::new(ready!(encrypted.poll_open(context))?).poll_write_vectored(context, slices)
            }
        }
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Self::Plain(stream) => stream.is_write_vectored(),
            Self::Tls(_) => true,
        }
    }
}
