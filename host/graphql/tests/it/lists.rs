//! What every list has in common: filters by ids, and where a page begins.

use crate::world::{here, id, invoice};
use serde_json::{Value, json};

/// Every list, with `ARGUMENTS` where its own stand, and where its answer is.
fn lists() -> [(String, &'static str); 8] {
    let nights = "startDate: \"2026-12-01\", endDate: \"2026-12-03\"";
    let units = [0, 1, 2].map(|unit| format!("\"{}\"", id(6, unit))).join(", ");
    let list = |query: &str, pointer| {
        (query.replace("PAGE", "{ totalCount nodes { __typename } edges { cursor } }"), pointer)
    };
    [
        list("{ catalog { productGroups(ARGUMENTS) PAGE } }", "/catalog/productGroups"),
        list(
            &format!("{{ catalog {{ productGroup(id: \"{}\") {{ products(ARGUMENTS) PAGE }} }} }}", id(8, 0)),
            "/catalog/productGroup/products",
        ),
        list("{ spaces { units(ARGUMENTS) PAGE } }", "/spaces/units"),
        list(
            &format!(
                "{{ availability {{ unitsAvailability(q: {{ids: [{units}], {nights}}}, ARGUMENTS) PAGE }} }}"
            ),
            "/availability/unitsAvailability",
        ),
        list("{ bookings { search(ARGUMENTS) PAGE } }", "/bookings/search"),
        list("{ authIdentity { users(ARGUMENTS) PAGE } }", "/authIdentity/users"),
        list("{ ticketsTasks { tasks(ARGUMENTS) PAGE } }", "/ticketsTasks/tasks"),
        list("{ invoicing { documents(ARGUMENTS) PAGE } }", "/invoicing/documents"),
    ]
}

#[tokio::test]
async fn an_empty_cursor_is_the_first_page_of_every_list() {
    for world in here().await {
        for _ in 0..3 {
            world.draft(invoice(&json!({}))).await;
        }
        for (list, pointer) in lists() {
            let page = async |after: &str| {
                let query = list.replace("ARGUMENTS", &format!("first: 2{after}"));
                world.data(&query).await.pointer(pointer).unwrap().clone()
            };
            let first = page("").await;
            assert_eq!(first["nodes"].as_array().unwrap().len(), 2, "{list}: {first}");
            assert_eq!(page(", after: null").await, first, "{list}");
            assert_eq!(page(", after: \"\"").await, first, "{list}");
            let foreign = world.errors(&list.replace("ARGUMENTS", "after: \"x\"")).await;
            assert!(foreign[0].starts_with("BAD_USER_INPUT cursorInvalid: after"), "{list}: {foreign:?}");
            let next = page(&format!(", after: {}", first["edges"][1]["cursor"])).await;
            assert_ne!(next["edges"], first["edges"], "{list}");
        }
    }
}

#[tokio::test]
async fn no_id_at_all_finds_nothing_and_no_list_of_ids_filters_nothing() {
    let nothing = json!({"totalCount": 0, "nodes": [], "edges": [], "pageInfo": {"hasNextPage": false, "endCursor": null}});
    let page = "{ totalCount nodes { __typename } edges { cursor } pageInfo { hasNextPage endCursor } }";
    let nights = "startDate: \"2026-12-01\", endDate: \"2026-12-03\"";
    for world in here().await {
        let found = async |area: &str, list: &str, arguments: &str| -> Value {
            let arguments = if arguments.is_empty() { String::new() } else { format!("({arguments})") };
            world.data(&format!("{{ {area} {{ {list}{arguments} {page} }} }}")).await[area][list].clone()
        };
        for (area, list) in [("catalog", "productGroups"), ("spaces", "units")] {
            let all = found(area, list, "").await;
            assert!(all["totalCount"].as_i64().unwrap() > 1, "{list}: {all}");
            assert_eq!(found(area, list, "filters: null").await, all, "{list}");
            assert_eq!(found(area, list, "filters: {}").await, all, "{list}");
            assert_eq!(found(area, list, "filters: {ids: null}").await, all, "{list}");
            assert_eq!(found(area, list, "filters: {ids: []}").await, nothing, "{list}");
            assert_eq!(found(area, list, "filters: {ids: [\"nothing\"]}").await, nothing, "{list}");
        }
        let all = found("bookings", "search", "").await;
        assert!(all["totalCount"].as_i64().unwrap() > 1, "{all}");
        assert_eq!(found("bookings", "search", "q: null").await, all);
        assert_eq!(found("bookings", "search", "q: {ids: []}").await, nothing);
        let calendar = format!("q: {{ids: [], {nights}}}");
        assert_eq!(found("availability", "unitsAvailability", &calendar).await, nothing);
    }
}
