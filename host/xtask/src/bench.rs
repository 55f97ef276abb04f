//! `cargo xtask bench`: measurements of what is shipped. The server's run on databases whose commits are on disk.

use anyhow::Result;

use crate::postgres::{self, Postgres};
use crate::{Outcome, plugins, workspace};

/// The profile that the gateway is shipped with, linked as a whole.
const SHIPPED: &str = "dist";
/// Where benchmarks of the server look for PostgreSQL.
const POSTGRES: &str = "GATEWAY_BENCH_POSTGRES";
/// Where the benchmark of GraphQL looks for the program that sends bare queries.
const PGBENCH: &str = "GATEWAY_BENCH_PGBENCH";
/// Where the benchmark of conversions looks for the plugin.
const PLUGIN: &str = "GATEWAY_BENCH_PLUGIN";
/// Where the benchmark of PDFs looks for the renderer.
const RENDERER: &str = "GATEWAY_BENCH_RENDERER";

pub(crate) fn run(arguments: &[String]) -> Result<Outcome> {
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [name @ ("graphql" | "issuing" | "pages" | "token" | "webhooks")] => served(name, SHIPPED)?,
        [name @ ("graphql" | "issuing" | "pages" | "token" | "webhooks"), "--profile", profile] => {
            served(name, profile)?;
        }
        [name @ ("convert" | "pdf")] => component(name, SHIPPED)?,
        [name @ ("convert" | "pdf"), "--profile", profile] => component(name, profile)?,
        _ => return Ok(Outcome::Misuse),
    }
    Ok(Outcome::Done)
}

/// A benchmark of the server with a PostgreSQL beside it.
fn served(name: &str, profile: &str) -> Result<()> {
    // Before the server starts, so that the two do not disturb each other.
    let build = ["bench", "--package", "gateway", "--bench", name, "--profile", profile];
    eprintln!("building with the profile {profile} (the first time takes some minutes)");
    workspace::succeed(workspace::cargo().args(build).arg("--no-run"))?;
    let postgres = Postgres::start_durable()?;
    let mut run = workspace::cargo();
    run.args(build).env(POSTGRES, postgres.url());
    if let Some(pgbench) = postgres::program("pgbench") {
        run.env(PGBENCH, pgbench);
    }
    workspace::succeed(&mut run)
}

/// A benchmark of a component, which is always built as it is installed; `profile` is how the host and the native code are
/// built.
fn component(name: &str, profile: &str) -> Result<()> {
    let (key, folder, variable) = match name {
        "pdf" => ("render-pdf", "plugins/render", RENDERER),
        _ => ("es-verifactu", "plugins", PLUGIN),
    };
    plugins::build_only("plugin", &[key])?;
    let file = workspace::members()?.target_directory.join(folder).join(format!("{key}.wasm"));
    eprintln!("building with the profile {profile} (the first time takes some minutes)");
    let bench = ["bench", "--package", "gateway-bench", "--bench", name, "--profile", profile];
    workspace::succeed(workspace::cargo().args(bench).env(variable, file))
}
