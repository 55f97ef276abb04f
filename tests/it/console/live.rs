//! Pages that follow what moves.

use super::{FINANCE, OPERATOR, browser};
use gateway_tests::{Document, Options, Receiver, World, between, on_both, until};
use serde_json::json;

#[tokio::test]
async fn the_rejected_queue_follows_what_is_rejected_and_keeps_what_is_ticked() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let finance = browser(&world, FINANCE).await;
        let empty = finance.get("/console/rejected").await.text;
        assert!(
            empty.contains("data-live=\"/console/live\"") && empty.contains("No document is rejected"),
            "{empty}"
        );
        let document: Document = world.document().named("Rita SANDBOX-REJECT-1239");
        let (_, id) = tokio::join!(finance.listen("/console/live", "event: changed"), world.issue(&document));
        world.until(&id, "rejected").await;
        let fragment = finance.send("GET", "/console/rejected", &[("hx-request", "true")], None).await;
        let ticked = format!("id=\"box-{id}\" aria-labelledby=\"number-{id}\" hx-preserve");
        assert!(fragment.text.contains(&ticked), "{}", fragment.text);
    })
    .await;
}

#[tokio::test]
async fn a_document_says_its_state_in_words_for_whoever_hears_the_page() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let finance = browser(&world, FINANCE).await;
        let id = world.issue(&world.document().named("Rita SANDBOX-REJECT-1239")).await;
        world.until(&id, "rejected").await;
        let page = finance.get(&format!("/console/invoices/{id}")).await.text;
        assert!(
            page.contains("<b title=\"DocumentIssuing, Issuing\">Sent to the tax authority</b>"),
            "{page}"
        );
        assert!(!page.contains("<dt>Open</dt>"), "nothing is owed for what was rejected: {page}");
        let stranger = gateway_tests::fresh_uuid();
        assert_eq!(finance.get(&format!("/console/invoices/{stranger}/live")).await.status, 404);
        let sentence = between(&page, "<div id=\"live\" data-sentence=\"", "\"").unwrap();
        assert!(sentence.starts_with("Invoice ") && sentence.contains(": rejected, "), "{sentence}");
    })
    .await;
}

#[tokio::test]
async fn webhooks_and_their_deliveries_follow_what_is_delivered() {
    on_both(|engine| async move {
        let options = Options::sandbox().variable("GATEWAY_WEBHOOKS__ALLOW_PRIVATE", "true");
        let (world, receiver) = (World::with(engine, options).await, Receiver::start().await);
        let api = world.gateway.public().with_token(world.api.token());
        let registration = json!({"workspace_id": world.workspace, "notification_url": receiver.url("/a")});
        let registered = api.post("/v1/webhooks", &registration).await.expect(201);
        let page = format!("/console/webhooks/{}", registered["webhook"]["id"].as_str().unwrap());
        let operator = browser(&world, OPERATOR).await;
        let (live, test) = (format!("{page}/live"), format!("{page}/test"));
        assert!(operator.get(&page).await.text.contains(&format!("data-live=\"{live}\"")));
        let narrowed = operator.get(&format!("{page}?status=failed")).await.text;
        assert!(narrowed.contains(&format!("data-live=\"{live}?status=failed\"")), "{narrowed}");
        let list = "/console/webhooks/live?skip=0";
        assert!(operator.get("/console/webhooks").await.text.contains(&format!("data-live=\"{list}\"")));
        // The list shows what waits and whether an endpoint is in use, the page of one its deliveries.
        for (events, action) in [(live.as_str(), test), (list, format!("{page}/disable"))] {
            let mut live = operator.events(events).await;
            live.wait_for(": watching").await;
            let sent = operator.submit(&action, &[]).await;
            assert_eq!(sent.status, 303, "{}", sent.text);
            live.wait_for("event: changed").await;
        }
        until("the test has arrived", || async {
            let html = operator.get(&page).await.text;
            (html.matches("<span class=\"state delivered\">").count() == 1).then_some(())
        })
        .await;
        assert_eq!(operator.get("/console/webhooks/nothing/live").await.status, 404);
        assert_eq!(operator.get(&format!("{live}?status=lost")).await.status, 422);
    })
    .await;
}
