//! Plugins pushed to a registry of container images that others wrote, pulled from it and installed.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use super::author::gateway;
use super::serving::{folder, text};
use super::{Environment, SuiteOutcome};
use crate::package::{self, Package};
use crate::workspace;

const REGISTRY: Package = Package {
    title: "docker-registry",
    names: ["docker-registry", "docker-distribution", "docker-registry", "docker-registry"],
    by_hand: "install the package `docker-registry` by hand",
};

/// Who may push and pull: `suite` with the password `docker-secret`.
const HTPASSWD: &str = "suite:$2y$05$abcdefghijklmnopqrstuuV1ceFQaoGHhr09XXIsl7c//3ORIUL0K\n";
/// What `docker login` writes for them: base64 of `suite:docker-secret`.
const AUTH: &str = "c3VpdGU6ZG9ja2VyLXNlY3JldA==";

pub(super) fn plugins(_: &Environment) -> Result<SuiteOutcome> {
    if !package::in_path("docker-registry") {
        package::install(&REGISTRY)?;
    }
    let folder = folder("registry")?;
    fs::remove_dir_all(&folder).context("could not clear the folder of the suite")?;
    let registry = Registry::start(&folder.join("registry"))?;
    let user = User::new(gateway()?, &folder.join("user"), &registry.address)?;
    let name = format!("oci://{}/tax/es-verifactu", registry.address);
    let tagged = format!("{name}:1");
    let plugin = user.signed_plugin()?;

    let push = ["plugin", "push", &plugin, &tagged, "--json"];
    user.refused(&push, &[("DOCKER_CONFIG", "/nonexistent")], "does not let you in")?;
    let pushed = user.json(&push)?;
    let reference = text(&pushed, "reference")?.to_owned();
    ensure!(reference.starts_with(&format!("{name}@sha256:")), "{reference} is no digest of {name}");
    ensure!(text(&user.json(&push)?, "reference")? == reference, "the same plugin is another content");

    let pulled = user.json(&["plugin", "pull", &tagged, "--out", "pulled.wasm", "--json"])?;
    ensure!(text(&pulled, "reference")? == reference, "the tag leads elsewhere: {pulled}");
    user.same_files(&plugin, "pulled.wasm")?;
    user.same_files(&format!("{plugin}.sig"), "pulled.wasm.sig")?;
    user.refused(&["plugin", "pull", &tagged, "--out", "pulled.wasm"], &[], "is there already")?;

    // A tag may be another plugin tomorrow, unless its signature is checked.
    user.refused(&["plugin", "install", &tagged], &[], "name its digest")?;
    let trusting = [("GATEWAY_PLUGINS__TRUSTED_KEYS", user.public_key.as_str())];
    user.succeed(&["plugin", "install", &tagged], &trusting)?;
    user.succeed(&["plugin", "install", &reference, "--activate"], &[])?;
    let listed = user.json(&["plugin", "list", "--json"])?;
    ensure!(listed.to_string().contains("\"active\""), "it is not in force: {listed}");

    let unsigned = user.unsigned_plugin(&plugin)?;
    let bare = user.json(&["plugin", "push", &unsigned, &format!("{name}:bare"), "--json"])?;
    user.refused(&["plugin", "install", text(&bare, "reference")?], &trusting, "sign")?;

    let (kept, digest) = reference.split_at(reference.len() - 4);
    let other = if digest == "0000" { "1111" } else { "0000" };
    user.refused(&["plugin", "pull", &format!("{kept}{other}"), "--out", "other.wasm"], &[], "is not there")?;
    registry.change_component(&fs::read(user.folder.join(&plugin))?)?;
    user.refused(&["plugin", "pull", &reference, "--out", "changed.wasm"], &[], "not what its digest says")?;
    ensure!(!user.folder.join("changed.wasm").exists(), "what was changed on its way was written");
    drop(registry);
    user.refused(&["plugin", "pull", &reference, "--out", "away.wasm"], &[], "cannot be used")?;
    Ok(SuiteOutcome::Checked)
}

/// A registry on a free port, ended when dropped.
struct Registry {
    process: Child,
    address: String,
    data: PathBuf,
}

impl Registry {
    fn start(folder: &Path) -> Result<Self> {
        let data = folder.join("data");
        fs::create_dir_all(&data).context("could not create the folder of the registry")?;
        let (config, users) = (folder.join("config.yml"), folder.join("htpasswd"));
        fs::write(&users, HTPASSWD).context("could not write the users of the registry")?;
        let text = format!(
            "version: 0.1\nlog: {{level: info, formatter: json}}\nstorage: {{filesystem: {{rootdirectory: '{}'}}}}\n\
             http: {{addr: '127.0.0.1:0'}}\nauth: {{htpasswd: {{realm: suite, path: '{}'}}}}\n",
            data.display(),
            users.display()
        );
        fs::write(&config, text).context("could not write the configuration of the registry")?;
        let mut command = Command::new("docker-registry");
        command.arg("serve").arg(&config).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut process = command.spawn().context("could not start the registry")?;
        let mut log = BufReader::new(process.stderr.take().context("the registry has no log")?).lines();
        let address = loop {
            let Some(line) = log.next() else { bail!("the registry did not listen") };
            let line = line.context("could not read the log of the registry")?;
            if let Some((_, rest)) = line.split_once("listening on ") {
                break rest.chars().take_while(|c| !matches!(c, '"' | ' ' | ',')).collect();
            }
        };
        // Whoever reads no more stops the registry at a full pipe.
        std::thread::spawn(move || for _ in log {});
        Ok(Self { process, address, data })
    }

    /// Changes one byte of this component where the registry keeps it.
    fn change_component(&self, component: &[u8]) -> Result<()> {
        let blobs = self.data.join("docker/registry/v2/blobs/sha256");
        for first in fs::read_dir(&blobs).context("could not look into the registry")? {
            for blob in fs::read_dir(first?.path())? {
                let file = blob?.path().join("data");
                let mut bytes = fs::read(&file)?;
                if bytes == component {
                    let last = bytes.last_mut().context("a component is not empty")?;
                    *last ^= 1;
                    return fs::write(&file, bytes).context("could not change the component");
                }
            }
        }
        bail!("the registry does not keep the component")
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Somebody with a database of their own who is signed in at the registry.
struct User {
    gateway: PathBuf,
    folder: PathBuf,
    public_key: String,
}

impl User {
    fn new(gateway: PathBuf, folder: &Path, registry: &str) -> Result<Self> {
        fs::create_dir_all(folder).context("could not create the folder of the user")?;
        let config = format!("{{\"auths\":{{\"{registry}\":{{\"auth\":\"{AUTH}\"}}}}}}");
        fs::write(folder.join("config.json"), config).context("could not write Docker's configuration")?;
        let mut user = Self { gateway, folder: folder.to_owned(), public_key: String::new() };
        let made = user.json(&["plugin", "keygen", "--key", "signing.key", "--json"])?;
        text(&made, "public_key")?.clone_into(&mut user.public_key);
        Ok(user)
    }

    fn run(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Result<Output> {
        let mut command = Command::new(&self.gateway);
        workspace::remove_variables(&mut command, &["GATEWAY_"]);
        command.current_dir(&self.folder).env("GATEWAY_DATA_DIR", &self.folder);
        command.env("DOCKER_CONFIG", &self.folder).envs(variables.iter().copied());
        command.args(arguments).output().context("could not run the gateway")
    }

    fn succeed(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Result<Vec<u8>> {
        let Output { status, stdout, stderr } = self.run(arguments, variables)?;
        ensure!(status.success(), "{arguments:?} failed: {}", String::from_utf8_lossy(&stderr));
        Ok(stdout)
    }

    fn json(&self, arguments: &[&str]) -> Result<Value> {
        let stdout = self.succeed(arguments, &[])?;
        serde_json::from_slice(&stdout).with_context(|| format!("{arguments:?} printed no JSON"))
    }

    /// Refused with one sentence that holds these words.
    fn refused(&self, arguments: &[&str], variables: &[(&str, &str)], words: &str) -> Result<()> {
        let Output { status, stderr, .. } = self.run(arguments, variables)?;
        let said = String::from_utf8_lossy(&stderr);
        ensure!(status.code() == Some(1), "{arguments:?} ended with {status}: {said}");
        ensure!(said.contains(words), "{arguments:?} says nothing of `{words}`: {said}");
        ensure!(!said.contains("docker-secret"), "a secret is shown: {said}");
        Ok(())
    }

    /// A built plugin with a signature beside it; its file.
    fn signed_plugin(&self) -> Result<String> {
        let built = workspace::root().join("target/plugins/es-verifactu.wasm");
        let file = "es-verifactu.wasm";
        fs::copy(&built, self.folder.join(file))
            .with_context(|| format!("could not copy {}", built.display()))?;
        self.succeed(&["plugin", "sign", file, "--key", "signing.key"], &[])?;
        Ok(file.to_owned())
    }

    /// The same without its signature.
    fn unsigned_plugin(&self, signed: &str) -> Result<String> {
        let file = "unsigned.wasm";
        fs::copy(self.folder.join(signed), self.folder.join(file)).context("could not copy the plugin")?;
        Ok(file.to_owned())
    }

    fn same_files(&self, one: &str, other: &str) -> Result<()> {
        let read =
            |file: &str| fs::read(self.folder.join(file)).with_context(|| format!("could not read {file}"));
        ensure!(read(one)? == read(other)?, "{one} and {other} differ");
        Ok(())
    }
}
