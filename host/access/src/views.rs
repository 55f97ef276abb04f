//! Clients and keys as operators see them, on the command line and over HTTP alike.

use crate::{Credentials, LegacyUse, Rotated};
use gateway_domain::access::{Client, Workspaces};

use secrecy::ExposeSecret;
use serde_json::{Value, json};

/// A client without its secrets.
pub fn client(client: &Client) -> Value {
    json!({
        "client_id": client.id,
        "name": client.name,
        "permissions": client.permissions,
        "workspaces": scope(&client.workspaces),
        "disabled": client.disabled,
    })
}

/// The same with what it used of the legacy API.
pub fn client_with_uses(of: &Client, uses: &[LegacyUse]) -> Value {
    let mut shown = client(of);
    let row = |row: &LegacyUse| {
        let LegacyUse { route, requests, first_at, last_at } = row;
        json!({"route": route, "requests": requests, "first_used_at": first_at, "last_used_at": last_at})
    };
    if let Value::Object(members) = &mut shown {
        members.insert("legacy".to_owned(), uses.iter().map(row).collect());
    }
    shown
}

/// A client with a fresh secret: the one time it is shown.
pub fn credentials(credentials: &Credentials) -> Value {
    let mut shown = json!({
        "client_id": credentials.client.id,
        "client_secret": credentials.secret.expose_secret(),
    });
    if let (Value::Object(shown), Value::Object(rest)) = (&mut shown, client(&credentials.client)) {
        for (name, value) in rest {
            shown.entry(name).or_insert(value);
        }
    }
    shown
}

/// A signing key that took the place of another.
pub fn rotated(rotated: &Rotated) -> Value {
    let Rotated { kid, signs_from, old_published_until } = rotated;
    json!({"kid": kid, "signs_from": signs_from, "old_published_until": old_published_until})
}

/// `"*"`, or a list of ids.
fn scope(workspaces: &Workspaces) -> Value {
    match workspaces {
        Workspaces::All => json!("*"),
        Workspaces::Only(list) => json!(list),
    }
}
