//! Clients and keys as operators see them, on the command line and over HTTP alike.

use crate::{Credentials, Rotated};
use gateway_domain::access::{Client, Permission, Workspaces};
use gateway_domain::ids::ClientId;
use gateway_domain_events::LegacyUse;
use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

/// A client without its secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Client)]
pub struct ClientView {
    /// Its id: the `client_id` of its credentials.
    #[schema(value_type = Uuid, examples("0197f4f2-0000-7000-8000-0000000000c1"))]
    pub client_id: ClientId,
    /// For people.
    #[schema(examples("finance"))]
    pub name: String,
    /// What it may do.
    pub permissions: Vec<Permission>,
    /// The workspaces it may see; `*` for all.
    pub workspaces: Workspaces,
    /// Whether it is disabled.
    #[schema(examples(false))]
    pub disabled: bool,
}

impl From<&Client> for ClientView {
    fn from(client: &Client) -> Self {
        let Client { id, name, permissions, workspaces, disabled } = client.clone();
        Self { client_id: id, name, permissions, workspaces, disabled }
    }
}

/// Every client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ClientList {
    /// The oldest first.
    pub clients: Vec<ClientView>,
}

/// How a client used a route of the legacy API.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = LegacyUse)]
pub struct LegacyUseView {
    /// Method and pattern of the route.
    #[schema(examples("GET /api/dev/properties"))]
    pub route: String,
    /// How often.
    #[schema(examples(12))]
    pub requests: i64,
    /// Since when.
    #[schema(value_type = String, format = DateTime, examples("2026-11-01T08:00:00Z"))]
    pub first_used_at: Timestamp,
    /// The last time.
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    pub last_used_at: Timestamp,
}

impl From<&LegacyUse> for LegacyUseView {
    fn from(used: &LegacyUse) -> Self {
        let LegacyUse { route, requests, first_at, last_at } = used.clone();
        Self { route, requests, first_used_at: first_at, last_used_at: last_at }
    }
}

/// A client, and what it used of the legacy API.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ClientWithUses)]
pub struct ClientWithUsesView {
    /// Its id: the `client_id` of its credentials.
    #[schema(value_type = Uuid, examples("0197f4f2-0000-7000-8000-0000000000c1"))]
    pub client_id: ClientId,
    /// For people.
    #[schema(examples("finance"))]
    pub name: String,
    /// What it may do.
    pub permissions: Vec<Permission>,
    /// The workspaces it may see; `*` for all.
    pub workspaces: Workspaces,
    /// Whether it is disabled.
    #[schema(examples(false))]
    pub disabled: bool,
    /// Each route of the legacy API that it called.
    pub legacy: Vec<LegacyUseView>,
}

impl ClientWithUsesView {
    /// The client as the list shows it; `uses` are its calls of the legacy API.
    pub fn new(client: &Client, uses: &[LegacyUse]) -> Self {
        let ClientView { client_id, name, permissions, workspaces, disabled } = client.into();
        let legacy = uses.iter().map(LegacyUseView::from).collect();
        Self { client_id, name, permissions, workspaces, disabled, legacy }
    }
}

/// A client with a fresh secret: the one time it is shown. `Debug` does not show it.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Credentials)]
pub struct CredentialsView {
    /// Its id.
    #[schema(value_type = Uuid, examples("0197f4f2-0000-7000-8000-0000000000c1"))]
    pub client_id: ClientId,
    /// Shown this once.
    #[serde(serialize_with = "exposed")]
    #[schema(value_type = String, examples("s3cr3t-shown-this-once"))]
    pub client_secret: SecretString,
    /// For people.
    #[schema(examples("finance"))]
    pub name: String,
    /// What it may do.
    pub permissions: Vec<Permission>,
    /// The workspaces it may see; `*` for all.
    pub workspaces: Workspaces,
    /// Whether it is disabled, for good.
    #[schema(examples(false))]
    pub disabled: bool,
}

impl From<&Credentials> for CredentialsView {
    fn from(credentials: &Credentials) -> Self {
        let ClientView { client_id, name, permissions, workspaces, disabled } = (&credentials.client).into();
        let client_secret = credentials.secret.clone();
        Self { client_id, client_secret, name, permissions, workspaces, disabled }
    }
}

fn exposed<S: Serializer>(secret: &SecretString, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(secret.expose_secret())
}

/// A signing key that took the place of another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = RotatedKey)]
pub struct RotatedView {
    /// The id of the new key.
    #[schema(examples("0197f4f2-0000-7000-8000-0000000000b1"))]
    pub kid: String,
    /// When it begins to sign.
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:05Z"))]
    pub signs_from: Timestamp,
    /// How long the key before it is published; null when there was none.
    #[schema(required, value_type = Option<String>, format = DateTime, examples("2026-11-20T10:00:05Z"))]
    pub old_published_until: Option<Timestamp>,
}

impl From<&Rotated> for RotatedView {
    fn from(rotated: &Rotated) -> Self {
        let Rotated { kid, signs_from, old_published_until } = rotated.clone();
        Self { kid, signs_from, old_published_until }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_secret_is_in_the_answer_and_not_in_a_log() {
        let client = Client {
            id: ClientId(Uuid::nil()),
            name: "finance".to_owned(),
            permissions: vec![Permission::Admin],
            workspaces: Workspaces::All,
            disabled: false,
        };
        let view = CredentialsView::from(&Credentials { client, secret: "gws_x".into() });
        assert_eq!(
            serde_json::to_string(&view).unwrap(),
            r#"{"client_id":"00000000-0000-0000-0000-000000000000","client_secret":"gws_x","name":"finance","permissions":["admin"],"workspaces":"*","disabled":false}"#
        );
        assert!(!format!("{view:?}").contains("gws_x"));
    }
}
