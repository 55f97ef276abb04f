//! The OpenAPI documents against the gateway that hands them out, by a tester that others wrote.

use std::fs;
use std::process::Command;

use anyhow::{Context as _, Result};

use super::author::gateway;
use super::serving::{Serving, folder, text};
use super::{Environment, SuiteOutcome, python};
use crate::{package, plugins, workspace};

/// As the examples of the documents have it.
const COMPANY: &str = "0197f4f2-0000-7000-8000-0000000000d1";
const WORKFLOW: &str = "0197f4f2-0000-7000-8000-0000000000d2";

/// Schemathesis, after both documents were found valid.
pub(super) fn schemathesis(_: &Environment) -> Result<SuiteOutcome> {
    if !package::in_path("python3") {
        return Ok(SuiteOutcome::NotRun("there is no python3 to install Schemathesis with"));
    }
    let folder = folder("schemathesis")?;
    let sources = workspace::root().join("tests/clients/openapi");
    let python = python::install(&folder, &sources.join("requirements.txt"))?;
    plugins::build("plugin")?;
    let plugins = workspace::root().join("target/plugins").display().to_string();
    let variables = [
        ("GATEWAY_PLUGINS__DIR", plugins.as_str()),
        ("GATEWAY_PROVIDER__BASE_URL", "sandbox"),
        ("GATEWAY_SANDBOX__ADDR", "127.0.0.1:0"),
        // Every call says where it comes from: see calls.py.
        ("GATEWAY_SERVER__TRUSTED_PROXIES", "127.0.0.1"),
        // What is tested is every answer but this one.
        ("GATEWAY_LIMITS__REQUESTS_PER_S", "0"),
    ];
    let serving = Serving::start_with(&gateway()?, &folder.join("data"), &variables)?;
    serving.run(&["import", &sources.join("data.ndjson").display().to_string()])?;
    let token = folder.join("token");
    fs::write(&token, "any").context("could not write the provider's token")?;
    let token = token.display().to_string();
    let configure = ["workspace", "e-invoicing", "set", "--workspace", "1", "--regime", "es-verifactu"];
    let ids = ["--company-id", COMPANY, "--workflow-id", WORKFLOW, "--token-file", &token];
    serving.run(&[configure.as_slice(), &ids].concat())?;
    let made = serving.create_client("*")?;
    let mut check = Command::new(python);
    check.arg(sources.join("check.py"));
    check.env("PUBLIC", text(&serving.listening, "public")?);
    check.env("INTERNAL", text(&serving.listening, "internal")?);
    check.env("CLIENT_ID", text(&made, "client_id")?);
    check.env("CLIENT_SECRET", text(&made, "client_secret")?);
    workspace::succeed(&mut check)?;
    Ok(SuiteOutcome::Checked)
}
