//! A peer that answers each connection with the next of its raw answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

pub(crate) struct Peer {
    port: u16,
    connections: Arc<AtomicUsize>,
    serving: JoinHandle<Vec<String>>,
}

impl Peer {
    pub(crate) async fn answering(answers: Vec<Vec<u8>>) -> Self {
        Self::serving(answers, false).await
    }

    /// Takes requests and answers none.
    pub(crate) async fn hanging() -> Self {
        Self::serving(vec![Vec::new()], true).await
    }

    async fn serving(answers: Vec<Vec<u8>>, hangs: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let connections = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&connections);
        let serving = tokio::spawn(async move {
            let mut requests = Vec::new();
            let mut open = Vec::new();
            for answer in answers {
                let (mut socket, _) = listener.accept().await.unwrap();
                counted.fetch_add(1, Ordering::SeqCst);
                requests.push(request(&mut socket).await);
                let _ = socket.write_all(&answer).await;
                let whole = answer.ends_with(b"thank");
                if hangs || whole {
                    open.push(socket);
                } else {
                    let _ = socket.shutdown().await;
                }
            }
            if hangs || !open.is_empty() {
                std::future::pending::<()>().await;
            }
            requests
        });
        Self { port, connections, serving }
    }

    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}/{path}", self.port)
    }

    /// Whether nobody connected.
    pub(crate) fn was_left_alone(&self) -> bool {
        self.connections.load(Ordering::SeqCst) == 0
    }

    /// What was asked, when everything was answered.
    pub(crate) async fn requests(self) -> Vec<String> {
        self.serving.await.unwrap()
    }
}

async fn request(socket: &mut TcpStream) -> String {
    let mut request = Vec::new();
    let mut chunk = [0; 4096];
    while !complete(&request) {
        match socket.read(&mut chunk).await {
            Ok(0) | Err(_) => break,
            Ok(read) => request.extend_from_slice(&chunk[..read]),
        }
        // No HTTP at all.
        if !request.starts_with(b"POST") {
            break;
        }
    }
    String::from_utf8_lossy(&request).into_owned()
}

fn complete(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request).to_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    body.len() >= length.map_or(0, |length| length.trim().parse().unwrap())
}

/// An answer after which the connection is closed.
pub(crate) fn http(status: &str, headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n{body}", body.len())
        .into_bytes()
}
