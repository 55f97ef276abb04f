//! The binary under test: the one that `GATEWAY_BIN` names, else `gateway` beside the tests, built anew when a source
//! is newer.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::SystemTime;

/// Names a binary that is used as it is.
const BINARY_VARIABLE: &str = "GATEWAY_BIN";

/// The gateway to test.
pub(crate) fn gateway() -> &'static Path {
    static FOUND: OnceLock<PathBuf> = OnceLock::new();
    FOUND.get_or_init(|| match env::var_os(BINARY_VARIABLE) {
        Some(path) => PathBuf::from(path),
        None => built(),
    })
}

/// Cargo's target folder, as found from the running test: `<target>/<profile>/deps/<test>`.
///
/// # Panics
/// When the system does not tell which program runs.
pub fn target_folder() -> PathBuf {
    let profile = profile_folder();
    profile.parent().expect("the test is started below the target folder").to_owned()
}

/// Where the plugins are that the gateway gets.
///
/// # Panics
/// When they were not built.
pub fn plugins_folder() -> PathBuf {
    let folder = target_folder().join("plugins");
    assert!(
        folder.join("es-verifactu.wasm").is_file(),
        "there is no plugin: run 'cargo xtask plugins' first"
    );
    folder
}

fn profile_folder() -> PathBuf {
    let test = env::current_exe().expect("the system tells which program runs");
    test.ancestors().nth(2).expect("the test is started below the target folder").to_owned()
}

fn built() -> PathBuf {
    let binary = profile_folder().join("gateway");
    if is_fresh(&binary) {
        return binary;
    }
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--quiet", "--package", "gateway-server", "--bin", "gateway"]);
    cargo.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
    // What the outer cargo told this process is not meant for the inner one.
    for (name, _) in env::vars_os() {
        let ours = name.to_str().is_some_and(|name| name.starts_with("CARGO_") && name != "CARGO_TARGET_DIR");
        if ours && name != "CARGO_HOME" {
            cargo.env_remove(name);
        }
    }
    let done = cargo.status().is_ok_and(|status| status.success());
    assert!(done && binary.is_file(), "the gateway does not build: run 'cargo build -p gateway-server'");
    binary
}

/// Whether nothing that the binary was made of is newer than it; cargo lists all of that beside it.
fn is_fresh(binary: &Path) -> bool {
    let changed = |path: &Path| -> Option<SystemTime> { fs::metadata(path).ok()?.modified().ok() };
    let (Some(made), Ok(list)) = (changed(binary), fs::read_to_string(binary.with_extension("d"))) else {
        return false;
    };
    let sources = list.split_once(':').map_or("", |(_, sources)| sources);
    sources.split_whitespace().all(|source| changed(Path::new(source)).is_none_or(|at| at <= made))
}
