//! What operators see of the registry.

use super::follow::ALIVE;
use super::{Plugins, Runtime};
use gateway_domain::StoreError;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::words;
use gateway_storage::plugins::{self as store, InForce, Replica, Version};

words! {
    /// How an installed version stands.
    PluginState {
        /// Never in force yet.
        Installed = "installed",
        /// In force somewhere.
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
    /// As it was installed, with who did it.
    pub version: Version,
    /// How it stands.
    pub state: PluginState,
    /// Whom it serves, or would if it were not blocked; none: every workspace without a version of its own.
    pub serves: Vec<Option<WorkspaceId>>,
}

/// What is installed, where it is in force, and who follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistryList {
    /// How often it changed.
    pub generation: i64,
    /// Every version, by key, the newest first.
    pub plugins: Vec<ListedVersion>,
    /// The processes that follow.
    pub replicas: Vec<Replica>,
}

impl<R: Runtime> Plugins<R> {
    /// Everything that is installed, what is in force, and who follows.
    pub async fn list(&self) -> Result<RegistryList, StoreError> {
        let generation = store::generation(self.db()).await?;
        let in_force = store::in_force(self.db()).await?;
        let versions = store::versions(self.db(), None).await?;
        let now = self.0.clock.now();
        let replicas = store::replicas(self.db(), now.checked_sub(ALIVE).unwrap_or(now)).await?;
        let plugins = versions.into_iter().map(|version| listed(version, &in_force)).collect();
        Ok(RegistryList { generation, plugins, replicas })
    }
}

fn listed(version: Version, in_force: &[InForce]) -> ListedVersion {
    let rows = in_force.iter().filter(|row| row.plugin == version.plugin);
    let serves: Vec<_> = rows.map(|row| row.workspace).collect();
    let state = match (&version.blocked, serves.is_empty(), version.was_active) {
        (Some(_), _, _) => PluginState::Blocked,
        (None, false, _) => PluginState::Active,
        (None, true, true) => PluginState::Retired,
        (None, true, false) => PluginState::Installed,
    };
    ListedVersion { version, state, serves }
}
