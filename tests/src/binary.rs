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
/// The plugin that tests use.
const PLUGIN: &str = "es-verifactu.wasm";

/// The gateway to test.
pub(crate) fn gateway() -> &'static Path {
    static FOUND: OnceLock<PathBuf> = OnceLock::new();
    FOUND.get_or_init(|| match env::var_os(BINARY_VARIABLE) {
        Some(path) => PathBuf::from(path),
        None => built(),
    })
}

/// Whether a gateway was built with the tests that run, and not with another state of the sources.
pub(crate) fn is_built_with_tests(gateway: &Path) -> bool {
    gateway.parent() == Some(profile_folder().as_path())
}

/// Cargo's target folder, as found from the running test: `<target>/<profile>/deps/<test>`.
///
/// # Panics
/// When the system does not tell which program runs.
pub fn target_folder() -> PathBuf {
    let profile = profile_folder();
    profile.parent().expect("the test is started below the target folder").to_owned()
}

/// Where the built plugins are. Builds them when there are none, so that the tests of a fresh checkout need no other command.
///
/// # Panics
/// When they were not built.
pub fn built_plugins() -> PathBuf {
    let folder = target_folder().join("plugins");
    let is_built = || folder.join(PLUGIN).is_file();
    if !is_built() {
        // Each test is a process: the first one builds, the others wait for it.
        let lock = fs::File::create(target_folder().join("plugins.lock")).expect("the target folder is ours");
        lock.lock().expect("the system locks files");
        let done = is_built() || cargo(&["xtask", "plugins"]);
        assert!(done && is_built(), "the plugins do not build: run 'cargo xtask plugins'");
    }
    folder
}

/// Where the plugin is that the gateway gets: one, because every process compiles what it finds.
///
/// # Panics
/// When it was not built, or there is no room for it.
pub fn plugins_folder() -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let made = FOLDER.get_or_init(|| {
        let built = built_plugins().join(PLUGIN);
        let folder = target_folder().join("gateway-tests-plugins");
        let (plugin, fresh) = (folder.join(PLUGIN), folder.join(format!("{PLUGIN}.{}", std::process::id())));
        let bytes = std::fs::read(&built).expect("a built plugin can be read");
        if std::fs::read(&plugin).ok().as_deref() != Some(bytes.as_slice()) {
            std::fs::create_dir_all(&folder).expect("there is room for a plugin");
            std::fs::write(&fresh, bytes).expect("there is room for a plugin");
            // Other tests look into the folder at the same moment.
            std::fs::rename(&fresh, &plugin).expect("the folder is ours");
        }
        folder
    });
    made.clone()
}

/// Makes sure that the gateway to test ends at named points when it is told to, and builds it so when it does not.
///
/// # Panics
/// When it cannot be built, or when `GATEWAY_BIN` names one without such points.
pub fn with_fail_points() {
    static DONE: OnceLock<()> = OnceLock::new();
    DONE.get_or_init(|| {
        if has_fail_points(gateway()) {
            return;
        }
        assert!(
            env::var_os(BINARY_VARIABLE).is_none(),
            "{BINARY_VARIABLE} names a gateway without fail points"
        );
        build(&["--features", "gateway/fail-points"]);
        assert!(has_fail_points(gateway()), "the gateway does not end at named points");
    });
}

/// The name of the variable is in the program only when it is read.
fn has_fail_points(binary: &Path) -> bool {
    let found = Command::new("grep").args(["-q", "GATEWAY_TEST_KILL_AT"]).arg(binary).status();
    found.is_ok_and(|status| status.success())
}

fn profile_folder() -> PathBuf {
    let program = env::current_exe().expect("the system tells which program runs");
    let folder = program.parent().expect("a program is in a folder");
    // Tests are one folder deeper than programs.
    let profile = if folder.ends_with("deps") { folder.parent().unwrap_or(folder) } else { folder };
    profile.to_owned()
}

fn built() -> PathBuf {
    let binary = profile_folder().join("gateway");
    if !is_fresh(&binary) {
        build(&[]);
    }
    binary
}

fn build(more: &[&str]) {
    let binary = profile_folder().join("gateway");
    let arguments = ["build", "--quiet", "--package", "gateway", "--bin", "gateway"];
    let done = cargo(&[arguments.as_slice(), more].concat());
    assert!(done && binary.is_file(), "the gateway does not build: run 'cargo build -p gateway'");
}

/// Runs cargo in the workspace, and says whether it succeeded.
fn cargo(arguments: &[&str]) -> bool {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(arguments).current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
    // What the outer cargo told this process is not meant for the inner one.
    for (name, _) in env::vars_os() {
        let ours = name.to_str().is_some_and(|name| name.starts_with("CARGO_") && name != "CARGO_TARGET_DIR");
        if ours && name != "CARGO_HOME" {
            cargo.env_remove(name);
        }
    }
    cargo.status().is_ok_and(|status| status.success())
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
