//! The console in a real browser.

use std::fs;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use super::author::gateway;
use super::serving::{Serving, folder, text};
use super::{Environment, SuiteOutcome, node, pdf};
use crate::package::{self, Package};
use crate::{plugins, workspace};

const CHROMIUM: Package = Package {
    title: "Chromium",
    names: ["chromium", "chromium", "chromium", "chromium"],
    by_hand: "install the package `chromium` by hand",
};

/// Every page and every action, with axe on each, on a desk and on a phone.
pub(super) fn browser(_: &Environment) -> Result<SuiteOutcome> {
    for (program, missing) in [
        ("node", "there is no node to drive a browser with"),
        ("npm", "there is no npm to install Playwright with"),
    ] {
        if !package::in_path(program) {
            return Ok(SuiteOutcome::NotRun(missing));
        }
    }
    if !package::in_path("chromium") {
        package::install(&CHROMIUM)?;
    }
    pdf::install_readers()?;
    let folder = folder("console")?;
    let sources = workspace::root().join("tests/clients/console");
    node::install(&folder, &sources, &["package.json", "check.mjs"])?;
    plugins::build("plugin")?;
    let built = workspace::root().join("target/plugins");
    let dropped = folder.join("plugins");
    fs::create_dir_all(dropped.join("render")).context("could not create the folder of plugins")?;
    for name in ["es-verifactu.wasm", "render/render-pdf.wasm"] {
        let from = built.join(name);
        fs::copy(&from, dropped.join(name)).with_context(|| format!("could not copy {}", from.display()))?;
    }
    let plugins_folder = dropped.display().to_string();
    let variables = [
        ("GATEWAY_PROVIDER__BASE_URL", "sandbox"),
        ("GATEWAY_SANDBOX__ADDR", "127.0.0.1:0"),
        ("GATEWAY_PROVIDER__RETRY_MAX", "1"),
        ("GATEWAY_WEBHOOKS__ALLOW_PRIVATE", "true"),
        ("GATEWAY_PLUGINS__DIR", plugins_folder.as_str()),
    ];
    let serving = Serving::start_with(&gateway()?, &folder.join("data"), &variables)?;
    let made = serving.create_client("*")?;
    let reader = serving.create_client("console.read")?;
    let workspace_id = serving.create_workspace("Console house")?;
    let mut check = Command::new("node");
    check.arg(folder.join("check.mjs"));
    for listener in ["public", "internal"] {
        check.env(listener.to_uppercase(), text(&serving.listening, listener)?);
    }
    check.env("CLIENT_ID", text(&made, "client_id")?).env("CLIENT_SECRET", text(&made, "client_secret")?);
    check.env("READER_ID", text(&reader, "client_id")?).env("READER_SECRET", text(&reader, "client_secret")?);
    check.env("WORKSPACE", workspace_id.to_string()).env("CHROMIUM", "/usr/bin/chromium");
    check.env("COMPONENT", built.join("es-tbai.wasm")).env("SCREENSHOTS", folder.join("screenshots"));
    workspace::succeed(&mut check)?;
    let log = fs::read_to_string(folder.join("data/log")).context("could not read the log of the gateway")?;
    let faults: Vec<_> =
        log.lines().filter(|line| line.contains("internal error") || line.contains("panicked")).collect();
    ensure!(faults.is_empty(), "the gateway failed meanwhile: {faults:#?}");
    Ok(SuiteOutcome::Checked)
}
