//! Pages: at most 25, bounded cursors, and an order that holds while rows are added.

use super::requests::{ask, codes};
use crate::platform::Platform;
use gateway_tests::on_both;
use serde_json::{Value, json};
use std::collections::BTreeSet;

#[tokio::test]
async fn a_page_has_25_nodes_at_most_and_a_foreign_cursor_is_refused() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let units = platform
            .data("{ spaces { units(first: 1000) { nodes { id } pageInfo { hasNextPage endCursor } } } }")
            .await;
        let units = &units["spaces"]["units"];
        assert_eq!(units["nodes"].as_array().unwrap().len(), 25);
        assert_eq!(units["pageInfo"]["hasNextPage"], true);
        assert!(units.get("totalCount").is_none());
        let cursor = units["pageInfo"]["endCursor"].as_str().unwrap();
        for arguments in [
            "first: 0".to_owned(),
            "first: -3".to_owned(),
            "after: \"x\"".to_owned(),
            format!("after: \"{cursor}A\""),
        ] {
            let query = format!("{{ spaces {{ units({arguments}) {{ totalCount }} }} }}");
            assert_eq!(platform.codes(&query).await, ["BAD_USER_INPUT spaces.units"], "{arguments}");
        }
        let foreign = format!("{{ bookings {{ search(after: \"{cursor}\") {{ nodes {{ id }} }} }} }}");
        assert_eq!(platform.codes(&foreign).await, ["BAD_USER_INPUT bookings.search"]);
    })
    .await;
}

#[tokio::test]
async fn every_node_comes_once_while_nodes_are_added() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let (mut listed, mut after, mut pages) = (BTreeSet::new(), Value::Null, 0);
        loop {
            let body = json!({"query": "query($after: String) { catalog { productGroups(filters: {workspaceId: \"1\"}, first: 7,
                after: $after) { edges { cursor node { id } } pageInfo { hasNextPage endCursor } } } }",
                "variables": {"after": after}});
            let answer = platform.api.post("/v1", &body).await.expect(200);
            let page = answer["data"]["catalog"]["productGroups"].clone();
            for edge in page["edges"].as_array().unwrap() {
                assert!(listed.insert(edge["node"]["id"].as_str().unwrap().to_owned()), "twice: {edge}");
            }
            assert_eq!(page["edges"].as_array().unwrap().last().unwrap()["cursor"], page["pageInfo"]["endCursor"]);
            pages += 1;
            if pages < 4 {
                let made = ask(&platform.api, "mutation { catalog { productGroup { create(input: {productGroup: {
                    internalReference: \"new\", workspaceId: \"1\", academicYear: \"2026/2027\",
                    contractEarliestStartDate: \"2026-09-01\", contractLatestStartDate: \"2026-10-01\",
                    contractEarliestEndDate: \"2027-06-01\", contractLatestEndDate: \"2027-08-31\"}}) { id } } } }").await;
                assert!(codes(&made.expect(200)).is_empty());
            }
            after = page["pageInfo"]["endCursor"].clone();
            if page["pageInfo"]["hasNextPage"] == false {
                break;
            }
        }
        assert_eq!(listed.len(), 33, "the 30 there were, and the 3 that came");
    })
    .await;
}
