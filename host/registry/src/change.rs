//! Install, activate, disable, roll back: each one transaction with its audit entry and the next generation.

use super::activation::{ActivationReport, Order, OwnVersion, RollbackScope};
use super::description::PluginDescription;
use super::{CanaryCheck, PluginError, PluginName, Plugins, Runtime};
use gateway_domain::StoreError;
use gateway_domain::access::Actor;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::regime::PluginComponent;
use gateway_domain::regime::{PluginRef, RegimeDescription, RegimeKey};
use gateway_domain_input::nearest;
use gateway_finance::Finance;
use gateway_storage::plugins::schedules::{self, Schedule};
use gateway_storage::plugins::{self as store, Activation, InForce, Version};
use gateway_storage::{Tx, workspaces};
use serde::Serialize;
use std::sync::Arc;

/// A component that is in the registry.
#[derive(Debug, Clone)]
pub struct Installation {
    /// Key, version and digest.
    pub plugin: PluginRef,
    /// What it says of itself.
    pub description: Arc<RegimeDescription>,
    /// Whether it was there before.
    pub known: bool,
}

/// A component that may be used here, and the plugin that it is.
#[derive(Debug)]
pub(super) struct LoadedComponent<P> {
    component: PluginComponent,
    plugin: P,
}

/// What the audit trail tells of a component that was installed.
#[derive(Serialize)]
struct InstallData<'a> {
    sha256: &'a str,
    origin: &'a str,
    signed: bool,
}

/// What the audit trail tells of a version that came in force.
#[derive(Serialize)]
struct ActivateData<'a> {
    workspace_id: Option<WorkspaceId>,
    replaced: Option<&'a str>,
    sha256: &'a str,
}

/// What the audit trail tells of a version that was taken out of force.
#[derive(Serialize)]
struct DisableData {
    workspace_id: Option<WorkspaceId>,
}

/// What the audit trail tells of a version that serves again.
#[derive(Serialize)]
struct RollbackData<'a> {
    workspace_id: Option<WorkspaceId>,
    replaced: Option<&'a str>,
}

/// Why a version comes in force, and what it is tried with.
#[derive(Debug, Clone, Copy)]
pub(super) enum Scheduled<'a> {
    /// Somebody orders it now; with a gateway whose documents can be tried, where there is one.
    Now(Option<&'a Finance>),
    /// It was ordered for now.
    Due(&'a Schedule),
}

/// What a key had before what it has now.
struct Before {
    newest: Activation,
    target: Activation,
    version: Version,
    name: PluginName,
}

impl<R: Runtime> Plugins<R> {
    /// Keeps a component as the version it says it is. The same component a second time changes nothing; another one
    /// under the same version is refused. It serves nobody before it is activated.
    pub async fn install(
        &self,
        actor: &Actor,
        origin: &str,
        component: PluginComponent,
    ) -> Result<Installation, PluginError> {
        let loaded = self.load(origin, component).await?;
        self.keep(actor, origin, loaded).await
    }

    /// The first half of [`Self::install`]: a component that may be used here, compiled and asked what it is.
    pub(super) async fn load(
        &self,
        origin: &str,
        component: PluginComponent,
    ) -> Result<LoadedComponent<R::Plugin>, PluginError> {
        self.0.runtime.verify_signature(&component.bytes, component.signature.as_deref())?;
        let plugin = self.0.runtime.load(origin, component.bytes.clone()).await?;
        Ok(LoadedComponent { component, plugin })
    }

    /// The second half: it is in the registry.
    pub(super) async fn keep(
        &self,
        actor: &Actor,
        origin: &str,
        LoadedComponent { component, plugin: loaded }: LoadedComponent<R::Plugin>,
    ) -> Result<Installation, PluginError> {
        let signature = component.signature.as_deref();
        let (plugin, description) = self.0.runtime.identify(&loaded);
        let evidence = self.0.runtime.evidence(&loaded);
        let rules = self.0.runtime.rule_sets(&loaded);
        let described = PluginDescription::new(&description, evidence.as_deref(), &rules);
        let described = StoreError::json(&described)?;

        let mut tx = self.db().begin().await?;
        store::next_generation(&mut tx).await?;
        let fresh =
            store::install(&mut tx, &plugin, &component, &described, actor, self.0.clock.now()).await?;
        if fresh {
            let data = InstallData { sha256: &plugin.digest, origin, signed: signature.is_some() };
            self.record(&mut tx, actor, "plugin.install", &PluginName::from(&plugin), &data).await?;
            tracing::info!(plugin = %PluginName::from(&plugin), digest = plugin.digest, "Installed a plugin");
        } else {
            same_content(&mut tx, &plugin).await?;
        }
        // Nothing is new without a signature, and so no generation is.
        if fresh || signature.is_some() {
            tx.commit_at("plugin-installed").await?;
        }
        Ok(Installation { plugin, description, known: !fresh })
    }

    /// Puts a version in force. The version before serves until this one has proved itself: trusted, loaded, true to its
    /// own samples, and, with a gateway whose documents can be tried, no worse on the last real invoices. With a share it
    /// serves some of the documents, beside the version in force.
    pub async fn activate(
        &self,
        actor: &Actor,
        order: &Order,
        finance: Option<&Finance>,
    ) -> Result<ActivationReport, PluginError> {
        if let Some(share) = order.share {
            return self.start_canary(actor, (order, share), finance).await;
        }
        let before = store::newest(self.db(), &order.name.key, order.workspace).await?;
        self.activate_over(actor, order, before, Scheduled::Now(finance)).await
    }

    /// What [`Plugins::activate`] finds before it puts a version in force. Nothing changes.
    pub async fn check(&self, order: &Order, finance: &Finance) -> Result<CanaryCheck, PluginError> {
        Ok(self.checked(order, Some(finance)).await?.1)
    }

    /// What [`Plugins::check`] finds, where nothing of it speaks against the version.
    pub(super) async fn proved(
        &self,
        order: &Order,
        finance: Option<&Finance>,
    ) -> Result<(Version, CanaryCheck), PluginError> {
        let (version, canary) = self.checked(order, finance).await?;
        match canary.objection(order.force) {
            None => Ok((version, canary)),
            Some(sentence) => {
                let (name, canary) = (order.name.clone(), Box::new(canary));
                Err(PluginError::CanaryFailed { name, sentence, canary })
            }
        }
    }

    async fn checked(
        &self,
        Order { name, workspace, .. }: &Order,
        finance: Option<&Finance>,
    ) -> Result<(Version, CanaryCheck), PluginError> {
        let version = self.version(name).await?;
        if let Some(workspace) = *workspace
            && workspaces::find(self.db(), workspace).await?.is_none()
        {
            return Err(PluginError::UnknownWorkspace(workspace));
        }
        let new = self.load_stored(&version.plugin).await?;
        let samples = self.try_samples(&new).await?;
        let canary = match finance {
            Some(finance) => self.check_canary(finance, &version.plugin, *workspace, &new).await?,
            None => CanaryCheck::default(),
        };
        Ok((version, CanaryCheck { samples, ..canary }))
    }

    /// [`Plugins::activate`], if nobody decided about the key before, or does so meanwhile.
    pub async fn activate_first(
        &self,
        actor: &Actor,
        order: &Order,
    ) -> Result<ActivationReport, PluginError> {
        self.activate_over(actor, order, None, Scheduled::Now(None)).await
    }

    pub(super) async fn activate_over(
        &self,
        actor: &Actor,
        order: &Order,
        before: Option<Activation>,
        scheduled: Scheduled<'_>,
    ) -> Result<ActivationReport, PluginError> {
        let Order { name, workspace, .. } = order;
        let finance = match scheduled {
            Scheduled::Now(finance) => finance,
            Scheduled::Due(_) => None,
        };
        let (version, canary) = self.proved(order, finance).await?;

        let mut tx = self.db().begin().await?;
        let generation = store::next_generation(&mut tx).await?;
        if store::newest(&mut tx, &name.key, *workspace).await? != before {
            return Err(PluginError::ConcurrentChange(name.key.clone()));
        }
        if let Scheduled::Due(schedule) = scheduled
            && !schedules::remove(&mut tx, schedule).await?
        {
            return Err(PluginError::ConcurrentChange(name.key.clone()));
        }
        let previous = before.as_ref().and_then(|before| match &before.version {
            Some(version) if *version != name.version => Some(before.generation),
            // The same again, or after it was disabled: back to what it replaced.
            Some(_) | None => before.previous,
        });
        let change = Activation { generation, version: Some(name.version.clone()), previous };
        self.change(&mut tx, &name.key, *workspace, &change, actor).await?;
        store::unblock(&mut tx, &name.key, &name.version).await?;
        let (replaced, sha256) = (before.and_then(|before| before.version), &version.plugin.digest);
        let data = ActivateData { workspace_id: *workspace, replaced: replaced.as_deref(), sha256 };
        self.record(&mut tx, actor, "plugin.activate", name, &data).await?;
        let ended_canaries = self.take_ended_canaries(&mut tx, actor, &name.key).await?;
        tx.commit_at("plugin-activated").await?;
        tracing::info!(plugin = %name, generation, "Activated {name}");
        self.follow_now().await;
        let own_versions = self.own_versions(&version.plugin, *workspace).await?;
        Ok(ActivationReport {
            plugin: version.plugin,
            workspace: *workspace,
            share: None,
            replaced,
            own_versions,
            moved: Vec::new(),
            ended_canaries,
            canary,
            generation,
        })
    }

    /// Takes a key out of force: everywhere, or the version of one workspace, which then has what everybody has; canaries there
    /// are over. Answers the versions that served.
    pub async fn disable(
        &self,
        actor: &Actor,
        key: &RegimeKey,
        workspace: Option<WorkspaceId>,
    ) -> Result<Vec<PluginName>, PluginError> {
        let mut tx = self.db().begin().await?;
        let generation = store::next_generation(&mut tx).await?;
        let mut served = store::in_force(&mut tx).await?;
        served.retain(|row| row.plugin.key == *key && (workspace.is_none() || row.workspace == workspace));
        let canary = self.take_canary(&mut tx, actor, key, workspace).await?;
        if served.is_empty() && canary.is_none() {
            drop(tx);
            return Err(self.not_active(key).await?);
        }
        for row in &served {
            self.take_out_of_force(&mut tx, row, generation, actor).await?;
        }
        let ended = self.take_ended_canaries(&mut tx, actor, key).await?;
        tx.commit_at("plugin-disabled").await?;
        tracing::info!(plugin = %key, generation, "Disabled {key}");
        self.follow_now().await;
        let ended = ended.into_iter().map(|ended| PluginName { key: key.clone(), version: ended.version });
        let served = served.iter().map(|row| PluginName::from(&row.plugin));
        Ok(served.chain(canary).chain(ended).collect())
    }

    /// Ends the canary, if there is one, and else returns to the version that served before the one in force, or before the key
    /// was disabled. A second time goes one further back.
    pub async fn roll_back(
        &self,
        actor: &Actor,
        key: &RegimeKey,
        scope: RollbackScope,
    ) -> Result<ActivationReport, PluginError> {
        let workspace = scope.workspace();
        if let Some(ended) = self.end_canary(actor, key, workspace).await? {
            return Ok(ended);
        }
        let Before { newest, target, version, name } = self.before(key, workspace).await?;
        self.load_stored(&version.plugin).await?;

        let mut tx = self.db().begin().await?;
        let generation = store::next_generation(&mut tx).await?;
        if store::newest(&mut tx, key, workspace).await?.as_ref() != Some(&newest) {
            return Err(PluginError::ConcurrentChange(key.clone()));
        }
        let change =
            Activation { generation, version: Some(name.version.clone()), previous: target.previous };
        self.change(&mut tx, key, workspace, &change, actor).await?;
        let data = RollbackData { workspace_id: workspace, replaced: newest.version.as_deref() };
        self.record(&mut tx, actor, "plugin.rollback", &name, &data).await?;
        let moved = match scope {
            RollbackScope::Everywhere => {
                let own = store::in_force(&mut tx).await?;
                let own = own.into_iter().filter(|row| row.workspace.is_some());
                let moved = other_versions(own, &version.plugin);
                for row in &moved {
                    self.take_out_of_force(&mut tx, row, generation, actor).await?;
                }
                moved.into_iter().filter_map(own_version).collect()
            }
            RollbackScope::Everybody | RollbackScope::Workspace(_) => Vec::new(),
        };
        let ended_canaries = self.take_ended_canaries(&mut tx, actor, key).await?;
        tx.commit_at("plugin-rolled-back").await?;
        tracing::info!(plugin = %name, generation, "Rolled back to {name}");
        self.follow_now().await;
        let own_versions = self.own_versions(&version.plugin, workspace).await?;
        Ok(ActivationReport {
            plugin: version.plugin,
            workspace,
            share: None,
            replaced: newest.version,
            own_versions,
            moved,
            ended_canaries,
            canary: CanaryCheck::default(),
            generation,
        })
    }

    /// The version that [`Plugins::roll_back`] returns to. Nothing changes.
    pub async fn roll_back_target(
        &self,
        key: &RegimeKey,
        workspace: Option<WorkspaceId>,
    ) -> Result<PluginName, PluginError> {
        match self.version_behind_canary(key, workspace).await? {
            Some(in_force) => Ok(in_force),
            None => Ok(self.before(key, workspace).await?.name),
        }
    }

    async fn before(&self, key: &RegimeKey, workspace: Option<WorkspaceId>) -> Result<Before, PluginError> {
        let nothing = || PluginError::NothingBefore(key.clone());
        let Some(newest) = store::newest(self.db(), key, workspace).await? else {
            let is_installed = !store::versions(self.db(), Some(key)).await?.is_empty();
            return Err(if is_installed { nothing() } else { self.not_active(key).await? });
        };
        let target = newest.previous.ok_or_else(nothing)?;
        let target = store::activation(self.db(), key, workspace, target).await?.ok_or_else(nothing)?;
        let name = PluginName { key: key.clone(), version: target.version.clone().ok_or_else(nothing)? };
        let version = self.version(&name).await?;
        if version.blocked.is_some() {
            return Err(PluginError::Blocked(name));
        }
        Ok(Before { newest, target, version, name })
    }

    /// With the key that was probably meant, of those that are in force.
    async fn not_active(&self, key: &RegimeKey) -> Result<PluginError, StoreError> {
        let in_force = store::in_force(self.db()).await?;
        let keys = in_force.iter().map(|row| row.plugin.key.as_str());
        let near = nearest(key.as_str(), keys.filter(|known| *known != key.as_str()));
        Ok(PluginError::NotActive { key: key.clone(), near: near.map(str::to_owned) })
    }

    /// With the version that was probably meant, else the key.
    async fn unknown(&self, name: &PluginName) -> Result<PluginError, StoreError> {
        let installed = store::versions(self.db(), None).await?;
        let names: Vec<_> =
            installed.iter().map(|version| PluginName::from(&version.plugin).to_string()).collect();
        let version = nearest(&name.to_string(), names.iter().map(String::as_str));
        let keys = installed.iter().map(|version| version.plugin.key.as_str());
        let key = || nearest(name.key.as_str(), keys.filter(|known| *known != name.key.as_str()));
        let near = version.or_else(key).map(str::to_owned);
        Ok(PluginError::Unknown { name: name.clone(), near })
    }

    /// Whether anybody ever decided about this key, for everybody.
    pub async fn is_decided(&self, key: &RegimeKey) -> Result<bool, StoreError> {
        Ok(store::newest(self.db(), key, None).await?.is_some())
    }

    /// Whether to install a component would change nothing: see [`Self::install`] and [`Self::is_decided`].
    pub(super) async fn is_settled(&self, digest: &str, is_signed: bool) -> Result<bool, StoreError> {
        store::is_settled(self.db(), digest, is_signed).await
    }

    pub(super) async fn version(&self, name: &PluginName) -> Result<Version, PluginError> {
        let versions = store::versions(self.db(), Some(&name.key)).await?;
        let found = versions.into_iter().find(|version| version.plugin.version == name.version);
        match found {
            Some(version) => Ok(version),
            None => Err(self.unknown(name).await?),
        }
    }

    /// The workspaces that a change for everybody left on another version.
    async fn own_versions(
        &self,
        plugin: &PluginRef,
        workspace: Option<WorkspaceId>,
    ) -> Result<Vec<OwnVersion>, StoreError> {
        if workspace.is_some() {
            return Ok(Vec::new());
        }
        let in_force = store::in_force(self.db()).await?;
        Ok(other_versions(in_force, plugin).into_iter().filter_map(own_version).collect())
    }

    async fn take_out_of_force(
        &self,
        tx: &mut Tx,
        row: &InForce,
        generation: i64,
        actor: &Actor,
    ) -> Result<(), StoreError> {
        let change = Activation { generation, version: None, previous: Some(row.generation) };
        self.change(tx, &row.plugin.key, row.workspace, &change, actor).await?;
        let data = DisableData { workspace_id: row.workspace };
        self.record(tx, actor, "plugin.disable", &PluginName::from(&row.plugin), &data).await
    }

    async fn change(
        &self,
        tx: &mut Tx,
        key: &RegimeKey,
        workspace: Option<WorkspaceId>,
        change: &Activation,
        actor: &Actor,
    ) -> Result<(), StoreError> {
        store::record(tx, key, workspace, change, actor, self.0.clock.now()).await
    }

    pub(super) async fn record(
        &self,
        tx: &mut Tx,
        actor: &Actor,
        action: &str,
        name: &PluginName,
        data: &impl Serialize,
    ) -> Result<(), StoreError> {
        self.0.audit.record(tx, actor, action, format!("plugin:{name}"), data).await
    }
}

/// Those in force of the same key that are another version.
fn other_versions(in_force: impl IntoIterator<Item = InForce>, plugin: &PluginRef) -> Vec<InForce> {
    let is_other = |row: &InForce| row.plugin.key == plugin.key && row.plugin.version != plugin.version;
    in_force.into_iter().filter(is_other).collect()
}

fn own_version(row: InForce) -> Option<OwnVersion> {
    Some(OwnVersion { workspace: row.workspace?, version: row.plugin.version })
}

/// What is installed under this version is this component.
async fn same_content(tx: &mut Tx, plugin: &PluginRef) -> Result<(), PluginError> {
    let versions = store::versions(&mut *tx, Some(&plugin.key)).await?;
    match versions.into_iter().find(|known| known.plugin.version == plugin.version) {
        Some(known) if known.plugin.digest == plugin.digest => Ok(()),
        Some(known) => {
            Err(PluginError::Immutable { name: PluginName::from(plugin), digest: known.plugin.digest })
        }
        None => Err(PluginError::UnstableDescription(plugin.digest.clone())),
    }
}
