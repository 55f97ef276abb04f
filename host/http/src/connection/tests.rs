//! Clients that hold connections without using them, against a listener with few places.

use super::*;
use axum::routing::{get, post};
use axum::{Router, middleware};
use http_body_util::BodyExt;
use std::future::pending;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::timeout;
use tower::ServiceExt;

/// Longer than any of these tests takes, where nothing is to be waited for.
const LONG: Duration = Duration::from_mins(5);
const LONG_TIMEOUTS: Timeouts = Timeouts { head: LONG, body: LONG, idle: LONG, write: LONG };
const HELLO: &[u8] = b"GET /hello HTTP/1.1\r\nhost: x\r\n\r\n";
const LARGE: &[u8] = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n";
/// More than the buffers between two sockets hold.
const LARGE_BYTES: usize = 64 << 20;

/// Where a listener with so many places is.
async fn listening(timeouts: Timeouts, connections_max: usize) -> SocketAddr {
    listening_and_telling(timeouts, connections_max, Arc::default()).await
}

/// The same, which tells when the request arrived that is never answered.
async fn listening_and_telling(
    timeouts: Timeouts,
    connections_max: usize,
    arrived: Arc<Notify>,
) -> SocketAddr {
    let never = move || {
        arrived.notify_one();
        pending::<()>()
    };
    let routes = Router::new()
        .route("/", get(|| async { vec![b'x'; LARGE_BYTES] }))
        .route("/hello", get(|| async { "hello" }))
        .route("/echo", post(|body: Bytes| async { body }))
        .route("/never", get(never))
        .layer(axum::extract::DefaultBodyLimit::disable())
        .layer(middleware::from_fn(busy));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let listener = TimedListener::new(listener, timeouts, connections_max);
    let address = Listener::local_addr(&listener).unwrap();
    let service = routes.into_make_service_with_connect_info::<Connection>();
    tokio::spawn(async move { axum::serve(listener, service).await });
    address
}

async fn connected(address: SocketAddr, bytes: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    stream
}

/// All that comes until the connection ends, which it does soon.
async fn all(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    // A connection that is reset has ended too.
    let _ = timeout(Duration::from_secs(20), stream.read_to_end(&mut bytes)).await.expect("it ends");
    bytes
}

/// The answer to a request of its own connection.
async fn hello(address: SocketAddr) -> String {
    let mut stream = connected(address, b"GET /hello HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await;
    String::from_utf8(all(&mut stream).await).unwrap()
}

/// Until a newcomer is answered; what holds the places may be given some grace.
async fn answered_soon(address: SocketAddr) {
    let tries = async { while !hello(address).await.starts_with("HTTP/1.1 200 ") {} };
    timeout(Duration::from_secs(10), tries).await.expect("a newcomer is answered soon");
}

/// The beginning of HTTP/2 whose client takes nothing of an answer, and a request for `/`.
fn http2_without_window() -> Vec<u8> {
    let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    // SETTINGS with INITIAL_WINDOW_SIZE 0.
    bytes.extend([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0]);
    // HEADERS of stream 1, whole: GET, http, /, and x as the authority.
    bytes.extend([0, 0, 6, 1, 5, 0, 0, 0, 1, 0x82, 0x86, 0x84, 0x41, 1, b'x']);
    bytes
}

#[tokio::test]
async fn a_connection_that_says_nothing_gives_its_place_to_a_newcomer() {
    let address = listening(LONG_TIMEOUTS, 2).await;
    let mut idle = TcpStream::connect(address).await.unwrap();
    let mut kept = connected(address, HELLO).await;
    let mut first = [0; 15];
    kept.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200 OK");
    assert!(hello(address).await.ends_with("hello"), "there was a place");
    assert_eq!(all(&mut idle).await, b"", "it waited longest");
    kept.write_all(HELLO).await.unwrap();
    kept.read_exact(&mut first).await.unwrap();
}

#[tokio::test]
async fn a_head_that_never_ends_gives_way() {
    let address = listening(LONG_TIMEOUTS, 1).await;
    let mut slow = connected(address, b"GET / HT").await;
    answered_soon(address).await;
    let answer = all(&mut slow).await;
    assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 408 "), "{answer:?}");
}

#[tokio::test]
async fn who_never_reads_gives_way_and_so_does_who_never_sends_its_body() {
    for bytes in [
        LARGE.repeat(8),
        http2_without_window(),
        b"POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{".to_vec(),
    ] {
        let address = listening(LONG_TIMEOUTS, 1).await;
        let holding = connected(address, &bytes).await;
        answered_soon(address).await;
        drop(holding);
    }
}

#[tokio::test]
async fn who_never_reads_finds_the_connection_closed() {
    let timeouts = Timeouts { write: Duration::from_millis(300), ..LONG_TIMEOUTS };
    for bytes in [LARGE.repeat(8), http2_without_window()] {
        let address = listening(timeouts, 10).await;
        let mut stream = connected(address, &bytes).await;
        // Nothing is read before the other side has closed it: writing fails then.
        let refused = async {
            while stream.write_all(HELLO).await.is_ok() {
                tokio::task::yield_now().await;
            }
        };
        timeout(Duration::from_secs(20), refused).await.expect("the connection ends");
    }
}

#[tokio::test]
async fn where_all_are_being_answered_a_newcomer_is_told_in_its_own_protocol() {
    let arrived = Arc::<Notify>::default();
    let address = listening_and_telling(LONG_TIMEOUTS, 1, Arc::clone(&arrived)).await;
    let _busy = connected(address, b"GET /never HTTP/1.1\r\nhost: x\r\n\r\n").await;
    arrived.notified().await;
    let answer = hello(address).await;
    assert!(answer.starts_with("HTTP/1.1 503 ") && answer.contains("retry-after: 1"), "{answer}");
    let mut http2 = connected(address, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await;
    let answer = all(&mut http2).await;
    assert_eq!(answer.get(9..13), Some(&[0, 0, 8, 7][..]), "a GOAWAY after the settings: {answer:?}");
}

#[tokio::test]
async fn an_answer_that_is_read_slowly_is_whole() {
    let timeouts = Timeouts { write: Duration::from_millis(500), ..LONG_TIMEOUTS };
    let address = listening(timeouts, 1).await;
    let mut stream = connected(address, b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await;
    let (mut read, mut part) = (0, vec![0; 4 << 20]);
    loop {
        // The pace of a slow line: well within the time for each part, and far beyond it for the whole.
        tokio::time::sleep(Duration::from_millis(50)).await;
        match stream.read(&mut part).await.unwrap() {
            0 => break,
            more => read += more,
        }
    }
    assert!(read > LARGE_BYTES, "{read}");
}

#[tokio::test]
async fn a_request_names_its_host_once() {
    let address = listening(LONG_TIMEOUTS, 10).await;
    for (version, hosts, status) in [
        ("1.1", "", "400"),
        ("1.1", "host: x\r\n", "200"),
        ("1.1", "host: x\r\nHost: y\r\n", "400"),
        ("1.0", "", "200"),
        ("1.0", "host: x\r\nhost: x\r\n", "400"),
    ] {
        let request = format!("GET /hello HTTP/{version}\r\n{hosts}connection: close\r\n\r\n");
        let answer = all(&mut connected(address, request.as_bytes()).await).await;
        let answer = String::from_utf8(answer).unwrap();
        assert!(answer.split(' ').nth(1) == Some(status), "{version} {hosts:?}: {answer}");
        assert!(status == "200" || answer.contains("\"requestMalformed\""), "{answer}");
    }
}

#[tokio::test]
async fn an_answer_says_how_long_it_is() {
    let router = Router::new().route("/", get(|| async { "twelve bytes" })).layer(middleware::from_fn(busy));
    let activity = Arc::new(Activity::default());
    let address = SocketAddr::from(([127, 0, 0, 1], 1));
    let mut request = Request::new(Body::empty());
    request.headers_mut().insert(HOST, "x".parse().unwrap());
    request.extensions_mut().insert(ConnectInfo(Connection {
        address,
        timeouts: Timeouts::default(),
        activity: Arc::clone(&activity),
        yielding: Arc::new(Semaphore::new(1)),
        encrypted: false,
    }));
    let response = router.oneshot(request).await.unwrap();
    assert_eq!(response.headers()[CONTENT_LENGTH], "12");
    assert!(activity.is_open(), "until it is written");
    assert_eq!(response.into_body().collect().await.unwrap().to_bytes(), "twelve bytes");
    assert!(!activity.is_open());
}
