//! No bus: the consumers of this process are woken, and read the log.

use async_trait::async_trait;
use gateway_domain::ports::{BusError, EventSink, OutgoingEvent, Subscription};
use std::time::Duration;
use tokio::sync::watch;

/// Wakes the consumers of this process. Those of other processes look into the log by themselves.
#[derive(Debug)]
pub struct Embedded {
    head: watch::Sender<i64>,
}

impl Default for Embedded {
    fn default() -> Self {
        Self { head: watch::Sender::new(0) }
    }
}

#[async_trait]
impl EventSink for Embedded {
    fn cursor_name(&self) -> Option<&'static str> {
        None
    }

    async fn publish(&self, events: &[OutgoingEvent]) -> Result<(), BusError> {
        if let Some(newest) = events.iter().map(|event| event.position).max() {
            self.head.send_if_modified(|head| {
                let moved = newest > *head;
                *head = newest.max(*head);
                moved
            });
        }
        Ok(())
    }

    async fn subscribe(&self, _consumer: &str) -> Result<Box<dyn Subscription>, BusError> {
        let mut head = self.head.subscribe();
        // What was published before is news to a consumer that has just come.
        if *head.borrow() > 0 {
            head.mark_changed();
        }
        Ok(Box::new(EmbeddedSubscription { head }))
    }
}

#[derive(Debug)]
struct EmbeddedSubscription {
    head: watch::Receiver<i64>,
}

#[async_trait]
impl Subscription for EmbeddedSubscription {
    async fn next_position(&mut self, timeout: Duration) -> Result<Option<i64>, BusError> {
        match tokio::time::timeout(timeout, self.head.changed()).await {
            Ok(Ok(())) => Ok(Some(*self.head.borrow_and_update())),
            Ok(Err(_)) => Err(BusError { detail: "the embedded dispatcher ended".to_owned() }),
            Err(_) => Ok(None),
        }
    }

    async fn done(&mut self, _position: i64) -> Result<(), BusError> {
        Ok(())
    }
}
