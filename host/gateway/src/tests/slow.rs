//! Clients that take their time, and requests that take too much of ours.

use super::routers::{Answer, Routers, call, one};
use crate::listeners::Surfaces;
use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use futures::stream;
use gateway_api_public::PublicApi;
use gateway_domain::access::Workspaces;
use gateway_http::connection::{Connection, TimedListener, Timeouts};
use gateway_http::middleware::OuterLayer;
use std::convert::Infallible;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const TIMEOUTS: Timeouts = Timeouts {
    head: Duration::from_millis(150),
    body: Duration::from_millis(150),
    idle: Duration::from_millis(400),
    write: Duration::from_millis(400),
};

fn with_timeouts(routers: &Routers, timeouts: Timeouts) -> Surfaces {
    let app = routers.app.clone();
    Surfaces { outermost: OuterLayer { timeouts, ..app.outermost }, ..app }
}

/// A body that begins and never ends.
fn endless() -> Body {
    let first = stream::iter([Ok::<_, Infallible>("{")]);
    Body::from_stream(futures::StreamExt::chain(first, stream::pending()))
}

fn post(path: &str, token: Option<&str>, body: Body) -> Request<Body> {
    let request = Request::post(path).header("content-type", "application/json");
    let request = match token {
        Some(token) => request.header("authorization", format!("Bearer {token}")),
        None => request,
    };
    request.body(body).unwrap()
}

#[track_caller]
fn graphql_error(answer: &Answer) -> (StatusCode, String) {
    let body = answer.json();
    let error = &body["errors"][0];
    assert!(error["message"].as_str().is_some_and(|message| !message.contains('\n')), "{answer:?}");
    assert_eq!(error["extensions"]["requestId"], answer.header("x-request-id"), "{answer:?}");
    assert!(body.get("data").is_none());
    (answer.status, error["extensions"]["code"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn a_body_that_does_not_come_is_408_and_a_strangers_is_not_waited_for() {
    let routers = one().await;
    let token = routers.admin().await;
    let app = with_timeouts(&routers, TIMEOUTS);
    let (public, internal) = (app.public_listener(), app.internal_listener());
    let answer = call(public.clone(), post("/v1", Some(&token), endless())).await;
    assert_eq!(graphql_error(&answer), (StatusCode::REQUEST_TIMEOUT, "BAD_USER_INPUT".to_owned()));
    assert_eq!(answer.header("connection"), "close");
    let answer = call(internal.clone(), post("/admin/clients", Some(&token), endless())).await;
    assert_eq!((answer.status, answer.fields()), (StatusCode::REQUEST_TIMEOUT, vec!["base".to_owned()]));
    let answer = call(public.clone(), post("/v1/oauth2/token", None, endless())).await;
    assert_eq!(answer.status, StatusCode::REQUEST_TIMEOUT);
    // Nobody asks who sends nothing for its body.
    let patient = with_timeouts(&routers, Timeouts { body: Duration::from_hours(1), ..TIMEOUTS });
    for (router, path) in
        [(patient.public_listener(), "/v1"), (patient.internal_listener(), "/admin/clients")]
    {
        for token in [None, Some("x.y.z")] {
            let answer = call(router.clone(), post(path, token, endless())).await;
            assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{path}: {answer:?}");
        }
    }
}

/// Where a router listens.
async fn listening(router: Router, timeouts: Timeouts) -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let service = router.into_make_service_with_connect_info::<Connection>();
    let listener = TimedListener::new(listener, timeouts, 100);
    tokio::spawn(async move { axum::serve(listener, service).await });
    address
}

/// What a connection answers until it ends.
async fn answers(stream: &mut TcpStream) -> String {
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    text
}

#[tokio::test]
async fn a_head_that_does_not_come_is_408_and_an_idle_connection_ends_without_a_word() {
    let routers = one().await;
    let address = listening(with_timeouts(&routers, TIMEOUTS).public_listener(), TIMEOUTS).await;
    let mut slow = TcpStream::connect(address).await.unwrap();
    slow.write_all(b"POST /v1 HTTP/1.1\r\nhost: x\r\n").await.unwrap();
    let text = answers(&mut slow).await;
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 408 ") && head.contains("connection: close"), "{text}");
    assert!(head.contains(&format!("content-length: {}\r\n", body.len())), "{text}");
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!(body["errors"][0]["field"], "base");

    let mut trickling = TcpStream::connect(address).await.unwrap();
    let (mut reading, mut writing) = trickling.split();
    let trickle = async {
        while writing.write_all(b"x").await.is_ok() {
            // The pace of a client that is slow on purpose.
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let mut first = [0; 12];
    // The answer counts, also when the connection is found ended in the same moment.
    tokio::select! {
        biased;
        read = reading.read_exact(&mut first) => { read.unwrap(); }
        () = trickle => panic!("the connection ended without an answer"),
    }
    assert_eq!(&first, b"HTTP/1.1 408");

    let mut idle = TcpStream::connect(address).await.unwrap();
    assert_eq!(answers(&mut idle).await, "");
}

#[tokio::test]
async fn a_connection_is_kept_for_the_next_request_and_a_slow_body_is_408() {
    let routers = one().await;
    let timeouts = Timeouts { idle: Duration::from_secs(4), ..TIMEOUTS };
    let address = listening(with_timeouts(&routers, TIMEOUTS).public_listener(), timeouts).await;
    let mut kept = TcpStream::connect(address).await.unwrap();
    for _ in 0..2 {
        kept.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(kept.read_u8().await.unwrap());
        }
        let head = String::from_utf8(head).unwrap();
        assert!(head.starts_with("HTTP/1.1 200 OK") && head.contains("\r\ncontent-length: "), "{head}");
        // Longer than a head may take, and less than the connection may be idle; what is left of the answer comes too.
        let rest = tokio::time::timeout(TIMEOUTS.head + Duration::from_millis(50), answers(&mut kept)).await;
        assert!(rest.is_err(), "{rest:?}");
    }
    let text = tokio::time::timeout(Duration::from_secs(20), answers(&mut kept)).await.unwrap();
    assert!(!text.contains("408"), "{text}");

    let mut slow = TcpStream::connect(address).await.unwrap();
    let head = b"POST /v1/oauth2/token HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{";
    slow.write_all(head).await.unwrap();
    let text = answers(&mut slow).await;
    assert!(
        text.starts_with("HTTP/1.1 408 ") && text.to_lowercase().contains("\r\nconnection: close"),
        "{text}"
    );
}

/// The head of one answer, and its body.
async fn answer(stream: &mut TcpStream) -> (String, String) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    let head = String::from_utf8(head).unwrap().to_lowercase();
    let (_, length) = head.split_once("content-length: ").unwrap();
    let mut body = vec![0; length.lines().next().unwrap().parse().unwrap()];
    stream.read_exact(&mut body).await.unwrap();
    (head, String::from_utf8(body).unwrap())
}

#[tokio::test]
async fn who_writes_all_before_reading_sees_why_the_body_is_refused() {
    let routers = one().await;
    let address = listening(routers.app.public_listener(), Timeouts::default()).await;
    let bodies = [("/v1/oauth2/token", 5 << 20, "413"), ("/v1", 5 << 20, "413"), ("/v1", 1_000_000, "401")];
    for (path, bytes, status) in bodies {
        let large = vec![b' '; bytes];
        let mut stream = TcpStream::connect(address).await.unwrap();
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: {}\r\n",
            large.len()
        );
        stream.write_all(format!("{head}\r\n").as_bytes()).await.unwrap();
        stream.write_all(&large).await.unwrap();
        let (answer_head, body) = answer(&mut stream).await;
        assert!(
            answer_head.starts_with(&format!("http/1.1 {status} ")) && body.contains("errors"),
            "{path}: {answer_head}{body}"
        );
        stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
        assert!(answer(&mut stream).await.0.starts_with("http/1.1 200 "), "the connection goes on");

        let mut asking = TcpStream::connect(address).await.unwrap();
        asking.write_all(format!("{head}expect: 100-continue\r\n\r\n").as_bytes()).await.unwrap();
        let answer_head = answer(&mut asking).await.0;
        assert!(
            answer_head.starts_with(&format!("http/1.1 {status} ")),
            "nothing is asked for: {answer_head}"
        );
        assert_eq!(answers(&mut asking).await, "", "and nothing waited for");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_graphql_request_that_takes_too_long_is_told_so() {
    let routers = one().await;
    let token = routers.token(&[gateway_domain::access::Permission::SpacesRead], Workspaces::All).await;
    // Each alias is two statements, one after the other: together they take far longer than a millisecond.
    let query: Vec<_> =
        (0..45).map(|n| format!("a{n}: spaces {{ units {{ totalCount nodes {{ id }} }} }}")).collect();
    let query = query.join(" ");
    let ask = async |deadline| {
        let graphql = routers.app.public.graphql.clone().with_deadline(deadline);
        let app = routers.app.clone();
        let router = Surfaces { public: PublicApi { graphql, ..app.public }, ..app }.public_listener();
        let body = Body::from(format!("{{\"query\":\"{{ {query} }}\"}}"));
        call(router, post("/v1", Some(&token), body)).await
    };
    // The first request of all takes longer than others, whatever it asks for.
    let first = Body::from(r#"{"query":"{ __typename }"}"#);
    let answer = call(routers.app.public_listener(), post("/v1", Some(&token), first)).await;
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    let answer = ask(Duration::from_millis(1)).await;
    assert_eq!(graphql_error(&answer), (StatusCode::SERVICE_UNAVAILABLE, "QUERY_TOO_COMPLEX".to_owned()));
    assert!(answer.text.contains("took too long"), "{answer:?}");
    let answer = ask(Duration::from_secs(20)).await;
    assert_eq!(
        (answer.status, &answer.json()["errors"]),
        (StatusCode::OK, &serde_json::Value::Null),
        "{answer:?}"
    );
}

#[tokio::test]
async fn what_graphql_refuses_unread_has_its_shape() {
    let routers = one().await;
    let token = routers.admin().await;
    for announced in [true, false] {
        let large = vec![b' '; (1 << 20) + 1];
        let mut request = post("/v1", Some(&token), Body::empty());
        if announced {
            request.headers_mut().insert("content-length", large.len().into());
        }
        let answer = routers.public(request.map(|_| Body::from(large))).await;
        assert_eq!(graphql_error(&answer), (StatusCode::PAYLOAD_TOO_LARGE, "BAD_USER_INPUT".to_owned()));
        assert_eq!(answer.json()["errors"][0]["message"], "the body is larger than 1048576 bytes: split it");
    }
    for (query, begin) in [
        ("{", "syntax error at line 1, column 2: expected "),
        ("query A {\\n  a(b: ) }", "syntax error at line 2, column 8: expected "),
        ("", "syntax error at line 1, column 1: expected "),
    ] {
        let body = Body::from(format!("{{\"query\":\"{query}\"}}"));
        let answer = routers.public(post("/v1", Some(&token), body)).await;
        assert_eq!(graphql_error(&answer), (StatusCode::OK, "BAD_USER_INPUT".to_owned()));
        let message = answer.json()["errors"][0]["message"].as_str().unwrap().to_owned();
        assert!(message.starts_with(begin) && !message.contains("-->"), "{message}");
    }
}
