//! A peer that reads requests over a real socket and answers each with the next of its raw answers.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A peer for as many requests as it has answers, one a connection; gives its address and, in the end, the requests.
pub(crate) async fn peer(answers: Vec<Vec<u8>>) -> (String, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/prefix/", listener.local_addr().unwrap());
    let requests = tokio::spawn(async move {
        let mut requests = Vec::new();
        for answer in answers {
            let (mut socket, _) = listener.accept().await.unwrap();
            requests.push(request(&mut socket).await);
            let _ = socket.write_all(&answer).await;
            let _ = socket.shutdown().await;
        }
        requests
    });
    (base, requests)
}

async fn request(socket: &mut TcpStream) -> String {
    let mut request = Vec::new();
    let mut chunk = [0; 4096];
    while !complete(&request) {
        match socket.read(&mut chunk).await.unwrap() {
            0 => break,
            read => request.extend_from_slice(&chunk[..read]),
        }
    }
    String::from_utf8(request).unwrap()
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
