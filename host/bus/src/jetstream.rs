//! NATS JetStream: one stream keeps the feed, one durable consumer per name.

use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::context::{Context, ContextBuilder};
use async_nats::jetstream::message::{Acker, PublishMessage};
use async_nats::jetstream::stream::{Config, Stream};
use async_nats::{ConnectOptions, ServerAddr};
use async_trait::async_trait;
use futures::StreamExt;
use gateway_domain::ports::{BusError, EventSink, OutgoingEvent, Subscription};
use std::fmt;
use std::time::Duration;
use tokio::sync::Mutex;
use url::Url;

/// The name of the stream unless the address names another.
const STREAM_DEFAULT: &str = "gateway";
/// How long the bus may take to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);
/// How much longer each try to reach the bus waits, up to twenty times as long.
const RECONNECT_DELAY: Duration = Duration::from_millis(100);
/// How long the bus remembers the ids of events it has taken; a relay that was interrupted comes back sooner.
const DEDUPLICATION_WINDOW: Duration = Duration::from_hours(1);
/// How long the stream keeps an event; the log keeps it for ever.
const EVENT_RETENTION: Duration = Duration::from_hours(7 * 24);
/// How long a consumer may be silent before it is told again.
const ACK_WAIT: Duration = Duration::from_secs(30);
/// Events heard of at once.
const BATCH_MAX: usize = 500;
/// The place of the event in the feed.
const POSITION_HEADER: &str = "Gateway-Position";

/// The address is none of a bus.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "use nats://HOST:PORT or tls://HOST:PORT, with /NAME behind it for a stream of another name than 'gateway'"
)]
pub struct NotABus;

/// A NATS server with JetStream. The stream is made when it is missing: whoever wants other limits than seven days
/// in one copy makes it first, with the subjects `NAME.events.>`.
pub struct JetStream {
    context: Context,
    name: String,
    stream: Mutex<Option<Stream>>,
}

impl fmt::Debug for JetStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JetStream").field("name", &self.name).finish_non_exhaustive()
    }
}

/// An address taken apart: the server, and the name of the stream.
fn parse(address: &str) -> Result<(ServerAddr, String), NotABus> {
    let mut url: Url = address.parse().map_err(|_| NotABus)?;
    let plain = matches!(url.scheme(), "nats" | "tls") && url.has_host() && url.query().is_none();
    let name = url.path().trim_matches('/').to_owned();
    let named =
        name.len() <= 64 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    if !plain || !named || url.fragment().is_some() {
        return Err(NotABus);
    }
    url.set_path("");
    let server = ServerAddr::from_url(url).map_err(|_| NotABus)?;
    Ok((server, if name.is_empty() { STREAM_DEFAULT.to_owned() } else { name }))
}

impl JetStream {
    /// Whether an address names a bus.
    pub fn check(address: &str) -> Result<(), NotABus> {
        parse(address).map(drop)
    }

    /// Gets ready to use the bus at `nats://HOST:PORT[/NAME]` (or `tls://…`, with `USER:PASSWORD@` where needed). Does
    /// not wait for it: a bus that is away now is used when it is there.
    pub async fn open(address: &str) -> Result<Self, NotABus> {
        let (server, name) = parse(address)?;
        let options = ConnectOptions::new()
            .name("gateway")
            .connection_timeout(ANSWER_TIMEOUT)
            .request_timeout(Some(ANSWER_TIMEOUT))
            .reconnect_delay_callback(|tries| {
                RECONNECT_DELAY.saturating_mul(u32::try_from(tries).unwrap_or(20).min(20))
            })
            .retry_on_initial_connect();
        let client = options.connect(server).await.map_err(|_| NotABus)?;
        let context = ContextBuilder::new().timeout(ANSWER_TIMEOUT).ack_timeout(ANSWER_TIMEOUT).build(client);
        Ok(Self { context, name, stream: Mutex::new(None) })
    }

    /// The stream, made when it is missing.
    async fn stream(&self) -> Result<Stream, BusError> {
        let mut known = self.stream.lock().await;
        if let Some(stream) = known.as_ref() {
            return Ok(stream.clone());
        }
        let config = Config {
            name: self.name.clone(),
            subjects: vec![format!("{}.events.>", self.name)],
            max_age: EVENT_RETENTION,
            duplicate_window: DEDUPLICATION_WINDOW,
            ..Config::default()
        };
        let stream = self.context.get_or_create_stream(config).await.map_err(bus_error)?;
        *known = Some(stream.clone());
        Ok(stream)
    }

    async fn publish_one(&self, event: &OutgoingEvent) -> Result<(), BusError> {
        let source = event.source.trim_matches('/');
        let subject = format!("{}.events.{source}.{}.{}", self.name, event.workspace, event.kind);
        let message = PublishMessage::build()
            .payload(event.body.clone().into())
            .message_id(event.id.to_string())
            .header("Content-Type", "application/cloudevents+json")
            .header(POSITION_HEADER, event.position.to_string());
        let acknowledgement = self.context.send_publish(subject, message).await.map_err(bus_error)?;
        acknowledgement.await.map_err(bus_error)?;
        Ok(())
    }
}

fn bus_error(error: impl fmt::Display) -> BusError {
    BusError { detail: error.to_string() }
}

#[async_trait]
impl EventSink for JetStream {
    fn cursor_name(&self) -> Option<&'static str> {
        Some("bus:nats")
    }

    /// One after another: an event that is lost on the way must not be overtaken by the next one.
    async fn publish(&self, events: &[OutgoingEvent]) -> Result<(), BusError> {
        self.stream().await?;
        for event in events {
            if let Err(error) = self.publish_one(event).await {
                // Perhaps somebody removed the stream: the next call makes it again.
                *self.stream.lock().await = None;
                return Err(error);
            }
        }
        Ok(())
    }

    async fn subscribe(&self, consumer: &str) -> Result<Box<dyn Subscription>, BusError> {
        let stream = self.stream().await?;
        let config = pull::Config {
            durable_name: Some(consumer.to_owned()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: ACK_WAIT,
            ..pull::Config::default()
        };
        match stream.get_or_create_consumer(consumer, config).await {
            Ok(consumer) => Ok(Box::new(DurableSubscription { consumer, unacknowledged: Vec::new() })),
            Err(error) => {
                *self.stream.lock().await = None;
                Err(bus_error(error))
            }
        }
    }
}

struct DurableSubscription {
    consumer: PullConsumer,
    /// Heard of, and not done yet.
    unacknowledged: Vec<(i64, Acker)>,
}

impl fmt::Debug for DurableSubscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DurableSubscription")
            .field("unacknowledged", &self.unacknowledged.len())
            .finish_non_exhaustive()
    }
}

impl DurableSubscription {
    async fn take(&mut self, mut batch: pull::Batch) -> Result<Option<i64>, BusError> {
        let mut furthest = None;
        while let Some(message) = batch.next().await {
            let (message, acker) = message.map_err(bus_error)?.split();
            let position = message
                .headers
                .as_ref()
                .and_then(|headers| headers.get(POSITION_HEADER)?.as_str().parse().ok());
            // A message that is no event of this gateway is done at once.
            let position = position.unwrap_or(0_i64);
            furthest = furthest.max(Some(position));
            self.unacknowledged.push((position, acker));
        }
        Ok(furthest)
    }
}

#[async_trait]
impl Subscription for DurableSubscription {
    async fn next_position(&mut self, timeout: Duration) -> Result<Option<i64>, BusError> {
        let receiving = async {
            let first = self.consumer.batch().max_messages(1).expires(timeout).messages();
            let first = first.await.map_err(bus_error)?;
            let first = self.take(first).await?;
            if first.is_none() {
                return Ok(None);
            }
            let rest = self.consumer.fetch().max_messages(BATCH_MAX).messages();
            let rest = rest.await.map_err(bus_error)?;
            Ok(first.max(self.take(rest).await?))
        };
        // A bus that falls silent in the middle is away.
        let silent = |_| BusError { detail: "it fell silent".to_owned() };
        tokio::time::timeout(timeout.saturating_add(ANSWER_TIMEOUT), receiving).await.map_err(silent)?
    }

    async fn done(&mut self, position: i64) -> Result<(), BusError> {
        let (done, unacknowledged) = self.unacknowledged.drain(..).partition(|(at, _)| *at <= position);
        self.unacknowledged = unacknowledged;
        let done: Vec<(i64, Acker)> = done;
        for (_, acker) in &done {
            acker.ack().await.map_err(bus_error)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_the_server_and_perhaps_the_stream() {
        let stream = |address| parse(address).map(|(_, name)| name);
        assert_eq!(stream("nats://127.0.0.1:4222").unwrap(), "gateway");
        assert_eq!(stream("nats://user:secret@bus.example/").unwrap(), "gateway");
        assert_eq!(stream("tls://bus.example:4443/tests-1").unwrap(), "tests-1");
        for no in
            ["", "embedded", "http://bus.example", "nats://", "nats://h/a/b", "nats://h/a.b", "nats://h?x=1"]
        {
            assert_eq!(JetStream::check(no), Err(NotABus), "{no}");
        }
    }
}
