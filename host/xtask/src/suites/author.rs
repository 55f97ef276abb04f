//! Suites from the side of a plugin's author: what `gateway plugin new` makes, and plugins in other languages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use super::{Environment, Ran};
use crate::package;
use crate::workspace::{self, TEST_FEATURES};

/// A new plugin builds, passes its golden cases in the host and its own tests.
pub(super) fn new_plugin(_: &Environment) -> Result<Ran> {
    let gateway = gateway()?;
    let suites = workspace::root().join("target/suites");
    let folder = suites.join("xx-fresh");
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("could not remove {}", folder.display()))?;
    }
    fs::create_dir_all(&suites).with_context(|| format!("could not create {}", suites.display()))?;
    let target = suites.join("xx-fresh-target");
    workspace::succeed(Command::new(&gateway).current_dir(&suites).args(["plugin", "new", "xx-fresh"]))?;
    for arguments in [["plugin", "build", "--json"], ["plugin", "test", "xx-fresh.wasm"]] {
        let mut command = Command::new(&gateway);
        command.current_dir(&folder).args(arguments).env("CARGO_TARGET_DIR", &target);
        workspace::succeed(&mut command)?;
    }
    let mut cargo = workspace::cargo();
    cargo.current_dir(&folder).arg("test").env("CARGO_TARGET_DIR", &target);
    workspace::succeed(&mut cargo)?;
    Ok(Ran::Checked)
}

/// A plugin in Python, built with componentize-py.
pub(super) fn python(_: &Environment) -> Result<Ran> {
    if !package::in_path("python3") {
        return Ok(Ran::Not("there is no python3 to install componentize-py with"));
    }
    example("python", "xx-demo-py.wasm")
}

/// A plugin in JavaScript, built with jco.
pub(super) fn javascript(_: &Environment) -> Result<Ran> {
    if !package::in_path("npm") {
        return Ok(Ran::Not("there is no npm to install jco with"));
    }
    example("javascript", "xx-demo-js.wasm")
}

/// Builds an example and converts the golden cases of all examples with it.
fn example(folder: &str, component: &str) -> Result<Ran> {
    let gateway = gateway()?;
    let examples = workspace::root().join("plugins/examples");
    let folder = examples.join(folder);
    workspace::succeed(Command::new("sh").current_dir(&folder).arg("build.sh"))?;
    test(&gateway, &folder.join(component), &examples.join("golden"))?;
    Ok(Ran::Checked)
}

fn test(gateway: &Path, component: &Path, cases: &Path) -> Result<()> {
    let mut command = Command::new(gateway);
    command.args(["plugin", "test"]).arg(component).arg("--cases").arg(cases);
    workspace::succeed(&mut command)
}

/// The gateway with the features of the tests, so that nothing is compiled twice.
pub(super) fn gateway() -> Result<PathBuf> {
    let mut cargo = workspace::cargo();
    cargo.args(["build", "--workspace", "--bins", "--tests"]).args(TEST_FEATURES);
    workspace::succeed(&mut cargo)?;
    Ok(workspace::root().join("target/debug/gateway"))
}
