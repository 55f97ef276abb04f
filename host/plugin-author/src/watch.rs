//! `gateway plugin watch`: builds, tests and swaps into a running gateway, whenever something changed.

use crate::build::{self, Crate};
use crate::folder::Folder;
use crate::report;
use crate::suite::TestRunner;
use gateway_domain::ports::Clock;
use gateway_domain_input::unreadable;
use gateway_provider::JsonClient;
use gateway_terminal::{Failure, Out, line, note};
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use url::Url;

/// How often the sources are looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// What is watched, and where it goes.
#[derive(Debug)]
pub struct WatchOptions {
    /// The plugin's `Cargo.toml`; none: that of the folder we are in.
    pub manifest: Option<PathBuf>,
    /// A folder with `cases/` and `expected/`; none: `golden` beside the manifest.
    pub cases: Option<PathBuf>,
    /// Where a plugin goes that passed its cases; none: it is only built and tested.
    pub destination: Option<Destination>,
}

/// Where a gateway takes a plugin from.
#[derive(Debug)]
pub enum Destination {
    /// The registry of the configured gateway.
    Registry,
    /// The admin API of the gateway whose internal listener is at `url`.
    Listener {
        /// Where it listens.
        url: Url,
        /// Holds an access token of a client with the permission `admin`.
        token_file: PathBuf,
    },
    /// The drop folder of a gateway.
    DropFolder(PathBuf),
}

/// Builds and tests at every change of the sources until it is interrupted. A plugin that passes goes to its destination, under
/// a version that `clock` tells from all others; `install` puts a component into the registry and in force. What fails is
/// printed, and the next change is waited for.
///
/// # Errors
/// There is no package.
pub async fn run(
    options: &WatchOptions,
    clock: &dyn Clock,
    install: impl AsyncFn(&Path) -> Result<(), Failure>,
    out: Out,
) -> Result<(), Failure> {
    let package = Crate::find(options.manifest.as_deref())?;
    let interrupted = tokio::signal::ctrl_c();
    tokio::pin!(interrupted);
    loop {
        let before = snapshot(package.folder());
        let worked = async {
            if let Err(failure) = build_and_test(&package, options, clock, &install, out).await {
                note(&format!("error: {failure}"));
            }
            note("Watching; Ctrl-C ends it.");
            wait_for_change(package.folder(), &before).await;
        };
        tokio::select! {
            _ = &mut interrupted => return Ok(()),
            () = worked => {}
        }
    }
}

/// One build with everything that follows from it.
async fn build_and_test(
    package: &Crate,
    options: &WatchOptions,
    clock: &dyn Clock,
    install: &impl AsyncFn(&Path) -> Result<(), Failure>,
    out: Out,
) -> Result<(), Failure> {
    let version = options.destination.as_ref().map(|_| trial_version(&package.version(), clock.now()));
    let file = package.build(version.as_deref()).await?;
    let golden = package.folder().join("golden");
    let cases = options.cases.as_deref().or_else(|| golden.is_dir().then_some(golden.as_path()));
    let folder = Folder::find(&file, cases)?;
    let runner = TestRunner::open(&file).await?;
    let results = runner.check(&folder, false).await?;
    out.data(&report::Report::new(runner.plugin(), &results, None), || {
        report::text(runner.plugin(), &results, None)
    });
    if results.iter().any(|result| result.outcome.is_failure()) {
        return Err(Failure::refused("a case failed, so the gateway keeps the version it has"));
    }
    match &options.destination {
        Some(Destination::Registry) => install(&file).await?,
        Some(Destination::Listener { url, token_file }) => line(&upload(url, token_file, &file).await?),
        Some(Destination::DropFolder(folder)) => {
            let name = file.file_name().unwrap_or_default();
            build::replace(&folder.join(name), &tokio::fs::read(&file).await?)?;
            line(&format!("{} lies in {}.", name.display(), folder.display()));
        }
        None => {}
    }
    Ok(())
}

/// Installs and activates over the admin API; the sentence says what serves now.
async fn upload(url: &Url, token_file: &Path, file: &Path) -> Result<String, Failure> {
    let token = tokio::fs::read_to_string(token_file).await.map_err(|error| {
        Failure::refused(format!(
            "the token in {} cannot be read ({})",
            token_file.display(),
            unreadable(&error)
        ))
    })?;
    let client = JsonClient::new(url.clone())?.with_bearer(token.trim());
    let component = tokio::fs::read(file).await?;
    let answer = client.post_bytes("/admin/plugins?activate=true", "application/wasm", component).await?;
    match answer.status {
        200 | 201 => Ok(format!("{url} serves it.")),
        401 => Err(Failure::refused(format!(
            "{url} does not take the token: get another one, with permission admin"
        ))),
        status => Err(Failure::refused(format!("{url} refuses the plugin (HTTP {status}): {}", answer.body))),
    }
}

/// A version that no build had before: a gateway takes each version once.
fn trial_version(version: &str, now: Timestamp) -> String {
    let separator = if version.contains('-') { '.' } else { '-' };
    format!("{version}{separator}dev.{}", now.as_second())
}

type SourceSnapshot = BTreeMap<PathBuf, (u64, Option<SystemTime>)>;

/// Waits until the sources are others than before, and stay as they are for a moment.
async fn wait_for_change(folder: &Path, before: &SourceSnapshot) {
    let mut last = snapshot(folder);
    loop {
        tokio::time::sleep(POLL_INTERVAL).await;
        let now = snapshot(folder);
        if now != *before && now == last {
            return;
        }
        last = now;
    }
}

/// Size and time of everything a build or a test reads.
fn snapshot(folder: &Path) -> SourceSnapshot {
    let mut files = SourceSnapshot::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        // A folder that disappeared meanwhile holds nothing.
        let Ok(entries) = std::fs::read_dir(&next) else { continue };
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| is_source(path)) {
            match path.metadata() {
                Ok(metadata) if metadata.is_dir() => folders.push(path),
                Ok(metadata) => {
                    files.insert(path, (metadata.len(), metadata.modified().ok()));
                }
                Err(_) => {}
            }
        }
    }
    files
}

/// Whether somebody writes it, not the build.
fn is_source(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let generated = name == "target" || name == "Cargo.lock" || name == "data" || name.contains(".wasm");
    !(generated || name.starts_with('.') || name.ends_with('~'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_trial_build_has_a_semantic_version_of_its_own() {
        let at = |seconds| Timestamp::from_second(seconds).unwrap();
        assert_eq!(trial_version("0.1.0", at(1_763_636_000)), "0.1.0-dev.1763636000");
        assert_eq!(trial_version("1.0.0-rc.1", at(7)), "1.0.0-rc.1.dev.7");
    }

    #[test]
    fn what_the_build_makes_is_no_change() {
        let place = tempfile::tempdir().unwrap();
        let write = |path: &str| {
            let file = place.path().join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, path).unwrap();
        };
        write("src/lib.rs");
        let before = snapshot(place.path());
        for made in ["target/x", "Cargo.lock", "xx.wasm", "xx.wasm.new", ".git/index", "src/lib.rs~"] {
            write(made);
        }
        assert_eq!(snapshot(place.path()), before);
        write("golden/cases/one.json");
        assert_ne!(snapshot(place.path()), before);
    }
}
