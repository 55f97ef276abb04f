//! Listeners that answer while the plugins are still compiled.

use super::routers::Routers;
use crate::clock::SystemClock;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use futures::FutureExt;
use gateway_http::startup::Startup;
use gateway_storage::{Engine, testing};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

fn get(path: &str) -> Request<Body> {
    Request::get(path).body(Body::empty()).unwrap()
}

#[tokio::test]
async fn what_needs_no_plugin_is_answered_while_the_others_wait_for_them() {
    let startup = Startup::default();
    let db = testing::database(Engine::Sqlite).await;
    let routers = Routers::starting(db, Arc::new(SystemClock), startup.clone());
    let ready = routers.internal(get("/readyz")).await;
    assert_eq!(ready.status, StatusCode::SERVICE_UNAVAILABLE);
    let readiness = ready.json();
    assert_eq!(
        (&readiness["checks"]["plugins"], &readiness["checks"]["database"]),
        (&json!(false), &json!(true)),
        "{readiness}"
    );
    assert_eq!(readiness["reason"], "the plugins in force are being compiled: ask again in a moment");
    for path in ["/healthz", "/metrics", "/docs", "/openapi.json"] {
        assert_eq!(routers.internal(get(path)).await.status, StatusCode::OK, "{path}");
    }
    assert_eq!(routers.public(get("/healthz")).await.status, StatusCode::OK);

    let token = routers.admin().await;
    let listed = routers.send(&token, "GET", "/admin/workspaces", None);
    tokio::pin!(listed);
    assert!(listed.as_mut().now_or_never().is_none(), "it waits");
    startup.finish();
    assert_eq!(listed.await.status, StatusCode::OK);
    assert_eq!(routers.internal(get("/readyz")).await.json()["checks"]["plugins"], true);
}

#[tokio::test]
async fn who_waits_too_long_for_the_plugins_is_told_to_come_again() {
    let startup = Startup::with_timeout(Duration::from_millis(20));
    let db = testing::database(Engine::Sqlite).await;
    let routers = Routers::starting(db, Arc::new(SystemClock), startup);
    let refused = routers.internal(get("/admin/workspaces")).await;
    assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE, "{refused:?}");
    assert_ne!(refused.header("retry-after"), "");
    assert_eq!(refused.json()["errors"][0]["code"], "unavailable");
}
