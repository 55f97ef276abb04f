//! What finance keeps of the documents of the service: copies that follow its feed.

use gateway_tests::{Fault, Rpc, World, on_both_remote, until};
use serde_json::json;

#[tokio::test]
async fn graphql_shows_the_documents_of_the_service_without_asking_it() {
    on_both_remote(|engine| async move {
        let world = World::start(engine).await;
        let uuid = world.issue(&world.document()).await;
        let issued = world.until(&uuid, "issued").await;
        let draft = world.draft(&world.document()).await;
        let proxy = &world.remote_service().proxy;
        let public = world.gateway.public().with_token(world.api.token());
        let query = format!(
            "{{ invoicing {{ document(id: \"{uuid}\") {{ ...shown }} all: documents {{ totalCount nodes {{ ...shown }} }} \
             issued: documents(filters: {{status: ISSUED, workspaceId: \"{}\"}}) {{ totalCount nodes {{ id }} }} }} }} \
             fragment shown on InvoiceDocument {{ id status displayInvoiceNumber totals {{ gross }} acceptance {{ qrUrl }} \
             timeline {{ event }} submission {{ state }} }}",
            world.workspace
        );
        // The copies follow the feed of the service.
        let data = until("both documents are copied as they are", || async {
            let body = public.post("/v1", &json!({"query": query})).await.expect(200);
            let found = body["data"]["invoicing"].clone();
            let is_late = found["all"]["totalCount"] != 2 || found["issued"]["totalCount"] != 1;
            (!is_late && found["document"]["status"] == "ISSUED").then_some(found)
        })
        .await;
        let document = &data["document"];
        assert_eq!(document["displayInvoiceNumber"], issued["display_invoice_number"]);
        assert_eq!(document["totals"]["gross"], issued["totals"]["gross"]);
        assert!(document["acceptance"]["qrUrl"].is_string(), "{document}");
        assert_eq!(document["submission"]["state"], "accepted");
        let events: Vec<_> = document["timeline"].as_array().unwrap().iter().map(|entry| &entry["event"]).collect();
        assert!(events.contains(&&json!("DocumentIssued")), "{events:?}");
        assert_eq!(data["issued"]["nodes"], json!([{"id": uuid}]));
        let ids: Vec<_> = data["all"]["nodes"].as_array().unwrap().iter().map(|node| &node["id"]).collect();
        assert!(ids.contains(&&json!(uuid)) && ids.contains(&&json!(draft)), "{ids:?}");

        let read = proxy.calls(Rpc::Read);
        public.post("/v1", &json!({"query": query})).await.expect(200);
        assert_eq!(proxy.calls(Rpc::Read), read, "finance's copies answer");
    })
    .await;
}

#[tokio::test]
async fn finance_follows_the_feed_of_the_service() {
    on_both_remote(|engine| async move {
        let mut world = World::start(engine).await;
        let booking = gateway_tests::fresh_uuid();
        let of_booking = format!("/finance/rpc/bookings/{booking}/documents");
        let booking_documents = async |world: &World| {
            let body = world.api.get(&of_booking).await.expect(200);
            body["documents"].as_array().unwrap().clone()
        };
        world.remote_service().proxy.fail(Rpc::Feed, 2, Fault::Garbage);
        world.remote_service().proxy.fail(Rpc::Feed, 1, Fault::Closed);
        let billed = world.document().with("booking_id", json!(booking));
        let uuid = world.draft(&billed).await;
        until("the booking shows the draft that finance never heard of", || async {
            booking_documents(&world).await.iter().any(|found| found["status"] == "draft").then_some(())
        })
        .await;
        let metrics = world.gateway.internal().get("/metrics").await.text;
        assert!(metrics.contains("invoicing_feed_failures_total 3"), "{metrics}");
        world.gateway.kill9();
        world.serve_again().await;
        world.command(&uuid, "issue", &json!({})).await.expect(200);
        world.until(&uuid, "issued").await;
        until("the booking shows the issued document", || async {
            booking_documents(&world).await.iter().any(|found| found["status"] == "issued").then_some(())
        })
        .await;
        assert_eq!(booking_documents(&world).await.len(), 1);
        // Whoever asked there is named here.
        let feed = world.api.get("/invoicing/rpc/events?limit=500").await.expect(200);
        let events = feed["events"].as_array().unwrap().iter();
        let saved: Vec<_> =
            events.filter(|event| event["subject"] == *uuid && event["type"] == "DocumentSaved").collect();
        let [saved] = &*saved else { panic!("{feed:#}") };
        assert!(saved["client"].is_string(), "{saved:#}");
        let here = world.as_client(&["invoicing.rpc"], &["*"]).await;
        let kept = here.get("/invoicing/rpc/events?limit=500").await.expect(200);
        let kept = kept["events"].as_array().unwrap().iter().find(|event| event["id"] == saved["id"]);
        assert_eq!(kept.map(|event| &event["client"]), Some(&saved["client"]), "{kept:#?}");
    })
    .await;
}
