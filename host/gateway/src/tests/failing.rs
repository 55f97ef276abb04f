//! What the log says of a request that fails.

use super::documented::{Stage, operations};
use super::routers::{Answer, Routers, json_post};
use crate::clock::SystemClock;
use gateway_domain::access::{Permission, Workspaces};
use gateway_domain::ports::Clock;
use gateway_storage::testing::TestClock;
use gateway_storage::{Engine, testing};
use serde_json::{Value, json};
use std::io::Write;
use std::sync::{Arc, Mutex};
use tracing::Level;

/// A log that is kept.
#[derive(Debug, Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Log {
    /// What `work` writes to the log.
    async fn of<T>(work: impl Future<Output = T>) -> (T, String) {
        let log = Self::default();
        let writing = log.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_ansi(false)
            .with_max_level(Level::INFO)
            .with_writer(move || writing.clone())
            .finish();
        let done = {
            let _logging = tracing::subscriber::set_default(subscriber);
            work.await
        };
        let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
        (done, text)
    }
}

/// Failures of a request; what the database says of itself is another matter.
fn errors_of(log: &str) -> usize {
    log.lines().filter(|line| line.contains("ERROR request{")).count()
}

async fn ask(routers: &Routers, token: &str, query: &str) -> Answer {
    let mut request = json_post("/v1", &json!({ "query": query }));
    request.headers_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
    routers.public(request).await
}

#[tokio::test]
async fn a_graphql_request_that_fails_in_many_fields_is_one_line_of_the_log() {
    let clock = Arc::new(TestClock::at(SystemClock.now()));
    let routers = Routers::with_clock(testing::database(Engine::Sqlite).await, clock);
    let token = routers.token(&[Permission::SpacesRead], Workspaces::All).await;
    let query: Vec<_> = (0..5).map(|n| format!("a{n}: spaces {{ units {{ totalCount }} }}")).collect();
    let query = format!("{{ {} }}", query.join(" "));
    assert_eq!(ask(&routers, &token, &query).await.json()["errors"], Value::Null);
    // Who calls is known; everything else is gone.
    routers.services.db.close().await;
    let (answer, log) = Log::of(ask(&routers, &token, &query)).await;
    let body = answer.json();
    let errors = body["errors"].as_array().unwrap();
    assert_eq!(errors.len(), 5, "{body}");
    for error in errors {
        assert_eq!(error["extensions"]["code"], "INTERNAL");
        assert_eq!(error["extensions"]["requestId"], answer.header("x-request-id"));
        assert!(!error["message"].as_str().unwrap().contains("pool"), "{error}");
    }
    assert_eq!(errors_of(&log), 1, "{log}");
    assert!(
        log.contains("A request failed in a field: ") && log.contains(answer.header("x-request-id")),
        "{log}"
    );
}

#[tokio::test]
async fn a_mutation_whose_key_cannot_be_claimed_is_not_carried_out_and_names_its_request() {
    let clock = Arc::new(TestClock::at(SystemClock.now()));
    let routers = Routers::with_clock(testing::database(Engine::Sqlite).await, clock);
    let token = routers.token(&[Permission::CatalogWrite], Workspaces::All).await;
    assert_eq!(ask(&routers, &token, "{ __typename }").await.json()["errors"], Value::Null);
    routers.services.db.close().await;
    let mut request = json_post("/v1", &json!({ "query": "mutation { catalog { __typename } }" }));
    request.headers_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
    request.headers_mut().insert("idempotency-key", "k".parse().unwrap());
    let (answer, log) = Log::of(routers.public(request)).await;
    assert!(answer.status.is_server_error(), "{answer:?}");
    let (body, id) = (answer.json(), answer.header("x-request-id"));
    let error = &body["errors"][0];
    assert_eq!((&error["extensions"]["code"], body.get("data")), (&json!("INTERNAL"), None), "{body}");
    assert_eq!(error["extensions"]["requestId"], id);
    assert!(error["message"].as_str().unwrap().contains(id), "{error}");
    assert_eq!(errors_of(&log), 1, "{log}");
}

#[tokio::test]
async fn without_a_database_no_operation_leaks_anything_and_each_failure_is_one_line_of_the_log() {
    let clock = Arc::new(TestClock::at(SystemClock.now()));
    let stage = Stage::of(Routers::with_clock(testing::database(Engine::Sqlite).await, clock)).await;
    let operations = operations();
    // Who calls is known from here on; everything else is gone.
    for operation in &operations {
        stage.call(operation, operation.example_call()).await;
    }
    stage.routers.services.db.close().await;
    let mut failed = 0;
    for operation in &operations {
        let (answer, log) = Log::of(stage.call(operation, operation.example_call())).await;
        let (name, status) = (operation.name(), answer.status.as_u16());
        if !answer.status.is_server_error() {
            continue;
        }
        failed += 1;
        let body = answer.text.to_lowercase();
        for inner in
            ["sql", "select ", "insert ", "pool", "closed", "/tmp", "panicked", stage.bearer[0].as_str()]
        {
            assert!(!body.contains(&inner.to_lowercase()), "{name} tells '{inner}': {body}");
        }
        if operation.path != "/readyz" {
            assert_eq!(errors_of(&log), 1, "{name} {status} {body}: {log}");
        }
    }
    assert!(failed * 2 > operations.len(), "{failed} of {} failed", operations.len());
}
