//! Webhooks verified by the library of the Standard Webhooks specification.

use std::process::Command;

use anyhow::Result;

use super::author::gateway;
use super::serving::{Serving, folder, text};
use super::{Environment, SuiteOutcome, python};
use crate::{package, workspace};

/// A receiver that uses the library.
pub(super) fn standard(_: &Environment) -> Result<SuiteOutcome> {
    if !package::in_path("python3") {
        return Ok(SuiteOutcome::NotRun("there is no python3 to install standardwebhooks with"));
    }
    let folder = folder("webhooks")?;
    let sources = workspace::root().join("tests/clients/webhooks");
    let python = python::install(&folder, &sources.join("requirements.txt"))?;
    let variables = [("GATEWAY_WEBHOOKS__ALLOW_PRIVATE", "true")];
    let serving = Serving::start_with(&gateway()?, &folder.join("data"), &variables)?;
    serving.run(&["import", &sources.join("data.ndjson").display().to_string()])?;
    let made = serving.create_client("*")?;
    let mut check = Command::new(python);
    check.arg(sources.join("check.py"));
    check.env("PUBLIC", text(&serving.listening, "public")?);
    check.env("CLIENT_ID", text(&made, "client_id")?);
    check.env("CLIENT_SECRET", text(&made, "client_secret")?);
    workspace::succeed(&mut check)?;
    Ok(SuiteOutcome::Checked)
}
