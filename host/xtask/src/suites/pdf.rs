//! PDFs of the renderer: pages against golden ones, QR codes read back, and a validator of PDF/A that others wrote.

use std::fs;
use std::process::Command;

use anyhow::{Context as _, Result};

use super::serving::folder;
use super::{Environment, SuiteOutcome, python};
use crate::package::{self, Package};
use crate::workspace::{self, TEST_FEATURES};

const PDFTOPPM: Package = Package {
    title: "pdftoppm",
    names: ["poppler-utils", "poppler-utils", "poppler-utils", "poppler"],
    by_hand: "install the package `poppler-utils` by hand",
};

const ZBARIMG: Package = Package {
    title: "zbarimg",
    names: ["zbar-tools", "zbar", "zbar", "zbar"],
    by_hand: "install the package `zbar-tools` by hand",
};

/// What draws the pages of a file, and what reads codes in pictures.
pub(super) fn install_readers() -> Result<()> {
    for (program, package) in [("pdftoppm", &PDFTOPPM), ("zbarimg", &ZBARIMG)] {
        if !package::in_path(program) {
            package::install(package)?;
        }
    }
    Ok(())
}

/// The samples of the renderer's own tests. `UPDATE_GOLDEN=1` makes the golden pages anew.
pub(super) fn samples(_: &Environment) -> Result<SuiteOutcome> {
    if !package::in_path("python3") {
        return Ok(SuiteOutcome::NotRun("there is no python3 to install pikepdf with"));
    }
    install_readers()?;
    let folder = folder("pdf")?;
    let sources = workspace::root().join("tests/clients/pdf");
    let python = python::install(&folder, &sources.join("requirements.txt"))?;
    let samples = folder.join("samples");
    if samples.exists() {
        fs::remove_dir_all(&samples).with_context(|| format!("could not remove {}", samples.display()))?;
    }
    let mut cargo = workspace::cargo();
    cargo
        .args(["test", "--workspace", "--test", "it"])
        .args(TEST_FEATURES)
        .args(["--", "every_sample_is_a_file"]);
    workspace::succeed(cargo.env("RENDER_SAMPLES", &samples))?;
    let mut check = Command::new(python);
    workspace::succeed(check.arg(sources.join("check.py")).env("SAMPLES", &samples))?;
    Ok(SuiteOutcome::Checked)
}
