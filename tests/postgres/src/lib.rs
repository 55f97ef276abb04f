//! PostgreSQL for tests, on any machine that has the server's binaries.
//!
//! Two ways in, one code: `cargo xtask test` starts a [`Cluster`] that lives as long as the run and tells the
//! tests its address through `GATEWAY_TEST_POSTGRES`; a test started without it calls [`admin_url`] too and
//! gets a developer cluster that is started once and left running, so that the next run costs nothing.
//!
//! Not here: databases. Who wants one connects to the admin URL and says `CREATE DATABASE`.

#![cfg(unix)]

mod binaries;
mod cluster;
mod error;
mod user;

use std::env;
use std::path::Path;

pub use binaries::binaries;
pub use cluster::Cluster;
pub use error::Error;

/// Names the superuser URL of a running cluster, for example `postgres://postgres:…@127.0.0.1:5433/postgres`.
pub const URL_VARIABLE: &str = "GATEWAY_TEST_POSTGRES";

/// The URL of a superuser on a cluster that tests may fill: the one that `GATEWAY_TEST_POSTGRES` names, else the
/// developer cluster below `target/test-postgres-dev`, which the first caller starts and nobody stops
/// (`pg_ctl stop -D target/test-postgres-dev/data` does). Safe to call from many processes at once.
///
/// The path of the URL is the database `postgres`; replace it to reach another one.
pub fn admin_url() -> Result<String, Error> {
    match env::var(URL_VARIABLE) {
        Ok(url) if !url.is_empty() => Ok(url),
        _ => cluster::developer_url(&target().join("test-postgres-dev")),
    }
}

/// Cargo's target folder, as the build of this crate sees it.
fn target() -> std::path::PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace.join("target"), |dir| workspace.join(dir))
}
