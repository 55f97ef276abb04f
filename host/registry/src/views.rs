//! The registry as operators see it, on the command line and over HTTP alike.

use crate::{Activated, CanaryCheck, CanaryResult, Installed, Listed, Listing, PluginName};
use gateway_domain::access::Workspaces;
use gateway_storage::plugins::Replica;
use serde_json::{Value, json};

/// The registry of plugins; versions that serve only workspaces nobody asked about are shown without them.
pub fn plugins(listing: &Listing, visible: &Workspaces) -> Value {
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
pub fn installed(installed: &Installed) -> Value {
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
pub fn activated(activated: &Activated) -> Value {
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
fn canary(canary: &CanaryCheck) -> Value {
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
