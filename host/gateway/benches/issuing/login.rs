//! A client of the gateway's own, and its token.

use crate::client::Client;
use crate::stage::BenchError;
use gateway::InProcess;
use gateway_access::{Credentials, NewClient};
use gateway_domain::access::{Actor, Permission, Workspaces};
use secrecy::ExposeSecret;
use serde_json::{Value, json};

/// Makes a client that may do this there, and gets a token for it.
pub(crate) async fn new_client(
    gateway: &InProcess,
    permissions: Vec<Permission>,
    workspaces: Workspaces,
) -> Result<(Credentials, String), BenchError> {
    let new = NewClient { name: "bench".to_owned(), permissions, workspaces };
    let made = gateway.services().clients.create(new, &Actor::operator()).await?;
    let (id, secret) = (made.client.id.to_string(), made.secret.expose_secret());
    let request = json!({"grant_type": "client_credentials", "client_id": id, "client_secret": secret});
    let mut client = Client::connect(gateway.public_url(), "").await?;
    let answer = client.call("POST", "/v1/oauth2/token", &request.to_string()).await?;
    let answer: Value = serde_json::from_slice(answer)?;
    let token = answer.get("access_token").and_then(Value::as_str).ok_or("no token")?.to_owned();
    Ok((made, token))
}
