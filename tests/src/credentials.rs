//! What a client proves itself with, from the command that makes it to the token.

use crate::api::Api;
use crate::gateway::Gateway;
use serde_json::{Value, json};

/// The id and the secret of a client.
#[derive(Debug, Clone)]
pub struct Credentials {
    /// Who.
    pub id: String,
    /// Proof.
    pub secret: String,
}

impl Credentials {
    /// Those of a new client; `grants` are the arguments that say what it may do, and where.
    ///
    /// # Panics
    /// When it is not made.
    pub async fn of_new_client(gateway: &Gateway, name: &str, grants: &[&str]) -> Self {
        let arguments = [&["client", "create", "--json", "--name", name], grants].concat();
        let created = gateway.cli(&arguments).await.json();
        let text = |name| created.get(name).and_then(Value::as_str).map(str::to_owned);
        let (id, secret) = (text("client_id"), text("client_secret"));
        Self { id: id.expect("a client has an id"), secret: secret.expect("a new client has a secret") }
    }

    /// Calls of a listener with a fresh token.
    pub async fn sign_in(&self, listener: &Api) -> Api {
        self.sign_in_with(listener, None).await
    }

    /// The same for an end user.
    pub async fn sign_in_for(&self, listener: &Api, sub: &str) -> Api {
        self.sign_in_with(listener, Some(sub)).await
    }

    async fn sign_in_with(&self, listener: &Api, sub: Option<&str>) -> Api {
        let mut grant =
            json!({"grant_type": "client_credentials", "client_id": self.id, "client_secret": self.secret});
        if let (Some(sub), Some(members)) = (sub, grant.as_object_mut()) {
            members.insert("act".to_owned(), json!({"sub": sub}));
        }
        let answer = listener.post("/v1/oauth2/token", &grant).await.expect(200);
        let token = answer.get("access_token").and_then(Value::as_str);
        listener.with_token(token.unwrap_or_else(|| panic!("no token: {answer}")))
    }
}

/// The arguments that give a client these permissions in these workspaces.
pub fn grants<'a>(permissions: &[&'a str], workspaces: &[&'a str]) -> Vec<&'a str> {
    let permissions = permissions.iter().flat_map(|name| ["--permission", name]);
    permissions.chain(workspaces.iter().flat_map(|id| ["--workspace", id])).collect()
}
