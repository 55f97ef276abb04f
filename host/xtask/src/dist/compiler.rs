//! What stands between Cargo and the compiler while what is shipped is built.
//!
//! A build script may hand its crate a folder of the build as a variable, which then stands in the crate: one of Wasmtime's
//! procedural macros names the folder for its debug output so. The crate's hash would follow where it was built, and with it
//! the names of functions in every crate that uses it. The variable gets the same value everywhere.

use anyhow::{Context, Result};
use std::env;
use std::ffi::OsStr;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// Is set while this program is called instead of the compiler.
const MARK: &str = "XTASK_COMPILES";
/// What is handed to crates, and names a folder of the build.
const FOLDERS: [&str; 1] = ["DEBUG_OUTPUT_DIR"];
/// What it is called instead.
const NAME: &str = "/target";

/// Has a Cargo call this program instead of the compiler.
pub(super) fn stand_before(cargo: &mut Command) -> Result<()> {
    let program = env::current_exe().context("the system does not say which program this is")?;
    cargo.env("RUSTC_WRAPPER", program).env(MARK, "1");
    Ok(())
}

/// Whether these are the arguments of a Cargo that wants the compiler, which stands first.
pub(crate) fn is_called_for(first: &str) -> bool {
    env::var_os(MARK).is_some() && Path::new(first).file_stem() == Some(OsStr::new("rustc"))
}

/// Becomes the compiler.
pub(crate) fn become_it(compiler: &str, arguments: &[String]) -> anyhow::Error {
    let mut command = Command::new(compiler);
    command.args(arguments).env_remove(MARK);
    for name in FOLDERS.iter().filter(|name| env::var_os(name).is_some()) {
        command.env(name, NAME);
    }
    anyhow::Error::new(command.exec()).context(format!("could not start {compiler}"))
}
