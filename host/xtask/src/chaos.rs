//! `cargo xtask chaos`: the fault harness for as long as one likes. See `gateway_tests::chaos`.

use std::process::Command;

use anyhow::{Context as _, Result};
use gateway_test_postgres::URL_VARIABLE;

use crate::postgres::Postgres;
use crate::scratch::Scratch;
use crate::{Outcome, plugins, workspace};

pub(crate) fn run(arguments: &[String]) -> Result<Outcome> {
    let scratch = Scratch::find()?;
    let postgres = Postgres::start(&scratch)?;
    plugins::build("plugin")?;
    workspace::succeed(workspace::cargo().args(workspace::BUILD_TESTS))?;
    let chaos = workspace::members()?.target_directory.join("debug/chaos");
    let mut command = Command::new(&chaos);
    scratch.serve(&mut command)?;
    let status = command.args(arguments).env(URL_VARIABLE, postgres.url()).status();
    let status = status.with_context(|| format!("could not start {chaos}"))?;
    Ok(match status.code() {
        Some(0) => Outcome::Done,
        Some(2) => Outcome::Misuse,
        _ => Outcome::Failed,
    })
}
