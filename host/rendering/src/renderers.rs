//! The renderer in force: the first component, by name, in the folder `render` of the plugins' folder. Another file is taken
//! when it is there; nothing is restarted.

use crate::{RenderingError, Settings};
use async_trait::async_trait;
use gateway_domain::ports::{ConverterError, TemplateSchema};
use gateway_plugin_host::renderer::request::Request;
use gateway_plugin_host::{Renderer, RendererHost, Trust, signature_file, verify};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::sync::Mutex;
use tokio::time::Instant;

/// How long what was found in the folder holds.
const RESCAN_INTERVAL: Duration = Duration::from_secs(2);

/// How long a request waits for a component that is compiled; less than a request may take.
const COMPILE_WAIT_MAX: Duration = Duration::from_secs(25);

/// File, size and time of a component, and time of the signature beside it.
type Stamp = (PathBuf, u64, Option<SystemTime>, Option<SystemTime>);

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
struct LoadedRenderer {
    renderer: Arc<Renderer>,
    signer: Option<String>,
}

/// What was found last.
#[derive(Debug, Default)]
struct LastScan {
    looked: Option<Instant>,
    stamp: Option<Stamp>,
    renderer: Option<Result<LoadedRenderer, String>>,
    host: Option<Arc<RendererHost>>,
}

/// The folder of renderers. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Renderers {
    settings: Arc<Settings>,
    found: Arc<Mutex<LastScan>>,
}

impl Renderers {
    /// Nothing is loaded before it is asked for.
    pub fn new(settings: Settings) -> Self {
        Self { settings: Arc::new(settings), found: Arc::default() }
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

    /// What is in the folder now. A component that is compiled for the first time may take longer than a request lasts: it is
    /// compiled to the end all the same, and is there for the next one.
    async fn find(&self) -> Result<Option<LoadedRenderer>, RenderingError> {
        let Some(folder) = self.settings.folder.clone() else { return Ok(None) };
        let renderers = self.clone();
        let look = tokio::spawn(async move { renderers.look(&folder).await });
        match tokio::time::timeout(COMPILE_WAIT_MAX, look).await {
            Ok(Ok(found)) => found,
            Ok(Err(error)) => Err(RenderingError::Unusable(error.to_string())),
            Err(_) => Err(RenderingError::Preparing),
        }
    }

    async fn look(&self, folder: &Path) -> Result<Option<LoadedRenderer>, RenderingError> {
        let mut found = self.found.lock().await;
        if found.looked.is_none_or(|looked| looked.elapsed() >= RESCAN_INTERVAL) {
            let stamp = first_component(folder).await;
            if stamp != found.stamp {
                found.renderer = match &stamp {
                    Some((path, ..)) => Some(self.load(&mut found, path).await),
                    None => None,
                };
                found.stamp = stamp;
            }
            found.looked = Some(Instant::now());
        }
        found.renderer.clone().transpose().map_err(RenderingError::Unusable)
    }

    async fn load(&self, found: &mut LastScan, path: &Path) -> Result<LoadedRenderer, String> {
        let host = if let Some(host) = &found.host {
            Arc::clone(host)
        } else {
            let host = RendererHost::new(self.settings.options.clone()).map_err(|error| error.to_string())?;
            Arc::clone(found.host.insert(Arc::new(host)))
        };
        let component = host.read(path).await.map_err(|error| error.to_string())?;
        let signature = tokio::fs::read_to_string(signature_file(path)).await.ok();
        let signer = match verify(&component, signature.as_deref(), &self.settings.trusted) {
            Ok(Trust::TrustedKey(key)) => Some(key.to_string()),
            Ok(Trust::NotAsked) => None,
            Err(error) => return Err(error.to_string()),
        };
        let file = path.display().to_string();
        let loaded = host.load_bytes(&file, component).await.map_err(|error| {
            tracing::warn!("{error}");
            error.to_string()
        })?;
        tracing::info!(renderer = loaded.name(), digest = loaded.digest(), "renderer in force");
        Ok(LoadedRenderer { renderer: Arc::new(loaded), signer })
    }

    pub(crate) async fn render(
        &self,
        renderer: &Renderer,
        request: &Request,
    ) -> Result<Vec<u8>, RenderingError> {
        let host = self.found.lock().await.host.clone().ok_or(RenderingError::NoRenderer)?;
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

async fn first_component(folder: &Path) -> Option<Stamp> {
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
    Some((path, of.len(), of.modified().ok(), signed.and_then(|signed| signed.modified().ok())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gateway_plugin_host::{Limits, Options};

    fn renderers(folder: Option<PathBuf>) -> Renderers {
        let options = Options { limits: Limits::of_renderers(), ..Options::default() };
        Renderers::new(Settings { folder, options, trusted: Vec::new() })
    }

    #[tokio::test]
    async fn a_renderer_is_shown_where_there_is_one_that_can_be_used() {
        let folder = tempfile::tempdir().unwrap();
        for empty in [None, Some(folder.path().join("render")), Some(folder.path().to_owned())] {
            assert_eq!(renderers(empty).view().await.unwrap(), None);
        }
        std::fs::write(folder.path().join("render-pdf.wasm"), "no component").unwrap();
        let refused = renderers(Some(folder.path().to_owned())).view().await;
        assert!(matches!(refused, Err(RenderingError::Unusable(_))), "{refused:?}");
    }
}
