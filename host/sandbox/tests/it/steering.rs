//! Test data that steers the stand-in, marker by marker.

use crate::harness::{World, document};
use gateway_domain_finance::ports::{JobProgress, ProviderError};
use serde_json::json;

#[tokio::test]
async fn reject_is_rejected_with_that_code() {
    let mut world = World::start().await;
    let (_, job) = world.send(&document("F-1", "Jane SANDBOX-REJECT-4104 Roe")).await;
    assert_eq!(job.progress, JobProgress::Failed);
    assert_eq!(job.faults[0].code.as_deref(), Some("4104"));
    assert_eq!(job.faults[0].message.as_deref(), Some("the authority says 4104"));
    let (_, notification) = world.receiver.next().await;
    assert_eq!(notification["faults"][0]["code"], json!("4104"));
}

#[tokio::test]
async fn slow_is_answered_late() {
    let mut world = World::start().await;
    let slow = world.store(&document("F-1", "Jane SANDBOX-SLOW-3600")).await;
    let slow = world.submit(slow).await;
    let quick = world.send(&document("F-2", "Jane Roe")).await.1;
    assert_eq!(world.receiver.next().await.1["transform_job_id"], json!(quick.id));
    assert_eq!(world.job(slow).await.progress, JobProgress::Running);
    world.clock.forward(3600);
    assert_eq!(world.finished(slow).await.progress, JobProgress::Succeeded);
    assert_eq!(world.receiver.next().await.1["transform_job_id"], json!(slow.uuid()));
}

#[tokio::test]
async fn no_webhook_never_calls_back() {
    let mut world = World::start().await;
    let (_, job) = world.send(&document("F-1", "Jane SANDBOX-NO-WEBHOOK")).await;
    assert_eq!(job.progress, JobProgress::Succeeded);
    // Notifications go out in the order of their jobs, so one for the first would come before this one.
    let (_, next) = world.send(&document("F-2", "Jane Roe")).await;
    assert_eq!(world.receiver.next().await.1["transform_job_id"], json!(next.id));
    assert!(world.receiver.is_empty());
}

#[tokio::test]
async fn fail_refuses_the_first_uploads_of_an_entry() {
    let world = World::start().await;
    let stubborn = document("F-1", "Jane SANDBOX-FAIL-2");
    for entry in [world.entry_id(), world.entry_id()] {
        for _ in 0..2 {
            let error = world.put(entry, &stubborn).await.unwrap_err();
            assert!(matches!(error, ProviderError::Unavailable { .. }), "{error:?}");
        }
        world.put(entry, &stubborn).await.unwrap();
    }
}

#[tokio::test]
async fn duplicate_webhook_calls_twice_with_the_same_payload() {
    let mut world = World::start().await;
    let (entry, _) = world.send(&document("F-1", "Jane SANDBOX-DUPLICATE-WEBHOOK")).await;
    let (first, second) = (world.receiver.next().await, world.receiver.next().await);
    assert_eq!(first, second);
    assert_eq!(first.1["silo_entry_id"], json!(entry.uuid()));
}

#[tokio::test]
async fn markers_combine() {
    let mut world = World::start().await;
    let all = document("F-1", "SANDBOX-FAIL-1 SANDBOX-SLOW-60 SANDBOX-REJECT-1110 SANDBOX-DUPLICATE-WEBHOOK");
    let entry = world.entry_id();
    assert!(world.put(entry, &all).await.is_err());
    world.put(entry, &all).await.unwrap();
    let job = world.submit(entry).await;
    world.clock.forward(61);
    assert_eq!(world.finished(job).await.faults[0].code.as_deref(), Some("1110"));
    assert_eq!(world.receiver.next().await, world.receiver.next().await);
}
