//! `cargo xtask bench`: measurements, in release. Issuing runs on a database whose commits are on disk.

use anyhow::Result;

use crate::postgres::Postgres;
use crate::{Outcome, plugins, workspace};

/// Where the benchmark of issuing looks for PostgreSQL.
const POSTGRES: &str = "GATEWAY_BENCH_POSTGRES";
/// Where the benchmark of conversions looks for the plugin.
const PLUGIN: &str = "GATEWAY_BENCH_PLUGIN";

pub(crate) fn run(arguments: &[String]) -> Result<Outcome> {
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["issuing"] => issuing()?,
        ["convert"] => convert("release")?,
        ["convert", "--profile", profile] => convert(profile)?,
        _ => return Ok(Outcome::Misuse),
    }
    Ok(Outcome::Done)
}

fn issuing() -> Result<()> {
    // Before the server starts, so that the two do not disturb each other.
    let build = ["bench", "--package", "gateway-server", "--bench", "issuing"];
    eprintln!("building in release (the first time takes some minutes)");
    workspace::succeed(workspace::cargo().args(build).arg("--no-run"))?;
    let postgres = Postgres::start_durable()?;
    workspace::succeed(workspace::cargo().args(build).env(POSTGRES, postgres.url()))
}

/// The plugin is always built as it is installed; `profile` is how the host and the native code are built.
fn convert(profile: &str) -> Result<()> {
    plugins::build("plugin")?;
    let plugin = workspace::members()?.target_directory.join("plugins/es-verifactu.wasm");
    eprintln!("building with the profile {profile} (the first time takes some minutes)");
    let bench = ["bench", "--package", "gateway-bench", "--bench", "convert", "--profile", profile];
    workspace::succeed(workspace::cargo().args(bench).env(PLUGIN, plugin))
}
