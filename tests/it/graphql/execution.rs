//! What @skip and @include leave of a request, with the defaults of variables; what is left of objects and keys.

use super::merged_fields::CREATE;
use super::requests::{ask, codes};
use crate::platform::{Platform, unit, user};
use gateway_tests::{Engine, on_both};
use serde_json::{Value, json};

#[tokio::test]
async fn a_change_that_a_default_skips_is_not_made() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let selections = [
            "catalog { productGroup { C @D { id } } }",
            "catalog { productGroup @D { C { id } } }",
            "catalog @D { productGroup { C { id } } }",
            "... @D { catalog { productGroup { C { id } } } }",
            "catalog { ...F @D } } fragment F on CatalogMutation { productGroup { C { id } }",
        ];
        let stored = || async {
            let all = platform.data("{ catalog { productGroups { totalCount } } }").await;
            all["catalog"]["productGroups"]["totalCount"].as_u64().unwrap()
        };
        let before = stored().await;
        let (mut made, mut n) = (0, 0);
        for (ty, directive, default) in [
            ("Boolean", "skip", true),
            ("Boolean!", "skip", true),
            ("Boolean", "include", false),
            ("Boolean!", "include", true),
            ("Boolean", "skip", false),
        ] {
            for selection in selections {
                let create = CREATE.replace("NAME", &format!("IF-{n}"));
                let query = format!("mutation($c: {ty} = {default}) {{ {selection} }}")
                    .replace("C ", &format!("{create} "))
                    .replace("@D", &format!("@{directive}(if: $c)"));
                let answer = ask(&platform.api, &query).await.expect(200);
                assert_eq!(answer.get("errors"), None, "{query}");
                let stays = (directive == "include") == default;
                assert_eq!(answer.to_string().contains("\"id\""), stays, "{query}: {answer}");
                made += u64::from(stays);
                n += 1;
            }
        }
        assert_eq!(stored().await - before, made);
    })
    .await;
}

#[tokio::test]
async fn an_object_of_which_nothing_is_selected_is_an_object() {
    let platform = Platform::start(Engine::Sqlite).await;
    for (query, data) in [
        ("{ awc @skip(if: true) { workspace(id: 1) { id } } }", json!({})),
        (
            "query($t: Boolean! = false) { awc { workspace(id: 1) @include(if: $t) { id } } }",
            json!({"awc": {}}),
        ),
        (
            "{ spaces { units(first: 2) { nodes { id @skip(if: true) } totalCount @include(if: false) } } }",
            json!({"spaces": {"units": {"nodes": [{}, {}]}}}),
        ),
        ("{ awc { ...F @include(if: false) } } fragment F on AwcQuery { __typename }", json!({"awc": {}})),
        ("query($s: Boolean! = true) { a: __typename @skip(if: $s) b: __typename }", json!({"b": "Query"})),
    ] {
        assert_eq!(ask(&platform.api, query).await.expect(200), json!({"data": data}), "{query}");
    }
    let create = CREATE.replace("NAME", "BARE");
    let query = format!("mutation {{ catalog {{ productGroup {{ {create} {{ id @skip(if: true) }} }} }} }}");
    let made = ask(&platform.api, &query).await.expect(200);
    assert_eq!(made, json!({"data": {"catalog": {"productGroup": {"create": {}}}}}));
}

async fn entities(platform: &Platform, below: &str, keys: Value) -> Value {
    let query = format!("query($r: [_Any!]!) {{ _entities(representations: $r) {{ {below} }} }}");
    platform.api.post("/v1", &json!({"query": query, "variables": {"r": keys}})).await.expect(200)
}

#[tokio::test]
async fn each_entity_key_is_answered_on_its_own_and_its_refusal_points_at_it() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let keys = json!([{"__typename": "Unit", "id": unit(0)}, {"__typename": "Unit", "id": unit(999)}]);
        let answer = entities(&platform, "... on Booking { id }", keys).await;
        assert_eq!(answer, json!({"data": {"_entities": [{}, null]}}));
        let limited = platform.client(&["spaces.read"], &["1"]).await;
        let keys = json!([{"__typename": "Unit", "id": unit(0)}, {"__typename": "User", "id": user(0)}]);
        for below in [
            "... on Unit { id } ... on User { id }",
            "__typename ...F ...F } } fragment F on Unit { unitType { __typename",
        ] {
            let query = format!("query($r: [_Any!]!) {{ _entities(representations: $r) {{ {below} }} }}");
            let body = json!({"query": query, "variables": {"r": keys}});
            let answer = limited.post("/v1", &body).await.expect(200);
            assert_eq!(codes(&answer), ["FORBIDDEN _entities.1"], "{answer}");
            assert!(
                answer["data"]["_entities"][0].is_object() && answer["data"]["_entities"][1].is_null(),
                "{answer}"
            );
            assert!(!answer.to_string().contains("\"key\""), "{answer}");
        }
    })
    .await;
}

#[tokio::test]
async fn only_the_selected_operation_needs_its_variables_and_counts_for_the_limit() {
    let platform = Platform::start(Engine::Sqlite).await;
    let dear = "catalog { productGroups(first: 100) { nodes { products(first: 100) { nodes { units { id unitType { building { id } } amenities { id } mediaItems { id } } } } } } }";
    let query = format!(
        "query A($x: Int!) {{ spaces {{ units(first: $x) {{ totalCount }} }} {dear} }} query B {{ awc {{ __typename }} }}"
    );
    let run = |name: &'static str, variables: Value| {
        let body = json!({"query": query, "operationName": name, "variables": variables});
        let api = &platform.api;
        async move { api.post("/v1", &body).await.expect(200) }
    };
    assert_eq!(run("B", json!({})).await, json!({"data": {"awc": {"__typename": "AwcQuery"}}}));
    assert_eq!(codes(&run("A", json!({"x": 1})).await), ["QUERY_TOO_COMPLEX"]);
    assert_eq!(codes(&run("A", json!({})).await), ["BAD_USER_INPUT"]);
    assert_eq!(codes(&run("C", json!({})).await), ["BAD_USER_INPUT"]);
}
