use super::routers::{call, get, one};
use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use axum::routing;
use gateway_http::middleware::finish;

#[tokio::test]
async fn unknown_paths_and_wrong_methods_answer_an_errors_list() {
    let routers = one().await;
    let unknown = routers.internal(get("/nowhere")).await;
    assert_eq!((unknown.status, unknown.fields()), (StatusCode::NOT_FOUND, vec!["base".to_owned()]));
    let wrong = routers.internal(Request::delete("/admin/clients").body(Body::empty()).unwrap()).await;
    assert_eq!((wrong.status, wrong.fields()), (StatusCode::METHOD_NOT_ALLOWED, vec!["base".to_owned()]));
    assert!(wrong.header("allow").contains("POST"), "{wrong:?}");
}

#[tokio::test]
async fn a_request_keeps_its_id_unless_a_log_line_cannot_hold_it() {
    let routers = one().await;
    for (given, kept) in [("abc-1", true), ("two words", false), ("", false), (&*"x".repeat(200), false)] {
        let request = Request::get("/healthz").header("x-request-id", given).body(Body::empty()).unwrap();
        let answer = routers.public(request).await;
        assert_eq!(answer.header("x-request-id") == given, kept, "{given:?}");
        assert!(!answer.header("x-request-id").is_empty());
    }
}

#[tokio::test]
async fn a_panic_is_an_internal_error_that_names_only_the_request() {
    let routers = one().await;
    let broken = Router::new().route("/boom", routing::get(|| async { broken() }));
    let request = Request::get("/boom").header("x-request-id", "req-7").body(Body::empty()).unwrap();
    let answer = call(finish(broken, routers.app.outermost.clone()), request).await;
    assert_eq!(
        (answer.status, answer.fields()),
        (StatusCode::INTERNAL_SERVER_ERROR, vec!["base".to_owned()])
    );
    assert!(answer.text.contains("req-7") && !answer.text.contains("a secret"), "{answer:?}");
}

fn broken() -> &'static str {
    panic!("a secret detail")
}

#[tokio::test]
async fn a_body_over_the_limit_is_413_whether_announced_or_not() {
    let routers = one().await;
    let token = routers.admin().await;
    let large = vec![b' '; (1 << 20) + 1];
    for announced in [true, false] {
        let mut request = Request::post("/admin/clients")
            .header("authorization", format!("Bearer {token}"))
            .header("content-type", "application/json");
        if announced {
            request = request.header("content-length", large.len());
        }
        let answer = routers.internal(request.body(Body::from(large.clone())).unwrap()).await;
        assert_eq!(
            (answer.status, answer.fields()),
            (StatusCode::PAYLOAD_TOO_LARGE, vec!["base".to_owned()])
        );
    }
}

#[tokio::test]
async fn answers_are_kept_by_no_cache_and_framed_by_no_page() {
    let routers = one().await;
    for answer in [routers.public(get("/healthz")).await, routers.internal(get("/nowhere")).await] {
        assert_eq!(answer.header("cache-control"), "no-store");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("x-frame-options"), "DENY");
    }
}
