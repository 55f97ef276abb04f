//! What the command line and the admin surface both show, in one shape.

use gateway_access::LegacyUse;
use gateway_access::{Credentials, Rotated};
use gateway_domain::access::{Client, Workspaces};
use gateway_domain::ids::WorkspaceId;
use gateway_domain::workspace::Workspace;
use gateway_registry::{Activated, CanaryCheck, CanaryResult, Installed, Listed, Listing, PluginName};
use gateway_storage::plugins::Replica;
use gateway_webhooks::{Delivery, Endpoint};
use gateway_workspaces::EInvoicingView;
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

/// The same with what it used of the legacy API.
pub(crate) fn client_with_uses(of: &Client, uses: &[LegacyUse]) -> Value {
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

/// A webhook of a customer, without its secret.
pub(crate) fn webhook(endpoint: &Endpoint) -> Value {
    let (why, since) = endpoint.disabled.unzip();
    json!({
        "id": endpoint.id,
        "notification_url": endpoint.url,
        "events": endpoint.events.names(),
        "enabled": endpoint.disabled.is_none(),
        "disabled_reason": why,
        "disabled_at": since,
        "failing_since": endpoint.health.failing_since,
        "last_success_at": endpoint.succeeded_at,
        "old_secret_until": endpoint.old_secret.as_ref().map(|(_, until)| until),
        "created_at": endpoint.created_at,
        "updated_at": endpoint.updated_at,
    })
}

/// The same as operators see it.
pub(crate) fn operated(endpoint: &Endpoint, backlog: i64) -> Value {
    let mut shown = webhook(endpoint);
    if let Value::Object(members) = &mut shown {
        members.insert("workspace_id".to_owned(), json!(endpoint.workspace));
        members.insert("failures".to_owned(), json!(endpoint.health.failures));
        members.insert("backlog".to_owned(), json!(backlog));
    }
    shown
}

/// A delivery with every try.
pub(crate) fn delivery(delivery: &Delivery) -> Value {
    let tries = delivery.attempts.iter().map(|attempt| {
        json!({
            "at": attempt.at,
            "duration_ms": attempt.duration_ms,
            "status": attempt.status,
            "error": attempt.error,
            "answer": attempt.detail,
        })
    });
    json!({
        "id": delivery.id,
        "webhook_id": delivery.message,
        "type": delivery.event,
        "sequence": delivery.position,
        "occurred_at": delivery.time,
        "status": delivery.state,
        "next_attempt_at": delivery.due_at,
        "done_at": delivery.done_at,
        "created_at": delivery.created_at,
        "attempts": tries.collect::<Vec<_>>(),
    })
}

/// `"*"`, or a list of ids.
fn scope(workspaces: &Workspaces) -> Value {
    match workspaces {
        Workspaces::All => json!("*"),
        Workspaces::Only(list) => json!(list),
    }
}

/// A signing key that took the place of another.
pub(crate) fn rotated(rotated: &Rotated) -> Value {
    let Rotated { kid, signs_from, old_published_until } = rotated;
    json!({"kid": kid, "signs_from": signs_from, "old_published_until": old_published_until})
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
    let mut shown = json!({
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
    });
    if let (Some(email), Value::Object(members)) = (&supplier.email, &mut shown) {
        members.insert("email".to_owned(), json!(email));
    }
    shown
}

/// An e-invoicing configuration; of the tokens only whether they are set.
pub(crate) fn e_invoicing(workspace: WorkspaceId, view: &EInvoicingView) -> Value {
    let shown = &view.configuration;
    let mut json = json!({
        "workspace_id": workspace,
        "regime": shown.regime,
        "company_id": shown.company_id,
        "workflow_id": shown.workflow_id,
        "token": "set",
        "webhook_token": view.has_webhook_token.then_some("set"),
        "settings": shown.settings,
    });
    if let (Value::Object(members), false) = (&mut json, view.missing.is_empty()) {
        members.insert("missing_workspace_fields".to_owned(), json!(view.missing));
    }
    json
}

/// The registry of plugins; versions that serve only workspaces nobody asked about are shown without them.
pub(crate) fn plugins(listing: &Listing, visible: &Workspaces) -> Value {
    let plugins: Vec<_> = listing.plugins.iter().map(|listed| plugin(listed, visible)).collect();
    json!({
        "generation": listing.generation,
        "plugins": plugins,
        "replicas": listing.replicas.iter().map(replica).collect::<Vec<_>>(),
    })
}

/// An installed version with everything it says of itself.
fn plugin(listed: &Listed, visible: &Workspaces) -> Value {
    let version = &listed.version;
    let mut description: Value = serde_json::from_str(&version.description).unwrap_or_default();
    // Versions that were installed before release 1.2 of the contract say nothing of it.
    if let Some(members) = description.as_object_mut() {
        members.entry("evidence").or_insert(Value::Null);
    }
    let member = |name: &str| description.get(name).cloned().unwrap_or_default();
    let own = listed.serves.iter().flatten().filter(|workspace| visible.contain(**workspace));
    json!({
        "id": PluginName::from(&version.plugin).to_string(),
        "key": version.plugin.key,
        "version": version.plugin.version,
        "state": listed.state.as_str(),
        "default": listed.serves.contains(&None),
        "workspaces": own.collect::<Vec<_>>(),
        "blocked": version.blocked.as_ref().map(|(at, reason)| json!({"at": at, "reason": reason})),
        "country": member("country"),
        "tax_system": member("tax_system"),
        "size": version.size,
        "sha256": version.plugin.digest,
        "signature": version.signature,
        "installed_at": version.installed_at,
        "installed_by": version.installed_by,
        "description": description,
    })
}

fn replica(replica: &Replica) -> Value {
    json!({
        "id": replica.id,
        "address": replica.address,
        "generation": replica.generation,
        "problem": replica.problem,
        "seen_at": replica.seen_at,
    })
}

/// A component that was put into the registry.
pub(crate) fn installed(installed: &Installed) -> Value {
    let plugin = &installed.plugin;
    json!({
        "id": PluginName::from(plugin).to_string(),
        "key": plugin.key,
        "version": plugin.version,
        "sha256": plugin.digest,
        "known": installed.known,
    })
}

/// A version that came in force.
pub(crate) fn activated(activated: &Activated) -> Value {
    let plugin = &activated.plugin;
    json!({
        "id": PluginName::from(plugin).to_string(),
        "key": plugin.key,
        "version": plugin.version,
        "sha256": plugin.digest,
        "workspace_id": activated.workspace,
        "replaced": activated.replaced,
        "generation": activated.generation,
        "rehearsal": canary(&activated.canary),
    })
}

/// The last invoices through the old and the new version.
pub(crate) fn canary(canary: &CanaryCheck) -> Value {
    let documents = canary.documents.iter().map(|tried| {
        let (old, new) =
            (tried.old.as_ref().map(CanaryResult::to_json).unwrap_or_default(), tried.new.to_json());
        let at = |side: &Value, pointer: &str| side.pointer(pointer).cloned().unwrap_or_default();
        let differences = tried
            .differences
            .iter()
            .map(|pointer| json!({"pointer": pointer, "old": at(&old, pointer), "new": at(&new, pointer)}));
        json!({
            "workspace_id": tried.workspace,
            "document": tried.document,
            "number": tried.number,
            "old": tried.old.as_ref().map(CanaryResult::as_str),
            "new": tried.new.as_str(),
            "faults": at(&new, "/faults"),
            "differences": differences.collect::<Vec<_>>(),
        })
    });
    let samples = canary.samples.iter().map(|tried| json!({"name": tried.name, "failure": tried.failure}));
    json!({
        "against": canary.against,
        "samples": samples.collect::<Vec<_>>(),
        "documents": documents.collect::<Vec<_>>(),
    })
}
