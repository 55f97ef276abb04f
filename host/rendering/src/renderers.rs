//! The renderer in force: the first component, by name, in the folder `render` of the plugins' folder. Another file is taken
//! when it is there; nothing is restarted.

use crate::{RenderingError, Settings};
use gateway_domain::ports::ConverterError;
use gateway_plugin_host::renderer::request::Request;
use gateway_plugin_host::{Renderer, RendererHost, signature_file, verify};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::sync::Mutex;
use tokio::time::Instant;

/// How long what was found in the folder holds.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// File, size and time of a component, and time of the signature beside it.
type Stamp = (PathBuf, u64, Option<SystemTime>, Option<SystemTime>);

/// What was found last.
#[derive(Debug, Default)]
struct Found {
    looked: Option<Instant>,
    stamp: Option<Stamp>,
    renderer: Option<Result<Arc<Renderer>, String>>,
    host: Option<Arc<RendererHost>>,
}

/// The folder of renderers.
#[derive(Debug)]
pub(crate) struct Renderers {
    settings: Settings,
    found: Mutex<Found>,
}

impl Renderers {
    pub(crate) fn new(settings: Settings) -> Self {
        Self { settings, found: Mutex::default() }
    }

    /// The renderer in force; none where there is none.
    pub(crate) async fn in_force(&self) -> Result<Option<Arc<Renderer>>, RenderingError> {
        let Some(folder) = &self.settings.folder else { return Ok(None) };
        let mut found = self.found.lock().await;
        if found.looked.is_none_or(|looked| looked.elapsed() >= LOOK_EVERY) {
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

    async fn load(&self, found: &mut Found, path: &Path) -> Result<Arc<Renderer>, String> {
        let host = if let Some(host) = &found.host {
            Arc::clone(host)
        } else {
            let host = RendererHost::new(self.settings.options.clone()).map_err(|error| error.to_string())?;
            Arc::clone(found.host.insert(Arc::new(host)))
        };
        let component = host.read(path).await.map_err(|error| error.to_string())?;
        let signature = tokio::fs::read_to_string(signature_file(path)).await.ok();
        verify(&component, signature.as_deref(), &self.settings.trusted)
            .map_err(|error| error.to_string())?;
        let file = path.display().to_string();
        let loaded = host.load_bytes(&file, component).await.map_err(|error| {
            tracing::warn!("{error}");
            error.to_string()
        })?;
        tracing::info!(renderer = loaded.name(), digest = loaded.digest(), "renderer in force");
        Ok(Arc::new(loaded))
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
