//! The plugin host: loading, and one method per function of the contract.

use crate::abi::Identity;
use crate::cache::Cache;
use crate::defect::Failure;
use crate::engine;
use crate::guest::{Guest, store};
use crate::load::{self, FolderReport, LoadError, Plugin, Refusal, Source};
use crate::options::{CallOutcome, CallReport, Function, Limits, Observer, Options, StartError};
use crate::registry::Registry;
use async_trait::async_trait;
use gateway_domain::fault::Fault;
use gateway_domain::invoicing::Recipient;
use gateway_domain::ports::{Converter, ConverterError, Made};
use gateway_domain::regime::{
    AuthorityOutcome, AuthoritySubmission, Filing, PluginRef, ProviderReport, RegimeContext,
    RegimeDescription, RegimeInvoice, RegimeKey, StructuredDocument, Verdict,
};
use sha2::{Digest, Sha256};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;
use wasmtime::{Engine, Store};

/// The tax regimes in force, each a sandboxed component.
pub struct PluginHost {
    engine: Engine,
    limits: Limits,
    cache: Cache,
    observer: Option<Observer>,
    /// As many permits as the engine's pool has slots.
    turns: Semaphore,
    registry: Registry,
}

impl fmt::Debug for PluginHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PluginHost")
            .field("registry", &self.registry)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// Loading.
impl PluginHost {
    /// Starts the engine; no plugin is active yet.
    pub fn new(options: Options) -> Result<Self, StartError> {
        let Options { cache_dir, limits, observer } = options;
        let engine = engine::start(&limits)?;
        let turns = Semaphore::new(usize::try_from(limits.calls).unwrap_or(Semaphore::MAX_PERMITS));
        Ok(Self {
            engine,
            cache: Cache::open(cache_dir)?,
            observer,
            turns,
            registry: Registry::default(),
            limits,
        })
    }

    /// Reads, compiles and probes a file. The plugin is not in force before [`activate`](Self::activate).
    pub async fn load_file(&self, path: &Path) -> Result<Arc<Plugin>, LoadError> {
        let file = path.display().to_string();
        match load::read(path, self.limits.file_bytes).await {
            Ok(bytes) => self.load_bytes(&file, bytes).await,
            Err(refusal) => Err(LoadError { file, refusal }),
        }
    }

    /// Compiles and probes a component. `file` is where it came from, as shown to people.
    pub async fn load_bytes(&self, file: &str, bytes: Vec<u8>) -> Result<Arc<Plugin>, LoadError> {
        let refused = |refusal| LoadError { file: file.to_owned(), refusal };
        self.prepare(file, bytes).await.map(Arc::new).map_err(refused)
    }

    async fn prepare(&self, file: &str, bytes: Vec<u8>) -> Result<Plugin, Refusal> {
        load::recognise(&bytes, self.limits.file_bytes)?;
        let (engine, cache, file_name) = (self.engine.clone(), self.cache.clone(), file.to_owned());
        let compiling = tokio::task::spawn_blocking(move || {
            let source = Source { file: file_name, digest: hex::encode(Sha256::digest(&bytes)), bytes };
            let component = cache.component(&engine, &source.bytes, &source.digest);
            (component, source)
        });
        let (component, source) = compiling.await.map_err(|_| Refusal::Interrupted)?;
        let component = component.map_err(|error| Refusal::Invalid(error.root_cause().to_string()))?;
        let abi = load::probe(&self.engine, &component)?;

        let _turn = self.turn().await.map_err(|_| Refusal::Busy)?;
        let store = store(&self.engine, &self.limits, self.limits.describe_deadline);
        match self.patiently(abi.describe(store)).await {
            Ok(description) => Ok(Plugin::new(abi, description, &source)),
            Err(failure) => {
                Err(failure.explain_refusal(file, &self.limits).map_or(Refusal::Busy, Refusal::Describe))
            }
        }
    }

    /// Puts a plugin in force for its regime and returns the one it replaces. Calls in flight finish on that one.
    pub fn activate(&self, plugin: &Arc<Plugin>) -> Option<Arc<Plugin>> {
        let before = self.registry.activate(plugin);
        tracing::info!(plugin = plugin.name(), digest = plugin.identity().digest, "plugin active");
        before
    }

    /// Takes the plugin of a regime out of force and returns it.
    pub fn deactivate(&self, key: &RegimeKey) -> Option<Arc<Plugin>> {
        let before = self.registry.deactivate(key);
        if let Some(plugin) = &before {
            tracing::info!(plugin = plugin.name(), "plugin no longer active");
        }
        before
    }

    /// Every active plugin, in the order of their keys.
    pub fn active(&self) -> Vec<Arc<Plugin>> {
        self.registry.all()
    }

    /// Loads every `*.wasm` of a folder, in the order of their names, and activates each whose regime has no active
    /// plugin yet. A bad file is reported and skipped.
    pub async fn load_folder(&self, folder: &Path) -> FolderReport {
        let mut report = FolderReport::default();
        let files = match wasm_files(folder).await {
            Ok(files) => files,
            Err(error) => {
                let file = folder.display().to_string();
                report.refused.push(LoadError { file, refusal: Refusal::Unreadable(error) });
                return report;
            }
        };
        for path in files {
            match self.load_file(&path).await.and_then(|plugin| self.install(plugin)) {
                Ok(plugin) => report.active.push(plugin),
                Err(error) => {
                    tracing::warn!(%error, "a plugin is skipped");
                    report.refused.push(error);
                }
            }
        }
        report
    }

    /// Activates a plugin unless another one serves its regime.
    fn install(&self, plugin: Arc<Plugin>) -> Result<Arc<Plugin>, LoadError> {
        match self.registry.get(&plugin.identity().key) {
            Some(other) if other.identity() == plugin.identity() => Ok(other),
            Some(other) => {
                let refusal = Refusal::Taken(format!("{} from {}", other.name(), other.file()));
                Err(LoadError { file: plugin.file().to_owned(), refusal })
            }
            None => {
                self.activate(&plugin);
                Ok(plugin)
            }
        }
    }
}

async fn wasm_files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut entries = tokio::fs::read_dir(folder).await?;
    let mut files = Vec::new();
    while let Some(entry) = entries.next_entry().await? {
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "wasm") && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// A call that has its turn.
struct Call<'h> {
    host: &'h PluginHost,
    plugin: Arc<Plugin>,
    function: Function,
    started: Instant,
    _turn: SemaphorePermit<'h>,
}

impl Call<'_> {
    /// A fresh store: dropped with everything in it when the answer is there.
    fn store(&self) -> Store<Guest> {
        store(&self.host.engine, &self.host.limits, self.host.limits.deadline)
    }

    /// Waits for the answer, reports the call and explains a failure.
    async fn finish<T>(
        self,
        answer: impl Future<Output = Result<T, Failure>>,
    ) -> Result<Made<T>, ConverterError> {
        let answer = self.host.patiently(answer).await;
        if let Some(observer) = &self.host.observer {
            observer(&CallReport {
                plugin: self.plugin.identity().clone(),
                function: self.function,
                duration: self.started.elapsed(),
                outcome: answer.as_ref().map_or_else(Failure::outcome, |_| CallOutcome::Answered),
            });
        }
        match answer {
            Ok(value) => Ok(Made { value, plugin: self.plugin.identity().clone() }),
            Err(failure) => Err(failure.explain(&self.plugin.name(), self.function, &self.host.limits)),
        }
    }
}

/// Calling.
impl PluginHost {
    async fn turn(&self) -> Result<SemaphorePermit<'_>, ConverterError> {
        match timeout(self.limits.turn, self.turns.acquire()).await {
            Ok(Ok(permit)) => Ok(permit),
            Ok(Err(_)) | Err(_) => Err(ConverterError::Busy),
        }
    }

    /// The plugin's own deadline counts the time in which it ran; this one ends a call that never gets to run.
    async fn patiently<T>(&self, answer: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
        timeout(self.limits.patience, answer).await.unwrap_or(Err(Failure::Starved))
    }

    async fn begin(&self, key: &RegimeKey, function: Function) -> Result<Call<'_>, ConverterError> {
        let turn = self.turn().await?;
        let plugin = self.registry.get(key).ok_or_else(|| ConverterError::UnknownRegime(key.clone()))?;
        Ok(Call { host: self, plugin, function, started: Instant::now(), _turn: turn })
    }

    /// A recipient's identity in the terms of the tax system.
    pub async fn map_identity(
        &self,
        key: &RegimeKey,
        recipient: &Recipient,
    ) -> Result<Made<Identity>, ConverterError> {
        let call = self.begin(key, Function::MapIdentity).await?;
        let (plugin, store) = (Arc::clone(&call.plugin), call.store());
        call.finish(plugin.abi.map_identity(store, recipient)).await
    }

    /// Whether the active plugin of this regime can play its authority.
    pub fn has_sandbox(&self, key: &RegimeKey) -> bool {
        self.registry.get(key).is_some_and(|plugin| plugin.has_sandbox())
    }

    /// The regimes whose active plugin can play its authority, in the order of their keys.
    pub fn regimes_with_sandbox(&self) -> Vec<RegimeKey> {
        let plugins = self.registry.all().into_iter().filter(|plugin| plugin.has_sandbox());
        plugins.map(|plugin| plugin.identity().key.clone()).collect()
    }

    /// Under which names the authority files a structured document (JSON).
    pub async fn file(&self, key: &RegimeKey, document: &str) -> Result<Filing, ConverterError> {
        let call = self.begin(key, Function::File).await?;
        let (plugin, store) = (Arc::clone(&call.plugin), call.store());
        call.finish(plugin.abi.file(store, document)).await.map(|made| made.value)
    }

    /// What the authority does with a document.
    pub async fn submit(
        &self,
        key: &RegimeKey,
        submission: &AuthoritySubmission,
    ) -> Result<AuthorityOutcome, ConverterError> {
        let call = self.begin(key, Function::Submit).await?;
        let (plugin, store) = (Arc::clone(&call.plugin), call.store());
        call.finish(plugin.abi.submit(store, submission)).await.map(|made| made.value)
    }

    /// What a sound plugin of any contract keeps: the size, and the invoice's own amount due.
    fn examine(
        &self,
        document: StructuredDocument,
        invoice: &RegimeInvoice,
    ) -> Result<StructuredDocument, Failure> {
        if document.body.len() > self.limits.document_bytes {
            return Err(Failure::Oversize("a document of too many bytes", self.limits.document_bytes));
        }
        if !document.payable.same_value(invoice.totals.payable) {
            return Err(Failure::Payable(document.payable.to_string(), invoice.totals.payable.to_string()));
        }
        Ok(document)
    }
}

fn introduce(plugin: &Plugin) -> (Arc<RegimeDescription>, PluginRef) {
    (Arc::clone(plugin.description()), plugin.identity().clone())
}

#[async_trait]
impl Converter for PluginHost {
    fn regimes(&self) -> Vec<(Arc<RegimeDescription>, PluginRef)> {
        self.registry.all().iter().map(|plugin| introduce(plugin)).collect()
    }

    fn describe(&self, key: &RegimeKey) -> Option<(Arc<RegimeDescription>, PluginRef)> {
        self.registry.get(key).map(|plugin| introduce(&plugin))
    }

    async fn check(
        &self,
        key: &RegimeKey,
        invoice: &RegimeInvoice,
        context: &RegimeContext,
    ) -> Result<Made<Vec<Fault>>, ConverterError> {
        let call = self.begin(key, Function::Check).await?;
        let (plugin, store) = (Arc::clone(&call.plugin), call.store());
        call.finish(plugin.abi.check(store, invoice, context)).await
    }

    async fn convert(
        &self,
        key: &RegimeKey,
        invoice: &RegimeInvoice,
        context: &RegimeContext,
    ) -> Result<Made<StructuredDocument>, ConverterError> {
        let call = self.begin(key, Function::Convert).await?;
        let (plugin, store) = (Arc::clone(&call.plugin), call.store());
        call.finish(async {
            let document = plugin.abi.convert(store, invoice, context).await?;
            self.examine(document, invoice)
        })
        .await
    }

    async fn interpret(
        &self,
        key: &RegimeKey,
        report: &ProviderReport,
    ) -> Result<Made<Verdict>, ConverterError> {
        let call = self.begin(key, Function::Interpret).await?;
        let (plugin, store) = (Arc::clone(&call.plugin), call.store());
        call.finish(plugin.abi.interpret(store, report)).await
    }
}
