//! Which plugin serves which regime, for which workspace. A change replaces the whole table in one step: calls in
//! flight finish on the plugin they started with, and nobody ever waits.

use crate::load::Plugin;
use arc_swap::{ArcSwap, Guard};
use gateway_domain::ids::WorkspaceId;
use gateway_domain::regime::RegimeKey;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The plugins in force: one by default for each regime, and others for single workspaces.
#[derive(Debug, Clone, Default)]
pub struct ServingTable {
    rows: BTreeMap<RegimeKey, Row>,
}

#[derive(Debug, Clone, Default)]
struct Row {
    default: Option<Arc<Plugin>>,
    own: BTreeMap<WorkspaceId, Arc<Plugin>>,
}

impl Row {
    fn plugins(&self) -> impl Iterator<Item = &Arc<Plugin>> {
        self.default.iter().chain(self.own.values())
    }

    fn get(&self, workspace: Option<WorkspaceId>) -> Option<&Arc<Plugin>> {
        workspace.and_then(|workspace| self.own.get(&workspace)).or(self.default.as_ref())
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

    /// The plugin that serves this regime in this workspace: its own, else the default.
    pub fn get(&self, key: &RegimeKey, workspace: Option<WorkspaceId>) -> Option<&Arc<Plugin>> {
        self.rows.get(key)?.get(workspace)
    }

    /// Each plugin once, in the order of their keys: the default, then those of workspaces.
    pub fn plugins(&self) -> Vec<Arc<Plugin>> {
        let mut plugins: Vec<Arc<Plugin>> = Vec::new();
        for plugin in self.rows.values().flat_map(Row::plugins) {
            if !plugins.iter().any(|known| known.identity() == plugin.identity()) {
                plugins.push(Arc::clone(plugin));
            }
        }
        plugins
    }

    /// What serves a workspace (or, for none, what serves by default), in the order of their keys.
    pub(crate) fn of(&self, workspace: Option<WorkspaceId>) -> impl Iterator<Item = &Arc<Plugin>> {
        self.rows.values().filter_map(move |row| row.get(workspace))
    }

    /// A plugin of this regime for those who act for no workspace: the default, else that of any workspace.
    pub(crate) fn any(&self, key: &RegimeKey) -> Option<&Arc<Plugin>> {
        self.rows.get(key)?.plugins().next()
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
        before.get(key, None).cloned()
    }
}
