//! An HTTP client with one connection that does nothing but send and read, to cost as little as it can.

use crate::stage::BenchError;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// One connection, kept alive.
#[derive(Debug)]
pub(crate) struct Client {
    stream: TcpStream,
    headers: String,
    received: Vec<u8>,
}

impl Client {
    /// Connects to `http://ADDRESS:PORT`; `token` goes with every request.
    pub(crate) async fn connect(url: &str, token: &str) -> Result<Self, BenchError> {
        Self::connect_with(url, &format!("authorization: Bearer {token}\r\ncontent-type: application/json"))
            .await
    }

    /// Connects to `http://ADDRESS:PORT`; these headers go with every request.
    pub(crate) async fn connect_with(url: &str, headers: &str) -> Result<Self, BenchError> {
        let address = url.trim_start_matches("http://");
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let headers = format!("host: {address}\r\n{headers}\r\ncontent-length: ");
        Ok(Self { stream, headers, received: Vec::with_capacity(4096) })
    }

    /// Sends a request and returns the body of its answer; an answer other than 200 is an error.
    pub(crate) async fn call(&mut self, method: &str, path: &str, body: &str) -> Result<&[u8], BenchError> {
        let (headers, length) = (&self.headers, body.len());
        let request = format!("{method} {path} HTTP/1.1\r\n{headers}{length}\r\n\r\n{body}");
        self.stream.write_all(request.as_bytes()).await?;
        self.received.clear();
        let start = loop {
            if let Some(end) = self.received.windows(4).position(|window| window == b"\r\n\r\n") {
                break end + 4;
            }
            self.receive().await?;
        };
        let head = std::str::from_utf8(self.received.get(..start).unwrap_or_default())?.to_owned();
        let mut headers = head.lines().filter_map(|line| line.split_once(": "));
        let length = headers.find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
        let (_, length) = length.ok_or("an answer without a length")?;
        let end = start + length.parse::<usize>()?;
        while self.received.len() < end {
            self.receive().await?;
        }
        let body = self.received.get(start..end).unwrap_or_default();
        if head.starts_with("HTTP/1.1 200 ") {
            Ok(body)
        } else {
            Err(format!("{method} {path}: {head}{}", String::from_utf8_lossy(body)).into())
        }
    }

    async fn receive(&mut self) -> Result<(), BenchError> {
        match self.stream.read_buf(&mut self.received).await? {
            0 => Err("the server closed the connection".into()),
            _ => Ok(()),
        }
    }
}
