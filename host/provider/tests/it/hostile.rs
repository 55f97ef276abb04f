//! What the adapter makes of a peer that misbehaves: raw answers over a real socket.

use crate::peer::http;
use gateway_domain::ids::{EntryId, ProviderJobId};
use gateway_domain_finance::ports::{JobProgress, Provider, ProviderAccess, ProviderError, ProviderToken};
use gateway_provider::{HttpProvider, Options, SetupError};
use std::time::Duration;
use tokio::net::TcpListener;
use uuid::Uuid;

const TOKEN: &str = "secret-token-of-a-workspace";
const ID: &str = "01990000-0000-7000-8000-000000000001";

fn access() -> ProviderAccess {
    ProviderAccess { token: ProviderToken::new(TOKEN) }
}

fn entry() -> EntryId {
    EntryId::try_from(ID.parse::<Uuid>().unwrap()).unwrap()
}

fn provider(base: &str) -> HttpProvider {
    provider_within(base, Duration::from_secs(20))
}

/// The same whose calls may take no longer than this.
fn provider_within(base: &str, timeout: Duration) -> HttpProvider {
    let options = Options { timeout, body_bytes_max: 10_000, ..Options::default() };
    HttpProvider::new(base.parse().unwrap(), options).unwrap()
}

/// A peer that answers one request; gives its address and the request.
async fn peer(answer: Vec<u8>) -> (String, tokio::task::JoinHandle<String>) {
    let (base, requests) = crate::peer::peer(vec![answer]).await;
    (base, tokio::spawn(async move { requests.await.unwrap().remove(0) }))
}

async fn get(answer: Vec<u8>) -> ProviderError {
    let (base, _) = peer(answer).await;
    provider(&base).get_entry(&access(), entry()).await.unwrap_err()
}

#[tokio::test]
async fn an_entry_goes_out_as_the_protocol_says() {
    let document = r#"{"$schema":"https://gobl.org/draft-0/bill/invoice","z":1.10,"a":"ñ"}"#;
    let body = format!(r#"{{"id":"{ID}","key":"k","data":{document}}}"#);
    let (base, request) = peer(http("200 OK", "", &body)).await;
    let stored = provider(&base).put_entry(&access(), entry(), "k", document).await.unwrap();
    assert_eq!(stored.raw, body);
    assert_eq!(stored.key.as_deref(), Some("k"));
    let request = request.await.unwrap();
    assert!(request.starts_with(&format!("PUT /prefix/silo/v1/entries/{ID} HTTP/1.1\r\n")), "{request}");
    assert!(request.contains(&format!("authorization: Bearer {TOKEN}\r\n")), "{request}");
    assert!(request.contains("content-type: application/json\r\n"), "{request}");
    assert!(request.ends_with(&format!(r#"{{"data":{document},"key":"k"}}"#)), "{request}");
}

#[tokio::test]
async fn a_job_goes_out_as_the_protocol_says() {
    let (base, request) = peer(http("202 Accepted", "", &format!(r#"{{"id":"{ID}"}}"#))).await;
    let job = ProviderJobId::try_from(entry().uuid()).unwrap();
    provider(&base).put_job(&access(), job, Uuid::max(), entry(), "k").await.unwrap();
    let request = request.await.unwrap();
    assert!(request.starts_with(&format!("PUT /prefix/transform/v1/jobs/{ID} HTTP/1.1\r\n")), "{request}");
    let body = format!(r#"{{"workflow_id":"{}","silo_entry_id":"{ID}","key":"k"}}"#, Uuid::max());
    assert!(request.ends_with(&body), "{request}");
}

#[tokio::test]
async fn a_document_that_is_no_json_is_refused_without_a_call() {
    let refused = provider("http://127.0.0.1:9").put_entry(&access(), entry(), "k", "{").await.unwrap_err();
    assert!(matches!(refused, ProviderError::Refused { faults, .. } if faults.len() == 1));
}

#[tokio::test]
async fn nobody_listening_means_unavailable() {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let error = provider(&format!("http://{free}")).get_entry(&access(), entry()).await.unwrap_err();
    assert!(matches!(error, ProviderError::Unavailable { .. }), "{error:?}");
}

#[tokio::test]
async fn an_answer_that_breaks_off_means_unavailable() {
    let cut = b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{\"id\":".to_vec();
    assert!(matches!(get(cut).await, ProviderError::Unavailable { .. }));
    assert!(matches!(get(b"HTTP/1.1 200".to_vec()).await, ProviderError::Unavailable { .. }));
    assert!(matches!(get(b"garbage\r\n\r\n".to_vec()).await, ProviderError::Unavailable { .. }));
    assert!(matches!(get(Vec::new()).await, ProviderError::Unavailable { .. }));
}

#[tokio::test]
async fn an_answer_that_never_comes_means_unavailable() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let provider = provider_within(&base, Duration::from_millis(400));
    let error = provider.get_entry(&access(), entry()).await.unwrap_err();
    assert!(matches!(error, ProviderError::Unavailable { .. }), "{error:?}");
}

#[tokio::test]
async fn an_endless_answer_is_not_read_to_its_end() {
    let huge = http("200 OK", "", &format!(r#"{{"id":"{}"}}"#, "x".repeat(20_000)));
    assert!(matches!(get(huge).await, ProviderError::Protocol { .. }));
}

#[tokio::test]
async fn a_success_that_makes_no_sense_is_a_protocol_error() {
    for body in
        ["", "null", "[]", "{}", "<html>", r#"{"id":7}"#, r#"{"id":"x","data":{}}"#, &"[".repeat(5000)]
    {
        let error = get(http("200 OK", "", body)).await;
        assert!(matches!(error, ProviderError::Protocol { .. }), "{body}: {error:?}");
    }
    let mut bytes = http("200 OK", "", "....");
    bytes.truncate(bytes.len() - 4);
    bytes.extend([0xff, 0xfe, 0xff, 0xfe]);
    assert!(matches!(get(bytes).await, ProviderError::Protocol { .. }));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let error = get(http("307 Temporary Redirect", "location: http://127.0.0.1:9/\r\n", "")).await;
    assert!(matches!(error, ProviderError::Protocol { .. }), "{error:?}");
}

#[tokio::test]
async fn a_wait_is_handed_on() {
    let error = get(http("429 Too Many Requests", "retry-after: 17\r\n", "")).await;
    assert_eq!(error, ProviderError::Unavailable { detail: "HTTP 429".to_owned(), retry_after_s: Some(17) });
}

#[tokio::test]
async fn a_token_that_comes_back_is_not_shown() {
    for status in ["401 Unauthorized", "422 Unprocessable Entity", "500 Internal Server Error", "200 OK"] {
        let body = format!(r#"{{"id":"{TOKEN}","code":"{TOKEN}","message":"bad token {TOKEN}"}}"#);
        let error = get(http(status, "", &body)).await;
        assert!(!format!("{error:?} {error}").contains(TOKEN), "{error:?}");
    }
    let printed = format!("{:?} {:?}", provider("http://127.0.0.1:9"), access());
    assert!(!printed.contains(TOKEN), "{printed}");
}

#[test]
fn only_a_plain_http_address_is_taken() {
    for bad in ["ftp://x/", "http://user@x/", "http://:pw@x/", "http://x/?a", "http://x/#a", "data:x"] {
        let made = HttpProvider::new(bad.parse().unwrap(), Options::default());
        assert_eq!(made.unwrap_err(), SetupError::Address, "{bad}");
    }
    assert!(HttpProvider::new("https://api.invopop.com".parse().unwrap(), Options::default()).is_ok());
}

#[tokio::test]
async fn a_success_that_says_no_more_is_one() {
    let own = format!(r#"{{"id":"{ID}"}}"#);
    let whole = format!(
        r#"{{"id":"{ID}","data":{{"$schema":"https://gobl.org/draft-0/bill/invoice","code":"F-1"}}}}"#
    );
    for body in [
        "",
        "{}",
        r#"{"id": null }"#,
        r#"{"data":{},"\u0064ata":null}"#,
        r#"{"message":"stored","took":1e999}"#,
        own.as_str(),
    ] {
        let answers = vec![http("200 OK", "", body), http("200 OK", "", &whole)];
        let (base, requests) = crate::peer::peer(answers).await;
        let stored = provider(&base).put_entry(&access(), entry(), "k", r#"{"a":1}"#).await.unwrap();
        assert_eq!(stored.document["code"], "F-1", "what is there is read: {body}");
        assert!(requests.await.unwrap()[1].starts_with("GET "), "{body}");
        let job = ProviderJobId::try_from(entry().uuid()).unwrap();
        let (base, _) = peer(http("202 Accepted", "", body)).await;
        let started = provider(&base).put_job(&access(), job, Uuid::max(), entry(), "k").await.unwrap();
        assert_eq!((started.id, started.progress), (entry().uuid(), JobProgress::Running), "{body}");
    }
    for status in ["400 Bad Request", "404 Not Found", "405 Method Not Allowed", "409 Conflict", "410 Gone"] {
        let answers = vec![http("204 No Content", "", ""), http(status, "", "{}")];
        let (base, _) = crate::peer::peer(answers).await;
        let error = provider(&base).put_entry(&access(), entry(), "k", r#"{"a":1}"#).await.unwrap_err();
        assert!(matches!(error, ProviderError::Protocol { .. }), "it was taken: {status}: {error:?}");
    }
    let other = format!(r#"{{"id":"{}"}}"#, Uuid::max());
    for body in ["null", "[]", "<html>", r#"{"id":7}"#, other.as_str()] {
        let (base, _) = peer(http("200 OK", "", body)).await;
        let error = provider(&base).put_entry(&access(), entry(), "k", r#"{"a":1}"#).await.unwrap_err();
        assert!(matches!(error, ProviderError::Protocol { .. }), "{body}: {error:?}");
        let job = ProviderJobId::try_from(entry().uuid()).unwrap();
        let (base, _) = peer(http("200 OK", "", body)).await;
        let error = provider(&base).put_job(&access(), job, Uuid::max(), entry(), "k").await.unwrap_err();
        assert!(matches!(error, ProviderError::Protocol { .. }), "{body}: {error:?}");
    }
}
