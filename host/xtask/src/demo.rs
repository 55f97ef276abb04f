//! `cargo xtask demo`: everything a stranger needs to see the main job, in one command.

use std::env::consts::EXE_SUFFIX;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::{Outcome, plugins, workspace};

/// What the demonstration sends invoices by, and shows one with.
const REGIME: &str = "es-verifactu";
const RENDERER: &str = "render-pdf";

/// Builds, then becomes `gateway demo`: signals and the exit status are the gateway's own.
pub(crate) fn run(arguments: &[String]) -> Result<Outcome> {
    let shows_pdf = arguments.iter().any(|argument| argument == "--pdf");
    // No other tax system is shown, and a renderer takes longer to build than all of them.
    let components: &[&str] = if shows_pdf { &[REGIME, RENDERER] } else { &[REGIME] };
    plugins::build_only("plugin", components)?;
    eprintln!("building the gateway (the first time takes some minutes)");
    workspace::succeed(workspace::cargo().args(["build", "--package", "gateway", "--bin", "gateway"]))?;
    let gateway = workspace::members()?.target_directory.join(format!("debug/gateway{EXE_SUFFIX}"));
    let failure = Command::new(&gateway).arg("demo").args(arguments).exec();
    Err(failure).with_context(|| format!("could not start {gateway}"))
}
