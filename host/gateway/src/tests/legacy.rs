//! Who reaches the legacy API, and what every answer of it says.

use super::routers::{Answer, Routers, both, one};
use axum::body::Body;
use axum::http::{Request, StatusCode};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gateway_domain::access::{Actor, Permission, Workspaces};
use gateway_domain::ids::WorkspaceId;
use gateway_workspaces::NewWorkspace;

const DEPRECATED: &str = "@1767225600";

pub(super) fn basic((id, secret): &(String, String)) -> String {
    format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")))
}

async fn get(routers: &Routers, path: &str, headers: &[(&str, &str)]) -> Answer {
    let mut request = Request::get(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    routers.public(request.body(Body::empty()).unwrap()).await
}

pub(super) async fn workspace(routers: &Routers, name: &str) -> i64 {
    let new = NewWorkspace {
        name: name.to_owned(),
        legal_name: format!("{name} SL"),
        tax_id: "B98602642".to_owned(),
        country: "ES".to_owned(),
        time_zone: None,
        address: None,
        email: None,
        invoice_pattern: None,
        credit_pattern: None,
    };
    routers.services.workspaces.create(&Actor::operator(), &new).await.unwrap().workspace.id.0
}

#[tokio::test]
async fn who_is_let_in_and_who_is_not() {
    for routers in both().await {
        let (own, other) = (workspace(&routers, "Casa").await, workspace(&routers, "Otra").await);
        let (own, other) = (own.to_string(), other.to_string());
        let scope = Workspaces::Only(vec![WorkspaceId(own.parse().unwrap())]);
        let good = routers.client(&[Permission::Legacy], scope.clone()).await;
        let everywhere = basic(&routers.client(&[Permission::All], Workspaces::All).await);
        let powerless = basic(&routers.client(&[Permission::BookingsRead], scope).await);
        let wrong = basic(&(good.0.clone(), "gws_wrong".to_owned()));
        let nobody = basic(&("nobody".to_owned(), good.1.clone()));
        let good = basic(&good);
        let bearer = format!("Bearer {}", routers.token(&[Permission::Legacy], Workspaces::All).await);
        for (authorization, workspace, status) in [
            (Some(&good), Some(own.as_str()), 200),
            (Some(&everywhere), Some(&own), 200),
            (Some(&everywhere), Some(&other), 200),
            (None, Some(&own), 401),
            (Some(&wrong), Some(&own), 401),
            (Some(&nobody), Some(&own), 401),
            (Some(&bearer), Some(&own), 401),
            (Some(&"Basic !!!".to_owned()), Some(&own), 401),
            (Some(&good), None, 401),
            (Some(&powerless), Some(&own), 403),
            (Some(&good), Some(&other), 403),
            (Some(&good), Some("999999"), 403),
            (Some(&everywhere), Some("999999"), 403),
            (Some(&good), Some("Casa"), 403),
            (Some(&good), Some(""), 403),
            (Some(&good), Some("+1"), 403),
            (Some(&good), Some("99999999999999999999"), 403),
        ] {
            let mut headers = Vec::new();
            headers.extend(authorization.map(|value| ("authorization", value.as_str())));
            headers.extend(workspace.map(|value| ("XX-SUBSCRIPTION-PORTAL-ID", value)));
            let answer = get(&routers, "/api/dev/account", &headers).await;
            assert_eq!(answer.status.as_u16(), status, "{authorization:?} {workspace:?}: {answer:?}");
            assert_eq!(answer.header("deprecation"), DEPRECATED);
            assert!(answer.header("link").contains("rel=\"successor-version\""), "{answer:?}");
            let challenged = answer.header("www-authenticate").starts_with("Basic realm=");
            assert_eq!(challenged, status == 401, "{answer:?}");
            if status == 200 {
                assert_eq!(answer.json()["account"]["id"].to_string(), workspace.unwrap());
            } else {
                assert_eq!(answer.fields(), ["base"], "{answer:?}");
            }
        }
        let twice = [
            ("authorization", good.as_str()),
            ("XX-SUBSCRIPTION-PORTAL-ID", &own),
            ("XX-SUBSCRIPTION-PORTAL-ID", &own),
        ];
        assert_eq!(get(&routers, "/api/dev/account", &twice).await.status, StatusCode::UNAUTHORIZED);
    }
}

/// What another permission than `legacy` opens: GraphQL has nothing in its place.
const OPENED_BY_OTHERS: [(&str, &str, Permission); 1] =
    [("patch", "/api/dev/bookings/{id}/guest_verification", Permission::BookingsWrite)];

#[tokio::test]
async fn every_route_is_closed_to_whoever_lacks_its_permission() {
    let routers = one().await;
    let own = workspace(&routers, "Casa").await.to_string();
    let document = crate::listeners::document(gateway_http::openapi::Listener::Public);
    let paths = document["paths"].as_object().unwrap().iter();
    let legacy: Vec<_> = paths
        .filter(|(path, _)| path.starts_with("/api/dev/"))
        .flat_map(|(path, methods)| methods.as_object().unwrap().keys().map(move |method| (path, method)))
        .collect();
    assert!(legacy.len() > 10, "{legacy:?}");
    for permission in Permission::ALL.iter().filter(|permission| **permission != Permission::All) {
        let client = basic(&routers.client(&[*permission], Workspaces::All).await);
        for (path, method) in &legacy {
            let request = Request::builder()
                .method(method.to_uppercase().as_str())
                .uri(path.replace("{id}", "0197f4f2-0000-7000-8000-000000000001"))
                .header("authorization", &client)
                .header("XX-SUBSCRIPTION-PORTAL-ID", &own)
                .header("content-type", "application/json");
            let answer = routers.public(request.body(Body::from("{")).unwrap()).await;
            let is_listed = OPENED_BY_OTHERS.contains(&(method.as_str(), path.as_str(), *permission));
            let opens = *permission == Permission::Legacy || is_listed;
            assert_ne!(answer.status, StatusCode::UNAUTHORIZED, "{answer:?}");
            assert_eq!(
                answer.status != StatusCode::FORBIDDEN,
                opens,
                "{permission}: {method} {path}: {answer:?}"
            );
        }
    }
}

#[tokio::test]
async fn every_answer_says_that_the_api_is_deprecated() {
    let routers = one().await;
    let huge = (2 << 20).to_string();
    for (method, path, headers, status) in [
        ("GET", "/api/dev", &[][..], 404),
        ("GET", "/api/dev/nothing/here", &[], 404),
        ("DELETE", "/api/dev/account", &[], 405),
        ("GET", "/api/dev/users", &[], 401),
        ("POST", "/api/dev/users", &[("content-length", huge.as_str())], 413),
    ] {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let answer = routers.public(request.body(Body::empty()).unwrap()).await;
        assert_eq!(answer.status.as_u16(), status, "{method} {path}");
        assert_eq!(answer.header("deprecation"), DEPRECATED, "{method} {path}");
        assert!(answer.header("link").contains("<https://gateway.example/v1>; rel=\"successor-version\""));
        assert!(!answer.header("x-request-id").is_empty());
        assert_eq!(answer.fields(), ["base"]);
    }
    for path in ["/api/development", "/api/devices/1", "/healthz"] {
        assert_eq!(get(&routers, path, &[]).await.header("deprecation"), "", "{path} is not deprecated");
    }
}

#[tokio::test]
async fn a_client_that_guesses_or_asks_too_often_waits() {
    let routers = one().await;
    let own = workspace(&routers, "Casa").await.to_string();
    let client = routers.client(&[Permission::Legacy], Workspaces::All).await;
    let good = basic(&client);
    let ask = async |authorization: &str| {
        let headers = [("authorization", authorization), ("XX-SUBSCRIPTION-PORTAL-ID", own.as_str())];
        get(&routers, "/api/dev/account", &headers).await
    };
    let first = ask(&good).await;
    assert_eq!(first.header("ratelimit-limit"), "100");
    for _ in 0..120 {
        let answer = ask(&good).await;
        if answer.status == StatusCode::TOO_MANY_REQUESTS {
            assert!(!answer.header("retry-after").is_empty());
            assert_eq!(
                (answer.header("deprecation"), answer.fields()),
                (DEPRECATED, vec!["base".to_owned()])
            );
        }
    }
    let wrong = basic(&(client.0, "gws_wrong".to_owned()));
    for _ in 0..10 {
        assert_eq!(ask(&wrong).await.status, StatusCode::UNAUTHORIZED);
    }
    let locked = ask(&good).await;
    assert_eq!(locked.status, StatusCode::TOO_MANY_REQUESTS, "{locked:?}");
    assert!(locked.header("retry-after").parse::<u64>().is_ok_and(|wait| wait > 0));
}
