//! Requests that want too much, and requests that are none.

use super::requests::{ask, codes};
use crate::platform::Platform;
use futures::future::join_all;
use gateway_tests::{Options, on_both};
use serde_json::{Value, json};
use std::fmt::Write;

#[tokio::test]
async fn queries_that_cost_too_much_are_refused_before_they_run() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let list = |what: &str, times: usize| (0..times).fold(String::new(), |mut text, n| {
            write!(text, " {}", what.replace('#', &n.to_string())).unwrap();
            text
        });
        let mut bomb = "{ ...f0 }".to_owned();
        for n in 0..24 {
            write!(bomb, " fragment f{n} on Query {{ ...f{0} ...f{0} }}", n + 1).unwrap();
        }
        bomb.push_str(" fragment f24 on Query { __typename }");
        let hostile = [
            format!("{}{}", "{a".repeat(60_000), "}".repeat(60_000)),
            format!(
                "{{ catalog {{ productGroups {{ nodes {{ {} id {} }} }} }} }}",
                "products { nodes { productGroup { ".repeat(6),
                "} } } ".repeat(6)
            ),
            format!("{{ {} }}", list("a#: catalog { productGroups { nodes { id } } }", 60)),
            format!("{{ {} }}", list("catalog { productGroups { nodes { id products { nodes { id name } } } } }", 40)),
            format!("{{ __typename {} }}", "@include(if: true) ".repeat(80)),
            format!("{{ __schema {{ types {} name {} }} }}", "{ fields { type ".repeat(5), "} }".repeat(5)),
            format!("query({}) {{ __typename }}", "$a: Int ".repeat(9_000)),
            bomb,
        ];
        for query in hostile {
            let body = ask(&platform.api, &query).await.expect(200);
            assert_eq!(codes(&body), ["QUERY_TOO_COMPLEX"], "{}", query.chars().take(200).collect::<String>());
            assert!(body.get("data").is_none());
        }
        let huge = platform.api.announced("POST", "/v1", "content-type: application/json\r\ncontent-length: 3000000\r\n").await;
        assert!(huge.starts_with("HTTP/1.1 413"), "{huge}");
        // What tools ask before they show anything.
        let introspection = "query IntrospectionQuery { __schema { queryType { name } mutationType { name } types { ...T } directives { name
            locations args { ...I } } } } fragment T on __Type { kind name description fields(includeDeprecated: true) { name args { ...I }
            type { ...R } isDeprecated } inputFields { ...I } interfaces { ...R } enumValues(includeDeprecated: true) { name }
            possibleTypes { ...R } } fragment I on __InputValue { name type { ...R } defaultValue } fragment R on __Type { kind name ofType {
            kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name
            ofType { kind name ofType { kind name } } } } } } } } } }";
        assert!(codes(&ask(&platform.api, introspection).await.expect(200)).is_empty());
    })
    .await;
}

#[tokio::test]
async fn many_entity_keys_and_nested_lists_are_refused_before_they_run() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let query = "query($r: [_Any!]!) { _entities(representations: $r) { ... on ProductGroup { id products(first: 25) { nodes { id name
            units { id code features amenities { id name } ratePlans { id name tariffs { id startDate endDate price } } } } } } } }";
        for keys in [150, 1_000, 12_000] {
            let keys: Vec<Value> =
                (0..keys).map(|n| json!({"__typename": "ProductGroup", "id": crate::platform::group(n % 30)})).collect();
            let body = platform.api.post("/v1", &json!({"query": query, "variables": {"r": keys}})).await.expect(200);
            assert_eq!(codes(&body), ["QUERY_TOO_COMPLEX"], "{} keys", keys.len());
            // Unread: what is given up while it is answered takes too long, and is a 503.
            let message = body["errors"][0]["message"].as_str().unwrap();
            assert!(message.contains("costs"), "{message}");
        }
        let wide = "{ catalog { productGroups(filters: {academicYear: \"2026/2027\"}, first: 25) { nodes { id products(first: 25) { nodes { units {
            id code features amenities { id } } } } } } } }";
        let body = ask(&platform.api, wide).await.expect(200);
        assert_eq!(codes(&body), ["QUERY_TOO_COMPLEX"]);
        let message = body["errors"][0]["message"].as_str().unwrap();
        assert!(message.contains("at most 20000") && message.contains("ask for"), "{message}");
    })
    .await;
}

#[tokio::test]
async fn a_batch_is_refused_and_wrong_requests_say_what_is_wrong() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let batch = json!([{"query": "{ __typename }"}, {"query": "{ __typename }"}]);
        for body in [
            batch,
            json!({}),
            json!({"query": 1}),
            json!({"query": "{ __typename }", "variables": []}),
            json!("x"),
        ] {
            let refused = platform.api.post("/v1", &body).await.expect(400);
            assert_eq!(codes(&refused), ["BAD_USER_INPUT"], "{body}");
        }
        for query in [
            "",
            "{",
            "{ nothing }",
            "subscription { a }",
            "{ spaces { unit(id: \"1\") } }",
            "{ spaces { unit { id } } }",
        ] {
            let body = ask(&platform.api, query).await.expect(200);
            assert!(codes(&body).iter().all(|code| code.starts_with("BAD_USER_INPUT")), "{query}: {body}");
            assert!(body.get("data").is_none(), "{query}: {body}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_client_that_asks_too_often_is_told_when_to_come_back() {
    on_both(|engine| async move {
        let options = Options::default().variable("GATEWAY_LIMITS__REQUESTS_PER_S", "2");
        let platform = Platform::with(engine, options).await;
        let answers = join_all((0..50).map(|_| ask(&platform.api, "{ __typename }"))).await;
        assert!(answers.iter().all(|answer| !answer.header("ratelimit").is_empty()), "{answers:?}");
        let refused = answers.iter().find(|answer| answer.status != 200);
        let refused = refused.expect("50 requests at once are more than 2 a second");
        assert_eq!(codes(&refused.expect(429)), ["RATE_LIMITED"]);
        assert!(refused.header("retry-after").parse::<u64>().is_ok_and(|seconds| seconds >= 1));
        assert_eq!(refused.header("ratelimit-limit"), "4");
        let other = platform.client(&[], &[]).await;
        assert_eq!(
            ask(&other, "{ __typename }").await.expect(200)["data"],
            json!({"__typename": "Query"}),
            "others are let in"
        );
        let stranger = platform.gateway.public().post("/v1", &Value::Null).await;
        assert_eq!(stranger.status, 401);
    })
    .await;
}
