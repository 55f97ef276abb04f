//! Which plugin serves which regime, for which workspace, and for which share of its documents. A change replaces the whole
//! table in one step: calls in flight finish on the plugin they started with, and nobody ever waits.

use crate::load::Plugin;
use arc_swap::{ArcSwap, Guard};
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::ports::ServedDocument;
use gateway_domain::regime::{CanaryShare, PluginRef, RegimeKey};
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::sync::Arc;

/// For whom a plugin is called: it decides which one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// No workspace in particular: what serves by default.
    Default,
    /// A workspace, and none of its documents: what is in force there.
    Workspace(WorkspaceId),
    /// A document: a canary where its share includes the document, else what is in force.
    Document(ServedDocument),
}

impl From<Option<WorkspaceId>> for Scope {
    fn from(workspace: Option<WorkspaceId>) -> Self {
        workspace.map_or(Self::Default, Self::Workspace)
    }
}

impl Scope {
    const fn workspace(&self) -> Option<WorkspaceId> {
        match self {
            Self::Default => None,
            Self::Workspace(workspace) | Self::Document(ServedDocument { workspace, .. }) => Some(*workspace),
        }
    }

    pub(crate) const fn document(&self) -> Option<InvoiceId> {
        match self {
            Self::Default | Self::Workspace(_) => None,
            Self::Document(document) => Some(document.id),
        }
    }
}

/// The plugins in force: one by default for each regime, and others for single workspaces; beside each of them, perhaps, a
/// canary that serves a share of the documents.
#[derive(Debug, Clone, Default)]
pub struct ServingTable {
    rows: BTreeMap<RegimeKey, Row>,
}

#[derive(Debug, Clone, Default)]
struct Row {
    default: Option<Arc<Plugin>>,
    own: BTreeMap<WorkspaceId, Arc<Plugin>>,
    /// None: of the documents of every workspace without a plugin of its own.
    canaries: BTreeMap<Option<WorkspaceId>, Canary>,
    /// None serves anybody before it is due.
    scheduled: Vec<ScheduledPlugin>,
}

/// A version that comes in force at a time.
#[derive(Debug, Clone)]
pub struct ScheduledPlugin {
    /// Key, version and digest.
    pub version: PluginRef,
    /// For whom; none: every workspace without a plugin of its own.
    pub workspace: Option<WorkspaceId>,
    /// When.
    pub due_at: Timestamp,
    /// None where it cannot be loaded here.
    pub plugin: Option<Arc<Plugin>>,
}

#[derive(Debug, Clone)]
struct Canary {
    share: CanaryShare,
    plugin: Arc<Plugin>,
}

/// Who is called, and who is in force behind a canary: that one takes over where the canary misbehaves.
#[derive(Debug, Clone)]
pub(crate) struct Callee {
    pub(crate) plugin: Arc<Plugin>,
    /// Only behind a canary.
    pub(crate) in_force: Option<Arc<Plugin>>,
}

impl Callee {
    fn new(plugin: &Arc<Plugin>, in_force: Option<&Arc<Plugin>>) -> Self {
        let behind = in_force.filter(|in_force| !Arc::ptr_eq(in_force, plugin));
        Self { plugin: Arc::clone(plugin), in_force: behind.cloned() }
    }
}

impl Row {
    fn plugins(&self) -> impl Iterator<Item = &Arc<Plugin>> {
        let canaries = self.canaries.values().map(|canary| &canary.plugin);
        self.default.iter().chain(self.own.values()).chain(canaries)
    }

    fn get(&self, scope: &Scope) -> Option<&Arc<Plugin>> {
        let in_force = self.in_force(scope.workspace());
        let Scope::Document(document) = scope else { return in_force };
        let converter = document.converted_by.as_ref();
        let converter = converter.and_then(|converter| self.converter(document.workspace, converter));
        converter.or_else(|| self.canary(Some(document.workspace), document.id)).or(in_force)
    }

    /// What will serve a document at an instant, as far as it is scheduled: the version of its own workspace goes before the one
    /// for everybody, as among those in force. None where nothing is due there by then: what serves goes on.
    fn due(&self, document: &ServedDocument, at: Timestamp) -> Option<&ScheduledPlugin> {
        let latest = |workspace: Option<WorkspaceId>| {
            let due = self.scheduled.iter().filter(|one| one.workspace == workspace && one.due_at <= at);
            due.max_by_key(|one| one.due_at)
        };
        let own = Some(document.workspace);
        let is_everybody = !self.own.contains_key(&document.workspace);
        latest(own).or_else(|| is_everybody.then(|| latest(None)).flatten())
    }

    fn in_force(&self, workspace: Option<WorkspaceId>) -> Option<&Arc<Plugin>> {
        workspace.and_then(|workspace| self.own.get(&workspace)).or(self.default.as_ref())
    }

    /// The canary whose share includes a document.
    fn canary(&self, workspace: Option<WorkspaceId>, document: InvoiceId) -> Option<&Arc<Plugin>> {
        let canary = self.canary_of(workspace)?;
        canary.share.includes(document).then_some(&canary.plugin)
    }

    /// The canary of a workspace: one of its own before that of everybody, of which a workspace with a plugin of its own has
    /// no part. One that is blocked counts as none.
    fn canary_of(&self, workspace: Option<WorkspaceId>) -> Option<&Canary> {
        let is_everybody = workspace.is_none_or(|workspace| !self.own.contains_key(&workspace));
        let places = [workspace].into_iter().chain(is_everybody.then_some(None));
        let mut canaries = places.filter_map(|place| self.canaries.get(&place));
        canaries.find(|canary| !canary.plugin.breaker.is_blocked())
    }

    /// The plugin that converted a document, while it serves documents of the workspace.
    fn converter(&self, workspace: WorkspaceId, converter: &PluginRef) -> Option<&Arc<Plugin>> {
        let canary = self.canary_of(Some(workspace)).map(|canary| &canary.plugin);
        let mut serving = canary.into_iter().chain(self.in_force(Some(workspace)));
        serving.find(|plugin| plugin.identity() == converter && !plugin.breaker.is_blocked())
    }
}

impl ServingTable {
    /// Puts a plugin in force for its regime, in one workspace or by default, and returns the one it replaces.
    pub fn set(&mut self, workspace: Option<WorkspaceId>, plugin: Arc<Plugin>) -> Option<Arc<Plugin>> {
        let row = self.rows.entry(plugin.identity().key.clone()).or_default();
        match workspace {
            Some(workspace) => row.own.insert(workspace, plugin),
            None => row.default.replace(plugin),
        }
    }

    /// Takes a plugin out of force, in one workspace or by default, and returns it.
    pub fn remove(&mut self, key: &RegimeKey, workspace: Option<WorkspaceId>) -> Option<Arc<Plugin>> {
        let row = self.rows.get_mut(key)?;
        match workspace {
            Some(workspace) => row.own.remove(&workspace),
            None => row.default.take(),
        }
    }

    /// Lets a plugin serve a share of the documents beside what is in force, in one workspace or by default.
    pub fn set_canary(&mut self, workspace: Option<WorkspaceId>, share: CanaryShare, plugin: Arc<Plugin>) {
        let row = self.rows.entry(plugin.identity().key.clone()).or_default();
        row.canaries.insert(workspace, Canary { share, plugin });
    }

    /// Lets a plugin come in force at a time. Until the table is replaced, it serves nobody.
    pub fn schedule(&mut self, scheduled: ScheduledPlugin) {
        self.rows.entry(scheduled.version.key.clone()).or_default().scheduled.push(scheduled);
    }

    /// What is scheduled for a workspace, or for everybody, the earliest first; without what a version of the workspace's own
    /// keeps from it.
    pub(crate) fn scheduled(&self, key: &RegimeKey, workspace: WorkspaceId) -> Vec<&ScheduledPlugin> {
        let Some(row) = self.rows.get(key) else { return Vec::new() };
        let is_everybody = !row.own.contains_key(&workspace);
        let concerns = |one: &&ScheduledPlugin| one.workspace.map_or(is_everybody, |own| own == workspace);
        let mut scheduled: Vec<_> = row.scheduled.iter().filter(concerns).collect();
        scheduled.sort_by_key(|one| one.due_at);
        scheduled
    }

    /// The plugin that will serve a document at an instant: what is due by then, else what serves now.
    ///
    /// # Errors
    /// The version that is due cannot be loaded here.
    pub(crate) fn at(
        &self,
        key: &RegimeKey,
        document: &ServedDocument,
        at: Timestamp,
    ) -> Result<Option<Arc<Plugin>>, PluginRef> {
        let Some(row) = self.rows.get(key) else { return Ok(None) };
        match row.due(document, at) {
            Some(due) => due.plugin.clone().map(Some).ok_or_else(|| due.version.clone()),
            None => Ok(row.get(&Scope::Document(document.clone())).cloned()),
        }
    }

    /// The plugin that serves this regime for whom it is called.
    pub fn get(&self, key: &RegimeKey, scope: &Scope) -> Option<&Arc<Plugin>> {
        self.rows.get(key)?.get(scope)
    }

    /// Each plugin once, in the order of their keys: the default, then those of workspaces, then canaries.
    pub fn plugins(&self) -> Vec<Arc<Plugin>> {
        let mut plugins: Vec<Arc<Plugin>> = Vec::new();
        for plugin in self.rows.values().flat_map(Row::plugins) {
            if !plugins.iter().any(|known| known.identity() == plugin.identity()) {
                plugins.push(Arc::clone(plugin));
            }
        }
        plugins
    }

    /// What serves these, in the order of their keys.
    pub(crate) fn of(&self, scope: &Scope) -> impl Iterator<Item = &Arc<Plugin>> {
        self.rows.values().filter_map(move |row| row.get(scope))
    }

    /// Who is called for them.
    pub(crate) fn callee(&self, key: &RegimeKey, scope: &Scope) -> Option<Callee> {
        let row = self.rows.get(key)?;
        row.get(scope).map(|plugin| Callee::new(plugin, row.in_force(scope.workspace())))
    }

    /// A plugin of this regime for those who act for no workspace: the default, else that of any workspace.
    pub(crate) fn any(&self, key: &RegimeKey) -> Option<&Arc<Plugin>> {
        self.rows.get(key)?.plugins().next()
    }

    /// Who is called by those who have a document that may be anybody's: the canary of everybody, where its share includes the
    /// document, else [`any`](Self::any).
    pub(crate) fn callee_of_any(&self, key: &RegimeKey, document: Option<InvoiceId>) -> Option<Callee> {
        let in_force = self.any(key)?;
        let canary = document.and_then(|document| self.rows.get(key)?.canary(None, document));
        let canary = canary.filter(|canary| canary.has_sandbox());
        Some(Callee::new(canary.unwrap_or(in_force), Some(in_force)))
    }
}

/// Which plugin serves whom; replaced as a whole, while calls keep the table they began with.
#[derive(Debug, Default)]
pub(crate) struct Serving(ArcSwap<ServingTable>);

impl Serving {
    /// The table of this moment, for a look.
    pub(crate) fn look(&self) -> Guard<Arc<ServingTable>> {
        self.0.load()
    }

    /// The table of this moment, to keep.
    pub(crate) fn table(&self) -> Arc<ServingTable> {
        self.0.load_full()
    }

    /// Replaces the whole table and returns the one before.
    pub(crate) fn replace(&self, table: ServingTable) -> Arc<ServingTable> {
        self.0.swap(Arc::new(table))
    }

    /// Changes the default of one regime and returns what it was.
    pub(crate) fn change(&self, key: &RegimeKey, plugin: Option<&Arc<Plugin>>) -> Option<Arc<Plugin>> {
        let before = self.0.rcu(|table| {
            let mut table = ServingTable::clone(table);
            match plugin {
                Some(plugin) => table.set(None, Arc::clone(plugin)),
                None => table.remove(key, None),
            };
            table
        });
        before.get(key, &Scope::Default).cloned()
    }
}
