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
const KEPT: usize = 300;
/// A question whose answer is far larger than what the system keeps for a client that does not read.
const PIPELINED: &str = "GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n";

/// How many of `wanted` connections this process can have, after its limit of descriptors was raised.
fn possible(wanted: usize) -> usize {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let required = u64::try_from(wanted + KEPT).unwrap();
    let target = maximum.map_or(required, |most| required.min(most));
    if current.is_some_and(|soft| soft < target) {
        setrlimit(Resource::Nofile, Rlimit { current: Some(target), maximum }).unwrap();
    }
    let have = usize::try_from(target).unwrap().saturating_sub(KEPT);
    if have < wanted {
        eprintln!(
            "did not run as a whole: the system grants this process {target} open files, so that there are {have} of \
             {wanted} connections"
        );
    }
    have.min(wanted)
}

/// Where a listener is.
fn address(api: &Api) -> String {
    api.base().strip_prefix("http://").unwrap().to_owned()
}

/// Connections on which this was said; one that the gateway closes is kept as well.
async fn connected(address: &str, count: usize, said: &str) -> Vec<TcpStream> {
    let connect = |_| async {
        let mut stream = TcpStream::connect(address).await.unwrap();
        // A gateway that has no place for it may have closed it already.
        let _ = stream.write_all(said.as_bytes()).await;
        stream
    };
    stream::iter(0..count).map(connect).buffer_unordered(64).collect().await
}

/// Asks several times, each time as somebody new: every question is answered, and not only now and then within a second.
async fn answered_within_a_second(api: &Api, path: &str) {
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

async fn everybody_new_is_answered(gateway: &Gateway) {
    answered_within_a_second(&gateway.public(), "/healthz").await;
    answered_within_a_second(&gateway.internal(), "/healthz").await;
    answered_within_a_second(&gateway.internal(), "/readyz").await;
}

#[tokio::test]
async fn clients_that_never_read_and_clients_that_say_nothing_keep_nobody_else_out() {
    let share = possible(NEVER_READING + IDLE);
    let idle = share.saturating_sub(NEVER_READING);
    let gateway = Gateway::start(Engine::Sqlite, Options::default()).await;
    let public = address(&gateway.public());
    let never_reading = connected(&public, share.min(NEVER_READING), &PIPELINED.repeat(64)).await;
    everybody_new_is_answered(&gateway).await;
    let silent = connected(&public, idle, "").await;
    everybody_new_is_answered(&gateway).await;
    drop(silent);
    let inside = address(&gateway.internal());
    let silent = connected(&inside, idle.min(IDLE_INSIDE), "").await;
    everybody_new_is_answered(&gateway).await;
    drop((never_reading, silent));
    everybody_new_is_answered(&gateway).await;
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
