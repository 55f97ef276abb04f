//! More connections than a listener may have, and whether somebody new is still answered.

use futures::StreamExt;
use futures::stream;
use gateway_tests::{Api, Engine, Gateway, Options};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::time::{Duration, Instant};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

/// Clients that ask and never read.
const NEVER_READING: usize = 1_100;
/// Clients that say nothing.
const IDLE: usize = 5_000;
/// Clients that say nothing to the listener for the platform's own services, which has fewer places.
const IDLE_INSIDE: usize = 1_500;
/// What this process needs beside them.
const DESCRIPTORS_RESERVED: usize = 300;
/// A question whose answer is far larger than what the system keeps for a client that does not read.
const PIPELINED: &str = "GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n";

/// How many of `wanted` connections this process can have, after its limit of descriptors was raised.
fn raise_descriptor_limit(desired: usize) -> usize {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let required = u64::try_from(desired + DESCRIPTORS_RESERVED).unwrap();
    let target = maximum.map_or(required, |most| required.min(most));
    if current.is_some_and(|soft| soft < target) {
        setrlimit(Resource::Nofile, Rlimit { current: Some(target), maximum }).unwrap();
    }
    let have = usize::try_from(target).unwrap().saturating_sub(DESCRIPTORS_RESERVED);
    if have < desired {
        eprintln!(
            "did not run as a whole: the system grants this process {target} open files, so that there are {have} of \
             {desired} connections"
        );
    }
    have.min(desired)
}

/// Where a listener is.
fn address(api: &Api) -> String {
    api.base().strip_prefix("http://").unwrap().to_owned()
}

/// Connections on which this was said; one that the gateway closes is kept as well.
async fn connect_and_send(address: &str, count: usize, said: impl AsRef<[u8]>) -> Vec<TcpStream> {
    let said = said.as_ref();
    let connect = |_| async {
        let mut stream = TcpStream::connect(address).await.unwrap();
        // A gateway that has no place for it may have closed it already.
        let _ = stream.write_all(said).await;
        stream
    };
    stream::iter(0..count).map(connect).buffer_unordered(64).collect().await
}

/// Asks several times, each time as somebody new: every question is answered, and not only now and then within a second.
async fn assert_answered_within_a_second(api: &Api, path: &str) {
    let mut took = Vec::new();
    for _ in 0..9 {
        let fresh = Api::new(api.base());
        let began = Instant::now();
        fresh.get(path).await.expect(200);
        took.push(began.elapsed());
    }
    took.sort();
    assert!(took[took.len() / 2] < Duration::from_secs(1), "{path} of {}: {took:?}", api.base());
}

async fn assert_new_clients_are_answered(gateway: &Gateway) {
    assert_answered_within_a_second(&gateway.public(), "/healthz").await;
    assert_answered_within_a_second(&gateway.internal(), "/healthz").await;
    assert_answered_within_a_second(&gateway.internal(), "/readyz").await;
}

#[tokio::test]
async fn clients_that_never_read_and_idle_clients_do_not_keep_others_out() {
    let share = raise_descriptor_limit(NEVER_READING + IDLE);
    let idle = share.saturating_sub(NEVER_READING);
    let gateway = Gateway::start(Engine::Sqlite, Options::default()).await;
    let public = address(&gateway.public());
    let never_reading = connect_and_send(&public, share.min(NEVER_READING), PIPELINED.repeat(64)).await;
    assert_new_clients_are_answered(&gateway).await;
    let silent = connect_and_send(&public, idle, "").await;
    assert_new_clients_are_answered(&gateway).await;
    drop(silent);
    let inside = address(&gateway.internal());
    let silent = connect_and_send(&inside, idle.min(IDLE_INSIDE), "").await;
    assert_new_clients_are_answered(&gateway).await;
    drop((never_reading, silent));
    assert_new_clients_are_answered(&gateway).await;
}

/// Questions that cost something, again and again on each connection, by clients that have no token.
fn expensive() -> [(&'static str, Vec<u8>); 3] {
    let compressed = "GET /openapi.json HTTP/1.1\r\nhost: x\r\naccept-encoding: gzip\r\n\r\n".repeat(64);
    let credentials = r#"{"grant_type":"client_credentials","client_id":"0199a000-0000-7000-8000-000000000001","client_secret":"x"}"#;
    let token = format!(
        "POST /v1/oauth2/token HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{credentials}",
        credentials.len()
    );
    [
        ("compressed answers", compressed.into_bytes()),
        ("tokens", token.repeat(200).into_bytes()),
        ("streams", http2_streams("/openapi.json", 100)),
    ]
}

/// A connection of HTTP/2 that asks on many streams at once and takes nothing: its window is 0 (RFC 9113, section 6.9.2).
fn http2_streams(path: &str, count: u32) -> Vec<u8> {
    let mut sent = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    sent.extend([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0]);
    // GET and http from the static table, the path and the authority as literals (RFC 7541, appendix A, section 6.2.2).
    let mut head = vec![0x82, 0x86, 0x04, u8::try_from(path.len()).unwrap()];
    head.extend(path.as_bytes());
    head.extend([0x41, 1, b'x']);
    for stream in 0..count {
        sent.extend([0, 0, u8::try_from(head.len()).unwrap(), 1, 5]);
        sent.extend((stream * 2 + 1).to_be_bytes());
        sent.extend(&head);
    }
    sent
}

#[tokio::test]
async fn many_public_requests_without_a_token_do_not_delay_the_internal_listener() {
    let share = raise_descriptor_limit(NEVER_READING);
    let gateway = Gateway::start(Engine::Sqlite, Options::default()).await;
    let public = address(&gateway.public());
    for (what, said) in expensive() {
        eprintln!("{share} clients ask for {what}");
        let asking = connect_and_send(&public, share, &said).await;
        assert_answered_within_a_second(&gateway.internal(), "/healthz").await;
        assert_answered_within_a_second(&gateway.internal(), "/readyz").await;
        drop(asking);
    }
    assert_new_clients_are_answered(&gateway).await;
}

#[tokio::test]
async fn a_low_limit_of_open_files_is_raised_at_the_start() {
    let hard = getrlimit(Resource::Nofile).maximum;
    let shell = ["sh", "-c", r#"ulimit -S -n 256 && exec "$0" "$@""#];
    let gateway = Gateway::start(Engine::Sqlite, Options::default().launched_by(&shell)).await;
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", gateway.process_id())).unwrap();
    let line = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
    let soft: u64 = line.split_whitespace().nth(3).unwrap().parse().unwrap();
    // 4,096 connections from the public, 1,024 inside, and 512 for everything else.
    let required = 5_632;
    assert_eq!(soft, hard.map_or(required, |most| required.min(most)), "{line}");
}
