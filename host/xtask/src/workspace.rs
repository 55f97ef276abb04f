//! The workspace around us, and cargo as a tool.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use cargo_metadata::{Metadata, MetadataCommand};

/// Variables that `cargo run` sets for us. A build script that watches one of them would be run again for nothing.
const OURS: [&str; 6] = [
    "CARGO_PKG_",
    "CARGO_MANIFEST_",
    "CARGO_CRATE_NAME",
    "CARGO_BIN_NAME",
    "CARGO_PRIMARY_PACKAGE",
    "OUT_DIR",
];

/// What the gateway under test can do beside the released one: end at named points of the code.
pub(crate) const TEST_FEATURES: [&str; 2] = ["--features", "gateway/fail-points"];

/// In one go, so that no dependency is compiled twice with other features.
pub(crate) const BUILD_TESTS: [&str; 6] =
    ["build", "--workspace", "--bins", "--tests", "--features", "gateway/fail-points"];

/// The folder of the workspace's `Cargo.toml`.
pub(crate) fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).map_or_else(|| here.clone(), PathBuf::from)
}

/// Where cargo puts what it builds with a profile, below its target folder.
pub(crate) fn profile_folder(profile: &str) -> &str {
    if profile == "dev" { "debug" } else { profile }
}

/// `cargo metadata` of the members alone: enough for manifests, and needs no network.
pub(crate) fn members() -> Result<Metadata> {
    MetadataCommand::new()
        .current_dir(root())
        .no_deps()
        .exec()
        .context("`cargo metadata` failed: correct the manifest that it names")
}

/// `cargo metadata` with the whole resolved graph.
pub(crate) fn graph() -> Result<Metadata> {
    MetadataCommand::new()
        .current_dir(root())
        .exec()
        .context("`cargo metadata` failed: correct the manifest that it names")
}

/// The cargo that runs us, in the root, without what it set for us alone.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    remove_variables(&mut command, &OURS);
    command
}

/// Takes every variable that starts with one of `prefixes` from the environment of `command`.
pub(crate) fn remove_variables(command: &mut Command, prefixes: &[&str]) {
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(|name| prefixes.iter().any(|prefix| name.starts_with(prefix))) {
            command.env_remove(name);
        }
    }
}

/// Runs to the end with our own input and output.
pub(crate) fn succeed(command: &mut Command) -> Result<()> {
    let command_line = command_line(command);
    let status = command.status().with_context(|| format!("could not start `{command_line}`"))?;
    if status.success() { Ok(()) } else { bail!("`{command_line}` failed ({status})") }
}

/// As a person would type it, without folders in front of the program.
fn command_line(command: &Command) -> String {
    let program = PathBuf::from(command.get_program());
    let program = program.file_name().unwrap_or(command.get_program());
    std::iter::once(program)
        .chain(command.get_args())
        .map(|word| word.to_string_lossy().into_owned())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Whether the runner that runs tests side by side is installed.
pub(crate) fn has_nextest() -> bool {
    cargo().args(["nextest", "--version"]).output().is_ok_and(|output| output.status.success())
}
