//! The plugin that misbehaves on demand, as a component.

use crate::binary::target_folder;
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

/// The component without anything but the regime; the others lie beside it.
static FILE: OnceLock<PathBuf> = OnceLock::new();

/// `hostile@1.2.3`, which does what the first word of a document's notes says.
///
/// # Panics
/// When it does not build.
pub fn hostile_component() -> Vec<u8> {
    std::fs::read(FILE.get_or_init(build)).expect("a built component can be read")
}

/// The same code under another version, `hostile@2.0.0`.
///
/// # Panics
/// When it does not build.
pub fn another_hostile_component() -> Vec<u8> {
    that_describes(hostile_component(), b"DESCRIBE=OTHER-VERSION..........")
}

/// `reaching@1.2.3`, which writes to standard error why it fails, as plugins do that are built for their authors.
///
/// # Panics
/// When it does not build.
pub fn reaching_component() -> Vec<u8> {
    let plain = FILE.get_or_init(build);
    std::fs::read(plain.with_file_name("hostile_with_wasi.wasm")).expect("a built component can be read")
}

/// The same code as another version of the Spanish regime, `es-verifactu@9.0.0`.
///
/// # Panics
/// When it does not build.
pub fn reaching_component_for_spain() -> Vec<u8> {
    that_describes(reaching_component(), b"DESCRIBE=SPANISH................")
}

/// `hostile@1.3.0`, whose rules change on a day, `YYYY-MM-DD`.
///
/// # Panics
/// When it does not build.
pub fn hostile_component_with_rules(day: &str) -> Vec<u8> {
    let plain = FILE.get_or_init(build);
    let file = plain.with_file_name("hostile_with_rules.wasm");
    let component = std::fs::read(file).expect("a built component can be read");
    let mut steering = *b"DESCRIBE=RULES-.................";
    steering.get_mut(15..25).expect("a day has ten characters").copy_from_slice(day.as_bytes());
    that_describes(component, &steering)
}

/// Another behaviour of `describe`, by changing it in the finished component.
fn that_describes(mut bytes: Vec<u8>, other: &[u8; 32]) -> Vec<u8> {
    let usual = b"DESCRIBE=SOUND..................";
    let place = bytes.windows(usual.len()).position(|window| window == usual);
    let steering = place.and_then(|place| bytes.get_mut(place..place.saturating_add(usual.len())));
    steering.expect("the component has its steering").copy_from_slice(other);
    bytes
}

/// With the profile of real plugins, and in a folder of its own: the outer cargo holds the lock of the usual one.
fn build() -> PathBuf {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in std::env::vars_os() {
        if OUTER.iter().any(|outer| name.to_string_lossy().starts_with(outer)) {
            cargo.env_remove(name);
        }
    }
    let folder = target_folder().join("plugin-build");
    cargo.args(["build", "--target", "wasm32-unknown-unknown", "--profile", "plugin", "--target-dir"]);
    cargo.arg(&folder).args(["--package", "hostile-plugin", "--examples"]);
    cargo.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
    let output = cargo.output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder.join("wasm32-unknown-unknown/plugin/examples/hostile_plain.wasm")
}
