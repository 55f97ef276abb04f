//! JetStream against a real server: what it keeps, for whom, and how it comes back.

use crate::sinks::{event, until};
use async_nats::jetstream::{self, consumer::PullConsumer, consumer::pull};
use futures::StreamExt;
use gateway_bus::JetStream;
use gateway_domain::ports::EventSink;
use gateway_test_nats::Nats;
use std::time::Duration;

/// What a stranger reads from the stream: subject, id and body of every message.
async fn stored_messages(address: &str) -> Vec<(String, String, String)> {
    let (server, stream) = address.rsplit_once('/').unwrap();
    let context = jetstream::new(async_nats::connect(server).await.unwrap());
    let stream = context.get_stream(stream).await.unwrap();
    let consumer: PullConsumer = stream.create_consumer(pull::Config::default()).await.unwrap();
    let mut messages = consumer.fetch().max_messages(100).messages().await.unwrap();
    let mut stored = Vec::new();
    while let Some(message) = messages.next().await {
        let message = message.unwrap();
        let headers = message.headers.as_ref().unwrap();
        assert_eq!(headers.get("Content-Type").unwrap().as_str(), "application/cloudevents+json");
        let id = headers.get("Nats-Msg-Id").unwrap().to_string();
        stored.push((message.subject.to_string(), id, String::from_utf8(message.payload.to_vec()).unwrap()));
    }
    stored
}

#[tokio::test]
async fn the_stream_keeps_every_event_once_in_the_order_of_the_feed() {
    let nats = Nats::for_tests().unwrap();
    let address = nats.fresh_stream();
    let (one, other) = (JetStream::open(&address).await.unwrap(), JetStream::open(&address).await.unwrap());
    one.publish(&[event(1), event(2)]).await.unwrap();
    // Another relay that goes on from an older place.
    other.publish(&[event(1), event(2), event(3)]).await.unwrap();
    let stored = stored_messages(&address).await;
    let bodies: Vec<_> = stored.iter().map(|(_, _, body)| body.as_str()).collect();
    assert_eq!(bodies, [r#"{"n":1}"#, r#"{"n":2}"#, r#"{"n":3}"#]);
    let name = address.rsplit('/').next().unwrap();
    assert_eq!(stored[0].0, format!("{name}.events.invoicing.1.DocumentSaved"));
    assert_eq!(stored[0].1, event(1).id.to_string());
}

#[tokio::test]
async fn a_consumer_that_comes_back_hears_what_it_was_not_done_with() {
    let nats = Nats::for_tests().unwrap();
    let address = nats.fresh_stream();
    let bus = JetStream::open(&address).await.unwrap();
    bus.publish(&[event(1), event(2), event(3)]).await.unwrap();
    let mut subscription = bus.subscribe("copies").await.unwrap();
    until(&mut subscription, 3).await;
    subscription.done(2).await.unwrap();
    let info = info(&address, "copies").await;
    assert_eq!((info.num_ack_pending, info.num_pending), (1, 0), "the third one is told again after a while");
    drop(subscription);
    let restarted = JetStream::open(&address).await.unwrap();
    restarted.publish(&[event(4)]).await.unwrap();
    let mut subscription = restarted.subscribe("copies").await.unwrap();
    until(&mut subscription, 4).await;
    subscription.done(4).await.unwrap();
}

/// How a durable consumer of three messages stands, after the acknowledgements of two have arrived.
async fn info(address: &str, name: &str) -> jetstream::consumer::Info {
    let (server, stream) = address.rsplit_once('/').unwrap();
    let context = jetstream::new(async_nats::connect(server).await.unwrap());
    let stream = context.get_stream(stream).await.unwrap();
    let mut consumer: PullConsumer = stream.get_consumer(name).await.unwrap();
    let arrived = async {
        loop {
            let info = consumer.info().await.unwrap().clone();
            if info.num_ack_pending < 2 {
                return info;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), arrived).await.expect("the acknowledgements arrive")
}

#[tokio::test]
async fn a_bus_that_is_away_is_an_error_and_takes_everything_when_it_is_back() {
    let mut nats = Nats::start().unwrap();
    let address = nats.fresh_stream();
    let bus = JetStream::open(&address).await.unwrap();
    bus.publish(&[event(1)]).await.unwrap();
    nats.kill();
    bus.publish(&[event(2)]).await.unwrap_err();
    nats.restart().unwrap();
    // The relay repeats a batch until it is taken as a whole.
    while bus.publish(&[event(2), event(3)]).await.is_err() {}
    let stored = stored_messages(&address).await;
    assert_eq!(
        stored.iter().map(|(_, _, body)| body.as_str()).collect::<Vec<_>>(),
        [r#"{"n":1}"#, r#"{"n":2}"#, r#"{"n":3}"#]
    );
}

#[tokio::test]
async fn a_gateway_that_starts_before_its_bus_does_not_wait_for_it() {
    let mut nats = Nats::start().unwrap();
    let address = nats.fresh_stream();
    nats.kill();
    let bus = JetStream::open(&address).await.unwrap();
    bus.publish(&[event(1)]).await.unwrap_err();
    nats.restart().unwrap();
    while bus.publish(&[event(1)]).await.is_err() {}
    assert_eq!(stored_messages(&address).await.len(), 1);
}

#[tokio::test]
async fn a_stream_that_somebody_removed_is_made_again() {
    let nats = Nats::for_tests().unwrap();
    let address = nats.fresh_stream();
    let bus = JetStream::open(&address).await.unwrap();
    bus.publish(&[event(1)]).await.unwrap();
    let (server, stream) = address.rsplit_once('/').unwrap();
    let context = jetstream::new(async_nats::connect(server).await.unwrap());
    context.delete_stream(stream).await.unwrap();
    bus.publish(&[event(2)]).await.unwrap_err();
    bus.publish(&[event(2)]).await.unwrap();
}
