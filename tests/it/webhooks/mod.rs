//! Webhooks out, as customers and operators meet them: a gateway that serves, and a receiver that does as it is told.

mod client_access;
mod delivery;
mod notices;
mod operators;
mod registration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gateway_tests::{Answer, Credentials, Engine, Gateway, Options, Receiver, World, fresh_uuid};
use serde_json::{Value, json};
use std::fmt::Write as _;

const REGISTRATIONS: &str = "/api/dev/webhook_registrations";
/// Seconds an endpoint may take, and by how much waits are shorter.
const TIMEOUT_S: &str = "2";
const RETRY_SPEED: &str = "500";

/// A gateway that may send to this machine and is in a hurry.
fn fast_retries() -> Options {
    Options::sandbox()
        .variable("GATEWAY_WEBHOOKS__ALLOW_PRIVATE", "true")
        .variable("GATEWAY_WEBHOOKS__TIMEOUT_S", TIMEOUT_S)
        .variable("GATEWAY_WEBHOOKS__RETRY_SPEED", RETRY_SPEED)
}

/// A workspace of the world as an integrator calls it.
struct Integrator<'a> {
    gateway: &'a Gateway,
    credentials: &'a Credentials,
    workspace: i64,
}

fn as_integrator(world: &World) -> Integrator<'_> {
    Integrator { gateway: &world.gateway, credentials: &world.client, workspace: world.workspace }
}

impl Integrator<'_> {
    async fn call(&self, method: &str, path: &str, body: Option<&Value>) -> Answer {
        let Credentials { id, secret } = self.credentials;
        let basic = format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")));
        let workspace = self.workspace.to_string();
        let headers = [
            ("authorization", basic.as_str()),
            ("xx-subscription-portal-id", workspace.as_str()),
            ("content-type", "application/json"),
        ];
        let body = body.map(|body| body.to_string().into_bytes());
        self.gateway.public().send(method, path, &headers, body).await
    }

    async fn get(&self, rest: &str) -> Answer {
        self.call("GET", &format!("{REGISTRATIONS}{rest}"), None).await
    }

    async fn post(&self, rest: &str, body: &Value) -> Answer {
        self.call("POST", &format!("{REGISTRATIONS}{rest}"), Some(body)).await
    }

    async fn patch(&self, id: &str, body: &Value) -> Answer {
        self.call("PATCH", &format!("{REGISTRATIONS}/{id}"), Some(body)).await
    }

    /// Registers an address; its id and its secret.
    async fn register(&self, url: &str, events: &[&str]) -> (String, String) {
        let answer = self.post("", &json!({"notification_url": url, "events": events})).await.expect(201);
        let made = &answer["webhook_registration"];
        (made["id"].as_str().unwrap().to_owned(), made["secret"].as_str().unwrap().to_owned())
    }

    /// Something happens to so many tasks; says to which.
    async fn change_tasks(&self, count: usize) -> Vec<String> {
        let ids: Vec<String> = (0..count).map(|_| fresh_uuid()).collect();
        let lines = ids.iter().fold(String::new(), |mut lines, id| {
            let task = json!({"kind": "task", "id": id, "workspace_id": self.workspace, "title": "Clean"});
            writeln!(lines, "{task}").unwrap();
            lines
        });
        let ran = self.gateway.cli_with(&["import", "-"], &[], &lines).await;
        ran.succeeded();
        ids
    }

    async fn deliveries(&self, id: &str) -> Vec<Value> {
        let answer = self.get(&format!("/{id}/deliveries?perPage=100")).await.expect(200);
        answer["deliveries"].as_array().unwrap().clone()
    }

    /// The deliveries, as soon as all there are have this status.
    async fn until_deliveries(&self, id: &str, status: &str, count: usize) -> Vec<Value> {
        gateway_tests::until(&format!("{count} deliveries are {status}"), async || {
            let all = self.deliveries(id).await;
            let done = all.iter().filter(|one| one["status"] == status).count();
            (done == count && all.len() == count).then_some(all)
        })
        .await
    }
}

async fn start(engine: Engine) -> (World, Receiver) {
    (World::with(engine, fast_retries()).await, Receiver::start().await)
}

/// Holds what arrived against the document that integrators read.
async fn assert_documented(world: &World, arrived: &[gateway_tests::Arrived]) {
    let document = world.gateway.public().get("/openapi.json").await.expect(200);
    let document = gateway_test_openapi::Document::new("notifications", document);
    for one in arrived {
        document.check_notification(&one.body).unwrap_or_else(|sentence| panic!("{sentence}"));
    }
}

/// Whether one of the signatures was made with a secret.
fn is_signed(arrived: &gateway_tests::Arrived, secret: &str) -> bool {
    let key = STANDARD.decode(secret.strip_prefix("whsec_").unwrap()).unwrap();
    let key = aws_lc_rs::hmac::Key::new(aws_lc_rs::hmac::HMAC_SHA256, &key);
    let content = format!("{}.{}.{}", arrived.id, arrived.timestamp, arrived.body);
    let expected = STANDARD.encode(aws_lc_rs::hmac::sign(&key, content.as_bytes()));
    arrived.signature.split(' ').any(|signature| signature == format!("v1,{expected}"))
}
