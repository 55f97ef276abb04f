//! Suites from the side of a plugin's author: what `gateway plugin new` makes, and plugins in other languages.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use super::{Environment, SuiteOutcome};
use crate::package;
use crate::workspace::{self, TEST_FEATURES};

/// The guide that tells authors what to type, and how the block begins that makes, builds and tests a new plugin.
const GUIDE_BLOCK: (&str, &str) = ("plugins/README.md", "gateway plugin new ");

/// What authors are told to type first works: a new plugin builds, passes its golden cases in the host and its own tests.
pub(super) fn new_plugin(_: &Environment) -> Result<SuiteOutcome> {
    let gateway = gateway()?;
    let text = fs::read_to_string(workspace::root().join(GUIDE_BLOCK.0))?;
    let typed = shell_block(&text, GUIDE_BLOCK.1)
        .with_context(|| format!("{} has no block '{}…'", GUIDE_BLOCK.0, GUIDE_BLOCK.1))?;
    let suites = workspace::root().join("target/suites");
    let folder = suites.join("new-plugin");
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("could not remove {}", folder.display()))?;
    }
    fs::create_dir_all(&folder).with_context(|| format!("could not create {}", folder.display()))?;
    let searched = env::var_os("PATH").unwrap_or_default();
    let here = gateway.parent().map(Path::to_path_buf);
    let path = env::join_paths(here.into_iter().chain(env::split_paths(&searched)))?;
    let mut shell = Command::new("bash");
    shell.current_dir(&folder).args(["-eu", "-c", typed]).env("PATH", path);
    shell.env("CARGO_TARGET_DIR", suites.join("new-plugin-target"));
    workspace::succeed(&mut shell)?;
    Ok(SuiteOutcome::Checked)
}

/// What is typed in the shell block of a guide that begins so.
fn shell_block<'a>(guide: &'a str, first: &str) -> Option<&'a str> {
    let blocks = guide.split("```").filter_map(|block| block.split_once('\n'));
    let mut typed = blocks.filter(|(language, typed)| language.starts_with("sh") && typed.starts_with(first));
    typed.next().map(|(_, typed)| typed)
}

/// A plugin in Python, built with componentize-py.
pub(super) fn python(_: &Environment) -> Result<SuiteOutcome> {
    if !package::in_path("python3") {
        return Ok(SuiteOutcome::NotRun("there is no python3 to install componentize-py with"));
    }
    example("python", "xx-demo-py.wasm")
}

/// A plugin in JavaScript, built with jco.
pub(super) fn javascript(_: &Environment) -> Result<SuiteOutcome> {
    if !package::in_path("npm") {
        return Ok(SuiteOutcome::NotRun("there is no npm to install jco with"));
    }
    example("javascript", "xx-demo-js.wasm")
}

/// Builds an example and converts the golden cases of all examples with it.
fn example(folder: &str, component: &str) -> Result<SuiteOutcome> {
    let gateway = gateway()?;
    let examples = workspace::root().join("plugins/examples");
    let folder = examples.join(folder);
    workspace::succeed(Command::new("sh").current_dir(&folder).arg("build.sh"))?;
    test(&gateway, &folder.join(component), &examples.join("golden"))?;
    Ok(SuiteOutcome::Checked)
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
