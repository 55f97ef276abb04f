//! From the registry to the serving table of this process.

use super::blocked::append_notices;
use super::{Assignment, ComingVersion, PluginError, PluginName, Plugins, Runtime, Status};
use futures::{StreamExt, stream};
use gateway_domain::StoreError;
use gateway_domain::access::Actor;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::regime::{CanaryShare, PluginRef, RegimeKey};
use gateway_storage::plugins::canaries::{self, Canary};
use gateway_storage::plugins::schedules::{self, Schedule};
use gateway_storage::plugins::{self as store, InForce, Replica};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// How often a process looks whether the registry changed.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// How often a process says that it is there, and tries again what failed.
pub(super) const REPORT_INTERVAL: SignedDuration = SignedDuration::from_secs(5);
/// How often a process tries again to load what is scheduled and could not be.
const COMING_INTERVAL: Duration = Duration::from_mins(1);
/// How long a process that says nothing more is shown.
pub(super) const REPLICA_TIMEOUT: SignedDuration = SignedDuration::from_secs(20);

/// How many plugins are compiled at a time: as many as there are cores.
pub(super) fn compilations_max() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What this process serves.
#[derive(Debug)]
pub(super) struct FollowState<P> {
    generation: i64,
    serving: ServedPlugins<P>,
    /// What comes in force at a time, as far as it loads.
    coming: Vec<ComingVersion<P>>,
    problem: Option<String>,
    tried_at: Option<Timestamp>,
}

type ServedPlugins<P> = BTreeMap<ServingKey, ServedPlugin<P>>;

/// What one version serves.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct ServingKey {
    key: RegimeKey,
    workspace: Option<WorkspaceId>,
    is_canary: bool,
}

/// A version that is to serve, in force or as a canary.
#[derive(Debug, Clone)]
struct Row {
    plugin: PluginRef,
    workspace: Option<WorkspaceId>,
    /// None: it is in force.
    share: Option<CanaryShare>,
    generation: i64,
}

#[derive(Debug, Clone)]
struct ServedPlugin<P> {
    row: Row,
    plugin: P,
}

impl Row {
    fn key(&self) -> ServingKey {
        let (key, is_canary) = (self.plugin.key.clone(), self.share.is_some());
        ServingKey { key, workspace: self.workspace, is_canary }
    }

    /// None of a version that is blocked.
    fn in_force(row: InForce) -> Option<Self> {
        let InForce { plugin, workspace, generation, blocked } = row;
        (!blocked).then_some(Self { plugin, workspace, share: None, generation })
    }

    /// The same of a canary: what is in force serves its documents.
    fn canary(row: Canary) -> Option<Self> {
        let Canary { plugin, workspace, share, generation, blocked, beside: _ } = row;
        (!blocked).then_some(Self { plugin, workspace, share: Some(share), generation })
    }
}

impl<P> Default for FollowState<P> {
    fn default() -> Self {
        Self { generation: -1, serving: BTreeMap::new(), coming: Vec::new(), problem: None, tried_at: None }
    }
}

/// What a process did last of what it does now and then.
#[derive(Debug, Default)]
struct LastRound {
    /// What it said of itself, and when.
    report: Option<(Status, Timestamp)>,
    /// When it tried again to activate what was due and could not be.
    retried_at: Option<Timestamp>,
}

/// What the audit trail tells of a version that is blocked.
#[derive(Serialize)]
struct BlockData<'a> {
    reason: &'a str,
    sha256: &'a str,
}

impl<R: Runtime> Plugins<R> {
    /// Brings this process up to date with the registry. What cannot be loaded leaves in force here what was, and is
    /// said in the [`Status`].
    pub async fn catch_up(&self) -> Result<Status, StoreError> {
        let mut state = self.0.followed.lock().await;
        let generation = store::generation(self.db()).await?;
        let now = self.0.clock.now();
        let is_retry_due = state.tried_at.is_none_or(|at| now.duration_since(at) >= REPORT_INTERVAL);
        // What was due and could not come in force serves nobody.
        let is_any_overdue = state.coming.iter().any(|coming| coming.due_at <= now);
        if generation == state.generation && !is_any_overdue && (state.problem.is_none() || !is_retry_due) {
            return Ok(self.status());
        }
        let in_force = store::in_force(self.db()).await?.into_iter().filter_map(Row::in_force);
        let canaries = canaries::standing(self.db()).await?.into_iter().filter_map(Row::canary);
        let scheduled = schedules::scheduled(self.db()).await?;
        // Nothing fails from here on: what serves would be forgotten.
        let before = std::mem::take(&mut state.serving);
        let (serving, problem) = self.table(in_force.chain(canaries).collect(), &before).await;
        let known = |plugin: &PluginRef| {
            let mut coming = state.coming.iter().filter(|coming| coming.version == *plugin);
            let loaded = coming.find_map(|coming| coming.plugin.clone());
            loaded.or_else(|| find_served(&serving, plugin).map(|served| served.plugin.clone()))
        };
        let ahead = scheduled.into_iter().filter(|row| row.due_at > now);
        let coming: Vec<_> = ahead.map(|row| coming_version(&row, known(&row.plugin))).collect();
        self.0.runtime.serve(assignments(&serving), coming.clone());
        for (place, served) in &serving {
            if before.get(place).is_none_or(|before| before.row.generation < served.row.generation) {
                self.0.runtime.unblock(&served.plugin);
                tracing::info!(plugin = %PluginName::from(&served.row.plugin), generation, "Serving {}", describe(served));
            }
        }
        if let Some(problem) = problem.as_ref().filter(|problem| state.problem.as_ref() != Some(problem)) {
            tracing::error!(generation, "The plugins in force are not all served: {problem}");
        }
        *state = FollowState { generation, serving, coming, problem: problem.clone(), tried_at: Some(now) };
        let status = Status { generation, problem };
        self.set_status(status.clone());
        Ok(status)
    }

    /// What is to be served, with what served `before` in the place of what does not load.
    async fn table(
        &self,
        rows: Vec<Row>,
        before: &ServedPlugins<R::Plugin>,
    ) -> (ServedPlugins<R::Plugin>, Option<String>) {
        let loaded = self.load_missing(&rows, before).await;
        let (mut serving, mut problem) = (ServedPlugins::new(), None);
        for row in rows {
            let place = row.key();
            let served = find_served(before, &row.plugin);
            match (served.map(|served| &served.plugin), loaded.get(&row.plugin.digest)) {
                (Some(plugin), _) | (None, Some(Ok(plugin))) => {
                    let plugin = plugin.clone();
                    serving.insert(place, ServedPlugin { row, plugin });
                }
                (None, Some(Err(error))) => {
                    problem = Some(format!("{}: {error}", PluginName::from(&row.plugin)));
                    // Without its canary a version in force serves every document.
                    if let Some(old) = before.get(&place).filter(|_| !place.is_canary) {
                        serving.insert(place, old.clone());
                    }
                }
                // Whatever does not serve yet was loaded.
                (None, None) => {}
            }
        }
        (serving, problem)
    }

    /// Loads what does not serve yet, several at a time, by digest.
    async fn load_missing(
        &self,
        rows: &[Row],
        before: &ServedPlugins<R::Plugin>,
    ) -> BTreeMap<String, Result<R::Plugin, PluginError>> {
        let missing: BTreeMap<String, PluginRef> = rows
            .iter()
            .filter(|row| find_served(before, &row.plugin).is_none())
            .map(|row| (row.plugin.digest.clone(), row.plugin.clone()))
            .collect();
        let load = |(digest, plugin): (String, PluginRef)| async move {
            let loaded = self.load_stored(&plugin).await;
            (digest, loaded)
        };
        stream::iter(missing.into_iter().map(load)).buffer_unordered(compilations_max()).collect().await
    }

    /// Loads what is scheduled and not loaded yet, so that drafts can be tried on it; nobody else waits for it. What does not load
    /// stays as it is: whoever tries a draft on it is told.
    pub async fn load_coming(&self) {
        let missing = {
            let state = self.0.followed.lock().await;
            let unloaded = state.coming.iter().filter(|coming| coming.plugin.is_none());
            unloaded.map(|coming| coming.version.clone()).collect::<Vec<_>>()
        };
        for version in missing {
            match self.load_stored(&version).await {
                Ok(plugin) => {
                    let mut state = self.0.followed.lock().await;
                    for coming in state.coming.iter_mut().filter(|coming| coming.version == version) {
                        coming.plugin = Some(plugin.clone());
                    }
                    self.0.runtime.serve(assignments(&state.serving), state.coming.clone());
                }
                Err(error) => {
                    let name = PluginName::from(&version);
                    tracing::warn!(plugin = %name, "No draft is tried on {name}, which is scheduled: {error}");
                }
            }
        }
    }

    /// Loads what the registry keeps, if it is still what was installed and may be used here.
    pub(super) async fn load_stored(&self, plugin: &PluginRef) -> Result<R::Plugin, PluginError> {
        let name = PluginName::from(plugin);
        let component = store::component(self.db(), &plugin.digest).await?;
        let component = component.ok_or_else(|| PluginError::Unknown { name: name.clone(), near: None })?;
        let runtime = &self.0.runtime;
        runtime.verify_signature(&component.bytes, component.signature.as_deref())?;
        let loaded = runtime.load(&name.to_string(), component.bytes).await?;
        let (found, _) = runtime.identify(&loaded);
        if found == *plugin {
            Ok(loaded)
        } else {
            Err(PluginError::ComponentMismatch { found: PluginName::from(&found), digest: found.digest })
        }
    }

    /// Whether what the registry keeps could serve here: trusted, loaded, and what it was installed as.
    pub async fn examine(&self, plugin: &PluginRef) -> Result<(), PluginError> {
        self.load_stored(plugin).await.map(drop)
    }

    /// Follows a change of this process at once; the others do so within a moment.
    pub(super) async fn follow_now(&self) {
        if let Err(error) = self.catch_up().await {
            tracing::warn!("The change is followed in a moment: {error}");
        }
    }

    /// Follows the registry until `shutdown`, as the process whose operators' surface is at `address`.
    pub async fn follow(self, address: String, shutdown: CancellationToken) {
        let mut last = LastRound::default();
        let mut troubled = false;
        let warming = tokio::spawn(self.clone().warm(shutdown.clone()));
        while !shutdown.is_cancelled() {
            match self.round(&address, &mut last).await {
                Ok(()) => troubled = false,
                Err(error) if troubled => {
                    tracing::debug!("The plugin registry is still out of reach: {error}");
                }
                Err(error) => {
                    troubled = true;
                    tracing::error!(
                        error = &error as &dyn std::error::Error,
                        "The plugin registry cannot be read, what serves goes on serving: {error}"
                    );
                }
            }
            tokio::select! {
                () = shutdown.cancelled() => {}
                () = tokio::time::sleep(POLL_INTERVAL) => {}
            }
        }
        warming.abort();
        if let Err(error) = self.leave().await {
            tracing::debug!("This process is shown as a replica for a moment longer: {error}");
        }
    }

    async fn round(&self, address: &str, last: &mut LastRound) -> Result<(), StoreError> {
        self.activate_due(&mut last.retried_at).await?;
        let status = self.catch_up().await?;
        self.report_blocked().await?;
        let now = self.0.clock.now();
        let fresh = last
            .report
            .as_ref()
            .is_some_and(|(before, at)| *before == status && now.duration_since(*at) < REPORT_INTERVAL);
        if fresh {
            return Ok(());
        }
        let replica = Replica {
            id: self.0.replica,
            address: address.to_owned(),
            generation: status.generation,
            problem: status.problem.clone(),
            seen_at: now,
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        };
        let mut tx = self.db().begin().await?;
        store::put_replica(&mut tx, &replica).await?;
        tx.commit_at("replica-reported").await?;
        last.report = Some((status, now));
        Ok(())
    }

    /// Compiles what was installed and may be activated next, what is scheduled and what a rollback would return to, beside
    /// everything else, so that following is quick then.
    async fn warm(self, shutdown: CancellationToken) {
        let (mut warmed, mut known) = (-1, BTreeSet::new());
        let mut coming_loaded_at: Option<Instant> = None;
        while !shutdown.is_cancelled() {
            let generation = self.status().generation;
            if generation != warmed || coming_loaded_at.is_none_or(|at| at.elapsed() >= COMING_INTERVAL) {
                self.load_coming().await;
                coming_loaded_at = Some(Instant::now());
            }
            if generation != warmed {
                match self.next_versions().await {
                    Ok(versions) => {
                        warmed = generation;
                        self.warm_all(versions, &mut known).await;
                    }
                    Err(error) => tracing::debug!("Installed plugins are looked at later: {error}"),
                }
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// What may serve next, and after which change: the newest version of each key, unless it served before, and what a rollback
    /// would return to.
    async fn next_versions(&self) -> Result<Vec<(PluginRef, &'static str)>, StoreError> {
        let mut key = None;
        let mut next = store::versions(self.db(), None).await?;
        next.retain(|version| {
            let newest = key.replace(version.plugin.key.clone()).as_ref() != Some(&version.plugin.key);
            newest && !version.was_active
        });
        let next = next.into_iter().map(|version| (version.plugin, "An activation of"));
        let targets = store::rollback_targets(self.db()).await?.into_iter();
        Ok(next.chain(targets.map(|target| (target, "A rollback to"))).collect())
    }

    async fn warm_all(&self, versions: Vec<(PluginRef, &'static str)>, known: &mut BTreeSet<String>) {
        for (version, change) in versions {
            if known.contains(&version.digest) {
                continue;
            }
            match self.load_stored(&version).await {
                // The next change of the registry tries again.
                Err(PluginError::Store(error)) => {
                    tracing::debug!("{} is compiled later: {error}", PluginName::from(&version));
                    continue;
                }
                Err(error) => {
                    tracing::warn!("{change} {} would not be followed: {error}", PluginName::from(&version));
                }
                Ok(_) => {}
            }
            known.insert(version.digest);
        }
    }

    async fn leave(&self) -> Result<(), StoreError> {
        let now = self.0.clock.now();
        let mut tx = self.db().begin().await?;
        store::forget(&mut tx, self.0.replica, now.checked_sub(REPLICA_TIMEOUT).unwrap_or(now)).await?;
        tx.commit_at("replica-forgotten").await
    }

    /// A plugin that this process calls no more serves nobody any more, anywhere, until somebody activates it again.
    async fn report_blocked(&self) -> Result<(), StoreError> {
        for (plugin, reason) in self.0.runtime.blocked() {
            let name = PluginName::from(&plugin);
            let mut tx = self.db().begin().await?;
            let (generation, now) = (store::next_generation(&mut tx).await?, self.0.clock.now());
            // Somebody who activated it again meanwhile is not contradicted by what was before.
            if generation != self.status().generation + 1
                || !store::block(&mut tx, &plugin.key, &plugin.version, &reason, now).await?
            {
                continue;
            }
            let data = BlockData { reason: &reason, sha256: &plugin.digest };
            self.record(&mut tx, &Actor::gateway(), "plugin.block", &name, &data).await?;
            append_notices(&mut tx, self.0.ids.as_ref(), &name, &reason, now).await?;
            tx.commit_at("plugin-blocked").await?;
            tracing::error!(plugin = %name, "{name} is blocked: {reason}");
            self.catch_up().await?;
        }
        Ok(())
    }
}

fn find_served<'s, P>(serving: &'s ServedPlugins<P>, plugin: &PluginRef) -> Option<&'s ServedPlugin<P>> {
    serving.values().find(|served| served.row.plugin == *plugin)
}

fn assignments<P: Clone>(serving: &ServedPlugins<P>) -> Vec<Assignment<P>> {
    let assignment = |served: &ServedPlugin<P>| {
        let Row { workspace, share, .. } = served.row;
        Assignment { workspace, share, plugin: served.plugin.clone() }
    };
    serving.values().map(assignment).collect()
}

fn coming_version<P>(schedule: &Schedule, plugin: Option<P>) -> ComingVersion<P> {
    let Schedule { plugin: version, workspace, due_at, .. } = schedule;
    ComingVersion { version: version.clone(), workspace: *workspace, due_at: *due_at, plugin }
}

fn describe<P>(served: &ServedPlugin<P>) -> String {
    let Row { plugin, workspace, share, .. } = &served.row;
    let whom = workspace.map_or_else(|| "everybody".to_owned(), |workspace| format!("workspace {workspace}"));
    let share = share.map_or_else(String::new, |share| format!(", {share} of the documents"));
    format!("{} for {whom}{share}", PluginName::from(plugin))
}
