use super::routers::{both, get, json_post, one, post};
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, StatusCode};
use gateway_domain::access::{Permission, Workspaces};
use gateway_domain::ids::WorkspaceId;
use serde_json::{Value, json};
use std::net::SocketAddr;

#[tokio::test]
async fn both_listeners_issue_tokens_that_the_internal_one_takes() {
    for routers in both().await {
        let (id, secret) = routers.client(&[Permission::Admin], Workspaces::All).await;
        let body = json!({"grant_type": "client_credentials", "client_id": id, "client_secret": secret,
            "act": {"sub": "user-7", "name": "ignored"}});
        for answer in [
            routers.public(json_post("/v1/oauth2/token", &body)).await,
            routers.internal(json_post("/v1/oauth2/token", &body)).await,
        ] {
            assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
            assert_eq!((answer.header("cache-control"), answer.header("pragma")), ("no-store", "no-cache"));
            let token = answer.json();
            assert_eq!(
                (token["expires_in"].as_i64(), token["token_type"].as_str()),
                (Some(3600), Some("Bearer"))
            );
            let token = token["access_token"].as_str().unwrap();
            assert_eq!(routers.send(token, "GET", "/admin/clients", None).await.status, StatusCode::OK);
        }
    }
}

#[tokio::test]
async fn a_form_and_http_basic_are_taken_too() {
    let routers = one().await;
    let (id, secret) = routers.client(&[], Workspaces::All).await;
    let form = format!("grant_type=client_credentials&client_id={id}&client_secret={secret}");
    let content_type = "application/x-www-form-urlencoded; charset=UTF-8";
    let answer = routers.public(post("/v1/oauth2/token", content_type, &form)).await;
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
}

#[tokio::test]
async fn every_refusal_of_a_token_has_its_code() {
    let routers = one().await;
    let (id, secret) = routers.client(&[], Workspaces::All).await;
    let complete = json!({"grant_type": "client_credentials", "client_id": id, "client_secret": secret});
    let with = |name: &str, value: serde_json::Value| {
        let mut body = complete.clone();
        body[name] = value;
        json_post("/v1/oauth2/token", &body)
    };
    for (request, status, code) in [
        (with("client_secret", json!("wrong")), 401, "invalid_client"),
        (with("client_id", json!("nobody")), 401, "invalid_client"),
        (with("grant_type", json!("password")), 400, "unsupported_grant_type"),
        (with("grant_type", json!(null)), 400, "invalid_request"),
        (with("act", json!({"sub": ""})), 400, "invalid_request"),
        (with("act", json!("user")), 400, "invalid_request"),
        (post("/v1/oauth2/token", "application/json", "{"), 400, "invalid_request"),
        (post("/v1/oauth2/token", "text/plain", &complete.to_string()), 400, "invalid_request"),
        (post("/v1/oauth2/token", "application/json", ""), 400, "invalid_request"),
    ] {
        let answer = routers.public(request).await;
        assert_eq!(
            (answer.status.as_u16(), answer.json()["error"].as_str()),
            (status, Some(code)),
            "{answer:?}"
        );
        assert_eq!(answer.header("cache-control"), "no-store");
        assert_eq!(answer.header("www-authenticate").starts_with("Basic "), status == 401, "{answer:?}");
        assert!(!answer.text.contains(&secret));
    }
}

/// As if the connection came from there.
fn from(address: [u8; 4], body: &Value) -> Request<Body> {
    let mut request = json_post("/v1/oauth2/token", body);
    request.extensions_mut().insert(ConnectInfo(SocketAddr::from((address, 4711))));
    request
}

#[tokio::test]
async fn too_many_wrong_secrets_answer_429_to_that_client_at_that_address_on_both_listeners() {
    let routers = one().await;
    let (id, secret) = routers.client(&[], Workspaces::All).await;
    let (other, others_secret) = routers.client(&[], Workspaces::All).await;
    let with = |id: &str, secret: &str| json!({"grant_type": "client_credentials", "client_id": id, "client_secret": secret});
    let (here, there) = ([192, 0, 2, 1], [192, 0, 2, 2]);
    for _ in 0..10 {
        let answer = routers.public(from(here, &with(&id, "wrong"))).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{answer:?}");
    }
    for answer in [
        routers.public(from(here, &with(&id, &secret))).await,
        routers.internal(from(here, &with(&id, &secret))).await,
    ] {
        assert_eq!(answer.status, StatusCode::TOO_MANY_REQUESTS, "{answer:?}");
        assert_eq!(answer.json()["error"], "slow_down");
        let wait: u32 = answer.header("retry-after").parse().unwrap();
        assert!((1..=60).contains(&wait), "{wait}");
        assert_eq!((answer.header("cache-control"), answer.header("pragma")), ("no-store", "no-cache"));
        assert!(!answer.header("x-request-id").is_empty());
    }
    for (address, body) in [(there, with(&id, &secret)), (here, with(&other, &others_secret))] {
        assert_eq!(routers.public(from(address, &body)).await.status, StatusCode::OK);
    }
    // Nobody is trusted to say who called.
    let mut request = from(here, &with(&id, &secret));
    request.headers_mut().insert("x-forwarded-for", "192.0.2.2".parse().unwrap());
    assert_eq!(routers.public(request).await.status, StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test]
async fn every_answer_of_the_token_endpoint_names_its_request_and_is_kept_by_no_cache() {
    let routers = one().await;
    let (id, secret) = routers.client(&[], Workspaces::All).await;
    let good = json!({"grant_type": "client_credentials", "client_id": id, "client_secret": secret});
    let large = json!({ "grant_type": "x".repeat(2 << 20) });
    for (request, status) in [
        (json_post("/v1/oauth2/token", &good), 200),
        (json_post("/v1/oauth2/token", &json!({})), 400),
        (json_post("/v1/oauth2/token", &large), 413),
        (get("/v1/oauth2/token"), 405),
    ] {
        let answer = routers.public(request).await;
        assert_eq!(answer.status.as_u16(), status);
        assert!(!answer.header("x-request-id").is_empty());
        assert_eq!(answer.header("cache-control"), "no-store");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
    }
}

#[tokio::test]
async fn a_signing_key_is_rotated_by_whoever_operates_everything() {
    let routers = one().await;
    let admin = routers.admin().await;
    let rotate = |key: &str| Some(json!({ "key": key }));
    let answer = routers.send(&admin, "POST", "/admin/keys/rotate", rotate("signing")).await;
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    let kid = answer.json()["kid"].clone();
    let keys = routers.public(get("/.well-known/jwks.json")).await.json();
    let kids: Vec<_> = keys["keys"].as_array().unwrap().iter().map(|key| key["kid"].clone()).collect();
    assert!(kids.len() == 2 && kids.contains(&kid), "{kids:?}");
    let answer = routers.send(&admin, "POST", "/admin/keys/rotate", rotate("master")).await;
    assert_eq!((answer.status.as_u16(), answer.fields()), (422, vec!["key".to_owned()]));
    let some = routers.token(&[Permission::Admin], Workspaces::Only(vec![WorkspaceId(1)])).await;
    for token in [some, routers.token(&[Permission::InvoicingRpc], Workspaces::All).await] {
        let answer = routers.send(&token, "POST", "/admin/keys/rotate", rotate("signing")).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{answer:?}");
    }
}

#[tokio::test]
async fn the_keys_and_the_metadata_are_public() {
    let routers = one().await;
    routers.admin().await;
    let keys = routers.public(get("/.well-known/jwks.json")).await.json();
    assert_eq!(keys["keys"][0]["alg"], "ES256");
    assert!(keys["keys"][0].get("d").is_none(), "a private key stays private");
    let metadata = routers.public(get("/.well-known/oauth-authorization-server")).await.json();
    assert_eq!(metadata["token_endpoint"], "https://gateway.example/v1/oauth2/token");
}

#[tokio::test]
async fn a_bad_token_is_401_and_a_missing_permission_403() {
    let routers = one().await;
    let stranger = routers.internal(get("/admin/clients")).await;
    assert_eq!(
        (stranger.status, stranger.header("www-authenticate")),
        (StatusCode::UNAUTHORIZED, "Bearer realm=\"gateway\"")
    );
    let forged = routers.send("eyJhbGciOiJub25lIn0.e30.", "GET", "/admin/clients", None).await;
    assert_eq!(forged.status, StatusCode::UNAUTHORIZED);
    assert!(forged.header("www-authenticate").contains("error=\"invalid_token\""));
    let token = routers.token(&[Permission::InvoicingRpc], Workspaces::Only(vec![WorkspaceId(1)])).await;
    let refused = routers.send(&token, "GET", "/admin/clients", None).await;
    assert_eq!((refused.status, refused.fields()), (StatusCode::FORBIDDEN, vec!["base".to_owned()]));
    assert!(refused.header("www-authenticate").contains("insufficient_scope"));
}

#[tokio::test]
async fn nothing_internal_answers_on_the_public_listener() {
    let routers = one().await;
    let token = routers.token(&[Permission::All], Workspaces::All).await;
    for path in ["/admin/clients", "/invoicing/rpc/documents", "/metrics", "/readyz"] {
        let request = Request::get(path).header("authorization", format!("Bearer {token}"));
        let answer = routers.public(request.body(Body::empty()).unwrap()).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
    }
}
