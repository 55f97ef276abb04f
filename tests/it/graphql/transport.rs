//! GraphQL over HTTP: tokens, media types, statuses, the page and the schema.

use super::requests::codes;
use crate::platform::Platform;
use gateway_tests::{Answer, Api, Engine, on_both};
use serde_json::json;

const GRAPHQL: &str = "application/graphql-response+json";

async fn post(api: &Api, accept: &str, content_type: &str, body: &str) -> Answer {
    let headers = [("accept", accept), ("content-type", content_type)];
    let headers: Vec<_> = headers.into_iter().filter(|(_, value)| !value.is_empty()).collect();
    api.send("POST", "/v1", &headers, Some(body.as_bytes().to_vec())).await
}

#[tokio::test]
async fn requests_without_a_valid_token_are_refused_before_their_body_is_parsed() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        for api in [platform.api.without_token(), platform.api.with_token("x.y.z")] {
            for body in ["{\"query\":\"{ __typename }\"}", "no json"] {
                let answer = post(&api, "", "application/json", body).await;
                assert_eq!(answer.status, 401, "{answer:?}");
                assert!(answer.header("www-authenticate").starts_with("Bearer"), "{answer:?}");
                let error = &answer.json()["errors"][0];
                assert_eq!(error["extensions"]["requestId"], answer.header("x-request-id"));
            }
        }
        let internal = platform.gateway.internal().with_token(platform.api.token());
        assert_eq!(internal.post("/v1", &json!({"query": "{ __typename }"})).await.status, 404);
    })
    .await;
}

#[tokio::test]
async fn the_status_means_what_the_media_type_says() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let (good, wrong) = ("{\"query\":\"{ __typename }\"}", "{\"query\":\"{ nothing }\"}");
        let required = "{\"query\":\"query($a: Int!) { a: __typename spaces { units(first: $a) { totalCount } } }\"}";
        let partial = "{\"query\":\"{ spaces { units(first: 0) { totalCount } } }\"}";
        for (accept, body, status, media) in [
            ("", good, 200, "application/json"),
            ("*/*", wrong, 200, "application/json"),
            ("application/json", wrong, 200, "application/json"),
            (GRAPHQL, good, 200, GRAPHQL),
            (GRAPHQL, wrong, 400, GRAPHQL),
            (GRAPHQL, required, 400, GRAPHQL),
            ("application/json", required, 200, "application/json"),
            (GRAPHQL, partial, 200, GRAPHQL),
            ("application/json", "{ no json", 400, "application/json"),
            (GRAPHQL, "{ no json", 400, GRAPHQL),
            ("text/html", good, 406, "application/json"),
        ] {
            let answer = post(&platform.api, accept, "application/json", body).await;
            assert_eq!(answer.status, status, "{accept} {body}: {answer:?}");
            assert!(answer.header("content-type").starts_with(media), "{accept} {body}: {answer:?}");
        }
        for content_type in ["", "text/plain", "multipart/form-data; boundary=x", "application/json; charset=latin1"] {
            assert_eq!(post(&platform.api, "", content_type, good).await.status, 415, "{content_type}");
        }
        let named = json!({"query": "query A { a: __typename } query B { b: __typename }", "operationName": "B", "variables": null});
        assert_eq!(platform.api.post("/v1", &named).await.expect(200), json!({"data": {"b": "Query"}}));
    })
    .await;
}

fn sha256(text: &str) -> String {
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, text.as_bytes());
    digest.as_ref().iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

#[tokio::test]
async fn a_document_that_was_sent_with_its_hash_is_named_by_the_hash_alone() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let text = "query($n: Int) { spaces { units(first: $n) { totalCount } } }";
        let hash = sha256(text);
        let persisted = |hash: &str| json!({"persistedQuery": {"version": 1, "sha256Hash": hash}});
        let by_hash = json!({"extensions": persisted(&hash), "variables": {"n": 1}});
        let both = json!({"query": text, "extensions": persisted(&hash), "variables": {"n": 2}});

        let unknown = platform.api.post("/v1", &by_hash).await.expect(200);
        assert_eq!(unknown["errors"][0]["message"], "PersistedQueryNotFound", "which clients look for");
        assert_eq!(codes(&unknown), ["PERSISTED_QUERY_NOT_FOUND"]);
        assert_eq!(unknown["errors"][0]["extensions"]["reason"], "persistedQueryNotFound");
        let answer = post(&platform.api, GRAPHQL, "application/json", &by_hash.to_string()).await;
        assert_eq!(answer.status, 400, "not executed");

        let expected = platform.api.post("/v1", &both).await.expect(200);
        assert!(expected["data"]["spaces"]["units"]["totalCount"].is_number(), "{expected}");
        assert_eq!(platform.api.post("/v1", &by_hash).await.expect(200), expected);

        let other = json!({"query": "{ __typename }", "extensions": persisted(&hash)});
        let refused = platform.api.post("/v1", &other).await.expect(200);
        assert_eq!(refused["errors"][0]["extensions"]["reason"], "persistedQueryMismatch");
        for wrong in [
            json!({"version": 2, "sha256Hash": hash}),
            json!({"version": 1, "sha256Hash": "e3b0"}),
            json!({"version": 1}),
            json!("hash"),
        ] {
            let body = json!({"query": text, "extensions": {"persistedQuery": wrong}});
            assert_eq!(platform.api.post("/v1", &body).await.status, 400, "{wrong}");
        }
        // What does not parse is not kept.
        let broken = "{ spaces";
        let hash = sha256(broken);
        platform.api.post("/v1", &json!({"query": broken, "extensions": persisted(&hash)})).await.expect(200);
        let unknown = platform.api.post("/v1", &json!({"extensions": persisted(&hash)})).await.expect(200);
        assert_eq!(codes(&unknown), ["PERSISTED_QUERY_NOT_FOUND"]);
    })
    .await;
}

#[tokio::test]
async fn fields_are_answered_in_the_order_of_the_query() {
    let platform = Platform::start(Engine::Sqlite).await;
    let query = "{ spaces { units(first: 1) { nodes { amenities { name } code unitType { building { name } code } id } } } awc { __typename } }";
    let answer = super::requests::ask(&platform.api, query).await;
    let id = crate::platform::unit(0);
    let expected = format!(
        "{{\"data\":{{\"spaces\":{{\"units\":{{\"nodes\":[{{\"amenities\":[{{\"name\":\"Wifi\"}}],\"code\":\"U00\",\
         \"unitType\":{{\"building\":{{\"name\":\"Casa\"}},\"code\":\"STUDIO\"}},\"id\":\"{id}\"}}]}}}},\"awc\":{{\"__typename\":\"AwcQuery\"}}}}}}"
    );
    assert_eq!(answer.text, expected);
}

#[tokio::test]
async fn a_browser_gets_a_page_that_needs_no_other_host() {
    let platform = Platform::start(Engine::Sqlite).await;
    let public = platform.gateway.public();
    let page = public.send("GET", "/v1", &[("accept", "text/html,application/xhtml+xml")], None).await;
    assert_eq!(page.status, 200);
    assert!(
        page.header("content-security-policy").contains("default-src 'none'; script-src 'self'"),
        "{page:?}"
    );
    let parts: Vec<&str> = page.text.split('"').filter(|part| part.starts_with("/v1/graphiql/")).collect();
    assert!(parts.len() >= 5 && !page.text.contains("//"), "{page:?}");
    for part in parts {
        let file = public.get(part).await;
        assert_eq!(file.status, 200, "{part}");
        assert!(file.header("cache-control").contains("immutable"), "{part}");
        let again = public.send("GET", part, &[("if-none-match", file.header("etag"))], None).await;
        assert_eq!(again.status, 304, "{part}");
    }
    assert_eq!(public.get("/v1/graphiql/0/start.js").await.status, 404);
    let plain = public.get("/v1").await;
    assert_eq!((plain.status, plain.header("allow")), (405, "GET, HEAD, POST"));
    let schema = public.get("/v1/schema.graphql").await;
    assert!(schema.text.contains("type ProductGroup @key(fields: \"id\")"));
}
