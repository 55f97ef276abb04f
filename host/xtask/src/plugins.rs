//! `cargo xtask plugins`: tax regimes and renderers as WebAssembly components, where the gateway looks for them.
//!
//! A package is such a plugin when its `Cargo.toml` says so:
//!
//! ```toml
//! [package.metadata.einvoicing]
//! component = true
//! key = "es-verifactu"     # optional; the package's name otherwise
//! ```
//!
//! With `component = false` and `renderer = true` it is a renderer, which goes to a folder of its own: what lies in the
//! folder of the tax regimes is taken for one.

use std::env;
use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use cargo_metadata::{Message, Metadata, Package};

use crate::{Outcome, workspace};

const TARGET: &str = "wasm32-unknown-unknown";
/// What a cargo that runs us hands down and a build for another target must not see.
pub(crate) const OUTER: [&str; 5] =
    ["CARGO_ENCODED_RUSTFLAGS", "RUSTFLAGS", "CARGO_CFG_", "CARGO_FEATURE_", "CARGO_TARGET_WASM32_"];
/// What the sources and the crates of others are called in everything that is built for others.
const REMAPPED: [&str; 2] = ["/workspace", "/cargo"];
/// Magic number and layer of a component; a core module has the version `01 00 00 00` there.
const COMPONENT: [u8; 8] = *b"\0asm\x0d\0\x01\0";

pub(crate) fn run(arguments: &[String]) -> Result<Outcome> {
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => build("plugin")?,
        ["--profile", profile] => build(profile)?,
        _ => return Ok(Outcome::Misuse),
    }
    Ok(Outcome::Done)
}

/// Builds every component with the given cargo profile and puts it to `target/plugins/<key>.wasm`, a renderer to
/// `target/plugins/render/<key>.wasm`.
pub(crate) fn build(profile: &str) -> Result<()> {
    build_some(profile, |_| true)
}

/// The same for the components of these keys alone.
pub(crate) fn build_only(profile: &str, keys: &[&str]) -> Result<()> {
    build_some(profile, |key| keys.contains(&key))
}

fn build_some(profile: &str, is_selected: impl Fn(&str) -> bool) -> Result<()> {
    let metadata = workspace::members()?;
    let mut components = components(&metadata);
    components.retain(|component| is_selected(&component.key));
    if components.is_empty() {
        eprintln!(
            "no package says `[package.metadata.einvoicing] component = true`: there are no plugins to build"
        );
        return Ok(());
    }
    ensure_target()?;
    let artifacts = compile(&metadata, &components, profile)?;
    for (component, artifact) in components.iter().zip(artifacts) {
        let folder = metadata.target_directory.join(component.kind.folder());
        fs::create_dir_all(&folder).with_context(|| format!("could not create {folder}"))?;
        let bytes = fs::read(&artifact).with_context(|| format!("could not read {}", artifact.display()))?;
        ensure!(
            bytes.starts_with(&COMPONENT),
            "{} is a core module, not a component: check the linker of {TARGET} in .cargo/config.toml",
            artifact.display()
        );
        let file = folder.join(format!("{}.wasm", component.key)).into_std_path_buf();
        let verb = if replace(&file, &bytes)? { "built" } else { "unchanged:" };
        eprintln!("{verb} {} ({} KiB)", file.display(), bytes.len() / 1024);
    }
    Ok(())
}

/// A component as it is built.
#[derive(Debug)]
pub(crate) struct Built {
    /// The crate that it is made of.
    pub(crate) package: String,
    /// Below the folder of plugins.
    pub(crate) file: String,
}

/// What [`build`] makes.
pub(crate) fn built(metadata: &Metadata) -> Vec<Built> {
    let file = |component: &Component<'_>| {
        format!("{}/{}.wasm", component.kind.folder(), component.key).replacen("plugins/", "", 1)
    };
    let of = |component: Component<'_>| Built {
        package: component.package.name.to_string(),
        file: file(&component),
    };
    components(metadata).into_iter().map(of).collect()
}

struct Component<'a> {
    package: &'a Package,
    key: String,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    TaxRegime,
    Renderer,
}

impl Kind {
    /// What `[package.metadata.einvoicing]` says, if the package is a plugin.
    fn of(own: &serde_json::Value) -> Option<Self> {
        let says = |name: &str| own.get(name).and_then(serde_json::Value::as_bool) == Some(true);
        if says("component") {
            return Some(Self::TaxRegime);
        }
        says("renderer").then_some(Self::Renderer)
    }

    const fn folder(self) -> &'static str {
        match self {
            Self::TaxRegime => "plugins",
            Self::Renderer => "plugins/render",
        }
    }
}

fn components(metadata: &Metadata) -> Vec<Component<'_>> {
    let members = metadata.workspace_packages().into_iter();
    members
        .filter_map(|package| {
            let own = package.metadata.get("einvoicing")?;
            let key = own.get("key").and_then(|key| key.as_str()).unwrap_or(&package.name).to_owned();
            Some(Component { package, key, kind: Kind::of(own)? })
        })
        .collect()
}

/// One cargo for all of them, in a target folder of its own: the outer cargo holds the lock of the usual one. Paths
/// are rewritten so that two checkouts give the same bytes. Returns one file for each component, in order.
fn compile(metadata: &Metadata, components: &[Component<'_>], profile: &str) -> Result<Vec<PathBuf>> {
    let mut cargo = workspace::cargo();
    workspace::remove_variables(&mut cargo, &OUTER);
    cargo
        .args(["build", "--lib", "--message-format=json-render-diagnostics", "--target", TARGET])
        .args(["--profile", profile, "--target-dir"])
        .arg(metadata.target_directory.join("plugin-build"))
        .env("CARGO_ENCODED_RUSTFLAGS", remapped_paths().join("\x1f"))
        .stdout(Stdio::piped());
    for component in components {
        cargo.args(["--package", &component.package.name]);
    }
    let mut running = cargo.spawn().context("could not start cargo")?;
    let output = running.stdout.take().context("cargo has no output")?;
    let mut found = Vec::new();
    for message in Message::parse_stream(BufReader::new(output)) {
        if let Message::CompilerArtifact(artifact) = message.context("could not read cargo's messages")? {
            found.push(artifact);
        }
    }
    ensure!(running.wait()?.success(), "the plugins do not compile: correct the errors above");
    components
        .iter()
        .map(|component| {
            let own = found.iter().filter(|artifact| artifact.package_id == component.package.id);
            own.flat_map(|artifact| &artifact.filenames)
                .find(|file| file.extension() == Some("wasm"))
                .map(|file| file.clone().into_std_path_buf())
                .with_context(|| format!("{} gives no .wasm: add `cdylib` to its crate-type", component.key))
        })
        .collect()
}

/// Flags that make paths of this machine the same on every one.
fn remapped_paths() -> Vec<String> {
    let remap = |(from, to): (PathBuf, &str)| format!("--remap-path-prefix={}={to}", from.display());
    path_names().into_iter().map(remap).collect()
}

/// Folders of this machine, and what they are called in what is built.
pub(crate) fn path_names() -> Vec<(PathBuf, &'static str)> {
    let home = env::var_os("HOME").map(PathBuf::from);
    let cargo_home = env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| Some(home?.join(".cargo")));
    [Some(workspace::root()), cargo_home].into_iter().flatten().zip(REMAPPED).collect()
}

/// Writes beside and renames, so that nobody ever reads half a plugin. The same bytes are left alone: nobody who
/// watches the folder is woken for nothing. Returns whether the file changed.
fn replace(file: &Path, bytes: &[u8]) -> Result<bool> {
    if fs::read(file).is_ok_and(|present| present == bytes) {
        return Ok(false);
    }
    let beside = file.with_extension("wasm.new");
    fs::write(&beside, bytes).with_context(|| format!("could not write {}", beside.display()))?;
    fs::rename(&beside, file).with_context(|| format!("could not write {}", file.display()))?;
    Ok(true)
}

/// Installs the wasm target when the toolchain lacks it. Looks into the toolchain instead of asking rustup, so
/// that a toolchain without rustup works too.
fn ensure_target() -> Result<()> {
    let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    let output = rustc.current_dir(workspace::root()).args(["--print", "sysroot"]).output();
    let sysroot = output.context("could not start rustc: install Rust with rustup")?.stdout;
    let sysroot = PathBuf::from(String::from_utf8(sysroot).context("rustc's folder is not UTF-8")?.trim());
    let library = sysroot.join("lib/rustlib").join(TARGET);
    if library.is_dir() {
        return Ok(());
    }
    eprintln!("installing the target {TARGET}");
    let added =
        Command::new("rustup").current_dir(workspace::root()).args(["target", "add", TARGET]).status();
    match added {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => {
            bail!("`rustup target add {TARGET}` failed ({status}): run it by hand and read what it says")
        }
        Err(_) => bail!(
            "the toolchain in {} has no target {TARGET} and there is no rustup to add it: \
             install rustup, or your system's package of that target",
            sysroot.display()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_renderer_is_kept_apart_from_tax_regimes() {
        let kind = |own: &str| Kind::of(&serde_json::from_str(own).unwrap());
        assert_eq!(kind(r#"{"component": true, "key": "es-verifactu"}"#), Some(Kind::TaxRegime));
        assert_eq!(kind(r#"{"component": false, "renderer": true}"#), Some(Kind::Renderer));
        assert_eq!(kind(r#"{"component": false}"#), None);
        assert_ne!(Kind::TaxRegime.folder(), Kind::Renderer.folder());
    }

    #[test]
    fn a_plugin_is_replaced_in_one_step_and_only_when_it_differs() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("es-verifactu.wasm");

        assert!(replace(&file, b"one").unwrap());
        assert!(!replace(&file, b"one").unwrap());
        assert!(replace(&file, b"two").unwrap());
        assert_eq!(fs::read(&file).unwrap(), b"two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
