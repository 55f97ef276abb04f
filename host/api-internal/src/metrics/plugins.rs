//! Which plugins are in force and blocked, how far this process follows, and what plugins need.

use gateway_registry::{PluginName, PluginState, RegistryList, Status};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use std::sync::atomic::Ordering;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ActiveLabels {
    plugin: String,
    /// `*` for every workspace without a version of its own.
    workspace: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct PluginLabels {
    plugin: String,
}

/// Counted when asked, but for the memory, which is observed.
#[derive(Debug, Clone, Default)]
pub(super) struct PluginMetrics {
    active: Family<ActiveLabels, Gauge>,
    blocked: Family<PluginLabels, Gauge>,
    generation: Gauge,
    problem: Gauge,
    memory: Family<PluginLabels, Gauge>,
}

impl PluginMetrics {
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register("plugin_active", "Versions in force, by whom they serve", self.active.clone());
        registry.register(
            "plugin_blocked",
            "Whether a version is blocked because it misbehaved: somebody has to activate it again, or another one",
            self.blocked.clone(),
        );
        registry.register(
            "plugin_registry_generation",
            "The state of the plugin registry that this process serves",
            self.generation.clone(),
        );
        registry.register(
            "plugin_registry_problem",
            "1 while something in force cannot be served by this process, which goes on with what it had",
            self.problem.clone(),
        );
        registry.register(
            "plugin_memory_peak_bytes",
            "The most memory that a call of a plugin took in this process",
            self.memory.clone(),
        );
    }

    pub(super) fn used(&self, plugin: &str, memory_peak_bytes: usize) {
        let peak = i64::try_from(memory_peak_bytes).unwrap_or(i64::MAX);
        let labels = PluginLabels { plugin: plugin.to_owned() };
        self.memory.get_or_create(&labels).inner().fetch_max(peak, Ordering::Relaxed);
    }

    pub(super) fn set(&self, listing: &RegistryList, status: &Status) {
        self.active.clear();
        self.blocked.clear();
        for listed in &listing.plugins {
            let plugin = PluginName::from(&listed.plugin).to_string();
            let labels = PluginLabels { plugin: plugin.clone() };
            self.blocked.get_or_create(&labels).set(i64::from(listed.state == PluginState::Blocked));
            if listed.state != PluginState::Active {
                continue;
            }
            for scope in &listed.serves {
                let workspace = scope.map_or_else(|| "*".to_owned(), |id| id.to_string());
                self.active.get_or_create(&ActiveLabels { plugin: plugin.clone(), workspace }).set(1);
            }
        }
        self.generation.set(status.generation);
        self.problem.set(i64::from(status.problem.is_some()));
    }
}
