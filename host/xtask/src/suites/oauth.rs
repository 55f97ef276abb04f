//! Suites from the side of an integrator: stock OAuth clients and JOSE libraries against a gateway that serves.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use super::author::gateway;
use super::{Environment, Ran};
use crate::{package, workspace};

/// Authlib, with its validators of RFC 8414 and RFC 9068.
pub(super) fn authlib(_: &Environment) -> Result<Ran> {
    if !package::in_path("python3") {
        return Ok(Ran::Not("there is no python3 to install Authlib with"));
    }
    let place = place("authlib")?;
    let source = sources().join("python");
    let requirements = source.join("requirements.txt");
    let python = place.join("venv/bin/python");
    // Made anew when another version is asked for.
    let wanted = fs::read(&requirements).context("could not read the requirements of the suite")?;
    let installed = place.join("installed.txt");
    if fs::read(&installed).ok().as_ref() != Some(&wanted) {
        let mut venv = Command::new("python3");
        workspace::succeed(venv.args(["-m", "venv", "--clear"]).arg(place.join("venv")))?;
        let mut pip = Command::new(&python);
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"]);
        workspace::succeed(pip.arg(&requirements))?;
        fs::write(&installed, &wanted).context("could not note what was installed")?;
    }
    check(&place, Command::new(python).arg(source.join("check.py")))
}

/// openid-client, with jose.
pub(super) fn openid_client(_: &Environment) -> Result<Ran> {
    for (program, missing) in [
        ("node", "there is no node to run openid-client with"),
        ("npm", "there is no npm to install openid-client with"),
    ] {
        if !package::in_path(program) {
            return Ok(Ran::Not(missing));
        }
    }
    let place = place("openid-client")?;
    for name in ["package.json", "check.mjs"] {
        let from = sources().join("javascript").join(name);
        fs::copy(&from, place.join(name)).with_context(|| format!("could not copy {}", from.display()))?;
    }
    let mut npm = Command::new("npm");
    npm.current_dir(&place).args(["install", "--silent", "--no-audit", "--no-fund"]);
    workspace::succeed(&mut npm)?;
    check(&place, Command::new("node").arg(place.join("check.mjs")))
}

fn sources() -> PathBuf {
    workspace::root().join("tests/clients/oauth")
}

/// Where a suite keeps what it installs.
fn place(name: &str) -> Result<PathBuf> {
    let place = workspace::root().join("target/suites").join(name);
    fs::create_dir_all(&place).with_context(|| format!("could not create {}", place.display()))?;
    Ok(place)
}

/// Runs the check of a client against a fresh gateway.
fn check(place: &Path, command: &mut Command) -> Result<Ran> {
    let serving = Serving::start(&gateway()?, &place.join("data"))?;
    let made = serving.create_client()?;
    command.env("ISSUER", text(&serving.listening, "public")?);
    command.env("INTERNAL", text(&serving.listening, "internal")?);
    command.env("CLIENT_ID", text(&made, "client_id")?);
    command.env("CLIENT_SECRET", text(&made, "client_secret")?);
    workspace::succeed(command)?;
    Ok(Ran::Checked)
}

fn text<'a>(object: &'a Value, name: &str) -> Result<&'a str> {
    object.get(name).and_then(Value::as_str).with_context(|| format!("the gateway named no {name}: {object}"))
}

/// A gateway on free ports with data of its own, ended when dropped.
struct Serving {
    gateway: PathBuf,
    data: PathBuf,
    process: Child,
    /// What it said when it was ready.
    listening: Value,
    /// Kept open, so that it can go on writing.
    output: BufReader<ChildStdout>,
}

impl Serving {
    fn start(gateway: &Path, data: &Path) -> Result<Self> {
        if data.exists() {
            fs::remove_dir_all(data).with_context(|| format!("could not remove {}", data.display()))?;
        }
        fs::create_dir_all(data).with_context(|| format!("could not create {}", data.display()))?;
        let mut command = configured(gateway, data);
        let log = fs::File::create(data.join("log")).context("could not create the log of the gateway")?;
        command.arg("serve").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        let mut process = command.spawn().context("could not start the gateway")?;
        let output = process.stdout.take().context("the gateway has no output")?;
        let mut serving = Self {
            gateway: gateway.to_owned(),
            data: data.to_owned(),
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

    fn create_client(&self) -> Result<Value> {
        let mut command = configured(&self.gateway, &self.data);
        command.args(["client", "create", "--name", "suite", "--permission", "invoicing.rpc"]);
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
fn configured(gateway: &Path, data: &Path) -> Command {
    let mut command = Command::new(gateway);
    workspace::remove_variables(&mut command, &["GATEWAY_"]);
    command.current_dir(data).env("GATEWAY_DATA_DIR", data);
    for listener in ["PUBLIC", "INTERNAL"] {
        command.env(format!("GATEWAY_SERVER__{listener}_ADDR"), "127.0.0.1:0");
    }
    command.env("GATEWAY_PLUGINS__DIR", data.join("plugins"));
    command
}
