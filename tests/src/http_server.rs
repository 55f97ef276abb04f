//! Just enough of an HTTP server to answer wrongly: it can close the connection where an answer belongs.

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimePrinter;
use serde_json::Value;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// Largest request, bytes.
const REQUEST_BYTES_MAX: usize = 16 * 1024 * 1024;

/// A request, read whole.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Value,
    /// The same as it came.
    pub(crate) bytes: Vec<u8>,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }
}

/// What is done with a request.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// An answer with headers of its own.
    Answer(u16, Vec<(&'static str, String)>, String),
    /// The connection is closed without one.
    Close,
    /// An answer that takes its time.
    Later(Duration, Box<Self>),
    /// No answer, and the connection stays open until the caller gives up.
    Hang,
}

impl Reply {
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::Answer(status, Vec::new(), body.to_string())
    }
}

/// A server; it ends when dropped.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) addr: SocketAddr,
    task: JoinHandle<()>,
}

impl Server {
    /// Answers every request with what `answer` says, one request a connection.
    pub(crate) async fn start(answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        Self::start_async(move |request| std::future::ready(answer(&request))).await
    }

    /// The same with answers that take their time.
    pub(crate) async fn start_async<F: Future<Output = Reply> + Send>(
        answer: impl Fn(Request) -> F + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("there is a free port");
        let addr = listener.local_addr().expect("a bound listener has an address");
        let answer = Arc::new(answer);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let answer = Arc::clone(&answer);
                tokio::spawn(async move {
                    // A caller that goes away is a killed gateway, and no failure.
                    let _ = exchange(stream, answer.as_ref()).await;
                });
            }
        });
        Self { addr, task }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn exchange<F: Future<Output = Reply> + Send>(
    mut stream: TcpStream,
    answer: &(impl Fn(Request) -> F + Sync),
) -> std::io::Result<()> {
    let Some(request) = read(&mut stream).await? else { return Ok(()) };
    let mut reply = answer(request).await;
    while let Reply::Later(wait, then) = reply {
        tokio::time::sleep(wait).await;
        reply = *then;
    }
    if let Reply::Hang = reply {
        return stream.read(&mut [0]).await.map(drop);
    }
    if let Reply::Answer(status, headers, body) = reply {
        let more =
            headers.iter().fold(String::new(), |more, (name, value)| more + name + ": " + value + "\r\n");
        let date = date()?;
        let head = format!(
            "HTTP/1.1 {status} Scripted\r\ndate: {date}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n{more}\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(body.as_bytes()).await?;
    }
    stream.shutdown().await
}

/// What time it is here, as every server that has a clock tells it (RFC 9110, 6.6.1).
#[expect(clippy::disallowed_methods, reason = "a server of others, with the clock of the machine")]
fn date() -> std::io::Result<String> {
    DateTimePrinter::new().timestamp_to_rfc9110_string(&Timestamp::now()).map_err(std::io::Error::other)
}

async fn read(stream: &mut TcpStream) -> std::io::Result<Option<Request>> {
    let mut bytes = Vec::new();
    let (head, start) = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = bytes.get(..end).unwrap_or_default();
            break (String::from_utf8_lossy(head).into_owned(), end.saturating_add(4));
        }
        if bytes.len() > REQUEST_BYTES_MAX || stream.read_buf(&mut bytes).await? == 0 {
            return Ok(None);
        }
    };
    let mut lines = head.lines();
    let mut first = lines.next().unwrap_or_default().split(' ');
    let (method, path) = (first.next().unwrap_or_default(), first.next().unwrap_or_default());
    let headers: Vec<_> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let length: usize = length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0);
    let end = start.saturating_add(length);
    while bytes.len() < end {
        if bytes.len() > REQUEST_BYTES_MAX || stream.read_buf(&mut bytes).await? == 0 {
            return Ok(None);
        }
    }
    let bytes = bytes.get(start..end).unwrap_or_default().to_vec();
    let body = serde_json::from_slice(&bytes).unwrap_or_default();
    Ok(Some(Request { method: method.to_owned(), path: path.to_owned(), headers, body, bytes }))
}
