//! Servers of others, which run in node and are measured in turns with the gateway.
//!
//! Each runs in as many processes as the machine has cores (`tests/bench/peers/workers.js`), because the gateway uses all of
//! them, too.

use crate::stage::BenchError;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

/// Names the folder in which they are installed; without it none is measured.
const PEERS: &str = "GATEWAY_BENCH_PEERS";
/// They read a database and make a schema of it first.
const START_TIMEOUT: Duration = Duration::from_mins(2);

/// Where they are installed, if they are to be measured.
pub(crate) fn folder() -> Option<PathBuf> {
    std::env::var_os(PEERS).map(PathBuf::from)
}

/// A server that runs, and ends when it is dropped.
#[derive(Debug)]
pub(crate) struct NodeServer {
    url: String,
    /// Its other processes end with this one, and it ends with its input.
    _process: Child,
    /// Open, so that it may go on writing.
    _output: Lines<BufReader<ChildStdout>>,
}

impl NodeServer {
    /// Starts `NAME.js` of the folder, whose first line is where it listens. What it has to say goes to `NAME.log` there.
    pub(crate) async fn start(
        folder: &Path,
        name: &str,
        environment: &[(&str, &str)],
    ) -> Result<Self, BenchError> {
        let log = folder.join(format!("{name}.log"));
        let mut command = Command::new("node");
        command.arg(folder.join(format!("{name}.js"))).envs(environment.iter().copied());
        command.env("NODE_ENV", "production").env("GRAPHILE_ENV", "production");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(File::create(&log)?).kill_on_drop(true);
        let mut process = command.spawn().map_err(|error| format!("node could not be started: {error}"))?;
        let mut output = BufReader::new(process.stdout.take().ok_or("node has no output")?).lines();
        let line = timeout(START_TIMEOUT, output.next_line()).await;
        let line = line.map_err(|_| format!("{name} does not listen; see {}", log.display()))??;
        let url = line.ok_or_else(|| format!("{name} ended at its start; see {}", log.display()))?;
        Ok(Self { url, _process: process, _output: output })
    }

    /// `http://ADDRESS:PORT`.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}
