//! What the documents promise of every operation alike, provoked on each: who is let in, what is malformed, what is not
//! there, what is too much.

use super::legacy::{basic, workspace};
use super::routers::{Answer, Routers, one};
use crate::listeners::{self, Surfaces};
use axum::body::Body;
use axum::http::Request;
use gateway_api_public::PublicApi;
use gateway_domain::access::{Permission, Workspaces};
use gateway_domain_finance::Command;
use gateway_http::limits::Limits;
use gateway_http::openapi::Listener;
use serde_json::{Value, json};
use std::sync::Arc;

/// An operation of a document.
pub(super) struct Operation {
    listener: Listener,
    method: String,
    pub(super) path: String,
    members: Value,
    /// The document, for references.
    document: Arc<Value>,
}

/// One request for an operation.
#[derive(Default)]
pub(super) struct Call {
    /// Path parameters; examples unless given.
    path: Option<&'static str>,
    query: &'static str,
    stranger: bool,
    powerless: bool,
    content_type: Option<&'static str>,
    body: Option<String>,
    /// How long the body is said to be.
    announced: Option<u64>,
}

/// Every operation of both listeners.
pub(super) fn operations() -> Vec<Operation> {
    let mut all = Vec::new();
    for listener in [Listener::Public, Listener::Internal] {
        let document = Arc::new(listeners::document(listener).clone());
        for (path, methods) in document["paths"].as_object().unwrap() {
            for (method, members) in methods.as_object().unwrap() {
                let (method, members) = (method.to_uppercase(), members.clone());
                let document = Arc::clone(&document);
                all.push(Operation { listener, method, path: path.clone(), members, document });
            }
        }
    }
    all
}

impl Operation {
    pub(super) fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    fn documents(&self, status: u16) -> bool {
        self.members["responses"].get(status.to_string()).is_some()
    }

    fn scheme(&self) -> Option<&str> {
        let first =
            self.members["security"].as_array()?.iter().find_map(|scheme| scheme.as_object()?.keys().next());
        first.map(String::as_str)
    }

    fn parameters(&self) -> Vec<Value> {
        let parameters = self.members.get("parameters").and_then(Value::as_array).into_iter().flatten();
        let resolved = |parameter: &Value| match parameter.get("$ref").and_then(Value::as_str) {
            Some(target) => self.document.pointer(&target[1..]).unwrap().clone(),
            None => parameter.clone(),
        };
        parameters.map(resolved).collect()
    }

    fn takes_json(&self) -> bool {
        self.members.pointer("/requestBody/content/application~1json").is_some()
    }

    /// A request with the first example of a body.
    pub(super) fn example_call(&self) -> Call {
        Call { body: self.example(), ..Call::default() }
    }

    /// The first example of a body.
    fn example(&self) -> Option<String> {
        let content = self.members.pointer("/requestBody/content/application~1json")?;
        let example = content["examples"].as_object()?.values().next()?;
        Some(example["value"].to_string())
    }

    /// The address with examples in the path, or with `other` in place of each.
    fn address(&self, other: Option<&str>) -> String {
        let mut address = self.path.clone();
        for parameter in self.parameters().iter().filter(|parameter| parameter["in"] == "path") {
            let name = parameter["name"].as_str().unwrap();
            let example =
                parameter["example"].as_str().map_or_else(|| parameter["example"].to_string(), str::to_owned);
            address = address.replace(&format!("{{{name}}}"), other.unwrap_or(&example));
        }
        address
    }
}

/// Routers with clients that may do everything, and nothing.
pub(super) struct Stage {
    pub(super) routers: Routers,
    pub(super) bearer: [String; 2],
    basic: [String; 2],
    workspace: String,
}

impl Stage {
    async fn new(change: impl FnOnce(Surfaces) -> Surfaces) -> Self {
        Self::of(one().await.with(change)).await
    }

    pub(super) async fn of(routers: Routers) -> Self {
        let clients = [
            routers.client(&[Permission::All], Workspaces::All).await,
            routers.client(&[], Workspaces::All).await,
        ];
        let bearer = [
            routers.token(&[Permission::All], Workspaces::All).await,
            routers.token(&[], Workspaces::All).await,
        ];
        let workspace = workspace(&routers, "Casa").await.to_string();
        Self { basic: clients.map(|client| basic(&client)), bearer, workspace, routers }
    }

    pub(super) async fn call(&self, operation: &Operation, call: Call) -> Answer {
        let address = format!("{}{}", operation.address(call.path), call.query);
        let mut request = Request::builder().method(operation.method.as_str()).uri(address);
        let who = usize::from(call.powerless);
        if !call.stranger {
            match operation.scheme() {
                Some("oauth2" | "bearer") => {
                    request = request.header("authorization", format!("Bearer {}", self.bearer[who]));
                }
                Some("basic" | "portal") => {
                    request = request.header("authorization", &self.basic[who]);
                    request = request.header("xx-subscription-portal-id", &self.workspace);
                }
                _ => {}
            }
        }
        if let Some(body) = &call.body {
            request = request.header("content-type", call.content_type.unwrap_or("application/json"));
            let bytes = u64::try_from(body.len()).unwrap();
            request = request.header("content-length", call.announced.unwrap_or(bytes));
        }
        let request = request.body(call.body.map_or_else(Body::empty, Body::from)).unwrap();
        match operation.listener {
            Listener::Public => self.routers.public(request).await,
            Listener::Internal => self.routers.internal(request).await,
        }
    }

    /// Asks every operation that documents `status`, and for which `call` has an idea how to get it.
    async fn provoke(&self, status: u16, call: impl Fn(&Operation) -> Option<Call>) {
        let mut provoked = 0;
        for operation in operations().iter().filter(|operation| operation.documents(status)) {
            let Some(call) = call(operation) else { continue };
            let answer = self.call(operation, call).await;
            assert_eq!(answer.status.as_u16(), status, "{}: {}", operation.name(), answer.text);
            provoked += 1;
        }
        assert!(provoked > 2, "{status} was provoked {provoked} times");
    }
}

#[tokio::test]
async fn nobody_is_let_in_without_credentials_or_permission() {
    let stage = Stage::new(|app| app).await;
    let guarded = |operation: &Operation| {
        operation.scheme().is_some_and(|scheme| scheme != "webhookToken" && scheme != "client")
    };
    stage
        .provoke(401, |operation| guarded(operation).then(|| Call { stranger: true, ..Call::default() }))
        .await;
    stage
        .provoke(403, |operation| {
            // Members are read before the permission is asked for; nothing of them is told.
            Some(Call { powerless: true, body: operation.example(), ..Call::default() })
        })
        .await;
}

#[tokio::test]
async fn what_is_malformed_unknown_or_too_much_is_refused_as_documented() {
    let stage = Stage::new(|app| app).await;
    stage
        .provoke(400, |operation| {
            if operation.path.contains('{') {
                return Some(Call { path: Some("%ff"), body: operation.example(), ..Call::default() });
            }
            operation.takes_json().then(|| Call { body: Some("{".to_owned()), ..Call::default() })
        })
        .await;
    stage
        .provoke(413, |_| {
            Some(Call { body: Some(" ".to_owned()), announced: Some(1 << 40), ..Call::default() })
        })
        .await;
    stage
        .provoke(415, |_| {
            Some(Call { body: Some("x".to_owned()), content_type: Some("text/plain"), ..Call::default() })
        })
        .await;
    stage
        .provoke(422, |operation| {
            if operation.takes_json() {
                return Some(Call { body: Some(json!({"nonsense": 1}).to_string()), ..Call::default() });
            }
            let address = operation.path.as_str();
            let installs = ["/admin/plugins", "/admin/renderers"].contains(&address);
            let read = operation.method == "GET" || address.starts_with("/api/dev/") || installs;
            let read = read || address.starts_with("/v1/webhooks");
            read.then(|| Call { query: "?nonsense=1", ..Call::default() })
        })
        .await;
}

#[tokio::test]
async fn what_is_not_there_is_told_as_documented() {
    let stage = Stage::new(|app| app).await;
    for status in [404, 410] {
        stage
            .provoke(status, |operation| {
                let integer = operation
                    .parameters()
                    .iter()
                    .any(|parameter| parameter["in"] == "path" && parameter["schema"]["type"] == "integer");
                let call = Call { body: operation.example(), ..Call::default() };
                let query = if operation.path.ends_with("/calendar") {
                    "?start_date=2026-12-01&end_date=2026-12-02"
                } else {
                    ""
                };
                if operation.path.contains("{file}") {
                    return Some(Call { path: Some("nothing"), ..call });
                }
                // That there is no such document is told before that nothing makes files here, or that it has no such file.
                if status == 404
                    && (operation.path.ends_with("/pdf") || operation.path.ends_with("/{attachment}"))
                {
                    return None;
                }
                // What is not there is made.
                let makes = operation.method == "PUT" && operation.path.ends_with("/documents/{uuid}")
                    || operation.method == "POST" && operation.path == "/v1/webhooks";
                (!makes).then(|| Call { path: integer.then_some("999999"), query, ..call })
            })
            .await;
    }
}

#[tokio::test]
async fn whoever_asks_too_often_is_told_when_to_come_back() {
    let stage = Stage::new(|app| Surfaces {
        public: PublicApi {
            limits: Arc::new(Limits::new(1)),
            notification_limits: Arc::new(Limits::new(1)),
            ..app.public
        },
        ..app
    })
    .await;
    let limited = |operation: &&Operation| operation.documents(429) && operation.path != "/v1/oauth2/token";
    for operation in operations().iter().filter(limited) {
        let mut last = None;
        for _ in 0..5 {
            let call = Call { body: operation.example(), ..Call::default() };
            last = Some(stage.call(operation, call).await);
            if last.as_ref().is_some_and(|answer| answer.status.as_u16() == 429) {
                break;
            }
        }
        let last = last.unwrap();
        assert_eq!(last.status.as_u16(), 429, "{}: {}", operation.name(), last.text);
        assert!(!last.header("retry-after").is_empty(), "{last:?}");
    }
}

async fn ask(stage: &Stage, call: &str, header: (&str, &str), body: &Value) -> Answer {
    let (method, path) = call.split_once(' ').unwrap();
    let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
    let request = request.header(header.0, header.1);
    if path.starts_with("/api/dev") {
        let request = request.header("authorization", &stage.basic[0]);
        let request = request.header("xx-subscription-portal-id", &stage.workspace);
        return stage.routers.public(request.body(Body::from(body.to_string())).unwrap()).await;
    }
    let request = request.header("authorization", format!("Bearer {}", stage.bearer[0]));
    stage.routers.internal(request.body(Body::from(body.to_string())).unwrap()).await
}

#[tokio::test]
async fn what_the_state_does_not_allow_is_told_as_documented() {
    let stage = Stage::new(|app| app).await;
    let workspace: i64 = stage.workspace.parse().unwrap();
    let draft = json!({"workspace_id": workspace, "document_type": "invoice", "currency": "EUR", "prices_include_tax": true,
        "lines": [{"description": "Studio", "quantity": "1", "unit_price": "10", "tax": {"category": "VAT", "rate": "10.0"}}]});
    let documents = "/invoicing/rpc/documents/0197f4f2-0000-7000-8000-00000000000";
    let (none, outdated) = (("accept", "*/*"), ("if-match", "\"999\""));
    let (empty, other) = (json!({}), json!({"at": "2026-11-20T09:00:00Z"}));
    let [first, second] = ["1", "2"].map(|number| format!("{documents}{number}"));
    for (call, header, body, status) in [
        (format!("PUT {first}"), none, &draft, 201),
        (format!("PUT {second}"), none, &draft, 201),
        (format!("PUT {first}/issuing"), outdated, &empty, 412),
        (format!("PUT {first}/issuing"), ("idempotency-key", "one"), &empty, 200),
        (format!("PUT {first}/issuing"), ("idempotency-key", "one"), &other, 409),
        (format!("PUT {second}/issue"), outdated, &empty, 412),
        (format!("PUT {second}/issue"), ("idempotency-key", "two"), &empty, 200),
        (format!("PUT {second}/issue"), ("idempotency-key", "two"), &other, 409),
        ("POST /admin/plugins/es-verifactu/rollback".to_owned(), none, &empty, 409),
        ("POST /admin/plugins/es-verifactu/disable".to_owned(), none, &empty, 409),
        ("GET /admin/plugins".to_owned(), none, &empty, 200),
        ("POST /admin/renderers/rollback".to_owned(), none, &empty, 409),
        ("POST /admin/renderers/disable".to_owned(), none, &empty, 409),
        ("GET /admin/renderers".to_owned(), none, &empty, 200),
    ] {
        let answer = ask(&stage, &call, header, body).await;
        assert_eq!(answer.status.as_u16(), status, "{call}: {}", answer.text);
    }
    let made = ask(&stage, "POST /admin/clients", none, &json!({"name": "short-lived"})).await.json();
    let client = made["client_id"].as_str().unwrap();
    for (what, status) in [("disable", 200), ("rotate-secret", 409)] {
        let answer = ask(&stage, &format!("POST /admin/clients/{client}/{what}"), none, &empty).await;
        assert_eq!(answer.status.as_u16(), status, "{what}: {}", answer.text);
    }
    // An address that needs no name server; nothing is sent to it.
    let target = json!({"notification_url": "https://1.1.1.1/gateway"});
    let made = ask(&stage, "POST /api/dev/webhook_registrations", none, &target).await.json();
    let webhook = made["webhook_registration"]["id"].as_str().unwrap();
    for what in ["disable", "enable"] {
        let answer = ask(&stage, &format!("POST /admin/webhooks/{webhook}/{what}"), none, &empty).await;
        assert_eq!(answer.status.as_u16(), 200, "{what}: {}", answer.text);
    }
}

const COMMANDS: &str = "/finance/rpc/documents/0197f4f2-0000-7000-8000-000000000001/commands";

#[tokio::test]
async fn every_command_refuses_an_outdated_version_and_a_key_that_was_used_otherwise() {
    let stage = Stage::new(|app| app).await;
    let workspace: i64 = stage.workspace.parse().unwrap();
    let draft = json!({"workspace_id": workspace, "document_type": "invoice", "currency": "EUR", "prices_include_tax": true,
        "lines": [{"description": "Studio", "quantity": "1", "unit_price": "10", "tax": {"category": "VAT", "rate": "10.0"}}]});
    let put = "PUT /invoicing/rpc/documents/0197f4f2-0000-7000-8000-000000000001";
    assert_eq!(ask(&stage, put, ("accept", "*/*"), &draft).await.status.as_u16(), 201);
    for operation in operations().iter().filter(|operation| operation.path.contains("/commands/")) {
        let call = format!("POST {}", operation.address(None));
        let example =
            operation.example().map_or_else(|| json!({}), |text| serde_json::from_str(&text).unwrap());
        if operation.documents(412) {
            let answer = ask(&stage, &call, ("if-match", "\"999\""), &example).await;
            assert_eq!(answer.status.as_u16(), 412, "{call}: {}", answer.text);
        }
    }
    let key = ("idempotency-key", "used");
    let issue = format!("POST {COMMANDS}/issue");
    assert_eq!(ask(&stage, &issue, key, &json!({})).await.status.as_u16(), 200);
    for &command in Command::ALL {
        let call = format!("POST {COMMANDS}/{}", command.as_str());
        let answer = ask(&stage, &call, key, &json!({"at": "2026-11-20T09:00:00Z"})).await;
        assert_eq!(answer.status.as_u16(), 409, "{call}: {}", answer.text);
    }
}
