//! The worker pool sends, beside the jobs, and writes down what it finished.

use crate::world::{URL, World, here};
use gateway_domain_platform::webhooks::DeliveryState;
use gateway_jobs::{JobQueue, Pool, Registry};
use tokio_util::sync::CancellationToken;

/// The pool of a process, as the binary has it.
fn pool(world: &World) -> Pool {
    let dispatcher = world.webhooks.dispatcher().unwrap();
    let db = world.db.db();
    let jobs = JobQueue::new(db.clone(), world.clock.clone(), Registry::default());
    Pool::new(db.clone()).with(jobs).with(dispatcher)
}

#[tokio::test]
async fn what_was_on_its_way_when_the_process_stops_is_written_down() {
    for world in here().await {
        let (endpoint, _) = world.registered(URL, &[]).await;
        world.changes().await;
        world.fanned_out().await;
        let shutdown = CancellationToken::new();
        let running = tokio::spawn(pool(&world).run("one".to_owned(), shutdown.clone()));
        world.webhook_sender.until_carried().await;
        shutdown.cancel();
        running.await.unwrap();
        let deliveries = world.deliveries_of(endpoint.id).await;
        let states: Vec<_> = deliveries.iter().map(|one| (one.state, one.attempts.len())).collect();
        assert_eq!(states, [(DeliveryState::Delivered, 1)]);
    }
}
