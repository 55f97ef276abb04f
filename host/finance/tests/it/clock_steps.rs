//! The clock was far ahead for a while: what was stamped then is old, and what was put off until then is due.

use crate::world::{World, both, here};
use gateway_domain::invoicing::Status;
use gateway_domain_finance::Stage;
use gateway_storage::jobs;
use gateway_watchdog::Round;

/// Seconds.
const AHEAD: i64 = 400 * 86_400;

async fn watched(world: &World) -> Round {
    world.gateway.watchdog().watch("one").await.unwrap().unwrap()
}

#[tokio::test]
async fn a_submission_that_changed_while_the_clock_was_ahead_and_lost_its_job_gets_it_back() {
    for world in both().await {
        world.pass(AHEAD);
        let id = world.waiting().await;
        let mut tx = world.db.begin().await.unwrap();
        assert!(jobs::remove(&mut tx, "submission", &id.to_string()).await.unwrap());
        tx.commit().await.unwrap();
        assert_eq!(watched(&world).await, Round::default(), "it changed just now");
        world.pass(-AHEAD);
        assert_eq!(watched(&world).await, Round { repaired: 1, ..Round::default() });
        world.provider.accepts();
        world.work().await;
        assert_eq!(world.document(id).await.state.status(), Status::Issued);
    }
}

#[tokio::test]
async fn a_document_that_nobody_submits_since_the_clock_was_ahead_is_told_and_told_again() {
    for world in here().await {
        let id = world.draft().await;
        world.pass(AHEAD);
        world.keeper.invoicing().begin_issuing(&world.acting, id, false, None, None).await.unwrap();
        world.pass(61);
        assert_eq!(watched(&world).await.raised, 1);
        world.pass(-AHEAD - 61);
        assert_eq!(watched(&world).await.raised, 1, "it was said at a time that is not yet");
        assert_eq!(watched(&world).await.raised, 0);
        world.pass(3_601);
        assert_eq!(watched(&world).await.raised, 1);
    }
}

#[tokio::test]
async fn a_job_that_was_put_off_beyond_every_wait_is_due_now_and_counted() {
    for world in both().await {
        world.pass(AHEAD);
        let id = world.waiting().await;
        world.pass(-AHEAD);
        assert_eq!(world.work().await, 0, "due in a year");
        assert_eq!(watched(&world).await, Round { recalled: 1, ..Round::default() });
        assert_eq!(world.gateway.watchdog().watched().await.unwrap().recalled, 1);
        assert_eq!(watched(&world).await, Round::default());
        world.work().await;
        let view = world.submission(id).await;
        assert_eq!((view.submission.stage(), &view.submission.alert), (Stage::Waiting, &None));
        assert!(view.submission.data().taken_at.is_some_and(|at| at <= world.gateway.now()), "as of now");
        world.provider.accepts();
        world.pass(60);
        world.work().await;
        assert_eq!(world.document(id).await.state.status(), Status::Issued);
    }
}
