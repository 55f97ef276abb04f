//! Renderers: components that make documents for people, under a contract and limits of their own.
//!
//! Laying out pages takes more memory and time than a conversion, so renderers have an engine of their own: none of it takes a
//! slot from a tax regime.

use crate::abi::render_v1;
use crate::cache::Cache;
use crate::compile::CompileQueue;
use crate::defect::Failure;
use crate::engine;
use crate::guest::{CallTrace, store};
use crate::load::{self, ComponentKind, LoadError, Refusal, Source};
use crate::options::{Function, Limits, Options, StartError};
use crate::ticker::Ticker;
use gateway_domain::ports::ConverterError;
pub use render_v1::types as request;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use wasmtime::Engine;

/// Bytes of a mebibyte.
const MIB: usize = 1 << 20;

impl Limits {
    /// What a renderer may use: 200 lines on several pages take some MiB and some milliseconds, ten thousand much more.
    pub fn of_renderers() -> Self {
        Self {
            memory_bytes: 256 * MIB,
            deadline: Duration::from_secs(10),
            transfer_bytes: 64 * MIB,
            document_bytes: 32 * MIB,
            calls: 2,
            calls_per_plugin: 2,
            queue: Duration::from_secs(10),
            ..Self::default()
        }
    }
}

/// Loads renderers and calls them.
pub struct RendererHost {
    engine: Engine,
    ticker: Ticker,
    limits: Limits,
    permits: Semaphore,
    compile_queue: CompileQueue,
}

impl fmt::Debug for RendererHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RendererHost").field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// A component that makes documents for people.
pub struct Renderer {
    exports: render_v1::Exports,
    description: request::Description,
    digest: String,
}

/// A file, and what it took to make it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeasuredFile {
    /// The file.
    pub content: Vec<u8>,
    /// Linear memory of the renderer at its peak, bytes.
    pub memory_peak_bytes: usize,
}

impl Renderer {
    /// What it says of itself.
    pub const fn description(&self) -> &request::Description {
        &self.description
    }

    /// SHA-256 of the component, lower-case hex.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// How a person finds it: `render-pdf 0.1.0`.
    pub fn name(&self) -> String {
        format!("{} {}", self.description.name, self.description.version)
    }
}

impl fmt::Debug for Renderer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Renderer")
            .field("name", &self.name())
            .field("digest", &self.digest)
            .finish_non_exhaustive()
    }
}

impl RendererHost {
    /// Starts the engine. The observer of `options` is told nothing: there is one for tax regimes.
    pub fn new(options: Options) -> Result<Self, StartError> {
        let Options { cache_dir, limits, compiler, observer: _ } = options;
        let (engine, ticker) = engine::start(&limits)?;
        let permits = Semaphore::new(usize::try_from(limits.calls).unwrap_or(Semaphore::MAX_PERMITS));
        let compile_queue = CompileQueue::new(Cache::open(cache_dir)?, compiler);
        Ok(Self { engine, ticker, limits, permits, compile_queue })
    }

    /// Reads a component, at most as large as components may be.
    pub async fn read(&self, path: &Path) -> Result<Vec<u8>, LoadError> {
        let file = path.display().to_string();
        load::read(path, self.limits.file_bytes).await.map_err(|refusal| LoadError {
            kind: ComponentKind::Renderer,
            file,
            refusal,
        })
    }

    /// Compiles and probes a component. `file` is where it came from, as shown to people.
    pub async fn load_bytes(&self, file: &str, bytes: Vec<u8>) -> Result<Renderer, LoadError> {
        let refused = |refusal| LoadError { kind: ComponentKind::Renderer, file: file.to_owned(), refusal };
        self.prepare(file, bytes).await.map_err(refused)
    }

    async fn prepare(&self, file: &str, bytes: Vec<u8>) -> Result<Renderer, Refusal> {
        load::ensure_component(&bytes, self.limits.file_bytes)?;
        let digest = load::digest(&bytes);
        let source = Arc::new(Source { file: file.to_owned(), digest: digest.clone(), bytes });
        let component = self.compile_queue.component(&self.engine, &source, &self.limits).await?;
        let linked = load::link(&self.engine, &component)?;
        let exports = render_v1::Exports::probe(linked.pre).ok_or_else(|| Refusal::Exports {
            required: render_v1::RENDER,
            exports: load::exported(&self.engine, &component),
        })?;
        let trace = CallTrace::default();
        let store =
            store((&self.engine, &self.ticker), &self.limits, self.limits.describe_deadline, trace.clone());
        let description = timeout(self.limits.answer_timeout, exports.describe(store)).await;
        let description = description.unwrap_or(Err(Failure::Starved)).map_err(|failure| {
            let refusal = failure.explain_refusal(file, Function::Describe, &self.limits, &trace);
            refusal.map_or(Refusal::Busy, Refusal::Describe)
        })?;
        Ok(Renderer { exports, description, digest })
    }

    /// The file that a renderer makes of a document.
    pub async fn render(
        &self,
        renderer: &Renderer,
        request: &request::Request,
    ) -> Result<Vec<u8>, ConverterError> {
        self.render_measured(renderer, request).await.map(|made| made.content)
    }

    /// [`render`](Self::render), for whoever wants to know what it takes.
    pub async fn render_measured(
        &self,
        renderer: &Renderer,
        request: &request::Request,
    ) -> Result<MeasuredFile, ConverterError> {
        let waited = timeout(self.limits.queue, self.permits.acquire()).await;
        let Ok(Ok(_permit)) = waited else { return Err(ConverterError::Busy) };
        let trace = CallTrace::default();
        let store = store((&self.engine, &self.ticker), &self.limits, self.limits.deadline, trace.clone());
        let made = timeout(self.limits.answer_timeout, renderer.exports.render(store, request)).await;
        let made = made.unwrap_or(Err(Failure::Starved)).and_then(|bytes| {
            let most = self.limits.document_bytes;
            if bytes.len() > most {
                Err(Failure::Oversize("a file of too many bytes", most))
            } else {
                Ok(bytes)
            }
        });
        let measured = |content| MeasuredFile { content, memory_peak_bytes: trace.peak.bytes() };
        made.map(measured)
            .map_err(|failure| failure.explain(&renderer.name(), Function::Render, &self.limits, &trace))
    }
}
