//! Calls over real sockets.

use crate::peer::{Peer, http};
use async_trait::async_trait;
use gateway_domain_platform::webhooks::Target;
use gateway_outbound::Lookup;
use gateway_webhooks::{
    ClientOptions, HttpWebhookSender, WebhookRequest, WebhookResponse, WebhookSendError, WebhookSender,
};
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Answers each question with the next of its lists, the last one for ever.
#[derive(Debug)]
struct Script(Vec<Vec<&'static str>>, AtomicUsize);

#[async_trait]
impl Lookup for Script {
    async fn look_up(&self, _: &str) -> io::Result<Vec<IpAddr>> {
        let place = self.1.fetch_add(1, Ordering::Relaxed).min(self.0.len() - 1);
        Ok(self.0[place].iter().map(|address| address.parse().unwrap()).collect())
    }
}

fn webhook_sender(allow_private: bool, script: &[&[&'static str]]) -> HttpWebhookSender {
    sender_within(Duration::from_secs(20), allow_private, script)
}

/// The same whose calls may take no longer than this.
fn sender_within(timeout: Duration, allow_private: bool, script: &[&[&'static str]]) -> HttpWebhookSender {
    let options = ClientOptions { allow_private, timeout, ..ClientOptions::default() };
    let lists = script.iter().map(|list| list.to_vec()).collect();
    HttpWebhookSender::with_lookup(options, Arc::new(Script(lists, AtomicUsize::new(0)))).unwrap()
}

fn request(url: &str) -> WebhookRequest {
    WebhookRequest {
        target: Target::parse(url, true).unwrap(),
        id: "msg_1".to_owned(),
        timestamp: 1_795_000_000,
        signature: "v1,abc v1,def".to_owned(),
        body: "{\"type\":\"webhook.test\"}".to_owned(),
    }
}

async fn carried(webhook_sender: &HttpWebhookSender, url: &str) -> Result<WebhookResponse, WebhookSendError> {
    webhook_sender.deliver(request(url)).await
}

#[tokio::test]
async fn a_webhook_is_one_post_with_the_three_headers() {
    let peer = Peer::answering(vec![
        http("200 OK", "set-cookie: a=b\r\n", "thanks"),
        http("204 No Content", "", ""),
    ])
    .await;
    let webhook_sender = webhook_sender(true, &[&["127.0.0.1"]]);
    let answered = carried(&webhook_sender, &peer.url("hooks?a=b")).await.unwrap();
    assert_eq!((answered.status, answered.body.as_str(), answered.is_success()), (200, "thanks", true));
    assert!(
        carried(&webhook_sender, &format!("http://example.test:{}/", peer.port()))
            .await
            .unwrap()
            .is_success()
    );
    let port = peer.port();
    let requests = peer.requests().await;
    let (head, body) = requests[0].split_once("\r\n\r\n").unwrap();
    let head = head.to_lowercase();
    assert!(head.starts_with("post /hooks?a=b http/1.1"), "{head}");
    for line in [
        "content-type: application/json",
        "webhook-id: msg_1",
        "webhook-timestamp: 1795000000",
        "webhook-signature: v1,abc v1,def",
        "user-agent: einvoicing-gateway-webhooks/",
    ] {
        assert!(head.contains(line), "{line}: {head}");
    }
    assert_eq!(body, "{\"type\":\"webhook.test\"}");
    let second = requests[1].to_lowercase();
    assert!(second.contains(&format!("host: example.test:{port}")) && !second.contains("cookie"));
}

#[tokio::test]
async fn a_redirect_is_told_and_not_followed() {
    let inside = Peer::answering(vec![http("200 OK", "", "the secret inside")]).await;
    for status in ["301 Moved Permanently", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"] {
        let peer =
            Peer::answering(vec![http(status, &format!("location: {}\r\n", inside.url("")), "moved")]).await;
        let answered = carried(&webhook_sender(true, &[&[]]), &peer.url("")).await.unwrap();
        assert!(!answered.is_success());
        assert_eq!((answered.location, answered.body.as_str()), (Some(inside.url("")), "moved"));
    }
    assert!(inside.was_left_alone());
}

#[tokio::test]
async fn nothing_inside_is_connected_to() {
    let inside = Peer::answering(vec![http("200 OK", "", "the secret inside")]).await;
    let port = inside.port();
    // The name led outside when it was registered.
    let rebound = webhook_sender(false, &[&["93.184.216.34"], &["127.0.0.1"]]);
    assert_eq!(rebound.look_up("example.test").await.unwrap(), ["93.184.216.34".parse::<IpAddr>().unwrap()]);
    let all = [
        rebound,
        webhook_sender(false, &[&["127.0.0.1", "::1", "10.0.0.1"]]),
        webhook_sender(false, &[&["::ffff:127.0.0.1"]]),
        webhook_sender(false, &[&["169.254.169.254"]]),
    ];
    for webhook_sender in &all {
        for url in [
            format!("http://example.test:{port}/"),
            format!("http://127.0.0.1:{port}/"),
            format!("http://[::ffff:127.0.0.1]:{port}/"),
            format!("http://2130706433:{port}/"),
            format!("https://127.0.0.1:{port}/"),
        ] {
            let error = carried(webhook_sender, &url).await.unwrap_err();
            assert!(matches!(error, WebhookSendError::Refused(_)), "{url}: {error}");
            assert_eq!(error.class(), "address_refused");
        }
    }
    assert!(inside.was_left_alone());
}

#[tokio::test]
async fn whoever_hangs_is_left_after_the_time_limit() {
    let webhook_sender = sender_within(Duration::from_millis(500), true, &[&[]]);
    let hanging = Peer::hanging().await;
    let error = carried(&webhook_sender, &hanging.url("")).await.unwrap_err();
    assert_eq!(error, WebhookSendError::TimedOut { seconds: 0 });
    // The head has said that the event arrived; the body may take its time.
    let webhook_sender = sender_within(Duration::from_secs(3), true, &[&[]]);
    let slow = Peer::answering(vec![b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nthank".to_vec()]).await;
    let answered = carried(&webhook_sender, &slow.url("")).await.unwrap();
    assert_eq!((answered.status, answered.body.as_str()), (200, "thank"));
}

#[tokio::test]
async fn only_the_beginning_of_an_answer_is_read() {
    let long = "x".repeat(1_000_000);
    let peer = Peer::answering(vec![http("500 Internal Server Error", "", &long)]).await;
    let answered = carried(&webhook_sender(true, &[&[]]), &peer.url("")).await.unwrap();
    assert_eq!((answered.status, answered.body.len()), (500, 1024));
}

#[tokio::test]
async fn how_long_to_wait_is_read_as_seconds_and_as_an_instant() {
    let dated = "date: Fri, 20 Nov 2026 09:00:00 GMT\r\nretry-after: Fri, 20 Nov 2026 09:02:00 GMT\r\n";
    for (headers, expected) in
        [("retry-after: 90\r\n", Some(90)), (dated, Some(120)), ("retry-after: soon\r\n", None), ("", None)]
    {
        let peer = Peer::answering(vec![http("429 Too Many Requests", headers, "")]).await;
        let answered = carried(&webhook_sender(true, &[&[]]), &peer.url("")).await.unwrap();
        assert_eq!(answered.retry_after_s, expected, "{headers}");
    }
}

#[tokio::test]
async fn what_went_wrong_is_told_apart() {
    let webhook_sender = webhook_sender(true, &[&[]]);
    let error = carried(&webhook_sender, "http://nobody.test/").await.unwrap_err();
    assert_eq!(error.class(), "name_unknown", "{error}");
    let peer = Peer::answering(vec![b"SSH-2.0-OpenSSH\r\n".to_vec()]).await;
    let error = carried(&webhook_sender, &peer.url("")).await.unwrap_err();
    assert_eq!(error.class(), "broken", "{error}");
    let gone = Peer::answering(vec![]).await;
    let url = gone.url("");
    gone.requests().await;
    let error = carried(&webhook_sender, &url).await.unwrap_err();
    assert_eq!(error.class(), "connect", "{error}");
    let plain = Peer::answering(vec![http("200 OK", "", "")]).await;
    let error = carried(&webhook_sender, &plain.url("").replace("http:", "https:")).await.unwrap_err();
    assert_eq!(error.class(), "connect", "{error}");
}
