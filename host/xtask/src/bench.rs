//! `cargo xtask bench`: measurements, in release, on a database whose commits are on disk.

use anyhow::Result;

use crate::postgres::Postgres;
use crate::{Outcome, workspace};

/// Where the benchmark looks for PostgreSQL.
const POSTGRES: &str = "GATEWAY_BENCH_POSTGRES";

pub(crate) fn run(arguments: &[String]) -> Result<Outcome> {
    if !matches!(arguments, [name] if name == "issuing") {
        return Ok(Outcome::Misuse);
    }
    // Before the server starts, so that the two do not disturb each other.
    let build = ["bench", "--package", "gateway-server", "--bench", "issuing"];
    eprintln!("building in release (the first time takes some minutes)");
    workspace::succeed(workspace::cargo().args(build).arg("--no-run"))?;
    let postgres = Postgres::start_durable()?;
    workspace::succeed(workspace::cargo().args(build).env(POSTGRES, postgres.url()))?;
    Ok(Outcome::Done)
}
