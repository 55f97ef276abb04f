//! What somebody should hear of without having looked: in the feed.

use gateway_tests::{Options, World, on_both, until};
use serde_json::{Value, json};

const FEED: &str = "/invoicing/rpc/events?source=notices";

#[tokio::test]
async fn a_submission_that_waits_is_told_in_the_feed_until_it_goes_on() {
    on_both(|engine| async move {
        let world = World::with(engine, Options::default()).await;
        let reader = world.as_client(&["invoicing.rpc", "notices.read"], &["*"]).await;
        let uuid = world.issue(&world.document()).await;
        let kinds = async || -> Vec<Value> {
            let events = reader.get(FEED).await.expect(200)["events"].as_array().unwrap().clone();
            events.into_iter().filter(|event| event["subject"] == json!(uuid)).collect()
        };
        let alerted = until("the alert is in the feed", || async { kinds().await.into_iter().next() }).await;
        assert_eq!(
            (&alerted["source"], &alerted["type"]),
            (&json!("/notices"), &json!("submission.alerted"))
        );
        assert_eq!(alerted["data"]["code"], json!("providerNotConfigured"));
        assert_eq!(alerted["data"]["next_command"], json!(format!("gateway submission show {uuid}")));
        assert_eq!(alerted["data"]["document_number"], world.read(&uuid).await["display_document_number"]);
        let refused = world.as_client(&["invoicing.rpc"], &["*"]).await.get(FEED).await;
        refused.expect(403);

        let verdict = json!({"reason": "not this one"});
        world.command(&uuid, "mark_as_rejected_by_tax_authority", &verdict).await.expect(200);
        let both = until("that it is over is in the feed", || async {
            Some(kinds().await).filter(|events| events.len() == 2)
        })
        .await;
        assert_eq!(both[1]["type"], json!("submission.cleared"));
    })
    .await;
}
