//! Notifies the gateway, at least once: tries again with growing waits until the receiver answers 200 or 204, or
//! half a day is over. What is owed is stored, so a restart goes on.

use crate::at_hand::AtHand;
use crate::context::{Context, IDLE_TIMEOUT};
use gateway_domain::StoreError;
use gateway_provider::{WebhookAnswer, WebhookClient, WebhookError};
use gateway_storage::sandbox::{self as store, DeliveryRow};
use gateway_storage::{Corrupt, Topic, Ts};
use jiff::SignedDuration;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Notifications under way at a time.
const IN_FLIGHT_MAX: usize = 16;
/// Tries after which a notification is given up, even when the receiver asked for more.
const TRIES_MAX: i64 = 32;
/// Waits that double; after them the wait stays.
const DOUBLINGS: u32 = 9;
/// The wait that stays, as a multiple of the first: half an hour for five seconds.
const DELAY_MAX_FACTOR: u32 = 360;
/// A notification older than this is given up, as a multiple of the first wait: twelve hours for five seconds.
const AGE_MAX_FACTOR: u32 = 8640;
/// Longest wait a receiver may ask for.
const RETRY_IN_SECONDS_MAX: u64 = 86_400;

/// Notifies until stopped. What is under way then is owed and sent again after the restart.
pub(crate) async fn run(sandbox: Arc<Context>, client: WebhookClient, stop: CancellationToken) {
    let mut in_flight = AtHand::of("Notification");
    let changed = sandbox.db.wakeups(Topic::SandboxDeliveries);
    loop {
        let pause = match start_due(&sandbox, &client, &mut in_flight).await {
            Ok(pause) => pause,
            Err(error) => {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "The sandbox's notifications could not be read"
                );
                Duration::from_secs(1)
            }
        };
        tokio::select! {
            () = stop.cancelled() => return,
            () = changed.notified() => {}
            () = tokio::time::sleep(pause) => {}
            Some(()) = in_flight.ended() => {}
        }
    }
}

/// Starts what is due and says how long there is nothing to start.
async fn start_due(
    sandbox: &Arc<Context>,
    client: &WebhookClient,
    in_flight: &mut AtHand,
) -> Result<Duration, StoreError> {
    if in_flight.running() >= IN_FLIGHT_MAX {
        return Ok(IDLE_TIMEOUT);
    }
    // Those in flight are among them, so there are as many others as may be sent, if there are any.
    let most = in_flight.len().saturating_add(IN_FLIGHT_MAX);
    for row in store::open_deliveries(&sandbox.db, i64::try_from(most).unwrap_or(i64::MAX)).await? {
        if in_flight.contains(row.id.0) {
            continue;
        }
        if row.due_at.0 > sandbox.clock.now() {
            return Ok(sandbox.until(row.due_at.0));
        }
        if in_flight.running() >= IN_FLIGHT_MAX {
            break;
        }
        let (id, sandbox, client) = (row.id.0, Arc::clone(sandbox), client.clone());
        in_flight.start(id, async move {
            if let Err(error) = deliver(&sandbox, &client, row).await {
                tracing::error!(
                    delivery.id = %id, error = &error as &dyn std::error::Error,
                    "The outcome of notification {id} could not be stored"
                );
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        });
    }
    Ok(IDLE_TIMEOUT)
}

/// One try.
async fn deliver(sandbox: &Context, client: &WebhookClient, row: DeliveryRow) -> Result<(), StoreError> {
    let body: Value = serde_json::from_str(&row.body)
        .map_err(|error| Corrupt::new("sandbox_delivery", row.id.0, "body", error))?;
    let answer = client.post(&body).await;
    let mut tx = sandbox.db.begin().await?;
    let tries = row.attempts.saturating_add(1);
    let age = sandbox.clock.now().duration_since(row.since.0);
    let first = sandbox.delays.webhook_retry;
    let too_old =
        age > SignedDuration::try_from(first.saturating_mul(AGE_MAX_FACTOR)).unwrap_or(SignedDuration::MAX);
    if matches!(answer, Ok(WebhookAnswer { status: 200 | 204, .. })) {
        store::delete_delivery(&mut tx, row.id);
    } else if tries >= TRIES_MAX || too_old {
        tracing::warn!(delivery.id = %row.id.0, tries, "Notification {} is given up", row.id.0);
        store::delete_delivery(&mut tx, row.id);
    } else {
        tracing::debug!(delivery.id = %row.id.0, tries, ?answer, "Notification {} was not taken", row.id.0);
        let due_at = Ts(sandbox.after(wait(first, tries, &answer)));
        store::postpone_delivery(&mut tx, row.id, due_at);
    }
    tx.commit_at("sandbox-delivery-tried").await
}

/// How long to wait after `tries` tries: doubling from `first`, then constant, unless the receiver said.
fn wait(first: Duration, tries: i64, answer: &Result<WebhookAnswer, WebhookError>) -> Duration {
    if let Ok(WebhookAnswer { retry_in_s: Some(seconds), .. }) = answer {
        return Duration::from_secs((*seconds).min(RETRY_IN_SECONDS_MAX));
    }
    let doublings = u32::try_from(tries.saturating_sub(1)).unwrap_or(DOUBLINGS);
    let factor = if doublings < DOUBLINGS { 2_u32.saturating_pow(doublings) } else { DELAY_MAX_FACTOR };
    first.saturating_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_doubles_and_then_stays() {
        let silence = Err(WebhookError(String::new()));
        let seconds = |tries| wait(Duration::from_secs(5), tries, &silence).as_secs();
        let waits: Vec<u64> = (1..=11).map(seconds).collect();
        assert_eq!(waits, [5, 10, 20, 40, 80, 160, 320, 640, 1280, 1800, 1800]);
    }

    #[test]
    fn the_receiver_may_say_when() {
        let unavailable = |seconds| Ok(WebhookAnswer { status: 503, retry_in_s: Some(seconds) });
        assert_eq!(wait(Duration::from_secs(5), 3, &unavailable(7)), Duration::from_secs(7));
        assert_eq!(wait(Duration::from_secs(5), 3, &unavailable(u64::MAX)), Duration::from_hours(24));
    }
}
