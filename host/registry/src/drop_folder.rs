//! The drop folder: what lies in it is installed, and activated when nobody ever decided about its key.
//!
//! A file that disappears changes nothing: the registry keeps what was installed.

use crate::PluginRuntime;
use crate::change::LoadedComponent;
use crate::follow::compilations_max;
use crate::{Order, PluginError, PluginName, Plugins, Runtime};
use futures::{StreamExt, stream};
use gateway_domain::StoreError;
use gateway_domain::access::Actor;
use gateway_domain::regime::PluginComponent;
use gateway_domain_input::unreadable;
use gateway_plugin_host::{digest, signature_file};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};
use tokio::io::AsyncReadExt;
use tokio_util::sync::CancellationToken;

/// How often the folder is looked at; a file is taken when it stayed as it is for as long.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Largest component that is read at all, bytes: what `plugins.component_mib` can be at most. The plugin host says what it takes.
pub const COMPONENT_BYTES_MAX: u64 = 512 << 20;
/// Largest signature, bytes.
const SIGNATURE_BYTES_MAX: u64 = 4096;

/// A file that is no plugin for this gateway.
#[derive(Debug, Clone)]
pub struct SkippedFile {
    /// Its path, as people read it.
    pub file: String,
    /// One sentence.
    pub message: String,
}

/// A component, or the signature beside it, that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum UnreadableComponent {
    /// A folder, a pipe or a device lies in the drop folder.
    #[error("{} is no file: put the plugin itself there, or remove it", .0.display())]
    NoFile(PathBuf),
    /// The system does not let it be read.
    #[error(
        "{} cannot be read ({}): check that it exists and that its permissions allow it",
        path.display(),
        unreadable(cause)
    )]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system answered.
        cause: io::Error,
    },
}

/// Size and time of a file and of the signature beside it.
type Stamp = [Option<(u64, Option<SystemTime>)>; 2];

type Loaded = LoadedComponent<<PluginRuntime as Runtime>::Plugin>;

/// Where the drop folder is, which may change while it is watched; nowhere, when that is not known. Cheap to clone; clones
/// share it.
#[derive(Debug, Clone)]
pub struct DropFolderPath(Arc<RwLock<Option<PathBuf>>>);

impl DropFolderPath {
    /// Here.
    pub fn new(folder: Option<PathBuf>) -> Self {
        Self(Arc::new(RwLock::new(folder)))
    }

    /// Here from now on.
    pub fn set(&self, folder: Option<PathBuf>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = folder;
    }

    fn folder(&self) -> Option<PathBuf> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The folder and what was seen in it.
#[derive(Debug)]
pub struct DropFolder {
    place: DropFolderPath,
    plugins: Plugins,
    last_scan: BTreeMap<PathBuf, Stamp>,
    processed: BTreeMap<PathBuf, Stamp>,
}

impl DropFolder {
    /// Nothing is taken yet.
    pub fn new(folder: PathBuf, plugins: Plugins) -> Self {
        Self::at(DropFolderPath::new(Some(folder)), plugins)
    }

    /// The same wherever `place` says.
    pub const fn at(place: DropFolderPath, plugins: Plugins) -> Self {
        Self { place, plugins, last_scan: BTreeMap::new(), processed: BTreeMap::new() }
    }

    /// Takes everything that lies there, in the order of the names. A bad file is reported and skipped.
    pub async fn install_all(&mut self) {
        let plugins = self.plugins.clone();
        let loads = self.scan().await.into_iter().map(move |(path, stamp)| {
            let plugins = plugins.clone();
            async move {
                let loaded = load_file(&plugins, &path).await;
                (path, stamp, loaded)
            }
        });
        // All of them before the first is activated: that compiles too, and a load that nobody polls keeps its turn meanwhile.
        let loaded: Vec<_> = stream::iter(loads).buffered(compilations_max()).collect().await;
        for (path, stamp, loaded) in loaded {
            self.process(path, stamp, loaded).await;
        }
    }

    /// Looks again and again, until `shutdown`.
    pub async fn watch(mut self, shutdown: CancellationToken) {
        loop {
            tokio::select! {
                () = shutdown.cancelled() => return,
                () = tokio::time::sleep(POLL_INTERVAL) => {}
            }
            let found = self.scan().await;
            for (path, stamp) in &found {
                let is_stable = self.last_scan.get(path) == Some(stamp);
                if is_stable && self.processed.get(path) != Some(stamp) {
                    let loaded = load_file(&self.plugins, path).await;
                    self.process(path.clone(), *stamp, loaded).await;
                }
            }
            self.last_scan = found;
        }
    }

    async fn process(&mut self, path: PathBuf, stamp: Stamp, loaded: Result<Option<Loaded>, PluginError>) {
        let file = path.display().to_string();
        let installed = match loaded {
            Ok(Some(loaded)) => self.install(&file, loaded).await,
            Ok(None) => Ok(()),
            Err(error) => Err(error),
        };
        match installed {
            Ok(()) => {}
            // The database may answer the next time.
            Err(PluginError::Store(error)) => {
                tracing::error!(error = &error as &dyn std::error::Error, "{file} waits: {error}");
                return;
            }
            // Who built it anew under the same version takes it for what serves.
            Err(error @ PluginError::Immutable { .. }) => {
                tracing::error!(file, "A plugin is skipped: {}", sentence(&file, &error));
            }
            Err(error) => tracing::warn!(file, "A plugin is skipped: {}", sentence(&file, &error)),
        }
        self.processed.insert(path, stamp);
    }

    async fn install(&self, file: &str, loaded: Loaded) -> Result<(), PluginError> {
        let actor = Actor("drop folder".to_owned());
        let installed = self.plugins.keep(&actor, file, loaded).await?;
        let name = PluginName::from(&installed.plugin);
        if self.plugins.is_decided(&name.key).await? {
            if !installed.known {
                tracing::info!(
                    plugin = %name,
                    "{name} is installed and waits beside what is in force: 'gateway plugin activate {name}' puts it in force"
                );
            }
            return Ok(());
        }
        let order = Order { name, workspace: None, share: None, force: false };
        match self.plugins.activate_first(&actor, &order).await {
            // Somebody decided at this moment, perhaps another process that took its own folder.
            Ok(_) | Err(PluginError::ConcurrentChange(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Files that no process could take, without taking any.
    pub async fn unusable(&self) -> Vec<SkippedFile> {
        let mut skipped = Vec::new();
        for (path, _) in self.scan().await {
            let file = path.display().to_string();
            if let Err(error) = self.check_file(&path).await {
                let message = sentence(&file, &error);
                skipped.push(SkippedFile { file, message });
            }
        }
        skipped
    }

    async fn check_file(&self, path: &Path) -> Result<(), PluginError> {
        let PluginComponent { bytes, signature } = read_file(path).await?;
        let runtime = self.plugins.runtime();
        runtime.verify_signature(&bytes, signature.as_deref())?;
        let loaded = runtime.load(&path.display().to_string(), bytes).await?;
        let plugin = loaded.identity();
        let listing = self.plugins.list().await?;
        let known = listing.plugins.into_iter().map(|listed| listed.plugin);
        let mut same = known.filter(|known| known.key == plugin.key && known.version == plugin.version);
        match same.find(|known| known.digest != plugin.digest) {
            Some(known) => {
                Err(PluginError::Immutable { name: PluginName::from(plugin), digest: known.digest })
            }
            None => Ok(()),
        }
    }

    async fn scan(&self) -> BTreeMap<PathBuf, Stamp> {
        let mut found = BTreeMap::new();
        // A folder that is not there holds nothing; whoever starts says so.
        let Some(folder) = self.place.folder() else { return found };
        let Ok(mut entries) = tokio::fs::read_dir(folder).await else { return found };
        while let Ok(Some(entry)) = entries.next_entry().await {
            let path = entry.path();
            if path.extension().is_some_and(|extension| extension == "wasm") {
                let stamp = [stamp(&path).await, stamp(&signature_file(&path)).await];
                found.insert(path, stamp);
            }
        }
        found
    }
}

/// Takes what lies in the drop folder, and serves what is in force; a bad file is reported and skipped.
pub async fn load(plugins: &Plugins, folder: Option<PathBuf>) -> Result<(), StoreError> {
    load_from(plugins, &DropFolderPath::new(folder)).await.map(drop)
}

/// [`load`], and answers the folder, to be watched.
pub async fn load_from(plugins: &Plugins, place: &DropFolderPath) -> Result<DropFolder, StoreError> {
    // What is in force first: it is waited for.
    plugins.catch_up().await?;
    let mut drop_folder = DropFolder::at(place.clone(), plugins.clone());
    drop_folder.install_all().await;
    plugins.catch_up().await?;
    if plugins.runtime().host().serving().plugins().is_empty() {
        let folder = place.folder().unwrap_or_default();
        tracing::warn!(
            "No plugin is active: put one into {} (plugins.dir), or activate one with 'gateway plugin activate'",
            folder.display()
        );
    }
    Ok(drop_folder)
}

/// Reads and compiles a file; none when nothing would become of it, as of every file at all starts but the first.
async fn load_file(plugins: &Plugins, path: &Path) -> Result<Option<Loaded>, PluginError> {
    let component = read_file(path).await?;
    // A file that is not trusted is named whether or not the database answers.
    plugins.runtime().verify_signature(&component.bytes, component.signature.as_deref())?;
    if plugins.is_settled(&digest(&component.bytes), component.signature.is_some()).await? {
        return Ok(None);
    }
    plugins.load(&path.display().to_string(), component).await.map(Some)
}

/// A sentence that names the file.
fn sentence(file: &str, error: &PluginError) -> String {
    match error {
        PluginError::Unreadable(_) | PluginError::NotLoaded(_) => error.to_string(),
        unnamed => format!("the plugin {file} is refused: {unnamed}"),
    }
}

async fn stamp(path: &Path) -> Option<(u64, Option<SystemTime>)> {
    let metadata = tokio::fs::metadata(path).await.ok()?;
    Some((metadata.len(), metadata.modified().ok()))
}

/// [`read_component`] of what lies in the folder, which may be anything.
async fn read_file(path: &Path) -> Result<PluginComponent, UnreadableComponent> {
    if tokio::fs::metadata(path).await.is_ok_and(|found| !found.is_file()) {
        return Err(UnreadableComponent::NoFile(path.to_owned()));
    }
    read_component(path).await
}

/// A component and the signature beside it.
///
/// # Errors
/// Which of both cannot be read, and why.
pub async fn read_component(path: &Path) -> Result<PluginComponent, UnreadableComponent> {
    let unreadable = |path: &Path, cause| UnreadableComponent::Io { path: path.to_owned(), cause };
    let bytes = at_most(path, COMPONENT_BYTES_MAX + 1).await.map_err(|cause| unreadable(path, cause))?;
    let beside = signature_file(path);
    let signature = match at_most(&beside, SIGNATURE_BYTES_MAX).await {
        Ok(bytes) => Some(String::from_utf8_lossy(&bytes).trim().to_owned()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(cause) => return Err(unreadable(&beside, cause)),
    };
    Ok(PluginComponent { bytes, signature })
}

async fn at_most(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    // Opening a pipe waits for whoever writes into it.
    if !tokio::fs::metadata(path).await?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no file"));
    }
    let mut bytes = Vec::new();
    tokio::fs::File::open(path).await?.take(most).read_to_end(&mut bytes).await?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_no_file_is_told_and_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("folder.wasm")).unwrap();
        let mut strange = vec![("folder.wasm", "is no file")];
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("/nowhere", at("link.wasm")).unwrap();
            std::os::unix::fs::symlink("/dev/zero", at("device.wasm")).unwrap();
            assert!(std::process::Command::new("mkfifo").arg(at("pipe.wasm")).status().unwrap().success());
            strange.extend([
                ("link.wasm", "cannot be read"),
                ("device.wasm", "is no file"),
                ("pipe.wasm", "is no file"),
            ]);
        }
        for (name, says) in strange {
            let refusal = read_file(&at(name)).await.unwrap_err().to_string();
            assert!(refusal.contains(says) && refusal.contains(name), "{refusal}");
        }
        std::fs::write(at("empty.wasm"), "").unwrap();
        assert!(read_file(&at("empty.wasm")).await.unwrap().bytes.is_empty());
    }
}
