//! Canaries by share: a version serves some of the documents beside the version in force, until it is put in force itself or
//! taken back.

use super::activation::{ActivationReport, Order, VersionShare};
use super::{CanaryCheck, PluginError, PluginName, Plugins, Runtime};
use gateway_domain::StoreError;
use gateway_domain::access::Actor;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::regime::{CanaryShare, RegimeKey};
use gateway_finance::Finance;
use gateway_storage::Tx;
use gateway_storage::plugins::canaries::{self, Canary};
use gateway_storage::plugins::{self as store, InForce};
use serde::Serialize;

/// What the audit trail tells of a version that serves a share from now on.
#[derive(Serialize)]
struct CanaryData<'a> {
    workspace_id: Option<WorkspaceId>,
    percent: u8,
    beside: &'a str,
    sha256: &'a str,
}

/// What the audit trail tells of a version that serves no share any more.
#[derive(Serialize)]
struct CanaryEndData {
    workspace_id: Option<WorkspaceId>,
    percent: u8,
}

impl<R: Runtime> Plugins<R> {
    /// Lets a version serve a share of the documents, or another share than it does. It has to prove itself as in an
    /// activation, and the version in force goes on serving the rest.
    pub(super) async fn start_canary(
        &self,
        actor: &Actor,
        (order, share): (&Order, CanaryShare),
        finance: Option<&Finance>,
    ) -> Result<ActivationReport, PluginError> {
        let Order { name, workspace, .. } = order;
        let (key, workspace) = (&name.key, *workspace);
        let before = canaries::standing_at(self.db(), key, workspace).await?;
        // What is not installed is told before what the state does not allow.
        self.version(name).await?;
        let beside = base_of_canary(store::in_force(self.db()).await?, name, workspace)?;
        let (version, canary) = self.proved(order, finance).await?;

        let mut tx = self.db().begin().await?;
        let generation = store::next_generation(&mut tx).await?;
        let in_force = store::in_force(&mut tx).await?;
        if canaries::standing_at(&mut tx, key, workspace).await? != before
            || base_of_canary(in_force, name, workspace).ok().as_ref() != Some(&beside)
        {
            return Err(PluginError::ConcurrentChange(key.clone()));
        }
        let (plugin, rest) = (version.plugin, beside.plugin.version);
        let row = Canary {
            plugin: plugin.clone(),
            workspace,
            share,
            beside: beside.generation,
            generation,
            blocked: false,
        };
        let ended = before.filter(|before| before.plugin != plugin);
        if let Some(ended) = &ended {
            self.record_end(&mut tx, actor, ended).await?;
        }
        canaries::put(&mut tx, &row, actor, self.0.clock.now()).await?;
        store::unblock(&mut tx, key, &name.version).await?;
        let (percent, sha256) = (share.percent(), plugin.digest.as_str());
        let data = CanaryData { workspace_id: workspace, percent, beside: &rest, sha256 };
        self.record(&mut tx, actor, "plugin.canary", name, &data).await?;
        tx.commit_at("plugin-canary-started").await?;
        tracing::info!(plugin = %name, generation, "{name} serves {share} of the documents, {rest} the rest");
        self.follow_now().await;
        Ok(ActivationReport {
            plugin,
            workspace,
            share: Some(share),
            replaced: Some(rest),
            own_versions: Vec::new(),
            moved: Vec::new(),
            ended_canaries: ended.into_iter().map(VersionShare::from).collect(),
            canary,
            generation,
        })
    }

    /// Ends a canary: the version in force serves every document again. None where there is no canary.
    pub(super) async fn end_canary(
        &self,
        actor: &Actor,
        key: &RegimeKey,
        workspace: Option<WorkspaceId>,
    ) -> Result<Option<ActivationReport>, PluginError> {
        let Some(canary) = canaries::standing_at(self.db(), key, workspace).await? else { return Ok(None) };
        let mut tx = self.db().begin().await?;
        let generation = store::next_generation(&mut tx).await?;
        let in_force = in_force_at(store::in_force(&mut tx).await?, key, workspace);
        let standing = canaries::standing_at(&mut tx, key, workspace).await?;
        let Some(in_force) = in_force.filter(|_| standing.as_ref() == Some(&canary)) else {
            return Err(PluginError::ConcurrentChange(key.clone()));
        };
        canaries::remove(&mut tx, key, workspace).await?;
        self.record_end(&mut tx, actor, &canary).await?;
        tx.commit_at("plugin-canary-ended").await?;
        let (ended, name) = (PluginName::from(&canary.plugin), PluginName::from(&in_force.plugin));
        tracing::info!(plugin = %ended, generation, "The canary {ended} is over, {name} serves every document");
        self.follow_now().await;
        Ok(Some(ActivationReport {
            plugin: in_force.plugin,
            workspace,
            share: None,
            replaced: Some(canary.plugin.version.clone()),
            own_versions: Vec::new(),
            moved: Vec::new(),
            ended_canaries: vec![VersionShare::from(canary)],
            canary: CanaryCheck::default(),
            generation,
        }))
    }

    /// The version that serves every document again when a canary ends; none where there is no canary.
    pub async fn version_behind_canary(
        &self,
        key: &RegimeKey,
        workspace: Option<WorkspaceId>,
    ) -> Result<Option<PluginName>, StoreError> {
        if canaries::standing_at(self.db(), key, workspace).await?.is_none() {
            return Ok(None);
        }
        let in_force = in_force_at(store::in_force(self.db()).await?, key, workspace);
        Ok(in_force.map(|row| PluginName::from(&row.plugin)))
    }

    /// Takes the canaries away that a change of what is in force ended.
    pub(super) async fn take_ended_canaries(
        &self,
        tx: &mut Tx,
        actor: &Actor,
        key: &RegimeKey,
    ) -> Result<Vec<VersionShare>, StoreError> {
        let ended = canaries::remove_ended(tx, key).await?;
        for canary in &ended {
            self.record_end(tx, actor, canary).await?;
        }
        Ok(ended.into_iter().map(VersionShare::from).collect())
    }

    /// Takes the canary of a workspace away, which may stand beside what everybody has.
    pub(super) async fn take_canary(
        &self,
        tx: &mut Tx,
        actor: &Actor,
        key: &RegimeKey,
        workspace: Option<WorkspaceId>,
    ) -> Result<Option<PluginName>, StoreError> {
        let Some(canary) = canaries::standing_at(&mut *tx, key, workspace).await? else { return Ok(None) };
        canaries::remove(tx, key, workspace).await?;
        self.record_end(tx, actor, &canary).await?;
        Ok(Some(PluginName::from(&canary.plugin)))
    }

    async fn record_end(&self, tx: &mut Tx, actor: &Actor, canary: &Canary) -> Result<(), StoreError> {
        let data = CanaryEndData { workspace_id: canary.workspace, percent: canary.share.percent() };
        self.record(tx, actor, "plugin.canary_end", &PluginName::from(&canary.plugin), &data).await
    }
}

/// The version in force that a canary is to stand beside.
fn base_of_canary(
    in_force: Vec<InForce>,
    name: &PluginName,
    workspace: Option<WorkspaceId>,
) -> Result<InForce, PluginError> {
    match in_force_at(in_force, &name.key, workspace).filter(|row| !row.blocked) {
        None => Err(PluginError::NothingBeside(name.clone())),
        Some(row) if row.plugin.version == name.version => Err(PluginError::InForce(name.clone())),
        Some(row) => Ok(row),
    }
}

/// What is in force where a canary is: the version of the workspace, else the one for everybody.
fn in_force_at(in_force: Vec<InForce>, key: &RegimeKey, workspace: Option<WorkspaceId>) -> Option<InForce> {
    let of_key = in_force.into_iter().filter(|row| row.plugin.key == *key);
    let there = of_key.filter(|row| row.workspace.is_none() || row.workspace == workspace);
    there.max_by_key(|row| row.workspace)
}
