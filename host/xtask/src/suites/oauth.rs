//! Suites from the side of an integrator: stock OAuth clients and JOSE libraries against a gateway that serves.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::author::gateway;
use super::serving::{Serving, folder, text};
use super::{Environment, SuiteOutcome, node, python};
use crate::{package, workspace};

/// Authlib, with its validators of RFC 8414 and RFC 9068.
pub(super) fn authlib(_: &Environment) -> Result<SuiteOutcome> {
    if !package::in_path("python3") {
        return Ok(SuiteOutcome::NotRun("there is no python3 to install Authlib with"));
    }
    let folder = folder("authlib")?;
    let source = sources().join("python");
    let python = python::install(&folder, &source.join("requirements.txt"))?;
    check(&folder, Command::new(python).arg(source.join("check.py")))
}

/// openid-client, with jose.
pub(super) fn openid_client(_: &Environment) -> Result<SuiteOutcome> {
    for (program, missing) in [
        ("node", "there is no node to run openid-client with"),
        ("npm", "there is no npm to install openid-client with"),
    ] {
        if !package::in_path(program) {
            return Ok(SuiteOutcome::NotRun(missing));
        }
    }
    let folder = folder("openid-client")?;
    node::install(&folder, &sources().join("javascript"), &["package.json", "check.mjs"])?;
    check(&folder, Command::new("node").arg(folder.join("check.mjs")))
}

fn sources() -> PathBuf {
    workspace::root().join("tests/clients/oauth")
}

/// Runs the check of a client against a fresh gateway.
fn check(folder: &Path, command: &mut Command) -> Result<SuiteOutcome> {
    let serving = Serving::start(&gateway()?, &folder.join("data"))?;
    let made = serving.create_client("invoicing.rpc")?;
    command.env("ISSUER", text(&serving.listening, "public")?);
    command.env("INTERNAL", text(&serving.listening, "internal")?);
    command.env("CLIENT_ID", text(&made, "client_id")?);
    command.env("CLIENT_SECRET", text(&made, "client_secret")?);
    workspace::succeed(command)?;
    Ok(SuiteOutcome::Checked)
}
