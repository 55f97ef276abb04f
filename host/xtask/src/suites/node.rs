//! Packages of npm, in a folder of their own.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::workspace;

/// Copies these files of `sources` to `folder`, and installs there what their `package.json` names.
pub(crate) fn install(folder: &Path, sources: &Path, names: &[&str]) -> Result<()> {
    for name in names {
        let from = sources.join(name);
        fs::copy(&from, folder.join(name)).with_context(|| format!("could not copy {}", from.display()))?;
    }
    let mut npm = Command::new("npm");
    workspace::succeed(npm.current_dir(folder).args(["install", "--silent", "--no-audit", "--no-fund"]))
}
