//! Finance with an invoice data service elsewhere: answers that are lost, 5xx, and `kill -9` of either side. The flows
//! themselves run with both in `finance`, `verdicts_by_hand`, `submission_calls` and `provider_failures`.

mod commands;
mod copies;
mod crashes;

use gateway_tests::{World, until};

async fn event_types(world: &World, uuid: &str) -> Vec<String> {
    let body = world.api.get(&format!("/finance/rpc/documents/{uuid}/events")).await.expect(200);
    let events = body["events"].as_array().unwrap();
    events.iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
}

/// Waits until finance has told all of this of a document.
async fn until_events(world: &World, uuid: &str, expected: &[&str]) {
    until(&format!("{uuid} has {expected:?}"), || async {
        (event_types(world, uuid).await == expected).then_some(())
    })
    .await;
}
