//! The message bus: stopped and hung.

use super::{AS_EVER, issued};
use crate::events::until_stream_equals_feed;
use gateway_test_nats::Nats;
use gateway_tests::{Drill, Options, World, on_both, until};

/// The value of a metric without labels.
async fn metric(world: &World, name: &str) -> Option<f64> {
    let metrics = world.gateway.internal().get("/metrics").await.text;
    metrics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))?.parse().ok()
}

/// The bus is away: everything is answered and issued as ever, the metrics say that it takes no events, and all of
/// them are delivered, each once and in order, when it is back.
async fn drill(
    world: &World,
    fault: &'static str,
    (address, before): (&str, usize),
    come_back: impl FnOnce(),
) {
    let failures = metric(world, "event_bus_failures_total").await;
    let stored = issued(world).await;
    let drill = Drill::new(fault, world, &stored).await;
    drill.holds(&AS_EVER).await;
    until("the metrics say that the bus takes no events", || async {
        (metric(world, "event_bus_failures_total").await > failures).then_some(())
    })
    .await;
    let ready = world.gateway.internal().get("/readyz").await.expect(200);
    assert_eq!(
        ready["checks"]["database"], true,
        "a bus that is away is no reason to send clients elsewhere"
    );
    assert!(world.gateway.log().contains("bus"), "{}", world.gateway.log());
    let doctor = world.gateway.cli(&["doctor"]).await;
    assert!(doctor.stdout.contains("does not answer: start it, or set events.bus"), "{doctor:?}");
    come_back();
    let delivered = Box::pin(until_stream_equals_feed_of(world, address, before + 7));
    let delivered = drill.returns("by itself: every event was delivered, once and in order", delivered).await;
    assert!(delivered >= before + 7, "six of a document that was issued, and one of a draft: {delivered}");
}

/// How many events the stream holds, once these are those of the feed.
async fn until_stream_equals_feed_of(world: &World, address: &str, least: usize) -> usize {
    let kept = until_stream_equals_feed(world, address, least).await;
    let positions: Vec<_> = kept.iter().map(|(position, _)| usize::try_from(*position).unwrap()).collect();
    assert_eq!(positions, (1..=kept.len()).collect::<Vec<_>>(), "each once, in order");
    kept.len()
}

#[tokio::test]
async fn while_the_message_bus_is_stopped_documents_are_issued_and_their_events_are_delivered_afterwards() {
    on_both(|engine| async move {
        let mut nats = Nats::start().unwrap();
        let address = nats.fresh_stream();
        let world = World::with(engine, Options::sandbox().variable("GATEWAY_EVENTS__BUS", &address)).await;
        issued(&world).await;
        let before = until_stream_equals_feed_of(&world, &address, 6).await;
        nats.kill();
        drill(&world, "message bus stopped", (&address, before), || nats.restart().unwrap()).await;
    })
    .await;
}

#[tokio::test]
async fn while_the_message_bus_hangs_documents_are_issued_and_their_events_are_delivered_afterwards() {
    on_both(|engine| async move {
        let nats = Nats::start().unwrap();
        let address = nats.fresh_stream();
        let world = World::with(engine, Options::sandbox().variable("GATEWAY_EVENTS__BUS", &address)).await;
        issued(&world).await;
        let before = until_stream_equals_feed_of(&world, &address, 6).await;
        nats.pause().unwrap();
        drill(&world, "message bus hung", (&address, before), || nats.go_on().unwrap()).await;
    })
    .await;
}

#[tokio::test]
async fn a_gateway_starts_while_the_message_bus_hangs_and_delivers_when_it_goes_on() {
    on_both(|engine| async move {
        let nats = Nats::start().unwrap();
        let address = nats.fresh_stream();
        nats.pause().unwrap();
        let world = World::with(engine, Options::sandbox().variable("GATEWAY_EVENTS__BUS", &address)).await;
        issued(&world).await;
        nats.go_on().unwrap();
        until_stream_equals_feed_of(&world, &address, 6).await;
    })
    .await;
}
