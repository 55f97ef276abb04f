//! What consumers can rely on, whichever sink carries the events.

use gateway_bus::{Embedded, JetStream};
use gateway_domain::ids::{EventId, WorkspaceId};
use gateway_domain::ports::{EventSink, OutgoingEvent, Subscription};
use gateway_test_nats::Nats;
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

/// Long enough for what comes, and what does not come ends it sooner.
const TIMEOUT: Duration = Duration::from_secs(20);
/// For what must not come.
const SHORT: Duration = Duration::from_millis(50);

/// Both sinks; the server lives as long as the test.
async fn both() -> (Nats, [Arc<dyn EventSink>; 2]) {
    let nats = Nats::for_tests().unwrap();
    let bus = JetStream::open(&nats.fresh_stream()).await.unwrap();
    (nats, [Arc::new(Embedded::default()), Arc::new(bus)])
}

pub(crate) fn event(position: i64) -> OutgoingEvent {
    let number = u128::try_from(position).unwrap();
    OutgoingEvent {
        position,
        id: EventId(Uuid::from_u128(number)),
        source: "/invoicing".to_owned(),
        kind: "DocumentSaved".to_owned(),
        workspace: WorkspaceId(1),
        subject: Uuid::from_u128(7),
        body: format!("{{\"n\":{position}}}"),
    }
}

/// Listens until it has heard of a position.
pub(crate) async fn until(subscription: &mut Box<dyn Subscription>, position: i64) {
    while subscription.next_position(TIMEOUT).await.unwrap().expect("something is told") < position {}
}

#[tokio::test]
async fn a_consumer_hears_of_what_was_published_before_and_after_it_came() {
    let (_nats, sinks) = both().await;
    for sink in sinks {
        sink.publish(&[event(1), event(2)]).await.unwrap();
        let mut subscription = sink.subscribe("copies").await.unwrap();
        until(&mut subscription, 2).await;
        subscription.done(2).await.unwrap();
        sink.publish(&[event(3)]).await.unwrap();
        until(&mut subscription, 3).await;
    }
}

#[tokio::test]
async fn nothing_new_ends_with_patience() {
    let (_nats, sinks) = both().await;
    for sink in sinks {
        let mut subscription = sink.subscribe("copies").await.unwrap();
        assert_eq!(subscription.next_position(SHORT).await.unwrap(), None);
        sink.publish(&[]).await.unwrap();
        assert_eq!(subscription.next_position(SHORT).await.unwrap(), None);
    }
}

#[tokio::test]
async fn each_consumer_hears_by_itself() {
    let (_nats, sinks) = both().await;
    for sink in sinks {
        let (mut one, mut other) =
            (sink.subscribe("copies").await.unwrap(), sink.subscribe("bookings").await.unwrap());
        sink.publish(&[event(1)]).await.unwrap();
        until(&mut one, 1).await;
        one.done(1).await.unwrap();
        until(&mut other, 1).await;
    }
}

#[tokio::test]
async fn what_is_published_again_is_not_told_again() {
    let (_nats, sinks) = both().await;
    for sink in sinks {
        let mut subscription = sink.subscribe("copies").await.unwrap();
        sink.publish(&[event(1), event(2)]).await.unwrap();
        until(&mut subscription, 2).await;
        subscription.done(2).await.unwrap();
        sink.publish(&[event(1), event(2)]).await.unwrap();
        assert_eq!(subscription.next_position(SHORT).await.unwrap(), None);
    }
}
