//! The worker pool sends, beside the jobs, and gives back what it cannot finish.

use super::URL;
use crate::provider::Op;
use crate::world::{World, here};
use gateway_domain_finance::Stage;
use gateway_domain_platform::webhooks::DeliveryState;
use gateway_jobs::Pool;
use gateway_storage::webhooks;
use jiff::SignedDuration;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The pool of a process, as the binary has it.
fn pool(world: &World) -> Pool {
    let dispatcher = world.gateway.webhooks().dispatcher().unwrap();
    Pool::new(world.db.db().clone()).with(world.gateway.job_queue().clone()).with(dispatcher)
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

#[tokio::test]
async fn an_endpoint_that_hangs_holds_up_no_submission_and_is_given_back_when_the_process_stops() {
    let runs = here().await.into_iter().map(|world| async move {
        let (endpoint, _) = world.registered(URL, &[]).await;
        world.webhook_sender.hangs(URL);
        world.changes().await;
        world.fanned_out().await;
        let shutdown = CancellationToken::new();
        let running = tokio::spawn(pool(&world).run("one".to_owned(), shutdown.clone()));
        world.webhook_sender.until_carried().await;
        let id = world.draft().await;
        world.issue(id).await.unwrap();
        let submitted = world.provider.until_called(Op::PutJob);
        tokio::time::timeout(Duration::from_secs(20), submitted).await.expect("it is submitted meanwhile");
        let claim = || {
            let (db, now) = (world.db.db(), world.gateway.now());
            webhooks::claim(db, "two", now, SignedDuration::from_secs(60), 9)
        };
        assert_eq!(claim().await.unwrap(), [], "another process leaves it alone");
        shutdown.cancel();
        running.await.unwrap();
        assert_eq!(world.submission(id).await.submission.stage(), Stage::Waiting);
        let claimed: Vec<_> = claim().await.unwrap().into_iter().map(|endpoint| endpoint.id).collect();
        assert_eq!(claimed, [endpoint.id], "it goes on at once");
    });
    futures::future::join_all(runs).await;
}
