//! The plugin host: loading, and which plugin is in force.

use crate::breaker::BlockedPlugin;
use crate::cache::Cache;
use crate::compile::CompileQueue;
use crate::defect::Failure;
use crate::engine;
use crate::guest::{CallTrace, store};
use crate::load::{self, ComponentKind, LoadError, OptionalDescriptions, Plugin, Refusal, Source};
use crate::options::{Function, Limits, Observer, Options, StartError};
use crate::serving::{Scope, Serving, ServingTable};
use crate::ticker::Ticker;
use gateway_domain::regime::RegimeKey;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::Semaphore;
use wasmtime::Engine;

/// The tax regimes in force, each a sandboxed component.
pub struct PluginHost {
    pub(crate) engine: Engine,
    pub(crate) ticker: Ticker,
    pub(crate) limits: Limits,
    pub(crate) observer: Option<Observer>,
    /// As many permits as the engine's pool has slots.
    pub(crate) permits: Semaphore,
    pub(crate) serving: Serving,
    compile_queue: CompileQueue,
}

impl fmt::Debug for PluginHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PluginHost")
            .field("serving", &self.serving)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// Loading.
impl PluginHost {
    /// Starts the engine; no plugin is active yet.
    pub fn new(options: Options) -> Result<Self, StartError> {
        let Options { cache_dir, limits, observer, compiler } = options;
        let (engine, ticker) = engine::start(&limits)?;
        let permits = Semaphore::new(usize::try_from(limits.calls).unwrap_or(Semaphore::MAX_PERMITS));
        let compile_queue = CompileQueue::new(Cache::open(cache_dir)?, compiler);
        Ok(Self { engine, ticker, limits, observer, permits, serving: Serving::default(), compile_queue })
    }

    /// How large things may be.
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Reads, compiles and probes a file. The plugin is not in force before [`activate`](Self::activate).
    pub async fn load_file(&self, path: &Path) -> Result<Arc<Plugin>, LoadError> {
        let file = path.display().to_string();
        match load::read(path, self.limits.file_bytes).await {
            Ok(bytes) => self.load_bytes(&file, bytes).await,
            Err(refusal) => Err(LoadError { kind: ComponentKind::Plugin, file, refusal }),
        }
    }

    /// Compiles and probes a component. `file` is where it came from, as shown to people.
    pub async fn load_bytes(&self, file: &str, bytes: Vec<u8>) -> Result<Arc<Plugin>, LoadError> {
        let refused = |refusal| LoadError { kind: ComponentKind::Plugin, file: file.to_owned(), refusal };
        self.prepare(file, bytes).await.map(Arc::new).map_err(refused)
    }

    async fn prepare(&self, file: &str, bytes: Vec<u8>) -> Result<Plugin, Refusal> {
        load::ensure_component(&bytes, self.limits.file_bytes)?;
        let digest = load::digest(&bytes);
        let source = Arc::new(Source { file: file.to_owned(), digest, bytes });
        let component = self.compile_queue.component(&self.engine, &source, &self.limits).await?;
        let probed = load::probe(&self.engine, &component)?;

        let _permit = self.acquire_permit().await.map_err(|_| Refusal::Busy)?;
        let trace = CallTrace::default();
        let store = || {
            let engine = (&self.engine, &self.ticker);
            store(engine, &self.limits, self.limits.describe_deadline, trace.clone())
        };
        let refused = |function| {
            let trace = &trace;
            move |failure: Failure| {
                let refusal = failure.explain_refusal(file, function, &self.limits, trace);
                refusal.map_or(Refusal::Busy, Refusal::Describe)
            }
        };
        let description = self.within_deadline(probed.abi.describe(store())).await;
        let description = description.map_err(refused(Function::Describe))?;
        let evidence = self.within_deadline(probed.abi.evidence(store)).await;
        let evidence = evidence.map_err(refused(Function::Evidence))?;
        let printing = self.within_deadline(probed.abi.printing(store)).await;
        let printing = printing.map_err(refused(Function::Printing))?;
        let amendable = self.within_deadline(probed.abi.amendable(store)).await;
        let amendable = amendable.map_err(refused(Function::Amendable))?;
        let rule_sets = self.within_deadline(probed.abi.rule_sets(store)).await;
        let rule_sets = rule_sets.map_err(refused(Function::RuleSets))?;
        let optional = OptionalDescriptions { evidence, printing, amendable, rule_sets };
        Ok(Plugin::new(probed, description, optional, &source, &self.limits))
    }
}

/// Which plugin is in force.
impl PluginHost {
    /// Puts a plugin in force for its regime by default and returns the one it replaces. Calls in flight finish on
    /// that one. A blocked plugin is called again.
    pub fn activate(&self, plugin: &Arc<Plugin>) -> Option<Arc<Plugin>> {
        plugin.unblock();
        let before = self.serving.change(&plugin.identity().key, Some(plugin));
        tracing::info!(plugin = plugin.name(), digest = plugin.identity().digest, "plugin active");
        before
    }

    /// Puts a whole table in force in one step and returns the one before. Calls in flight finish on the plugin they
    /// started with. A blocked plugin stays blocked: see [`Plugin::unblock`].
    pub fn serve(&self, table: ServingTable) -> Arc<ServingTable> {
        self.serving.replace(table)
    }

    /// The table in force, to look at, or to change a copy of.
    pub fn serving(&self) -> Arc<ServingTable> {
        self.serving.table()
    }

    /// The plugin of a regime that serves there.
    pub fn plugin_for(&self, key: &RegimeKey, scope: &Scope) -> Option<Arc<Plugin>> {
        self.serving.look().get(key, scope).cloned()
    }

    /// Every plugin that is active by default, in the order of their keys.
    pub fn active(&self) -> Vec<Arc<Plugin>> {
        self.serving.look().of(&Scope::Default).cloned().collect()
    }

    /// The plugins in force that were stopped too often and are called no more.
    pub fn blocked(&self) -> Vec<BlockedPlugin> {
        self.serving.look().plugins().iter().filter_map(|plugin| plugin.blocked()).collect()
    }
}
