//! Which plugins are in force and blocked, how far this process follows, and what plugins need.

use gateway_domain::ids::WorkspaceId;
use gateway_domain::regime::PluginRef;
use gateway_registry::{PluginName, PluginState, RegistryList, Status};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use std::fmt;
use std::sync::atomic::Ordering;
use std::time::Duration;

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

/// Seconds; a plugin answers within fractions of a millisecond.
const BUCKETS: [f64; 11] = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1.0, 5.0];
/// Name and help of the durations.
pub(super) const CALLS: (&str, &str) =
    ("plugin_call_duration_seconds", "How long calls of tax-regime plugins take");

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CallLabels {
    plugin: String,
    function: &'static str,
    outcome: &'static str,
}

/// What plugins do in this process, and which are in force. Cheap to clone.
#[derive(Clone)]
pub struct PluginMetrics {
    calls: Family<CallLabels, Histogram, fn() -> Histogram>,
    active: Family<ActiveLabels, Gauge>,
    canaries: Family<ActiveLabels, Gauge>,
    blocked: Family<PluginLabels, Gauge>,
    generation: Gauge,
    problem: Gauge,
    memory: Family<PluginLabels, Gauge>,
}

impl Default for PluginMetrics {
    fn default() -> Self {
        Self {
            calls: Family::new_with_constructor(|| Histogram::new(BUCKETS)),
            active: Family::default(),
            canaries: Family::default(),
            blocked: Family::default(),
            generation: Gauge::default(),
            problem: Gauge::default(),
            memory: Family::default(),
        }
    }
}

impl fmt::Debug for PluginMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PluginMetrics")
    }
}

impl PluginMetrics {
    /// Observes a call of a plugin: what was called, and what became of it.
    pub fn called(
        &self,
        plugin: &PluginRef,
        (function, outcome): (&'static str, &'static str),
        duration: Duration,
        memory_peak_bytes: usize,
    ) {
        let plugin = format!("{} {}", plugin.key, plugin.version);
        let peak = i64::try_from(memory_peak_bytes).unwrap_or(i64::MAX);
        let labels = PluginLabels { plugin: plugin.clone() };
        self.memory.get_or_create(&labels).inner().fetch_max(peak, Ordering::Relaxed);
        let labels = CallLabels { plugin, function, outcome };
        self.calls.get_or_create(&labels).observe(duration.as_secs_f64());
    }

    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register(CALLS.0, CALLS.1, self.calls.clone());
        registry.register("plugin_active", "Versions in force, by whom they serve", self.active.clone());
        registry.register(
            "plugin_canary_percent",
            "Percent of the documents that a version serves as a canary, by whose they are",
            self.canaries.clone(),
        );
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

    pub(super) fn set(&self, listing: &RegistryList, status: &Status) {
        self.active.clear();
        self.canaries.clear();
        self.blocked.clear();
        for listed in &listing.plugins {
            let plugin = PluginName::from(&listed.plugin).to_string();
            let labels = PluginLabels { plugin: plugin.clone() };
            self.blocked.get_or_create(&labels).set(i64::from(listed.state == PluginState::Blocked));
            if listed.state != PluginState::Active {
                continue;
            }
            let labels = |workspace: Option<WorkspaceId>| {
                let workspace = workspace.map_or_else(|| "*".to_owned(), |id| id.to_string());
                ActiveLabels { plugin: plugin.clone(), workspace }
            };
            for scope in &listed.serves {
                self.active.get_or_create(&labels(*scope)).set(1);
            }
            for canary in &listed.canaries {
                let percent = i64::from(canary.share.percent());
                self.canaries.get_or_create(&labels(canary.workspace)).set(percent);
            }
        }
        self.generation.set(status.generation);
        self.problem.set(i64::from(status.problem.is_some()));
    }
}
