//! Suites from the side of an integrator: the audit of GraphQL over HTTP, federation behind gateways that others wrote, and
//! a typed client generated from the published schema.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::author::gateway;
use super::serving::{Serving, folder, text};
use super::{Environment, SuiteOutcome, node};
use crate::{package, workspace};

/// What is copied to where the packages are installed.
const SOURCES: [&str; 6] =
    ["package.json", "tsconfig.json", "gateway.js", "audit.js", "federate.js", "typed.ts"];

/// All clients, one after the other, against one gateway with a little data.
pub(super) fn clients(_: &Environment) -> Result<SuiteOutcome> {
    for (program, missing) in [
        ("node", "there is no node to run GraphQL clients with"),
        ("npm", "there is no npm to install GraphQL clients with"),
    ] {
        if !package::in_path(program) {
            return Ok(SuiteOutcome::NotRun(missing));
        }
    }
    let sources = workspace::root().join("tests/clients/graphql");
    let folder = folder("graphql")?;
    node::install(&folder, &sources, &SOURCES)?;

    let serving = Serving::start(&gateway()?, &folder.join("data"))?;
    let data = sources.join("data.ndjson");
    serving.run(&["import", &data.display().to_string()])?;
    let made = serving.create_client("*")?;
    let url = text(&serving.listening, "public")?;
    let run = |command: &mut Command| {
        command.current_dir(&folder).env("GATEWAY_URL", url);
        command.env("GATEWAY_CLIENT_ID", text(&made, "client_id")?);
        workspace::succeed(command.env("GATEWAY_CLIENT_SECRET", text(&made, "client_secret")?))
    };
    run(Command::new("node").arg("audit.js"))?;
    run(Command::new("node").arg("federate.js"))?;
    // The committed schema is the served one: a test of the gateway compares them.
    let schema = workspace::root().join("host/graphql/schema.graphql");
    run(tool(&folder, "genql").arg("--schema").arg(&schema).args(["--output", "generated", "--esm"]))?;
    run(tool(&folder, "tsc").args(["--project", "tsconfig.json"]))?;
    let bundle = ["typed.ts", "--bundle", "--platform=node", "--format=esm", "--log-level=warning"];
    run(tool(&folder, "esbuild").args(bundle).arg("--outfile=build/typed.js"))?;
    run(Command::new("node").arg("build/typed.js"))?;
    Ok(SuiteOutcome::Checked)
}

/// A program that was installed with the packages.
fn tool(folder: &Path, name: &str) -> Command {
    let program: PathBuf = folder.join("node_modules/.bin").join(name);
    Command::new(program)
}
