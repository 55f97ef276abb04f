//! What operators see of the registry.

use super::follow::REPLICA_TIMEOUT;
use super::{PluginName, Plugins, Runtime, ScheduledVersion, VersionShare};
use gateway_domain::StoreError;
use gateway_domain::access::Actor;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::regime::PluginRef;
use gateway_domain::words;
use gateway_storage::plugins::canaries::{self, Canary};
use gateway_storage::plugins::schedules;
use gateway_storage::plugins::{self as store, InForce, Version};
use jiff::Timestamp;
use uuid::Uuid;

words! {
    /// How an installed version stands.
    PluginState {
        /// Never in force yet, nor serving a share.
        Installed = "installed",
        /// In force somewhere, or serving a share of the documents.
        Active = "active",
        /// Was in force.
        Retired = "retired",
        /// Misbehaved; serves nobody until it is activated again.
        Blocked = "blocked",
    }
}

/// An installed version and where it is in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedVersion {
    /// Key, version and digest.
    pub plugin: PluginRef,
    /// What it says of itself, JSON.
    pub description: String,
    /// Bytes of the component.
    pub size: i64,
    /// Its detached signature, text.
    pub signature: Option<String>,
    /// When its component was installed first.
    pub installed_at: Timestamp,
    /// Who installed its component first.
    pub installed_by: Actor,
    /// Since when it is blocked, and why.
    pub blocked: Option<(Timestamp, String)>,
    /// How it stands.
    pub state: PluginState,
    /// Whom it serves, or would if it were not blocked; none: every workspace without a version of its own.
    pub serves: Vec<Option<WorkspaceId>>,
    /// Of whose documents it serves a share beside the version in force, or would if it were not blocked.
    pub canaries: Vec<VersionShare>,
}

/// A process that follows the registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replica {
    /// Fresh at every start.
    pub id: Uuid,
    /// Where its operators' surface is.
    pub address: String,
    /// The newest change that it follows; behind the registry's while it catches up.
    pub generation: i64,
    /// What keeps it from serving everything, one sentence.
    pub problem: Option<String>,
    /// When it last said so.
    pub seen_at: Timestamp,
    /// The version of the gateway that it runs; none of a process from before it was noted.
    pub version: Option<String>,
}

impl From<store::Replica> for Replica {
    fn from(stored: store::Replica) -> Self {
        let store::Replica { id, address, generation, problem, seen_at, version } = stored;
        Self { id, address, generation, problem, seen_at, version }
    }
}

/// What is installed, where it is in force, and who follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistryList {
    /// How often it changed.
    pub generation: i64,
    /// Every version, by key, the newest first.
    pub plugins: Vec<ListedVersion>,
    /// What comes in force at a time, the earliest first.
    pub scheduled: Vec<ScheduledVersion>,
    /// The processes that follow.
    pub replicas: Vec<Replica>,
}

impl RegistryList {
    /// The versions that nobody has put in force yet, or scheduled, while another one of their regime is: a sentence for each.
    pub fn waiting(&self) -> Vec<String> {
        let sentence = |listed: &ListedVersion| {
            let is_beside = |other: &&ListedVersion| {
                other.state == PluginState::Active
                    && other.plugin.key == listed.plugin.key
                    && !other.serves.is_empty()
            };
            let beside: Vec<_> =
                self.plugins.iter().filter(is_beside).map(|other| other.plugin.version.as_str()).collect();
            let name = PluginName::from(&listed.plugin);
            (!beside.is_empty()).then(|| {
                format!(
                    "{name} is installed and waits beside {}, which is in force: 'gateway plugin activate {name}' puts it in \
                     force",
                    beside.join(" and ")
                )
            })
        };
        let is_scheduled =
            |listed: &ListedVersion| self.scheduled.iter().any(|scheduled| scheduled.plugin == listed.plugin);
        let installed = self.plugins.iter().filter(|listed| listed.state == PluginState::Installed);
        installed.filter(|listed| !is_scheduled(listed)).filter_map(sentence).collect()
    }
}

impl<R: Runtime> Plugins<R> {
    /// How many versions are blocked.
    pub async fn blocked_versions(&self) -> Result<i64, StoreError> {
        store::blocked(self.db()).await
    }

    /// Everything that is installed, what is in force, and who follows.
    pub async fn list(&self) -> Result<RegistryList, StoreError> {
        let generation = store::generation(self.db()).await?;
        let in_force = store::in_force(self.db()).await?;
        let canaries = canaries::standing(self.db()).await?;
        let versions = store::versions(self.db(), None).await?;
        let now = self.0.clock.now();
        let replicas = store::replicas(self.db(), now.checked_sub(REPLICA_TIMEOUT).unwrap_or(now)).await?;
        let plugins = versions.into_iter().map(|version| listed(version, &in_force, &canaries)).collect();
        let scheduled = schedules::scheduled(self.db()).await?;
        let scheduled = scheduled.into_iter().map(ScheduledVersion::from).collect();
        let replicas = replicas.into_iter().map(Replica::from).collect();
        Ok(RegistryList { generation, plugins, scheduled, replicas })
    }
}

fn listed(version: Version, in_force: &[InForce], canaries: &[Canary]) -> ListedVersion {
    let rows = in_force.iter().filter(|row| row.plugin == version.plugin);
    let serves: Vec<_> = rows.map(|row| row.workspace).collect();
    let shares = canaries.iter().filter(|canary| canary.plugin == version.plugin).cloned();
    let canaries: Vec<_> = shares.map(VersionShare::from).collect();
    let serves_nobody = serves.is_empty() && canaries.is_empty();
    let state = match (&version.blocked, serves_nobody, version.was_active) {
        (Some(_), _, _) => PluginState::Blocked,
        (None, false, _) => PluginState::Active,
        (None, true, true) => PluginState::Retired,
        (None, true, false) => PluginState::Installed,
    };
    let Version { plugin, description, size, signature, installed_at, installed_by, blocked, was_active: _ } =
        version;
    ListedVersion {
        plugin,
        description,
        size,
        signature,
        installed_at,
        installed_by,
        blocked,
        state,
        serves,
        canaries,
    }
}
