//! Clients that the generators of others make of both OpenAPI documents: they compile, and issue an invoice.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::author::gateway;
use super::serving::{Serving, folder, text};
use super::{Environment, SuiteOutcome, node, python};
use crate::{package, workspace};

/// What is copied to where the packages are installed.
const SOURCES: [&str; 5] = ["package.json", "tsconfig.json", "client.ts", "with_httpx.py", "with_urllib3.py"];
/// The listeners: what they are called in a generated client, and by the gateway and its environment.
const LISTENERS: [&str; 2] = ["public", "internal"];
/// OpenAPI Generator 7.26 writes Python that does not compile of the section `webhooks`, unless it is left out.
const WITHOUT_WEBHOOKS: &str = "models,apis,supportingFiles";

/// openapi-typescript with openapi-fetch, openapi-python-client, and OpenAPI Generator for Python.
pub(super) fn clients(_: &Environment) -> Result<SuiteOutcome> {
    for (program, missing) in [
        ("node", "there is no node to run a generated client with"),
        ("npm", "there is no npm to install generators with"),
        ("python3", "there is no python3 to install generators with"),
    ] {
        if !package::in_path(program) {
            return Ok(SuiteOutcome::NotRun(missing));
        }
    }
    let sources = workspace::root().join("tests/clients/generated");
    let folder = folder("generated")?;
    node::install(&folder, &sources, &SOURCES)?;
    let python = python::install(&folder, &sources.join("requirements.txt"))?;

    let serving = Serving::start(&gateway()?, &folder.join("data"))?;
    let data = workspace::root().join("tests/clients/openapi/data.ndjson");
    serving.run(&["import", &data.display().to_string()])?;
    let clients = Clients { folder, python, made: serving.create_client("*")?, serving };
    clients.typescript()?;
    clients.openapi_python_client()?;
    clients.openapi_generator()?;
    Ok(SuiteOutcome::Checked)
}

/// Where clients are generated, and for which gateway.
struct Clients {
    folder: PathBuf,
    python: PathBuf,
    serving: Serving,
    /// The client of the gateway that they are.
    made: Value,
}

impl Clients {
    fn typescript(&self) -> Result<()> {
        let tool = |name: &str| Command::new(self.folder.join("node_modules/.bin").join(name));
        for listener in LISTENERS {
            let types = format!("{listener}.ts");
            self.run(tool("openapi-typescript").arg(self.document(listener)?).args(["--output", &types]))?;
        }
        self.run(tool("tsc").args(["--project", "tsconfig.json"]))?;
        let bundle = ["client.ts", "--bundle", "--platform=node", "--format=esm", "--log-level=warning"];
        self.run(tool("esbuild").args(bundle).arg("--outfile=build/client.js"))?;
        self.run(Command::new("node").arg("build/client.js"))
    }

    fn openapi_python_client(&self) -> Result<()> {
        for listener in LISTENERS {
            let package = format!("httpx/gateway_{listener}");
            let mut generate = self.python_tool("openapi-python-client")?;
            generate.args(["generate", "--meta", "none", "--overwrite", "--output-path", &package]);
            self.run(generate.arg("--url").arg(self.document(listener)?))?;
        }
        self.python(&["httpx"], "with_httpx.py")
    }

    fn openapi_generator(&self) -> Result<()> {
        for listener in LISTENERS {
            let mut generate = self.python_tool("openapi-generator-cli")?;
            generate.args(["generate", "--generator-name", "python", "--global-property", WITHOUT_WEBHOOKS]);
            generate.args(["--output", &format!("urllib3/{listener}")]);
            generate.args(["--package-name", &format!("gateway_{listener}")]);
            // It brings the Java that it runs on.
            generate.env_remove("JAVA_HOME").env("JAVA_OPTS", "-Dlog.level=error");
            self.run(generate.arg("--input-spec").arg(self.document(listener)?))?;
        }
        self.python(&["urllib3/public", "urllib3/internal"], "with_urllib3.py")
    }

    /// A program that was installed with the packages of Python, and finds the others.
    fn python_tool(&self, name: &str) -> Result<Command> {
        let programs = self.python.parent().context("the interpreter is in no folder")?;
        let mut path = vec![programs.to_owned()];
        path.extend(std::env::var_os("PATH").iter().flat_map(std::env::split_paths));
        let mut command = Command::new(programs.join(name));
        command.env("PATH", std::env::join_paths(path).context("the PATH holds a separator")?);
        Ok(command)
    }

    /// Compiles all of a generated client, then uses it.
    fn python(&self, folders: &[&str], script: &str) -> Result<()> {
        self.run(Command::new(&self.python).args(["-m", "compileall", "-q"]).args(folders))?;
        let folders = folders.iter().map(Path::new);
        let path = std::env::join_paths(folders).context("a folder holds a separator")?;
        self.run(Command::new(&self.python).arg(script).env("PYTHONPATH", path))
    }

    /// The address of a document.
    fn document(&self, listener: &str) -> Result<String> {
        Ok(format!("{}/openapi.json", text(&self.serving.listening, listener)?))
    }

    /// Where the client is, told where the gateway is.
    fn run(&self, command: &mut Command) -> Result<()> {
        command.current_dir(&self.folder);
        for listener in LISTENERS {
            command.env(listener.to_uppercase(), text(&self.serving.listening, listener)?);
        }
        command.env("CLIENT_ID", text(&self.made, "client_id")?);
        workspace::succeed(command.env("CLIENT_SECRET", text(&self.made, "client_secret")?))
    }
}
