//! A gateway that serves, for clients that others wrote.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::workspace;

/// Where a suite keeps what it installs.
pub(super) fn folder(name: &str) -> Result<PathBuf> {
    let folder = workspace::root().join("target/suites").join(name);
    fs::create_dir_all(&folder).with_context(|| format!("could not create {}", folder.display()))?;
    Ok(folder)
}

/// A text of an object that the gateway printed.
pub(super) fn text<'a>(object: &'a Value, name: &str) -> Result<&'a str> {
    object.get(name).and_then(Value::as_str).with_context(|| format!("the gateway named no {name}: {object}"))
}

/// A gateway on free ports with data of its own, ended when dropped.
pub(super) struct Serving {
    gateway: PathBuf,
    data: PathBuf,
    variables: Vec<(String, String)>,
    process: Child,
    /// What it said when it was ready.
    pub(super) listening: Value,
    /// Kept open, so that it can go on writing.
    output: BufReader<ChildStdout>,
}

impl Serving {
    pub(super) fn start(gateway: &Path, data: &Path) -> Result<Self> {
        Self::start_with(gateway, data, &[])
    }

    /// With these variables besides.
    pub(super) fn start_with(gateway: &Path, data: &Path, variables: &[(&str, &str)]) -> Result<Self> {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let variables: Vec<_> = variables.iter().map(owned).collect();
        if data.exists() {
            fs::remove_dir_all(data).with_context(|| format!("could not remove {}", data.display()))?;
        }
        fs::create_dir_all(data).with_context(|| format!("could not create {}", data.display()))?;
        let mut command = gateway_command(gateway, data, &variables);
        let log = fs::File::create(data.join("log")).context("could not create the log of the gateway")?;
        command.arg("serve").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        let mut process = command.spawn().context("could not start the gateway")?;
        let output = process.stdout.take().context("the gateway has no output")?;
        let mut serving = Self {
            gateway: gateway.to_owned(),
            data: data.to_owned(),
            variables,
            process,
            listening: Value::Null,
            output: BufReader::new(output),
        };
        let mut line = String::new();
        serving.output.read_line(&mut line).context("could not read what the gateway says")?;
        serving.listening = serde_json::from_str(&line).with_context(|| {
            format!("the gateway did not listen: see {}", serving.data.join("log").display())
        })?;
        Ok(serving)
    }

    /// Runs a command beside it.
    pub(super) fn run(&self, arguments: &[&str]) -> Result<()> {
        workspace::succeed(gateway_command(&self.gateway, &self.data, &self.variables).args(arguments))
    }

    /// A Spanish workspace of this name, and its id.
    pub(super) fn create_workspace(&self, name: &str) -> Result<i64> {
        let mut command = gateway_command(&self.gateway, &self.data, &self.variables);
        command.args([
            "workspace",
            "create",
            "--name",
            name,
            "--legal-name",
            "Casa S.L.",
            "--tax-id",
            "B98602642",
        ]);
        command.args(["--country", "ES", "--time-zone", "Europe/Madrid", "--street", "Calle Mayor 1"]);
        command.args(["--locality", "Madrid", "--postcode", "28013", "--json"]);
        let output = command.output().context("could not run the gateway")?;
        ensure!(output.status.success(), "no workspace: {}", String::from_utf8_lossy(&output.stderr));
        let made: Value = serde_json::from_slice(&output.stdout).context("the gateway printed no JSON")?;
        made.get("id").and_then(Value::as_i64).with_context(|| format!("the gateway named no id: {made}"))
    }

    /// A client with this permission in every workspace, and its secret.
    pub(super) fn create_client(&self, permission: &str) -> Result<Value> {
        let mut command = gateway_command(&self.gateway, &self.data, &self.variables);
        command.args(["client", "create", "--name", "suite", "--permission", permission]);
        let output =
            command.args(["--workspace", "*", "--json"]).output().context("could not run the gateway")?;
        ensure!(output.status.success(), "no client: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).context("the gateway printed no JSON")
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The gateway with nothing of our own configuration.
fn gateway_command(gateway: &Path, data: &Path, variables: &[(String, String)]) -> Command {
    let mut command = Command::new(gateway);
    workspace::remove_variables(&mut command, &["GATEWAY_"]);
    command.current_dir(data).env("GATEWAY_DATA_DIR", data);
    for listener in ["PUBLIC", "INTERNAL"] {
        command.env(format!("GATEWAY_SERVER__{listener}_ADDR"), "127.0.0.1:0");
    }
    command.env("GATEWAY_PLUGINS__DIR", data.join("plugins"));
    command.envs(variables.iter().map(|(name, value)| (name, value)));
    command
}
