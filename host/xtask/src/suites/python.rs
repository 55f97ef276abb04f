//! Packages of Python, in an environment of their own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::workspace;

/// The interpreter of an environment below `folder` with these requirements; made anew when others are asked for.
pub(super) fn install(folder: &Path, requirements: &Path) -> Result<PathBuf> {
    let python = folder.join("venv/bin/python");
    let required = fs::read(requirements).context("could not read the requirements of the suite")?;
    let installed = folder.join("installed.txt");
    if fs::read(&installed).ok().as_ref() != Some(&required) {
        let mut venv = Command::new("python3");
        workspace::succeed(venv.args(["-m", "venv", "--clear"]).arg(folder.join("venv")))?;
        let mut pip = Command::new(&python);
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"]);
        workspace::succeed(pip.arg(requirements))?;
        fs::write(&installed, &required).context("could not note what was installed")?;
    }
    Ok(python)
}
