//! Peers that give no answer, over real sockets, and what is said of them.

use crate::{Lookup, Names, NoAnswer, SystemLookup, UnknownName};
use async_trait::async_trait;
use reqwest::Client;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// Knows nobody, or knows the name without an address.
#[derive(Debug)]
struct Nobody(bool);

#[async_trait]
impl Lookup for Nobody {
    async fn look_up(&self, _: &str) -> io::Result<Vec<IpAddr>> {
        if self.0 {
            Ok(Vec::new())
        } else {
            Err(io::Error::other("failed to lookup address information: Name or service not known"))
        }
    }
}

fn client(lookup: Arc<dyn Lookup>) -> Client {
    Client::builder()
        .no_proxy()
        .dns_resolver(Names::new(lookup))
        .timeout(Duration::from_secs(20))
        .build()
        .unwrap()
}

async fn failure(client: &Client, url: &str) -> NoAnswer {
    NoAnswer::of(client.get(url).send().await.unwrap_err())
}

/// The address of a peer that reads the beginning of a request, answers with these bytes and closes.
async fn peer(answer: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 4096];
            let _ = stream.read(&mut request).await;
            let _ = stream.write_all(answer).await;
        }
    });
    address.to_string()
}

#[tokio::test]
async fn a_port_where_nobody_listens_is_told_as_such() {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let system = client(Arc::new(SystemLookup::new(1)));
    assert_eq!(failure(&system, &format!("http://{free}/")).await, NoAnswer::NobodyListens);
    let by_name = format!("http://localhost:{}/", free.port());
    assert_eq!(failure(&system, &by_name).await, NoAnswer::NobodyListens);
}

#[tokio::test]
async fn a_name_without_an_address_is_told_as_such() {
    for (has_name, why) in [(false, UnknownName::NotFound), (true, UnknownName::WithoutAddress)] {
        let client = client(Arc::new(Nobody(has_name)));
        let expected = failure(&client, "http://nobody.invalid/").await;
        assert_eq!(expected, NoAnswer::UnknownName(why));
    }
}

#[tokio::test]
async fn a_peer_that_speaks_something_else_or_nothing_is_told_apart() {
    let client = client(Arc::new(SystemLookup::new(1)));
    for (answer, expected) in [
        (b"SSH-2.0-OpenSSH_9.2\r\n".as_slice(), NoAnswer::NoHttp),
        (b"", NoAnswer::Closed),
        (b"HTTP/1.1 200", NoAnswer::Closed),
    ] {
        let address = peer(answer).await;
        assert_eq!(failure(&client, &format!("http://{address}/")).await, expected, "{answer:?}");
    }
    let address = peer(b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n").await;
    assert_eq!(failure(&client, &format!("https://{address}/")).await, NoAnswer::NoTls);
}

#[tokio::test]
async fn an_answer_that_never_comes_is_told_as_such() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let hurried = Client::builder().no_proxy().timeout(Duration::from_millis(300)).build().unwrap();
    assert_eq!(failure(&hurried, &url).await, NoAnswer::TimedOut);
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_told_as_such() {
    let address = peer(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhalf").await;
    let answer =
        client(Arc::new(SystemLookup::new(1))).get(format!("http://{address}/")).send().await.unwrap();
    assert_eq!(NoAnswer::of(answer.bytes().await.unwrap_err()), NoAnswer::Closed);
}

#[test]
fn every_sentence_is_free_of_a_librarys_words() {
    for expected in [
        NoAnswer::UnknownName(UnknownName::NotFound),
        NoAnswer::NobodyListens,
        NoAnswer::TimedOut,
        NoAnswer::Unreachable,
        NoAnswer::NotAllowed,
        NoAnswer::CertificateNotInForce,
        NoAnswer::CertificateOfAnotherName,
        NoAnswer::CertificateNotTrusted,
        NoAnswer::CertificateNotAccepted,
        NoAnswer::NoTls,
        NoAnswer::NoHttp,
        NoAnswer::Closed,
        NoAnswer::NoConnection,
    ] {
        let text = expected.to_string();
        assert!(
            !["os error", "tcp", "dns", "client error"].iter().any(|words| text.contains(words)),
            "{text}"
        );
    }
}
