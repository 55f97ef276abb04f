//! Which plugin serves which regime. A change replaces the whole table in one step: calls in flight finish on the
//! plugin they started with, and nobody ever waits.

use crate::load::Plugin;
use arc_swap::ArcSwap;
use gateway_domain::regime::RegimeKey;
use std::collections::BTreeMap;
use std::sync::Arc;

type Table = BTreeMap<RegimeKey, Arc<Plugin>>;

/// The active plugins.
#[derive(Debug, Default)]
pub(crate) struct Registry(ArcSwap<Table>);

impl Registry {
    pub(crate) fn get(&self, key: &RegimeKey) -> Option<Arc<Plugin>> {
        self.0.load().get(key).cloned()
    }

    /// In the order of their keys.
    pub(crate) fn all(&self) -> Vec<Arc<Plugin>> {
        self.0.load().values().cloned().collect()
    }

    /// Puts `plugin` in force and returns the one it replaces.
    pub(crate) fn activate(&self, plugin: &Arc<Plugin>) -> Option<Arc<Plugin>> {
        let key = &plugin.identity().key;
        let before = self.0.rcu(|table| {
            let mut table = Table::clone(table);
            table.insert(key.clone(), Arc::clone(plugin));
            table
        });
        before.get(key).cloned()
    }

    /// Takes the plugin of this regime out of force and returns it.
    pub(crate) fn deactivate(&self, key: &RegimeKey) -> Option<Arc<Plugin>> {
        let before = self.0.rcu(|table| {
            let mut table = Table::clone(table);
            table.remove(key);
            table
        });
        before.get(key).cloned()
    }
}
