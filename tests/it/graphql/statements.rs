//! How many statements a request costs must not depend on how many nodes a page has.

use crate::platform::{Platform, unit};
use serde_json::json;

const LISTS: [&str; 7] = [
    "{ catalog { productGroups(first: #) { totalCount nodes { id products(first: 4) { totalCount nodes { id productGroup { id } units { id \
     unitType { code } } } } } } } }",
    "{ spaces { units(first: #) { totalCount nodes { id unitType { id building { id name } } amenities { id } mediaItems { id } ratePlans { id \
     unit { code } tariffs(startDate: \"2026-12-01\") { id } } } } } }",
    "{ bookings { search(first: #) { totalCount nodes { id unit { id } product { id productGroup { id } } conversation { id booking { id } messages(first: 4) { totalCount nodes { id } } } } } } }",
    "{ authIdentity { users(first: #) { totalCount nodes { id roleBindings { workspace { id slug } } teams { id } } } } }",
    "{ ticketsTasks { tasks(first: #) { totalCount nodes { id unit { id unitType { building { id } } } booking { id conversation { id } } } } } }",
    "{ invoicing { documents(first: #) { totalCount nodes { id timeline { event } submission { state } booking { id } } } } }",
    "{ availability { unitsAvailability(q: {ids: [IDS], startDate: \"2026-12-01\", endDate: \"2026-12-10\"}, first: #) { totalCount nodes { unit { \
     id amenities { id } } availability { date } } } } }",
];

async fn statements(platform: &Platform, id: &str, query: &str) -> Vec<String> {
    let headers = [("content-type", "application/json"), ("x-request-id", id)];
    let body = json!({"query": query}).to_string().into_bytes();
    let answer = platform.api.send("POST", "/v1", &headers, Some(body)).await;
    assert!(answer.expect(200).get("errors").is_none(), "{answer:?}");
    platform.statements_of(id, "POST /v1 answered").await
}

#[tokio::test]
async fn the_statements_of_a_list_do_not_grow_with_its_page() {
    let platform = Platform::telling_statements().await;
    for n in 0..6 {
        let uuid = gateway_tests::fresh_uuid();
        let document = json!({"workspace_id": 1, "document_type": "invoice", "currency": "EUR", "prices_include_tax": true,
            "booking_id": crate::platform::booking(n), "lines": [{"description": "Night", "quantity": "1", "unit_price": "5",
            "tax": {"category": "VAT", "rate": "10.0"}}]});
        let internal = platform.gateway.internal().with_token(platform.api.token());
        internal.put(&format!("/invoicing/rpc/documents/{uuid}"), &document).await.expect(201);
    }
    let ids = (0..25).map(|n| format!("\"{}\"", unit(n))).collect::<Vec<_>>().join(", ");
    for (place, list) in LISTS.iter().enumerate() {
        let query = |first: &str| list.replace('#', first).replace("IDS", &ids);
        let few = statements(&platform, &format!("few-{place}"), &query("2")).await;
        let many = statements(&platform, &format!("many-{place}"), &query("25")).await;
        assert!(few.len() >= 2, "the log tells of statements: {few:?} for {list}");
        assert!(many.len() <= few.len() + 1, "for 2 nodes {few:#?}, for 25 {many:#?}: {list}");
        assert!(many.len() <= 12, "{many:#?}: {list}");
    }
}
