//! What the command line and the admin surface both show, in one shape.

use gateway_app::access::Credentials;
use gateway_app::workspaces::EInvoicingView;
use gateway_domain::access::{Client, Workspaces};
use gateway_domain::ids::WorkspaceId;
use gateway_domain::workspace::Workspace;
use gateway_plugin_host::Plugin;
use secrecy::ExposeSecret;
use serde_json::{Value, json};

/// A client without its secrets.
pub(crate) fn client(client: &Client) -> Value {
    json!({
        "client_id": client.id,
        "name": client.name,
        "permissions": client.permissions,
        "workspaces": scope(&client.workspaces),
        "disabled": client.disabled,
    })
}

/// `"*"`, or a list of ids.
fn scope(workspaces: &Workspaces) -> Value {
    match workspaces {
        Workspaces::All => json!("*"),
        Workspaces::Only(list) => json!(list),
    }
}

/// A client with a fresh secret: the one time it is shown.
pub(crate) fn credentials(credentials: &Credentials) -> Value {
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

/// A workspace.
pub(crate) fn workspace(workspace: &Workspace) -> Value {
    let supplier = &workspace.supplier;
    json!({
        "id": workspace.id,
        "name": workspace.name,
        "legal_name": supplier.legal_name,
        "tax_id": supplier.tax_id,
        "country": supplier.country,
        "address": supplier.address,
        "time_zone": workspace.time_zone.iana_name().unwrap_or("UTC"),
        "invoice_pattern": workspace.invoice_pattern.to_string(),
        "credit_pattern": workspace.credit_pattern.to_string(),
        "rejection_strategy": workspace.rejection_strategy,
    })
}

/// An e-invoicing configuration; of the tokens only whether they are set.
pub(crate) fn e_invoicing(workspace: WorkspaceId, view: &EInvoicingView) -> Value {
    let shown = &view.configuration;
    json!({
        "workspace_id": workspace,
        "regime": shown.regime,
        "company_id": shown.company_id,
        "workflow_id": shown.workflow_id,
        "token": "set",
        "webhook_token": view.has_webhook_token.then_some("set"),
        "settings": shown.settings,
    })
}

/// A plugin with everything it says of itself.
pub(crate) fn plugin(plugin: &Plugin) -> Value {
    let identity = plugin.identity();
    json!({
        "key": identity.key,
        "version": identity.version,
        "country": plugin.description().country,
        "tax_system": plugin.description().tax_system,
        "file": plugin.file(),
        "size": plugin.size(),
        "sha256": identity.digest,
        "sandbox": plugin.has_sandbox(),
        "description": **plugin.description(),
    })
}
