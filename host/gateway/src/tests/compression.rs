//! What is the same for everybody is compressed for whoever takes it; what the API answers never is.

use super::routers::one;
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use flate2::read::GzDecoder;
use http_body_util::BodyExt;
use std::io::Read;
use tower::ServiceExt;

struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    bytes: Vec<u8>,
}

impl Answer {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
    }

    fn unpacked(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        GzDecoder::new(self.bytes.as_slice()).read_to_end(&mut bytes).unwrap();
        bytes
    }
}

async fn send(router: &Router, request: Request<Body>) -> Answer {
    let (parts, body) = router.clone().oneshot(request).await.unwrap().into_parts();
    let bytes = body.collect().await.unwrap().to_bytes().to_vec();
    Answer { status: parts.status, headers: parts.headers, bytes }
}

async fn get(router: &Router, path: &str, headers: &[(&str, &str)]) -> Answer {
    let request = Request::get(path);
    let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    send(router, request.body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn files_documents_and_the_schema_are_compressed_for_whoever_takes_it() {
    let routers = one().await;
    let (public, internal) = (routers.app.public_listener(), routers.app.internal_listener());
    for (listener, path) in [
        (&public, "/v1/schema.graphql"),
        (&public, "/v1/graphiql/3.9.0-2/graphiql.min.js"),
        (&public, "/openapi.json"),
        (&internal, "/openapi.json"),
        (&internal, "/docs/reference"),
        (&internal, "/docs/reference/2.5.4-2/redoc.standalone.js"),
    ] {
        let plain = get(listener, path, &[]).await;
        assert_eq!((plain.status, plain.header("content-encoding")), (StatusCode::OK, ""), "{path}");
        assert!(plain.header("vary").eq_ignore_ascii_case("accept-encoding"), "{path}");
        let small = get(listener, path, &[("accept-encoding", "br, gzip;q=0.8")]).await;
        assert_eq!((small.status, small.header("content-encoding")), (StatusCode::OK, "gzip"), "{path}");
        assert!(small.header("vary").eq_ignore_ascii_case("accept-encoding"), "{path}");
        assert!(small.bytes.len() < plain.bytes.len(), "{path}");
        assert_eq!(small.unpacked(), plain.bytes, "{path}");
        for name in ["content-type", "cache-control", "etag"] {
            assert_eq!(small.header(name), plain.header(name), "{path}");
        }
        let neither = get(listener, path, &[("accept-encoding", "br, identity;q=0")]).await;
        assert_eq!((neither.status, neither.bytes), (StatusCode::OK, plain.bytes), "{path}");
    }
}

#[tokio::test]
async fn a_tag_of_a_file_holds_for_both_of_its_forms() {
    let routers = one().await;
    let public = routers.app.public_listener();
    let path = "/v1/graphiql/3.9.0-2/start.js";
    let file = get(&public, path, &[("accept-encoding", "gzip")]).await;
    let tag = file.header("etag");
    assert_eq!(tag, "W/\"start.js-3.9.0-2\"");
    for (known, status) in [
        (tag, StatusCode::NOT_MODIFIED),
        ("\"start.js-3.9.0-2\"", StatusCode::NOT_MODIFIED),
        (&format!("\"other\", {tag}"), StatusCode::NOT_MODIFIED),
        ("\"other\"", StatusCode::OK),
    ] {
        for encoding in ["gzip", "identity"] {
            let answer = get(&public, path, &[("accept-encoding", encoding), ("if-none-match", known)]).await;
            assert_eq!(answer.status, status, "{known} {encoding}");
            assert_eq!((answer.header("etag"), answer.header("vary")), (tag, "accept-encoding"));
        }
    }
    let unknown = get(&public, "/v1/graphiql/0/start.js", &[("accept-encoding", "gzip")]).await;
    assert_eq!((unknown.status, unknown.header("content-encoding")), (StatusCode::NOT_FOUND, ""));
}

#[tokio::test]
async fn answers_of_the_api_are_never_compressed() {
    let routers = one().await;
    let (public, internal) = (routers.app.public_listener(), routers.app.internal_listener());
    let token = routers.admin().await;
    let query = format!(r#"{{"query":"{{ {} __typename }}"}}"#, " ".repeat(1000));
    let request = |path: &str, body: String| {
        Request::post(path)
            .header("accept-encoding", "gzip")
            .header("authorization", format!("Bearer {token}"))
            .header("content-type", "application/json")
            .body(Body::from(body))
            .unwrap()
    };
    let new_client = r#"{"name": "x", "permissions": ["admin"]}"#.to_owned();
    for answer in [
        send(&public, request("/v1", query)).await,
        send(&public, request("/v1/oauth2/token", "{}".to_owned())).await,
        send(&internal, request("/admin/clients", new_client)).await,
        get(&public, "/.well-known/jwks.json", &[("accept-encoding", "gzip")]).await,
        get(&internal, "/healthz", &[("accept-encoding", "gzip")]).await,
    ] {
        assert_ne!(answer.status, StatusCode::NOT_FOUND);
        assert_eq!(answer.header("content-encoding"), "");
        assert!(!answer.bytes.is_empty());
    }
}
