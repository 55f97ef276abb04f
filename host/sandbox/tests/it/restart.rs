//! What a killed stand-in finds again.

use crate::harness::{World, document};
use gateway_domain_finance::ports::JobProgress;
use gateway_storage::Engine;
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn jobs_and_memory_survive_a_kill_on_both_engines() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let mut world = World::on(engine).await;
        let (first, _) = world.send(&document("F-1", "Jane Roe")).await;
        world.receiver.next().await;
        world.all_told().await;
        let entry = world.store(&document("F-2", "Jane SANDBOX-SLOW-3600")).await;
        let job = world.submit(entry).await;
        world.kill();
        world.clock.forward(3600);
        world.restart().await;
        assert_eq!(world.finished(job).await.progress, JobProgress::Succeeded);
        assert_eq!(world.receiver.next().await.1["transform_job_id"], json!(job.uuid()));
        assert_eq!(world.entry(first).await.stamps.len(), 2);
        let hash = &world.entry(entry).await.stamps[1].value;
        assert_eq!(hash, "B98602642/F-2 after B98602642/F-1 after nothing");
        let (_, again) = world.send(&document("F-1", "John Doe")).await;
        assert_eq!(again.faults[0].code.as_deref(), Some("3000"));
    }
}

#[tokio::test]
async fn jobs_that_cannot_run_leave_room_for_others() {
    let world = World::start().await;
    for number in 1..=9 {
        let entry = world.store(&document(&format!("F-{number}"), "Jane SANDBOX-SLOW-60")).await;
        world.submit(entry).await;
        world.damage(entry).await;
    }
    world.clock.forward(60);
    let (_, job) = world.send(&document("F-10", "Jane Roe")).await;
    assert_eq!(job.progress, JobProgress::Succeeded);
}

#[tokio::test]
async fn a_notification_that_was_not_taken_is_sent_again() {
    let mut world = World::start().await;
    world.receiver.answer(503);
    world.send(&document("F-1", "Jane Roe")).await;
    let first = world.receiver.next().await;
    assert_eq!(world.receiver.next().await, first);
    world.receiver.answer(200);
    assert_eq!(world.receiver.next().await, first);
}

#[tokio::test]
async fn an_owed_notification_survives_a_kill() {
    let mut world = World::start().await;
    world.webhook_retry = Duration::from_hours(1);
    world.restart().await;
    world.receiver.answer(500);
    world.send(&document("F-1", "Jane Roe")).await;
    let first = world.receiver.next().await;
    world.stop().await;
    world.receiver.answer(204);
    world.clock.forward(3601);
    world.restart().await;
    assert_eq!(world.receiver.next().await, first);
}

#[tokio::test]
async fn a_failed_count_survives_a_kill() {
    let mut world = World::start().await;
    let entry = world.entry_id();
    assert!(world.put(entry, &document("F-1", "Jane SANDBOX-FAIL-1")).await.is_err());
    world.restart().await;
    assert!(world.put(entry, &document("F-1", "Jane SANDBOX-FAIL-1")).await.is_ok());
}
