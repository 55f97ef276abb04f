//! The renderer in force: the version that the database names, else the first component, by name, in the folder `render` of the
//! plugins' folder. Another one is taken when it is there; nothing is restarted.

use crate::renderer_error::RendererError;
use crate::{RenderingError, Settings};
use async_trait::async_trait;
use gateway_domain::ports::{ConverterError, TemplateSchema};
use gateway_domain::regime::PluginComponent;
use gateway_plugin_host::renderer::request::Request;
use gateway_plugin_host::{Renderer, RendererHost, Trust, signature_file};
use gateway_storage::Db;
use gateway_storage::renderers::{self as store, InForce};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::sync::{Mutex, OnceCell, OwnedMutexGuard};
use tokio::time::{Instant, timeout};

/// How long what was found holds.
const RESCAN_INTERVAL: Duration = Duration::from_secs(2);

/// How long a request waits for a component that is compiled; less than a request may take.
const COMPILE_WAIT_MAX: Duration = Duration::from_secs(25);

/// Where the renderer in force is. It is loaded anew when this changes.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Source {
    /// The database has it.
    Database(InForce),
    /// A file, its size and time, and the time of the signature beside it.
    File(PathBuf, u64, Option<SystemTime>, Option<SystemTime>),
}

/// A renderer, as people are shown it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RendererView {
    /// What it calls itself, with its version: `render-pdf 0.1.0`.
    pub name: String,
    /// SHA-256 of the component, lower-case hex.
    pub digest: String,
    /// The languages that it writes, BCP 47; never empty.
    pub locales: Vec<String>,
    /// The trusted key that signed it, as in `plugins.trusted_keys`; none where no key is configured, which asks for none.
    pub signer: Option<String>,
}

/// A renderer that can be used.
#[derive(Debug, Clone)]
pub(crate) struct LoadedRenderer {
    pub(crate) renderer: Arc<Renderer>,
    signer: Option<String>,
}

/// What was found last.
#[derive(Debug, Default)]
struct LastScan {
    looked: Option<Instant>,
    source: Option<Source>,
    renderer: Option<Result<LoadedRenderer, String>>,
}

impl LastScan {
    fn renderer(&self) -> Result<Option<LoadedRenderer>, RenderingError> {
        self.renderer.clone().transpose().map_err(RenderingError::Unusable)
    }
}

/// Loads renderers, and knows which one is in force. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Renderers(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    db: Db,
    settings: Settings,
    found: Arc<Mutex<LastScan>>,
    /// Not started before there is something to load.
    host: OnceCell<RendererHost>,
}

impl Renderers {
    /// Nothing is loaded before it is asked for.
    pub fn new(db: Db, settings: Settings) -> Self {
        Self(Arc::new(Inner { db, settings, found: Arc::default(), host: OnceCell::new() }))
    }

    /// The renderer in force; none where there is none.
    pub(crate) async fn in_force(&self) -> Result<Option<Arc<Renderer>>, RenderingError> {
        Ok(self.find().await?.map(|loaded| loaded.renderer))
    }

    /// The same, as people are shown it.
    pub(crate) async fn view(&self) -> Result<Option<RendererView>, RenderingError> {
        let view = |LoadedRenderer { renderer, signer }: LoadedRenderer| RendererView {
            name: renderer.name(),
            digest: renderer.digest().to_owned(),
            locales: renderer.description().locales.clone(),
            signer,
        };
        Ok(self.find().await?.map(view))
    }

    async fn find(&self) -> Result<Option<LoadedRenderer>, RenderingError> {
        timeout(COMPILE_WAIT_MAX, self.look()).await.unwrap_or(Err(RenderingError::Preparing))
    }

    /// What is in force now. A component that is compiled for the first time may take longer than a request lasts: it is
    /// compiled to the end all the same, and is there for the next one.
    async fn look(&self) -> Result<Option<LoadedRenderer>, RenderingError> {
        let mut found = Arc::clone(&self.0.found).lock_owned().await;
        if found.looked.is_none_or(|looked| looked.elapsed() >= RESCAN_INTERVAL) {
            let source = self.source().await?;
            if source != found.source {
                let renderers = self.clone();
                let taken = tokio::spawn(async move { renderers.take(found, source).await });
                return taken.await.map_err(|error| RenderingError::Unusable(error.to_string()))?;
            }
            found.looked = Some(Instant::now());
        }
        found.renderer()
    }

    /// Where the renderer in force is; none where there is none.
    async fn source(&self) -> Result<Option<Source>, RenderingError> {
        if let Some(stored) = store::in_force(&self.0.db).await? {
            return Ok(Some(Source::Database(stored)));
        }
        match &self.0.settings.folder {
            Some(folder) => Ok(first_component(folder).await),
            None => Ok(None),
        }
    }

    /// Loads what is in force now. Whoever asks meanwhile waits for it.
    async fn take(
        &self,
        mut found: OwnedMutexGuard<LastScan>,
        source: Option<Source>,
    ) -> Result<Option<LoadedRenderer>, RenderingError> {
        let renderer = match &source {
            None => None,
            Some(place) => match self.load_from(place).await {
                Ok(loaded) => Some(Ok(loaded)),
                // It may be there the next time.
                Err(RendererError::Store(error)) => return Err(error.into()),
                Err(error) if error.is_passing() => return Err(RenderingError::Unusable(error.to_string())),
                Err(error) => {
                    tracing::warn!("The renderer cannot be used: {error}");
                    Some(Err(error.to_string()))
                }
            },
        };
        if let Some(Ok(LoadedRenderer { renderer, .. })) = &renderer {
            tracing::info!(renderer = renderer.name(), digest = renderer.digest(), "renderer in force");
        }
        *found = LastScan { looked: Some(Instant::now()), source, renderer };
        found.renderer()
    }

    /// Serves a version of the database in this process at once.
    pub(crate) async fn serve(&self, in_force: InForce, loaded: LoadedRenderer) {
        let source = Some(Source::Database(in_force));
        let serving = LastScan { looked: Some(Instant::now()), source, renderer: Some(Ok(loaded)) };
        *self.0.found.lock().await = serving;
    }

    /// Looks again when it is asked for the next time.
    pub(crate) async fn look_again(&self) {
        self.0.found.lock().await.looked = None;
    }

    async fn load_from(&self, source: &Source) -> Result<LoadedRenderer, RendererError> {
        match source {
            Source::Database(InForce { digest, .. }) => self.load_stored(digest).await,
            Source::File(path, ..) => {
                let bytes = self.host().await?.read(path).await?;
                let signature = tokio::fs::read_to_string(signature_file(path)).await.ok();
                self.load(&path.display().to_string(), PluginComponent { bytes, signature }).await
            }
        }
    }

    /// Loads an installed version.
    pub(crate) async fn load_stored(&self, digest: &str) -> Result<LoadedRenderer, RendererError> {
        let stored = store::component(&self.0.db, digest).await?;
        let component = stored.ok_or_else(|| RendererError::Unknown(digest.to_owned()))?;
        let loaded = self.load(&format!("with sha256 {digest}"), component).await?;
        let found = loaded.renderer.digest();
        if found == digest { Ok(loaded) } else { Err(RendererError::Mismatch(found.to_owned())) }
    }

    /// Verifies, compiles and probes a component, which serves nobody yet. `origin` is where it came from, as shown to people.
    pub(crate) async fn load(
        &self,
        origin: &str,
        PluginComponent { bytes, signature }: PluginComponent,
    ) -> Result<LoadedRenderer, RendererError> {
        let signer = match self.0.settings.trusted.verify(&bytes, signature.as_deref())? {
            Trust::TrustedKey(key) => Some(key.to_string()),
            Trust::NotAsked => None,
        };
        let renderer = self.host().await?.load_bytes(origin, bytes).await?;
        Ok(LoadedRenderer { renderer: Arc::new(renderer), signer })
    }

    async fn host(&self) -> Result<&RendererHost, RendererError> {
        let start = async || RendererHost::new(self.0.settings.options.clone());
        Ok(self.0.host.get_or_try_init(start).await?)
    }

    pub(crate) async fn render(
        &self,
        renderer: &Renderer,
        request: &Request,
    ) -> Result<Vec<u8>, RenderingError> {
        let host = self.0.host.get().ok_or(RenderingError::NoRenderer)?;
        host.render(renderer, request).await.map_err(|error| match error {
            ConverterError::Faults(faults) => RenderingError::Refused(faults),
            other => RenderingError::Broken(other),
        })
    }
}

#[async_trait]
impl TemplateSchema for Renderers {
    /// None while there is no renderer, or one that cannot be used.
    async fn template_schema(&self) -> Option<Value> {
        let renderer = self.in_force().await.ok().flatten()?;
        let schema = serde_json::from_str(&renderer.description().template_schema);
        schema
            .inspect_err(|error| tracing::warn!("The template schema of the renderer is no JSON: {error}"))
            .ok()
    }
}

async fn first_component(folder: &Path) -> Option<Source> {
    let mut entries = tokio::fs::read_dir(folder).await.ok()?;
    let mut paths = Vec::new();
    while let Ok(Some(entry)) = entries.next_entry().await {
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "wasm") {
            paths.push(path);
        }
    }
    paths.sort();
    let path = paths.into_iter().next()?;
    let of = tokio::fs::metadata(&path).await.ok()?;
    let signed = tokio::fs::metadata(signature_file(&path)).await.ok();
    let signed_at = signed.and_then(|signed| signed.modified().ok());
    Some(Source::File(path, of.len(), of.modified().ok(), signed_at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gateway_plugin_host::{Limits, Options, TrustedKeys};
    use gateway_storage::testing;

    fn renderers(db: &Db, folder: Option<PathBuf>) -> Renderers {
        let options = Options { limits: Limits::of_renderers(), ..Options::default() };
        Renderers::new(db.clone(), Settings { folder, options, trusted: TrustedKeys::new(Vec::new()) })
    }

    #[tokio::test]
    async fn a_renderer_is_shown_where_there_is_one_that_can_be_used() {
        for db in testing::both().await {
            let folder = tempfile::tempdir().unwrap();
            for empty in [None, Some(folder.path().join("render")), Some(folder.path().to_owned())] {
                assert_eq!(renderers(db.db(), empty).view().await.unwrap(), None);
            }
            std::fs::write(folder.path().join("render-pdf.wasm"), "no component").unwrap();
            let refused = renderers(db.db(), Some(folder.path().to_owned())).view().await;
            assert!(matches!(refused, Err(RenderingError::Unusable(_))), "{refused:?}");
        }
    }
}
