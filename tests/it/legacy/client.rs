//! A client of the legacy API.

use crate::platform::Platform;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gateway_tests::{Answer, Api, Credentials, Gateway, grants};
use serde_json::{Value, json};

/// A client in a workspace.
#[derive(Debug, Clone)]
pub(super) struct Legacy {
    api: Api,
    pub(super) client: String,
    authorization: String,
    portal: String,
}

impl Legacy {
    /// A new client with the permission `legacy` in these workspaces, calling in the first.
    pub(super) async fn of(gateway: &Gateway, workspaces: &[&str]) -> Self {
        let Credentials { id, secret } =
            Credentials::of_new_client(gateway, "older", &grants(&["legacy"], workspaces)).await;
        Self {
            api: gateway.public(),
            authorization: format!("Basic {}", STANDARD.encode(format!("{id}:{secret}"))),
            client: id,
            portal: workspaces[0].to_owned(),
        }
    }

    /// A client in the first workspace of the platform.
    pub(super) async fn on(platform: &Platform) -> Self {
        Self::of(&platform.gateway, &["1"]).await
    }

    /// The same client at a gateway that was started anew.
    pub(super) fn at(&self, gateway: &Gateway) -> Self {
        Self { api: gateway.public(), ..self.clone() }
    }

    pub(super) async fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Answer {
        self.send_bytes(method, path, "application/json", body.map(|body| body.to_string().into_bytes()))
            .await
    }

    pub(super) async fn send_bytes(
        &self,
        method: &str,
        path: &str,
        media: &str,
        body: Option<Vec<u8>>,
    ) -> Answer {
        self.traced(method, path, media, body, None).await
    }

    pub(super) async fn traced(
        &self,
        method: &str,
        path: &str,
        media: &str,
        body: Option<Vec<u8>>,
        id: Option<&str>,
    ) -> Answer {
        let mut headers = vec![
            ("authorization", self.authorization.as_str()),
            ("xx-subscription-portal-id", self.portal.as_str()),
        ];
        if body.is_some() {
            headers.push(("content-type", media));
        }
        headers.extend(id.map(|id| ("x-request-id", id)));
        let answer = self.api.send(method, &format!("/api/dev{path}"), &headers, body).await;
        assert!(answer.header("deprecation").starts_with('@'), "{method} {path}: {answer:?}");
        let link = answer.header("link");
        let successor = format!("<{}/v1>; rel=\"successor-version\"", self.api.base());
        assert!(link.contains(&successor), "{method} {path}: {link}");
        answer
    }

    pub(super) async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, None).await
    }

    /// The list of a good answer.
    pub(super) async fn list(&self, path: &str) -> Vec<Value> {
        let body = self.get(path).await.expect(200);
        let name = path.trim_start_matches('/').split('?').next().unwrap().rsplit('/').next().unwrap();
        body[name].as_array().unwrap_or_else(|| panic!("{path}: {body}")).clone()
    }

    pub(super) async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, Some(body)).await
    }

    pub(super) async fn verify(&self, booking: &str, verification: &Value) -> Answer {
        let path = format!("/bookings/{booking}/guest_verification");
        self.send("PATCH", &path, Some(&json!({"guest_verification": verification}))).await
    }
}

/// The ids of a list.
pub(super) fn ids(list: &[Value]) -> Vec<String> {
    list.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
}
