//! Components built for the tests.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// What an outer cargo hands down and a build for another target must not see.
const OUTER: [&str; 6] = [
    "CARGO_ENCODED_RUSTFLAGS",
    "RUSTFLAGS",
    "CARGO_CFG_",
    "CARGO_FEATURE_",
    "CARGO_BUILD_",
    "CARGO_TARGET_WASM32_",
];

/// The folder of everything that is built.
pub(crate) fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().to_owned()
}

/// Builds components with the profile of real plugins and returns their folder. A target folder of its own: the
/// outer cargo holds the lock of the usual one.
fn build(arguments: &[&str]) -> PathBuf {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in std::env::vars_os() {
        if OUTER.iter().any(|outer| name.to_string_lossy().starts_with(outer)) {
            cargo.env_remove(name);
        }
    }
    let folder = target().join("plugin-build");
    let output = cargo
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .args(["build", "--target", "wasm32-unknown-unknown", "--profile", "plugin", "--target-dir"])
        .arg(&folder)
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder.join("wasm32-unknown-unknown/plugin")
}

fn hostile(file: &str) -> Vec<u8> {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder =
        FOLDER.get_or_init(|| build(&["--package", "hostile-plugin", "--examples"]).join("examples"));
    std::fs::read(folder.join(file)).unwrap()
}

/// The plugin that misbehaves on demand, with a sandbox.
pub(crate) fn hostile_component() -> Vec<u8> {
    hostile("hostile_with_sandbox.wasm")
}

/// The plugin that carries WASI and reaches for what it may not have.
pub(crate) fn reaching_component() -> Vec<u8> {
    hostile("hostile_with_wasi.wasm")
}

/// The same without a sandbox.
pub(crate) fn hostile_component_without_sandbox() -> Vec<u8> {
    hostile("hostile_plain.wasm")
}

/// A plugin built against the first release of the contract and nothing else.
pub(crate) fn first_release() -> Vec<u8> {
    hostile("first_release.wasm")
}

/// The plugin that misbehaves on demand, of a release that is not out yet.
pub(crate) fn later_release() -> Vec<u8> {
    hostile("later_release.wasm")
}

/// The plugin that misbehaves on demand, whose authority writes back.
pub(crate) fn hostile_component_with_answers() -> Vec<u8> {
    hostile("hostile_with_answers.wasm")
}

/// The plugin that misbehaves on demand, with every optional interface.
pub(crate) fn hostile_component_with_evidence() -> Vec<u8> {
    hostile("hostile_with_evidence.wasm")
}

/// The plugin that misbehaves on demand, which names the days on which its rules change.
pub(crate) fn hostile_component_with_rules() -> Vec<u8> {
    hostile("hostile_with_rules.wasm")
}

/// The plugin that misbehaves on demand, which reads and plays its authority's own list.
pub(crate) fn hostile_component_with_reconcile() -> Vec<u8> {
    hostile("hostile_with_reconcile.wasm")
}

/// The plugin with another behaviour of `describe`.
pub(crate) fn hostile_component_that_describes(behaviour: &str) -> Vec<u8> {
    that_describes(hostile_component(), behaviour)
}

/// Another behaviour of `describe`, by changing it in the finished component.
pub(crate) fn that_describes(mut bytes: Vec<u8>, behaviour: &str) -> Vec<u8> {
    let steering = format!("{:.<32}", format!("DESCRIBE={behaviour}"));
    let places: Vec<usize> =
        (0..bytes.len()).filter(|&at| bytes[at..].starts_with(b"DESCRIBE=SOUND..................")).collect();
    let [place] = places[..] else { panic!("the steering stands at {places:?}") };
    bytes[place..place + 32].copy_from_slice(steering.as_bytes());
    bytes
}

/// The Spanish plugin as it is installed.
pub(crate) fn verifactu_component() -> PathBuf {
    build(&["--package", "es-verifactu", "--lib"]).join("es_verifactu.wasm")
}
